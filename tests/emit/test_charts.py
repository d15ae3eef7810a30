"""Where the shapes of a chart lie: what is twice as much is twice as far, everything stays in the frame."""

from math import log10
from typing import TypeVar

import pytest

from poolwright.capacity.cascade import Step
from poolwright.domain.units import TIB
from poolwright.emit.charts import WIDTH, BarMark, Spot, bar_chart, cascade_chart, front_chart, odds_chart
from poolwright.emit.drawing import Anchor, Box, Dot, Drawing, Label, ShapeRole, Stroke
from poolwright.predict.number_words import Unit

T = TypeVar("T", Box, Dot, Label, Stroke)
SPOTS = [
    Spot(x=10.0, y=40.0, told="slow"),
    Spot(x=90.0, y=10.0, name="the first choice", told="quick"),
    Spot(x=85.0, y=10.0, name="the second"),
    Spot(x=30.0, y=30.0),
]


def marks(*values: float | None, band: float = 0.0) -> list[BarMark]:
    return [
        BarMark(name=f"m{n}", low=v and v * (1 - band), typical=v, high=v and v * (1 + band))
        for n, v in enumerate(values)
    ]


def of(drawing: Drawing, kind: type[T]) -> list[T]:
    return [shape for shape in drawing.shapes if isinstance(shape, kind)]


def texts(drawing: Drawing) -> list[str]:
    return [label.text for label in of(drawing, Label)]


def whiskers(drawing: Drawing) -> list[Stroke]:
    return [s for s in of(drawing, Stroke) if s.role is ShapeRole.TEXT and s.points[0][1] == s.points[1][1]]


def front() -> Drawing:
    return front_chart("Front", "TiB", "MB/s", SPOTS, (SPOTS[0], SPOTS[1]))


def steps() -> list[Step]:
    return [
        Step(name="s", title="raw", bytes_left=100 * TIB, change_bytes=0, why="all disks"),
        Step(name="s", title="parity", bytes_left=75 * TIB, change_bytes=-25 * TIB, why="two of eight"),
        Step(name="s", title="rounding", bytes_left=75 * TIB - 1, change_bytes=-1, why="a byte"),
        Step(name="s", title="to plan with", bytes_left=60 * TIB, change_bytes=0, why="80 %"),
    ]


DRAWINGS = {
    "bars": bar_chart("Bars", Unit.BYTES, marks(5.5 * TIB, None, 11 * TIB, band=0.1)),
    "rates": bar_chart("Rates", Unit.RATE, marks(1e8, 3e8)),
    "nothing": bar_chart("Nothing", Unit.BYTES, marks(None)),
    "odds": odds_chart("Odds", marks(1e-3, 1e-9, None, band=0.5)),
    "cascade": cascade_chart("Cascade", steps()),
    "front": front(),
}


@pytest.mark.parametrize("name", list(DRAWINGS))
def test_that_nothing_lies_outside_of_the_frame(name: str) -> None:
    drawing = DRAWINGS[name]
    assert drawing.width == WIDTH
    points = [p for stroke in of(drawing, Stroke) for p in stroke.points]
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
    assert "unknown" in texts(drawing)
    assert drawing.description.startswith("m0: 5.5")


def test_that_the_axis_goes_in_round_steps_from_zero_past_the_largest_value() -> None:
    drawing = DRAWINGS["bars"]
    axis = [(label.x, label.text) for label in of(drawing, Label) if label.size == 11]
    assert [text for _, text in axis] == ["0", "5 TiB", "10 TiB", "15 TiB"]
    ticks = [s.points[0][0] for s in of(drawing, Stroke) if s.role is ShapeRole.LINE]
    assert ticks == [x for x, _ in axis]
    box = of(drawing, Box)[1]
    assert (axis[2][0] - box.x) / box.width == pytest.approx(10 / 11)
    assert next(label.text for label in of(DRAWINGS["nothing"], Label) if label.size == 11) == "0"


def test_that_bars_without_a_band_have_no_whisker() -> None:
    assert whiskers(DRAWINGS["rates"]) == []


def test_that_odds_stand_by_their_powers_of_ten_the_rarer_to_the_left() -> None:
    drawing = odds_chart("Odds", marks(1e-3, 1e-9, 1.0, 0.0, band=0.5))
    often, rarely, sure, never = of(drawing, Dot)
    decade = (often.x - rarely.x) / 6
    assert decade > 0
    assert sure.x - often.x == pytest.approx(3 * decade)
    assert never.x <= rarely.x
    (low, _), (high, _) = whiskers(drawing)[0].points
    assert high - low == pytest.approx(decade * log10(3))
    assert [label.text for label in of(odds_chart("O", marks(0.1, 1.0)), Label) if label.size == 11][1:] == ["certain"]
    assert next(label.text for label in of(drawing, Label) if label.size == 11) == "1 in 10 billion"
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


def test_that_a_front_has_its_layouts_where_their_values_say_and_a_line_through_the_best() -> None:
    drawing = front()
    dots = {(round(dot.x, 3), round(dot.y, 3)): dot for dot in of(drawing, Dot)}
    assert [dot.radius for dot in of(drawing, Dot)] == [2, 2, 6, 6]
    slow, plain, quick, second = of(drawing, Dot)
    assert (quick.x - slow.x) / (plain.x - slow.x) == pytest.approx(80 / 20)
    assert (quick.y - slow.y) / (plain.y - slow.y) == pytest.approx(30 / 10)
    assert slow.y < quick.y
    assert (slow.told, quick.told, second.told) == ("slow", "quick", "the second")
    (line,) = (s for s in of(drawing, Stroke) if s.width == 1.5)
    assert [dots[round(x, 3), round(y, 3)].told for x, y in line.points] == ["slow", "quick"]
    assert [s for s in of(front_chart("F", "x", "y", SPOTS, ()), Stroke) if s.width == 1.5] == []
    axis = [label.text for label in of(drawing, Label) if label.size == 11]
    assert axis == ["0", "20", "40", "60", "80", "100", "0", "10", "20", "30", "40"]
    assert drawing.description == "4 layouts. quick; the second"


def test_that_names_stand_beside_their_dots_towards_the_middle() -> None:
    drawing = front_chart("F", "x", "y", [*SPOTS, Spot(x=5.0, y=35.0, name="left")], ())
    names = {label.text: label for label in of(drawing, Label) if label.strong and label.size != 13}
    dots = {dot.told: dot for dot in of(drawing, Dot) if dot.radius == 6}
    first, left = names["the first choice"], names["left"]
    assert (first.anchor, left.anchor) == (Anchor.END, Anchor.START)
    assert first.x < dots["quick"].x
    assert left.x > dots["left"].x
    assert names["the second"].y - first.y >= 15
