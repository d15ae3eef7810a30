"""Designs with partitions and several pools: the blog's odd disks, and an NVMe pair split among log and special."""

from dataclasses import replace

from poolwright.domain.design import Dataset, Design, FurtherPool, Member, Setting, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.reserve import sliceable_bytes, whole_slice
from poolwright.domain.vdev import VdevClass, VdevKind

TB3, TB2, NVME = 3000592982016, 2000398934016, 480103981056
FIRST_BYTES = sliceable_bytes(TB2)  # as large as the smaller disks give
REST_BYTES = sliceable_bytes(TB3) - FIRST_BYTES


def odd_disk(number: int, size: int, **changes: object) -> Disk:
    """Return one of the disks of the blog on MacZFS, or one like it."""
    name = "WDC_WD30EZRX" if size == TB3 else "WDC_WD20EARS"
    values: dict[str, object] = {
        "key": f"k{number}",
        "by_id": (f"ata-{name}_EXMAC{number:02}",),
        "model": name.replace("_", " "),
        "serial": f"EXMAC{number:02}",
        "size_bytes": size,
        "logical_sector_bytes": 512,
        "physical_sector_bytes": 4096,
        "media": Media.HDD,
    }
    return Disk(**(values | changes))  # type: ignore[arg-type]


def macblog_design(disks: tuple[Disk, ...] | None = None) -> Design:
    """Return the blog's pools: raidz2 over 2 TB of each of five disks, and a mirror of what the two large leave."""
    disks = disks or (*(odd_disk(n, TB3) for n in (1, 2)), *(odd_disk(n, TB2) for n in (3, 4, 5)))
    first = tuple(Member(disk_key=d.key, slice_bytes=FIRST_BYTES, part=1) for d in disks)
    rest = tuple(Member(disk_key=d.key, slice_bytes=whole_slice(REST_BYTES), part=2) for d in disks[:2])
    return Design(
        key="macblog",
        name="Odd disks",
        pool_name="tank",
        disks=disks,
        vdevs=(Vdev(kind=VdevKind.RAIDZ, parity=2, members=first),),
        datasets=(
            Dataset(name="", settings=(Setting(name="compression", value="lz4"),)),
            Dataset(name="media", settings=(Setting(name="recordsize", value="1M"),)),
        ),
        further_pools=(
            FurtherPool(
                pool_name="rest",
                vdevs=(Vdev(kind=VdevKind.MIRROR, members=rest),),
                datasets=(Dataset(name="scratch"),),
                purpose="what the larger disks leave",
            ),
        ),
    )


def nvme(number: int, **changes: object) -> Disk:
    """Return an NVMe drive of 480 GB."""
    values: dict[str, object] = {
        "key": f"n{number}",
        "by_id": (f"nvme-QEMU_NVMe_Ctrl_EXNVME{number:02}",),
        "model": "QEMU NVMe Ctrl",
        "serial": f"EXNVME{number:02}",
        "size_bytes": NVME,
        "logical_sector_bytes": 512,
        "media": Media.NVME,
    }
    return Disk(**(values | changes))  # type: ignore[arg-type]


def split_design(data: tuple[Disk, ...], drives: tuple[Disk, ...] | None = None) -> Design:
    """Return a mirror with special, log and cache on two NVMe drives split in three."""
    drives = drives or (nvme(1), nvme(2))
    sizes = {1: 16 << 30, 2: 256 << 30, 3: 64 << 30}

    def parts(number: int) -> tuple[Member, ...]:
        return tuple(Member(disk_key=d.key, slice_bytes=sizes[number], part=number) for d in drives)

    whole = tuple(Member(disk_key=d.key) for d in data)
    return Design(
        key="split",
        name="Split drives",
        pool_name="fast",
        disks=(*data, *drives),
        vdevs=(
            Vdev(kind=VdevKind.MIRROR, members=parts(1), vdev_class=VdevClass.LOG),
            Vdev(kind=VdevKind.MIRROR, members=whole),
            Vdev(kind=VdevKind.MIRROR, members=parts(2), vdev_class=VdevClass.SPECIAL),
            Vdev(kind=VdevKind.STRIPE, members=parts(3), vdev_class=VdevClass.CACHE),
        ),
        datasets=(Dataset(name="", settings=(Setting(name="atime", value="off"),)), Dataset(name="vm")),
    )


def with_disks(design: Design, disks: tuple[Disk, ...]) -> Design:
    """Return the design with other descriptions of the same disks, by key."""
    described = {disk.key: disk for disk in disks}
    return replace(design, disks=tuple(described.get(disk.key, disk) for disk in design.disks))
