"""The running job in the status bar: what it does, how far it is, and Cancel. Jobs under 300 ms are not shown."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from poolwright.jobs.job import Job
from poolwright.jobs.queue import JobQueue
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.theme import GRID

SHOW_AFTER_MILLISECONDS = 300
_STEPS = 1000


class JobStrip(QWidget):
    """Follows a queue."""

    def __init__(self, queue: JobQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self._job: Job | None = None
        row = lay.row(of=self, around=(0, 0, GRID, 0))
        self._text = QLabel(self)
        self._bar = QProgressBar(self)
        self._bar.setFixedWidth(20 * GRID)
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
        queue.changed.connect(self._refresh)

    def _refresh(self) -> None:
        self._job = self._queue.running()
        if self._job is None:
            self._timer.stop()
            self.hide()
            return
        state = self._job.state
        self._text.setText(f"{self._job.title}: {state.doing}" if state.doing else self._job.title)
        if state.fraction is None:
            self._bar.setRange(0, 0)
        else:
            self._bar.setRange(0, _STEPS)
            self._bar.setValue(round(state.fraction * _STEPS))
        if self.isHidden() and not self._timer.isActive():
            self._timer.start()

    def _appear(self) -> None:
        self.setVisible(self._queue.running() is not None)

    def _on_cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()
