"""Charts as drawings: what is twice as much is twice as far, all stays in the frame, axes read as they should."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import log10

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.emit.drawn import DRAWINGS, front, golden_path, of, picture, texts, turned

from poolwright.emit.chart import (
    WIDTH,
    Chart,
    ChartMark,
    ChartSeries,
    SeriesKind,
    axis_over,
    chart_drawing,
    ends,
    kept_apart,
    log_axis,
    ticks_between,
)
from poolwright.emit.drawing import Anchor, Area, Box, Dot, Label, Stroke


@pytest.mark.parametrize("name", list(DRAWINGS))
def test_that_nothing_lies_outside_of_the_frame(name: str) -> None:
    drawing = DRAWINGS[name]
    assert drawing.width == WIDTH
    points = [p for stroke in of(drawing, Stroke) for p in stroke.points]
    points += [p for area in of(drawing, Area) for p in area.points]
    points += [(box.x, box.y) for box in of(drawing, Box)]
    points += [(box.x + box.width, box.y + box.height) for box in of(drawing, Box)]
    points += [(dot.x + d, dot.y + d) for dot in of(drawing, Dot) for d in (-dot.radius, dot.radius)]
    for label in of(drawing, Label):
        wide = 6.0 * len(label.text) * label.size / 12
        start = {Anchor.START: 0.0, Anchor.MIDDLE: wide / 2, Anchor.END: wide}[label.anchor]
        points += [(label.x - start, label.y), (label.x - start + wide, label.y)]
    assert all(0 <= x <= drawing.width and 0 <= y <= drawing.height for x, y in points)
    assert drawing.title in texts(drawing)


@pytest.mark.parametrize("name", list(DRAWINGS))
def test_that_no_text_lies_on_another(name: str) -> None:
    labels = of(DRAWINGS[name], Label)
    for number, one in enumerate(labels):
        for other in labels[number + 1 :]:
            if one.anchor is other.anchor and abs(one.x - other.x) < 20:
                assert abs(one.y - other.y) >= 10, (one.text, other.text)


@given(st.lists(st.floats(1e-9, 1e12), min_size=1, max_size=9), st.booleans(), st.floats(1, 12))
def test_that_an_axis_holds_its_values_and_its_ticks(values: Sequence[float], log: bool, most: float) -> None:
    axis = log_axis("a", values) if log else axis_over("a", values)
    low, high = ends(axis)
    assert all(low <= (log10(v) if log else v) <= high for v in values)
    found = ticks_between(axis, low, high, most)
    assert 1 <= len(found) <= most + 2
    assert all(low - 1e-6 * (high - low) <= place <= high + 1e-6 * (high - low) for place, _ in found)


@pytest.mark.parametrize("name", list(DRAWINGS))
def test_that_a_drawing_is_the_picture_that_was_looked_at(name: str) -> None:
    assert picture(DRAWINGS[name]) == golden_path(name).read_text(encoding="utf-8")


def test_that_no_golden_picture_is_left_over() -> None:
    assert set(golden_path("x").parent.iterdir()) == {golden_path(name) for name in DRAWINGS}


@given(st.lists(st.floats(-1e4, 1e4), max_size=9), st.floats(0.5, 50))
def test_that_labels_keep_their_order_and_their_middle(wanted: Sequence[float], distance: float) -> None:
    found = kept_apart(wanted, distance)
    assert sum(found) == pytest.approx(sum(wanted), abs=1e-6)
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    assert all(found[b] - found[a] >= distance - 1e-6 for a, b in pairwise(order))


def test_that_a_chart_leaves_out_and_names_its_series() -> None:
    chart = front()
    assert chart.legend == ("named", "curve")
    assert chart.without(["named"]).legend == ()
    assert [series.name for series in chart.without(["named", "other"]).series] == ["", "curve"]
    twice = replace(chart, series=(*chart.series, chart.series[0]))
    assert twice.legend == ("named", "curve")


def test_that_csv_tells_the_band_and_the_place_of_each_mark() -> None:
    assert turned().csv().splitlines() == [
        "series,row,Turned (GB/s),low,high,told",
        "gain,A,-30,,,30 less",
        "gain,a design whose name is far too long for a chart,60,50,90,60 more",
        "loss,a design whose name is far too long for a chart,20,20,20,20",
        "loss,A,1e-09,,,one byte",
    ]
    assert front().csv().splitlines()[:3] == [
        "series,Number,Size (TiB),low,high,told",
        "named,1,10,,,A",
        "named,2,20,,,BC",
    ]


@pytest.mark.parametrize(
    ("letters", "anchor", "at"), [(1, Anchor.START, 716), (7, Anchor.START, 716), (8, Anchor.END, 696)]
)
def test_that_a_label_stands_to_the_right_of_its_mark_while_it_fits_into_the_picture(
    letters: int, anchor: Anchor, at: float
) -> None:
    """The ground ends 54 units before the picture of 760; a letter is taken to be 6.2 wide."""
    mark = ChartMark(x=10, y=5, label="y" * letters)
    series = (ChartSeries(name="", kind=SeriesKind.DOTS, marks=(mark,)),)
    axis = axis_over("x", [10])
    drawing = chart_drawing(Chart(stem="", title="", x=axis, y=axis, series=series))
    (label,) = (shape for shape in drawing.shapes if isinstance(shape, Label) and shape.text == mark.label)
    assert label.anchor is anchor
    assert label.x == pytest.approx(at)
