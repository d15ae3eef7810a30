"""Where things stand in a chart, against arithmetic done by hand."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.emit.drawn import front, turned

from poolwright.emit.chart import (
    Chart,
    ChartAxis,
    ChartMark,
    ChartSeries,
    SeriesKind,
    TickForm,
    axis_over,
    chart_drawing,
    ends,
    kept_apart,
    log_axis,
    nice,
    placed,
    range_with_labels,
    room_for_dots,
    row_place,
    ticks_between,
    x_range,
)
from poolwright.emit.drawing import Anchor, Label, Marker, marker_corners


@pytest.mark.parametrize(
    ("values", "room", "ends_at"),
    [
        ([], 1.0, (0, 1)), ([5, 20], 1.0, (0, 20)), ([5, 20], 1.5, (0, 30)), ([-3, 8], 1.0, (-3, 8)),
        ([-3, -1], 1.0, (-3, 0)), ([0], 1.0, (0, 1)), ([0.25], 2.0, (0, 0.5)),
    ],
)  # fmt: skip
def test_that_an_axis_goes_from_zero_or_below_it_to_the_largest_value(
    values: list[float], room: float, ends_at: tuple[float, float]
) -> None:
    axis = axis_over("Size", values, unit="TiB", room=room)
    assert (axis.low, axis.high) == ends_at == ends(axis)
    assert (axis.words, axis.ticks) == ("Size (TiB)", ())
    assert axis_over("Size", values).words == "Size"


def test_that_only_whole_numbers_within_the_axis_have_a_tick_where_things_are_counted() -> None:
    assert axis_over("Disks", [-1.5, 2.5], whole=True).ticks == ((-1, "-1"), (0, "0"), (1, "1"), (2, "2"))


def test_that_dots_have_room_above_and_below() -> None:
    counted = axis_over("Disks", [4], unit="count", whole=True)
    axis = room_for_dots(counted)
    assert (axis.low, axis.high) == pytest.approx((-0.112, 4.48))
    assert (axis.title, axis.unit, axis.ticks) == ("Disks", "count", counted.ticks)
    assert room_for_dots(axis_over("x", [-9, 4])).low == -9


@pytest.mark.parametrize(
    ("values", "form", "powers"),
    [
        ([3, 400], TickForm.NUMBER, (0, 3)),
        ([10], TickForm.NUMBER, (1, 2)),
        ([], TickForm.NUMBER, (0, 1)),
        ([0.0, 1e-3], TickForm.NUMBER, (-15, -3)),
        ([2e-9, 3e-4], TickForm.ODDS, (-9, -3)),
        ([1.0], TickForm.ODDS, (-1, 0)),  # no probability is above one
        ([1e-3, 1.0], TickForm.ODDS, (-3, 0)),
        ([2e-5, 2.0], TickForm.ODDS, (-5, 0)),
        ([2e4, 3e6], TickForm.ONE_IN, (4, 7)),
    ],
)
def test_that_a_logarithmic_axis_goes_over_whole_powers_of_ten_with_a_little_beyond(
    values: list[float], form: TickForm, powers: tuple[int, int]
) -> None:
    axis = log_axis("Odds", values, unit="a year", form=form)
    assert ends(axis) == pytest.approx((powers[0] - 0.06 if powers[0] > -15 else -15, powers[1] + 0.06))
    assert (axis.low, axis.high) == pytest.approx((10 ** (powers[0] - 0.06), 10 ** (powers[1] + 0.06)))
    assert (axis.log, axis.form, axis.words) == (True, form, "Odds (a year)")


def test_that_a_value_stands_at_itself_or_at_its_power_of_ten() -> None:
    assert placed(axis_over("x", [9]), 0.5) == 0.5
    by_decades = log_axis("x", [1, 100])
    assert [placed(by_decades, value) for value in (1000.0, 0.01, 1e-15, 0.0)] == pytest.approx([3, -2, -15, -15])


LINEAR = ChartAxis(title="", low=0, high=100)


@pytest.mark.parametrize(
    ("axis", "low", "high", "most", "texts"),
    [
        (LINEAR, 0, 100, 5, ["0", "20", "40", "60", "80", "100"]),
        (LINEAR, 0, 100, 4, ["0", "50", "100"]),
        (LINEAR, 0, 100, 0.2, ["0", "100"]),
        (LINEAR, -10, 11, 3, ["-10", "0", "10"]),
        (LINEAR, 0.1, 0.7, 3, ["0.2", "0.4", "0.6"]),
        (LINEAR, 0, 3000, 3, ["0", "1,000", "2,000", "3,000"]),
        (LINEAR, 5, 5, 3, ["5"]),
        (log_axis("", [1]), 0, 3, 5, ["1", "10", "100", "1,000"]),
        (log_axis("", [1]), 0, 4, 2, ["1", "100", "10,000"]),
        (log_axis("", [1]), 0, 1, 5, ["1", "10"]),
        (log_axis("", [1]), 0, 0.8, 4, ["1", "1.58", "2.51", "3.98", "6.31"]),  # the fifth roots of ten
        (log_axis("", [1], form=TickForm.ODDS), -3, 0, 3, ["1 in 1,000", "1 in 100", "10 %", "100 %"]),
        (log_axis("", [1], form=TickForm.ODDS), 0, 1, 3, ["100 %", "100 %"]),
        (log_axis("", [1], form=TickForm.ONE_IN), 0, 3, 3, ["100 %", "10 %", "1 in 100", "1 in 1,000"]),
        (log_axis("", [1], form=TickForm.ONE_IN), -1, 0, 3, ["100 %", "100 %"]),
    ],
)
def test_that_ticks_stand_at_round_numbers(
    axis: ChartAxis, low: float, high: float, most: float, texts: list[str]
) -> None:
    found = ticks_between(axis, low, high, most)
    assert [text for _, text in found] == texts
    if axis is LINEAR:
        assert [place for place, _ in found] == pytest.approx([float(text.replace(",", "")) for text in texts])


def test_that_named_ticks_are_shown_where_they_are_in_sight() -> None:
    named = replace(LINEAR, ticks=((1.0, "one"), (2.0, "two"), (3.0, "three")))
    assert ticks_between(named, 1.0, 2.0, 9) == [(1.0, "one"), (2.0, "two")]
    by_decades = replace(log_axis("", [1, 1000]), ticks=((10.0, "ten"), (1000.0, "many")))
    assert ticks_between(by_decades, 0.5, 2.9, 9) == [(1.0, "ten")]


@pytest.mark.parametrize(
    ("raw", "step"),
    [(0.0, 1), (-2, 1), (1, 1), (1.01, 2), (2, 2), (2.01, 5), (5, 5), (5.01, 10), (0.03, 0.05), (70, 100), (10, 10)],
)
def test_that_a_step_is_the_next_round_number(raw: float, step: float) -> None:
    assert nice(raw) == pytest.approx(step)


def range_of(values: list[float], widths: list[float], **bounds: float | bool) -> tuple[float, float]:
    return range_with_labels(values, widths, 100.0, **({"least": 0.0, "most": 10.0} | bounds))  # type: ignore[arg-type]


def test_that_a_range_has_room_for_labels_and_no_more() -> None:
    assert range_of([], []) == (0, 10)
    assert range_of([4], [30]) == (0, 10)
    # A label of a fifth of the width beyond the end: the chart has four fifths for 0 to 10.
    assert range_of([10], [20]) == pytest.approx((0, 12.5), rel=1e-3)
    assert range_of([-10], [20], least=-10, most=0) == pytest.approx((-12.5, 0), rel=1e-3)
    # To both sides: a fifth each.
    assert range_of([-10, 10], [20, 20], least=-10) == pytest.approx((-16.67, 16.67), rel=1e-2)
    # By powers of ten, labels stand to the right however low they are.
    assert range_of([-10], [20], least=-12, most=-10, leftward=False) == pytest.approx((-12, -9.5), rel=1e-3)
    # No label takes more than half of the room: six rounds towards 20.
    assert range_of([10], [500]) == pytest.approx((0, 20 - 10 / 2**6))
    assert range_of([15], [0], least=-2) == (-2, 15)
    assert range_of([3], [0], least=3, most=3) == (3, 4)
    assert range_with_labels([5], [1], 0.0, least=0, most=5) == (0, 5)


def test_that_the_range_of_a_chart_counts_the_labels_beside_its_marks() -> None:
    def wide(text: str) -> float:
        return 84.0 if text else 1e6

    def range_for(kind: SeriesKind, *, rows: tuple[str, ...] = (), inside: bool = False) -> tuple[float, float]:
        marks = (ChartMark(x=10, y=0, low=5, high=12, label="far"), ChartMark(x=10, y=0))
        series = (ChartSeries(name="", kind=kind, marks=marks, inside=inside),)
        axis = axis_over("x", [10])
        return x_range(Chart(stem="", title="", x=axis, y=axis, series=series, rows=rows), 1000.0, wide)

    # 84 units of text and 16 around it are a tenth of the width: beyond the mark, or beyond its band in a row.
    assert range_for(SeriesKind.LINE) == pytest.approx((0, 10 / 0.9), rel=1e-4)
    assert range_for(SeriesKind.BARS, rows=("a",)) == pytest.approx((0, 12 / 0.9), rel=1e-4)
    assert range_for(SeriesKind.DOTS) == (0, 10)
    assert range_for(SeriesKind.LINE, inside=True) == (0, 10)


def test_that_labels_below_zero_have_room_at_their_left_but_not_on_an_axis_of_powers() -> None:
    def range_for(axis: ChartAxis, x: float) -> tuple[float, float]:
        series = (ChartSeries(name="", kind=SeriesKind.BARS, marks=(ChartMark(x=x, y=0, label="label"),)),)
        return x_range(Chart(stem="", title="", x=axis, y=axis, series=series, rows=("a",)), 100.0, lambda _: 4.0)

    assert range_for(axis_over("x", [-8]), -8.0) == pytest.approx((-10, 0), rel=1e-3)
    axis = log_axis("x", [1e-3, 1e-2])
    assert range_for(axis, 1e-2) == pytest.approx((-3.06, -2 + 1.06 * 0.25), rel=1e-2)


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        ([], []), ([7], [7]), ([0, 20, 40], [0, 20, 40]), ([5, 5], [0, 10]), ([3, 0], [6.5, -3.5]),
        ([0, 0, 0], [-10, 0, 10]), ([0, 4, 100], [-2, 8, 98]),
    ],
)  # fmt: skip
def test_that_what_is_too_near_moves_apart_to_both_sides(wanted: list[float], places: list[float]) -> None:
    assert kept_apart(wanted, 10) == pytest.approx(places)


@given(st.lists(st.floats(-1e4, 1e4), max_size=9), st.floats(0.5, 50))
def test_that_labels_keep_their_order_and_their_middle(wanted: Sequence[float], distance: float) -> None:
    found = kept_apart(wanted, distance)
    assert sum(found) == pytest.approx(sum(wanted), abs=1e-6)
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    assert all(found[b] - found[a] >= distance - 1e-6 for a, b in pairwise(order))


def test_that_the_bars_of_a_row_share_its_height_the_first_at_the_top() -> None:
    chart = turned()
    first, second = chart.series
    # Two bars of 0.4 each, around the middle of the row.
    assert row_place(chart, first, 2, 34.0) == pytest.approx((-1.8, 0.4))
    assert row_place(chart, second, 2, 34.0) == pytest.approx((-2.2, 0.4))
    # None is thicker than 26 pixels.
    assert row_place(chart, first, 0, 130.0) == pytest.approx((0.1, 0.2))


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
    ("marker", "corners", "top"),
    [
        (Marker.DISC, 0, None), (Marker.RING, 0, None), (Marker.SQUARE, 4, -1.2 * 0.5**0.5), (Marker.TRIANGLE, 3, -1.2),
        (Marker.DIAMOND, 4, -1.25), (Marker.PENTAGON, 5, -1.1), (Marker.STAR, 10, -1.4),
    ],
)  # fmt: skip
def test_that_a_marker_has_its_corners_around_its_place(marker: Marker, corners: int, top: float | None) -> None:
    found = marker_corners(marker, 50, 20, 10)
    assert len(found) == corners
    if top is not None:
        assert min(y for _, y in found) == pytest.approx(20 + 10 * top)
        assert sum(x for x, _ in found) / corners == pytest.approx(50)
        assert sum(y for _, y in found) / corners == pytest.approx(20)


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
