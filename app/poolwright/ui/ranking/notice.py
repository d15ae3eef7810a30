"""What there is to say about the ranking itself: it runs, it was refused and why, or a note."""

from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from poolwright.domain.disk import Note, NoteLevel
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.texts import tell
from poolwright.ui.parts.job_strip import SHOW_AFTER_MILLISECONDS
from poolwright.ui.parts.notice import Message, Notice
from poolwright.ui.parts.theme import Tone

AGAIN = "again"  # what is sent for another try; everything else is the name of a page


class RankingNotice(Notice):
    """One card above the results, hidden when there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tell("State of the ranking"), parent)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOW_AFTER_MILLISECONDS)
        self._timer.timeout.connect(self.show)

    def say(self, said: Message) -> None:
        self._timer.stop()
        super().say(said)

    def show_working(self) -> None:
        """Say that it is worked out; the head of the page shows how far it is. Not shown for less than 300 ms."""
        self._say_soon(tell("Working out all layouts"))

    def show_loading(self) -> None:
        self._say_soon(tell("The rules are being loaded."))

    def show_searching(self) -> None:
        text = tell("The best layouts found so far; the search goes on.")
        self.say(Message(title=text, tone=Tone.ACCENT, icon="recommendation", framed=False))

    def show_notes(self, notes: Sequence[Note], rules_problem: str) -> None:
        """Show what should be known about the ranking; ``rules_problem`` says why no rules took part in it."""
        warns = bool(rules_problem) or any(note.level is NoteLevel.WARN for note in notes)
        texts = [note.text for note in notes]
        if rules_problem:
            texts.insert(0, tell("Ranked without any rules: {problem}", problem=rules_problem))
        self.say(Message(title="\n".join(texts), tone=Tone.WARN if warns else Tone.NOTE, framed=False))
        self.setVisible(bool(texts))

    def show_no_disks(self) -> None:
        self.say(
            Message(
                title=tell("There are no disks to design with yet."),
                todo=tell("Choose where the disks come from, and tick those that may be used."),
                offers=((tell("Choose disks"), "disks"),),
            )
        )

    def show_cancelled(self, untried: str, *, kept: bool) -> None:
        """Say that the ranking was stopped, in one sentence what was not tried, and that what was found is ``kept``."""
        found = tell("The ranking was cancelled. These are the best layouts found until then.")
        self.say(
            Message(
                title=found if kept else tell("The ranking was cancelled."),
                tone=Tone.UNKNOWN,
                icon="cancel",
                reasons=untried,
                offers=((tell("Rank again"), AGAIN),),
                framed=not kept,
            )
        )

    def show_refusal(self, error: PoolwrightError) -> None:
        """Say why the request cannot be met, and what to do."""
        reasons = error.reasons if isinstance(error, Refusal) else ()
        self.say(
            Message(
                title=f"{error.what} ({error.where})" if error.where else error.what,
                tone=Tone.BLOCK,
                reasons="\n".join(f"• {reason}" for reason in reasons),
                todo=error.todo or "",
                offers=((tell("Change the budget"), "budget"), (tell("Choose disks"), "disks")),
                bold=True,
            )
        )

    def show_bug(self, text: str) -> None:
        self.say(Message(title=text, tone=Tone.BLOCK, offers=((tell("Rank again"), AGAIN),)))

    def _say_soon(self, text: str) -> None:
        self.say(Message(title=text, tone=Tone.ACCENT, icon="recommendation"))
        self.hide()
        self._timer.start()
