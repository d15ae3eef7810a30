"""The charts that answer the question of a profile."""

from dataclasses import replace

import pytest
from tests.bench.judging.made_runs import Made, bench_test, place_of, record_of, run_of

from poolwright.bench.charts.answer import answer_charts
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Foretold
from poolwright.bench.record import AnswerPlot, Ended, RunRecord, TestRun, knee_of
from poolwright.bench.report import run_report
from poolwright.domain.measurement import Latency, Recorded
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.steps import Estimate
from poolwright.emit.chart import Chart, SeriesKind
from poolwright.emit.report_html import html_text
from poolwright.predict.runs import Metric

LATENCY = Latency(
    mean_ns=2e6,
    count=300,
    percentiles=((50.0, 2_000_000), (99.0, 9_000_000)),
    histogram=((2_000_000, 250), (9_000_000, 50)),
)

MADE = Origin(kind=OriginKind.PREDICTED, source="made")


def step(x: float, iops: float, line: str = "Random reads", metric: Metric | None = Metric.RAND_READ) -> TestRun:
    test = replace(bench_test(metric), name=f"{line}-{x:g}", title=f"{line}, {x:g}", x=x, line=line)
    run = run_of(test, place_of(), Made(value=iops))
    return replace(run, repeats=tuple(replace(each, application=timed(each.application)) for each in run.repeats))


def timed(recorded: Recorded | None) -> Recorded:
    assert recorded is not None
    return replace(recorded, measured=tuple(replace(one, completion=LATENCY) for one in recorded.measured))


def sweep(*runs: TestRun, plot: AnswerPlot = AnswerPlot.AGAINST_JOBS) -> RunRecord:
    made = record_of(runs, place_of())
    return replace(made, profile=replace(made.profile, plot=plot))


def chart_of(record: RunRecord, stem: str) -> Chart:
    return next(chart for chart in answer_charts(record, {}) if chart.stem == stem)


def test_that_a_sweep_is_drawn_against_its_jobs_with_its_knee() -> None:
    record = sweep(*(step(x, y) for x, y in ((1, 100), (10, 800), (50, 2000), (100, 2040), (250, 2050))))
    chart = chart_of(record, "answer-operations")
    (line,) = chart.series
    assert [(mark.x, round(mark.y)) for mark in line.marks] == [
        (1, 100),
        (10, 800),
        (50, 2000),
        (100, 2040),
        (250, 2050),
    ]
    assert all(mark.low is not None and mark.low < mark.y < (mark.high or 0) for mark in line.marks)
    assert [(limit.value, limit.upright) for limit in chart.limits] == [(50, True)]
    assert [text for _, text in chart.x.ticks] == ["1", "10", "50", "100", "250"]


def test_that_lines_that_share_a_knee_share_its_mark() -> None:
    runs = [step(x, y, line) for line in ("Reads", "Writes") for x, y in ((1, 100), (10, 800), (50, 810), (100, 815))]
    (limit,) = chart_of(sweep(*runs), "answer-operations").limits
    assert limit.name == "Reads, Writes: knee at 10"


@pytest.mark.parametrize(
    ("points", "knee"),
    [
        ([(1, 1), (2, 2), (4, 4), (8, 8)], None),
        ([(1, 10), (2, 10), (4, 10)], 1),
        ([(1, 10), (2, 10)], None),
        ([(1, 10), (2, 10.2), (4, 20), (8, 20), (16, 20.5)], 4),
    ],
)
def test_that_a_knee_is_where_no_later_step_gains_anything(
    points: list[tuple[float, float]], knee: float | None
) -> None:
    assert knee_of(points) == knee


def test_that_latency_is_drawn_as_its_median_and_what_99_per_cent_stay_below() -> None:
    chart = chart_of(sweep(step(1, 100), step(10, 800)), "answer-latency")
    assert [(series.name, [round(mark.y) for mark in series.marks]) for series in chart.series] == [
        ("Random reads, 50 %", [2, 2]),
        ("Random reads, 99 %", [9, 9]),
    ]


def test_that_writers_with_and_without_the_log_device_are_lines_of_one_chart() -> None:
    runs = [step(x, 300 * x, "With the log device", Metric.SYNC_WRITE) for x in (1, 8, 32)]
    runs += [step(x, 25 * x, "Past the log device", None) for x in (1, 8, 32)]
    chart = answer_charts(sweep(*runs), {})[0]
    assert chart.stem == "answer-operations"
    assert chart.legend == ("With the log device", "Past the log device")
    assert all(len(series.marks) == 3 for series in chart.series)


def test_that_the_expected_band_lies_behind_the_line_that_it_is_of() -> None:
    record = sweep(step(1, 100), step(10, 800))
    band = Estimate(
        low=600, typical=700, high=900, limit="disks", origin=Origin(kind=OriginKind.PREDICTED, source="made")
    )
    charts = answer_charts(record, {"Random reads-10": Foretold(test="Random reads-10", estimate=band)})
    series = {one.name: one for one in charts[0].series}
    (mark,) = series["Expected: Random reads"].marks
    assert (mark.x, mark.low, mark.y, mark.high) == (10, 600, 700, 900)
    assert series["Expected: Random reads"].kind is SeriesKind.CURVE
    assert not any("Expected" in one.name for chart in charts[1:] for one in chart.series)


def test_that_rates_stand_first_where_files_are_read_in_order() -> None:
    runs = [step(x, 1e9 / x, "Read", Metric.SEQ_READ) for x in (10, 50, 90)]
    charts = answer_charts(sweep(*runs, plot=AnswerPlot.AGAINST_FILL), {})
    assert charts[0].stem == "answer-rates"
    assert (charts[0].x.low, charts[0].x.high, charts[0].x.unit) == (0, 100, "%")
    assert not charts[0].limits


def test_that_a_test_that_never_ended_has_no_mark() -> None:
    broken = step(10, 800)
    broken = replace(broken, repeats=tuple(replace(each, ended=Ended.FAILED) for each in broken.repeats))
    assert [mark.x for mark in chart_of(sweep(step(1, 100), broken), "answer-operations").series[0].marks] == [1]


def test_that_a_profile_of_bars_has_no_such_chart() -> None:
    assert answer_charts(sweep(step(1, 100), plot=AnswerPlot.BARS), {}) == ()


def test_that_the_report_draws_the_answer_and_tells_the_percentiles() -> None:
    record = sweep(step(1, 100), step(10, 800))
    page = html_text(run_report(record, judge(record, {}), {}))
    assert "How long operations took" in page
    assert "9 ms" in page
    assert page.count("<svg") >= 6
