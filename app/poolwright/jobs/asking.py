"""One question at a time, answered beside the window: the newest wins."""

from PySide6.QtCore import QObject, Signal

from poolwright.jobs.job import Job, JobPhase
from poolwright.jobs.queue import JobQueue


class Asking(QObject):
    """Waits for the job that answers the newest question. An older one is cancelled and never heard of again.

    ``moved`` tells that the job goes on, ``answered`` carries its result, ``failed`` why it made none (`error` has the
    error itself), ``cancelled`` that the user stopped it; ``ended`` follows each of these three.
    """

    moved = Signal()
    answered = Signal(object)
    failed = Signal(str)
    cancelled = Signal()
    ended = Signal()

    def __init__(self, jobs: JobQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._job: Job | None = None
        self.error: Exception | None = None

    @property
    def busy(self) -> bool:
        """Tell whether a question waits for its answer."""
        return self._job is not None

    def ask(self, job: Job) -> None:
        """Wait for this job, and no longer for another one."""
        self.forget()
        self._job, self.error = job, None
        job.state_changed.connect(self._on_moved)
        job.ended.connect(self._on_ended)
        self._jobs.add(job)

    def forget(self) -> None:
        """Want no answer any more; nothing is sent."""
        job, self._job = self._job, None
        if job is not None:
            job.cancel()

    def cancel(self) -> None:
        """Stop as the user does by the job's own button."""
        if self._job is not None:
            self._job.cancel()

    def _on_moved(self) -> None:
        job = self._job
        if job is not None and job is self.sender() and not job.state.ended:
            self.moved.emit()

    def _on_ended(self) -> None:
        job = self._job
        if job is None or job is not self.sender():
            return
        self._job, self.error = None, job.state.error
        if job.state.phase is JobPhase.SUCCEEDED:
            self.answered.emit(job.result)
        elif job.state.phase is JobPhase.FAILED:
            self.failed.emit(job.state.error_text)
        else:
            self.cancelled.emit()
        self.ended.emit()
