"""The numbers of the current design. Of an ordinary one the rules are asked at once, of a very large one in turns."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from poolwright.domain.design import Design
from poolwright.domain.steps import at_once
from poolwright.jobs.job import Asking, JobQueue, SlicedJob
from poolwright.texts import tell
from poolwright.ui.state.work import MANY_DISKS

if TYPE_CHECKING:  # what judges and predicts: the first page does not wait for it
    from poolwright.design.evaluate import Evaluation, Predict
    from poolwright.rules.model import RuleBook


class Assessing(QObject):
    """Remembers the last assessment. ``settled`` is sent when the findings that it lacked are there."""

    settled = Signal()

    def __init__(self, jobs: JobQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._asking = Asking(jobs, self)
        self._asking.answered.connect(self._on_judged)
        self._found: Evaluation | None = None

    def of(self, design: Design, rules: "RuleBook | None", ticked: Collection[str], predict: "Predict") -> "Evaluation":
        """Return the numbers of ``design``; its findings are None as long as they are being worked out.

        ``ticked`` are the keys of the disks that could have a place in it.
        """
        from poolwright.design.evaluate import assess_in_steps, unassigned_of

        if self._found is not None and self._found.design is design:
            return self._found
        self.forget()
        steps = assess_in_steps(design, rules, unassigned_of(design, list(ticked)), predict)
        self._found = next(steps)
        if rules is None or self._found.survived is None:
            return self._found
        if self._found.disks_used < MANY_DISKS:
            self._found = at_once(steps)
        else:
            self._asking.ask(SlicedJob(tell("Judging the design"), "assessment", steps, self))
        return self._found

    def forget(self) -> None:
        """Work everything out anew when it is next asked for."""
        self._found = None
        self._asking.forget()

    def _on_judged(self, found: "Evaluation") -> None:
        self._found = found
        self.settled.emit()
