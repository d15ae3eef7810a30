"""The verdict on a run: each test held against what was expected of it before it ran."""

from collections.abc import Container, Mapping
from dataclasses import replace

from poolwright.bench.judging.disturbed import disturbances
from poolwright.bench.judging.early import confirmed_early
from poolwright.bench.judging.expected import Foretold, clients_of, load_of_test
from poolwright.bench.judging.limiting import cleared_disks, limiting_factor, named_disk
from poolwright.bench.judging.measured_time import while_measured
from poolwright.bench.judging.noise import NoiseFloor, noise_floor
from poolwright.bench.judging.reasons import Circumstance, advise
from poolwright.bench.judging.served import SMALL_SHARE, memory_share
from poolwright.bench.judging.siblings import sibling_verdicts
from poolwright.bench.judging.spread import (
    MANY_REPEATS,
    MOST_SPREAD,
    WIDE_SPREAD,
    direction_of,
    median_within,
    shortest,
    spread_of,
    whole,
)
from poolwright.bench.judging.steady import Drift, drift_of
from poolwright.bench.judging.verdict_words import run_sentence
from poolwright.bench.judging.verdicts import Judgement, Limiting, RunVerdict, Spread, TestVerdict
from poolwright.bench.profiles.knowledge import LEAST_TXGS, txg_seconds
from poolwright.bench.record import Ended, RunRecord, TestRun
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.measurement import Direction
from poolwright.predict.circumstances import DEFAULT_LOAD
from poolwright.predict.number_words import share_text
from poolwright.predict.runs import Metric
from poolwright.texts import tell

# The first of these that a test of the run has is the verdict on the run.
_WORST = (Judgement.SLOWER, Judgement.TOO_FAST, Judgement.CANNOT_TELL, Judgement.PASSED)
_UNKNOWN = Foretold(test="")
_NEARLY = 0.95  # fio's clock of a job is a little short of what was asked


def judge(record: RunRecord, foretold: Mapping[str, Foretold]) -> RunVerdict:
    """Return the verdict on a run; ``foretold`` is what `expected` said of its tests, by their names."""
    floor = noise_floor(record.idle, record.place.pool)
    siblings = sibling_verdicts(record)
    measured = [while_measured(run) for run in record.tests]

    def judged(run: TestRun, cleared: Container[str] = ()) -> TestVerdict:
        told, beside = foretold.get(run.test.name, _UNKNOWN), siblings.get(run.test.name)
        return _judged(run, record, told, floor, beside, cleared=cleared)

    first = [judged(run) for run in measured]
    cleared = frozenset() if siblings else cleared_disks(first)
    tests = tuple(
        judged(run, cleared) if named_disk(test) in cleared else test for run, test in zip(measured, first, strict=True)
    )
    # A test that no prediction answers says nothing against the others.
    counted = [test for test in tests if test.metric is not None or test.test in siblings] or list(tests)
    judgement = next(
        (kind for kind in _WORST if any(test.judgement is kind for test in counted)), Judgement.CANNOT_TELL
    )
    if siblings and judgement is Judgement.PASSED:
        sentence = tell("No disk reads slower than disks of its size beside it.")
    else:
        sentence = run_sentence(record, judgement, counted)
    return RunVerdict(judgement=judgement, sentence=sentence, tests=tests)


def _judged(
    run: TestRun,
    record: RunRecord,
    foretold: Foretold,
    floor: NoiseFloor,
    beside_siblings: TestVerdict | None,
    *,
    cleared: Container[str] = (),
) -> TestVerdict:
    place = record.place
    if beside_siblings is not None and not disturbances(run, place, floor):
        return beside_siblings
    measured = spread_of(run)
    memory = memory_share(run, place)
    limiting = limiting_factor(run, place, memory=memory, foretold=foretold, cleared=cleared)
    if measured is None:
        return _cannot_tell(run, foretold, None, limiting, *_nothing_measured(run))
    marks = disturbances(run, place, floor)
    if marks:
        again = tell("Stop what disturbs it, or wait for its end, and run it again.")
        return _cannot_tell(run, foretold, measured, limiting, marks[0], again, marks)
    drift = drift_of(run)
    doubt = _doubt(foretold, measured, drift) or _too_short(run, place)
    if doubt is not None:
        return _cannot_tell(run, foretold, measured, limiting, *doubt)
    judgement = _compared(measured.median, run, foretold, memory)
    least, most = _edges(measured, drift)
    if any(_compared(edge, run, foretold, memory) is not judgement for edge in (least, most)) and _is_wide(
        measured, drift
    ):
        why, todo = _too_wide(measured, drift)
        return _cannot_tell(run, foretold, measured, limiting, why, todo)
    narrows = judgement is not Judgement.TOO_FAST and _is_the_pools(run, memory, drift)
    if judgement is Judgement.CANNOT_TELL:
        # A band too wide to be missed is narrowed by just such a run.
        return replace(_cannot_tell(run, foretold, measured, limiting, *_untold(foretold)), narrows=narrows)
    if judgement is Judgement.TOO_FAST and run.test.metric is Metric.SYNC_WRITE:
        # Disks that are busy all the same do not limit what something else confirms.
        limiting = confirmed_early(place, measured.median, clients_of(run.test), memory)
    load = load_of_test(run.test, DEFAULT_LOAD, place)
    known = Circumstance(test=run.test, place=place, load=load, limiting=limiting, memory=memory)
    reasons, steps = advise(judgement, known)
    if measured.spread > WIDE_SPREAD:
        steps = (*steps, _more_repeats(measured))
    steps = (*steps, *filter(None, (_unsteady_words(run, drift),)))
    return replace(_verdict(run, judgement, foretold, measured, limiting, reasons, steps), narrows=narrows)


def _is_the_pools(run: TestRun, memory: float | None, drift: Drift | None) -> bool:
    """Tell whether a value is that of the pool: no memory took part, and it did not drift."""
    if drift is not None and not drift.steady:
        return False
    if memory is None:
        return direction_of(run.test) is not Direction.READ
    return memory <= SMALL_SHARE


def _verdict(
    run: TestRun,
    judgement: Judgement,
    foretold: Foretold,
    measured: Spread | None,
    limiting: Limiting | None,
    reasons: tuple[str, ...],
    steps: tuple[str, ...],
    marks: tuple[str, ...] = (),
) -> TestVerdict:
    return TestVerdict(
        test=run.test.name,
        judgement=judgement,
        metric=run.test.metric,
        measured=measured,
        expected=foretold.estimate,
        limiting=limiting,
        reasons=reasons,
        next_steps=steps,
        marks=marks,
    )


def _cannot_tell(
    run: TestRun,
    foretold: Foretold,
    measured: Spread | None,
    limiting: Limiting | None,
    why: str,
    todo: str,
    marks: tuple[str, ...] = (),
) -> TestVerdict:
    steps = (todo,) if todo else ()
    verdict = _verdict(run, Judgement.CANNOT_TELL, foretold, measured, limiting, (why,), steps, marks)
    return replace(verdict, narrows=False)


def _compared(value: float, run: TestRun, foretold: Foretold, memory: float | None) -> Judgement:
    """Return how a value compares, were it the only one; what memory serves is never a pass.

    Memory can only make a pool look faster, so one that is slower is slower whatever the ARC had.
    """
    estimate = foretold.estimate
    assert estimate is not None
    if foretold.ceiling is not None and value > foretold.ceiling:
        return Judgement.TOO_FAST
    if value < estimate.low:
        return Judgement.SLOWER
    if memory is not None and memory > SMALL_SHARE:
        return Judgement.TOO_FAST
    if estimate.cannot_tell or (memory is None and direction_of(run.test) is Direction.READ):
        return Judgement.CANNOT_TELL
    return Judgement.PASSED


def _doubt(foretold: Foretold, measured: Spread, drift: Drift | None) -> tuple[str, str] | None:
    """Return why nothing can be told at all, with what to do; None where it can."""
    estimate = foretold.estimate
    if estimate is None:
        return foretold.why or tell("Nothing was foretold of this test."), foretold.todo
    if len(measured.values) < 2:
        return (
            tell("It was measured once, so nobody knows how far another run would differ."),
            tell("Run it three times."),
        )
    low, high = median_within(measured)
    if (high - low) / measured.median > MOST_SPREAD:
        return _too_wide(measured, drift)
    return None


def _too_short(run: TestRun, place: BenchPlace) -> tuple[str, str] | None:
    """Return why writes tell nothing that ran over fewer groups of transactions than even out, with what to do."""
    if run.test.sync or run.test.seconds is None or direction_of(run.test) is not Direction.WRITE:
        return None
    least, lasted = LEAST_TXGS * txg_seconds(place), shortest(run)
    if lasted is None or lasted >= _NEARLY * least:
        return None
    return (
        tell(
            "It wrote for {seconds:.1f} s, less than {count} groups of transactions: memory took a good part.",
            seconds=lasted,
            count=LEAST_TXGS,
        ),
        tell("Let a repeat write for {seconds:.0f} s at least, and allow as many bytes as that takes.", seconds=least),
    )


def _is_wide(measured: Spread, drift: Drift | None) -> bool:
    return measured.spread > WIDE_SPREAD or (drift is not None and not drift.steady)


def _edges(measured: Spread, drift: Drift | None) -> tuple[float, float]:
    """Return the least and the most that the runs, and a drift within them, allow for."""
    half = 0.0 if drift is None or drift.steady else min(1.0, abs(drift.change) / 2)
    low, high = median_within(measured)
    return low * (1 - half), high * (1 + half)


def _too_wide(measured: Spread, drift: Drift | None) -> tuple[str, str]:
    if drift is not None and not drift.steady:
        return (
            tell(
                "The rate changed by {change} while it was measured and had not become steady.",
                change=share_text(drift.change, signed=True),
            ),
            tell("Run it longer, or begin to count later (ramp_time)."),
        )
    return (
        tell(
            "The repeats differ by {spread}, and not all of them would be judged alike.",
            spread=share_text(measured.spread),
        ),
        _more_repeats(measured),
    )


def _more_repeats(measured: Spread) -> str:
    if len(measured.values) >= MANY_REPEATS:
        return tell(
            "The repeats differ by {spread}: let each run longer, and look what else uses the disks.",
            spread=share_text(measured.spread),
        )
    return tell(
        "The repeats differ by {spread}: run it {count} times.", spread=share_text(measured.spread), count=MANY_REPEATS
    )


def _untold(foretold: Foretold) -> tuple[str, str]:
    """Return why a value that is not slow passes all the same for nothing."""
    estimate = foretold.estimate
    if estimate is not None and estimate.cannot_tell:
        return (
            tell(
                "The prediction is too uncertain to be missed: it spans a factor of {factor:.0f}.",
                factor=estimate.high / estimate.low,
            ),
            tell("Calibrate the prediction with this run; the next one is judged by what it told."),
        )
    return (
        tell("Nobody saw which share the ARC answered, so it may have been memory and not the disks."),
        tell("Run it where `zpool iostat` can be watched, or with primarycache=metadata on the scratch dataset."),
    )


def _nothing_measured(run: TestRun) -> tuple[str, str]:
    why = next((repeat.why for repeat in run.repeats if repeat.why), "")
    if any(repeat.ended is Ended.BUDGET for repeat in run.repeats):
        return (
            tell("No repeat ran to its end: {why}", why=why),
            tell("Allow more, or ask for fewer and shorter repeats; then run it again."),
        )
    if why:
        return tell("No repeat ran to its end: {why}", why=why), tell("Mend that, then run it again.")
    if whole(run):
        return (
            tell("It ran to its end, and its output holds nothing that this test measures."),
            tell("Look at what it printed, in the file of the run; run it again."),
        )
    return tell("No repeat of it ran to its end."), tell("Run it again.")


def _unsteady_words(run: TestRun, drift: Drift | None) -> str:
    """Return what is to be known of a rate in which no drift was seen; empty where one would have been."""
    if run.test.seconds is None or (drift is not None and not drift.blind):
        return ""
    if drift is None or drift.unseen > 2:
        return tell("Too short to tell whether the rate drifts: run it longer, or more often.")
    return tell(
        "A drift of less than {change} would not have been seen: run it longer, or more often.",
        change=share_text(drift.unseen),
    )
