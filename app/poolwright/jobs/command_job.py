"""Commands in the window: the event loop drives what `process.blocking.drive` drives on the command line."""

import os
import signal
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import replace
from typing import IO, Any

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier, QTimer, Signal

from poolwright.domain.command import Batch, Command, Completed, Ending
from poolwright.jobs.job import SLICE_SECONDS, Job, JobPhase
from poolwright.process.child import Child, begin, close_streams, leave_behind, signal_session
from poolwright.process.conversing import not_begun
from poolwright.process.elsewhere import is_elsewhere
from poolwright.process.piped import Conversation, LetGo, Scene, Step
from poolwright.texts import tell

# Not by QProcess, whose destructor waits for a child: one that the kernel holds would hold the window as well.
MOST_AT_ONCE = 8
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
            run.start()

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

GRACE_MILLISECONDS = 150  # between the polite signal and the other one
LEFT_BEHIND_MILLISECONDS = 1000  # after the other one: who still lives then is held in the kernel by a dead disk
_LOOK_MILLISECONDS = 25
_CHUNK = 1 << 16


class CommandRun(QObject):
    """One command from start to end, as `process.blocking.run` does it. ``done`` is sent once; ``completed`` is set."""

    done = Signal()

    def __init__(self, command: Command, parent: QObject) -> None:
        super().__init__(parent)
        self.command = command
        self.completed: Completed | None = None
        self._child: Child | None = None
        self._failure: Completed | None = None
        self._ending: Ending | None = None
        self._truncated = self._killed = False
        self._started = 0.0
        self._rest = memoryview(command.stdin or b"")
        self._kept: dict[int, bytearray] = {}
        self._notifiers: dict[int, QSocketNotifier] = {}
        self._end: weakref.finalize[..., CommandRun] | None = None
        self._limit = self._timer(round(command.timeout_seconds * 1000), self._on_timeout)
        self._patience = self._timer(GRACE_MILLISECONDS, self._on_patience)
        # Told on the next turn of the loop, as for every other command.
        self._later = self._timer(0, self._finish)
        self._look = self._timer(_LOOK_MILLISECONDS, self._on_look)
        self._look.setSingleShot(False)

    def _timer(self, milliseconds: int, slot: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(slot)
        return timer

    def start(self) -> None:
        """Start the program; a missing one is reported as an ending."""
        try:
            began = begin(self.command)
        except OSError as error:
            began = Completed(command=self.command, ending=Ending.NOT_PERMITTED, stderr=str(error).encode())
        if isinstance(began, Completed):
            self._failure = began
            self._later.start()
            return
        self._child, self._started = began, time.monotonic()
        self._end = weakref.finalize(self, signal_session, began, signal.SIGKILL)
        for stream in (began.stdout, began.stderr):
            self._watch(stream, QSocketNotifier.Type.Read)
        self._watch(began.stdin, QSocketNotifier.Type.Write)
        self._limit.start()
        self._look.start()

    def _watch(self, stream: IO[bytes] | None, kind: QSocketNotifier.Type) -> None:
        if stream is None:
            return
        number = stream.fileno()
        os.set_blocking(number, False)
        notifier = QSocketNotifier(number, kind, self)
        if kind is QSocketNotifier.Type.Read:
            self._kept[number] = bytearray()
            notifier.activated.connect(self._on_readable)
        else:
            notifier.activated.connect(self._on_writable)
        self._notifiers[number] = notifier

    def stop(self, ending: Ending = Ending.CANCELLED) -> None:
        """End the program and all it started, first politely; returns at once, ``done`` follows within two seconds."""
        if self.completed is not None or self._patience.isActive():
            return
        self._ending = self._ending or ending
        self._limit.stop()
        if self._child is None:
            self._later.start()
            return
        signal_session(self._child, signal.SIGTERM)
        self._patience.start()

    def leave(self) -> None:
        """Stop, for nobody who waits: this object ends by itself, at the latest with the program."""
        application = QCoreApplication.instance()
        if self.completed is not None or self._child is None or application is None:
            return
        self.setParent(application)
        self.done.connect(self.deleteLater)
        application.aboutToQuit.connect(self._on_quit)
        self.stop()

    def _on_readable(self) -> None:
        watched = [number for number in self._kept if number in self._notifiers]
        for number in watched:
            if self.completed is None and not self._read_once(number):
                self._unwatch(number)
        if watched and not any(number in self._notifiers for number in watched):
            self._on_look()  # both streams at their end: most often the program is as well

    def _read_once(self, number: int) -> bool:
        try:
            chunk = os.read(number, _CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        kept = self._kept[number]
        room = self.command.most_output_bytes - len(kept)
        kept.extend(chunk[:room])
        if len(chunk) > room:
            self._truncated = True
            self.stop(Ending.EXITED)
        return bool(chunk)

    def _on_writable(self) -> None:
        stream = self._child.stdin if self._child is not None else None
        if stream is None or stream.closed:
            return
        try:
            written = os.write(stream.fileno(), self._rest[:_CHUNK]) if self._rest else 0
        except BlockingIOError:
            written = 0
        except BrokenPipeError:  # it does not want to hear more
            written = len(self._rest)
        self._rest = self._rest[written:]
        if not self._rest:
            self._unwatch(stream.fileno())
            with suppress(BrokenPipeError):
                stream.close()

    def _unwatch(self, number: int) -> None:
        notifier = self._notifiers.pop(number, None)
        if notifier is not None:
            notifier.setEnabled(False)
            notifier.deleteLater()

    def _on_look(self) -> None:
        if self._child is not None and self._child.poll() is not None:
            self._finish()

    def _on_timeout(self) -> None:
        self.stop(Ending.TIMED_OUT)

    def _on_patience(self) -> None:
        if self._child is None or self._killed:
            self._finish()
            return
        self._killed = True
        signal_session(self._child, signal.SIGKILL)
        self._patience.setInterval(LEFT_BEHIND_MILLISECONDS)
        self._patience.start()

    def _on_quit(self) -> None:
        self._finish()

    def _finish(self) -> None:
        """Tell the one ending; a child that is still there is left behind, with its pipes closed."""
        if self.completed is not None:
            return
        for timer in (self._limit, self._patience, self._later, self._look):
            timer.stop()
        code = self._let_go()
        ending = self._ending or (Ending.EXITED if code is not None and code >= 0 else Ending.KILLED)
        found = self._failure or Completed(
            command=self.command,
            ending=ending,
            status=code if ending is Ending.EXITED and code is not None and code >= 0 else None,
            truncated=self._truncated,
            seconds=time.monotonic() - self._started if self._started else 0.0,
        )
        if self._kept:
            stdout, stderr = (bytes(kept) for kept in self._kept.values())
            found = replace(found, stdout=stdout, stderr=stderr)
        self.completed = found
        self.done.emit()

    def _let_go(self) -> int | None:
        """Take the last output, end what the child left running, and return the child's status."""
        child, self._child = self._child, None
        if child is None:
            return None
        self._drain()
        for number in tuple(self._notifiers):
            self._unwatch(number)
        # Grandchildren may have outlived the child and would hold on to disks or pipes.
        signal_session(child, signal.SIGKILL)
        close_streams(child)
        if self._end is not None:
            self._end.detach()
        leave_behind(child)
        return child.returncode

    def _drain(self) -> None:
        for number, kept in self._kept.items():
            before = -1
            while number in self._notifiers and len(kept) != before and not self._truncated:
                before = len(kept)
                self._read_once(number)


# Conversations in the window: the event loop drives what `process.conversing.converse` drives on the command line.

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
            self._answer(step)
        elif isinstance(step, tuple):
            super()._start(step)
        else:
            self._step = step
            self._scene.begin(step)
            self._moving.start()

    def _answer(self, step: Step) -> None:
        answers = not_begun(step)
        self._batch, self._answers = tuple(answer.command for answer in answers), dict(enumerate(answers))
        self._timer.start()

    def _on_move(self) -> None:
        self._scene.move()
        answers = self._scene.answers
        if answers is not None:
            self._moving.stop()
            self._batch, self._answers = tuple(answer.command for answer in answers), dict(enumerate(answers))
            self._timer.start()

    def cancel(self) -> None:
        """End what runs now; the conversation then returns what it has. A second time: give it up."""
        if self._stopped or self.state.phase is not JobPhase.RUNNING:
            super().cancel()
            return
        self._stopped = True
        self._report(doing=tell("Ending; what was measured is kept"))
        self._scene.cancel()
        for run in self._runs.values():
            run.stop()

    def _abort(self) -> None:
        self._moving.stop()
        super()._abort()
        self._scene.leave()
