"""Commands in the window: the event loop drives what `process.blocking.drive` drives on the command line."""

import time
from collections.abc import Generator
from typing import Any

from PySide6.QtCore import QObject, QTimer

from poolwright.domain.command import Batch, Completed
from poolwright.jobs.command_run import CommandRun
from poolwright.jobs.job import Job
from poolwright.jobs.sliced_job import SLICE_SECONDS
from poolwright.process.elsewhere import is_elsewhere

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
