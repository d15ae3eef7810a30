"""The charts of reports: bars with bands from zero, odds by powers of ten, from raw to planned bytes, a front."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from poolwright.capacity.cascade import Step
from poolwright.domain.units import TIB, binary, counted
from poolwright.emit.drawing import Anchor, Box, Dot, Drawing, Label, Shape, ShapeRole, Stroke
from poolwright.predict.number_words import Unit, number_text

WIDTH = 760.0
_LEFT, _RIGHT, _TOP = 210.0, 150.0, 34.0
_PLOT = WIDTH - _LEFT - _RIGHT
_ROW, _BAR = 34.0, 18.0
_FOOT = 26.0
_LONGEST = 30
_RAREST = 1e-15


@dataclass(frozen=True, slots=True, kw_only=True)
class BarMark:
    """A named value with its band; None is unknown, without a band all three are equal."""

    name: str
    low: float | None
    typical: float | None
    high: float | None
    role: ShapeRole = ShapeRole.ONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A layout in a plot of two values: ``name`` is written beside it when it is one of those compared."""

    x: float
    y: float
    name: str = ""
    told: str = ""
    role: ShapeRole = ShapeRole.GREY


def bar_chart(title: str, unit: Unit, marks: Sequence[BarMark]) -> Drawing:
    """Return bars from zero with whiskers for their bands; what is unknown says so."""
    most = max([mark.high or mark.typical or 0.0 for mark in marks], default=0.0) or 1.0
    step = _nice(most / 4)
    if unit is Unit.BYTES:
        step = _nice(most / TIB / 4) * TIB
    top = step * max(1, ceil(most / step - 1e-9))
    height = _TOP + _ROW * len(marks) + _FOOT
    shapes: list[Shape] = [_title(title)]
    for number in range(round(top / step) + 1):
        x = _LEFT + _PLOT * number * step / top
        shapes.append(_tick(x, len(marks)))
        text = _axis_text(number * step, unit)
        shapes.append(Label(x=x, y=height - 8, text=text, anchor=Anchor.MIDDLE, role=ShapeRole.MUTED, size=11))
    for number, mark in enumerate(marks):
        shapes.extend(_bar(mark, number, unit, _PLOT / top))
    return Drawing(width=WIDTH, height=height, title=title, description=_told(marks, unit), shapes=tuple(shapes))


def _bar(mark: BarMark, number: int, unit: Unit, scale: float) -> list[Shape]:
    middle = _TOP + _ROW * number + _ROW / 2
    shapes: list[Shape] = [_name(mark.name, middle)]
    if mark.typical is None:
        return [*shapes, _unknown(middle)]
    text = number_text(mark.typical, unit)
    shapes.append(
        Box(x=_LEFT, y=middle - _BAR / 2, width=max(1.0, mark.typical * scale), height=_BAR, role=mark.role, told=text)
    )
    end = mark.typical
    if mark.low is not None and mark.high is not None and mark.low < mark.high:
        shapes.extend(_whisker(_LEFT + mark.low * scale, _LEFT + mark.high * scale, middle))
        end = mark.high
    shapes.append(Label(x=_LEFT + max(end, mark.typical) * scale + 8, y=middle + 4, text=_short(text)))
    return shapes


def odds_chart(title: str, marks: Sequence[BarMark]) -> Drawing:
    """Return probabilities on a logarithmic scale, the rarer to the left, with whiskers for their bands."""
    known = [max(v, _RAREST) for m in marks for v in (m.low, m.typical, m.high) if v is not None and v > 0]
    first = floor(log10(min(known, default=1e-6)))
    last = min(0, max(ceil(log10(max(known, default=1.0))), first + 1))
    scale = _PLOT / (last - first)
    height = _TOP + _ROW * len(marks) + _FOOT
    shapes: list[Shape] = [_title(title)]
    every = max(1, ceil((last - first) / 4))
    for exponent in range(first, last + 1, every):
        x = _LEFT + (exponent - first) * scale
        shapes.append(_tick(x, len(marks)))
        text = "certain" if exponent == 0 else number_text(10.0**exponent, Unit.PROBABILITY)
        shapes.append(Label(x=x, y=height - 8, text=text, anchor=Anchor.MIDDLE, role=ShapeRole.MUTED, size=11))

    def place(value: float) -> float:
        return _LEFT + (log10(max(value, _RAREST)) - first) * scale

    for number, mark in enumerate(marks):
        middle = _TOP + _ROW * number + _ROW / 2
        shapes.append(_name(mark.name, middle))
        if mark.typical is None:
            shapes.append(_unknown(middle))
            continue
        if mark.low is not None and mark.high is not None:
            shapes.extend(_whisker(place(mark.low), place(mark.high), middle))
        text = number_text(mark.typical, Unit.PROBABILITY)
        shapes.append(Dot(x=place(mark.typical), y=middle, radius=6, role=mark.role, told=text))
        end = max(place(mark.high or mark.typical), place(mark.typical))
        shapes.append(Label(x=end + 12, y=middle + 4, text=text))
    told = _told(marks, Unit.PROBABILITY)
    return Drawing(width=WIDTH, height=height, title=title, description=told, shapes=tuple(shapes))


def cascade_chart(title: str, steps: Sequence[Step]) -> Drawing:
    """Return the way from raw bytes to those to plan with: each loss hangs from what was left before it."""
    most = max((step.bytes_left for step in steps), default=0) or 1
    scale, row = _PLOT / most, 26.0
    height = _TOP + row * len(steps) + 8
    shapes: list[Shape] = [_title(title)]
    for number, step in enumerate(steps):
        middle = _TOP + row * number + row / 2
        shapes.append(_name(step.title, middle, strong=step.change_bytes == 0))
        left = step.bytes_left * scale
        if step.change_bytes == 0:
            shapes.append(Box(x=_LEFT, y=middle - 8, width=left, height=16, role=ShapeRole.ONE, told=step.why))
            text, at = binary(step.bytes_left), left
        else:
            # A loss that is too small to see is still there.
            lost = max(1.5, -step.change_bytes * scale)
            shapes.append(Box(x=_LEFT, y=middle - 8, width=left, height=16, role=ShapeRole.ONE, faint=True))
            shapes.append(Box(x=_LEFT + left, y=middle - 8, width=lost, height=16, role=ShapeRole.LOSS, told=step.why))
            text, at = f"−{binary(-step.change_bytes)}", left + lost
        shapes.append(Label(x=_LEFT + at + 8, y=middle + 4, text=text))
    told = "; ".join(f"{step.title}: {binary(step.bytes_left)} left" for step in steps)
    return Drawing(width=WIDTH, height=height, title=title, description=told, shapes=tuple(shapes))


def front_chart(title: str, x_title: str, y_title: str, spots: Sequence[Spot], front: Sequence[Spot]) -> Drawing:
    """Return all layouts as dots, the best as a line, those compared as larger dots with their names."""
    left, bottom, high = 64.0, 46.0, 380.0
    wide, tall = WIDTH - left - 40, high - _TOP - bottom
    x_step = _nice(max([spot.x for spot in spots], default=1.0) / 5)
    y_step = _nice(max([spot.y for spot in spots], default=1.0) / 5)
    x_top = x_step * max(1, ceil(max([s.x for s in spots], default=1.0) / x_step - 1e-9))
    y_top = y_step * max(1, ceil(max([s.y for s in spots], default=1.0) / y_step - 1e-9))

    def place(x: float, y: float) -> tuple[float, float]:
        return left + x / x_top * wide, high - bottom - y / y_top * tall

    shapes: list[Shape] = [_title(title)]
    for number in range(round(x_top / x_step) + 1):
        x, y = place(number * x_step, 0)
        shapes.append(Stroke(points=((x, _TOP), (x, y)), role=ShapeRole.LINE))
        text = f"{number * x_step:g}"
        shapes.append(Label(x=x, y=y + 16, text=text, anchor=Anchor.MIDDLE, role=ShapeRole.MUTED, size=11))
    for number in range(round(y_top / y_step) + 1):
        x, y = place(0, number * y_step)
        shapes.append(Stroke(points=((x, y), (x + wide, y)), role=ShapeRole.LINE))
        text = f"{number * y_step:g}"
        shapes.append(Label(x=x - 8, y=y + 4, text=text, anchor=Anchor.END, role=ShapeRole.MUTED, size=11))
    named = [spot for spot in spots if spot.name]
    for spot in (*(s for s in spots if not s.name), *named):
        x, y = place(spot.x, spot.y)
        shapes.append(Dot(x=x, y=y, radius=6 if spot.name else 2, role=spot.role, told=spot.told or spot.name))
    if front:
        shapes.append(Stroke(points=tuple(place(s.x, s.y) for s in front), role=ShapeRole.MUTED, width=1.5))
    shapes.extend(_spot_names([(place(s.x, s.y), s) for s in named], right=left + wide))
    shapes.append(Label(x=left + wide / 2, y=high - 8, text=x_title, anchor=Anchor.MIDDLE, role=ShapeRole.MUTED))
    shapes.append(Label(x=4, y=_TOP - 8, text=y_title, role=ShapeRole.MUTED))
    told = f"{counted(len(spots), 'layout')}. " + "; ".join(s.told or s.name for s in named)
    return Drawing(width=WIDTH, height=high, title=title, description=told, shapes=tuple(shapes))


def _spot_names(placed: Sequence[tuple[tuple[float, float], Spot]], *, right: float) -> list[Shape]:
    """Return the names beside their dots, moved down where two would lie on each other."""
    shapes: list[Shape] = []
    taken: list[float] = []
    for (x, y), spot in sorted(placed, key=lambda item: item[0][1]):
        at = y + 4
        while any(abs(at - other) < 15 for other in taken):
            at += 15
        taken.append(at)
        near = x > right - 160
        name = _short(spot.name)
        anchor = Anchor.END if near else Anchor.START
        shapes.append(Label(x=x - 10 if near else x + 10, y=at, text=name, anchor=anchor, strong=True))
    return shapes


def _title(text: str) -> Label:
    return Label(x=0, y=16, text=text, size=13, strong=True)


def _name(text: str, middle: float, *, strong: bool = False) -> Label:
    return Label(x=_LEFT - 10, y=middle + 4, text=_short(text), anchor=Anchor.END, strong=strong)


def _unknown(middle: float) -> Label:
    return Label(x=_LEFT + 8, y=middle + 4, text="unknown", role=ShapeRole.MUTED)


def _tick(x: float, rows: int) -> Stroke:
    return Stroke(points=((x, _TOP - 6), (x, _TOP + _ROW * rows)), role=ShapeRole.LINE)


def _whisker(low: float, high: float, middle: float) -> list[Shape]:
    ends = [Stroke(points=((x, middle - 5), (x, middle + 5)), role=ShapeRole.TEXT, width=1.5) for x in (low, high)]
    return [Stroke(points=((low, middle), (high, middle)), role=ShapeRole.TEXT, width=1.5), *ends]


def _nice(raw: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least ``raw``."""
    if raw <= 0:
        return 1.0
    power = 10.0 ** floor(log10(raw))
    return next((factor * power for factor in (1, 2, 5) if factor * power >= raw * (1 - 1e-9)), 10 * power)


def _axis_text(value: float, unit: Unit) -> str:
    if value == 0:
        return "0"
    if unit is Unit.BYTES:
        return f"{value / TIB:g} TiB"
    if unit is Unit.OPERATIONS:
        return f"{value:,.0f}"
    return number_text(value, unit)


def _told(marks: Sequence[BarMark], unit: Unit) -> str:
    words = ("unknown" if m.typical is None else number_text(m.typical, unit) for m in marks)
    return "; ".join(f"{mark.name}: {text}" for mark, text in zip(marks, words, strict=True))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
