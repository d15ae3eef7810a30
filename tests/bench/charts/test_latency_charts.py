"""How long operations took: several jobs as one, its histogram and its percentiles."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from poolwright.bench.charts.latency import NamedLatency, histogram_chart, latencies_of, percentile_chart
from poolwright.bench.charts.verdict import rates_chart
from poolwright.domain.latency import latency_words, merged, percentile, with_histogram
from poolwright.domain.measurement import Direction, Latency, Measurement
from poolwright.store.read_results import read_result

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
    chart = histogram_chart("read", both)
    assert chart is not None
    # Two marks a bin: where it begins and where it ends.
    assert sum(mark.y for mark in chart.series[0].marks[::2]) == pytest.approx(100)
    assert [(limit.name, limit.value) for limit in chart.limits] == [("50 %", 1), ("99 %, 99.9 %", 10)]
    assert histogram_chart("read", Latency(mean_ns=1.0)) is None


def test_that_percentiles_stand_at_how_rare_what_takes_longer_is() -> None:
    listed = Latency(percentiles=((50.0, 1_000_000), (99.0, 5_000_000), (99.9, 70_000_000)))
    chart = percentile_chart("Percentiles", (NamedLatency(name="read", latency=listed),))
    assert chart is not None
    assert [(round(mark.x, 6), mark.y) for mark in chart.series[0].marks] == [(2, 1), (100, 5), (1000, 70)]
    assert percentile_chart("Percentiles", (NamedLatency(name="x", latency=Latency(mean_ns=1.0)),)) is None


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
    chart = percentile_chart("Percentiles", (named,))
    assert chart is not None
    drawn = {round(100 - 100 / mark.x, 4): round(mark.y * 1e6) for mark in chart.series[0].marks}
    assert drawn == {round(float(key), 4): value for key, value in told.items() if value}
    histogram = histogram_chart("a", named.latency)
    assert histogram is not None
    assert sum(mark.y for mark in histogram.series[0].marks[::2]) == pytest.approx(100)


def ordinary(mean: int) -> dict[str, object]:
    told = {"min": mean // 2, "max": 50 * mean, "mean": mean, "N": 1000}
    percentile = {"1.000000": mean * 0.6 // 1, "50.000000": mean, "99.000000": 3 * mean}
    moved = {"io_bytes": 4096000, "bw_bytes": 4096000, "iops": 1000.0, "runtime": 1000, "total_ios": 1000}
    return {**moved, "lat_ns": told, "clat_ns": {**told, "percentile": percentile}}


def test_that_a_histogram_is_drawn_of_what_fio_prints_without_being_asked_of_reads_and_writes_apart() -> None:
    job = {"jobname": "a", "error": 0, "read": ordinary(60_000), "write": ordinary(5_000), "latency_us": {"100": 99.0}}
    (recorded,) = read_result(json.dumps({"fio version": "fio-3.33", "jobs": [job]}).encode(), where="fio.json")
    for measured, middle in zip(recorded.measured, (0.06, 0.005), strict=True):
        latency = with_histogram(measured)
        assert latency is not None
        chart = histogram_chart("fio", latency)
        assert chart is not None
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
    chart = rates_chart("bonnie", measured, "bonnie")
    assert chart is not None
    assert chart.rows == ("block write", "block read")
    assert [mark.x for mark in chart.series[0].marks] == [400, 900]
    assert rates_chart("bonnie", measured[1:2], "bonnie") is None
    seeks = rates_chart("bonnie", measured, "bonnie", operations=True)
    assert seeks is not None
    assert [mark.label for mark in seeks.series[0].marks] == ["300"]
