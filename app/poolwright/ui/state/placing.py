"""Where each disk of a layout goes: found at once for an ordinary one, beside the window for a very large one."""

from PySide6.QtCore import QObject, Signal

from poolwright.advise.assign import placing_in_steps
from poolwright.advise.candidate import Candidate
from poolwright.jobs.job import Job, JobPhase
from poolwright.jobs.queue import JobQueue
from poolwright.jobs.sliced_job import SlicedJob
from poolwright.ui.state.many import MANY_DISKS


class Placing(QObject):
    """Looks for the places of one layout at a time. ``done`` is sent once those of ``candidate`` are known."""

    done = Signal()

    def __init__(self, jobs: JobQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._job: Job | None = None
        self.candidate: Candidate | None = None

    def start(self, candidate: Candidate) -> None:
        """Find the places of this layout, and no longer those of another one."""
        if self._job is not None and self.candidate is candidate:
            return
        job, self._job, self.candidate = self._job, None, candidate
        if job is not None:
            job.cancel()
        if candidate.used < MANY_DISKS:
            self.done.emit()
            return
        self._job = SlicedJob(self.tr("Assigning disks"), "places", placing_in_steps(candidate), self)
        self._job.ended.connect(self._on_ended)
        self._jobs.add(self._job)

    def _on_ended(self) -> None:
        job = self.sender()
        if isinstance(job, Job) and job is self._job:
            self._job = None
            if job.state.phase is JobPhase.SUCCEEDED:
                self.done.emit()
