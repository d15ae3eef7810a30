"""What a judged run tells the predictions."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from poolwright.bench.judging.calibrating import runs_of
from poolwright.bench.judging.verdicts import Judgement, RunVerdict, Spread, TestVerdict
from poolwright.bench.profiles.profile import BenchJob, BenchTest, Profile
from poolwright.bench.record import Ended, RunRecord, TestRun
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.layout_text import parse_layout
from poolwright.predict.runs import Metric

LAYOUT = parse_layout(["raidz2:8x6TB"])
SPREAD = Spread(values=(5e8,), median=5e8, least=5e8, most=5e8, spread=0.0)


def record(*tests: BenchTest, recordsize: str | None = "1048576") -> RunRecord:
    properties = (("recordsize", recordsize),) if recordsize else ()
    return RunRecord(
        name="x",
        started=datetime(2026, 1, 2, tzinfo=UTC),
        seconds=1.0,
        ended=Ended.WHOLE,
        profile=Profile(name="p", title="p", question="?", tests=tests),
        place=BenchPlace(directory="/t", filesystem="zfs", host="h", free_bytes=1, pool="tank", properties=properties),
        tests=tuple(TestRun(test=test, job_file="", repeats=()) for test in tests),
    )


def made(name: str, metric: Metric | None = Metric.SEQ_READ) -> BenchTest:
    return BenchTest(name=name, title=name, jobs=(BenchJob(name=name, options=()),), metric=metric)


def verdict(*tests: TestVerdict) -> RunVerdict:
    return RunVerdict(judgement=Judgement.PASSED, sentence="", tests=tests)


READ = TestVerdict(test="read", judgement=Judgement.SLOWER, metric=Metric.SEQ_READ, measured=SPREAD)


def test_that_a_clean_test_becomes_a_run_of_its_pool_with_the_records_of_its_dataset() -> None:
    (run,) = runs_of(record(made("read")), verdict(READ), LAYOUT)
    assert (run.layout, run.metric, run.value, run.record_bytes) == (LAYOUT, Metric.SEQ_READ, 5e8, 1 << 20)
    (run,) = runs_of(record(made("read"), recordsize=None), verdict(READ), LAYOUT)
    assert run.record_bytes == 128 << 10


@pytest.mark.parametrize(
    "judged",
    [
        replace(READ, judgement=Judgement.TOO_FAST),
        replace(READ, judgement=Judgement.CANNOT_TELL),
        replace(READ, marks=("a scrub ran",)),
        replace(READ, metric=None),
        replace(READ, measured=None),
    ],
)
def test_that_what_came_from_memory_was_disturbed_or_is_unknown_tells_nothing(judged: TestVerdict) -> None:
    assert runs_of(record(made("read")), verdict(judged), LAYOUT) == ()


def test_that_of_several_tests_of_one_kind_the_fastest_counts() -> None:
    few = replace(READ, test="few", measured=replace(SPREAD, median=1e8))
    (run,) = runs_of(record(made("few"), made("read")), verdict(few, READ), LAYOUT)
    assert run.value == 5e8
