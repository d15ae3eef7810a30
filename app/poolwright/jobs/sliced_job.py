"""Work in Python, done in slices between the events of the window."""

import time
from collections.abc import Generator
from weakref import WeakSet

from PySide6.QtCore import QObject, QTimer

from poolwright.jobs.job import Job

SLICE_SECONDS = 0.008  # a frame at 60 Hz is 16 ms; half of it is left to the window

Progress = float | None
Work = Generator[Progress, None, object]


class SlicedJob(Job):
    """Drives a generator that yields its progress (0 to 1, or None) every few milliseconds and returns the result.

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
        fraction: Progress = None
        try:
            while time.monotonic() < until:
                fraction = next(self._work)
        except StopIteration as stop:
            self._rest()
            self._succeed(stop.value)
        except Exception as error:  # noqa: BLE001 - a job ends once, whatever happens in it; the state carries the error
            self._rest()
            self._fail(error)
        else:
            self._report(fraction=fraction)

    def _rest(self) -> None:
        _at_work.discard(self)
        self._timer.stop()


# Qt may take a slice of each of them between two events of the window.
_at_work: "WeakSet[SlicedJob]" = WeakSet()
