"""The table of layouts as a person uses it: sort, filter, look at what is predicted, copy."""

import csv
import io

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QTableView, QToolButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import press
from tests.ui.controls import shown as named
from tests.ui.rankings import ranked, twelve_ranked

from poolwright.domain.vdev import describe
from poolwright.predict.number_words import operations_text
from poolwright.rules.model import RuleBook
from poolwright.ui.ranking.candidates import CandidateColumn
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import MainWindow


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> RecommendationPage:
    return twelve_ranked(window, qtbot, rules)


@pytest.mark.slow
def test_that_how_many_findings_a_layout_has_is_not_cut_and_both_answers_are_told(
    page: RecommendationPage, window: MainWindow
) -> None:
    table = page.candidates.table
    assert not table.isColumnHidden(CandidateColumn.FINDINGS)
    assert page.candidates.model.longest_findings == "2 warnings"
    assert table.sizeHintForColumn(CandidateColumn.FINDINGS) <= table.columnWidth(CandidateColumn.FINDINGS)
    model, first = page.candidates.model, ranked(window).candidates[0]
    assert first.itself.rand_write_iops.cannot_tell
    assert model.index(0, CandidateColumn.RANDOM_WRITE).data() == "5,500 or 400"
    assert model.index(0, CandidateColumn.RANDOM_READ).data() == operations_text(first.itself.rand_read_iops.typical)


@pytest.mark.slow
def test_that_moving_down_shows_the_next_layout_and_sorting_keeps_it(
    page: RecommendationPage, window: MainWindow
) -> None:
    table = named(page, QTableView, "Layouts")
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert page.selected is ranked(window).candidates[1]
    assert named(page, QLabel, "Place in the ranking").text().startswith("Number 2 of ")
    page.candidates.table.selectRow(7)
    chosen = ranked(window).candidates[7]
    page.candidates.table.sortByColumn(CandidateColumn.USABLE, Qt.SortOrder.AscendingOrder)
    assert page.selected is chosen
    (index,) = page.candidates.table.selectionModel().selectedRows()
    assert page.candidates.model.row(index.row()) is chosen


@pytest.mark.slow
def test_that_layouts_are_sorted_by_value_and_by_what_is_predicted(page: RecommendationPage) -> None:
    model = page.candidates.model
    page.candidates.table.sortByColumn(CandidateColumn.USABLE, Qt.SortOrder.DescendingOrder)
    sizes = [c.usable_bytes for c in model.shown()]
    assert sizes == sorted(sizes, reverse=True)
    page.candidates.table.sortByColumn(CandidateColumn.RANK, Qt.SortOrder.AscendingOrder)
    assert [model.rank_of(c) for c in model.shown()[:3]] == [1, 2, 3]
    for column, order in (
        (CandidateColumn.READ, Qt.SortOrder.DescendingOrder),
        (CandidateColumn.RISK, Qt.SortOrder.AscendingOrder),
        (CandidateColumn.REBUILD, Qt.SortOrder.AscendingOrder),
    ):
        page.candidates.table.sortByColumn(column, order)
        best = model.index(0, column).data(Qt.ItemDataRole.ToolTipRole)
        assert best == "Best of this column", column
    page.candidates.table.sortByColumn(CandidateColumn.RISK, Qt.SortOrder.AscendingOrder)
    risks = [c.measures.forecast.yearly_loss for c in model.shown()]
    assert risks == sorted(risks)
    assert str(model.index(0, CandidateColumn.RISK).data()).startswith(("1 in", "less than"))


@pytest.mark.slow
def test_that_the_shown_rows_are_copied_as_csv_with_all_their_digits(page: RecommendationPage) -> None:
    model = page.candidates.model
    rows = list(csv.DictReader(io.StringIO(model.csv([CandidateColumn.RISK, CandidateColumn.WRITE]))))
    forecasts = [c.measures.forecast for c in model.shown()]
    assert [float(r["Loss a year"]) for r in rows] == pytest.approx([f.yearly_loss for f in forecasts], rel=1e-5)
    assert float(rows[0]["Write (GB/s)"]) == pytest.approx(forecasts[0].speed.seq_write / 1e9, rel=1e-5)
    QTest.keyClicks(named(page, QLineEdit, "Filter the layouts"), "raidz3")
    press(named(page, QToolButton, "Copy as CSV"))
    rows = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    shown = page.candidates.model.shown()
    assert [row["Layout"] for row in rows] == [describe(c.layout) for c in shown]
    assert [float(row["Usable (TiB)"]) for row in rows] == pytest.approx([c.usable_bytes / 2**40 for c in shown])


@pytest.mark.slow
def test_that_predicted_columns_come_with_the_room_unless_somebody_chose(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    table = page.candidates.table
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: table.isColumnHidden(CandidateColumn.RISK))
    window.resize(3840, 1200)
    qtbot.waitUntil(lambda: not table.isColumnHidden(CandidateColumn.RISK))
    assert not table.isColumnHidden(CandidateColumn.READ)
    menu = named(page, QToolButton, "Choose columns").menu()
    next(a for a in menu.actions() if a.text() == "Read (GB/s)").trigger()
    assert table.isColumnHidden(CandidateColumn.READ)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: page.candidates.width() < 1000)
    assert not table.isColumnHidden(CandidateColumn.RISK)


@pytest.mark.slow
def test_that_words_or_a_family_leave_matching_layouts(page: RecommendationPage, window: MainWindow) -> None:
    QTest.keyClicks(named(page, QLineEdit, "Filter the layouts"), "raidz2 spare")
    shown = page.candidates.model.shown()
    assert shown
    assert all("raidz2" in describe(c.layout) and "spare" in describe(c.layout) for c in shown)
    named(page, QLineEdit, "Filter the layouts").clear()
    QTest.keyClicks(named(page, QLineEdit, "Filter the layouts"), "raidz3")
    assert {c.family for c in page.candidates.model.shown()} == {"raidz3"}
    named(page, QLineEdit, "Filter the layouts").clear()
    assert page.candidates.model.rowCount() == len(ranked(window).candidates)


@pytest.mark.slow
@pytest.mark.parametrize("width", [800, 1280])
def test_that_no_layout_is_cut_while_another_column_can_go(
    page: RecommendationPage, window: MainWindow, width: int
) -> None:
    window.resize(width, 800)
    table = page.candidates.table
    for at in (page.candidates.model.index(row, CandidateColumn.LAYOUT) for row in range(20)):
        assert table.fontMetrics().horizontalAdvance(at.data()) < table.visualRect(at).width()
