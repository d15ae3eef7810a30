"""A person at a real screen drags disks into a pool."""

import os

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from tests.ui.design_at_hand import centre, layout, open_picture
from tests.ui.test_drive import focus, xdotool

from poolwright.design.edits.places import Bay
from poolwright.domain.vdev import VdevClass
from poolwright.ui.design.picture.board import PictureBoard
from poolwright.ui.design.picture.geometry import NewVdev
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example

pytestmark = [
    pytest.mark.display,
    pytest.mark.skipif(os.environ.get("QT_QPA_PLATFORM") != "xcb", reason="needs QT_QPA_PLATFORM=xcb and a display"),
]


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
    effect = board.effect_shown()
    assert effect is not None
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
