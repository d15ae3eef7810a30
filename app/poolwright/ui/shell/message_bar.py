"""A message across the top of the pages: what happened, where, what to do; it stays until it is closed."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.theme import GRID, Tone, theme

_ICONS = {Tone.BLOCK: "block", Tone.WARN: "warn", Tone.NOTE: "note", Tone.OK: "ok"}


class MessageBar(QWidget):
    """Hidden until `show_text`. ``pressed`` follows its button, which is there when the message offers something."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tone = Tone.NOTE
        self._mark = Mark("note", self, size=icons.MEDIUM)
        self._text = ToneLabel("", Tone.TEXT, self)
        self._text.setAccessibleName(tell("Message"))
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._action = QPushButton(self)
        self._action.clicked.connect(self._on_pressed)
        close = QToolButton(self)
        close.setAutoRaise(True)
        close.setAccessibleName(tell("Close the message"))
        close.setToolTip(tell("Close the message"))
        icons.give(close, "close")
        close.clicked.connect(self.hide)
        lay.row(
            (self._mark, 0, Qt.AlignmentFlag.AlignTop),
            (self._text, 1),
            (self._action, 0, Qt.AlignmentFlag.AlignTop),
            (close, 0, Qt.AlignmentFlag.AlignTop),
            of=self,
            around=(3 * GRID, GRID, GRID, GRID),
        )
        self.hide()

    def show_text(self, text: str, tone: Tone = Tone.NOTE, *, action: str = "") -> None:
        """Show ``text`` with the icon and colour of ``tone``, and a button when there is an ``action`` to offer."""
        self._tone = tone
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self._text.setText(text)
        self._mark.show_mark(_ICONS.get(tone, "note"), tone)
        self.update()
        self.show()

    @property
    def offers(self) -> bool:
        """Tell whether the message is shown with something to press."""
        return not self.isHidden() and not self._action.isHidden()

    def text(self) -> str:
        """Return what is shown."""
        return self._text.text()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground with a stripe in the message's colour."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().colour("base"))
        painter.fillRect(0, 0, 4, self.height(), theme().colour(self._tone))
        painter.setPen(theme().colour("line"))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)

    def _on_pressed(self) -> None:
        self.hide()
        self.pressed.emit()
