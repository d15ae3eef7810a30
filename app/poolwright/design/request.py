"""What is asked of a recommendation, and who judges layouts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.design.floors import Floors
from poolwright.design.groups import DiskCounts, DiskKind
from poolwright.domain.disk import Disk, Media
from poolwright.domain.finding import Finding
from poolwright.domain.host import Host, planned_host
from poolwright.domain.units import DEFAULT_LOGICAL_SECTOR_BYTES
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Budget, Workload
from poolwright.predict.assessment import Outlook
from poolwright.predict.drives import DriveBook, read_drive_book
from poolwright.rules.layout_facts import LayoutNumbers, VdevDetails, VdevPosition
from poolwright.rules.profile import DiskProfile
from poolwright.texts import per_language

# What judges layouts of one set of disks, as `Judge.layout` does; nothing in a test.
LayoutJudge = Callable[[Layout, LayoutNumbers, Sequence[VdevPosition]], tuple[Finding, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked: the ticked disks, what for, within what, and on which host.

    ``goal_told`` is whether somebody named the goal: else it is that of the data (`goal_of_data`).
    ``host`` has the RAM that the budget tells, ``version`` is its OpenZFS, ``drives`` the failure rates by model
    (default: one rate for all).
    """

    disks: tuple[Disk, ...]
    workload: Workload
    budget: Budget = field(default_factory=Budget)
    version: ZfsVersion = DEFAULT_VERSION
    ashift: int | None = None
    host: Host = field(default_factory=Host)
    goal_told: bool = True
    drives: DriveBook = field(default_factory=partial(read_drive_book, {}))

    def __post_init__(self) -> None:
        """Take the RAM that the budget tells for that of the host."""
        object.__setattr__(self, "host", planned_host(self.host, self.budget))


JudgeMaker = Callable[[Request, Sequence[Disk], int], LayoutJudge]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Medium:
    """The disks of one medium, its largest kind first, and what is asked of them: one value of all layouts of them.

    ``equal`` tells that one kind is looked at by itself: nobody needs to say of which disks a vdev is made, but for
    ``of_kind``, which says it where disks of other sizes or of another medium could bear the same layout.
    """

    request: Request
    kinds: tuple[DiskKind, ...]
    ashift: int
    equal: bool = False
    of_kind: str = ""

    def device_bytes(self, kind: int) -> int:
        """Return what OpenZFS gets of a whole disk of this kind."""
        own = self.kinds[kind]
        sector = max(disk.logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES for disk in own.disks)
        return device_bytes(own.least_bytes, MemberKind.DISK, sector, self.request.version)

    def disks(self, kinds: frozenset[int]) -> tuple[Disk, ...]:
        return tuple(disk for group in sorted(kinds) for disk in self.kinds[group].disks)


# Judges tell vdevs and their places apart by identity, which is cheaper than to compare sizes and disks.
@per_language  # told remarks of its disks are in the key
@lru_cache(maxsize=1 << 10)
def spare_specs(medium: Medium, spares: DiskCounts) -> Layout:
    sizes = [(medium.kinds[group].least_bytes,) * count for group, count in spares]
    return tuple([VdevSpec(kind=VdevKind.STRIPE, sizes=own, vdev_class=VdevClass.SPARE) for own in sizes])


@per_language
@lru_cache(maxsize=1 << 10)
def site(medium: Medium, kinds: frozenset[int], partitioned: bool = False, shares_disk: bool = False) -> VdevPosition:
    """Return of which disks a vdev is made; ``shares_disk``: one of them has a part in another vdev of the pool too."""
    details = VdevDetails(partitioned=partitioned, shares_disk=shares_disk)
    return VdevPosition(profile=DiskProfile.summary_of(medium.disks(kinds)), details=details)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all layouts of one request have in common: number of the disks, ashift, floors, the judges.

    ``most_disks`` and ``raw_bytes`` are those of the medium that has most bytes: no layout could hold more. Layouts on
    any of the ``rivals``, media that could hold half as much, are held against what the ``fastest`` of them could give;
    others against their own disks: a few flash drives beside many hard disks are no pool for all of the data.
    """

    request: Request
    floors: Floors
    ashift: int
    disks: int
    most_disks: int
    raw_bytes: int
    make_judge: JudgeMaker
    rivals: frozenset[Media | None] = frozenset()
    fastest: Outlook | None = None
