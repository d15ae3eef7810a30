"""An icon of a page in one of the named colours, which it takes anew when they change."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from poolwright.ui.parts import icons
from poolwright.ui.parts.theme import Tone, theme

LARGE = 28


class Mark(QWidget):
    """Draws one icon; nothing without a name."""

    def __init__(self, name: str, parent: QWidget | None = None, tone: Tone = Tone.ACCENT, size: int = LARGE) -> None:
        super().__init__(parent)
        self._name, self._tone, self._size = name, tone, size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    def show_mark(self, name: str, tone: Tone) -> None:
        """Draw this icon in this colour from now on."""
        self._name, self._tone = name, tone
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._size, self._size)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._name:
            icons.paint(QPainter(self), self._name, QRectF(0, 0, self._size, self._size), self._tone)
