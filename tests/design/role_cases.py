"""Designs with free flash drives, for the tests of roles."""

from dataclasses import replace
from pathlib import Path

from poolwright.domain.design import Dataset, Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.host import Host
from poolwright.domain.units import GIB, TB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.workload import Goal, Workload
from poolwright.machine.examples import load_example

SAFE_NVME = "INTEL SSDPE2KX010T8"  # with capacitors
PLAIN_NVME = "Samsung SSD 960 EVO 250GB"  # without


def disk(number: int, *, size_bytes: int = 6 * TB, media: Media = Media.HDD, model: str | None = None) -> Disk:
    return Disk(key=f"{media.value}{number}", media=media, size_bytes=size_bytes, model=model)


def flash(count: int, *, size_bytes: int = 960 * 10**9, model: str | None = SAFE_NVME) -> tuple[Disk, ...]:
    return tuple(disk(n, size_bytes=size_bytes, media=Media.NVME, model=model) for n in range(count))


def vdev(kind: VdevKind, keys: tuple[str, ...], *, parity: int = 0, vdev_class: VdevClass = VdevClass.DATA) -> Vdev:
    members = tuple(Member(disk_key=key) for key in keys)
    return Vdev(kind=kind, members=members, parity=parity, vdev_class=vdev_class)


def raidz2_design(*drives: Disk, width: int = 8, ram: int | None = 128 * GIB, **workload: object) -> Design:
    """A raidz2 of hard disks, with these flash drives free."""
    disks = tuple(disk(n) for n in range(width))
    return Design(
        key="case",
        name="Case",
        pool_name="tank",
        disks=(*disks, *drives),
        vdevs=(vdev(VdevKind.RAIDZ, tuple(d.key for d in disks), parity=2),),
        workload=replace(Workload(goal=Goal.CONCURRENT), **workload),  # type: ignore[arg-type]
        host=Host(ram_bytes=ram),
        datasets=(Dataset(name=""),),
    )


def tunables_design(**workload: object) -> Design:
    """The blog's server, from the shipped example: two mirrors of 6 TB and two small NVMe drives as cache."""
    text = (Path(__file__).parents[2] / "resources" / "machines" / "tunables.toml").read_text(encoding="utf-8")
    machine = load_example("tunables", text)
    disks = [d.key for d in machine.disks if d.media is Media.HDD]
    drives = tuple(d.key for d in machine.disks if d.media is Media.NVME)
    return Design(
        key="tunables",
        name="Tunables",
        pool_name="tank",
        disks=machine.disks,
        host=machine.host,
        vdevs=(
            vdev(VdevKind.MIRROR, (disks[0], disks[1])),
            vdev(VdevKind.MIRROR, (disks[2], disks[3])),
            vdev(VdevKind.STRIPE, drives, vdev_class=VdevClass.CACHE),
        ),
        workload=replace(Workload(goal=Goal.CONCURRENT), **workload),  # type: ignore[arg-type]
    )
