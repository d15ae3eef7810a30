"""Pages become a PDF in another process: the same pages, and a window that answers."""

import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.design.side_by_side import TODAY, column, concurrent, one_vdev, safety
from tests.ui.controls import there, visit
from tests.ui.pdf_content import unpacked
from tests.ui.test_size import SLACK, WITHIN, turns
from tests.ui.test_size_commands import many_disks

from poolwright.design.compare import compare
from poolwright.design.evaluate import evaluate
from poolwright.emit.report import Report, ReportHeading, ReportTable, Words
from poolwright.emit.report_comparison import comparison_report
from poolwright.emit.report_design import DesignSubject, design_report
from poolwright.emit.sheet import recovery_sheet
from poolwright.paper import report_pdf
from poolwright.paper.report_pdf import pdf_of
from poolwright.process.worker import Reporter
from poolwright.questions import design_report_on
from poolwright.rules.rulebook import RuleBook
from poolwright.table_library import load_drive_book
from poolwright.ui.commands.page import CommandsPage, report_asked
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
    design, context = there(page.export._design), there(page.export._context)
    return recovery_sheet(design, context.stamp)


def no_drawing_here(_what: object) -> bytes:
    raise AssertionError("the page is drawn by the window")


@pytest.mark.slow
def test_that_a_very_long_sheet_is_printed_by_another_process_as_this_one_would(
    page: CommandsPage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = drawn(pdf_of(sheet_of(page)))
    monkeypatch.setattr(report_pdf, "pdf_of", no_drawing_here)
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
def test_that_two_thousand_disks_are_printed_without_waiting(
    window: MainWindow, rules: RuleBook, frozen: None, tmp_path: Path
) -> None:
    window.session.set_rules(rules)
    measured = turns(window)
    window.session.show_design(many_disks(2000))
    measured.step("commands", partial(window.show_page, "commands"))
    page = visit(window, CommandsPage)
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


# Reports on paper: real PDF files with text that can be read back and pictures that stay vectors.


@pytest.fixture(scope="module")
def compared(qapp: QApplication) -> bytes:
    return pdf_of(comparison_report(compare((column(safety()), column(concurrent()))), title="Two pools", made="Foot"))


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


def test_that_a_comparison_fills_some_pages_of_a4_with_no_picture_of_dots(compared: bytes) -> None:
    assert compared.startswith(b"%PDF-")
    assert 3 <= pages(compared) <= 16
    box = there(re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", compared))
    assert [round(float(side)) for side in box.groups()] == [595, 842]
    assert b"/Subtype /Image" not in compared
    drawn = b"\n".join(unpacked(compared))
    assert len(re.findall(rb"\bre\b|\bl\b", drawn)) > 100  # rectangles and lines of the charts


def test_that_a_row_taller_than_a_page_goes_on_upon_the_next(qapp: QApplication) -> None:
    row = (Words("word " * 6000), Words("x"))
    report = Report(title="", subtitle="", blocks=(ReportTable(header=("a", "b"), rows=(row,)),), foot="")
    assert pages(pdf_of(report)) >= 3


@pytest.mark.slow
def test_that_many_columns_lie_across(qapp: QApplication) -> None:
    designs = [safety(), concurrent(), one_vdev(), one_vdev(10)]
    report = comparison_report(compare([column(design) for design in designs]), title="Four", made="")
    box = there(re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", pdf_of(report)))
    wide, high = (float(side) for side in box.groups())
    assert wide > high


def read_back(report: Report, path: Path) -> str:
    """Return the text of a report's pages, a form feed after each."""
    reader = shutil.which("pdftotext")
    if reader is None:
        pytest.skip("pdftotext is not installed")
    path.write_bytes(pdf_of(report))
    return subprocess.run([reader, "-layout", str(path), "-"], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(("above", "rows"), [(n, 3) for n in range(43, 48)] + [(n, 60) for n in (0, 3, 5, 11)])
def test_that_no_page_is_blank_and_no_row_is_torn_from_the_header_above_it(
    qapp: QApplication, tmp_path: Path, above: int, rows: int
) -> None:
    lines = (Words(f"line {number}") for number in range(above))
    cells = ((Words(f"row {number}", small="small"), Words("x", small="more")) for number in range(rows))
    table, tail = ReportTable(header=("a", "b"), rows=tuple(cells)), ReportHeading(text="Tail", page=True)
    report = Report(title="Title", subtitle="", blocks=(*lines, table, tail, Words("end")), foot="foot")
    *_, last = pages = read_back(report, tmp_path / "r.pdf").split("\f")[:-1]
    assert last.split()[:2] == ["Tail", "end"]
    for page in pages[1:-1]:
        assert [line.split()[0] for line in page.splitlines()[:3]] == ["a", "row", "small"]


def test_that_the_text_of_a_report_can_be_read_back(qapp: QApplication, tmp_path: Path) -> None:
    path = tmp_path / "r.pdf"
    found = evaluate(safety(), drives=load_drive_book(), today=TODAY)
    text = read_back(design_report(DesignSubject(evaluation=found, made="Poolwright, today")), path)
    for words in ("thesis, safety", "155 TiB", "Parity and padding", "EXAMPLET44", "zpool create"):
        assert words in text
    assert re.search(r"Poolwright, today +1 ?/ ?[0-9]", text)
    assert text.count("Poolwright, today") == pages(path.read_bytes())
