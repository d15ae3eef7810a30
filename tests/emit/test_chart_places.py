"""Where things stand in a chart, against arithmetic done by hand."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.emit.drawn import front, turned

from poolwright.emit.chart import Chart, ChartMark, ChartSeries, SeriesKind, axis_over, chart_drawing, kept_apart
from poolwright.emit.drawing import Anchor, Label


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
