"""What there is to say about the ranking itself: it runs, it was refused and why, or a note."""

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from poolwright.domain.disk import Note, NoteLevel
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.job_strip import SHOW_AFTER_MILLISECONDS
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.theme import GRID, Tone, text_font


class _Ground(Card):
    """The card below a message that stops the work; a mere note stands on the page itself."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._framed = True
        self.set_framed(framed=True)

    def set_framed(self, *, framed: bool) -> None:
        self._framed = framed
        aside, above = (2 * GRID, GRID) if framed else (0, 0)
        self.body.setContentsMargins(aside, above, aside, above)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._framed:
            super().paintEvent(event)


class RankingNotice(QWidget):
    """One card above the results, hidden when there is nothing to say. ``again`` asks for another try, ``go`` for a
    page.
    """

    again = Signal()
    go = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._ground = card = _Ground(self)
        lay.column(card, of=self)
        self._mark = Mark("note", card, size=icons.SMALL)
        self._title = ToneLabel("", Tone.TEXT, card)
        self._title.setAccessibleName(tell("State of the ranking"))
        card.body.addLayout(lay.row(self._mark, (self._title, 1)))
        self._reasons = ToneLabel("", Tone.TEXT, card)
        self._reasons.setAccessibleName(tell("Reasons"))
        self._todo = ToneLabel("", Tone.MUTED, card)
        self._todo.setAccessibleName(tell("What to do"))
        card.body.addWidget(self._reasons)
        card.body.addWidget(self._todo)
        card.body.addLayout(self._make_buttons(card))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOW_AFTER_MILLISECONDS)
        self._timer.timeout.connect(self.show)
        self.hide()

    def show_working(self) -> None:
        """Say that it is worked out; the head of the page shows how far it is. Not shown for less than 300 ms."""
        self._say(("recommendation", Tone.ACCENT), tell("Working out all layouts"))
        self.hide()
        self._timer.start()

    def show_searching(self) -> None:
        """Say that what is shown is what was found up to now."""
        self._timer.stop()
        self._ground.set_framed(framed=False)
        self._title.setText(tell("The best layouts found so far; the search goes on."))
        self.show()

    def show_notes(self, notes: Sequence[Note], rules_problem: str) -> None:
        """Show what should be known about the ranking; ``rules_problem`` says why no rules took part in it."""
        warns = bool(rules_problem) or any(note.level is NoteLevel.WARN for note in notes)
        texts = [note.text for note in notes]
        if rules_problem:
            texts.insert(0, tell("Ranked without any rules: {problem}", problem=rules_problem))
        self._say(("warn", Tone.WARN) if warns else ("note", Tone.NOTE), "\n".join(texts), framed=False)
        self.setVisible(bool(texts))

    def show_loading(self) -> None:
        """Say that the rules are on their way."""
        self._say(("recommendation", Tone.ACCENT), tell("The rules are being loaded."))
        self.hide()
        self._timer.start()

    def show_no_disks(self) -> None:
        """Say that there is nothing to rank."""
        self._say(("note", Tone.NOTE), tell("There are no disks to design with yet."))
        self._todo.setText(tell("Choose where the disks come from, and tick those that may be used."))
        self._todo.show()
        self._disks.show()
        self.show()

    def show_cancelled(self, untried: str, *, kept: bool) -> None:
        """Say that the ranking was stopped, in one sentence what was not tried, and that what was found is ``kept``."""
        found = tell("The ranking was cancelled. These are the best layouts found until then.")
        self._say(("cancel", Tone.UNKNOWN), found if kept else tell("The ranking was cancelled."), framed=not kept)
        self._reasons.setText(untried)
        self._reasons.setVisible(bool(untried))
        self._again.show()
        self.show()

    def show_refusal(self, error: PoolwrightError) -> None:
        """Say why the request cannot be met, and what to do."""
        self._say(("block", Tone.BLOCK), f"{error.what} ({error.where})" if error.where else error.what, bold=True)
        reasons = error.reasons if isinstance(error, Refusal) else ()
        self._reasons.setText("\n".join(f"• {reason}" for reason in reasons))
        self._reasons.setVisible(bool(reasons))
        self._todo.setText(error.todo or "")
        self._todo.setVisible(bool(error.todo))
        self._budget.show()
        self._disks.show()
        self.show()

    def show_bug(self, text: str) -> None:
        """Say that the program made a mistake."""
        self._say(("block", Tone.BLOCK), text)
        self._again.show()
        self.show()

    def _make_buttons(self, parent: QWidget) -> QHBoxLayout:
        row = lay.row()
        self._budget = lay.button(tell("Change the budget"), parent, self._go_budget)
        self._disks = lay.button(tell("Choose disks"), parent, self._go_disks)
        self._again = lay.button(tell("Rank again"), parent, self.again)
        for button in (self._budget, self._disks, self._again):
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _say(self, mark: tuple[str, Tone], text: str, *, bold: bool = False, framed: bool = True) -> None:
        self._ground.set_framed(framed=framed)
        self._timer.stop()
        self._mark.show_mark(*mark)
        self._title.setText(text)
        self._title.setFont(text_font(semibold=bold))
        for widget in (self._reasons, self._todo, self._budget, self._disks, self._again):
            widget.hide()

    def _go_budget(self) -> None:
        self.go.emit("budget")

    def _go_disks(self) -> None:
        self.go.emit("disks")
