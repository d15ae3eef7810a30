"""Disks and designs that the tests judge."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.disk import Disk, Health, Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Controller, Host
from poolwright.domain.steps import at_once
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.rules.layout_facts import LayoutNumbers, Premises
from poolwright.rules.load import load_rule_book_in_steps
from poolwright.rules.profile import DiskProfile
from poolwright.rules.rulebook import RuleBook

SIX_TB = 6001175126016
ONE_TB = 1000204886016
SMARTCTL = Origin(kind=OriginKind.READ, source="smartctl on nas1", when="2026-11-20 10:12")


def load_rule_book(files: Mapping[str, str], *, limits: str, **more: Any) -> RuleBook:
    return at_once(load_rule_book_in_steps(files, limits=limits, **more))


def disk(number: int, size_bytes: int = SIX_TB, **changes: object) -> Disk:
    """A good 512e disk with everything known."""
    base = Disk(
        key=f"disk{number}",
        path=f"/dev/sd{number}",
        by_id=(f"scsi-SSEAGATE_ST6000NM0034_Z4D{number:05}",),
        model="ST6000NM0034",
        # No two look like one delivery.
        serial=f"Z4D{number:05}8KQ",
        size_bytes=size_bytes,
        logical_sector_bytes=512,
        physical_sector_bytes=4096,
        media=Media.HDD,
        smr=False,
        transport="sas",
        health=Health.GOOD,
        temperature_celsius=31,
        origins=(("physical_sector_bytes", SMARTCTL),),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def disks(count: int, size_bytes: int = SIX_TB, **changes: object) -> tuple[Disk, ...]:
    """``count`` such disks."""
    return tuple(disk(number, size_bytes, **changes) for number in range(count))


def vdev(
    kind: VdevKind,
    members: tuple[Disk, ...],
    *,
    parity: int = 0,
    role: VdevClass = VdevClass.DATA,
    draid_data: int | None = None,
    draid_spares: int = 0,
) -> Vdev:
    return Vdev(
        kind=kind,
        members=tuple(Member(disk_key=member.key) for member in members),
        parity=parity,
        vdev_class=role,
        draid_data=draid_data,
        draid_spares=draid_spares,
    )


def raidz(members: tuple[Disk, ...], parity: int) -> Vdev:
    return vdev(VdevKind.RAIDZ, members, parity=parity)


def mirror(*members: Disk, role: VdevClass = VdevClass.DATA) -> Vdev:
    return vdev(VdevKind.MIRROR, members, role=role)


def bare(member: Disk, role: VdevClass = VdevClass.DATA) -> Vdev:
    return vdev(VdevKind.STRIPE, (member,), role=role)


def design(
    *vdevs: Vdev,
    of: tuple[Disk, ...],
    goal: Goal = Goal.SAFETY,
    ashift: int = 12,
    version: str | None = None,
    root: dict[str, str] | None = None,
    workload: Workload | None = None,
    budget: Budget | None = None,
    host: Host | None = None,
) -> Design:
    """A design of these vdevs on the disks ``of``; ``root`` are the properties of its root dataset."""
    settings = {"xattr": "sa", "atime": "off", "compression": "lz4"} | (root or {})
    return Design(
        key="k",
        name="test",
        pool_name="tank",
        workload=workload or Workload(goal=goal),
        budget=budget or Budget(),
        host=host or Host(ram_bytes=256 << 30, controllers=(Controller(name="9300-8e"),)),
        disks=of,
        vdevs=vdevs,
        ashift=ashift,
        version=ZfsVersion.parse(version) if version else DEFAULT_VERSION,
        datasets=(Dataset(name="", settings=tuple(Setting(name=n, value=v) for n, v in settings.items())),),
    )


NUMBERS = LayoutNumbers(usable_bytes=100 * 10**12)


def premises(
    of: Sequence[Disk],
    workload: Workload | Goal = Goal.SAFETY,
    *,
    version: str = str(DEFAULT_VERSION),
    budget: Budget | None = None,
    host: Host | None = None,
) -> Premises:
    return Premises(
        profile=DiskProfile.from_disks(of),
        version=ZfsVersion.parse(version),
        workload=Workload(goal=workload) if isinstance(workload, Goal) else workload,
        budget=budget or Budget(),
        host=host or Host(),
    )
