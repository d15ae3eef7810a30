"""What a judged run tells the predictions: measured values of one pool, to which they are adapted."""

from poolwright.bench.judging.verdicts import Judgement, RunVerdict, TestVerdict
from poolwright.bench.profiles.profile import BenchTest
from poolwright.bench.record import RunRecord
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.errors import UserError
from poolwright.domain.units import parse_record_size
from poolwright.domain.vdev import Layout
from poolwright.predict.runs import Run
from poolwright.predict.throughput import BASE_RECORD_BYTES

# What came from memory or could not be told says nothing of the disks.
_COUNTED = frozenset({Judgement.PASSED, Judgement.SLOWER})


def runs_of(record: RunRecord, verdict: RunVerdict, layout: Layout) -> tuple[Run, ...]:
    """Return the tests of a run that tell of its pool, of which ``layout`` are the vdevs, as runs of the model.

    A test that was disturbed, drifted, was served from memory, or has no prediction is left out; of several tests of
    one metric with records of one size the fastest counts, for the others asked for less than the pool gives.
    """
    best: dict[tuple[str, int], Run] = {}
    tests = {run.test.name: run.test for run in record.tests}
    for judged in verdict.tests:
        if judged.metric is None or judged.measured is None or judged.marks or not _counts(judged):
            continue
        record_bytes = _record_bytes(tests[judged.test], record.place)
        run = Run(layout=layout, metric=judged.metric, value=judged.measured.median, record_bytes=record_bytes)
        before = best.get((judged.metric, record_bytes))
        if before is None or before.value < run.value:
            best[judged.metric, record_bytes] = run
    return tuple(best.values())


def _counts(judged: TestVerdict) -> bool:
    return judged.judgement in _COUNTED if judged.narrows is None else judged.narrows


def _record_bytes(test: BenchTest, place: BenchPlace) -> int:
    told = place.property("recordsize")
    if test.record_bytes is not None:
        return test.record_bytes
    try:
        return BASE_RECORD_BYTES if told is None else parse_record_size(told)
    except UserError:
        return BASE_RECORD_BYTES
