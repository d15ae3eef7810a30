"""Why a test came out as it did, the likeliest reason first, and what to try next."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from statistics import median

import numpy as np
from numpy.typing import NDArray

from poolwright.bench.judging.verdicts import Factor, Judgement, Limiting, advice_on
from poolwright.bench.record import BenchTarget, BenchTest, known_sum
from poolwright.domain.measurement import Direction, Observer, Recorded, TimeCurve, What
from poolwright.domain.units import binary
from poolwright.predict.assumptions import PoolLoad
from poolwright.predict.measured_runs import Metric
from poolwright.predict.number_words import share_text
from poolwright.texts import _

# The documents' and the guides' word on a full pool (thesis 5.7), and where free space is mostly small holes.
FULL_PERCENT, FRAGMENTED_PERCENT = 80, 50
_WRITES = frozenset((Metric.SEQ_WRITE, Metric.RAND_WRITE, Metric.SYNC_WRITE))
_DEAR_COMPRESSION = ("gzip",)
Advice = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestContext:
    test: BenchTest
    place: BenchTarget
    load: PoolLoad
    limiting: Limiting | None
    memory: float | None


def advise(judgement: Judgement, known: TestContext) -> tuple[tuple[str, ...], tuple[str, ...]]:
    find = {Judgement.SLOWER: _slower, Judgement.TOO_FAST: _too_fast}.get(judgement)
    found = [] if find is None else list(find(known))
    whys, todos = ([pair[at] for pair in found if pair[at]] for at in (0, 1))
    return tuple(dict.fromkeys(whys)), tuple(dict.fromkeys(todos))


def _slower(known: TestContext) -> Iterator[Advice]:
    factor = None if known.limiting is None else known.limiting.factor
    if factor is Factor.ONE_DISK:
        yield advice_on(factor)
    yield from _of_records(known)
    if factor not in (None, Factor.ONE_DISK, Factor.DISKS):
        yield advice_on(factor)
    yield from _of_pool(known)
    if factor is Factor.DISKS:
        yield advice_on(factor)
    if factor is None:
        yield advice_on("not-seen")


def _of_records(known: TestContext) -> Iterator[Advice]:
    asked, record = known.load.asked_bytes, known.load.record_bytes
    if known.test.metric in (Metric.RAND_WRITE, Metric.RAND_READ) and asked < record:
        setting = f"recordsize={binary(asked).replace(' KiB', 'K')}"
        yield advice_on("small-blocks", asked=binary(asked), record=binary(record), setting=setting)


def _of_pool(known: TestContext) -> Iterator[Advice]:
    place = known.place
    health, fill, fragmentation = place.pool_health, place.fill_percent, place.fragmentation_percent
    compression, dedup = place.property("compression") or "", place.property("dedup") or "off"
    if health not in (None, "ONLINE"):
        yield advice_on("not-online", health=health)
    if compression.startswith(_DEAR_COMPRESSION) and known.test.metric in _WRITES:
        yield advice_on("compression", compression=compression, setting="compression=lz4")
    if dedup != "off":
        yield advice_on("dedup", setting="dedup=off")
    if (fill or 0) >= FULL_PERCENT:
        yield advice_on("full", fill=fill, most=FULL_PERCENT)
    if (fragmentation or 0) >= FRAGMENTED_PERCENT:
        yield advice_on("fragmented", share=fragmentation)


def _too_fast(known: TestContext) -> Iterator[Advice]:
    if known.test.metric is Metric.SYNC_WRITE:
        yield advice_on("confirmed-early")
        yield advice_on("flash")
    elif known.test.metric in _WRITES:
        yield advice_on("in-memory")
    else:
        (why, todo), share = advice_on(Factor.ARC), known.memory
        yield why if share is None else _("{share} of it came from the ARC.", share=share_text(share)), todo
        size, arc = known.test.file_bytes * known.test.files, known.place.arc_most_bytes or 0
        if 0 < size < 2 * arc:
            words = {"size": binary(size), "arc": binary(arc)}
            yield _("The files ({size}) are smaller than twice the ARC ({arc}).", **words), ""


# Curves of a repeat, found by what they tell, and put on one grid of time.

Numbers = NDArray[np.float64]
# A transaction group is written every five seconds (zfs_txg_timeout): shorter pieces of a curve tell its rhythm.
GROUP_MS = 5000


def curves(
    recorded: Iterable[Recorded],
    source: Observer,
    what: What,
    direction: Direction | None = None,
    detail: str | None = None,
) -> tuple[TimeCurve, ...]:
    return tuple(
        curve
        for one in recorded
        for curve in one.curves
        if curve.source is source
        and curve.what is what
        and (direction is None or curve.direction is direction)
        and (detail is None or curve.detail == detail)
    )


def mean_of(curve: TimeCurve) -> float | None:
    values = curve.values[np.isfinite(curve.values)]
    return float(values.mean()) if values.size else None


def first_mean(found: Iterable[TimeCurve]) -> float | None:
    return next((value for curve in found if (value := mean_of(curve)) is not None), None)


def blocks(curve: TimeCurve, *, block_ms: int = GROUP_MS) -> Numbers:
    """Return the means over blocks of time, NaN where nothing is known; the last cut one is left."""
    keep = np.isfinite(curve.values)
    at, values = curve.ms[keep], curve.values[keep]
    count = int(at[-1] + 1) // block_ms if at.size else 0
    if count == 0:
        return np.empty(0)
    number = (at // block_ms).astype(np.int64)
    inside = number < count
    sums = np.bincount(number[inside], weights=values[inside], minlength=count)
    counted = np.bincount(number[inside], minlength=count)
    with np.errstate(invalid="ignore"):
        return np.where(counted > 0, sums / np.maximum(counted, 1), np.nan)


def pool_rate(recorded: Iterable[Recorded], pool: str | None, direction: Direction) -> float | None:
    """Return the bytes/s that a pool moved, as the first tool tells that knows; None where none does.

    Tools beside each other tell the same bytes, so they never add up.
    """
    for one in recorded:
        found = curves((one,), Observer.POOL, What.RATE, direction, "")
        total = total_mean(tuple(curve for curve in found if curve.name == pool) or found)
        if total is not None:
            return total
    return None


def by_name(found: Iterable[TimeCurve]) -> dict[str, list[TimeCurve]]:
    named: dict[str, list[TimeCurve]] = {}
    for curve in found:
        named.setdefault(curve.name, []).append(curve)
    return named


def total_mean(found: Iterable[TimeCurve]) -> float | None:
    return known_sum(map(mean_of, found))


# The disk that answers more slowly than its siblings under the same load.

# How many times the siblings' wait it takes, at how many of the moments, and how far outside of their own differences.
LEAST_RATIO, LEAST_MOMENTS, LEAST_SCORE = 1.5, 0.6, 4.0
# How many standard errors of its own median the difference has to be.
LEAST_ERRORS = 5.0
# A disk that stalls now and then (SMR, retries) waits several times as long on an average, in a fifth of the moments.
STALL_RATIO, STALL_MOMENTS = 3.0, 0.2
_LONGER = 1.25
# Healthy disks of one model differ by a tenth (logarithm): fewer siblings show less than there is.
_USUAL_SPREAD = 0.10
_MAD = 1.4826  # makes the median deviation of a normal distribution its standard deviation
_MOST_LOAD = 1.5  # times that of its siblings: more work would explain the wait
_LEAST_SEEN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskActivity:
    """A disk while a test ran: its waits, ns at each moment (NaN: none seen), and what it was given, a second.

    ``vdev`` names its siblings; disks of one vdev have the same. ``load`` are operations, ``rate`` bytes, ``busy`` is
    the share of the time that it worked.
    """

    name: str
    vdev: str
    waits: Numbers
    load: float | None = None
    rate: float | None = None
    busy: float | None = None
    serial: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowDisk:
    """The slow one: its wait and that of its siblings at the same moments, ns; medians, or means if it ``stalls``."""

    disk: DiskActivity
    wait_ns: float
    siblings_ns: float
    stalls: bool = False

    @property
    def ratio(self) -> float:
        return self.wait_ns / self.siblings_ns


@dataclass(frozen=True, slots=True)
class _Beside:
    """A disk beside its siblings: its waits and their median at the moments that both know, ns, and how these differ.

    ``usual`` is the middle of the differences of the logarithms, that of a disk that is slow all the time. ``average``
    is the logarithm of how many times as long it waits in all, and not the mean of the moments' ratios: where siblings
    had hardly anything to do, one moment would be all of it.
    """

    disk: DiskActivity
    near: Sequence[DiskActivity]
    own: Numbers
    siblings: Numbers
    differences: Numbers
    usual: float
    average: float


def find_slow_disks(disks: Sequence[DiskActivity]) -> tuple[SlowDisk, ...]:
    """Return the disks that stand out among their siblings, the slowest first.

    A disk is held against the median of its siblings at each moment, so load that comes and goes does not matter.
    """
    count = min((one.waits.size for one in disks), default=0)
    if len(disks) < 2 or count < _LEAST_SEEN:
        return ()
    with np.errstate(invalid="ignore"):
        waits = np.array([np.where(one.waits[:count] > 0, one.waits[:count], np.nan) for one in disks])
    seen = [found for number in range(len(disks)) if (found := _beside(disks, waits, number)) is not None]
    held = (_slow_disk(one, [other for other in seen if other is not one]) for one in seen)
    return tuple(sorted((slow for slow in held if slow is not None), key=lambda slow: -slow.ratio))


def _beside(disks: Sequence[DiskActivity], waits: Numbers, number: int) -> _Beside | None:
    """Return a disk beside the others of its vdev, beside all others where it has but one there, as in a mirror."""
    others = [n for n in range(len(disks)) if n != number]
    near = [n for n in others if disks[n].vdev == disks[number].vdev]
    near = near if len(near) > 1 else others
    known = np.isfinite(waits[number]) & (np.isfinite(waits[near]).sum(axis=0) * 2 >= len(near))
    if known.sum() < _LEAST_SEEN:
        return None
    own, siblings = waits[number, known], _middle_of_known(waits[near][:, known])
    differences: Numbers = np.log(own) - np.log(siblings)
    usual, average = median(differences.tolist()), log(float(own.mean()) / float(siblings.mean()))
    return _Beside(disks[number], [disks[n] for n in near], own, siblings, differences, usual, average)


def _middle_of_known(values: Numbers) -> Numbers:
    """Return the median of each column without its NaN, which sort last; each column has a value.

    It is a tenth of the work of numpy's own for so few rows.
    """
    known = np.isfinite(values).sum(axis=0)
    rows, columns = np.sort(values, axis=0), np.arange(values.shape[1])
    found: Numbers = (rows[(known - 1) // 2, columns] + rows[known // 2, columns]) / 2
    return found


def _slow_disk(one: _Beside, others: Sequence[_Beside]) -> SlowDisk | None:
    usual, average = [other.usual for other in others], [other.average for other in others]
    longer = float((one.differences > np.log(_LONGER)).mean())
    least = max(log(LEAST_RATIO), LEAST_ERRORS * _error(one))
    is_slow = one.usual >= least and longer >= LEAST_MOMENTS and _score(one.usual, usual) >= LEAST_SCORE
    beyond = one.average - max(0.0, median(average) if average else 0.0)
    stalls = beyond >= log(STALL_RATIO) and longer >= STALL_MOMENTS and _score(one.average, average) >= LEAST_SCORE
    if not (is_slow or stalls) or _has_more_to_do(one.disk, one.near):
        return None
    middle = np.median if is_slow else np.mean
    wait, near = float(middle(one.own)), float(middle(one.siblings))
    found = SlowDisk(disk=one.disk, wait_ns=wait, siblings_ns=near, stalls=not is_slow)
    return found if found.ratio > 1 else None  # what is longer at most moments is shorter in the middle


def _score(value: float, rest: Sequence[float]) -> float:
    middle = median(rest) if rest else 0.0
    spread = _MAD * median(abs(other - middle) for other in rest) if rest else 0.0
    return (value - middle) / max(spread, _USUAL_SPREAD)


def _error(one: _Beside) -> float:
    """Return the standard error of a median, from the median deviation (normal distribution: 1.25 that of the mean)."""
    deviation: float = median(np.abs(one.differences - one.usual).tolist())
    return 1.25 * _MAD * deviation / float(np.sqrt(one.differences.size))


def _has_more_to_do(own: DiskActivity, near: Sequence[DiskActivity]) -> bool:
    """Tell whether a disk did more operations, or larger ones: those alone make them wait.

    Not where it works longer for each of both: of records of one size a raidz reads some disks more than others.
    """

    def is_beyond(of: Callable[[DiskActivity], float | None]) -> bool:
        mine, rest = of(own), [value for one in near if (value := of(one)) is not None]
        return mine is not None and bool(rest) and mine > _MOST_LOAD * median(rest)

    if all(is_beyond(of) for of in (lambda one: _each(one.busy, one.load), lambda one: _each(one.busy, one.rate))):
        return False
    return is_beyond(lambda one: one.load) or is_beyond(lambda one: one.rate)


def _each(busy: float | None, work: float | None) -> float | None:
    return None if busy is None or not work else busy / work
