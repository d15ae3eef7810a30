"""All raw bytes of a pool as one bar, cut into what can be planned with and what each step takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from poolwright.domain.units import binary
from poolwright.ui.theme import GRID, SMALL_POINTS, Tone, text_font, theme

_BAR, _LABEL, _LABEL_ROWS = 26.0, 18.0, 2
_HEIGHT = int(_BAR + _LABEL_ROWS * _LABEL + 6)
_LEAST_NAMED = 6.0
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
        self.setAccessibleName(self.tr("Parts of the raw space"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.segments: tuple[Segment, ...] = ()
        theme().changed.connect(self.update)

    def show_segments(self, segments: Sequence[Segment]) -> None:
        """Show these parts, from left to right."""
        self.segments = tuple(segment for segment in segments if segment.size_bytes > 0)
        lines = [f"{segment.name}: {binary(segment.size_bytes)}" for segment in self.segments]
        self.setAccessibleDescription("; ".join(lines))
        self.setToolTip("\n".join(lines))
        self.setVisible(bool(self.segments))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of the bar and of the names below it."""
        return QSize(60 * GRID, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Return the height of the bar and of the names below it."""
        return QSize(30 * GRID, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the parts, their sizes in them and their names below."""
        total = sum(segment.size_bytes for segment in self.segments)
        if not total:
            return
        painter, colours = QPainter(self), theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = text_font(SMALL_POINTS)
        metrics, x = QFontMetricsF(font), 0.5
        free = [0.0] * _LABEL_ROWS
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
                self._name(painter, text, min(max(x, 0.0), self.width() - needed - 1), needed, free)
            x += wide

    def _name(self, painter: QPainter, text: str, left: float, needed: float, free: list[float]) -> None:
        """Write a name below the bar, in the first row where nothing stands yet."""
        row = next((number for number, taken in enumerate(free) if left >= taken), None)
        if row is None:
            return
        painter.setPen(theme().colour(Tone.TEXT))
        painter.drawText(QRectF(left, _BAR + 3 + row * _LABEL, needed + 2, _LABEL), text)
        free[row] = left + needed + 2 * GRID
