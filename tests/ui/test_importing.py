"""A module that takes long to import comes in steps between turns of the window, its error where it is waited for."""

import importlib
import subprocess
import sys
import time
from pathlib import Path

import pytest

from poolwright.ui.parts.importing import import_in_steps


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a module that takes a while and imports others that do, and return its name."""
    slow = "import time\ntime.sleep(0.01)\nvalue = 3\n"
    names = [f"slowmodule{number}" for number in range(8)]
    for number, name in enumerate(names):
        text = "".join(f"import {other}\n" for other in names[number + 1 :] if number == 0) + slow
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return names[0]


def test_that_nothing_is_imported_while_the_window_works(module: str) -> None:
    for _ in import_in_steps(module):
        before = set(sys.modules)
        time.sleep(0.03)  # as a turn of the window would take
        assert set(sys.modules) == before


def test_that_what_is_needed_at_once_is_not_waited_for_in_vain(module: str) -> None:
    steps = import_in_steps(module)
    next(steps)
    assert importlib.import_module(module).value == 3
    assert list(steps) in ([], [None])


def test_that_another_module_comes_after_the_first(module: str) -> None:
    first = import_in_steps(module)
    next(first)
    list(import_in_steps("this"))
    assert sys.modules[module].value == 3


def test_that_two_who_wait_get_the_same_module(module: str) -> None:
    one, other = import_in_steps(module), import_in_steps(module)
    next(one)
    next(other)
    assert len(list(one)) > 2
    assert sys.modules[module].value == 3
    assert len(list(other)) <= 1
    assert list(import_in_steps(module)) == []


def test_that_an_import_that_fails_says_why_each_time() -> None:
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError):
            list(import_in_steps("poolwright.nowhere"))


PLOTS = """
import time
from PySide6.QtWidgets import QApplication
application = QApplication([])
from PySide6 import QtCore, QtGui, QtWidgets
from poolwright.ui.parts.importing import import_in_steps
from poolwright.ui.shell.warm_up import name_classes
list(name_classes(QtWidgets, QtCore, QtGui))
turns, began = [], time.process_time()
for _ in import_in_steps("pyqtgraph"):
    turns.append(time.process_time() - began)
    began = time.process_time()
import pyqtgraph
assert pyqtgraph.PlotWidget().plotItem.vb is not None
print(max(turns) / sum(turns))
"""


@pytest.mark.slow
def test_that_what_draws_plots_is_imported_without_a_long_turn() -> None:
    ended = subprocess.run([sys.executable, "-c", PLOTS], capture_output=True, text=True, check=True)
    assert float(ended.stdout) < 0.25  # of its whole time, which is 0.3 to 0.7 s; the longest turn is one C library
