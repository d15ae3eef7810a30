"""What is fetched once the first page stands: the rules at once, what draws plots while nobody works at the window."""

import importlib
from collections.abc import Generator

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QLineEdit

from poolwright.jobs.queue import JobQueue
from poolwright.rule_library import load_rules_in_steps
from poolwright.rules.model import RuleBook

# Parts before the wholes that import them, so that each turn of the event loop is as short as it can be.
_FOR_RULES = (
    "decimal",
    "dateutil.tz",
    "dateutil.parser",
    "rule_engine.parser.utilities",  # builds its tables in one go, which takes a third of a second
    "rule_engine",
    "poolwright.rules.load",
)
_FOR_PAGES = (
    "attrs",
    "cattrs",
    "multiprocessing.connection",
    "xml.etree.ElementTree",
    "numpy.lib",
    "pyqtgraph",  # its package imports all its parts: the longest turn, so it comes last of what is not ours
    "poolwright.ui.pages.disks",
    "poolwright.ui.pages.recommendation",
    "poolwright.ui.pages.design",
    "poolwright.emit.actions",
    "poolwright.ui.pages.commands",
    "poolwright.ui.pages.outlook",
    "poolwright.emit.report_comparison",
    "poolwright.advise.compare",
    "poolwright.ui.pages.compare",
    "poolwright.ui.pages.buying",
    "poolwright.ui.pages.tables",
    "poolwright.ui.pages.synclog",
)
LOOK_MILLISECONDS = 250
_QUIET_LOOKS = 4  # a second without pointer, typing or job


def load_rules_slowly() -> Generator[float | None, None, RuleBook]:
    """Import what is slow, yielding the share that is done; return the rules. Raises what loading them raises."""
    for number, name in enumerate(_FOR_RULES, start=1):
        importlib.import_module(name)
        yield number / (len(_FOR_RULES) + 1)
    return (yield from load_rules_in_steps())


class IdleImports(QObject):
    """Imports one module at a time whenever nobody has worked at the window for a second; then it stops for good."""

    def __init__(self, jobs: JobQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._left = list(_FOR_PAGES)
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
            return
        importlib.import_module(self._left.pop(0))
        if not self._left:
            self._timer.stop()
