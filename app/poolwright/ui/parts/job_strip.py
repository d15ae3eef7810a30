"""The running job on the page where one waits: what it does, how far it is, and Cancel. Under 300 ms none is shown."""

import time
from collections.abc import Generator
from datetime import datetime

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from poolwright.domain.steps import at_once
from poolwright.jobs.job import SLICE_SECONDS, Job, JobQueue
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.elided_label import ElidedLabel
from poolwright.ui.parts.theme import GRID, Tone

SHOW_AFTER_MILLISECONDS = 300
_STEPS = 1000


class JobStrip(QWidget):
    """Follows a queue while its page is in sight. ``turned`` tells before it appears or goes."""

    turned = Signal(bool)

    def __init__(self, queue: JobQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self._job: Job | None = None
        row = lay.row(of=self)
        self._text = ElidedLabel(Tone.TEXT, self)
        self._bar = QProgressBar(self)
        self._bar.setMinimumWidth(6 * GRID)
        self._bar.setMaximumWidth(20 * GRID)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tell("Progress"))
        self._cancel = lay.button(tell("Cancel"), self, self._on_cancel, icon="cancel")
        for widget in (self._text, self._bar, self._cancel):
            row.addWidget(widget)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOW_AFTER_MILLISECONDS)
        self._timer.timeout.connect(self._appear)
        self.hide()
        queue.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show what runs now; a page that comes into sight asks for it."""
        page = self.parentWidget()
        self._job = self._queue.running() if page is not None and page.isVisible() else None
        if self._job is None:
            self._timer.stop()
            self._show(shown=False)
            return
        state = self._job.state
        self._text.show_text(f"{self._job.title}: {state.doing}" if state.doing else self._job.title)
        if state.fraction is None:
            self._bar.setRange(0, 0)
        else:
            self._bar.setRange(0, _STEPS)
            self._bar.setValue(round(state.fraction * _STEPS))
        if self.isHidden() and not self._timer.isActive():
            self._timer.start()

    def leave_cancel(self, *, to_page: bool) -> None:
        """Show no Cancel while the page has a button of its own that ends the same job."""
        self._cancel.setVisible(not to_page)

    def _appear(self) -> None:
        self._show(shown=self._queue.running() is not None)

    def _show(self, *, shown: bool) -> None:
        if self.isHidden() is shown:
            self.turned.emit(shown)
            self.setVisible(shown)

    def _on_cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()


# Steps of work taken between the events of the window, for parts of a page that are no job of their own.

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


# A moment as people read it.


def when(moment: datetime) -> str:
    return moment.astimezone().isoformat(" ", "minutes")[:16]  # several times as fast as strftime
