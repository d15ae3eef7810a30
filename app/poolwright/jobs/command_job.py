"""Commands in the window: the event loop drives what `process.blocking.drive` drives on the command line."""

from typing import Any

from PySide6.QtCore import QObject, QTimer

from poolwright.jobs.command_run import CommandRun
from poolwright.jobs.job import Job
from poolwright.process.command import Batch, Reading

MOST_AT_ONCE = 8


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
            run.leave()
        self._runs = []
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
