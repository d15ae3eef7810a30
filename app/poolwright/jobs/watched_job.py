"""Conversations in the window: the event loop drives what `process.conversing.converse` drives on the command line."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from poolwright.domain.command import Batch
from poolwright.jobs.command_job import CommandJob
from poolwright.jobs.job import JobPhase
from poolwright.process.conversing import not_begun
from poolwright.process.scene import Scene
from poolwright.process.watched import Conversation, LetGo, Step
from poolwright.texts import tell

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
