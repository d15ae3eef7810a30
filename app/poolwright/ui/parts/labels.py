"""Labels in the few kinds the window uses."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from poolwright.ui.parts import lay
from poolwright.ui.parts.theme import GRID, HEADING_POINTS, SMALL_POINTS, Tone, set_tone, text_font, theme


class Heading(QLabel):
    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setFont(text_font(HEADING_POINTS, semibold=True))


class ToneLabel(QLabel):
    """Text in one of the named colours, wrapped, that follows the theme."""

    def __init__(
        self, text: str = "", tone: Tone = Tone.MUTED, parent: QWidget | None = None, *, small: bool = False
    ) -> None:
        super().__init__(text, parent)
        self._tone = tone
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        if small:
            self.setFont(text_font(SMALL_POINTS))
        theme().changed.connect(self._recolour)
        self._recolour()

    def set_tone(self, tone: Tone) -> None:
        self._tone = tone
        self._recolour()

    def _recolour(self) -> None:
        set_tone(self, self._tone)


class Complaint(ToneLabel):
    """Says what is wrong, and is there only while something is; ``name`` is for assistive technology."""

    def __init__(self, name: str, parent: QWidget, tone: Tone = Tone.BLOCK, *, small: bool = False) -> None:
        super().__init__("", tone, parent, small=small)
        self.setAccessibleName(name)
        self.hide()

    def say(self, text: str) -> None:
        """Say this; nothing is wrong where it is empty."""
        self.setText(text)
        self.setVisible(bool(text))


class SmallHeading(ToneLabel):
    """The heading of a section within a part of a page."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, Tone.TEXT, parent)
        self.setFont(text_font(semibold=True))
        lay.room(self, around=(0, GRID, 0, 0))
