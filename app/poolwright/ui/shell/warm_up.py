"""What is fetched once the first page stands: what designs need, the rules, then the pages and what draws plots."""

import gc
import time
from collections.abc import Generator, Iterable
from types import ModuleType

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, Signal

from poolwright.domain.errors import PoolwrightError
from poolwright.jobs.job import JobPhase, SlicedJob
from poolwright.texts import _
from poolwright.ui.parts.importing import import_in_steps

_FOR_DESIGNS = (
    "poolwright.ui.shell.summary_numbers",
    "poolwright.ui.state.recommending",
    "cattrs",  # with the one below a design of the library is read, in the turn in which it is shown
    "cattrs.gen",
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
    "poolwright.ui.knowledge.tables",
    "poolwright.ui.knowledge.synclog",
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
        self._job = SlicedJob(_("Starting"), "program", self._fetched(), self)
        self._job.ended.connect(self._on_ended)
        self._job.start()

    def stop(self) -> None:
        """Give up; what is missing is imported where it is needed."""
        if self._job is not None:
            self._job.cancel()
        if self._spares:
            from poolwright.jobs.worker_job import workers

            workers().keep_spare(kept=False)

    def _fetched(self) -> Generator[object, None, None]:
        yield from name_classes(QtWidgets)
        yield from _imported(_FOR_DESIGNS)
        self.ready.emit()
        yield from import_in_steps("poolwright.rules.load")
        from poolwright.rule_library import load_rules_in_steps

        try:
            rules = yield from load_rules_in_steps()
        except PoolwrightError as error:
            self.ended.emit(None, error.text)
        else:
            keep_for_good()
            self.ended.emit(rules, "")
        yield from name_classes(QtCore, QtGui)
        yield from _imported(_FOR_PAGES)
        keep_for_good()
        from poolwright.jobs.worker_job import workers

        workers().keep_spare()  # nobody waits for anything now: it is there when something is
        self._spares = True

    def _on_ended(self) -> None:
        """Say of a mistake of ours, too, that there are no rules."""
        job, self._job = self._job, None
        if job is not None:
            job.deleteLater()
            if job.state.phase is JobPhase.FAILED:
                self.ended.emit(None, job.state.error_text)


def _imported(modules: Iterable[str]) -> Generator[None, None, None]:
    for name in modules:
        yield from import_in_steps(name)


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
