"""A picture of a few simple shapes, in its own units; each shape names the role of its colour, not the colour."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


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
    """A line through points."""

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
    """A line of text whose baseline is at ``y``."""

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
    """Return these drawings one below the other as a single one."""
    shapes: list[Shape] = []
    height = 0.0
    for drawing in drawings:
        shapes.extend(_lowered(drawing.shapes, height))
        height += drawing.height
    width = max((drawing.width for drawing in drawings), default=0.0)
    told = " ".join(drawing.description for drawing in drawings)
    return Drawing(width=width, height=height, title=title, description=told, shapes=tuple(shapes))


def _lowered(shapes: Iterable[Shape], by: float) -> Iterable[Shape]:
    for shape in shapes:
        if isinstance(shape, Stroke | Area):
            yield replace(shape, points=tuple((x, y + by) for x, y in shape.points))
        else:
            yield replace(shape, y=shape.y + by)
