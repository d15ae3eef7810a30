"""What the risk of a pool depends on beside its layout. Every assumption has a name here and can be changed."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import groupby
from math import exp, factorial, fsum, inf
from operator import attrgetter

from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Media, slowest
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.outage import top_vdevs
from poolwright.domain.units import PLAN_FILL_PERCENT, out_of_range
from poolwright.domain.vdev import ALLOCATION_CLASSES, HOLDS_THE_POOL, Layout, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.predict.drives import NO_TABLE, DriveBook, FailureRate, OtherCauses, measured_rates
from poolwright.predict.groups import band_of
from poolwright.predict.rebuild import DEFAULT_ASHIFT, SORTED_SINCE, RebuildConditions
from poolwright.texts import _, numeral

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
        rebuild, replaced, errors = self.rebuild_hours, self.replace_hours, self.read_errors_per_bit
        if rebuild is not None and not 0 < rebuild < inf:
            raise out_of_range(numeral(rebuild, "g", "h"), of="rebuild_hours")
        for hours in (0 if replaced is None else replaced, self.spare_hours):
            if not 0 <= hours < inf:
                raise out_of_range(numeral(hours, "g", "h"), 0, of="replace_hours")
        if self.spares is not None and self.spares < 0:
            raise out_of_range(self.spares, 0, of="spares")
        if not 1 <= self.correlation < inf:
            raise out_of_range(numeral(self.correlation, "g"), 1, of="correlation")
        if errors is not None and not 0 <= errors < 1:
            raise out_of_range(numeral(errors, "g"), 0, 1, of="read_errors_per_bit")

    def by_vdev(self, layout: Layout) -> Iterator[tuple[VdevSpec, "RiskConditions"]]:
        # A stripe whose members are unlike comes in parts.
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
            for members, alike in groupby([next(own) for __ in range(tops)]):
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
        return replace(
            self,
            rebuild=replace(self.rebuild, load_percent=load_percent),
            of_data=tuple(
                [replace(own, rebuild=replace(own.rebuild, load_percent=load_percent)) for own in self.of_data]
            ),
        )

    def rebuild_of(self, spec: VdevSpec) -> RebuildConditions:
        return self.rebuild if spec.vdev_class is VdevClass.DATA else self.support_rebuild

    def errors_per_bit(self, spec: VdevSpec, *, low: bool = False) -> float:
        """Return the probability that a bit of this vdev's disks cannot be read; ``low`` is the end of the band."""
        if self.read_errors_per_bit is not None:
            return self.read_errors_per_bit
        return READ_ERRORS_PER_BIT[self.rebuild_of(spec).media] * (SEEN_SHARE_OF_ERRORS if low else 1)

    @property
    def wait_hours(self) -> float:
        if self.replace_hours is not None:
            return self.replace_hours
        return 0.0 if self.rebuild_hours is not None else DEFAULT_REPLACE_HOURS


# From disks and designs to what risk and cost depend on: rates by model, media, recording, prices.


_FAILING_OF = attrgetter("model", "afr_percent")


def mean_rate(disks: Sequence[Disk], book: DriveBook) -> FailureRate:
    # Thousands of disks are of a few models.
    counts = Counter(map(_FAILING_OF, disks))
    return mean_of([(book.rate(*kind), count) for kind, count in counts.items()] or [(book.fleet, 1)])


def mean_of(rates: Sequence[tuple[FailureRate, int]]) -> FailureRate:
    models = dict.fromkeys([rate for rate, __ in rates])
    if len(models) == 1:
        return rates[0][0]
    count = sum([number for __, number in rates])
    origins = "; ".join(str(rate.origin) for rate in models)
    return FailureRate(
        low=sum([rate.low * number for rate, number in rates]) / count,
        typical=sum([rate.typical * number for rate, number in rates]) / count,
        high=sum([rate.high * number for rate, number in rates]) / count,
        origin=Origin(
            kind=OriginKind.COMPUTED, source=_("mean of {count} disks: {origins}", count=count, origins=origins)
        ),
    )


def rebuild_conditions(
    disks: Sequence[Disk],
    *,
    fill_percent: float = PLAN_FILL_PERCENT,
    ashift: int = DEFAULT_ASHIFT,
    version: ZfsVersion = DEFAULT_VERSION,
) -> RebuildConditions:
    # Unknown media count as hard disks, unknown recording as conventional.
    media = slowest({disk.media for disk in disks}) or Media.HDD
    smr = True if any(disk.smr for disk in disks) else None
    read, write = measured_rates(disks)
    return RebuildConditions(
        media=media,
        smr=smr,
        read_bytes_per_second=read,
        write_bytes_per_second=write,
        fill_percent=fill_percent,
        ashift=ashift,
        sorted_scan=version >= SORTED_SINCE,
    )


def design_conditions(design: Design, book: DriveBook, *, fill_percent: float = PLAN_FILL_PERCENT) -> RiskConditions:
    # Vdevs of unlike disks each have those of their own members.
    data, support = _tops(design, (VdevClass.DATA,)), _tops(design, ALLOCATION_CLASSES)
    rebuild = partial(rebuild_conditions, fill_percent=fill_percent, ashift=design.ashift, version=design.version)
    everything, beside = [d for own in data for d in own], [d for own in support for d in own]
    return RiskConditions(
        drive=mean_rate(everything, book),
        support_drive=mean_rate(beside, book) if beside else None,
        rebuild=rebuild(everything),
        support_rebuild=rebuild(beside) if beside else RebuildConditions(media=Media.SSD),
        causes=book.causes,
        of_data=member_conditions(data, book, rebuild),
        of_support=member_conditions(support, book, rebuild),
    )


def member_conditions(
    tops: Iterable[Sequence[Disk]], book: DriveBook, rebuild: Callable[[Sequence[Disk]], RebuildConditions]
) -> tuple[MemberConditions, ...]:
    """Return the conditions of top-level vdevs of these disks, in order; none where all of them are alike."""
    # Thousands of vdevs are of a few kinds of disks.
    known: dict[tuple[object, ...], MemberConditions] = {}
    found = []
    for disks in tops:
        kinds = tuple(map(sort_of, disks))
        key = kinds if len(set(kinds)) > 1 else kinds[:1]
        if key not in known:
            known[key] = MemberConditions(drive=mean_rate(disks, book), rebuild=rebuild(disks))
        found.append(known[key])
    return tuple(found) if len(set(known.values())) > 1 else ()


# What disks have in common that fail and are rebuilt in the same way.
sort_of: Callable[[Disk], tuple[object, ...]] = attrgetter(
    "model", "afr_percent", "media", "smr", "read_bytes_per_second", "write_bytes_per_second"
)


def _tops(design: Design, classes: Iterable[VdevClass]) -> list[list[Disk]]:
    vdevs = (vdev for vdev in design.vdevs if vdev.vdev_class in classes)
    return [[*map(design.disk, keys)] for vdev in vdevs for keys in top_vdevs(vdev)]


# How a vdev gets a failed member back, and how long that takes.

# The number of disks that share hot spares is told by sixteens, beyond so many disks by this number itself: thousands
# of layouts then meet the same vdev again, and the risk errs by a ten-thousandth.
_MOST_IN_STEPS, _STEP = 64, 16


def shared_by(disks: int) -> int:
    step = _STEP if disks <= _MOST_IN_STEPS else _MOST_IN_STEPS
    return -(-disks // step) * step


@dataclass(frozen=True, slots=True, kw_only=True)
class Repairs:
    """How a vdev gets a failed member back.

    ``rebuild`` are the hours of a rebuild, onto a distributed spare where the vdev has one, ``onto_disk`` those onto a
    whole disk; None where there is nothing to rebuild from. ``distributed`` spares serve this vdev of ``width``
    members, ``hot`` spares all ``served_disks`` of the pool. A spare is free again when the failed disk has been
    replaced.
    """

    onto_disk: Estimate | None
    rebuild: Estimate | None
    spare_wait_hours: float
    wait_hours: float
    distributed: int
    width: int
    hot: int
    served_disks: int

    def taken(self, failed: int, rate: float) -> tuple[float, float]:
        """Return the probabilities that no distributed and no hot spare is free for the failure number ``failed``.

        ``rate`` is the failures of one disk per hour; the disks that wait for replacement are taken as Poisson.
        """
        if not self.distributed and not self.hot:
            return 1.0, 1.0
        distributed = _poisson_tail(self.width * rate * self.wait_hours, self.distributed - (failed - 1))
        before = max(0, failed - 1 - self.distributed)
        return distributed, _poisson_tail(self.served_disks * rate * self.wait_hours, self.hot - before)

    def hours(self, failed: int, rate: float, case: int) -> float:
        """Return the mean hours until one of ``failed`` members is whole again; ``case`` is low, typical or high."""
        assert self.onto_disk is not None
        assert self.rebuild is not None
        distributed, hot = self.taken(failed, rate)
        disk, spare = band_of(self.onto_disk)[case], band_of(self.rebuild)[case]
        # A hot spare begins at once; without a free one somebody has to come with a disk first.
        onto_disk = (1 - hot) * (self.spare_wait_hours + disk) + hot * (self.wait_hours + disk)
        return (1 - distributed) * (self.spare_wait_hours + spare) + distributed * onto_disk


@lru_cache(maxsize=1 << 11)
def _poisson_tail(mean: float, least: int) -> float:
    if least <= 0:
        return 1.0
    if mean <= 0:
        return 0.0
    return max(0.0, 1 - exp(-mean) * fsum([mean**k / factorial(k) for k in range(min(least, 150))]))
