"""A line that says what was done, with a button that takes it back."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from poolwright.ui.parts import lay
from poolwright.ui.parts.card import draw_card
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone


class Notice(QWidget):
    """Hidden until `show_text`; ``pressed`` follows a press on its button."""

    pressed = Signal()

    def __init__(self, action: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ToneLabel("", Tone.TEXT, self)
        button = lay.button(action, self, self.pressed, icon="undo")
        lay.row((self._text, 1), button, of=self, around=(2 * GRID, GRID, GRID, GRID))
        self.hide()

    def show_text(self, text: str) -> None:
        """Say this."""
        self._text.setText(text)
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame."""
        draw_card(QPainter(self), self.rect().toRectF())
