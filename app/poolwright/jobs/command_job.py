"""Commands in the window: QProcess drives what `process.blocking.drive` drives on the command line."""

import os
import shutil
import signal
import time
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from poolwright.jobs.job import Job
from poolwright.process.command import Batch, Command, Completed, Ending, Reading
from poolwright.process.environment import child_environment

MOST_AT_ONCE = 8
_GRACE_MILLISECONDS = 150
_KILL_MILLISECONDS = 1000


class CommandRun(QObject):
    """One command from start to end, as `process.blocking.run` does it. ``done`` is sent once; ``completed`` is set."""

    done = Signal()

    def __init__(self, command: Command, parent: QObject) -> None:
        super().__init__(parent)
        self.command = command
        self.completed: Completed | None = None
        self._ending: Ending | None = None
        self._truncated = False
        self._started = 0.0
        self._stdout, self._stderr = bytearray(), bytearray()
        self._process = QProcess(self)
        self._process.readyReadStandardOutput.connect(self._on_output)
        self._process.readyReadStandardError.connect(self._on_output)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(round(command.timeout_seconds * 1000))
        self._timer.timeout.connect(self._on_timeout)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._finish)

    def start(self) -> None:
        """Start the program; a missing one is reported as an ending."""
        environment = child_environment(extra=self.command.environment)
        path = shutil.which(self.command.program, path=environment["PATH"])
        if path is None:
            present = shutil.which(self.command.program, mode=os.F_OK, path=environment["PATH"])
            self._ending = Ending.NOT_PERMITTED if present else Ending.NOT_FOUND
            # Told on the next turn of the loop, as for every other command.
            self._later.start()
            return
        own = QProcessEnvironment()
        for name, value in environment.items():
            own.insert(name, value)
        self._process.setProcessEnvironment(own)
        parameters = QProcess.UnixProcessParameters()
        parameters.flags = QProcess.UnixProcessFlag.CreateNewSession
        self._process.setUnixProcessParameters(parameters)
        if self.command.stdin is None:
            self._process.setStandardInputFile(QProcess.nullDevice())
        self._started = time.monotonic()
        self._timer.start()
        self._process.start(path, list(self.command.argv[1:]))
        if self.command.stdin is not None:
            self._process.write(self.command.stdin)
            self._process.closeWriteChannel()

    def stop(self, ending: Ending = Ending.CANCELLED) -> None:
        """End the program and all it started, first politely; returns when it is gone."""
        if self.completed is not None:
            return
        self._ending = self._ending or ending
        self._later.stop()
        self._timer.stop()
        self._signal(signal.SIGTERM)
        if not self._process.waitForFinished(_GRACE_MILLISECONDS):
            self._signal(signal.SIGKILL)
            self._process.waitForFinished(_KILL_MILLISECONDS)

    def _signal(self, number: signal.Signals) -> None:
        pid = self._process.processId()
        if pid > 0:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, number)

    def _on_output(self) -> None:
        for read, kept in (
            (self._process.readAllStandardOutput, self._stdout),
            (self._process.readAllStandardError, self._stderr),
        ):
            chunk = read().data()
            room = self.command.most_output_bytes - len(kept)
            kept.extend(chunk[:room])
            if len(chunk) > room:
                self._truncated = True
        if self._truncated and self._ending is None:
            self.stop(Ending.EXITED)

    def _on_timeout(self) -> None:
        self.stop(Ending.TIMED_OUT)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._ending = Ending.NOT_PERMITTED
            self._finish()

    def _on_finished(self) -> None:
        self._on_output()
        self._finish()

    def _finish(self) -> None:
        if self.completed is not None:
            return
        self._timer.stop()
        crashed = self._process.exitStatus() is QProcess.ExitStatus.CrashExit
        ending = self._ending or (Ending.KILLED if crashed else Ending.EXITED)
        has_status = ending is Ending.EXITED and not crashed
        self.completed = Completed(
            command=self.command,
            ending=ending,
            status=self._process.exitCode() if has_status else None,
            stdout=bytes(self._stdout),
            stderr=bytes(self._stderr),
            truncated=self._truncated,
            seconds=time.monotonic() - self._started if self._started else 0.0,
        )
        self.done.emit()


class CommandJob(Job):
    """Drives a reading: runs each batch it yields, at most eight commands at once, and sends it what came of them."""

    def __init__(self, title: str, target: str, reading: Reading[Any], parent: QObject) -> None:
        super().__init__(title, target, parent)
        self._reading = reading
        self._runs: list[CommandRun] = []
        self._waiting: list[CommandRun] = []
        self._asked = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._next_batch)

    def _begin(self) -> None:
        self._timer.start()

    def _abort(self) -> None:
        self._timer.stop()
        self._waiting.clear()
        for run in self._runs:
            run.done.disconnect(self._on_run_done)
            run.stop()
        self._reading.close()

    def _next_batch(self) -> None:
        answers = tuple(run.completed for run in self._runs if run.completed is not None)
        try:
            batch: Batch = self._reading.send(answers) if self._asked else next(self._reading)
            self._asked = True
        except StopIteration as stop:
            self._forget_runs()
            self._succeed(stop.value)
        except Exception as error:  # noqa: BLE001 - a job ends once, whatever happens in it; the state carries the error
            self._forget_runs()
            self._fail(error)
        else:
            self._forget_runs()
            self._start(batch)

    def _start(self, batch: Batch) -> None:
        self._runs = [CommandRun(command, self) for command in batch]
        self._waiting = list(self._runs)
        for run in self._runs:
            run.done.connect(self._on_run_done)
        self._report(doing=batch[0].text if batch else "", fraction=None)
        if not batch:
            self._timer.start()
        self._start_some()

    def _start_some(self) -> None:
        begun = sum(1 for run in self._runs if run.completed is None) - len(self._waiting)
        while self._waiting and begun < MOST_AT_ONCE:
            self._waiting.pop(0).start()
            begun += 1

    def _on_run_done(self) -> None:
        done = sum(1 for run in self._runs if run.completed is not None)
        if done == len(self._runs):
            # From the event loop, not from inside the process's own signal.
            self._timer.start()
            return
        self._report(fraction=done / len(self._runs))
        self._start_some()

    def _forget_runs(self) -> None:
        for run in self._runs:
            run.deleteLater()
        self._runs = []
