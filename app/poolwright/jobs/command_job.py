"""Commands in the window: the event loop drives what `process.blocking.drive` drives on the command line."""

import time
import weakref
from collections.abc import Callable, Generator
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier, QTimer, Signal

from poolwright.domain.command import Batch, Command, Completed
from poolwright.jobs.job import SLICE_SECONDS, Job, JobPhase
from poolwright.process.blocking import MOST_AT_ONCE, not_begun
from poolwright.process.piped import Conversation, LetGo, Piped, Scene, Step
from poolwright.process.worker import is_elsewhere
from poolwright.texts import _

# Not by QProcess, whose destructor waits for a child: one that the kernel holds would hold the window as well.
Talk = Generator[Any, tuple[Completed, ...], Any]  # a reading; more than one where a kind of job knows more steps


class CommandJob(Job):
    """Drives a reading: runs each batch it yields, at most eight commands at once, and sends it what came of them.

    An empty batch is a pause in what the reading does with its answers: it goes on for some milliseconds of each turn.
    """

    def __init__(self, title: str, target: str, reading: Talk, parent: QObject) -> None:
        super().__init__(title, target, parent)
        self._reading = reading
        self._batch: Batch = ()
        self._begun = 0  # so many commands of the batch, its first ones
        self._runs: dict[int, CommandRun] = {}  # those under way, by their place in the batch
        self._answers: dict[int, Completed] = {}
        self._asked = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._next_batch)

    def _begin(self) -> None:
        self._timer.start()

    def _abort(self) -> None:
        self._timer.stop()
        for run in self._runs.values():
            run.done.disconnect(self._on_run_done)
            run.leave()
        self._runs, self._batch = {}, ()
        self._reading.close()

    def _next_batch(self) -> None:
        answers = tuple(self._answers[place] for place in range(len(self._batch)))
        self._batch, self._answers = (), {}
        until = time.monotonic() + SLICE_SECONDS
        try:
            batch: Batch = self._reading.send(answers) if self._asked else next(self._reading)
            self._asked = True
            while not batch and time.monotonic() < until:
                batch = self._reading.send(())
        except StopIteration as stop:
            self._succeed(stop.value)
        except Exception as error:  # noqa: BLE001 - a job ends once, whatever happens in it; the state carries the error
            self._fail(error)
        else:
            self._start(batch)

    def _start(self, batch: Batch) -> None:
        self._batch, self._begun = batch, 0
        if not batch:
            self._timer.start()
            return
        self._report(doing="" if is_elsewhere(batch[0]) else batch[0].text, fraction=None)
        self._start_some()

    def _start_some(self) -> None:
        while self._begun < len(self._batch) and len(self._runs) < MOST_AT_ONCE:
            run = self._runs[self._begun] = CommandRun(self._batch[self._begun], self)
            self._begun += 1
            run.done.connect(self._on_run_done)

    def _on_run_done(self) -> None:
        for place, run in tuple(self._runs.items()):
            if run.completed is not None:
                self._answers[place] = run.completed
                del self._runs[place]
                run.deleteLater()
        if len(self._answers) == len(self._batch):
            # From the event loop, not from inside the process's own signal.
            self._timer.start()
            return
        self._report(fraction=len(self._answers) / len(self._batch))
        self._start_some()


# One command in the window, from its start to its one ending; the window never waits for it.

GRACE_SECONDS = 0.15  # between the polite signal and the other one
_LOOK_MILLISECONDS = 25


class CommandRun(QObject):
    """One command from start to end, as `process.blocking.run` does it. ``done`` is sent once it is ``completed``."""

    done = Signal()

    def __init__(self, command: Command, parent: QObject) -> None:
        super().__init__(parent)
        self._piped = piped = Piped(command, grace_seconds=GRACE_SECONDS)
        self._end = weakref.finalize(self, piped.kill)
        # Its clock is looked at from time to time; also one that could not begin is told on the next turn of the loop.
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MILLISECONDS if piped.completed is None else 0)
        self._timer.timeout.connect(self._on_moved)
        self._timer.start()
        self._notifier: QSocketNotifier | None = None
        if piped.completed is None:
            self._notifier = QSocketNotifier(piped.fileno(), QSocketNotifier.Type.Read, self)
            self._notifier.activated.connect(self._on_moved)

    @property
    def completed(self) -> Completed | None:
        return self._piped.completed

    def stop(self) -> None:
        """End the program and all it started, first politely; returns at once, ``done`` follows within two seconds."""
        self._piped.stop()

    def leave(self) -> None:
        """Stop, for nobody who waits: this object ends by itself, at the latest with the program."""
        application = QCoreApplication.instance()
        if self.completed is None and application is not None:
            self.setParent(application)
            self.done.connect(self.deleteLater)
            application.aboutToQuit.connect(self._on_quit)
            self.stop()

    def _on_moved(self) -> None:
        self._piped.move()
        if self.completed is not None and self._timer.isActive():
            self._timer.stop()
            self._end.detach()
            if self._notifier is not None:
                self._notifier.setEnabled(False)
            self.done.emit()

    def _on_quit(self) -> None:
        self._piped.kill()
        self._on_moved()


# Conversations in the window: the event loop drives what `process.blocking.converse` drives on the command line.

_MOVE_MILLISECONDS = 20
Teller = Callable[[str, float | None, object], None]


class WatchedJob(CommandJob):
    """Drives a conversation, which ``make`` begins with who is told: what it does, the fraction done, and a value.

    ``told`` carries each value. A first cancel ends what runs and lets the conversation return what it has, within
    two seconds: the job then succeeds with that; a second one gives it up.
    """

    told = Signal(object)

    def __init__(self, title: str, target: str, make: Callable[[Teller], Conversation[Any]], parent: QObject) -> None:
        super().__init__(title, target, make(self._tell), parent)
        self._scene = Scene()
        self._stopped = False
        self._step: Step = ()
        self._moving = QTimer(self)
        self._moving.setInterval(_MOVE_MILLISECONDS)
        self._moving.timeout.connect(self._on_move)

    def _tell(self, doing: str, fraction: float | None, value: object) -> None:
        self._report(doing=doing, fraction=self.state.fraction if fraction is None else fraction)
        self.told.emit(value)

    def _start(self, batch: Batch) -> None:
        step: Step = batch
        if self._stopped and not isinstance(step, LetGo):
            self._answer(not_begun(step))
        elif isinstance(step, tuple):
            super()._start(step)
        else:
            self._step = step
            self._scene.begin(step)
            self._moving.start()

    def _answer(self, answers: tuple[Completed, ...]) -> None:
        self._batch, self._answers = tuple(answer.command for answer in answers), dict(enumerate(answers))
        self._timer.start()

    def _on_move(self) -> None:
        self._scene.move()
        if self._scene.answers is not None:
            self._moving.stop()
            self._answer(self._scene.answers)

    def cancel(self) -> None:
        """End what runs now; the conversation then returns what it has. A second time: give it up."""
        if self._stopped or self.state.phase is not JobPhase.RUNNING:
            super().cancel()
            return
        self._stopped = True
        self._report(doing=_("Ending; what was measured is kept"))
        self._scene.cancel()
        for run in self._runs.values():
            run.stop()

    def _abort(self) -> None:
        self._moving.stop()
        super()._abort()
        self._scene.leave()
