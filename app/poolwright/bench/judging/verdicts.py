"""Verdicts as values, and the repeats of a test as one: median, least, most and spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb
from statistics import median

from poolwright.bench.record import BenchTest, Ended, Engine, Repeat, TestRun
from poolwright.domain.estimate import Estimate
from poolwright.domain.measurement import Direction, Measurement
from poolwright.machine.fio.log import begins_ms
from poolwright.predict.runs import Metric


class Judgement(StrEnum):
    PASSED = "pass"
    SLOWER = "slower"
    TOO_FAST = "faster than the disks can be"
    CANNOT_TELL = "cannot tell"


class Factor(StrEnum):
    """What kept a test from being faster."""

    CPU = "cpu"
    ONE_CORE = "one core"
    DISKS = "all disks"
    ONE_DISK = "one slow disk"
    LOG = "log device"
    LINK = "hba or network"
    ARC = "arc"
    NETWORK = "network"
    WRITE_CACHE = "write cache"  # confirms what it has not kept
    JOB = "the job itself"  # too few operations under way to fill anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Limiting:
    """The limiting factor with its evidence in words; ``disk`` and ``serial`` name the slow one."""

    factor: Factor
    evidence: tuple[str, ...]
    disk: str | None = None
    serial: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The repeats of one value: median with least, most and relative spread (most - least over the median)."""

    values: tuple[float, ...]
    median: float
    least: float
    most: float
    spread: float

    @property
    def known(self) -> float | None:
        """Return the relative spread where there are several repeats; that of one is not known."""
        return self.spread if len(self.values) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Foretold:
    """What one test is expected to give, in the unit of its metric.

    ``estimate`` is None where nothing can be foretold, ``why`` then says so, and ``todo`` what would help. ``ceiling``
    is what all its disks together could not exceed, None where unknown. ``hba`` is what lies between host and disks,
    bytes/s.
    """

    test: str
    estimate: Estimate | None = None
    ceiling: float | None = None
    hba: float | None = None
    why: str = ""
    todo: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestVerdict:
    """The verdict on one test. ``expected`` is the band drawn before the run, None where there is no prediction.

    ``reasons`` are likely causes, the likeliest first; ``next_steps`` what to try. ``marks`` tell what disturbed.
    ``narrows`` tells whether the value is the pool's own, so that predictions may be adapted to it; None: it was not
    looked at, and what was judged counts.
    """

    __test__ = False  # pytest looks for tests by this beginning

    test: str
    judgement: Judgement
    metric: Metric | None = None
    measured: Spread | None = None
    expected: Estimate | None = None
    limiting: Limiting | None = None
    reasons: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    narrows: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVerdict:
    """The verdict on a run: the worst of its tests in one sentence, and each test."""

    judgement: Judgement
    sentence: str
    tests: tuple[TestVerdict, ...]


# The repeats of a test as one value, and which number of a repeat counts.

# Repeats that differ by more want ten of them (thesis 4: three, ten where they spread), by more tell nothing.
WIDE_SPREAD, MOST_SPREAD = 0.10, 0.50
MANY_REPEATS = 10
_UNSURE = 0.05  # how often the median of all runs may lie outside of what the repeats allow for
# As the reader of bonnie++ calls it.
BLOCKS_WRITTEN = "block write"  # for machines
_READS = frozenset((Metric.SEQ_READ, Metric.RAND_READ))
RATES = frozenset((Metric.SEQ_READ, Metric.SEQ_WRITE))


def direction_of(test: BenchTest) -> Direction | None:
    """Return which way the bytes go that count; None where a test has no metric."""
    if test.metric is None:
        return None
    return Direction.READ if test.metric in _READS else Direction.WRITE


def value_of(test: BenchTest, repeat: Repeat) -> float | None:
    """Return what a repeat measured: bytes/s of a sequential metric, operations/s of another.

    Without a metric it is the rate of the direction that moved most. Jobs at once are summed, those that begin later
    over the time of all; jobs one after the other (the zones of a disk) have a mean; of what bonnie++ does one after
    the other the writing of blocks counts. None where it was not measured.
    """
    found = () if repeat.application is None else repeat.application.measured
    if test.engine is Engine.BONNIE:
        found = tuple(one for one in found if one.name == BLOCKS_WRITTEN)
    direction = direction_of(test) or _busier(found)
    begins = begins_ms(found)
    known = [
        (number, begins[one.name] / 1000, one.seconds or 0.0)
        for one in found
        if one.direction is direction and not one.error
        if (number := one.iops if test.metric is not None and test.metric not in RATES else one.rate) is not None
    ]
    whole_value = sum(number for number, *_ in known)
    if known and _one_after_the_other(test):
        whole_value /= len(known)
    elif len({begin for _, begin, _ in known}) > 1:  # the sum of what was never moved at one time is no rate
        span = max(begin + seconds for _, begin, seconds in known) - min(begin for _, begin, _ in known)
        whole_value = sum(number * seconds for number, _, seconds in known) / span
    return whole_value if whole_value > 0 else None


def _one_after_the_other(test: BenchTest) -> bool:
    return len(test.jobs) > 1 and all("stonewall" in dict(job.options) for job in test.jobs[1:])


def rate_of_repeat(repeat: Repeat, direction: Direction) -> float | None:
    """Return the bytes/s that the application saw in one direction; None where unknown."""
    found = () if repeat.application is None else repeat.application.measured
    known = [one.rate for one in found if one.direction is direction and one.rate is not None]
    return sum(known) if known else None


def whole(run: TestRun) -> tuple[Repeat, ...]:
    return tuple(repeat for repeat in run.repeats if repeat.ended is Ended.WHOLE)


def shortest(run: TestRun) -> float | None:
    """Return for how long the shortest of the whole repeats measured, s; None where nothing tells it."""
    lasted = [
        max((one.seconds for one in repeat.application.measured if one.seconds is not None), default=None)
        for repeat in whole(run)
        if repeat.application is not None
    ]
    known = [seconds for seconds in lasted if seconds is not None]
    return min(known, default=None)


def spread_of(run: TestRun) -> Spread | None:
    """Return the whole repeats of a test as one value; None where none measured anything."""
    values = [value_of(run.test, repeat) for repeat in whole(run)]
    return spread([value for value in values if value is not None])


def spread(values: Sequence[float]) -> Spread | None:
    """Return median, least, most, and (most - least) / median of positive values; None without any."""
    if not values:
        return None
    middle = median(values)
    least, most = min(values), max(values)
    return Spread(values=tuple(values), median=middle, least=least, most=most, spread=(most - least) / middle)


def median_within(measured: Spread) -> tuple[float, float]:
    """Return between which values the median of any number of runs lies, 95 % sure, by the order of the repeats.

    So the 2nd and the 9th of ten; of eight and fewer the least and the most, though those of five and fewer are less
    sure. The more repeats, the further the least and the most lie apart; what they allow for must not.
    """
    values, count = sorted(measured.values), len(measured.values)
    left_out, outside = 0, 2 / 2**count
    while (outside := outside + 2 * comb(count, left_out + 1) / 2**count) <= _UNSURE:
        left_out += 1
    return values[left_out], values[count - 1 - left_out]


def _busier(found: Sequence[Measurement]) -> Direction | None:
    moved: dict[Direction, float] = {}
    for one in found:
        moved[one.direction] = moved.get(one.direction, 0.0) + (one.rate or 0.0)
    return max(moved, key=lambda direction: moved[direction]) if moved else None
