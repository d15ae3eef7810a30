"""The way from raw to planned bytes as a picture."""

from collections.abc import Sequence

from poolwright.capacity.cascade import Step
from poolwright.domain.units import binary
from poolwright.emit.chart_drawing import WIDTH
from poolwright.emit.drawing import Anchor, Box, Drawing, Label, Shape, ShapeRole
from poolwright.texts import tell

_LEFT, _RIGHT, _TOP = 210.0, 150.0, 34.0


def cascade_chart(title: str, steps: Sequence[Step]) -> Drawing:
    """Return the way from raw bytes to those to plan with: each loss hangs from what was left before it.

    A step that adds bytes, as of the sizes of a pool that exists, stands on what was there before.
    """
    most = max((step.bytes_left for step in steps), default=0) or 1
    scale, row = (WIDTH - _LEFT - _RIGHT) / most, 26.0
    height = _TOP + row * len(steps) + 8
    shapes: list[Shape] = [Label(x=0, y=16, text=title, size=13, strong=True)]
    for number, step in enumerate(steps):
        middle = _TOP + row * number + row / 2
        shapes.append(
            Label(x=_LEFT - 10, y=middle + 4, text=step.title, anchor=Anchor.END, strong=step.change_bytes == 0)
        )
        left = step.bytes_left * scale
        if step.change_bytes == 0:
            shapes.append(Box(x=_LEFT, y=middle - 8, width=left, height=16, role=ShapeRole.ONE, told=step.why))
            text, at = binary(step.bytes_left), left
        elif step.change_bytes > 0:
            before = (step.bytes_left - step.change_bytes) * scale
            gained = max(1.5, left - before)
            shapes.append(Box(x=_LEFT, y=middle - 8, width=before, height=16, role=ShapeRole.ONE, faint=True))
            shapes.append(
                Box(x=_LEFT + before, y=middle - 8, width=gained, height=16, role=ShapeRole.ONE, told=step.why)
            )
            text, at = f"+{binary(step.change_bytes)}", before + gained
        else:
            # A loss that is too small to see is still there.
            lost = max(1.5, -step.change_bytes * scale)
            shapes.append(Box(x=_LEFT, y=middle - 8, width=left, height=16, role=ShapeRole.ONE, faint=True))
            shapes.append(Box(x=_LEFT + left, y=middle - 8, width=lost, height=16, role=ShapeRole.LOSS, told=step.why))
            text, at = f"−{binary(-step.change_bytes)}", left + lost
        shapes.append(Label(x=_LEFT + at + 8, y=middle + 4, text=text))
    told = "; ".join(tell("{step}: {size} left", step=step.title, size=binary(step.bytes_left)) for step in steps)
    return Drawing(width=WIDTH, height=height, title=title, description=told, shapes=tuple(shapes))
