"""What a judged run tells the predictions: measured values of one pool, to which they are adapted."""

from dataclasses import replace
from math import log, sqrt
from statistics import stdev

from poolwright.bench.judging.expected import as_filled, load_of_test
from poolwright.bench.judging.spread import RATES
from poolwright.bench.judging.verdicts import Judgement, RunVerdict, Spread, TestVerdict
from poolwright.bench.record import RunRecord
from poolwright.domain.vdev import Layout
from poolwright.predict.circumstances import DEFAULT_LOAD
from poolwright.predict.runs import Run

# What came from memory or could not be told says nothing of the disks.
_COUNTED = frozenset({Judgement.PASSED, Judgement.SLOWER})


def runs_of(record: RunRecord, verdict: RunVerdict, layout: Layout) -> tuple[Run, ...]:
    """Return the tests of a run that tell of its pool, of which ``layout`` are the vdevs, as runs of the model.

    A test that was disturbed, drifted, was served from memory, or has no prediction is left out. Of several tests that
    asked for the same the fastest counts; in order, also of those with other numbers of jobs, for the slower ones asked
    for less than the pool gives.
    """
    best: dict[Run, Run] = {}
    tests = {test.name: (test, place) for test, place in as_filled((run.test for run in record.tests), record.place)}
    for judged in verdict.tests:
        if judged.metric is None or judged.measured is None or judged.marks or not _counts(judged):
            continue
        test, place = tests[judged.test]
        load = load_of_test(test, DEFAULT_LOAD, place)
        run = Run(
            layout=layout,
            metric=judged.metric,
            value=judged.measured.median,
            record_bytes=load.record_bytes,
            clients=None if judged.metric in RATES else load.clients,
            request_bytes=load.request_bytes,
            error=_error(judged.measured),
            fill_percent=load.fill_percent,
        )
        asked = replace(run, value=0.0, error=0.0)
        if asked not in best or best[asked].value < run.value:
            best[asked] = run
    return tuple(best.values())


def _counts(judged: TestVerdict) -> bool:
    return judged.judgement in _COUNTED if judged.narrows is None else judged.narrows


def _error(measured: Spread) -> float:
    """Return the standard error of the mean of the repeats' logarithms; 0 of a single one, which nobody judges."""
    logarithms = [log(value) for value in measured.values if value > 0]
    return stdev(logarithms) / sqrt(len(logarithms)) if len(logarithms) > 1 else 0.0
