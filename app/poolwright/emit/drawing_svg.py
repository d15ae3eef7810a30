"""Drawings as SVG: with classes, for a page whose style sheet has the colours, or with the colours written in."""

from html import escape

from poolwright.domain.shown import shown_text
from poolwright.emit.drawing import Box, Dot, Drawing, Label, Shape, ShapeRole, Stroke

LIGHT = {
    ShapeRole.TEXT: "#1a2126",
    ShapeRole.MUTED: "#56626b",
    ShapeRole.LINE: "#ccd3d8",
    ShapeRole.BAND: "#56626b",
    ShapeRole.LOSS: "#a9b3ba",
    ShapeRole.GREY: "#8b959c",
    ShapeRole.ONE: "#0b6478",
    ShapeRole.TWO: "#b45309",
    ShapeRole.THREE: "#6d3fa0",
    ShapeRole.FOUR: "#1b6e36",
    ShapeRole.FIVE: "#a3195b",
    ShapeRole.SIX: "#4d5a00",
}
DARK = {
    ShapeRole.TEXT: "#e4e9eb",
    ShapeRole.MUTED: "#a3afb6",
    ShapeRole.LINE: "#3d474d",
    ShapeRole.BAND: "#a3afb6",
    ShapeRole.LOSS: "#5a666d",
    ShapeRole.GREY: "#6c777e",
    ShapeRole.ONE: "#5cbdd2",
    ShapeRole.TWO: "#e3ab54",
    ShapeRole.THREE: "#c3a5f0",
    ShapeRole.FOUR: "#67c587",
    ShapeRole.FIVE: "#f497c2",
    ShapeRole.SIX: "#c6d45f",
}
_FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
_FAINT = "0.25"


def svg(drawing: Drawing, *, with_colours: bool = False) -> str:
    """Return the drawing as an SVG element.

    Without colours written in, shapes have the classes ``f-ROLE`` (fill) and ``s-ROLE`` (stroke) for a style sheet.
    """
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(drawing.width)} {_n(drawing.height)}" '
        f'width="{_n(drawing.width)}" height="{_n(drawing.height)}" role="img" '
        f'aria-label="{_text(drawing.title)}" font-family="{_FONT}">'
    )
    told = f"<title>{_text(drawing.title)}</title><desc>{_text(drawing.description)}</desc>"
    shapes = "".join(_shape(shape, with_colours=with_colours) for shape in drawing.shapes)
    return f"{head}{told}{shapes}</svg>"


def colour_rules(colours: dict[ShapeRole, str]) -> str:
    """Return the style rules that give the classes of `svg` their colours."""
    return "".join(f".f-{role}{{fill:{colour}}}.s-{role}{{stroke:{colour}}}" for role, colour in colours.items())


def _shape(shape: Shape, *, with_colours: bool) -> str:
    if isinstance(shape, Box):
        faint = f' fill-opacity="{_FAINT}"' if shape.faint else ""
        place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" height="{_n(shape.height)}"'
        return _told("rect", f"{place}{_fill(shape.role, with_colours)}{faint}", shape.told)
    if isinstance(shape, Stroke):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        dashes = ' stroke-dasharray="5 4"' if shape.dashed else ""
        look = f'fill="none" stroke-width="{_n(shape.width)}"{_stroke(shape.role, with_colours)}{dashes}'
        return f'<polyline points="{points}" {look}/>'
    if isinstance(shape, Dot):
        place = f'cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}"'
        ring = f' fill="none" stroke-width="2"{_stroke(shape.role, with_colours)}'
        return _told("circle", place + (ring if shape.ring else _fill(shape.role, with_colours)), shape.told)
    return _label(shape, with_colours=with_colours)


def _label(label: Label, *, with_colours: bool) -> str:
    strong = ' font-weight="600"' if label.strong else ""
    look = f'text-anchor="{label.anchor}" font-size="{_n(label.size)}"{strong}{_fill(label.role, with_colours)}'
    return f'<text x="{_n(label.x)}" y="{_n(label.y)}" {look}>{_text(label.text)}</text>'


def _told(tag: str, look: str, told: str) -> str:
    return f"<{tag} {look}><title>{_text(told)}</title></{tag}>" if told else f"<{tag} {look}/>"


def _fill(role: ShapeRole, with_colours: bool) -> str:
    return f' fill="{LIGHT[role]}"' if with_colours else f' class="f-{role}"'


def _stroke(role: ShapeRole, with_colours: bool) -> str:
    return f' stroke="{LIGHT[role]}"' if with_colours else f' class="s-{role}"'


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _text(text: str) -> str:
    return escape(shown_text(text))
