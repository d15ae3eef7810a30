"""A person at a real screen: from an example machine to a saved script, by pointer and keyboard."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from tests.ui.controls import named, there, visit
from tests.ui.design_at_hand import centre, layout, open_picture

from poolwright.design.edits.places import Bay
from poolwright.domain.vdev import VdevClass
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.design.picture.board import PictureBoard
from poolwright.ui.design.picture.geometry import NewVdev
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example

pytestmark = [
    pytest.mark.display,
    pytest.mark.skipif(os.environ.get("QT_QPA_PLATFORM") != "xcb", reason="needs QT_QPA_PLATFORM=xcb and a display"),
]


def xdotool(*arguments: str) -> None:
    program = shutil.which("xdotool")
    assert program, "make test-display installs xdotool"
    subprocess.run([program, *arguments], check=True, timeout=20, capture_output=True)


def point_and_press(qtbot: QtBot, widget: QWidget) -> None:
    """Move the real pointer to the middle of ``widget``, follow it where it moves, and press once it is there."""
    at = None
    while (middle := _middle(widget)) != at:
        at = middle
        xdotool("mousemove", str(at.x()), str(at.y()))
        qtbot.wait(50)
    xdotool("click", "1")
    qtbot.wait(50)


def _middle(widget: QWidget) -> QPoint:
    ratio = QGuiApplication.primaryScreen().devicePixelRatio()
    return widget.mapToGlobal(QPoint(widget.width() // 2, widget.height() // 2)) * ratio


def focus(qtbot: QtBot, window: QWidget) -> None:
    """Give the real keyboard to ``window``; there is no window manager that would."""
    xdotool("windowfocus", "--sync", str(int(window.winId())))
    qtbot.waitUntil(window.isActiveWindow)


def arrive(qtbot: QtBot, window: MainWindow, name: str) -> None:
    qtbot.waitUntil(lambda: window.current_page() == name)


def button(page: QWidget, text: str) -> QPushButton:
    return next(b for b in page.findChildren(QPushButton) if b.isVisible() and b.text().startswith(text))


def test_that_a_person_gets_from_an_example_to_a_saved_script(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, tmp_path: Path
) -> None:
    window.session.set_rules(rules)
    qtbot.waitExposed(window)
    focus(qtbot, window)
    point_and_press(qtbot, named(window.page("start"), QPushButton, "44 × 6 TB"))
    for here, onward in (("disks", "workload"), ("workload", "budget"), ("budget", "recommendation")):
        arrive(qtbot, window, here)
        point_and_press(qtbot, button(window.page(here), "Next"))
        arrive(qtbot, window, onward)
    ranking = visit(window, RecommendationPage)
    qtbot.waitUntil(lambda: window.session.recommendation is not None, timeout=30_000)
    qtbot.waitUntil(ranking.use.isEnabled)
    point_and_press(qtbot, ranking.use)
    qtbot.waitUntil(lambda: window.session.design is not None)
    xdotool("key", "ctrl+e")
    arrive(qtbot, window, "commands")
    point_and_press(qtbot, button(window.page("commands"), "Save script"))
    qtbot.waitUntil(lambda: bool(dialogs()))
    dialog = dialogs()[0]
    focus(qtbot, dialog)
    target = tmp_path / "create-tank.sh"
    xdotool("key", "ctrl+a")
    xdotool("type", str(target))
    qtbot.waitUntil(lambda: str(target) in {e.text() for e in dialog.findChildren(QLineEdit)})
    xdotool("key", "Return")
    qtbot.waitUntil(target.exists)
    assert "zpool create" in target.read_text()
    assert os.access(target, os.X_OK)
    qtbot.waitUntil(lambda: window.session.script_saved)


def dialogs() -> list[QFileDialog]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, QFileDialog) and w.isVisible()]


# A person at a real screen drags disks into a pool.


def go(board: PictureBoard, at: QPoint, qtbot: QtBot) -> None:
    ratio = QGuiApplication.primaryScreen().devicePixelRatio()
    there = board.viewport().mapToGlobal(at) * ratio
    xdotool("mousemove", str(there.x()), str(there.y()))
    qtbot.wait(60)


def drag(board: PictureBoard, start: QPoint, stop: QPoint, qtbot: QtBot) -> None:
    go(board, start, qtbot)
    xdotool("mousedown", "1")
    qtbot.wait(60)
    for share in (0.2, 0.5, 0.8, 1.0):
        go(board, start + (stop - start) * share, qtbot)
    effect = there(there(board._haul).effect)
    assert effect.possible, effect.text
    xdotool("mouseup", "1")
    qtbot.wait(60)


def test_that_a_pool_is_begun_with_the_pointer(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitExposed(window)
    focus(qtbot, window)
    pane = open_picture(window, qtbot)
    pane.session.start_from(example("wikibook"))
    board = pane.board
    tray = [tile.piece for tile in pane.editing.content.tray]
    go(board, centre(board, tray[0]), qtbot)
    xdotool("click", "1")
    go(board, centre(board, tray[7]), qtbot)
    xdotool("keydown", "shift", "click", "1", "keyup", "shift")
    qtbot.waitUntil(lambda: len(pane.editing.marks) == 8)
    drag(board, centre(board, tray[3]), board.placed.areas[NewVdev(0)].center().toPoint(), qtbot)
    qtbot.waitUntil(lambda: layout(pane) == ["raidz2"])
    spares = board.placed.areas[Bay(vdev_class=VdevClass.SPARE)]
    drag(board, centre(board, pane.editing.content.tray[-1].piece), spares.center().toPoint(), qtbot)
    qtbot.waitUntil(lambda: layout(pane) == ["raidz2", "spare/stripe"])
