"""The verdict on a run: each test held against what was expected of it before it ran."""

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, replace
from math import erfc, sqrt
from statistics import median

import numpy as np

from poolwright.bench.hardware import hardware_of
from poolwright.bench.judging import side_by_side, verdicts
from poolwright.bench.judging.expected import clients_of, load_of_test
from poolwright.bench.judging.limiting import Numbers, cleared_disks, curves, limiting_factor, named_disk
from poolwright.bench.judging.verdicts import Expectation, Factor, Judgement, Limiting, Spread, TestVerdict, advice_on
from poolwright.bench.profiles.access import LEAST_TXGS, txg_seconds
from poolwright.bench.record import BenchTarget, BenchTest, Ended, Engine, Repeat, RunRecord, TargetDisk, TestRun
from poolwright.domain.measurement import Direction, Observer, TimeCurve, What
from poolwright.domain.rates import rate_text
from poolwright.domain.units import GB, binary
from poolwright.predict.assumptions import DEFAULT_LOAD
from poolwright.predict.measured_runs import Metric
from poolwright.predict.number_words import share_text
from poolwright.texts import N_, _, listed

# Synchronous writes confirmed sooner than the disks can keep them: what tells of a cache that confirms early.

# The fastest platters turn 15,000 times a minute: a write on one place is kept once a turn at most.
MOST_TURNS = 250.0
_VIRTUAL = re.compile(r"qemu|virtual|vbox|vmware|\bmsft\b", re.IGNORECASE)
_NO_FLUSH = ("zfs_nocacheflush", "zil_nocacheflush")
_OF_DISKS: tuple[tuple[str, Callable[[TargetDisk], object]], ...] = (
    (N_("Disks of a virtual machine: the host's cache mode decides what is kept ({disks})."),
     lambda disk: _VIRTUAL.search(disk.model or "")),
    (N_("The kernel asks for no flush (write through): {disks}."), lambda disk: disk.flushed is False),
    (N_("Flushes (write back) are confirmed at once: {disks}."), lambda disk: disk.flushed),
)  # fmt: skip


def _evidence(place: BenchTarget, per_second: float, writers: int | None, memory: float | None) -> Iterator[str]:
    for name, value in place.parameters:
        if name in _NO_FLUSH and value == "1":
            yield _("{name}=1: ZFS never asks a disk to empty its cache.", name=name)
    logs = hardware_of(place).logs
    disks = tuple(disk for disk in place.disks if disk.name in logs) or place.disks  # where writes are kept
    if memory is not None and memory > side_by_side.SMALL_SHARE:
        yield _("The disks took {share} less than was confirmed meanwhile.", share=share_text(memory))
    each = per_second / max(1, writers or 1)
    if disks and all(disk.rotational for disk in disks) and each > MOST_TURNS:
        yield verdicts.why_of("platters", each=each, turns=MOST_TURNS)
    for words, is_so in _OF_DISKS:
        if named := [disk.kernel_name or disk.name for disk in disks if is_so(disk)]:
            yield _(words, disks=listed(named))


# Disks that were read alone, before they become a pool: each held against those of its size.

# Healthy disks of one model differ by a tenth; a port at half the speed, a weak head or a stall shows more.
LEAST_SHARE = 0.75
_LEAST_SIBLINGS = 2
Zones = dict[str, float]


def sibling_verdicts(record: RunRecord) -> dict[str, TestVerdict]:
    """Return the verdict on each disk that was read alone, by the name of its test; nothing of other tests.

    A disk is slow where a zone of it gives less than three quarters of the median of its siblings' same zone. Disks of
    another size are no siblings; with fewer than two of them nothing is said.
    """
    read = [run for run in record.tests if run.test.engine is Engine.SIBLINGS]
    alone = [run for run in read if len({dict(job.options).get("filename") for job in run.test.jobs}) == 1]
    rates = {run.test.name: _rates(run) for run in alone}
    found = {}
    for run in alone:
        others = [rates[one.test.name] for one in alone if one is not run and _size(one) == _size(run)]
        if len(others) >= _LEAST_SIBLINGS and rates[run.test.name]:
            found[run.test.name] = _siblings_verdict(run, tuple(_slow(rates[run.test.name], others)))
    return found


def _size(run: TestRun) -> int:
    """Return the size of the disk to a GB, from that of a zone, which is a share of it."""
    return round(int(dict(run.test.jobs[0].options).get("size", "0")) / GB)


def _rates(run: TestRun) -> Zones:
    found = [(one.name.rpartition("-")[2], one.rate) for repeat in run.whole for one in repeat.measured if one.rate]
    return {zone: median(rate for of, rate in found if of == zone) for zone, __ in found}


def _slow(own: Zones, others: list[Zones]) -> Iterator[str]:
    for zone, rate in own.items():
        usual = median([other[zone] for other in others if zone in other] or [0.0])
        if rate < LEAST_SHARE * usual:
            yield verdicts.why_of("zone", zone=_(zone), own=rate_text(rate), others=rate_text(usual))


def _siblings_verdict(run: TestRun, evidence: tuple[str, ...]) -> TestVerdict:
    passed = TestVerdict(test=run.test.name, judgement=Judgement.PASSED, measured=verdicts.spread_of(run))
    if not evidence:
        return passed
    __, *serial, __ = run.test.jobs[0].name.split("-")  # the number of the disk, its serial number where known, a zone
    disk = Limiting(
        factor=Factor.ONE_DISK, evidence=evidence, disk=run.test.title, serial=serial[0] if serial else None
    )
    return replace(
        passed,
        judgement=Judgement.SLOWER,
        limiting=disk,
        reasons=(_("It reads slower than disks of its size beside it."), *evidence),
        next_steps=(_("Look at it with smartctl -x; try another port; replace it if it stays slow."),),
    )


# Whether a rate drifted while it was measured: a test of our own over transaction groups of all repeats at once.

# Of each repeat, and of all together.
_FEWEST, LEAST_BLOCKS = 4, 8
_MOST_BLOCKS = 24
# A transaction group is written every five seconds (zfs_txg_timeout): shorter pieces of a curve tell its rhythm.
_GROUP_MS = 5000
# A change that small tells nothing about the pool; a rarer chance than this is none.
LEAST_CHANGE, RARE = 0.10, 0.003


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """By how much a rate changed from the first to the last block, as a share of its mean, negative where it fell.

    ``chance`` is how likely a steady rate looks like that: two-sided Mann-Kendall test (Mann 1945, Kendall 1975) of the
    block means; the change is Sen's slope (1968) over the length of the run, which no single stall moves.
    """

    change: float
    chance: float

    @property
    def steady(self) -> bool:
        return abs(self.change) < LEAST_CHANGE or self.chance > RARE


def drift(*repeats: Numbers) -> Drift | None:
    known = [means[np.isfinite(means)] for means in repeats]
    known = [means for means in known if means.size >= _FEWEST and means.any()]
    if sum(means.size for means in known) < LEAST_BLOCKS:
        return None
    scores, variances, slopes = zip(*(_one(means) for means in known), strict=True)
    shifted, variance = abs(sum(scores)) - 1, sum(variances)
    chance = erfc(shifted / sqrt(2 * variance)) if variance > 0 and shifted > 0 else 1.0
    return Drift(change=float(np.median(np.concatenate(slopes))), chance=chance)


def _one(means: Numbers) -> tuple[int, float, Numbers]:
    """Return Kendall's score with its variance, and the slopes of all pairs over the run, as shares of the mean."""
    count = means.size
    first, second = np.triu_indices(count, 1)
    rises = means[second] - means[first]
    __, ties = np.unique(means, return_counts=True)
    variance = (count * (count - 1) * (2 * count + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    return int(np.sign(rises).sum()), variance, rises / (second - first) * (count - 1) / means.mean()


def drift_of(run: TestRun) -> Drift | None:
    direction = verdicts.direction_of(run.test)
    return drift(*(means for repeat in run.whole if (means := _means(repeat, direction)) is not None))


def _means(repeat: Repeat, direction: Direction | None) -> Numbers | None:
    """Return the block means of all jobs together: jobs run side by side and each has a curve."""
    seen = () if repeat.application is None else (repeat.application,)
    found = curves(seen, Observer.APPLICATION, What.RATE, direction)
    found = found or curves(seen, Observer.APPLICATION, What.IOPS, direction)
    if not found:
        return None
    last = max((float(curve.ms[-1]) for curve in found if curve.ms.size), default=0.0)
    size = max(1, round(last / _GROUP_MS / _MOST_BLOCKS)) * _GROUP_MS
    each = [_blocks(curve, size) for curve in found]
    count = min(len(one) for one in each)
    return np.sum([one[:count] for one in each], axis=0) if count else None


def _blocks(curve: TimeCurve, block_ms: int) -> Numbers:
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


# The first of these that a test of the run has is the verdict on the run.
_WORST = (Judgement.SLOWER, Judgement.TOO_FAST, Judgement.CANNOT_TELL, Judgement.PASSED)
_UNKNOWN = Expectation(test="")
Advice = tuple[str, str]
_NEARLY = 0.95  # fio's clock of a job is a little short of what was asked


def judge(record: RunRecord, expectation: Mapping[str, Expectation]) -> verdicts.RunVerdict:
    floor = side_by_side.noise_floor(record.idle, record.place.pool)
    siblings = sibling_verdicts(record)
    measured = [side_by_side.while_measured(run) for run in record.tests]

    def judged(run: TestRun, cleared: Container[str] = ()) -> TestVerdict:
        band, beside = expectation.get(run.test.name, _UNKNOWN), siblings.get(run.test.name)
        return _judge_test(run, record, band, floor, beside, cleared=cleared)

    first = [judged(run) for run in measured]
    cleared = frozenset() if siblings else cleared_disks(first)
    tests = tuple(
        judged(run, cleared) if named_disk(test) in cleared else test for run, test in zip(measured, first, strict=True)
    )
    # A test that no prediction answers says nothing against the others, nor does one that a stop left without a value.
    asked = [test for test in tests if test.metric is not None or test.test in siblings]
    whole = record.ended is Ended.WHOLE
    counted = [test for test in asked if whole or test.measured is not None] or asked or list(tests)
    judgement = next(
        (kind for kind in _WORST if any(test.judgement is kind for test in counted)), Judgement.CANNOT_TELL
    )
    if siblings and judgement is Judgement.PASSED:
        sentence = _("No disk reads slower than disks of its size beside it.")
    else:
        sentence = verdicts.run_sentence(record, judgement, counted)
    return verdicts.RunVerdict(judgement=judgement, sentence=sentence, tests=tests)


def _judge_test(
    run: TestRun,
    record: RunRecord,
    expectation: Expectation,
    floor: side_by_side.NoiseFloor,
    beside_siblings: TestVerdict | None,
    *,
    cleared: Container[str] = (),
) -> TestVerdict:
    place, marks = record.place, side_by_side.disturbances(run, record.place, floor)
    if beside_siblings is not None and not marks:
        return beside_siblings
    measured, memory, drift = verdicts.spread_of(run), side_by_side.memory_share(run, place), drift_of(run)
    limiting = limiting_factor(run, place, memory=memory, expectation=expectation, cleared=cleared)
    untold = TestVerdict(
        test=run.test.name, judgement=Judgement.CANNOT_TELL, metric=run.test.metric, measured=measured,
        expected=expectation.estimate, limiting=limiting, narrows=False,
    )  # fmt: skip
    if measured is None:
        return _because(untold, _nothing_measured(run))
    if marks:
        why, todo = marks[0], _("Stop what disturbs it, then run it again.")
        if expectation.estimate is None:  # a quieter run would not be judged either
            why, todo = _unforetold(expectation), expectation.todo
        return replace(_because(untold, (why, todo)), marks=marks)
    doubt = _doubt(expectation, measured, drift) or _too_short(run, place)
    if doubt is not None:
        return _because(untold, doubt)
    judgement = _judge_value(measured.median, run, expectation, memory)
    is_wide = measured.spread > verdicts.WIDE_SPREAD or (drift is not None and not drift.steady)
    if is_wide and any(
        _judge_value(edge, run, expectation, memory) is not judgement for edge in _edges(measured, drift)
    ):
        return _because(untold, _too_wide(measured, drift))
    narrows = judgement is not Judgement.TOO_FAST and _is_the_pools(run, memory, drift)
    if judgement is Judgement.CANNOT_TELL:
        # A band too wide to be missed is narrowed by just such a run.
        return replace(_because(untold, _why_unknown(expectation)), narrows=narrows)
    if judgement is Judgement.TOO_FAST and run.test.metric is Metric.SYNC_WRITE:
        # Disks that are busy all the same do not limit what something else confirms.
        evidence = tuple(_evidence(place, measured.median, clients_of(run.test), memory))
        limiting = Limiting(factor=Factor.WRITE_CACHE, evidence=evidence or (_("Which cache this was is unknown."),))
    likely = [*_likely(judgement, run.test, place, limiting, memory)]
    if measured.spread > verdicts.WIDE_SPREAD:
        likely.append(("", _more_repeats(measured)))
    if drift is None and run.test.seconds is not None:
        likely.append(("", _("Too short to tell whether the rate drifts: run it longer.")))
    return replace(_because(untold, *likely), judgement=judgement, limiting=limiting, narrows=narrows)


def _because(untold: TestVerdict, *whys_and_todos: Advice) -> TestVerdict:
    whys, todos = (tuple(dict.fromkeys(pair[at] for pair in whys_and_todos if pair[at])) for at in (0, 1))
    return replace(untold, reasons=whys, next_steps=todos)


def _is_the_pools(run: TestRun, memory: float | None, drift: Drift | None) -> bool:
    """Tell whether a value is that of the pool: no memory took part, and it did not drift."""
    if drift is not None and not drift.steady:
        return False
    if memory is None:
        return verdicts.direction_of(run.test) is not Direction.READ
    return memory <= side_by_side.SMALL_SHARE


def _judge_value(value: float, run: TestRun, expectation: Expectation, memory: float | None) -> Judgement:
    """Return how a value compares, were it the only one; what memory serves is never a pass.

    Memory can only make a pool look faster, so one that is slower is slower whatever the ARC had.
    """
    estimate = expectation.estimate
    assert estimate is not None
    if expectation.ceiling is not None and value > expectation.ceiling:
        return Judgement.TOO_FAST
    if value < estimate.low:
        return Judgement.SLOWER
    if memory is not None and memory > side_by_side.SMALL_SHARE:
        return Judgement.TOO_FAST
    if estimate.told_as_band or (memory is None and verdicts.direction_of(run.test) is Direction.READ):
        return Judgement.CANNOT_TELL
    return Judgement.PASSED


def _unforetold(expectation: Expectation) -> str:
    return expectation.why or _("Nothing was foretold of this test.")


def _doubt(expectation: Expectation, measured: Spread, drift: Drift | None) -> tuple[str, str] | None:
    estimate = expectation.estimate
    if estimate is None:
        return _unforetold(expectation), expectation.todo
    if len(measured.values) < 2:
        return advice_on("once", count=3)
    low, high = verdicts.median_within(measured)
    if (high - low) / measured.median > verdicts.MOST_SPREAD:
        return _too_wide(measured, drift)
    return None


def _too_short(run: TestRun, place: BenchTarget) -> tuple[str, str] | None:
    """Return why writes tell nothing that ran over fewer groups of transactions than even out, with what to do."""
    gathered = place.dataset is not None and not run.test.sync and verdicts.direction_of(run.test) is Direction.WRITE
    if run.test.seconds is None or not gathered:
        return None
    least, lasted = LEAST_TXGS * txg_seconds(place), verdicts.shortest_seconds(run)
    if lasted is None or lasted >= _NEARLY * least:
        return None
    todo = _("Let each repeat write for at least {seconds:.0f} s, and allow the bytes for it.", seconds=least)
    return verdicts.why_of("short-writes", seconds=lasted, count=LEAST_TXGS), todo


def _edges(measured: Spread, drift: Drift | None) -> tuple[float, float]:
    """Return the least and the most that the runs, and a drift within them, allow for."""
    half = 0.0 if drift is None or drift.steady else min(1.0, abs(drift.change) / 2)
    low, high = verdicts.median_within(measured)
    return low * (1 - half), high * (1 + half)


def _too_wide(measured: Spread, drift: Drift | None) -> tuple[str, str]:
    if drift is not None and not drift.steady:
        return advice_on("drift", change=share_text(drift.change, signed=True))
    return _("The repeats differ by {spread}.", spread=share_text(measured.spread)), _more_repeats(measured)


def _more_repeats(measured: Spread) -> str:
    if len(measured.values) >= verdicts.MANY_REPEATS:
        return _("Run each repeat longer, on idle disks.")
    return _("Run it {count} times.", count=verdicts.MANY_REPEATS)


def _why_unknown(expectation: Expectation) -> tuple[str, str]:
    estimate = expectation.estimate
    if estimate is not None and estimate.told_as_band:
        return advice_on("wide-band", factor=estimate.high / estimate.low)
    return advice_on("share-unknown")


def _nothing_measured(run: TestRun) -> tuple[str, str]:
    if why := next((repeat.why for repeat in run.repeats if repeat.why), ""):
        budget = any(repeat.ended is Ended.BUDGET for repeat in run.repeats)
        return advice_on("used-up" if budget else "broken-off", why=why)
    return advice_on("no-result" if run.whole else "nothing")


# Why a test came out as it did, the likeliest reason first, and what to try next.

# The documents' and the guides' word on a full pool (thesis 5.7), and where free space is mostly small holes.
FULL_PERCENT, FRAGMENTED_PERCENT = 80, 50
_WRITES = frozenset((Metric.SEQ_WRITE, Metric.RAND_WRITE, Metric.SYNC_WRITE))
_DEAR_COMPRESSION = "gzip"


def _likely(
    judgement: Judgement, test: BenchTest, place: BenchTarget, limiting: Limiting | None, memory: float | None
) -> Iterator[Advice]:
    if judgement is Judgement.TOO_FAST:
        if test.metric is Metric.SYNC_WRITE:
            yield advice_on("confirmed-early")
            yield advice_on("flash")
        elif test.metric in _WRITES:
            yield advice_on("in-memory")
        else:
            why, todo = advice_on(Factor.ARC)
            yield why if memory is None else _("{share} of it came from the ARC.", share=share_text(memory)), todo
            size, arc = test.file_bytes * test.files, place.arc_most_bytes or 0
            if 0 < size < 2 * arc:
                words = {"size": binary(size), "arc": binary(arc)}
                yield _("The files ({size}) are smaller than twice the ARC ({arc}).", **words), ""
    if judgement is not Judgement.SLOWER:
        return
    factor = None if limiting is None else limiting.factor
    if factor is Factor.ONE_DISK:
        yield advice_on(factor)
    load = load_of_test(test, DEFAULT_LOAD, place)
    asked, record = load.asked_bytes, load.record_bytes
    if test.metric in (Metric.RAND_WRITE, Metric.RAND_READ) and asked < record:
        setting = f"recordsize={binary(asked).replace(' KiB', 'K')}"
        yield advice_on("small-blocks", asked=binary(asked), record=binary(record), setting=setting)
    if factor not in (None, Factor.ONE_DISK, Factor.DISKS):
        yield advice_on(factor)
    yield from _of_pool(test, place)
    if factor in (None, Factor.DISKS):
        yield advice_on(factor or "not-seen")


def _of_pool(test: BenchTest, place: BenchTarget) -> Iterator[Advice]:
    health, fill, fragmentation = place.pool_health, place.fill_percent, place.fragmentation_percent
    compression, dedup = place.property("compression") or "", place.property("dedup") or "off"
    if health not in (None, "ONLINE"):
        yield advice_on("not-online", health=health)
    if compression.startswith(_DEAR_COMPRESSION) and test.metric in _WRITES:
        yield advice_on("compression", compression=compression, setting="compression=lz4")
    if dedup != "off":
        yield advice_on("dedup", setting="dedup=off")
    if (fill or 0) >= FULL_PERCENT:
        yield advice_on("full", fill=fill, most=FULL_PERCENT)
    if (fragmentation or 0) >= FRAGMENTED_PERCENT:
        yield advice_on("fragmented", share=fragmentation)
