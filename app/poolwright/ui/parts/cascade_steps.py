"""One bar cut into its parts, and steps from one number of bytes to another, each a line that unfolds why."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from poolwright.capacity.explained import Step
from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

_BAR, _LABEL, _LABEL_ROWS = 26.0, 18.0, 2
_HEIGHT = int(_BAR + _LABEL_ROWS * _LABEL + 6)
_LEAST_NAMED = 6.0
_STEP_HEIGHT, _STEP_BAR = 4 * GRID, 14.0
_NAME_SHARE, _VALUES = 0.27, 168.0
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


class CascadeStep(QWidget):
    """Shows a step; the line is a button that unfolds why, with exact bytes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.button = _StepButton(self)
        self.origin = ToneLabel("", Tone.TEXT, self, small=True)
        lay.room(self.origin, around=(GRID, 0, GRID, GRID))
        self.origin.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.origin.hide()
        lay.column(self.button, self.origin, of=self, gap=0)
        self.button.toggled.connect(self.origin.setVisible)

    def show_step(self, step: Step, raw_bytes: int, computed_with: str) -> None:
        """Show ``step`` of a cascade that began with ``raw_bytes``."""
        change = f"{'−' if step.change_bytes < 0 else '+'}{binary(abs(step.change_bytes))}" if step.change_bytes else ""
        self.button.show_line(step.title, binary(step.bytes_left), change)
        self.button.show_bar(step.bytes_left / raw_bytes, max(0, -step.change_bytes) / raw_bytes)
        percent = 100 * step.bytes_left / raw_bytes
        left = tell(
            "{bytes} bytes are left, {percent:.1f} % of the raw ones.", bytes=f"{step.bytes_left:,}", percent=percent
        )
        lost = ""
        if step.change_bytes:
            before = f"{step.bytes_left - step.change_bytes:,}"
            lost = (
                tell("{before} − {lost} bytes.", before=before, lost=f"{-step.change_bytes:,}")
                if step.change_bytes < 0
                else tell("{before} + {gained} bytes.", before=before, gained=f"{step.change_bytes:,}")
            )
        computed = tell("Computed with the arithmetic of {what}.", what=computed_with) if computed_with else ""
        self.origin.setText(" ".join(part for part in (step.why, lost, left, computed) if part))
        name = f"{step.title}: {binary(step.bytes_left)}" + (f", {change}" if change else "")
        self.button.setAccessibleName(name)
        self.button.setAccessibleDescription(self.origin.text())
        self.button.setToolTip(step.why)


class _StepButton(QAbstractButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._title = self._value = self._change = ""
        self._share = self._lost = 0.0
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(60 * GRID, _STEP_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(40 * GRID, _STEP_HEIGHT)

    def show_line(self, title: str, value: str, change: str) -> None:
        self._title, self._value, self._change = title, value, change
        self.update()

    def show_bar(self, share: float, lost: float) -> None:
        self._share, self._lost = share, lost
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, colours = QPainter(self), theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus() or self.isChecked():
            painter.setPen(colours.colour(Tone.ACCENT) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(colours.colour(Tone.SELECTION) if self.isChecked() else colours.colour("button"))
            painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 4, 4)
        names = max(14.0 * GRID, self.width() * _NAME_SHARE)
        middle = Qt.AlignmentFlag.AlignVCenter
        font = text_font(SMALL_POINTS, semibold=not self._change)
        painter.setFont(font)
        painter.setPen(colours.colour(Tone.TEXT))
        shown = QFontMetricsF(font).elidedText(self._title, Qt.TextElideMode.ElideRight, names - 2 * GRID)
        painter.drawText(QRectF(GRID, 0, names, self.height()), Qt.AlignmentFlag.AlignLeft | middle, shown)
        right = Qt.AlignmentFlag.AlignRight | middle
        painter.drawText(QRectF(0, 0, self.width() - GRID, self.height()), right, self._value)
        painter.setFont(text_font(SMALL_POINTS))
        painter.setPen(colours.colour(Tone.MUTED))
        painter.drawText(QRectF(0, 0, self.width() - GRID - _VALUES / 2, self.height()), right, self._change)
        bar = QRectF(names, (self.height() - _STEP_BAR) / 2, self.width() - names - _VALUES - 2 * GRID, _STEP_BAR)
        left = QRectF(bar.left(), bar.top(), max(1.0, bar.width() * min(1.0, self._share)), bar.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.colour(Tone.ACCENT))
        painter.drawRect(left)
        if self._lost > 0:
            gone = QRectF(left.right(), bar.top(), max(2.0, bar.width() * self._lost), bar.height())
            painter.setBrush(QBrush(colours.colour(Tone.WARN), Qt.BrushStyle.BDiagPattern))
            painter.setPen(QPen(colours.colour(Tone.WARN), 1))
            painter.drawRect(gone)
