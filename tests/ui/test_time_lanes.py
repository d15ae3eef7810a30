"""Lanes of curves over one time, as they are drawn while they grow."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from poolwright.bench.charts import lane_chart
from poolwright.bench.lanes import Lane, LaneCurve, lanes_of
from poolwright.domain.measurement import Observer, TimeCurve, What
from poolwright.emit.chart import SeriesKind
from poolwright.emit.drawing import ShapeRole
from poolwright.ui.plots.lanes_place import LanesHolder
from poolwright.ui.plots.time_lanes import TimeLanes


def lane(key: str, values: list[float], name: str = "fio") -> Lane:
    curve = LaneCurve(
        name=name, seconds=np.arange(float(len(values))), values=np.array(values, float), role=ShapeRole.ONE
    )
    return Lane(key=key, title=key, unit="MB/s", curves=(curve,))


@pytest.fixture
def lanes(qtbot: QtBot) -> Iterator[TimeLanes]:
    holder = QWidget()
    qtbot.addWidget(holder)
    made = TimeLanes(holder)
    made.resize(800, 600)
    holder.show()
    yield made
    assert holder is made.parent()  # it lives as long as the test


def tops(lanes: TimeLanes) -> list[float]:
    return [float(each.plot.vb.viewRange()[1][1]) for each in lanes._lanes]


def test_that_what_grows_stays_in_sight(lanes: TimeLanes) -> None:
    for last in (10.0, 700.0, 90_000.0):
        lanes.show_lanes([lane("application", [1.0, 2.0, last]), lane("pool", [last / 2] * 5, name="tank")])
        lanes.draw()
        assert tops(lanes)[0] >= last
        assert tops(lanes)[1] >= last / 2
        assert lanes.shown_seconds == (0.0, 4.0)


def test_that_a_value_with_none_beside_it_is_a_dot_where_no_line_reaches_it(lanes: TimeLanes) -> None:
    gap = float("nan")
    lanes.show_lanes([lane("application", [gap, 7.0]), lane("pool", [1.0, 2.0, gap, 9.0, gap], name="tank")])
    lanes.draw()
    dots = [each.dots.getData() for each in lanes._lanes]
    assert [(xs.tolist(), ys.tolist()) for xs, ys in dots] == [([1.0], [7.0]), ([3.0], [9.0])]
    lanes.set_off(frozenset({"fio"}))
    assert len(lanes._lanes[0].dots.getData()[0]) == 0
    chart = lane_chart(lane("application", [gap, 7.0]), stem="lane")
    assert [series.kind for series in chart.series] == [SeriesKind.DOTS]


def test_that_who_has_zoomed_stays_there_while_it_grows_and_sees_all_again_by_a_double_click(lanes: TimeLanes) -> None:
    lanes.show_lanes([lane("application", [1.0] * 100)])
    lanes.draw()
    lanes._lanes[0].plot.setXRange(10, 20, padding=0)
    lanes._on_moved()
    lanes.show_lanes([lane("application", [1.0] * 200)])
    lanes.draw()
    assert lanes.shown_seconds == (10.0, 20.0)
    lanes.view.again.emit()
    assert lanes.shown_seconds == (0.0, 199.0)


def test_that_all_values_of_a_moment_are_told_but_those_switched_off(lanes: TimeLanes) -> None:
    lanes.show_lanes([lane("application", [1.0, 2.0, 3.0]), lane("pool", [7.0, 8.0, 9.0], name="tank")])
    lanes.draw()
    assert lanes.text_at(1.5) == "at 1.5 s · fio 2.00 MB/s · tank 8.00 MB/s"
    lanes.set_off(frozenset({"fio"}))
    assert lanes.text_at(1.5) == "at 1.5 s · tank 8.00 MB/s"


@pytest.mark.slow
def test_that_a_new_set_of_lanes_takes_the_place_of_the_old_one(lanes: TimeLanes) -> None:
    for keys in (["application"], ["application", "pool", "arc"], ["cpu"]):
        lanes.show_lanes([lane(key, [1.0, 2.0]) for key in keys])
        lanes.draw()
        assert len(lanes._lanes) == len(keys)


def test_that_lanes_are_saved_as_drawing_picture_and_table(qtbot: QtBot, tmp_path: Path) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    told: list[str] = []
    place = LanesHolder("nothing yet", told.append, holder)
    place.resize(800, 600)
    place.show_lanes([lane("application", [1.0, 2.0]), lane("pool", [3.0, 4.0], name="tank")])
    holder.show()
    qtbot.waitUntil(lambda: place.plot is not None, timeout=10_000)
    for ending in ("svg", "png", "csv"):
        place.menu.save(str(tmp_path / f"x.{ending}"))
    drawing = (tmp_path / "x.svg").read_text()
    assert drawing.count("<path") + drawing.count("<polyline") >= 2
    assert "application" in drawing
    assert "pool" in drawing
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 5
    place.menu.save(str(tmp_path / "not" / "there" / "x.csv"))
    assert told


def test_that_each_name_of_the_lanes_has_a_colour_of_its_own_as_far_as_there_are_colours() -> None:
    moments, values = np.arange(3, dtype=np.int64), np.ones(3)
    curves = [
        TimeCurve(name=name, source=source, what=what, ms=moments, values=values)
        for name, source, what in (
            ("fio", Observer.APPLICATION, What.RATE),
            ("fio", Observer.APPLICATION, What.IOPS),
            ("sda", Observer.DISK, What.LATENCY),
            ("sdb", Observer.DISK, What.LATENCY),
            ("all", Observer.CPU, What.BUSY),
        )
    ]
    drawn = {curve.name: curve.role for lane in lanes_of(curves) for curve in lane.curves}
    assert list(drawn) == ["fio", "sda", "sdb", "all cores"]
    assert len(set(drawn.values())) == 4
