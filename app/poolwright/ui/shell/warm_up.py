"""What is fetched once the first page stands: the rules at once, what draws plots while nobody works at the window."""

import time
from collections.abc import Generator

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QLineEdit

from poolwright.jobs.queue import JobQueue
from poolwright.jobs.sliced_job import SLICE_SECONDS
from poolwright.rule_library import load_rules_in_steps
from poolwright.rules.model import RuleBook
from poolwright.ui.parts.importing import import_in_steps
from poolwright.ui.plots.parts import plot_parts_in_steps
from poolwright.ui.shell.garbage import keep_for_good

# Parts before the wholes that import them, so that each turn of the event loop is as short as it can be.
_FOR_START = (
    "poolwright.rules.load",
    "attrs",  # with the two below a design of the library is read, in the turn in which it is shown
    "cattrs",
    "poolwright.store.structure",
)
_FOR_PAGES = (
    "poolwright.ui.disks.page",
    "poolwright.ui.ranking.page",
    "poolwright.ui.design.page",
    "poolwright.ui.design.picture.page",
    "poolwright.emit.actions",
    "poolwright.ui.commands.page",
    "poolwright.ui.outlook.page",
    "poolwright.emit.report_comparison",
    "poolwright.advise.compare",
    "poolwright.ui.compare.page",
    "poolwright.ui.buying.page",
    "poolwright.ui.tables.page",
    "poolwright.ui.synclog.page",
)
LOOK_MILLISECONDS = 250
_QUIET_LOOKS = 4  # a second without pointer, typing or job
_WORK_MILLISECONDS = 30  # between the slices of work once it is quiet


def load_rules_slowly() -> Generator[float | None, None, RuleBook]:
    """Import what is slow, yielding the share that is done; return the rules. Raises what loading them raises."""
    for number, name in enumerate(_FOR_START, start=1):
        for _ in import_in_steps(name):
            yield number / (len(_FOR_START) + 1)
    book = yield from load_rules_in_steps()
    keep_for_good()
    return book


class IdleImports(QObject):
    """Imports piece by piece whenever nobody has worked at the window for a second; then it stops for good."""

    def __init__(self, jobs: JobQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._work = _for_pages_in_steps()
        self._seen: tuple[QPoint, int] | None = None
        self._quiet = 0
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MILLISECONDS)
        self._timer.timeout.connect(self._look)

    def start(self) -> None:
        """Begin to wait for quiet moments."""
        self._timer.start()

    def stop(self) -> None:
        """Give up; what is missing is imported where it is needed."""
        self._timer.stop()

    def _look(self) -> None:
        focused = QGuiApplication.focusObject()
        seen = (QCursor.pos(), id(focused))
        busy = isinstance(focused, QLineEdit) or bool(self._jobs.jobs) or seen != self._seen
        self._seen = seen
        self._quiet = 0 if busy else self._quiet + 1
        if self._quiet < _QUIET_LOOKS:
            self._timer.setInterval(LOOK_MILLISECONDS)
            return
        self._timer.setInterval(_WORK_MILLISECONDS)
        until = time.monotonic() + SLICE_SECONDS
        for _ in self._work:
            if time.monotonic() >= until:
                return
        self._timer.stop()
        keep_for_good()


def _for_pages_in_steps() -> Generator[None, None, None]:
    for name in _FOR_PAGES:
        yield from import_in_steps(name)
    yield from plot_parts_in_steps()
