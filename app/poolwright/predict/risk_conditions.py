"""What the risk of a pool depends on beside its layout. Every assumption has a name here and can be changed."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import inf

from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.vdev import HOLDS_THE_POOL, Layout, VdevClass, VdevKind, VdevSpec
from poolwright.predict.causes import NO_TABLE, OtherCauses
from poolwright.predict.drives import FailureRate
from poolwright.predict.rebuild import RebuildConditions
from poolwright.texts import tell

# Hours until a failed disk is replaced by hand, and until a hot spare takes over. Assumptions; both can be given.
DEFAULT_REPLACE_HOURS = 24.0
DEFAULT_SPARE_HOURS = 0.1
# Two disks of one system failed within an hour four times, within ten hours twice as often as independent ones would
# (Schroeder and Gibson 2007, Disk failures in the real world, section 5.3): the high end of the band, and one batch.
BATCH_CORRELATION = 2.0
# Data sheets: one unreadable sector in 1e15 bits for nearline hard disks, 1e17 for flash.
READ_ERRORS_PER_BIT = {Media.HDD: 1e-15, Media.SSD: 1e-17, Media.NVME: 1e-17}
# Gray and van Ingen 2005 (Empirical measurements of disk failure rates and error rates) moved 2 PB and met 5 read
# errors where the data sheets allow 160: the low end of the band.
SEEN_SHARE_OF_ERRORS = 1 / 30
# Where there is no redundancy, every read error costs a block; a monthly scrub reads everything (thesis, chapter 2.1).
FULL_READS_PER_YEAR = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberConditions:
    """How the members of one top-level vdev fail and are rebuilt."""

    drive: FailureRate
    rebuild: RebuildConditions


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskConditions:
    """Everything the risk depends on beside the layout.

    ``drive`` and ``rebuild`` hold for data vdevs, ``support_drive`` and ``support_rebuild`` for special and dedup.
    Where the disks of the vdevs are unlike, ``of_data`` and ``of_support`` hold in their place: one for each top-level
    vdev in the order of the layout, a member of a stripe being one.
    ``rebuild_hours`` replaces the predicted time from the failure to full redundancy; the wait for a disk is then
    part of it, unless ``replace_hours`` is given too. ``spares`` replaces the number of hot spares in the layout.
    ``correlation`` multiplies the failure rate of a vdev's members while one of them has failed.
    ``read_errors_per_bit`` None is the default of the media. ``causes`` are those beside failing disks.
    """

    drive: FailureRate
    support_drive: FailureRate | None = None
    rebuild: RebuildConditions = field(default_factory=RebuildConditions)
    support_rebuild: RebuildConditions = field(default_factory=lambda: RebuildConditions(media=Media.SSD))
    rebuild_hours: float | None = None
    replace_hours: float | None = None
    spare_hours: float = DEFAULT_SPARE_HOURS
    spares: int | None = None
    correlation: float = 1.0
    read_errors_per_bit: float | None = None
    causes: OtherCauses = NO_TABLE
    of_data: tuple[MemberConditions, ...] = ()
    of_support: tuple[MemberConditions, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be; raises UserError."""
        if self.rebuild_hours is not None and not 0 < self.rebuild_hours < inf:
            raise UserError(
                tell("A rebuild of {rebuild_hours:g} hours is not possible", rebuild_hours=self.rebuild_hours),
                todo=tell("Give more than 0."),
            )
        if (self.replace_hours is not None and not 0 <= self.replace_hours < inf) or self.spare_hours < 0:
            raise UserError(tell("A replacement cannot take less than no time"), todo=tell("Give 0 hours or more."))
        if self.spares is not None and self.spares < 0:
            raise UserError(tell("{spares} spares are not possible", spares=self.spares))
        if not 1 <= self.correlation < inf:
            raise UserError(
                tell("A correlation of {correlation:g} is not possible", correlation=self.correlation),
                todo=tell("1 is independent; give more."),
            )
        if self.read_errors_per_bit is not None and not 0 <= self.read_errors_per_bit < 1:
            raise UserError(
                tell("Read errors per bit lie between 0 and 1"), todo=tell("Data sheets say 1e-14 to 1e-17.")
            )

    def by_vdev(self, layout: Layout) -> Iterator[tuple[VdevSpec, "RiskConditions"]]:
        """Yield the vdevs of ``layout``, each with what holds for its own members.

        A stripe whose members are unlike comes in parts.
        """
        if not (self.of_data or self.of_support):
            yield from ((spec, self) for spec in layout)
            return
        data, support = iter(self.of_data), iter(self.of_support)
        known: dict[MemberConditions, RiskConditions] = {}
        for spec in layout:
            own = data if spec.vdev_class is VdevClass.DATA else support
            if spec.vdev_class not in HOLDS_THE_POOL or not (self.of_data if own is data else self.of_support):
                yield spec, self
                continue
            at = 0
            tops = spec.width if spec.kind is VdevKind.STRIPE else 1
            for members, alike in groupby([next(own) for _ in range(tops)]):
                count = len(tuple(alike))
                part = spec if count == tops else replace(spec, sizes=spec.sizes[at : at + count])
                at += count
                if members not in known:
                    known[members] = self.alone(members)
                yield part, known[members]

    def alone(self, members: MemberConditions) -> "RiskConditions":
        return replace(
            self,
            drive=members.drive,
            support_drive=members.drive,
            rebuild=members.rebuild,
            support_rebuild=members.rebuild,
            of_data=(),
            of_support=(),
        )

    def busy(self, load_percent: float) -> "RiskConditions":
        """Return the conditions of data disks of which users or other slices take so much of the time."""
        return replace(
            self,
            rebuild=replace(self.rebuild, load_percent=load_percent),
            of_data=tuple(
                [replace(own, rebuild=replace(own.rebuild, load_percent=load_percent)) for own in self.of_data]
            ),
        )

    def rebuild_of(self, spec: VdevSpec) -> RebuildConditions:
        """Return the conditions under which this vdev is rebuilt; where vdevs are unlike, ask those of `by_vdev`."""
        return self.rebuild if spec.vdev_class is VdevClass.DATA else self.support_rebuild

    def drive_of(self, spec: VdevSpec) -> FailureRate:
        """Return the failure rate of this vdev's members; where vdevs are unlike, ask the conditions of `by_vdev`."""
        return self.drive if spec.vdev_class is VdevClass.DATA else self.support_drive or self.drive

    def errors_per_bit(self, spec: VdevSpec, *, low: bool = False) -> float:
        """Return the probability that a bit of this vdev's disks cannot be read; ``low`` is the end of the band."""
        if self.read_errors_per_bit is not None:
            return self.read_errors_per_bit
        return READ_ERRORS_PER_BIT[self.rebuild_of(spec).media] * (SEEN_SHARE_OF_ERRORS if low else 1)

    @property
    def wait_hours(self) -> float:
        """Return the hours until a failed disk is replaced where no spare is free."""
        if self.replace_hours is not None:
            return self.replace_hours
        return 0.0 if self.rebuild_hours is not None else DEFAULT_REPLACE_HOURS

    @property
    def spare_wait_hours(self) -> float:
        """Return the hours until a spare takes over; never more than the wait for a replacement."""
        return min(self.spare_hours, self.wait_hours)
