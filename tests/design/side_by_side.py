"""Designs of the thesis machine's disks that are compared in tests."""

from datetime import date
from functools import cache

from poolwright import paths
from poolwright.design.comparison_columns import ComparedDesign, zfs_column
from poolwright.design.evaluate import evaluate
from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.host import Inventory
from poolwright.domain.money import money
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.machine.examples import example_file, load_example
from poolwright.rules.rulebook import RuleBook
from poolwright.table_library import load_drive_book

TODAY = date(2026, 11, 20)


@cache
def machine(name: str = "thesis") -> Inventory:
    text = (paths.resources_folder() / "machines" / example_file(name)).read_text(encoding="utf-8")
    return load_example(name, text)


def _design(key: str, vdevs: tuple[Vdev, ...], goal: Goal, settings: tuple[tuple[str, str, str], ...]) -> Design:
    inventory = machine()
    root = tuple(Setting(name=name, value=value, reason=reason) for name, value, reason in settings)
    return Design(
        key=key,
        name=f"thesis, {key}",
        pool_name="tank",
        workload=Workload(goal=goal),
        budget=Budget(price_per_disk=money(250, "EUR"), price_on="2026-11-20"),
        host=inventory.host,
        disks=inventory.disks,
        vdevs=vdevs,
        datasets=(Dataset(name="", settings=root),),
        inventory_name=inventory.name,
        inventory_origin=inventory.origin,
    )


def keys() -> list[str]:
    return [disk.key for disk in machine().disks if disk.size_bytes == 6_001_175_126_016]


def members(found: list[str]) -> tuple[Member, ...]:
    return tuple(Member(disk_key=key) for key in found)


def safety() -> Design:
    """Return what the thesis advises for safety: five raidz2 of eight, four spares."""
    found = keys()
    vdevs = [
        Vdev(kind=VdevKind.RAIDZ, parity=2, members=members(found[at : at + 8])) for at in range(0, len(found) - 4, 8)
    ]
    spares = Vdev(kind=VdevKind.STRIPE, vdev_class=VdevClass.SPARE, members=members(found[-4:]))
    settings = (("compression", "lz4", "cheap"), ("recordsize", "1M", "large files"), ("atime", "off", "no reads"))
    return _design("safety", (*vdevs, spares), Goal.SAFETY, settings)


def concurrent() -> Design:
    """Return many small vdevs for many clients: twenty-two mirrors."""
    found = keys()
    vdevs = tuple(Vdev(kind=VdevKind.MIRROR, members=members(found[at : at + 2])) for at in range(0, len(found), 2))
    settings = (("compression", "lz4", "cheap"), ("recordsize", "128K", "small reads"))
    return _design("concurrent", vdevs, Goal.CONCURRENT, settings)


def one_vdev(width: int = 8, parity: int = 2) -> Design:
    """Return one raidz vdev, as the thesis compared with RAID 6."""
    vdev = Vdev(kind=VdevKind.RAIDZ, parity=parity, members=members(keys()[:width]))
    return _design(f"raidz{parity}-{width}", (vdev,), Goal.SAFETY, ())


def column(design: Design, rules: RuleBook | None = None) -> ComparedDesign:
    return zfs_column(evaluate(design, drives=load_drive_book(), today=TODAY, rules=rules))
