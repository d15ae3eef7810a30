"""One step of the cascade: what is left and what is lost, as a bar and as numbers; a press opens its origin."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from poolwright.capacity.cascade import Step
from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

_HEIGHT, _BAR = 4 * GRID, 14.0
_NAME_SHARE, _VALUES = 0.27, 168.0


class CascadeStep(QWidget):
    """Shows a step; the line is a button that unfolds why, with exact bytes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.button = _StepButton(self)
        self.origin = ToneLabel("", Tone.TEXT, self, small=True)
        self.origin.setContentsMargins(GRID, 0, GRID, GRID)
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
            before = step.bytes_left - step.change_bytes
            lost = tell("{before} − {lost} bytes.", before=f"{before:,}", lost=f"{-step.change_bytes:,}")
        computed = tell("Computed with the arithmetic of {what}.", what=computed_with)
        self.origin.setText(" ".join(part for part in (step.why, lost, left, computed) if part))
        name = f"{step.title}: {binary(step.bytes_left)}" + (f", {change}" if change else "")
        self.button.setAccessibleName(name)
        self.button.setAccessibleDescription(self.origin.text())
        self.button.setToolTip(step.why)


class _StepButton(QAbstractButton):
    """The line that is pressed."""

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
        """Return the height of a line."""
        return QSize(60 * GRID, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Return the height of a line."""
        return QSize(40 * GRID, _HEIGHT)

    def show_line(self, title: str, value: str, change: str) -> None:
        """Show these texts."""
        self._title, self._value, self._change = title, value, change
        self.update()

    def show_bar(self, share: float, lost: float) -> None:
        """Show what share of the raw bytes is left, and what this step took."""
        self._share, self._lost = share, lost
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw name, bar and numbers; the loss is hatched as well as coloured."""
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
        bar = QRectF(names, (self.height() - _BAR) / 2, self.width() - names - _VALUES - 2 * GRID, _BAR)
        left = QRectF(bar.left(), bar.top(), max(1.0, bar.width() * min(1.0, self._share)), bar.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.colour(Tone.ACCENT))
        painter.drawRect(left)
        if self._lost > 0:
            gone = QRectF(left.right(), bar.top(), max(2.0, bar.width() * self._lost), bar.height())
            painter.setBrush(QBrush(colours.colour(Tone.WARN), Qt.BrushStyle.BDiagPattern))
            painter.setPen(QPen(colours.colour(Tone.WARN), 1))
            painter.drawRect(gone)
