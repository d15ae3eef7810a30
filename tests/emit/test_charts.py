"""Charts as drawings: what is twice as much is twice as far, all stays in the frame, axes read as they should."""

from collections.abc import Sequence
from math import log10

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.emit.drawn import DRAWINGS, bars, golden_path, of, picture, scatter, texts

from poolwright.domain.units import TIB
from poolwright.emit.chart import axis_over, ends, log_axis, ticks_between
from poolwright.emit.chart_drawing import WIDTH, chart_drawing
from poolwright.emit.drawing import MARKERS, Anchor, Area, Box, Dot, Drawing, Label, Marker, ShapeRole, Stroke
from poolwright.predict.number_words import Unit


def axis_texts(drawing: Drawing) -> list[str]:
    return [label.text for label in of(drawing, Label) if label.size == 11]


def whiskers(drawing: Drawing) -> list[Stroke]:
    return [s for s in of(drawing, Stroke) if s.role is ShapeRole.TEXT and s.points[0][1] == s.points[1][1]]


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


def test_that_bars_begin_at_zero_and_bands_lie_around_their_ends() -> None:
    drawing = DRAWINGS["bars"]
    small, large = of(drawing, Box)
    assert small.x == large.x
    assert large.width == pytest.approx(2 * small.width)
    for box, line in zip((small, large), whiskers(drawing), strict=True):
        (low, middle), (high, _) = line.points
        assert middle == pytest.approx(box.y + box.height / 2)
        assert [low - box.x, high - box.x] == pytest.approx([0.9 * box.width, 1.1 * box.width])
    assert texts(drawing).count("unknown") == 1
    assert drawing.description.startswith("m0: ")
    assert whiskers(DRAWINGS["rates"]) == []


def test_that_the_axis_goes_in_round_steps_and_names_its_unit() -> None:
    drawing = DRAWINGS["bars"]
    assert axis_texts(drawing)[:3] == ["0", "5", "10"]
    assert "Bars (TiB)" in texts(drawing)
    ticks = [label.x for label in of(drawing, Label) if label.size == 11]
    assert (ticks[2] - ticks[0]) / of(drawing, Box)[1].width == pytest.approx(10 / 11)
    assert "Bars (GB/s)" in texts(DRAWINGS["rates"])


def test_that_odds_stand_by_their_powers_of_ten_the_rarer_to_the_left() -> None:
    drawing = chart_drawing(bars(Unit.PROBABILITY, 1e-3, 1e-9, 1.0, band=0.5))
    often, rarely, sure = of(drawing, Dot)
    decade = (often.x - rarely.x) / 6
    assert decade > 0
    assert sure.x - often.x == pytest.approx(3 * decade)
    (low, _), (high, _) = whiskers(drawing)[0].points
    assert high - low == pytest.approx(decade * log10(3))
    assert axis_texts(drawing)[-1] == "100 %"
    assert axis_texts(drawing)[0].startswith("1 in ")
    assert texts(DRAWINGS["odds"]).count("unknown") == 1


def test_that_each_loss_hangs_from_what_was_left_and_is_seen_however_small() -> None:
    whole, left, lost, rest, byte, last = of(DRAWINGS["cascade"], Box)
    assert left.width == pytest.approx(0.75 * whole.width)
    assert [lost.x, lost.width] == pytest.approx([left.x + left.width, 0.25 * whole.width])
    assert (left.faint, lost.role, whole.role) == (True, ShapeRole.LOSS, ShapeRole.ONE)
    assert byte.width > 1
    assert rest.width == pytest.approx(left.width)
    assert last.width == pytest.approx(0.6 * whole.width)
    assert {"100 TiB", "−25.0 TiB", "−1 B"} <= {text.replace("100.0", "100") for text in texts(DRAWINGS["cascade"])}


def test_that_marks_stand_where_their_values_say_in_their_own_form() -> None:
    drawing = DRAWINGS["dots"]
    first = [dot for dot in of(drawing, Dot) if dot.told and dot.marker is Marker.DISC]
    slow, quick, _, plain = first
    assert (quick.x - slow.x) / (plain.x - slow.x) == pytest.approx(89 / 29)
    assert (quick.y - slow.y) / (plain.y - slow.y) == pytest.approx(30 / 10)
    assert slow.y < quick.y
    assert {dot.marker for dot in of(drawing, Dot)} == {*MARKERS, Marker.RING}
    by_decades = [dot for dot in of(DRAWINGS["dots by decades"], Dot) if dot.told and dot.marker is Marker.DISC]
    ratio = (by_decades[3].x - by_decades[0].x) / (by_decades[1].x - by_decades[0].x)
    assert ratio == pytest.approx(log10(30) / log10(90))


def test_that_a_label_near_the_edge_stands_towards_the_middle() -> None:
    dots = chart_drawing(scatter().without(f"s{n}" for n in range(1, 6)))
    labels = {label.text: label for label in of(dots, Label)}
    assert labels["the second choice"].anchor is Anchor.END
    assert abs(labels["the second choice"].y - labels["third"].y) >= 10


def test_that_every_series_of_several_stands_in_the_legend_and_limits_are_dashed_and_named() -> None:
    shown = texts(DRAWINGS["dots"])
    assert {*(f"s{n}" for n in range(6)), "most", "near it"} <= set(shown)
    assert len([stroke for stroke in of(DRAWINGS["dots"], Stroke) if stroke.dashed]) == 2
    assert "61 MB/s, measured" in DRAWINGS["dots"].description


def test_that_a_curve_has_its_band_and_stairs_hold_their_value_until_the_next() -> None:
    (area,) = of(DRAWINGS["band"], Area)
    assert len(area.points) == 10
    assert area.faint
    (line, _) = (s for s in of(DRAWINGS["stairs"], Stroke) if s.width == 1.5)
    assert [a[0] == b[0] or a[1] == b[1] for a, b in zip(line.points, line.points[1:], strict=False)] == [True] * 4
    (lane,) = of(DRAWINGS["lanes"], Area)
    assert lane.points[0][1] == lane.points[-1][1] == max(y for _, y in lane.points)


def test_that_csv_tells_each_mark_with_its_place_and_a_switched_off_series_is_left_out() -> None:
    lines = bars(Unit.BYTES, 5.5 * TIB, None, 11 * TIB).csv().splitlines()
    assert lines[0] == "series,row,Bars (TiB),low,high,told"
    assert [line.split(",")[:3] for line in lines[1:]] == [["", "m0", "5.5"], ["", "m2", "11"]]
    assert {line.split(",")[0] for line in scatter().without(["s0"]).csv().splitlines()[1:]} == {
        "", "s1", "s2", "s3", "s4", "s5",
    }  # fmt: skip
    assert scatter().without(["s0"]).legend == ("s1", "s2", "s3", "s4", "s5")
    assert bars(Unit.BYTES, 1.0).legend == ()


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
