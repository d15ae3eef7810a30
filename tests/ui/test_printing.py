"""Pages become a PDF in another process: the same pages, and a window that answers."""

import sys
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.ui.controls import visit
from tests.ui.pdf_content import unpacked
from tests.ui.test_size import SLACK, WITHIN, turns
from tests.ui.test_size_commands import many_disks

from poolwright.emit.report import Report
from poolwright.emit.sheet import recovery_sheet
from poolwright.paper.report_pdf import pdf_of
from poolwright.process.worker import Reporter
from poolwright.questions import design_report_on
from poolwright.rules.model import RuleBook
from poolwright.ui.commands.page import CommandsPage, report_asked
from poolwright.ui.parts import printing
from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.shell.main_window import MainWindow


@pytest.fixture
def page(window: MainWindow, rules: RuleBook, qtbot: QtBot) -> CommandsPage:
    window.session.set_rules(rules)
    window.session.change_design(many_disks(320), "Choose layout")
    shown = visit(window, CommandsPage)
    qtbot.waitUntil(shown.save.isEnabled)
    shown.export.chooser.setCurrentIndex(shown.export.chooser.findData("sheet-html"))
    return shown


def drawn(pdf: bytes) -> list[bytes]:
    """Return the content of the pages and of the fonts, without what tells one run from another."""
    return sorted(unpacked(pdf))


def sheet_of(page: CommandsPage) -> Report:
    design, context = page.export._design, page.export._context
    assert design is not None
    assert context is not None
    return recovery_sheet(design, context.stamp)


def no_drawing_here(_what: object) -> bytes:
    raise AssertionError("the page is drawn by the window")


@pytest.mark.slow
def test_that_a_very_long_sheet_is_printed_by_another_process_as_this_one_would(
    page: CommandsPage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = drawn(pdf_of(sheet_of(page)))
    monkeypatch.setattr(printing, "pdf_of", no_drawing_here)
    path = tmp_path / "sheet.pdf"
    with qtbot.waitSignal(page.session.said, timeout=60_000) as told:
        page.export.save_pdf_to(str(path))
        assert not path.exists()
        page.export.chooser.setCurrentIndex(page.export.chooser.findData("fio"))
    assert told.args == [f"Saved to {path}"]
    assert drawn(path.read_bytes()) == expected


@pytest.mark.slow
def test_that_what_is_printed_is_dark_in_a_dark_window(page: CommandsPage) -> None:
    assert page.session.design is not None
    report = design_report_on(Reporter(), *report_asked(page.session, page.session.design))
    light = drawn(pdf_of(report))
    theme().choose(Scheme.DARK)
    assert drawn(pdf_of(report)) == light


@pytest.mark.slow
def test_that_a_sheet_is_printed_where_no_process_can_be_started(
    page: CommandsPage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    with qtbot.waitSignal(page.session.said, timeout=60_000):
        page.export.save_pdf_to(str(tmp_path / "sheet.pdf"))
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "begins"), [("md", b"# "), ("html", b"<!DOCTYPE html>"), ("pdf", b"%PDF-")])
def test_that_the_report_is_written_by_a_job(
    page: CommandsPage, qtbot: QtBot, tmp_path: Path, ending: str, begins: bytes
) -> None:
    path = tmp_path / f"report.{ending}"
    with qtbot.waitSignal(page.session.said, timeout=60_000) as told:
        page._save_report_to(str(path))
        assert not path.exists()
    assert told.args == [f"Saved to {path}"]
    assert path.read_bytes().startswith(begins)


@pytest.mark.slow
def test_that_two_thousand_disks_are_printed_without_waiting(
    window: MainWindow, rules: RuleBook, frozen: None, tmp_path: Path
) -> None:
    window.session.set_rules(rules)
    measured = turns(window)
    window.session.show_design(many_disks(2000))
    measured.step("commands", partial(window.show_page, "commands"))
    page = window.page("commands")
    assert isinstance(page, CommandsPage)
    page.export.chooser.setCurrentIndex(page.export.chooser.findData("sheet-html"))
    measured.step("wait", partial(page._save_report_to, str(tmp_path / "first.md")))  # what writes it is imported
    measured.longest.clear()
    measured.step("sheet", partial(page.export.save_pdf_to, str(tmp_path / "sheet.pdf")))
    for ending in ("md", "html", "pdf"):
        measured.step(ending, partial(page._save_report_to, str(tmp_path / f"report.{ending}")))
    assert (tmp_path / "sheet.pdf").stat().st_size > 100_000
    assert (tmp_path / "report.pdf").stat().st_size > 100_000
    # A sheet took 4.4 s in one turn, a report 3.1 s.
    assert measured.over(WITHIN * SLACK) == {}
