"""One job, one target, one ending: succeeded, failed or cancelled, exactly once."""

import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from enum import StrEnum
from weakref import WeakSet

from PySide6.QtCore import QObject, QTimer, Signal

from poolwright.domain.errors import PoolwrightError
from poolwright.texts import _


class JobPhase(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


_ENDINGS = (JobPhase.SUCCEEDED, JobPhase.FAILED, JobPhase.CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """Everything the screen shows of a job. ``fraction`` is between 0 and 1, None when it cannot be known.

    ``error`` is set in FAILED only: a PoolwrightError for people, anything else is a bug.
    """

    phase: JobPhase = JobPhase.WAITING
    doing: str = ""
    fraction: float | None = None
    error: Exception | None = None

    @property
    def ended(self) -> bool:
        return self.phase in _ENDINGS

    @property
    def error_text(self) -> str:
        if self.error is None:
            return ""
        if isinstance(self.error, PoolwrightError):
            return self.error.text
        return _("The program made a mistake: {name}: {error}", name=type(self.error).__name__, error=self.error)


class Job(QObject):
    """Work on one target. Subclasses do it in `_begin`, stop it in `_abort`, and end it with `_succeed` or `_fail`.

    ``state_changed`` is sent for each new `state`; ``ended`` once, last. ``result`` holds what a succeeded job made.
    """

    state_changed = Signal()
    ended = Signal()

    def __init__(self, title: str, target: str, parent: QObject) -> None:
        super().__init__(parent)
        self.title = title
        self.target = target
        self.result: object = None
        self._state = JobState()

    @property
    def state(self) -> JobState:
        return self._state

    def start(self) -> None:
        if self._state.phase is not JobPhase.WAITING:
            return
        self._change(replace(self._state, phase=JobPhase.RUNNING))
        self._begin()

    def cancel(self) -> None:
        """End the job as cancelled, unless it is over."""
        if self._state.ended:
            return
        if self._state.phase is JobPhase.RUNNING:
            self._abort()
        self._end(replace(self._state, phase=JobPhase.CANCELLED))

    def _begin(self) -> None:
        raise NotImplementedError

    def _abort(self) -> None:
        raise NotImplementedError

    def _report(self, *, doing: str | None = None, fraction: float | None = None) -> None:
        if not self._state.ended:
            self._change(replace(self._state, doing=self._state.doing if doing is None else doing, fraction=fraction))

    def _succeed(self, result: object) -> None:
        if not self._state.ended:
            self.result = result
            self._end(replace(self._state, phase=JobPhase.SUCCEEDED, fraction=1.0))

    def _fail(self, error: Exception) -> None:
        if not self._state.ended:
            self._end(replace(self._state, phase=JobPhase.FAILED, error=error))

    def _end(self, state: JobState) -> None:
        self._change(state)
        self.ended.emit()

    def _change(self, state: JobState) -> None:
        if state != self._state:
            self._state = state
            self.state_changed.emit()


# The jobs of the window: those on one target run one after another, those on different targets side by side.


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


# One question at a time, answered beside the window: the newest wins.


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

    def __init__(self, jobs: JobQueue, parent: QObject, answered: object = None, failed: object = None) -> None:
        """``answered`` and ``failed`` are slots or signals for those signals."""
        super().__init__(parent)
        self._jobs = jobs
        self._job: Job | None = None
        self.error: Exception | None = None
        for signal, slot in ((self.answered, answered), (self.failed, failed)):
            if slot is not None:
                signal.connect(slot)

    @property
    def busy(self) -> bool:
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


# Work in Python, done in slices between the events of the window.

SLICE_SECONDS = 0.008  # a frame at 60 Hz is 16 ms; half of it is left to the window

Work = Generator[object, None, object]


class SlicedJob(Job):
    """Drives a generator that yields every few milliseconds, a float (0 to 1) for its progress; returns the result.

    The generator is closed when the job is cancelled, so that its ``finally`` blocks run.
    """

    def __init__(self, title: str, target: str, work: Work, parent: QObject) -> None:
        super().__init__(title, target, parent)
        self._work = work
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._slice)

    def _begin(self) -> None:
        _at_work.add(self)
        self._timer.start()

    def _abort(self) -> None:
        self._rest()
        self._work.close()

    def _slice(self) -> None:
        until = time.monotonic() + SLICE_SECONDS / max(1, len(_at_work))
        step: object = None
        try:
            while time.monotonic() < until:
                step = next(self._work)
        except StopIteration as stop:
            self._rest()
            self._succeed(stop.value)
        except Exception as error:  # noqa: BLE001 - a job ends once, whatever happens in it; the state carries the error
            self._rest()
            self._fail(error)
        else:
            self._report(fraction=step if isinstance(step, float) else None)

    def _rest(self) -> None:
        _at_work.discard(self)
        self._timer.stop()


# Qt may take a slice of each of them between two events of the window.
_at_work: "WeakSet[SlicedJob]" = WeakSet()
