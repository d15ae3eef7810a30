"""What is fetched once the first page stands: the rules at once, what draws plots while nobody works at the window."""

import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from PySide6 import QtWidgets
from PySide6.QtCore import QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QLineEdit

from poolwright.jobs.job import SLICE_SECONDS, JobPhase, JobQueue, SlicedJob, Work
from poolwright.texts import tell
from poolwright.ui.parts.importing import import_in_steps
from poolwright.ui.plots.parts import plot_parts_in_steps
from poolwright.ui.shell.garbage import keep_for_good

if TYPE_CHECKING:
    from poolwright.rules.model import RuleBook

# Parts before the wholes that import them, so that each turn of the event loop is as short as it can be.
_FOR_DESIGNS = (
    "poolwright.design.evaluate",
    "poolwright.ui.shell.summary_numbers",
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
    "poolwright.design.compare",
    "poolwright.ui.compare.page",
    "poolwright.ui.buying.page",
    "poolwright.ui.tables.page",
    "poolwright.ui.synclog.page",
    "poolwright.bench.judging.verdict",
    "poolwright.bench.run_file",
    "poolwright.ui.verify.page",
)
LOOK_MILLISECONDS = 250
_QUIET_LOOKS = 4  # a second without pointer, typing or job
_WORK_MILLISECONDS = 30  # between the slices of work once it is quiet


def import_for_designs() -> Generator[float | None, None, None]:
    """Import what the first page does without and any design needs, yielding the share that is done."""
    for name in dir(QtWidgets):
        getattr(QtWidgets, name)  # PySide makes a class when it is first named, or all of them in one turn
        yield 0.0
    for number, name in enumerate(_FOR_DESIGNS, start=1):
        for _ in import_in_steps(name):
            yield number / (len(_FOR_DESIGNS) + 1)


def load_rules_slowly() -> Generator[float | None, None, "RuleBook"]:
    """Return the rules, yielding between. Raises what loading them raises."""
    yield from import_in_steps("poolwright.rules.load")
    from poolwright.rule_library import load_rules_in_steps

    book = yield from load_rules_in_steps()
    keep_for_good()
    return book


class WarmUp(QObject):
    """Fetches what the first page stands without, from `begin` on: what designs need, the rules, last what draws plots.

    ``ready`` is sent when a design can be opened without a wait, ``ended`` with the rules (or None) and what is wrong
    with them, empty for nothing.
    """

    ready = Signal()
    ended = Signal(object, str)

    def __init__(self, jobs: JobQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._idle_imports = IdleImports(jobs, self)
        self._job: SlicedJob | None = None

    def begin(self) -> None:
        """Import what designs need, then go on with `load_rules`."""
        self._start(tell("Starting"), import_for_designs(), self._on_imported)

    def load_rules(self) -> None:
        """Load the rules, and the rest in quiet moments."""
        self._start(tell("Loading rules"), load_rules_slowly(), self._on_loaded)
        self._idle_imports.start()

    def stop(self) -> None:
        """Give up; what is missing is imported where it is needed."""
        self._idle_imports.stop()
        if self._job is not None:
            self._job.cancel()

    def _start(self, title: str, work: Work, slot: Callable[[], None]) -> None:
        self._job = job = SlicedJob(title, "program", work, self)
        job.ended.connect(slot)
        job.start()

    def _take(self) -> SlicedJob | None:
        """Return the job that has ended; None where it was cancelled, as when the window closes."""
        job, self._job = self._job, None
        if job is not None:
            job.deleteLater()
        return None if job is None or job.state.phase is JobPhase.CANCELLED else job

    def _on_imported(self) -> None:
        if self._take() is not None:
            self.ready.emit()
            self.load_rules()

    def _on_loaded(self) -> None:
        job = self._take()
        if job is not None:
            self.ended.emit(job.result, job.state.error_text)


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
    yield from plot_parts_in_steps()  # first: a page that imports them does so in one turn
    for name in _FOR_PAGES:
        yield from import_in_steps(name)
