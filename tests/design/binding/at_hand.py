"""Planned designs and machines to bind them to."""

from collections.abc import Sequence
from dataclasses import replace

from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.vdev import parse_spec
from poolwright.machine.typed.read import read_typed

TB8 = 8_001_563_222_016


def planned_design(*specs: str, disks: str = "") -> Design:
    """Return a design of typed disks: vdevs such as raidz2:6x8TB, each member a disk of its own."""
    layout = [parse_spec(spec) for spec in specs]
    inventory = read_typed([disks] if disks else [f"{sum(spec.width for spec in layout)} x 8TB"])
    free = list(inventory.disks)
    vdevs = []
    for spec in layout:
        members = []
        for size in spec.sizes:
            disk = next(disk for disk in free if disk.size_bytes == size)
            free.remove(disk)
            members.append(Member(disk_key=disk.key))
        vdevs.append(
            Vdev(kind=spec.kind, parity=spec.parity, members=tuple(members), vdev_class=spec.vdev_class,
                 draid_data=spec.draid_data, draid_spares=spec.draid_spares)
        )  # fmt: skip
    return Design(
        key="planned", name="on paper", pool_name="tank", disks=inventory.disks, vdevs=tuple(vdevs),
        host=inventory.host, inventory_name=inventory.name, inventory_origin=inventory.origin,
    )  # fmt: skip


def real_disk(name: str, size_bytes: int = TB8, **facts: object) -> Disk:
    """Return a disk that was read: sda with its serial number and its name under by-id."""
    serial = f"S-{name}"
    made = Disk(
        key=serial, path=f"/dev/{name}", by_id=(f"ata-MODEL_{serial}",), serial=serial, size_bytes=size_bytes,
        media=Media.HDD, logical_sector_bytes=512, physical_sector_bytes=4096,
    )  # fmt: skip
    return replace(made, **facts)  # type: ignore[arg-type]


def machine(disks: Sequence[Disk], name: str = "store") -> Inventory:
    return Inventory(name=name, disks=tuple(disks), origin=Origin(kind=OriginKind.READ, source=f"lsblk on {name}"))
