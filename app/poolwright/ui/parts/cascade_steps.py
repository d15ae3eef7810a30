"""One bar cut into its parts, and steps from one number of bytes to another, each a line that unfolds why."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from poolwright.capacity.explained import Step
from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.parts.card import inert
from poolwright.ui.parts.estimate_line import OriginLine
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.parts.tree import BarItem, draw_bar

_BAR, _LABEL, _LABEL_ROWS = 26.0, 18.0, 2
_HEIGHT = int(_BAR + _LABEL_ROWS * _LABEL + 6)
_LEAST_NAMED = 6.0
_STEP_BAR = 12.0
_NAME, _BAR_SHARE, _VALUE = 3, 5, 3  # of the width of a step
_PATTERNS = (
    Qt.BrushStyle.BDiagPattern,
    Qt.BrushStyle.Dense6Pattern,
    Qt.BrushStyle.FDiagPattern,
    Qt.BrushStyle.CrossPattern,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of the bar; ``kept`` is what can be planned with, the others are taken by something."""

    name: str
    size_bytes: int
    kept: bool = False


class CascadeBar(QWidget):
    """Draws the parts in proportion, each with its name where there is room for it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tell("Parts of the raw space"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.segments: tuple[Segment, ...] = ()
        theme().changed.connect(self.update)

    def show_segments(self, segments: Sequence[Segment]) -> None:
        self.segments = tuple(segment for segment in segments if segment.size_bytes > 0)
        lines = [f"{segment.name}: {binary(segment.size_bytes)}" for segment in self.segments]
        self.setAccessibleDescription("; ".join(lines))
        self.setToolTip("\n".join(lines))
        self.setVisible(bool(self.segments))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(60 * GRID, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(30 * GRID, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        total = sum(segment.size_bytes for segment in self.segments)
        if not total:
            return
        painter, colours = QPainter(self), theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = text_font(SMALL_POINTS)
        metrics, x = QFontMetricsF(font), 0.5
        names: list[tuple[float, QRectF, str]] = []
        painter.setFont(font)
        for number, segment in enumerate(self.segments):
            wide = (self.width() - 1) * segment.size_bytes / total
            rect = QRectF(x, 1, wide, _BAR)
            painter.setPen(QPen(colours.colour("edge"), 1))
            if segment.kept:
                painter.setBrush(colours.colour(Tone.ACCENT))
            else:
                painter.setBrush(QBrush(colours.colour(Tone.WARN), _PATTERNS[number % len(_PATTERNS)]))
            painter.drawRect(rect)
            text = f"{segment.name} {binary(segment.size_bytes)}"
            needed = metrics.horizontalAdvance(text)
            if segment.kept and needed < wide - GRID:
                painter.setPen(colours.colour(Tone.ON_ACCENT))
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
            elif wide > _LEAST_NAMED:
                left = min(max(x, 0.0), self.width() - needed - 1)
                names.append((wide, QRectF(left, _BAR + 3, needed + 2, _LABEL - 1), text))
            x += wide
        self._paint_names(painter, names)

    def _paint_names(self, painter: QPainter, names: list[tuple[float, QRectF, str]]) -> None:
        """Write names below the bar, those of the largest parts first, each in the first row with room for it."""
        painter.setPen(theme().colour(Tone.TEXT))
        taken: list[QRectF] = []
        for _, at, text in sorted(names, key=lambda name: -name[0]):
            rows = (at.translated(0, row * _LABEL) for row in range(_LABEL_ROWS))
            free = next((row for row in rows if not any(row.intersects(other) for other in taken)), None)
            if free is not None:
                painter.drawText(free, text)
                taken.append(free.adjusted(-2 * GRID, 0, 2 * GRID, 0))


class CascadeStep(OriginLine):
    """Shows a step with a bar of what is left; a press unfolds why, with exact bytes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("", parent)
        self._bar = inert(_StepBar(self.button))
        for label in (self._label, self._value):
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._row.insertWidget(2, self._bar)
        for place, share in enumerate((0, _NAME, _BAR_SHARE, _VALUE)):
            self._row.setStretch(place, share)

    def show_step(self, step: Step, raw_bytes: int, computed_with: str) -> None:
        """Show ``step`` of a cascade that began with ``raw_bytes``."""
        change = f"{'−' if step.change_bytes < 0 else '+'}{binary(abs(step.change_bytes))}" if step.change_bytes else ""
        lost = max(0, -step.change_bytes) / raw_bytes
        self._bar.item = BarItem(title="", value="", share=step.bytes_left / raw_bytes, lost=lost)
        self._bar.update()
        left = tell(
            "{bytes} bytes are left, {percent:.1f} % of the raw ones.",
            bytes=f"{step.bytes_left:,}",
            percent=100 * step.bytes_left / raw_bytes,
        )
        sign, by = ("−", -step.change_bytes) if step.change_bytes < 0 else ("+", step.change_bytes)
        before = f"{step.bytes_left - step.change_bytes:,}"
        changed = tell("{before} {sign} {change} bytes.", before=before, sign=sign, change=f"{by:,}") if by else ""
        computed = tell("Computed with the arithmetic of {what}.", what=computed_with) if computed_with else ""
        self._label.show_text(step.title)
        value = binary(step.bytes_left)
        self.show_value(f"{change}   {value}".strip(), " ".join(filter(None, (step.why, changed, left, computed))))
        self._row.setDirection(QBoxLayout.Direction.LeftToRight)  # however long the value is
        self.button.setAccessibleName(f"{step.title}: {value}, {change}".removesuffix(", "))
        self.button.setToolTip(step.why)


class _StepBar(QWidget):
    item = BarItem(title="", value="")

    def paintEvent(self, _event: QPaintEvent) -> None:
        bar = QRectF(0, (self.height() - _STEP_BAR) / 2, self.width(), _STEP_BAR)
        draw_bar(QPainter(self), bar, self.item)
