"""The jobs of the window: those on one target run one after another, those on different targets side by side."""

from PySide6.QtCore import QObject, Signal

from poolwright.jobs.job import Job, JobPhase


class JobQueue(QObject):
    """Holds jobs until they ended. ``changed`` is sent when one is added, begins, reports or ends."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs: list[Job] = []

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Return the jobs that wait or run, oldest first."""
        return tuple(self._jobs)

    def running(self) -> Job | None:
        return next((job for job in self._jobs if job.state.phase is JobPhase.RUNNING), None)

    def add(self, job: Job) -> None:
        """Take over ``job`` and start it as soon as nothing else works on its target."""
        job.setParent(self)
        self._jobs.append(job)
        job.state_changed.connect(self.changed)
        job.ended.connect(self._on_ended)
        self.changed.emit()
        self._start_next()

    def cancel_all(self) -> None:
        """Cancel every job, newest first, so that none starts in between."""
        for job in reversed(self.jobs):
            job.cancel()

    def _start_next(self) -> None:
        busy = {job.target for job in self._jobs if job.state.phase is JobPhase.RUNNING}
        for job in self.jobs:
            if job.state.phase is JobPhase.WAITING and job.target not in busy:
                busy.add(job.target)
                job.start()

    def _on_ended(self) -> None:
        over = [job for job in self._jobs if job.state.ended]
        self._jobs = [job for job in self._jobs if not job.state.ended]
        for job in over:
            job.deleteLater()
        self._start_next()
        self.changed.emit()
