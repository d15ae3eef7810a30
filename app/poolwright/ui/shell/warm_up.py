"""What is fetched once the first page stands: what designs need, the rules, then the pages and what draws plots."""

import gc
import time
from collections.abc import Callable, Generator
from types import ModuleType
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, Signal

from poolwright.jobs.job import JobPhase, SlicedJob, Work
from poolwright.texts import _
from poolwright.ui.parts.importing import import_in_steps

if TYPE_CHECKING:
    from poolwright.rules.model import RuleBook

_FOR_DESIGNS = (
    "poolwright.ui.shell.summary_numbers",
    "poolwright.ui.state.recommending",
    "cattrs",  # with the one below a design of the library is read, in the turn in which it is shown
    "poolwright.store.structure",
)
_FOR_PAGES = (
    "poolwright.questions",
    "pyqtgraph",
    "poolwright.ui.plots.chart_plot",
    "poolwright.ui.disks.page",
    "poolwright.ui.ranking.page",
    "poolwright.ui.design.page",
    "poolwright.ui.design.picture.pane",
    "poolwright.ui.commands.page",
    "poolwright.ui.outlook.pane",
    "poolwright.ui.compare.page",
    "poolwright.ui.buying.page",
    "poolwright.ui.tables.pane",
    "poolwright.ui.synclog.pane",
    "poolwright.bench.judging.verdict",
    "poolwright.bench.run_file",
    "poolwright.ui.verify.page",
)


def name_classes(*modules: ModuleType) -> Generator[None, None, None]:
    """Have PySide make its classes, each when it is first named: in one go they take long, and no thread shall."""
    for module in modules:
        for name in dir(module):
            getattr(module, name)
            yield


def import_for_designs() -> Generator[float, None, None]:
    """Import what the first page does without and any design needs, yielding the share that is done."""
    for __ in name_classes(QtWidgets):
        yield 0.0
    for number, name in enumerate(_FOR_DESIGNS, start=1):
        for __ in import_in_steps(name):
            yield number / (len(_FOR_DESIGNS) + 1)


def load_rules_slowly() -> Generator[float | None, None, "RuleBook"]:
    yield from import_in_steps("poolwright.rules.load")
    from poolwright.rule_library import load_rules_in_steps

    book = yield from load_rules_in_steps()
    keep_for_good()
    return book


def import_for_pages() -> Generator[None, None, None]:
    yield from name_classes(QtCore, QtGui)
    for name in _FOR_PAGES:
        yield from import_in_steps(name)
    keep_for_good()


class WarmUp(QObject):
    """Fetches what the first page stands without, from `begin` on: what designs need, the rules, last the pages.

    ``ready`` is sent when a design can be opened without a wait, ``ended`` with the rules (or None) and what is wrong
    with them, empty for nothing.
    """

    ready = Signal()
    ended = Signal(object, str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._job: SlicedJob | None = None
        self._spares = False

    def begin(self) -> None:
        """Import what designs need, then go on with `load_rules`."""
        self._start(_("Starting"), import_for_designs(), self._on_imported)

    def load_rules(self) -> None:
        self._start(_("Loading rules"), load_rules_slowly(), self._on_loaded)

    def stop(self) -> None:
        """Give up; what is missing is imported where it is needed."""
        if self._job is not None:
            self._job.cancel()
        if self._spares:
            from poolwright.jobs.worker_job import workers

            workers().keep_spare(kept=False)

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
            self._start(_("Starting"), import_for_pages(), self._on_fetched)

    def _on_fetched(self) -> None:
        if self._take() is not None:
            from poolwright.jobs.worker_job import workers

            workers().keep_spare()  # nobody waits for anything now: it is there when something is
            self._spares = True


# Short turns of Python's collector of garbage: a full one over half a million objects stops the window for 0.3 s.

FELT_SECONDS = 0.005
# Allocations before the youngest are looked at, and how often before the next older are; the last was 10, with which
# the first full collection comes after 80,000 new objects.
THRESHOLDS = (700, 10, 3)


def keep_for_good() -> None:
    """Leave what was made so far out of every later collection: modules, rules and pages live as long as the program.

    To look through them all takes a fifth of a second, in the middle of whatever is being done.
    """
    gc.freeze()
    # Of nothing, and at once; without it, as much as survived the last full collection puts off the next one, which
    # then looks through a quarter of all that the program holds.
    gc.collect()


class ShortCollections:
    """Keeps full collections short from `begin` to `end`."""

    def __init__(self) -> None:
        self._began = 0.0
        self._before: tuple[int, int, int] | None = None

    def begin(self) -> None:
        """Leave out what there is now, and from now on what survives a full collection that takes long."""
        if self._before is None:
            self._before = gc.get_threshold()
            gc.set_threshold(*THRESHOLDS)
            keep_for_good()
            gc.enable()
            gc.callbacks.append(self._on_collection)

    def end(self) -> None:
        if self._before is not None:
            gc.callbacks.remove(self._on_collection)
            gc.set_threshold(*self._before)
            self._before = None

    def _on_collection(self, phase: str, info: dict[str, int]) -> None:
        if info["generation"] < len(THRESHOLDS) - 1:
            return
        if phase == "start":
            self._began = time.thread_time()
        elif time.thread_time() - self._began > FELT_SECONDS:
            keep_for_good()
