"""The lanes in which a test is watched."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from poolwright.bench.judging.verdicts import value_words
from poolwright.bench.lanes import _LONG, MOST_CURVES, LiveCurves, Numbers, _kept, lanes_of, reduced, watched_lanes
from poolwright.bench.record import Ended, Repeat
from poolwright.domain.measurement import BenchTool, Direction, Observer, Recorded, TimeCurve, What
from poolwright.emit.drawing import ShapeRole
from poolwright.machine.samples import CurveKey, Sample
from poolwright.predict.measured_runs import Metric


def made(name: str, source: Observer, what: What, values: list[float], direction: Direction | None = None) -> TimeCurve:
    ms = np.arange(len(values), dtype=np.int64) * 1000
    return TimeCurve(name=name, source=source, what=what, ms=ms, values=np.array(values), direction=direction)


READ = made("fio", Observer.APPLICATION, What.RATE, [0.0, 1e6, 3e6], Direction.READ)
POOL = made("tank", Observer.POOL, What.RATE, [1e6, 2e6], Direction.READ)
HITS = made("hits", Observer.ARC, What.SHARE, [0.25, float("nan")])
CORES = [made(f"core {n}", Observer.CPU, What.BUSY, [n / 10, n / 10]) for n in range(9)]
ALL = made("all", Observer.CPU, What.BUSY, [0.5, 0.5])


def test_that_application_pool_and_arc_stand_in_this_order_whatever_came_first() -> None:
    lanes = lanes_of([*CORES, HITS, POOL, READ])
    assert [lane.key for lane in lanes] == ["application", "pool", "arc", "cpu"]
    assert [lane.unit for lane in lanes] == ["MB/s", "MB/s", "%", "%"]
    assert lanes[0].curves[0].values.tolist() == [0.0, 1.0, 3.0]
    assert lanes[2].curves[0].values[0] == 25.0


def test_that_a_lane_shows_no_more_curves_than_there_are_colours_and_keeps_the_busiest() -> None:
    (lane,) = lanes_of(CORES)
    assert [curve.name for curve in lane.curves] == [f"core {n}" for n in range(9 - MOST_CURVES, 9)]
    assert len({curve.role for curve in lane.curves}) == MOST_CURVES


def test_that_a_rate_reads_in_a_lane_as_in_verdicts_and_one_large_one_gives_all_lanes_its_unit() -> None:
    fast = made("tank", Observer.POOL, What.RATE, [1.5e9, float("nan")], Direction.READ)
    for curves, unit in (([READ, POOL], "MB/s"), ([READ, fast], "GB/s")):
        lanes = lanes_of([*curves, HITS])
        assert [lane.unit for lane in lanes] == [unit, unit, "%"]
        for lane, rate in zip(lanes, (3e6, float(np.nanmax(curves[1].values))), strict=False):
            assert lane.told(lane.highest) == value_words(Metric.SEQ_READ, rate)
        assert lanes[2].told(25.0) == "25 %"


def test_that_a_tool_without_a_clock_stands_at_the_moment_at_which_it_told_something() -> None:
    live = LiveCurves("write", 1)
    pool = CurveKey("tank", Observer.POOL, What.RATE)
    live.take([Sample(1_700_000_001_000, pool, 1.0), Sample(1_700_000_002_000, pool, 2.0)])
    live.take([Sample(500, CurveKey("fio", Observer.APPLICATION, What.RATE), 3.0)])
    live.take([Sample(1_700_000_003_000, pool, 2.0)])
    live.take([Sample(1500, CurveKey("fio", Observer.APPLICATION, What.RATE), 3.0)])
    found = {curve.name: curve.ms.tolist() for curve in live.curves()}
    assert found == {"tank": [0, 1000, 2000], "fio": [1000, 2000]}


def test_that_an_application_stands_at_the_time_at_which_it_ran_and_not_where_its_files_were_laid_out() -> None:
    began = datetime(2026, 11, 24, 12, tzinfo=UTC)
    pool = Recorded(tool=BenchTool.ZPOOL_IOSTAT, where="", started=began + timedelta(seconds=1), curves=(POOL,))
    cores = Recorded(tool=BenchTool.PROC, where="", started=began, curves=(*CORES, ALL))
    fio = Recorded(tool=BenchTool.FIO, where="", started=began + timedelta(seconds=5), curves=(READ,))
    repeat = Repeat(number=1, started=began, seconds=9.0, ended=Ended.WHOLE, application=fio, watched=(pool, cores))
    found = {lane.key: lane.curves[0].seconds.tolist() for lane in watched_lanes([repeat]) if lane.curves}
    assert found == {"throughput": [5.0, 6.0, 7.0], "cpu": [0.0, 1.0]}
    (unknown, *_) = watched_lanes([replace(repeat, application=replace(fio, started=None))])
    assert unknown.curves[0].seconds.tolist() == [0.0, 1.0, 2.0]


def test_that_repeats_stand_one_after_the_other_and_those_that_are_finished_in_grey() -> None:
    began = datetime(2026, 11, 24, 12, tzinfo=UTC)
    disks = [made(f"sd{n}", Observer.DISK, What.BUSY, [n / 10, n / 10]) for n in (2, 4)]
    fio = Recorded(tool=BenchTool.FIO, where="", started=began, curves=(READ, *disks))
    repeat = Repeat(number=1, started=began, seconds=2.0, ended=Ended.WHOLE, application=fio)
    throughput, *_, busy, cpu, arc = watched_lanes([repeat], [READ, *disks], most=3)
    assert [curve.role for curve in throughput.curves] == [ShapeRole.GREY, ShapeRole.ACCENT]
    assert throughput.curves[1].seconds[0] > throughput.curves[0].seconds[-1]
    assert [text for __, text in throughput.ticks] == ["repeat 1", "repeat 2", "repeat 3"]
    assert throughput.room > throughput.curves[1].seconds[-1], "the one to come has its room"
    assert (throughput.value, busy.value) == ("3.00 MB/s", "30 %")
    assert (cpu.curves, arc.curves, arc.value) == ((), (), "")
    begun, *__ = watched_lanes([repeat], (), most=3)
    assert begun.value == "3.00 MB/s", "a repeat that has no value yet keeps that of the one before"


def curve(count: int, seed: int = 1) -> tuple[Numbers, Numbers]:
    random = np.random.default_rng(seed)
    return np.cumsum(random.random(count)), random.normal(size=count)


@pytest.mark.parametrize("count", [5_000, 40_000, _LONG + 77])
def test_that_no_peak_is_lost_wherever_it_stands(count: int) -> None:
    xs, ys = curve(count)
    for place in np.random.default_rng(2).integers(0, count, 40):
        for peak in (99.0, -99.0):
            one = ys.copy()
            one[place] = peak
            assert peak in reduced(xs, one, 300, xs[0], xs[-1])[1]


@pytest.mark.parametrize("count", [5_000, _LONG * 2])
def test_that_least_and_most_of_any_part_are_those_of_its_values(count: int) -> None:
    xs, ys = curve(count)
    for left, right in np.sort(np.random.default_rng(3).random((40, 2)) * xs[-1]):
        shown_x, shown_y = reduced(xs, ys, 200, left, right)
        assert len(shown_x) <= 2 * 200 or len(shown_x) == np.count_nonzero((xs >= left) & (xs <= right)) + 2
        inside = ys[(xs >= left) & (xs <= right)]
        if len(inside):
            around = ys[(xs >= shown_x[0]) & (xs <= shown_x[-1])]
            assert shown_y.max() == around.max() >= inside.max()
            assert shown_y.min() == around.min() <= inside.min()
            pixel = (right - left) / 200
            assert shown_x[0] >= left - 2 * pixel - 200
            assert np.all(np.diff(shown_x) >= 0)


def test_that_a_gap_stays_a_gap_and_hides_no_value_beside_it() -> None:
    xs = np.arange(100_000.0)
    ys = np.ones(100_000)
    ys[40_000:60_000] = np.nan
    shown_x, shown_y = reduced(xs, ys, 100, 0, 1e5)
    gap = np.isnan(shown_y)
    assert gap.sum() == 2 * 20
    assert shown_x[gap].min() == 40_000
    assert np.all(shown_y[~gap] == 1)


def test_that_what_is_kept_of_a_long_curve_goes_with_it() -> None:
    xs, ys = curve(_LONG)
    reduced(xs, ys, 10, xs[0], xs[-1])
    assert id(ys) in _kept
    key = id(ys)
    del ys
    assert key not in _kept
