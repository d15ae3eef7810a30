"""The lanes in which a test is watched."""

import csv
import io

import numpy as np

from poolwright.bench.charts.lanes import lane_chart, lanes_legend
from poolwright.bench.lanes import MOST_CURVES, LaneBand, lanes_csv, lanes_of
from poolwright.bench.live import LiveCurves
from poolwright.bench.reading.samples import CurveKey, Sample
from poolwright.bench.result import Direction, Observer, TimeCurve, What


def made(name: str, source: Observer, what: What, values: list[float], direction: Direction | None = None) -> TimeCurve:
    ms = np.arange(len(values), dtype=np.int64) * 1000
    return TimeCurve(name=name, source=source, what=what, ms=ms, values=np.array(values), direction=direction)


READ = made("fio", Observer.APPLICATION, What.RATE, [0.0, 1048576.0, 3145728.0], Direction.READ)
POOL = made("tank", Observer.POOL, What.RATE, [1048576.0, 2097152.0], Direction.READ)
HITS = made("hits", Observer.ARC, What.SHARE, [0.25, float("nan")])
CORES = [made(f"core {n}", Observer.CPU, What.BUSY, [n / 10, n / 10]) for n in range(9)]


def test_that_application_pool_and_arc_stand_in_this_order_whatever_came_first() -> None:
    lanes = lanes_of([*CORES, HITS, POOL, READ])
    assert [lane.key for lane in lanes] == ["application", "pool", "arc", "cpu"]
    assert [lane.unit for lane in lanes] == ["MiB/s", "MiB/s", "%", "%"]
    assert lanes[0].curves[0].values.tolist() == [0.0, 1.0, 3.0]
    assert lanes[2].curves[0].values[0] == 25.0


def test_that_a_lane_shows_no_more_curves_than_there_are_colours_and_keeps_the_busiest() -> None:
    (lane,) = lanes_of(CORES)
    assert [curve.name for curve in lane.curves] == [f"core {n}" for n in range(9 - MOST_CURVES, 9)]
    assert len({curve.role for curve in lane.curves}) == MOST_CURVES


def test_that_a_lane_is_as_high_as_what_was_expected() -> None:
    band = LaneBand(name="expected", low=2.0, typical=5.0, high=9.0)
    lane = lanes_of([READ], band)[0]
    assert lane.highest == 9.0
    chart = lane_chart(lane, stem="run")
    assert [series.name for series in chart.series] == ["expected", "fio reads"]
    assert chart.limits[0].value == 5.0


def test_that_unknown_values_are_empty_cells_of_the_table() -> None:
    rows = list(csv.DictReader(io.StringIO(lanes_csv(lanes_of([READ, HITS])))))
    assert [row["value"] for row in rows] == ["0", "1", "3", "25", ""]
    assert {row["lane"] for row in rows} == {"application", "arc"}


def test_that_the_legend_names_each_curve_once() -> None:
    legend = lanes_legend(lanes_of([READ, POOL, HITS]))
    assert legend is not None
    assert legend.legend == ("fio reads", "tank reads", "hits")
    assert lanes_legend(()) is None


def test_that_curves_of_tools_with_and_without_a_clock_begin_together() -> None:
    live = LiveCurves("write", 1)
    pool = CurveKey("tank", Observer.POOL, What.RATE)
    live.take([Sample(1_700_000_001_000, pool, 1.0), Sample(1_700_000_002_000, pool, 2.0)])
    live.take([Sample(500, CurveKey("fio", Observer.APPLICATION, What.RATE), 3.0)])
    found = {curve.name: curve.ms.tolist() for curve in live.curves()}
    assert found == {"tank": [0, 1000], "fio": [500]}
