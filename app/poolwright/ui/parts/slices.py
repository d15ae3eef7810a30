"""Steps of work taken between the events of the window, for parts of a page that are no job of their own."""

import time
from collections.abc import Generator

from PySide6.QtCore import QObject, QTimer

from poolwright.domain.steps import at_once
from poolwright.jobs.sliced_job import SLICE_SECONDS

_BETWEEN = 1  # milliseconds: with 0, Qt may take two slices between two events
Steps = Generator[object, None, object]


class Slices(QObject):
    """Drives one generator at a time, some milliseconds of it between two events."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: Steps | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)

    def begin(self, steps: Steps) -> None:
        """Take these steps from the next event on; what was under way is closed."""
        self.stop()
        self._steps = steps
        self._timer.start(_BETWEEN)

    def do(self, steps: Steps) -> None:
        """Take all of these steps now; what was under way is closed."""
        self.stop()
        at_once(steps)

    def stop(self) -> None:
        """Close what is under way."""
        self._timer.stop()
        steps, self._steps = self._steps, None
        if steps is not None:
            steps.close()

    def _go_on(self) -> None:
        until = time.monotonic() + SLICE_SECONDS
        steps = self._steps
        while steps is not None and steps is self._steps:
            try:
                next(steps)
            except BaseException as end:
                self._timer.stop()
                self._steps = None
                if isinstance(end, StopIteration):
                    return
                raise
            if time.monotonic() >= until:
                return
