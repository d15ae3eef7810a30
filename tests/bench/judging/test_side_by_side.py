"""Runs side by side, in per cent and over time."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from tests.bench.judging.made_runs import Made, band, bench_test, foretold, place_of, record_of, run_of

from poolwright.bench.charts.verdict import over_time_chart, per_cent_chart, run_names
from poolwright.bench.judging.side_by_side import MOST_RUNS, alike, in_order, side_by_side
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Judgement, TestVerdict, median_within, spread
from poolwright.bench.record import Repeat, RunRecord
from poolwright.domain.errors import UserError
from poolwright.predict.assumptions import Metric

TESTS = (Metric.SEQ_READ, Metric.RAND_READ)


def run(read: float, iops: float, *, hour: int = 0, spread: float = 0.02) -> RunRecord:
    values = zip(TESTS, (read, iops), strict=True)
    tests = [run_of(bench_test(metric), place_of(), Made(value=value, spread=spread)) for metric, value in values]
    made = record_of(tests, place_of())
    return replace(made, started=made.started + timedelta(hours=hour))


def test_that_each_run_is_told_in_per_cent_of_the_first() -> None:
    read, random = side_by_side((run(1e9, 200), run(1.5e9, 198), run(5e8, 400)))
    assert [round(read.percent(number) or 0) for number in range(3)] == [0, 50, -50]
    assert [round(random.percent(number) or 0) for number in range(3)] == [0, -1, 100]
    assert (read.told(1), random.told(1), random.told(2)) == (True, False, True)


def test_that_a_test_that_one_run_does_not_have_is_told_without_a_per_cent() -> None:
    whole = run(1e9, 200)
    short = replace(whole, tests=whole.tests[:1])
    _, random = side_by_side((whole, short))
    assert random.found[1] is None
    assert random.percent(1) is None
    assert not random.told(1)


def test_that_one_run_and_many_of_several_profiles_do_not_stand_side_by_side() -> None:
    with pytest.raises(UserError):
        side_by_side([run(1e9, 200)])
    other = run(1e9, 200)
    other = replace(other, profile=replace(other.profile, name="another"))
    with pytest.raises(UserError, match="side by side"):
        side_by_side([*[run(1e9, 200)] * MOST_RUNS, other])
    assert len(side_by_side([run(1e9, 200)] * 20)[0].found) == 20


def test_that_the_chart_has_a_bar_for_each_run_but_the_first() -> None:
    runs = (run(1e9, 200), run(1.5e9, 198, hour=1))
    chart = per_cent_chart(side_by_side(runs), run_names(runs))
    assert chart is not None
    (series,) = chart.series
    assert series.name == "Made run, 2026-11-23 10:00"
    assert [(mark.y, round(mark.x), mark.label) for mark in series.marks] == [
        (0, 50, "+50.0 %"),
        (1, -1, "-1.0 %, within the spread"),
    ]


def test_that_runs_over_time_stand_in_their_order_with_their_whiskers() -> None:
    runs = in_order([run(2e9, 100, hour=5), run(1e9, 200), run(1.5e9, 150, hour=2)])
    assert alike(runs)
    chart = over_time_chart(side_by_side(runs), runs)
    assert chart is not None
    read, random = chart.series
    assert [round(mark.y) for mark in read.marks] == [100, 150, 200]
    assert [round(mark.y) for mark in random.marks] == [100, 75, 50]
    assert [text for _, text in chart.x.ticks] == ["09:00", "11:00", "14:00"]
    assert all((mark.low or 0) < mark.y < (mark.high or 0) for mark in read.marks)


def of(value: float, *, repeats: int = 3, seconds: int = 60, spread: float = 0.02) -> RunRecord:
    made = Made(value=value, repeats=repeats, seconds=seconds, spread=spread)
    return record_of([run_of(bench_test(Metric.SEQ_READ), place_of(), made)], place_of())


def during_scrub(record: RunRecord) -> RunRecord:
    return replace(record, place=replace(record.place, activity="scrub in progress"))


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (of(2e9, repeats=1), "fewer than 3 repeats"),
        (of(2e9, repeats=2), "fewer than 3 repeats"),
        (of(2e9, seconds=1), "repeats of 1.0 s only"),
        (of(2e9, spread=0.9), "repeats differ by 90 %"),
        (during_scrub(of(2e9)), "disturbed. The pool was busy with this before the run began: scrub in progress."),
    ],
)
def test_that_a_difference_nobody_can_tell_is_called_none(other: RunRecord, why: str) -> None:
    for runs in ((of(1e9), other), (other, of(1e9))):
        (test,) = side_by_side(runs)
        assert test.percent(1) is not None
        assert not test.told(1)
        assert why in test.doubt(1)
        chart = per_cent_chart((test,), run_names(runs))
        assert chart is not None
        (mark,) = chart.series[0].marks
        assert mark.label.endswith(" %, cannot tell"), "beside the bar there is no room for why"
        assert why in mark.told


def test_that_three_values_just_apart_from_three_are_within_the_spread() -> None:
    # One pair in ten of equal pools lies apart by chance: the medians have to differ by more than the repeats do.
    (test,) = side_by_side((of(1e9, spread=0.10), of(1.105e9, spread=0.10)))
    assert test.found[0] is not None
    assert test.found[1] is not None
    assert test.found[0].most < test.found[1].least * 1.001
    assert not test.doubt(1)
    assert not test.told(1) or test.found[1].least > test.found[0].most


@pytest.mark.parametrize("count", [6, 9, 10, 15, 30])
def test_that_the_median_of_all_runs_lies_between_them_in_95_of_100_cases(count: int) -> None:
    chance = np.random.default_rng(count)
    held = 0
    for _ in range(2000):
        found = spread(chance.lognormal(0, 0.3, count).tolist())
        assert found is not None
        low, high = median_within(found)
        held += low <= 1.0 <= high
    assert held >= 0.94 * 2000


def judged(*parts: float) -> TestVerdict:
    """Return the verdict on repeats that give such parts of the least that is expected."""
    test, place, estimate = bench_test(Metric.SEQ_WRITE), place_of(), band(Metric.SEQ_WRITE)
    repeats: list[Repeat] = []
    for number, part in enumerate(parts, start=1):
        made = run_of(test, place, Made(value=part * estimate.low, repeats=1, spread=0.0), number)
        repeats.append(replace(made.repeats[0], number=number))
    run = replace(run_of(test, place, Made(value=1e9)), repeats=tuple(repeats))
    return judge(record_of((run,), place), {test.name: foretold(Metric.SEQ_WRITE)}).tests[0]


def test_that_ten_repeats_that_leave_it_open_are_not_told_to_be_ten() -> None:
    found = judged(*[0.8 + 0.05 * n for n in range(10)])
    assert found.judgement is Judgement.CANNOT_TELL
    assert "longer" in found.next_steps[0]
