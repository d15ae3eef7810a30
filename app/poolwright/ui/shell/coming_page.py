"""Stands for a page that is being made, where that takes longer than a glance: the rail marks it already."""

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.page import SHOW_AFTER_MILLISECONDS
from poolwright.ui.parts.theme import GRID, TITLE_POINTS, Tone, text_font


class ComingPage(QWidget):
    """Lies over the page in front from `begin` until `end`, with the title where the new page will have it."""

    def __init__(self, stack: QStackedWidget) -> None:
        super().__init__(stack)
        self._stack = stack
        self.hide()
        self.setAutoFillBackground(True)
        self.title = QLabel(self)
        self.title.setFont(text_font(TITLE_POINTS))
        told = ToneLabel(tell("The page is being prepared."), Tone.MUTED, self)
        around = (3 * GRID, 2 * GRID, 3 * GRID, GRID)
        lay.room(lay.column(self.title, told, 1, of=self), gap=GRID // 2, around=around)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOW_AFTER_MILLISECONDS)
        self._timer.timeout.connect(self._appear)
        stack.installEventFilter(self)

    def begin(self, title: str) -> None:
        """Appear soon with this title, unless the page is there by then."""
        self.title.setText(title)
        if self.isHidden():
            self._timer.start()

    def end(self) -> None:
        self._timer.stop()
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as what it covers."""
        if event.type() is QEvent.Type.Resize:
            self.resize(self._stack.size())
        return super().eventFilter(watched, event)

    def _appear(self) -> None:
        self.resize(self._stack.size())
        self.raise_()
        self.show()
