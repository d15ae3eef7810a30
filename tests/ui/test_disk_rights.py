"""The disks page: facts that are missing for lack of rights, and where the disks sit."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot
from tests.machine.places.captured import capture_text
from tests.machine.places.sysfs import two_shelves
from tests.ui.disks_at_hand import MACHINE, named, view

from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.store.capture_files import open_captures
from poolwright.ui.disks.columns import DiskColumn, place_word
from poolwright.ui.disks.page import DisksPage
from poolwright.ui.disks.view import DiskDetail
from poolwright.ui.shell.main_window import MainWindow

HERE = Origin(kind=OriginKind.READ, source="this machine")
DENIED = replace(MACHINE, origin=HERE, denied=("/dev/sda", "/dev/sdb"))


def notice(window: MainWindow, inventory: Inventory, refusal: str = "") -> str:
    """Return what the page says of missing rights; empty where it says nothing."""
    window.session.sources.refusal = refusal
    window.session.start_from(inventory)
    window.show_page("disks")
    QApplication.processEvents()
    page = window.page("disks")
    assert isinstance(page, DisksPage)
    said = page.rights._said
    return " ".join((said.title, said.reasons, said.todo)) if page.rights.isVisible() else ""


def test_that_missing_rights_are_told_of_this_machine_only(window: MainWindow) -> None:
    assert "2 disks (sda, sdb) told no health, hours and exact sectors" in notice(window, DENIED)
    assert notice(window, replace(DENIED, origin=replace(HERE, source="nas1"))) == ""
    assert notice(window, replace(DENIED, denied=())) == ""


@pytest.mark.slow
def test_that_without_a_helper_the_page_says_why_and_what_to_type(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poolwright.ui.disks.page.helper_problem", lambda: "the helper is not installed")
    text = notice(window, DENIED)
    assert "Not read as administrator: the helper is not installed." in text
    assert "poolwright collector | sudo sh > machine.capture" in text
    assert not [b for b in window.findChildren(QPushButton) if b.text() == "Read as administrator" and b.isVisible()]


@pytest.mark.slow
def test_that_a_refusal_is_told_and_may_be_tried_again(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poolwright.ui.disks.page.helper_problem", lambda: None)
    text = notice(window, DENIED, refusal="the request was refused or dismissed")
    assert "Not read as administrator: the request was refused or dismissed." in text
    QTest.mouseClick(named(window, QPushButton, "Read as administrator"), Qt.MouseButton.LeftButton)
    assert window.session.sources.busy
    qtbot.waitUntil(lambda: not window.session.sources.busy, timeout=30_000)
    assert window.session.inventory is not None


@pytest.mark.slow
def test_that_the_table_shows_shelf_and_bay_where_there_is_room(window: MainWindow, tmp_path: Path) -> None:
    file = tmp_path / "vault.capture"
    file.write_text(capture_text(two_shelves(tmp_path / "sys")), encoding="utf-8")
    machine = open_captures([file])
    notice(window, machine)
    window.resize(1700, 900)
    QApplication.processEvents()
    assert not view(window).isColumnHidden(DiskColumn.PLACE)
    (detail,) = window.page("disks").findChildren(DiskDetail)
    assert detail.toPlainText().count("24 disks: 24 may be used") == 1
    assert place_word(machine.disks[13]) == "SMC SC826-N4 (3d1f) · 1"
    notice(window, MACHINE)
    assert view(window).isColumnHidden(DiskColumn.PLACE)
