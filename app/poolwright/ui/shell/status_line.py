"""The line at the foot of the window: what was just done, and what is not saved yet."""

from PySide6.QtWidgets import QStatusBar, QWidget

from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.session import Session

SAID_MILLISECONDS = 8000


class StatusLine(QStatusBar):
    """What is said goes after a while, and before that where it speaks of another page or of another design."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._page = self._said_on = ""
        self._design = session.design  # as it was when something was said
        self.setSizeGripEnabled(False)
        self.saving = ToneLabel("", Tone.WARN, self)
        self.saving.setWordWrap(False)
        lay.room(self.saving, around=(GRID, 0, 2 * GRID, 0))
        self.saving.setAccessibleName(tell("What is not saved yet"))
        self.saving.hide()
        self.addPermanentWidget(self.saving)
        session.said.connect(self._on_said)
        session.changed.connect(self._on_changed)
        session.library.unsaved.changed.connect(self._on_unsaved_changed)

    def turn_to(self, page: str) -> None:
        """Follow the window to a page, or to one that is being made: what is said from now on is said of that one."""
        self._page = page
        if page != self._said_on:
            self.clearMessage()

    def _on_said(self, text: str) -> None:
        self._said_on, self._design = self._page, self._session.design
        self.showMessage(text, SAID_MILLISECONDS)

    def _on_changed(self, parts: frozenset[str]) -> None:
        if "design" in parts and self._session.design is not self._design:
            self.clearMessage()

    def _on_unsaved_changed(self) -> None:
        unsaved = self._session.library.unsaved
        self.saving.setText(unsaved.text)
        self.saving.setToolTip(unsaved.reason)
        self.saving.setVisible(bool(unsaved.text))
