"""A module that takes long to import comes beside the window, and its error where it is waited for."""

import subprocess
import sys
from pathlib import Path

import pytest

from poolwright.ui.parts.importing import import_in_steps


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a module that takes a while, and return its name."""
    (tmp_path / "slowmodule.py").write_text("import time\ntime.sleep(0.05)\nvalue = 3\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "slowmodule", raising=False)
    return "slowmodule"


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
from poolwright.ui.parts.importing import import_in_steps
longest, began = 0.0, time.thread_time()
for _ in import_in_steps("pyqtgraph"):
    longest, began = max(longest, time.thread_time() - began), time.thread_time()
import pyqtgraph
assert pyqtgraph.PlotWidget().plotItem.vb is not None
print(longest)
"""


@pytest.mark.slow
def test_that_what_draws_plots_is_imported_without_a_long_turn() -> None:
    ended = subprocess.run([sys.executable, "-c", PLOTS], capture_output=True, text=True, check=True)
    assert float(ended.stdout) < 0.05  # in one go it takes 0.7 s
