"""A picture of a few simple shapes, in its own units; each shape names the role of its colour, not the colour."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from html import escape
from itertools import groupby
from math import cos, pi, sin

from poolwright.domain.shown import shown_text
from poolwright.domain.vdev import Layout, VdevClass, VdevSpec, describe, shares_of, short_words
from poolwright.emit.palette import LIGHT, Colours
from poolwright.texts import punctuated


class ShapeRole(StrEnum):
    """What a shape is; each value is the field of `palette.Colours` that has its colour."""

    TEXT = "text"
    MUTED = "muted"
    LINE = "line"
    LOSS = "edge"
    GREY = "disabled"
    GROUND = "base"
    ACCENT = "accent"
    NOTE = "note"
    WARN = "warn"
    ONE = "one"
    TWO = "two"
    THREE = "three"
    FOUR = "four"
    FIVE = "five"
    SIX = "six"


class Marker(StrEnum):
    """The form of a dot: series are told apart by it as well as by their colour."""

    DISC = "disc"
    SQUARE = "square"
    TRIANGLE = "triangle"
    DIAMOND = "diamond"
    PENTAGON = "pentagon"
    STAR = "star"
    RING = "ring"


# The colours of series in their order, and the markers that go with them.
SERIES = (ShapeRole.ONE, ShapeRole.TWO, ShapeRole.THREE, ShapeRole.FOUR, ShapeRole.FIVE, ShapeRole.SIX)
MARKERS = (Marker.DISC, Marker.SQUARE, Marker.TRIANGLE, Marker.DIAMOND, Marker.PENTAGON, Marker.STAR)


class Anchor(StrEnum):
    """Which end of a label stands at its place."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A filled rectangle; ``told`` is what the pointer shows."""

    x: float
    y: float
    width: float
    height: float
    role: ShapeRole
    faint: bool = False
    told: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    points: tuple[tuple[float, float], ...]
    role: ShapeRole
    width: float = 1.0
    dashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    points: tuple[tuple[float, float], ...]
    role: ShapeRole
    faint: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    x: float
    y: float
    radius: float
    role: ShapeRole
    marker: Marker = Marker.DISC
    told: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    x: float
    y: float
    text: str
    anchor: Anchor = Anchor.START
    role: ShapeRole = ShapeRole.TEXT
    size: float = 12.0
    strong: bool = False


Shape = Box | Stroke | Area | Dot | Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Shapes in the order they are drawn; ``title`` and ``description`` are for those who do not see it."""

    width: float
    height: float
    title: str
    description: str
    shapes: tuple[Shape, ...]


def stacked(drawings: Sequence[Drawing], title: str) -> Drawing:
    shapes: list[Shape] = []
    height = 0.0
    for drawing in drawings:
        shapes.extend(_lowered(drawing.shapes, height))
        height += drawing.height
    width = max((drawing.width for drawing in drawings), default=0.0)
    description = " ".join(drawing.description for drawing in drawings)
    return Drawing(width=width, height=height, title=title, description=description, shapes=tuple(shapes))


def _lowered(shapes: Iterable[Shape], by: float) -> Iterable[Shape]:
    for shape in shapes:
        if isinstance(shape, Stroke | Area):
            yield replace(shape, points=tuple((x, y + by) for x, y in shape.points))
        else:
            yield replace(shape, y=shape.y + by)


# Drawings as SVG: with classes, for a page whose style sheet has the colours, or with the colours written in.

_FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"  # for machines
_FAINT = "0.25"
# Where the corners of a marker stand: the angle clockwise from above, and how much of the radius away.
_CORNERS = {
    Marker.SQUARE: tuple((pi / 4 + pi / 2 * n, 1.2) for n in range(4)),
    Marker.TRIANGLE: tuple((2 * pi / 3 * n, 1.2) for n in range(3)),
    Marker.DIAMOND: tuple((pi / 2 * n, 1.25) for n in range(4)),
    Marker.PENTAGON: tuple((2 * pi / 5 * n, 1.1) for n in range(5)),
    Marker.STAR: tuple((pi / 5 * n, 0.6 if n % 2 else 1.4) for n in range(10)),
}


def svg(drawing: Drawing, *, with_colours: bool = False) -> str:
    """Return an SVG element; without colours its shapes have the classes ``f-ROLE`` (fill) and ``s-ROLE`` (stroke)."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(drawing.width)} {_n(drawing.height)}" '
        f'width="{_n(drawing.width)}" height="{_n(drawing.height)}" role="img" '
        f'aria-label="{_text(drawing.title)}" font-family="{_FONT}">'
    )
    texts = f"<title>{_text(drawing.title)}</title><desc>{_text(drawing.description)}</desc>"
    found = f"{head}{texts}{''.join(map(_shape, drawing.shapes))}</svg>"
    return _CLASS.sub(lambda seen: f' {_PAINTS[seen[1]]}="{getattr(LIGHT, seen[2])}"', found) if with_colours else found


_CLASS, _PAINTS = re.compile(' class="([fs])-([a-z]+)"'), {"f": "fill", "s": "stroke"}


def colour_rules(colours: Colours) -> str:
    found = ((role, getattr(colours, role)) for role in ShapeRole)
    return "".join(f".f-{role}{{fill:{colour}}}.s-{role}{{stroke:{colour}}}" for role, colour in found)


def _shape(shape: Shape) -> str:
    if isinstance(shape, Box):
        faint = f' fill-opacity="{_FAINT}"' if shape.faint else ""
        place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" height="{_n(shape.height)}"'
        return _titled("rect", f"{place}{_fill(shape.role)}{faint}", shape.told)
    if isinstance(shape, Stroke):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        dashes = ' stroke-dasharray="5 4"' if shape.dashed else ""
        look = f'fill="none" stroke-width="{_n(shape.width)}"{_stroke(shape.role)}{dashes}'  # for machines
        return f'<polyline points="{points}" {look}/>'
    if isinstance(shape, Area):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        faint = f' fill-opacity="{_FAINT}"' if shape.faint else ""
        return f'<polygon points="{points}"{_fill(shape.role)}{faint}/>'
    if isinstance(shape, Dot):
        return _dot(shape)
    return _label(shape)


def _dot(dot: Dot) -> str:
    ring = f' fill="none" stroke-width="2"{_stroke(dot.role)}'  # for machines
    look = ring if dot.marker is Marker.RING else _fill(dot.role)
    corners = marker_corners(dot.marker, dot.x, dot.y, dot.radius)
    if corners:
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in corners)
        return _titled("polygon", f'points="{points}"{look}', dot.told)
    return _titled("circle", f'cx="{_n(dot.x)}" cy="{_n(dot.y)}" r="{_n(dot.radius)}"{look}', dot.told)


def marker_corners(marker: Marker, x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """Return the corners of a marker in the middle of ``x`` and ``y``; none of a disc or a ring."""
    corners = _CORNERS.get(marker, ())
    return [(x + radius * reach * sin(angle), y - radius * reach * cos(angle)) for angle, reach in corners]


def _label(label: Label) -> str:
    strong = ' font-weight="600"' if label.strong else ""
    look = f'text-anchor="{label.anchor}" font-size="{_n(label.size)}"{strong}{_fill(label.role)}'
    return f'<text x="{_n(label.x)}" y="{_n(label.y)}" {look}>{_text(label.text)}</text>'


def _titled(tag: str, look: str, title: str) -> str:
    return f"<{tag} {look}><title>{_text(title)}</title></{tag}>" if title else f"<{tag} {look}/>"


def _fill(role: ShapeRole) -> str:
    return f' class="f-{role}"'


def _stroke(role: ShapeRole) -> str:
    return f' class="s-{role}"'


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _text(text: str) -> str:
    return escape(shown_text(punctuated(text)))


# The vdevs of a layout.

_WIDE, _NAMES, _PITCH, _LINE, _MOST_DRAWN = 760.0, 190.0, 16.0, 28.0, 24


def vdevs_drawing(layout: Layout, *, named: bool = True) -> Drawing:
    """Return the vdevs as tiles, a tile a disk, above a bar of what is data and, grey, what is redundancy."""
    shapes: list[Shape] = []
    top, front = 0.0, _NAMES if named else 0.0
    for spec, run in groupby(layout):
        count = len(tuple(run))
        pitch = min(_PITCH, (_WIDE - front) / max(1, spec.width))
        if named:
            shapes.append(Label(x=0, y=top + 13, text=describe((spec,) * count)))
        left = front
        for __ in range(min(count, _MOST_DRAWN)):  # how many there are is told beside them
            if left > front and left + spec.width * pitch > _WIDE:
                left, top = front, top + _LINE
            shapes.extend(_vdev_shapes(spec, left, top, pitch))
            left += spec.width * pitch + _PITCH
        top += _LINE
    words = short_words(layout)
    return Drawing(width=_WIDE, height=max(top, _LINE), title=words, description=words, shapes=tuple(shapes))


def _vdev_shapes(spec: VdevSpec, left: float, top: float, pitch: float) -> Iterator[Shape]:
    side, idle = pitch * 0.8, spec.vdev_class in (VdevClass.SPARE, VdevClass.CACHE)
    role = ShapeRole.MUTED if idle else ShapeRole.ACCENT
    for number in range(spec.width):
        yield Box(x=left + number * pitch, y=top, width=side, height=side, role=role, faint=True)
    if not idle:
        whole, (data, __) = (spec.width - 1) * pitch + side, shares_of(spec)
        yield Box(x=left, y=top + side + 3, width=whole * data, height=4, role=ShapeRole.ACCENT)
        yield Box(x=left + whole * data, y=top + side + 3, width=whole * (1 - data), height=4, role=ShapeRole.LOSS)
