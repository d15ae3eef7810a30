"""A line of the summary: a name, a value, and on a press where the value comes from."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QLabel, QSizePolicy, QWidget

from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.card import inert
from poolwright.ui.parts.elided_label import ElidedLabel
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.theme import GRID, Tone, text_font, theme


class _LineButton(QAbstractButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground when the line is under the pointer, focused or open."""
        if not (self.underMouse() or self.hasFocus() or self.isChecked()):
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme().colour(Tone.ACCENT) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour(Tone.SELECTION) if self.isChecked() else theme().colour("button"))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 4, 4)


class OriginLine(QWidget):
    """Shows ``label`` and a value side by side; a press unfolds the origin below."""

    def __init__(self, label: str, parent: QWidget | None = None, *, icon: str = "", tone: Tone = Tone.TEXT) -> None:
        super().__init__(parent)
        self.button = _LineButton(self)
        mark = inert(Mark(icon, self.button, tone, icons.SMALL))
        mark.setVisible(bool(icon))
        self._label = inert(ElidedLabel(Tone.MUTED, self.button))
        self._label.show_text(label)
        self._label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._value = inert(QLabel(self.button))
        self._value.setFont(text_font(semibold=True))
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        lay.row(mark, self._label, (self._value, 1), of=self.button, around=(GRID, GRID // 2, GRID, GRID // 2))
        self._detail = ToneLabel("", Tone.TEXT, self, small=True)
        lay.room(self._detail, around=(GRID, GRID // 2, GRID, GRID))
        self._detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._detail.hide()
        lay.column(self.button, self._detail, of=self, gap=0)
        self.button.setMinimumHeight(4 * GRID)
        self.button.toggled.connect(self._detail.setVisible)

    def show_value(self, value: str, origin: str) -> None:
        """Show ``value``; ``origin`` is what a press unfolds."""
        self._value.setText(value)
        self._detail.setText(origin)
        self.button.setAccessibleName(f"{self._label.text()}: {value}")
        self.button.setAccessibleDescription(origin)
        self.button.setToolTip(tell("Show where this comes from"))
