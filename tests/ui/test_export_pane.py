"""Taking a design away in another form, as a person does it on the commands page."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot
from tests.emit.machines import macblog_design
from tests.ui.controls import say_where, there, visit

from poolwright.domain.design import Design
from poolwright.emit.exports import EXPORTS
from poolwright.store.design_file import from_json
from poolwright.ui.commands.lines import ExportPane
from poolwright.ui.commands.page import CommandsPage
from poolwright.ui.compare.comparing import ReportDialog
from poolwright.ui.parts.card import FoldRow
from poolwright.ui.shell.main_window import MainWindow


@pytest.fixture
def page(window: MainWindow, design: Design) -> CommandsPage:
    window.session.change_design(design, "Choose layout")
    shown = visit(window, CommandsPage)
    shown.panes.bring_to_front(shown.export)
    return shown


def choose(page: CommandsPage, title: str) -> ExportPane:
    """Choose a form with the keyboard: type its first letters in the list."""
    chooser = page.export.chooser
    chooser.setFocus()
    chooser.setCurrentIndex(0)
    while chooser.currentText() != title:
        before = chooser.currentIndex()
        QTest.keyClick(chooser, Qt.Key.Key_Down)
        assert chooser.currentIndex() > before, f"{title} is not offered"
    return page.export


def purpose(pane: ExportPane) -> str:
    return pane.purpose.text()


def save(page: CommandsPage, path: Path) -> None:
    assert page.save.text() == "Save…"
    QTest.mouseClick(page.save, Qt.MouseButton.LeftButton)
    say_where(page, path)


@pytest.mark.slow
def test_that_every_form_can_be_reached_says_what_it_is_for_and_has_its_text(page: CommandsPage) -> None:
    page.export.chooser.setFocus()
    for form in EXPORTS:
        assert page.export.chooser.currentText() == form.title
        assert purpose(page.export).startswith(form.purpose)
        assert page.export.lines > 3
        QTest.keyClick(page.export.chooser, Qt.Key.Key_Down)
    pane = choose(page, "disko expression")
    (text,) = (w for w in pane.findChildren(QPlainTextEdit) if w.accessibleName() == "disko expression")
    assert text.toPlainText().startswith("# disko devices")
    assert "disko expression" in {row.accessibleName() for row in page.panes.findChildren(FoldRow)}


@pytest.mark.slow
def test_that_a_form_is_copied_and_saved_and_the_design_file_opens_again(
    page: CommandsPage, tmp_path: Path, window: MainWindow
) -> None:
    choose(page, "Undo script")
    QTest.mouseClick(page.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().startswith("#!/usr/bin/env bash\n# Undo")
    save(page, tmp_path / "undo.sh")
    assert (tmp_path / "undo.sh").stat().st_mode & 0o777 == 0o755
    assert not window.session.script_saved  # only the guarded script ends this step
    choose(page, "Design file")
    save(page, tmp_path / "tank.design.json")
    assert from_json((tmp_path / "tank.design.json").read_text(encoding="utf-8")) == window.session.design


@pytest.mark.slow
def test_that_the_recovery_sheet_becomes_a_pdf(page: CommandsPage, qtbot: QtBot, tmp_path: Path) -> None:
    pane = choose(page, "Recovery sheet to print")
    assert "EXAMPLET01" in pane.page.toPlainText()
    with qtbot.waitSignal(page.session.said, timeout=60_000):
        save(page, tmp_path / "sheet.pdf")
    content = (tmp_path / "sheet.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert content.count(b"/Type /Page\n") >= 2


def test_that_a_sheet_is_there_before_disks_have_names(page: CommandsPage, window: MainWindow) -> None:
    design = there(window.session.design)
    nameless = tuple(replace(disk, by_id=()) for disk in design.disks)
    window.session.change_design(replace(design, disks=nameless), "Forget names")
    assert choose(page, "Recovery sheet").lines > 20
    assert choose(page, "Guarded script").lines == 0


def test_that_every_pool_of_the_design_is_scripted_with_its_space_and_what_cannot_be_written_says_why(
    page: CommandsPage, window: MainWindow
) -> None:
    window.session.change_design(macblog_design(), "Split disks")
    text = page.script.toPlainText()
    assert "  predicted 9998683865088 " in text
    assert "  predicted 996432412672 " in text
    pane = choose(page, "TrueNAS calls")
    assert purpose(pane) == "Not for this design: TrueNAS partitions disks itself: a disk cannot be shared by vdevs"
    assert pane.text.toPlainText() == ""
    assert not page.save.isEnabled()


@pytest.mark.slow
@pytest.mark.qt_log_ignore("propagateSizeHints")
@pytest.mark.parametrize(("ending", "start"), [("pdf", b"%PDF"), ("html", b"<!DOCTYPE html>"), ("md", b"# ")])
def test_that_the_report_is_saved_from_here_by_a_job(
    page: CommandsPage, qtbot: QtBot, tmp_path: Path, ending: str, start: bytes
) -> None:
    path = tmp_path / f"tank.{ending}"
    QTest.mouseClick(page.report, Qt.MouseButton.LeftButton)
    (asking,) = page.findChildren(ReportDialog)
    asking.setTextValue("Ada & Co")
    asking.accept()
    assert page.session.customer == "Ada & Co"
    with qtbot.waitSignal(page.session.said, timeout=60_000) as told:
        say_where(page, path)
        assert not path.exists()
    assert told.args == [f"Saved to {path}"]
    assert path.read_bytes().startswith(start)
