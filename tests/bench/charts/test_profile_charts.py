"""The charts that answer the question of a profile."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.judging.made_runs import Made, bench_test, place_of, record_of, run_of

from poolwright.bench.charts import histogram_chart, latencies_of, percentile_chart, profile_charts, rates_chart
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Expectation
from poolwright.bench.record import AnswerPlot, Ended, RunRecord, TestRun, knee_of
from poolwright.bench.report import run_report
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.measurement import (
    Direction,
    Latency,
    Measurement,
    Recorded,
    latency_words,
    merged,
    percentile,
    with_histogram,
)
from poolwright.emit.chart import Chart, SeriesKind
from poolwright.emit.report import html_text
from poolwright.predict.measured_runs import Metric
from poolwright.store.read_results import read_result

LATENCY = Latency(
    mean_ns=2e6,
    count=300,
    percentiles=((50.0, 2_000_000), (99.0, 9_000_000)),
    histogram=((2_000_000, 250), (9_000_000, 50)),
)


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


def there(chart: Chart | None) -> Chart:
    assert chart is not None
    return chart


def chart_of(record: RunRecord, stem: str) -> Chart:
    return next(chart for chart in profile_charts(record, {}) if chart.stem == stem)


def test_that_a_sweep_is_drawn_against_its_jobs_with_its_knee() -> None:
    points = [(1, 100), (10, 800), (50, 2000), (100, 2040), (250, 2050)]
    chart = chart_of(sweep(*(step(x, y) for x, y in points)), "answer-operations")
    (line,) = chart.series
    assert [(mark.x, round(mark.y)) for mark in line.marks] == points
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
    chart = profile_charts(sweep(*runs), {})[0]
    assert chart.stem == "answer-operations"
    assert chart.legend == ("With the log device", "Past the log device")
    assert all(len(series.marks) == 3 for series in chart.series)


def test_that_the_expected_band_lies_behind_the_line_that_it_is_of() -> None:
    record = sweep(step(1, 100), step(10, 800))
    made = Origin(kind=OriginKind.PREDICTED, source="made")
    band = Estimate(low=600, typical=700, high=900, limit="disks", origin=made)
    charts = profile_charts(record, {"Random reads-10": Expectation(test="Random reads-10", estimate=band)})
    series = {one.name: one for one in charts[0].series}
    (mark,) = series["Expected: Random reads"].marks
    assert (mark.x, mark.low, mark.y, mark.high) == (10, 600, 700, 900)
    assert series["Expected: Random reads"].kind is SeriesKind.CURVE
    assert not any("Expected" in one.name for chart in charts[1:] for one in chart.series)


def test_that_rates_stand_first_where_files_are_read_in_order() -> None:
    runs = [step(x, 1e9 / x, "Read", Metric.SEQ_READ) for x in (10, 50, 90)]
    charts = profile_charts(sweep(*runs, plot=AnswerPlot.AGAINST_FILL), {})
    assert charts[0].stem == "answer-rates"
    assert (charts[0].x.low, charts[0].x.high, charts[0].x.unit) == (0, 100, "%")
    assert not charts[0].limits


def test_that_a_test_that_never_ended_has_no_mark() -> None:
    broken = step(10, 800)
    broken = replace(broken, repeats=tuple(replace(each, ended=Ended.FAILED) for each in broken.repeats))
    assert [mark.x for mark in chart_of(sweep(step(1, 100), broken), "answer-operations").series[0].marks] == [1]


def test_that_a_profile_of_bars_has_no_such_chart() -> None:
    assert profile_charts(sweep(step(1, 100), plot=AnswerPlot.BARS), {}) == ()


def test_that_the_report_draws_the_answer_and_tells_the_percentiles() -> None:
    record = sweep(step(1, 100), step(10, 800))
    page = html_text(run_report(record, judge(record, {}), {}))
    assert "Latency" in page
    assert "9 ms" in page
    assert page.count("<svg") >= 6


FAST = Latency(mean_ns=1e6, least_ns=900_000, most_ns=2_000_000, count=90, histogram=((1_000_000, 80), (2_000_000, 10)))
SLOW = Latency(mean_ns=1e7, least_ns=8_000_000, most_ns=4e7, count=10, histogram=((10_000_000, 10),))  # type: ignore[arg-type]


def test_that_jobs_are_one_by_all_their_operations_not_by_the_mean_of_their_percentiles() -> None:
    both = merged((FAST, SLOW))
    assert both is not None
    assert (both.count, both.mean_ns, both.least_ns, both.most_ns) == (100, 1.9e6, 900_000, 40_000_000)
    assert percentile(both, 50) == 1_000_000
    assert percentile(both, 90) == 2_000_000
    assert percentile(both, 99) == 10_000_000


def test_that_without_a_histogram_nobody_says_what_percentiles_are_together() -> None:
    both = merged((FAST, Latency(mean_ns=5e6, count=10, percentiles=((50.0, 5_000_000),))))
    assert both is not None
    assert both.percentiles == ()
    assert merged(()) is None


def test_that_a_histogram_holds_every_operation_and_marks_its_percentiles() -> None:
    both = merged((FAST, SLOW))
    assert both is not None
    chart = there(histogram_chart("read", both))
    # Two marks a bin: where it begins and where it ends.
    assert sum(mark.y for mark in chart.series[0].marks[::2]) == pytest.approx(100)
    assert [(limit.name, limit.value) for limit in chart.limits] == [("50 %", 1), ("99 %, 99.9 %", 10)]
    assert histogram_chart("read", Latency(mean_ns=1.0)) is None


def test_that_percentiles_stand_at_how_rare_what_takes_longer_is() -> None:
    listed = Latency(percentiles=((50.0, 1_000_000), (99.0, 5_000_000), (99.9, 70_000_000)))
    chart = there(percentile_chart("Percentiles", (("read", listed),)))
    assert [(round(mark.x, 6), mark.y) for mark in chart.series[0].marks] == [(2, 1), (100, 5), (1000, 70)]
    assert percentile_chart("Percentiles", (("x", Latency(mean_ns=1.0)),)) is None


@pytest.mark.parametrize(
    ("ns", "text"),
    [(350, "350 ns"), (84_200, "84.2 µs"), (1_200_000, "1.2 ms"), (999_700_000, "1,000 ms"), (2.5e9, "2.5 s")],
)
def test_that_a_time_is_told_in_the_unit_that_reads_best(ns: float, text: str) -> None:
    assert latency_words(ns) == text


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_that_the_chart_of_what_fio_measured_has_the_percentiles_that_fio_tells(tmp_path: Path) -> None:
    words = ["--name=a", "--size=4m", "--rw=randread", "--bs=4k", "--ioengine=psync", "--output-format=json+"]
    done = subprocess.run(["fio", *words], cwd=tmp_path, capture_output=True, check=True)
    (recorded,) = read_result(done.stdout, "fio.json")
    (named,) = latencies_of(recorded.measured)
    told = json.loads(done.stdout)["jobs"][0]["read"]["clat_ns"]["percentile"]
    chart = there(percentile_chart("Percentiles", (named,)))
    drawn = {round(100 - 100 / mark.x, 4): round(mark.y * 1e6) for mark in chart.series[0].marks}
    assert drawn == {round(float(key), 4): value for key, value in told.items() if value}
    histogram = there(histogram_chart("a", named[1]))
    assert sum(mark.y for mark in histogram.series[0].marks[::2]) == pytest.approx(100)


def ordinary(mean: int) -> dict[str, object]:
    told = {"min": mean // 2, "max": 50 * mean, "mean": mean, "N": 1000}
    percentile = {"0.100000": 0, "1.000000": mean * 0.6 // 1, "50.000000": mean, "99.000000": 3 * mean}
    moved = {"io_bytes": 4096000, "bw_bytes": 4096000, "iops": 1000.0, "runtime": 1000, "total_ios": 1000}
    return {**moved, "lat_ns": told, "clat_ns": {**told, "percentile": percentile}}


def test_that_a_histogram_is_drawn_of_what_fio_prints_without_being_asked_of_reads_and_writes_apart() -> None:
    job = {"jobname": "a", "error": 0, "read": ordinary(60_000), "write": ordinary(5_000), "latency_us": {"100": 99.0}}
    (recorded,) = read_result(json.dumps({"fio version": "fio-3.33", "jobs": [job]}).encode(), where="fio.json")
    for measured, middle in zip(recorded.measured, (0.06, 0.005), strict=True):
        latency = with_histogram(measured)
        assert latency is not None
        chart = there(histogram_chart("fio", latency))
        bins = [(a.x, b.x, a.y) for a, b in zip(chart.series[0].marks[::2], chart.series[0].marks[1::2], strict=True)]
        assert sum(share for *_, share in bins) == pytest.approx(100, abs=1)
        assert sum(share for _, high, share in bins if high <= middle) == pytest.approx(50, abs=12)
        assert (bins[0][0] <= middle / 2 < bins[0][1], bins[-1][0] <= 50 * middle) == (True, True)


def test_that_what_bonnie_measured_is_drawn_as_bars() -> None:
    measured = (
        Measurement(name="block write", direction=Direction.WRITE, rate=4e8),
        Measurement(name="random seeks", direction=Direction.READ, iops=300.0),
        Measurement(name="block read", direction=Direction.READ, rate=9e8),
    )
    chart = there(rates_chart("bonnie", measured, "bonnie"))
    assert chart.rows == ("block write", "block read")
    assert [mark.x for mark in chart.series[0].marks] == [400, 900]
    assert rates_chart("bonnie", measured[1:2], "bonnie") is None
    seeks = there(rates_chart("bonnie", measured, "bonnie", operations=True))
    assert [mark.label for mark in seeks.series[0].marks] == ["300"]
