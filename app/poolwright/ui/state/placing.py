"""Where each disk of a layout goes: found at once for an ordinary one, beside the window for a very large one."""

from PySide6.QtCore import QObject, Signal

from poolwright.design.assign import placing_in_steps
from poolwright.design.candidate import Candidate
from poolwright.jobs.job import Asking, JobQueue, SlicedJob
from poolwright.texts import tell
from poolwright.ui.state.many import MANY_DISKS


class Placing(QObject):
    """Looks for the places of one layout at a time. ``done`` is sent once those of ``candidate`` are known."""

    done = Signal()

    def __init__(self, jobs: JobQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._asking = Asking(jobs, self)
        self._asking.answered.connect(self.done)
        self.candidate: Candidate | None = None

    def start(self, candidate: Candidate) -> None:
        """Find the places of this layout, and no longer those of another one."""
        if self._asking.busy and self.candidate is candidate:
            return
        self.candidate = candidate
        self._asking.forget()
        if candidate.used < MANY_DISKS:
            self.done.emit()
            return
        self._asking.ask(SlicedJob(tell("Assigning disks"), "places", placing_in_steps(candidate), self))
