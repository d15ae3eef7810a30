"""One job, one target, one ending: succeeded, failed or cancelled, exactly once."""

from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from poolwright.domain.errors import PoolwrightError
from poolwright.texts import tell


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
        """Return what went wrong, for people."""
        if self.error is None:
            return ""
        if isinstance(self.error, PoolwrightError):
            return self.error.text
        return tell("The program made a mistake: {name}: {error}", name=type(self.error).__name__, error=self.error)


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
