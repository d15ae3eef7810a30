"""``make measure``: how large the program is, how much of it a question enters, how long answers take.

What is measured of a running command is measured in a process of its own: `python -m tests.measure entered COMMAND...`.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import tokenize
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from types import CodeType, FrameType
from typing import TYPE_CHECKING

from tests.budget import APP, sizes

if TYPE_CHECKING:
    from poolwright.ui.design.picture.pane import PicturePane
    from poolwright.ui.shell.main_window import MainWindow

ROOT = APP.parents[1]
COMMENTED = ("capacity", "predict", "changes", "emit")
TWELVE = ("recommend", "--disks", "12 x 16TB")
TIMED = {
    "the thesis' machine": ("recommend", "--example", "thesis", "--json"),
    "1,000 equal disks": ("recommend", "--disks", "1000 x 16TB", "--goal", "safety", "--json"),
    "1,000 disks of four kinds": (
        *("recommend", "--disks", "250 x 4TB, 250 x 8TB, 250 x 12TB, 250 x 16TB", "--goal", "safety", "--json"),
    ),
}


def called(work: Callable[[], object]) -> tuple[set[CodeType], int]:
    """Do this; return which functions of ours were entered meanwhile, and how deep calls lay."""
    own = f"{APP}/"
    codes: set[CodeType] = set()
    depth = deepest = 0

    def look(frame: FrameType, event: str, _: object) -> None:
        nonlocal depth, deepest
        if event in ("call", "return") and frame.f_code.co_filename.startswith(own):
            depth += 1 if event == "call" else -1
            deepest = max(deepest, depth)
            codes.add(frame.f_code)

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return {code for code in codes if not code.co_name.startswith("<")}, deepest


def entered(words: Sequence[str]) -> dict[str, float]:
    """Run a command; return how many functions of ours it called, how many modules it loaded, how deep calls lay."""
    from poolwright.cli.main import run

    with redirect_stdout(StringIO()):
        codes, deepest = called(lambda: run(list(words)))
    modules = sum(name.partition(".")[0] == "poolwright" for name in sys.modules)
    return {"functions": len(codes), "modules": modules, "deepest": deepest}


def _picture_of_thesis() -> "tuple[MainWindow, PicturePane]":
    """Return a window that shows the thesis' pool on the Design page, and the picture in it."""
    from tests.ui.conftest import thesis_design

    from poolwright.domain.steps import at_once
    from poolwright.rule_library import load_rules_in_steps
    from poolwright.ui.design.page import DesignPage
    from poolwright.ui.design.picture.pane import PicturePane
    from poolwright.ui.shell.main_window import MainWindow
    from poolwright.ui.state.preferences import Preferences
    from poolwright.ui.state.session import Session
    from poolwright.ui.state.sources import example

    window = MainWindow(Session(), Preferences())
    window.resize(1280, 800)
    window.show()
    window.session.set_rules(at_once(load_rules_in_steps()))
    window.session.start_from(example("thesis"))
    window.session.change_design(thesis_design(), "Choose layout")
    window.show_page("design")
    page = window.page("design")
    assert isinstance(page, DesignPage)
    pane = page.part("picture")
    assert isinstance(pane, PicturePane)
    return window, pane


def edited(*, names: bool = False) -> dict[str, float]:
    """Edit the thesis' pool on the Design page; return how many functions were entered, and the milliseconds.

    With ``names`` the functions are printed.
    """
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtWidgets import QApplication

    from poolwright.design.edits.places import RAIDZ3

    application = QApplication(["measure", "-style", "Fusion"])
    window, pane = _picture_of_thesis()
    editing = pane.editing

    def edit() -> None:
        editing.select(editing.content.pools[0].frames[0].place)
        editing.apply(editing.change_kind(RAIDZ3))
        application.processEvents()

    def undo() -> None:
        window.session.undo_steps.undo()
        application.processEvents()

    took = []
    for _ in range(9):
        began = time.process_time()
        edit()
        took.append(1000 * (time.process_time() - began))
        undo()
    codes, _ = called(edit)
    window.close()
    if names:
        print(*sorted(f"{code.co_filename[len(f'{APP}/') :]} {code.co_qualname}" for code in codes), sep="\n")
    return {"functions": len(codes), "milliseconds": sorted(took)[len(took) // 2]}


def measured_elsewhere(what: str, *words: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.measure", what, *words]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def seconds(words: Sequence[str]) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "poolwright", *words],
        cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - began


def comment_share(room: str) -> float:
    """Return the share of lines with a comment among all lines of a room that are not blank."""
    comments = lines = 0
    for file in (APP / room).rglob("*.py"):
        lines += sum(bool(line.strip()) for line in file.read_text(encoding="utf-8").splitlines())
        with file.open("rb") as read:
            comments += sum(token.type == tokenize.COMMENT for token in tokenize.tokenize(read.readline))
    return comments / lines


def main() -> None:
    """Print every figure as soon as it is known."""
    for name, size in sizes()["total"].items():
        show(name.replace("_", " "), f"{size:,}")
    for room in COMMENTED:
        show(f"lines with a comment in {room}", f"{comment_share(room):.1%}")
    for name in ("README.md", "ARCHITECTURE.md"):
        show(f"bytes of {name}", f"{(ROOT / name).stat().st_size:,}")
    question = measured_elsewhere("entered", *TWELVE)
    show("recommend of 12 disks: functions entered", f"{question['functions']:,}")
    show("recommend of 12 disks: own modules", f"{question['modules']:,}")
    show("recommend of 12 disks: deepest call", f"{question['deepest']:,}")
    with tempfile.TemporaryDirectory() as folder:
        design = f"{folder}/tank.json"
        seconds(("recommend", "--example", "thesis", "--goal", "safety", "--save-design", design))
        show("script of a saved design: own modules", f"{measured_elsewhere('entered', 'script', design)['modules']:,}")
    edit = measured_elsewhere("edited")
    show("an edit on the Design page: functions entered", f"{edit['functions']:,}")
    show("an edit on the Design page", f"{edit['milliseconds']:.1f} ms")
    for name, words in TIMED.items():
        show(f"recommend, {name}", f"{seconds(words):.1f} s")


def show(name: str, value: str) -> None:
    print(f"{name:<44}{value:>10}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["entered"]:
        print(json.dumps(entered(sys.argv[2:])))
    elif sys.argv[1:2] == ["edited"]:
        print(json.dumps(edited(names=sys.argv[2:] == ["--names"])))
    else:
        main()
