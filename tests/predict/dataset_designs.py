"""Designs of eight disks in a raidz2 with datasets, for tests of what these take."""

from dataclasses import replace

from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Goal, Workload

SIX_TB = 6_001_175_126_016


def disk(number: int, **more: object) -> Disk:
    return Disk(key=f"d{number}", size_bytes=SIX_TB, **more)  # type: ignore[arg-type]


def setting(name: str, value: str) -> Setting:
    return Setting(name=name, value=value)


def dataset(name: str, *, volume: int | None = None, data: int | None = None, **values: str) -> Dataset:
    settings = tuple(setting(key, value) for key, value in values.items())
    return Dataset(name=name, volume_bytes=volume, logical_bytes=data, settings=settings)


def design(*datasets: Dataset, **more: object) -> Design:
    disks = tuple(disk(n) for n in range(8))
    members = tuple(Member(disk_key=d.key) for d in disks)
    made = Design(
        key="d",
        name="d",
        pool_name="tank",
        disks=disks,
        vdevs=(Vdev(kind=VdevKind.RAIDZ, parity=2, members=members),),
        datasets=datasets,
        workload=Workload(goal=Goal.SAFETY, compressible=False),
    )
    return replace(made, **more)  # type: ignore[arg-type]
