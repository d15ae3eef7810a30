"""The picture of a design in a window, and how tests press, drag and read in it."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import names_of, part_of

from poolwright.domain.disk import Disk, Health, Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.units import TB
from poolwright.ui.design.picture.board import PictureBoard
from poolwright.ui.design.picture.editing import Spot
from poolwright.ui.design.picture.pane import PicturePane
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example

KEY = Qt.Key
CONTROL, SHIFT, ALT, NOTHING = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.NoModifier,
)


def hundred_disks() -> Inventory:
    """Return two shelves of 47 hard disks of three sizes, and six flash drives."""
    disks = [
        Disk(
            key=f"K{number:03d}",
            serial=f"ZL2{number:05d}",
            model="ST16000NM001G",
            by_id=(f"ata-ST16000NM001G_ZL2{number:05d}",),
            size_bytes=(16, 16, 16, 18, 20)[number % 5] * TB if number < 94 else TB,
            logical_sector_bytes=512,
            physical_sector_bytes=4096,
            media=Media.HDD if number < 94 else Media.NVME,
            health=Health.GOOD,
            enclosure=f"shelf {number // 47 + 1}" if number < 94 else None,
            slot=str(number % 47 + 1) if number < 94 else None,
        )
        for number in range(100)
    ]
    origin = Origin(kind=OriginKind.READ, source="a test")
    return Inventory(name="two shelves", disks=tuple(disks), origin=origin)


def open_picture(window: MainWindow, qtbot: QtBot) -> PicturePane:
    """Show the picture in a window of 1280 x 800 with the keyboard in it, before any disks are chosen."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return part_of(window, PicturePane, "picture")


@pytest.fixture(name="pane")
def opened_pane(window: MainWindow, qtbot: QtBot) -> PicturePane:
    return open_picture(window, qtbot)


@pytest.fixture(name="thesis")
def thesis_pane(pane: PicturePane) -> PicturePane:
    """Show the thesis machine as 5 raidz2 of 8 with 4 spares and two SSDs left over."""
    pane.session.start_from(example("thesis"))
    pane.session.change_design(thesis_design(), "Choose layout")
    pane.board.setFocus()
    return pane


def named(root: QWidget, name: str) -> QWidget:
    return next(w for w in root.findChildren(QWidget) if name in names_of(w) and not isinstance(w, QMenu))


def said(root: QWidget, name: str) -> str:
    label = named(root, name)
    assert isinstance(label, QLabel)
    return label.text()


def press(pane: PicturePane, *keys: Qt.Key, modifiers: Qt.KeyboardModifier = NOTHING) -> None:
    for key in keys:
        QTest.keyClick(pane.focusWidget() or pane.board, key, modifiers)


def menu_of(pane: PicturePane, key: Qt.Key, qtbot: QtBot) -> QMenu:
    """Open the menu of a verb by its key."""
    press(pane, key)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    found = QApplication.activePopupWidget()
    assert isinstance(found, QMenu)
    return found


def choose(menu: QMenu, text: str) -> None:
    """Go to an entry with the arrows, as a person would, and take it."""
    entry = entry_of(menu, text)
    assert entry.isEnabled(), entry.text()
    for _ in menu.actions():
        if menu.activeAction() is entry:
            break
        QTest.keyClick(menu, KEY.Key_Down)
    assert menu.activeAction() is entry
    QTest.keyClick(menu, KEY.Key_Return)


def entry_of(menu: QMenu, text: str) -> QAction:
    return next(entry for entry in menu.actions() if entry.text().split("\t")[0] == text)


def current(pane: PicturePane) -> Spot | None:
    return pane.editing.current


def layout(pane: PicturePane) -> list[str]:
    design = pane.session.design
    return [] if design is None else [str(spec).partition(":")[0] for spec in design.layout()]


def widths(pane: PicturePane) -> list[int]:
    design = pane.session.design
    return [] if design is None else [len(vdev.members) for vdev in design.vdevs]


def centre(board: PictureBoard, spot: Spot) -> QPoint:
    rect = board.rect_of(spot)
    assert not rect.isEmpty()
    return rect.center().toPoint()


def drag(board: PictureBoard, start: QPoint, stop: QPoint, *, drop: bool = True) -> None:
    view = board.viewport()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, NOTHING, start)
    for share in (0.3, 0.7, 1.0):
        at = QPointF(start) + (QPointF(stop) - QPointF(start)) * share
        QTest.mouseMove(view, at.toPoint())
    if drop:
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, NOTHING, stop)
