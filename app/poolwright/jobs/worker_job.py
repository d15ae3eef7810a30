"""Questions to the worker process as jobs of the window: the event loop moves what `process.worker` has to move."""

import logging
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar, Concatenate, ParamSpec

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier, Qt, QTimer, Signal
from shiboken6 import isValid

from poolwright.domain.errors import EnvironmentFailure, PoolwrightError
from poolwright.jobs.job import Job
from poolwright.process.worker import Kind, Reporter, Worker

_P = ParamSpec("_P")
_MOST = 2  # processes: one that searches, and one for what is asked meanwhile
_SPARE_AFTER_MILLISECONDS = 500  # a process begins while nobody waits for anything


class WorkerJob(Job):
    """Asks one function of `poolwright.questions`. ``so_far`` carries what it has found up to now.

    To cancel it ends the process, with all that this remembers of what was asked before.
    """

    so_far = Signal(object)
    ends_with_process: ClassVar[bool] = True

    def __init__(
        self,
        title: str,
        target: str,
        parent: QObject,
        function: Callable[Concatenate[Reporter, _P], object],
        *args: _P.args,
        **named: _P.kwargs,
    ) -> None:
        super().__init__(title, target, parent)
        self.name, self.args, self.named = function.__name__, args, named

    def _begin(self) -> None:
        workers().ask(self)

    def _abort(self) -> None:
        workers().leave(self)

    def hear(self, kind: Kind, value: Any) -> None:
        if kind is Kind.ANSWER:
            self._succeed(value)
        elif kind is Kind.ERROR:
            self._fail(value)
        elif kind is Kind.SO_FAR:
            self.so_far.emit(value)
        else:
            self._report(fraction=value)


class BriefJob(WorkerJob):
    """A question of some milliseconds, to the process that answered the last one on its target.

    Cancelled, it is let finish there: what the process remembers is worth more than the moment.
    """

    ends_with_process = False


class Workers(QObject):
    """Shares the processes out: a question at a time to each."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lines: list[_Line] = []
        self._waiting: list[WorkerJob] = []
        self._spare = QTimer(self)
        self._spare.setSingleShot(True)
        self._spare.setInterval(_SPARE_AFTER_MILLISECONDS)
        self._spare.timeout.connect(self._begin_spare)
        self._keeps_spare = False

    def keep_spare(self, *, kept: bool = True) -> None:
        """Begin a process for the next question soon, and another one whenever one was ended; or no longer."""
        self._keeps_spare = kept
        if kept:
            self._spare.start()
        else:
            self._spare.stop()

    def ask(self, job: WorkerJob) -> None:
        self._waiting.append(job)
        self._share_out()

    def leave(self, job: WorkerJob) -> None:
        """Do without the answer to this question."""
        if job in self._waiting:
            self._waiting.remove(job)
        for line in [line for line in self._lines if line.job is job]:
            line.job = None
            if job.ends_with_process:
                self._end(line)

    def renew(self) -> None:
        """Ask others from now on: what these have read of the rules holds no more."""
        for line in tuple(self._lines):
            line.is_old = True
            if not line.busy:
                self._end(line)

    def end(self) -> None:
        self.keep_spare(kept=False)
        for line in tuple(self._lines):
            self._end(line)

    def _share_out(self) -> None:
        for job in tuple(self._waiting):
            try:
                line = self._line_for(job)
            except EnvironmentFailure as error:
                self._waiting.remove(job)
                job.hear(Kind.ERROR, error)
                return
            if line is not None:
                self._waiting.remove(job)
                line.ask(job)
                if self._keeps_spare:
                    self._spare.start()

    def _line_for(self, job: WorkerJob) -> "_Line | None":
        """Return the process to ask, one that answered the like where it can be; None where it has to wait."""
        lines = sorted(
            (line for line in self._lines if not line.is_old),
            key=lambda line: (_about(job) not in line.known, len(line.known)),
        )
        if lines and lines[0].is_brief and not job.ends_with_process and _about(job) in lines[0].known:
            return None  # it remembers what the answer needs, and is soon done
        idle = next((line for line in lines if not line.busy), None)
        return self._begin() if idle is None and len(self._lines) < _MOST else idle

    def _begin(self) -> "_Line":
        line = _Line(self)
        self._lines.append(line)
        line.freed.connect(self._on_freed)
        return line

    def _begin_spare(self) -> None:
        if len(self._lines) < _MOST and all(line.busy for line in self._lines):
            with suppress(EnvironmentFailure):  # told to who asks
                self._begin()

    def _on_freed(self) -> None:
        for line in [line for line in self._lines if line.is_old and not line.busy]:
            self._end(line)
        self._share_out()

    def _end(self, line: "_Line") -> None:
        if line not in self._lines:
            return
        self._lines.remove(line)
        line.end()
        if self._keeps_spare:
            self._spare.start()
        QTimer.singleShot(0, self, self._share_out)


class _Line(QObject):
    """A process with its notifiers, and the ``job`` that it works for; None where nobody wants to hear it."""

    freed = Signal()  # it answered, or is gone
    _come = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.worker = Worker()
        self.job: WorkerJob | None = None
        self.known: set[str] = set()  # what it was asked about
        self.busy = self.is_brief = self.is_old = False
        self._last = weakref.finalize(self, self.worker.end)
        self._reads = QSocketNotifier(self.worker.reads, QSocketNotifier.Type.Read, self)
        self._reads.activated.connect(self._on_readable)
        self._writes = QSocketNotifier(self.worker.writes, QSocketNotifier.Type.Write, self)
        self._writes.activated.connect(self._on_writable)
        self._writes.setEnabled(False)
        self._heard = deque[tuple[Kind, Any]]()
        # What comes is unpacked in one turn of the window and shown in the next.
        self._come.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def ask(self, job: WorkerJob) -> None:
        self.job, self.busy, self.is_brief = job, True, not job.ends_with_process
        self.known.add(_about(job))
        self.worker.ask(job.name, job.args, job.named)
        self._on_writable()

    def end(self) -> None:
        self._reads.setEnabled(False)
        self._writes.setEnabled(False)
        self._last()
        self.deleteLater()

    def _on_writable(self) -> None:
        self._writes.setEnabled(not self.worker.write())

    def _on_readable(self) -> None:
        try:
            heard = list(self.worker.read())
        except EnvironmentFailure as error:
            self._reads.setEnabled(False)
            self.is_old = True
            heard = [(Kind.ERROR, error)]
        for message in heard:
            self._heard.append(message)
            self._come.emit()

    def _tell(self) -> None:
        if self._heard:
            self._hear(*self._heard.popleft())

    def _hear(self, kind: Kind, value: Any) -> None:
        job = self.job
        if kind in (Kind.ANSWER, Kind.ERROR):
            self.job, self.busy, self.is_brief = None, False, False
        if kind is Kind.ERROR and not isinstance(value, PoolwrightError):
            notes = "\n".join(getattr(value, "__notes__", [repr(value)]))
            logging.getLogger("poolwright").error("in the worker process: %s", notes)
        if job is not None and isValid(job):  # who asked may be gone
            job.hear(kind, value)
        if not self.busy:
            self.freed.emit()


def _about(job: WorkerJob) -> str:
    """Return what a process knows something about that answered this: the first word of its target."""
    return job.target.partition(" ")[0]


def workers() -> Workers:
    """Return the processes of this program; none is begun before somebody asks."""
    application = QCoreApplication.instance()
    assert application is not None
    return application.findChild(Workers) or Workers(application)
