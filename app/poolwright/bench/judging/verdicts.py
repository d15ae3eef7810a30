"""Verdicts as values and in words, and the repeats of a test as one value: median, least, most and spread."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb
from statistics import median

from poolwright.bench.record import BenchTest, Ended, Engine, Repeat, RunRecord, TestRun
from poolwright.domain.estimate import Estimate
from poolwright.domain.measurement import Direction, Measurement
from poolwright.domain.rates import rate_text
from poolwright.machine.fio.log import begins_ms
from poolwright.predict.measured_runs import Metric
from poolwright.predict.number_words import band_text, operations_text
from poolwright.shipped import shipped
from poolwright.texts import N_, _, inside, listed, ngettext


class Judgement(StrEnum):
    PASSED = "pass"
    SLOWER = "slower"
    TOO_FAST = "faster than the disks can be"
    CANNOT_TELL = "cannot tell"


class Factor(StrEnum):
    CPU = "cpu"
    ONE_CORE = "one core"
    DISKS = "all disks"
    ONE_DISK = "one slow disk"
    LOG = "log device"
    LINK = "hba or network"
    ARC = "arc"
    NETWORK = "network"
    WRITE_CACHE = "write cache"  # acknowledges writes that it has not made permanent yet
    JOB = "the job itself"  # too few operations in flight to saturate anything


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
        return self.spread if len(self.values) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What one test is expected to give, in the unit of its metric.

    ``estimate`` is None where nothing can be predicted; ``why`` then says why, ``todo`` what would help. ``ceiling`` is
    what all the disks together cannot exceed, None where unknown; ``hba`` the limit of the links between host and
    disks, bytes/s.
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
    ``narrows`` tells whether the pool itself set the value, so that predictions may be fitted to it; None: nobody
    checked, and the judgement decides.
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

# A spread above the first asks for ten repeats instead of three (thesis 4); above the second it tells nothing.
WIDE_SPREAD, MOST_SPREAD = 0.10, 0.50
MANY_REPEATS = 10
_UNSURE = 0.05  # how often the true median may lie outside of the interval of `median_within`
# What the reader of bonnie++ output calls this phase.
BLOCKS_WRITTEN = "block write"  # for machines
_READS = frozenset((Metric.SEQ_READ, Metric.RAND_READ))
RATES = frozenset((Metric.SEQ_READ, Metric.SEQ_WRITE))


def direction_of(test: BenchTest) -> Direction | None:
    if test.metric is None:
        return None
    return Direction.READ if test.metric in _READS else Direction.WRITE


def value_of(test: BenchTest, repeat: Repeat) -> float | None:
    """Return what a repeat measured: bytes/s of a sequential metric, operations/s of another.

    Without a metric it is the rate of the direction that moved most. Jobs that run at once are summed; where some
    begin later, all that was moved is divided by the time of all. Of jobs that run one after the other (the zones of
    a disk) it is the mean; of the phases of bonnie++, block writes. None where it was not measured.
    """
    found = repeat.measured
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
    whole_value = sum(number for number, *__ in known)
    if known and len(test.jobs) > 1 and all("stonewall" in dict(job.options) for job in test.jobs[1:]):
        whole_value /= len(known)
    elif len({begin for __, begin, __ in known}) > 1:  # rates of different times must not be summed
        span = max(begin + seconds for __, begin, seconds in known) - min(begin for __, begin, __ in known)
        whole_value = sum(number * seconds for number, __, seconds in known) / span
    return whole_value if whole_value > 0 else None


def shortest_seconds(run: TestRun) -> float | None:
    known = ([one.seconds for one in repeat.measured if one.seconds is not None] for repeat in run.whole)
    return min((max(seconds) for seconds in known if seconds), default=None)


def spread_of(run: TestRun) -> Spread | None:
    values = [value_of(run.test, repeat) for repeat in run.whole]
    return spread([value for value in values if value is not None])


def spread(values: Sequence[float]) -> Spread | None:
    if not values:
        return None
    middle = median(values)
    least, most = min(values), max(values)
    return Spread(values=tuple(values), median=middle, least=least, most=most, spread=(most - least) / middle)


def median_within(measured: Spread) -> tuple[float, float]:
    """Return a 95 % confidence interval of the median, from the ranks of the repeats.

    Of ten repeats it reaches from the 2nd to the 9th; of eight and fewer from the least to the most, which for five and
    fewer is less than 95 % sure. Least and most themselves would lie further apart the more repeats there are.
    """
    values, count = sorted(measured.values), len(measured.values)
    left_out, outside = 0, 2 / 2**count
    while (outside := outside + 2 * comb(count, left_out + 1) / 2**count) <= _UNSURE:
        left_out += 1
    return values[left_out], values[count - 1 - left_out]


def _busier(found: Sequence[Measurement]) -> Direction | None:
    ways = dict.fromkeys(one.direction for one in found)
    return max(ways, key=lambda way: sum(one.rate or 0.0 for one in found if one.direction is way), default=None)


# A verdict in words: of a run in one sentence, of a value with its unit.

JUDGEMENTS = {Judgement(entry["kind"]): entry["title"] for entry in shipped("verdicts")["judgement"]}
FACTORS: dict[str, dict[str, str]] = {entry["kind"]: entry for entry in shipped("verdicts")["factor"]}
_CAUSES = FACTORS | {entry["kind"]: entry for entry in shipped("verdicts")["cause"]}
_MORE = N_("more than expected")
_MOST_UNTOLD = 4  # named of which nothing can be told
_PROVES = 3.0  # a band that spans no more says something of a value within it
_MISSED = (Judgement.SLOWER, Judgement.TOO_FAST)
_ENDED = {Ended(entry["kind"]): entry["title"] for entry in shipped("verdicts")["ended"]}


def advice_on(cause: str, **values: object) -> tuple[str, str]:
    """Return in words what a factor or another cause does, and what to do about it."""
    return why_of(cause, **values), _(_CAUSES[cause]["todo"], **values)


def why_of(cause: str, **values: object) -> str:
    return _(_CAUSES[cause]["why"], **values)


def judgement_words(verdict: TestVerdict) -> str:
    if verdict.judgement is Judgement.CANNOT_TELL and verdict.measured is None:
        return _("not measured")
    return _(_MORE if is_more(verdict) else JUDGEMENTS[verdict.judgement])


def is_more(verdict: TestVerdict) -> bool:
    """Tell whether a test passed with more than the whole expected band, as disks well can."""
    if verdict.judgement is not Judgement.PASSED or verdict.measured is None or verdict.expected is None:
        return False
    return verdict.measured.median > verdict.expected.high


def value_words(metric: Metric | None, value: float) -> str:
    return rate_text(value) if metric is None or metric in RATES else f"{operations_text(value)} IOPS"


def expected_words(verdict: TestVerdict) -> str:
    if verdict.expected is None:
        return ""
    metric = verdict.metric
    return band_text(verdict.expected, lambda value: value_words(metric, value))


def factor_words(verdict: TestVerdict) -> str:
    limiting = verdict.limiting
    if limiting is None:
        return _("none found") if verdict.measured is not None else ""
    name = _(FACTORS[limiting.factor]["title"])
    if limiting.disk is None:
        return name
    if limiting.serial is None:
        return _("{name}: {value}", name=name, value=limiting.disk)
    return _("{factor}: {disk}, serial {serial}", factor=name, disk=limiting.disk, serial=limiting.serial)


def run_sentence(record: RunRecord, judgement: Judgement, tests: Sequence[TestVerdict]) -> str:
    if not tests:
        return " ".join(filter(None, (_("Nothing was measured."), record.why)))
    titles = {run.test.name: run.test.title for run in record.tests}
    missed = [kind for kind in _MISSED if any(test.judgement is kind for test in tests)]  # all of them are named
    sentence = " ".join(_sentence(kind, titles, tests) for kind in missed or [judgement])
    more = sum(map(is_more, tests))
    if more and judgement is Judgement.PASSED:
        also = ngettext("In one it gives more than was expected.", "In {count} it gives more than was expected.", more)
        sentence = f"{sentence} {also}"
    bands = [test.expected for test in tests if test.expected is not None and test.judgement is Judgement.PASSED]
    widest = max((band.high / band.low for band in bands), default=1.0)
    if judgement is Judgement.PASSED and widest > _PROVES:
        also = _("A band as wide as a factor of {factor:.0f} rules out gross faults only.", factor=widest)
        sentence = f"{sentence} {also}"
    if record.ended is Ended.WHOLE:
        return sentence
    stopped = record.ended is Ended.CANCELLED and not any(test.measured for test in tests)  # nothing to judge
    return ended_words(record) if stopped else f"{sentence} {ended_words(record)}"


def ended_words(record: RunRecord) -> str:
    return _(_ENDED[record.ended])


def _sentence(judgement: Judgement, titles: Mapping[str, str], tests: Sequence[TestVerdict]) -> str:
    of_it = [test for test in tests if test.judgement is judgement]
    first, count, more = of_it[0], len(tests), len(of_it) - _MOST_UNTOLD
    named = [titles[test.test] for test in of_it]
    if judgement is Judgement.CANNOT_TELL and more > 0:
        named[_MOST_UNTOLD:] = [ngettext("one more test", "{count} more tests", more)]
    if judgement is Judgement.PASSED:
        return ngettext(
            "The pool gives what was expected of it.",
            "The pool gives what was expected of it in all {count} tests.",
            count,
        )
    if judgement is Judgement.TOO_FAST:
        return _("Faster than the disks can be: {tests}. A cache was measured, not the pool.", tests=listed(named))
    if judgement is Judgement.CANNOT_TELL:
        why = " ".join(dict.fromkeys((*first.reasons[:1], *first.marks[:1])))
        if len(of_it) == count:
            return _("No verdict: {why}", why=inside(why))
        return _("Cannot be judged: {tests}. {why}", tests=listed(named), why=why).rstrip()
    factor = factor_words(first) if first.limiting is not None else ""
    if factor:
        factor = " " + _("What limits it is {factor}.", factor=factor)
    return _("Slower than expected: {tests}.", tests=listed(named)) + factor


# What is expected of tests before they run, in sentences.


def foretold_lines(tests: Sequence[BenchTest], expectation: Mapping[str, Expectation]) -> Iterator[str]:
    """Yield what each test should give; a reason why nothing is expected is said once for all tests that share it."""
    nothing = Counter(expectation[test.name].why for test in tests if expectation[test.name].estimate is None)
    known: set[str] = set()
    for test in tests:
        found = expectation[test.name]
        if (band := found.estimate) is not None:
            low, high = (value_words(test.metric, value) for value in (band.low, band.high))
            yield _("{title}: {low} to {high} expected", title=test.title, low=low, high=high)
        elif nothing[found.why] == 1:
            yield _("{title}: nothing is expected. {why}", title=test.title, why=found.why)
        elif found.why not in known:
            known.add(found.why)
            yield _("{count} tests have no expected value. {why}", count=nothing[found.why], why=found.why)
