"""What draws plots, imported piece by piece when the first plot is asked for or while nobody works at the window."""

import importlib
import sys
import time
from collections.abc import Generator
from typing import ClassVar

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer, Signal

from poolwright.jobs.job import SLICE_SECONDS
from poolwright.ui.parts.importing import import_in_steps

_AFTER_PAINTING = 50  # milliseconds: the page is on the screen by then
_APART = 5  # milliseconds between two plots that are made, in which the window answers
_LAST = "pyqtgraph"
# What the parts below import of the standard library, in pieces of its own.
_STANDARD = ("decimal", "pickle", "cProfile", "xml.etree.ElementTree", "multiprocessing.connection", "pydoc")
_NAMES_AT_ONCE = 8


def plot_parts_in_steps() -> Generator[None, None, None]:
    """Import what draws plots, yielding every few milliseconds. Raises what importing it raises."""
    if _LAST in sys.modules:
        return
    for module in (QtCore, QtGui, QtWidgets):
        # PySide6 makes a class when it is first named, and pyqtgraph names all of them at once.
        for number, name in enumerate(dir(module)):
            getattr(module, name)
            if number % _NAMES_AT_ONCE == 0:
                yield
    for name in _STANDARD:
        importlib.import_module(name)
        yield
    yield from import_in_steps("numpy")
    yield from import_in_steps(_LAST)


class PlotParts(QObject):
    """Sends ``ready`` once after each start: when what was shown has been painted and plots can be drawn."""

    ready = Signal()
    _made_at: ClassVar[float] = 0.0  # when a plot was made last, whoever asked for it

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps = plot_parts_in_steps()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)

    def start(self) -> None:
        self._steps = plot_parts_in_steps()
        self._timer.start(_AFTER_PAINTING)

    def _go_on(self) -> None:
        until = time.monotonic() + SLICE_SECONDS
        self._timer.stop()  # an import that fails is not tried again by itself
        # Qt sends all timers that are due in one turn: several plots made in it would stop the window together.
        if time.monotonic() - PlotParts._made_at < _APART / 1000:
            self._timer.start(_APART)
            return
        for _ in self._steps:
            if time.monotonic() >= until:
                self._timer.start(0)
                return
        self.ready.emit()
        PlotParts._made_at = time.monotonic()
