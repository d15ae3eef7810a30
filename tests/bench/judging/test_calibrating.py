"""What a judged run tells the predictions."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.bench.judging.made_runs import Made, bench_test, design_of, place_of, record_of, run_of

from poolwright.bench.judging.expected import expected, runs_of
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Judgement, RunVerdict, Spread, TestVerdict
from poolwright.bench.record import BenchJob, BenchPlace, BenchTest, Ended, Profile, RunRecord, TestRun
from poolwright.domain.vdev import parse_layout
from poolwright.predict.runs import Metric, Run

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
        replace(READ, narrows=False),
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


def measured(metric: Metric, made: Made) -> tuple[Run, ...]:
    place, test = place_of(), bench_test(metric)
    run = run_of(test, place, made)
    found = record_of((run,), place)
    told = expected(found.profile, design_of(), None, place)
    return runs_of(found, judge(found, told), design_of().layout())


def usual(metric: Metric) -> float:
    found = record_of((run_of(bench_test(metric), place_of(), Made(value=1e6)),), place_of())
    (foretold,) = expected(found.profile, design_of(), None, place_of()).values()
    assert foretold.estimate is not None
    return foretold.estimate.typical


def test_that_a_run_that_drifts_or_is_slow_from_memory_narrows_nothing() -> None:
    value = usual(Metric.SEQ_READ)
    assert len(measured(Metric.SEQ_READ, Made(value=value))) == 1
    assert measured(Metric.SEQ_READ, Made(value=value, fall=-0.5)) == ()
    assert measured(Metric.SEQ_READ, Made(value=value / 20, memory=0.6)) == ()
    assert len(measured(Metric.SEQ_READ, Made(value=value / 20))) == 1


def test_that_a_band_too_wide_to_be_missed_is_narrowed_by_the_run_that_could_not_miss_it() -> None:
    value = usual(Metric.RAND_WRITE)
    (run,) = measured(Metric.RAND_WRITE, Made(value=value))
    assert run.value == pytest.approx(value)
    assert measured(Metric.RAND_WRITE, Made(value=value, repeats=1)) == ()


def test_that_a_run_is_as_uncertain_as_its_repeats_differ() -> None:
    def error(*values: float) -> float:
        spread = replace(SPREAD, values=values)
        (run,) = runs_of(record(made("read")), verdict(replace(READ, measured=spread)), LAYOUT)
        return run.error

    assert error(5e8) == error(5e8, 5e8) == 0.0
    assert error(4.9e8, 5.1e8) == pytest.approx(0.02, rel=0.01)  # standard deviation 0.0283, over the root of two
    assert error(4e8, 5e8, 6e8) > error(4.5e8, 5e8, 5.5e8)
