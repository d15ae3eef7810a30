"""The disks page: disks that are typed, dropped or read from this machine."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import there
from tests.ui.disks_at_hand import LSBLK, MACHINE, hdd, named, press, table, tick_box, view

from poolwright.domain.design import Design
from poolwright.domain.host import Host, Inventory
from poolwright.ui.shell.main_window import MainWindow


@pytest.fixture
def disks(window: MainWindow) -> MainWindow:
    window.session.start_from(MACHINE)
    window.show_page("disks")
    QApplication.processEvents()
    return window


@pytest.mark.slow
def test_that_typed_disks_join_the_machine_and_keep_ticks_and_design(disks: MainWindow, design: Design) -> None:
    disks.session.tick({"hdd0"})
    disks.session.put_design(design)
    entry = named(disks, QLineEdit, "Type disks by hand")
    QTest.keyClicks(entry, "2 x 16TB CMR SATA")
    hint = named(disks, QLabel, "About the typed disks")
    assert "2 × 16 TB" in hint.text()
    QTest.mouseClick(named(disks, QPushButton, "Add disks"), Qt.MouseButton.LeftButton)
    QTest.keyClicks(entry, "1 x 16TB")
    QTest.keyClick(entry, Qt.Key.Key_Return)
    inventory = there(disks.session.inventory)
    planned = [disk for disk in inventory.disks if disk.planned]
    assert len({disk.key for disk in inventory.disks}) == len(MACHINE.disks) + 3
    assert disks.session.ticked == {"hdd0", *(disk.key for disk in planned)}
    assert disks.session.design is design
    assert entry.text() == ""


@pytest.mark.slow
def test_that_typed_disks_that_are_not_understood_stay_and_say_why(disks: MainWindow) -> None:
    entry = named(disks, QLineEdit, "Type disks by hand")
    QTest.keyClicks(entry, "2 x many")
    assert not named(disks, QPushButton, "Add disks").isEnabled()
    QTest.keyClick(entry, Qt.Key.Key_Return)
    assert entry.text() == "2 x many"
    assert named(disks, QLabel, "About the typed disks").isVisible()
    assert "“2 x many” names no size" in named(disks, QLabel, "About the typed disks").text()
    assert disks.session.inventory is MACHINE


@pytest.mark.slow
def test_that_delete_takes_typed_disks_out_and_never_real_ones(disks: MainWindow) -> None:
    entry = named(disks, QLineEdit, "Type disks by hand")
    QTest.keyClicks(entry, "2 x 16TB")
    QTest.keyClick(entry, Qt.Key.Key_Return)
    view(disks).setFocus()
    QTest.keyClick(view(disks), Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(view(disks), Qt.Key.Key_Delete)
    inventory = there(disks.session.inventory)
    assert inventory.disks == MACHINE.disks


@pytest.mark.slow
def test_that_typed_disks_alone_begin_an_inventory(window: MainWindow) -> None:
    window.show_page("disks")
    entry = named(window, QLineEdit, "Type disks by hand")
    QTest.keyClicks(entry, "12 x 16TB")
    QTest.keyClick(entry, Qt.Key.Key_Return)
    assert named(window, QLabel, "Ticked disks").text().startswith("12 of 12 ticked")


@pytest.mark.slow
def test_that_dropped_captures_are_opened(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    block = {
        "name": "sda", "type": "disk", "size": 4000787030016, "phy-sec": 4096, "log-sec": 512, "model": "WD40",
        "serial": "WD-77", "rota": True, "tran": "sata", "fstype": None, "mountpoint": None,
    }  # fmt: skip
    capture = tmp_path / "lsblk.json"
    capture.write_text(json.dumps({"blockdevices": [block]}), encoding="utf-8")
    window.show_page("disks")
    page = window.page("disks")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(capture))])
    copy, left, plain = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(200, 200), copy, data, left, plain)
    QApplication.sendEvent(page, enter)
    assert enter.isAccepted()
    drop = QDropEvent(QPointF(200, 200), copy, data, left, plain, QEvent.Type.Drop)
    with qtbot.waitSignal(window.session.sources.opened, timeout=20_000):
        QApplication.sendEvent(page, drop)
    inventory = there(window.session.inventory)
    assert [disk.serial for disk in inventory.disks] == ["WD-77"]
    assert table(window).shown()[0].serial == "WD-77"


def test_that_text_dragged_over_the_page_is_not_taken(window: MainWindow) -> None:
    window.show_page("disks")
    data = QMimeData()
    data.setText("12 x 16TB")
    enter = QDragEnterEvent(
        QPoint(200, 200), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    enter.ignore()
    QApplication.sendEvent(window.page("disks"), enter)
    assert not enter.isAccepted()


def test_that_reading_this_machine_can_be_cancelled_from_the_page(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("disks")
    cancel = named(window, QPushButton, "Cancel reading")
    assert not cancel.isVisible()
    QTest.mouseClick(named(window, QPushButton, "This machine"), Qt.MouseButton.LeftButton)
    assert cancel.isVisible()
    assert not named(window, QPushButton, "Capture").isEnabled()
    QTest.mouseClick(cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.session.sources.busy)
    assert not cancel.isVisible()
    assert named(window, QPushButton, "Capture").isEnabled()
    assert window.session.inventory is None


@pytest.mark.slow
def test_that_many_disks_begin_as_groups(window: MainWindow) -> None:
    many = tuple(hdd(n % 8, key=f"k{n}", model=f"model {n % 3}") for n in range(150))
    window.session.start_from(Inventory(name="shelf", disks=many, origin=LSBLK))
    window.show_page("disks")
    assert table(window).rowCount() == 3
    assert not any(view(window).isExpanded(table(window).index(row, 0)) for row in range(3))
    press(window, tick_box(window, table(window).index(0, 0)))
    assert len(window.session.ticked) == 100


@pytest.mark.slow
def test_that_disks_typed_beside_a_machine_of_which_nothing_is_used_do_not_take_its_processor_unasked(
    disks: MainWindow,
) -> None:
    """A laptop is read, then a server is planned: neither its cores nor its memory are the server's."""
    laptop = replace(MACHINE, host=Host(ram_bytes=8 << 30, cores=2))
    disks.session.start_from(laptop)
    disks.session.tick(frozenset())
    entry = named(disks, QLineEdit, "Type disks by hand")
    QTest.keyClicks(entry, "12 x 16TB")
    QTest.keyClick(entry, Qt.Key.Key_Return)
    assert there(disks.session.inventory).host == Host()
    QApplication.processEvents()
    buttons = {button.text(): button for button in disks.findChildren(QPushButton)}
    QTest.mouseClick(buttons[f"Plan them for {MACHINE.name}"], Qt.MouseButton.LeftButton)
    assert there(disks.session.inventory).host == laptop.host
    QTest.keyClicks(entry, "2 x 1TB nvme")
    QTest.keyClick(entry, Qt.Key.Key_Return)
    assert there(disks.session.inventory).host == laptop.host
