"""A large package comes piece by piece, and nobody sees it half made."""

import importlib
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from poolwright.ui.parts import importing
from poolwright.ui.parts.importing import after_importing, import_in_steps

FILES = {
    "__init__.py": '"""A package."""\nfrom __future__ import annotations\nhere = True\nfrom . import first\n'
    "if here:\n    from .second import *\n    from .inner.deep import depth\nlast = 3\n",
    "first.py": "from . import here\nvalue = 1\n",
    "second.py": "from .first import value\ntwice = 2 * value\n",
    "inner/__init__.py": "from .. import twice\nseen = twice\n",
    "inner/deep.py": "from . import seen\ndepth = seen + 1\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Write a package whose parts need each other, and take it as one of the large ones."""
    for name, text in FILES.items():
        file = tmp_path / "largepackage" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(importing, "_DIVIDED", ("largepackage",))
    finders = list(sys.meta_path)
    yield "largepackage"
    for name in [name for name in sys.modules if name.startswith("largepackage")]:
        del sys.modules[name]
    assert sys.meta_path == finders


def test_that_a_package_comes_piece_by_piece_as_it_would_whole(package: str) -> None:
    taken = 0
    for taken, _ in enumerate(import_in_steps(package), start=1):
        if taken < 8:
            assert package not in sys.modules
    assert taken > 10
    made = sys.modules[package]
    assert (made.twice, made.depth, made.last, made.__doc__) == (2, 3, 3, "A package.")
    assert made.inner.deep.depth == 3
    assert made.__spec__ is not None
    assert importlib.import_module(f"{package}.inner") is made.inner


def test_that_who_needs_it_meanwhile_gets_it_whole(package: str) -> None:
    steps = import_in_steps(package)
    for _ in range(4):
        next(steps)
    assert package not in sys.modules
    made = importlib.import_module(f"{package}.inner.deep")
    assert made.depth == 3
    assert sys.modules[package].last == 3
    assert list(steps) == []


def test_that_two_who_ask_share_one_import(package: str) -> None:
    one, other = import_in_steps(package), import_in_steps(package)
    taken = 0
    for _ in one:
        taken += 1
        next(other, None)
    assert sys.modules[package].last == 3
    assert taken < 12


def test_that_a_package_that_fails_is_forgotten(package: str, tmp_path: Path) -> None:
    broken = tmp_path / package / "second.py"
    broken.write_text("raise ValueError('broken')\n", encoding="utf-8")
    with pytest.raises(ValueError, match="broken"):
        list(import_in_steps(package))
    assert package not in sys.modules
    broken.write_text(FILES["second.py"] + "# mended\n", encoding="utf-8")
    importlib.invalidate_caches()
    list(import_in_steps(package))
    assert sys.modules[package].last == 3


def test_that_work_begins_when_its_module_is_there(package: str) -> None:
    def work() -> Generator[float, None, str]:
        assert sys.modules[package].last == 3
        yield 0.5
        return "done"

    assert list(after_importing(package, work()))[-1] == 0.5


def test_that_an_import_goes_on_with_what_another_has_begun(package: str) -> None:
    inner, outer = import_in_steps(package), import_in_steps(f"{package}.inner.deep")
    for _ in range(4):
        next(inner)
    taken = len(list(outer))
    assert taken > 4
    assert (sys.modules[f"{package}.inner.deep"].depth, sys.modules[package].last) == (3, 3)
    assert len(list(inner)) <= 1


PLOTS = """
import time
from PySide6.QtWidgets import QApplication
application = QApplication([])
from poolwright.ui.plots.parts import plot_parts_in_steps
longest, count, began = 0.0, 0, time.thread_time()
for _ in plot_parts_in_steps():
    longest, count, began = max(longest, time.thread_time() - began), count + 1, time.thread_time()
import numpy
import pyqtgraph
assert pyqtgraph.PlotWidget().plotItem.vb is not None
assert numpy.linalg.inv(numpy.eye(2))[0, 0] == 1.0
print(longest, count)
"""


@pytest.mark.slow
def test_that_what_draws_plots_is_imported_without_a_long_turn() -> None:
    within = 0.05 * 2.5  # in one go it takes 0.7 s
    for _ in range(2):  # the first one may have to compile everything
        ended = subprocess.run([sys.executable, "-c", PLOTS], capture_output=True, text=True, check=True)
        longest, count = ended.stdout.split()
        if float(longest) < within:
            break
    assert float(longest) < within
    assert int(count) > 200
