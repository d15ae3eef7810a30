"""What the rules say of the layout in sight once the models are asked as well."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from poolwright.design.candidate import Candidate
from poolwright.design.recommend import Request
from poolwright.domain.finding import Finding
from poolwright.domain.host import Host
from poolwright.jobs.queue import JobQueue
from poolwright.judging import findings_with_predictions
from poolwright.rules.model import RuleBook
from poolwright.ui.state.many import MANY_DISKS
from poolwright.ui.state.placing import Placing


@dataclass(frozen=True, slots=True)
class Question:
    """A layout, and all that the judgement of it rests on."""

    candidate: Candidate
    book: RuleBook
    host: Host | None
    request: Request

    def is_same(self, other: "Question | None") -> bool:
        """Tell whether the other one is about the same: layout and rules by identity, to compare them costs more."""
        return (
            other is not None
            and self.candidate is other.candidate
            and self.book is other.book
            and self.host == other.host
            and self.request == other.request
        )


class Judged(QObject):
    """Judges one layout at a time. ``answered`` is sent with the findings once they are known.

    Its risk rests on where each disk stands, which is searched beside the window on a very large machine; until then
    `ask` returns what the ranking knows.
    """

    answered = Signal(object)

    def __init__(self, jobs: JobQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._placing = Placing(jobs, self)
        self._placing.done.connect(self._on_placed)
        self._question: Question | None = None
        self._answer: tuple[Finding, ...] | None = None

    def ask(self, question: Question, *, partial: bool) -> tuple[Finding, ...]:
        """Return what is known of a layout now; of a ``partial`` ranking, soon another one is in sight."""
        if not question.is_same(self._question):
            self._question, self._answer = question, None
        if self._answer is None and question.candidate.used < MANY_DISKS:
            self._judge()
        elif self._answer is None and not partial:
            self._placing.start(question.candidate)
        return question.candidate.findings if self._answer is None else self._answer

    def _judge(self) -> None:
        asked = self._question
        if asked is not None:
            self._answer = findings_with_predictions(asked.book, asked.candidate, asked.request, asked.host)

    def _on_placed(self) -> None:
        if self._question is None or self._placing.candidate is not self._question.candidate:
            return  # another one is in sight by now
        self._judge()
        self.answered.emit(self._answer)
