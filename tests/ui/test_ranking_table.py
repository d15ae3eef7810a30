"""The table of layouts as a person uses it: sort, filter, look at what is predicted, copy."""

import csv
import io
from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLineEdit, QTableView
from pytestqt.qtbot import QtBot
from tests.ui.controls import shown as named
from tests.ui.rankings import details_of, ranked, twelve_ranked

from poolwright.domain.vdev import describe
from poolwright.predict.number_words import operations_text
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.parts.table import KEY_ROLE, RowModel, TableColumn
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.ranking.pane import CandidateColumn, one_in_text
from poolwright.ui.shell.main_window import MainWindow


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> RecommendationPage:
    return twelve_ranked(window, qtbot, rules)


@pytest.mark.slow
def test_that_how_many_findings_a_layout_has_is_not_cut_and_both_answers_are_told(
    page: RecommendationPage, window: MainWindow
) -> None:
    table, model, first = page.candidates.table, page.candidates.model, ranked(window).candidates[0]
    column_chosen(page, "Findings")
    assert table.sizeHintForColumn(CandidateColumn.FINDINGS) <= table.columnWidth(CandidateColumn.FINDINGS)
    assert first.main.predictions.itself.rand_write_iops.cannot_tell
    assert model.index(0, CandidateColumn.RANDOM_WRITE).data() == "5,500 or 400"
    reads = first.main.predictions.itself.rand_read_iops
    assert model.index(0, CandidateColumn.RANDOM_READ).data() == operations_text(reads.typical)


def column_chosen(page: RecommendationPage, title: str) -> None:
    page.candidates.columns.aboutToShow.emit()
    next(action for action in page.candidates.columns.actions() if action.text() == title).trigger()


@pytest.mark.slow
def test_that_moving_down_shows_the_next_layout_and_sorting_keeps_it(
    page: RecommendationPage, window: MainWindow
) -> None:
    table = named(page, QTableView, "Layouts")
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert page.selected is ranked(window).candidates[1]
    assert "Number 2 of " in details_of(page)
    page.show_pane(page.candidates)
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
    sizes = [c.measures.usable_bytes for c in model.shown()]
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
    assert str(model.index(0, CandidateColumn.RISK).data()) == one_in_text(risks[0])


@pytest.mark.slow
def test_that_the_shown_rows_are_copied_as_csv_with_all_their_digits(page: RecommendationPage) -> None:
    model = page.candidates.model
    rows = list(csv.DictReader(io.StringIO(model.csv([CandidateColumn.RISK, CandidateColumn.WRITE]))))
    forecasts = [c.measures.forecast for c in model.shown()]
    assert [float(r["Loss a year"]) for r in rows] == pytest.approx([f.yearly_loss for f in forecasts], rel=1e-5)
    assert float(rows[0]["Write, GB/s"]) == pytest.approx(forecasts[0].speed.seq_write / 1e9, rel=1e-5)
    QTest.keyClicks(named(page, QLineEdit, "Filter the layouts"), "raidz3")
    page.candidates.table.setFocus()
    QTest.keyClick(page.candidates.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    rows = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    shown = page.candidates.model.shown()
    assert [row["Layout"] for row in rows] == [describe(c.main.layout) for c in shown]
    sizes = [c.measures.usable_bytes / 2**40 for c in shown]
    assert [float(row["Usable (TiB)"]) for row in rows] == pytest.approx(sizes)


@pytest.mark.slow
def test_that_columns_leave_a_narrow_window_unless_somebody_chose(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    table = page.candidates.table
    window.resize(800, 500)
    qtbot.waitUntil(lambda: table.isColumnHidden(CandidateColumn.SCORE))
    assert not table.isColumnHidden(CandidateColumn.RISK)
    window.resize(1600, 900)
    qtbot.waitUntil(lambda: not table.isColumnHidden(CandidateColumn.SCORE))  # what had no room was no choice
    column_chosen(page, "Read IOPS")
    assert not table.isColumnHidden(CandidateColumn.RANDOM_READ)
    window.resize(800, 500)
    qtbot.wait(20)
    assert not table.isColumnHidden(CandidateColumn.SCORE)


@pytest.mark.slow
def test_that_words_or_a_family_leave_matching_layouts(page: RecommendationPage, window: MainWindow) -> None:
    QTest.keyClicks(named(page, QLineEdit, "Filter the layouts"), "raidz2 spare")
    shown = page.candidates.model.shown()
    assert shown
    assert all("raidz2" in describe(c.main.layout) and "spare" in describe(c.main.layout) for c in shown)
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


# The model behind the tables: order by value, filter by words, marks, CSV, and what stays selected.


DOWN, UP = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder


@dataclass(frozen=True, slots=True)
class Cheese:
    """Something with a name and a price."""

    name: str
    price: float | None


BRIE, EDAM, FETA = Cheese("Brie", 9.5), Cheese("edam", 10.25), Cheese("Feta", None)
COLUMNS: tuple[TableColumn[Cheese], ...] = (
    TableColumn(title="Name", text=lambda cheese: cheese.name, tip=lambda cheese: f"{cheese.name}!"),
    TableColumn(
        title="Price",
        meaning="Of a kilogram",
        value=lambda cheese: cheese.price,
        text=lambda cheese: "–" if cheese.price is None else f"{cheese.price:.2f} EUR",
        plain=lambda cheese: "" if cheese.price is None else f"{cheese.price}",
        best=min,
        number=True,
    ),
)


@pytest.fixture
def model(qtbot: QtBot) -> RowModel[Cheese]:
    made = RowModel(COLUMNS, key=lambda cheese: cheese.name)
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal, made)
    made.show_rows((EDAM, FETA, BRIE))
    return made


def names(model: RowModel[Cheese]) -> list[str]:
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_that_numbers_are_sorted_by_value_and_what_is_unknown_stands_last_either_way(model: RowModel[Cheese]) -> None:
    model.sort(1, UP)
    assert names(model) == ["Brie", "edam", "Feta"]
    model.sort(1, DOWN)
    assert names(model) == ["edam", "Brie", "Feta"]
    model.sort(0, UP)
    assert names(model) == ["Brie", "edam", "Feta"]
    model.sort(-1)
    assert names(model) == ["edam", "Feta", "Brie"]


def test_that_the_filter_wants_every_word_and_what_is_admitted_and_csv_holds_what_is_left_with_plain_values(
    model: RowModel[Cheese],
) -> None:
    model.keep("EUR e")
    assert names(model) == ["edam", "Brie"]
    model.keep("eur bri")
    assert names(model) == ["Brie"]
    model.keep("", lambda cheese: cheese.price is None)
    assert names(model) == ["Feta"]
    assert model.rows == (EDAM, FETA, BRIE)
    model.sort(0)
    model.keep("e", lambda cheese: cheese.price is not None)
    assert model.csv().splitlines() == ["Name,Price", "Brie,9.5", "edam,10.25"]
    assert model.csv([1]).splitlines() == ["Price", "9.5", "10.25"]


def test_that_a_row_stays_the_same_row_when_others_pass_it(model: RowModel[Cheese]) -> None:
    model.sort(1, UP)
    held = QPersistentModelIndex(model.index(0, 0))
    assert model.at(held) == BRIE
    dear = replace(BRIE, price=30.0)
    model.show_rows((EDAM, FETA, dear))
    assert names(model) == ["edam", "Brie", "Feta"]
    assert (held.row(), model.at(held), held.data(KEY_ROLE)) == (1, dear, "Brie")


def test_that_a_changed_row_is_searched_by_its_new_words(model: RowModel[Cheese]) -> None:
    model.keep("9.50")
    assert names(model) == ["Brie"]
    model.show_rows((EDAM, replace(FETA, price=9.5), BRIE))
    assert names(model) == ["Feta", "Brie"]


def test_that_a_cell_tells_its_side_its_tip_and_whether_it_is_the_best_unless_all_are_equal(
    model: RowModel[Cheese],
) -> None:
    role = Qt.ItemDataRole.AccessibleTextRole
    assert model.index(2, 1).data(role) == "9.50 EUR, best of this column"
    assert model.index(0, 1).data(role) is None
    model.show_rows((EDAM, replace(BRIE, price=10.25)))
    assert [model.index(row, 1).data(role) for row in range(2)] == [None, None]
    price = model.index(0, 1)
    assert Qt.AlignmentFlag(price.data(Qt.ItemDataRole.TextAlignmentRole)) & Qt.AlignmentFlag.AlignRight
    assert model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "edam!"
    heading = Qt.Orientation.Horizontal
    assert model.headerData(1, heading, Qt.ItemDataRole.ToolTipRole) == "Of a kilogram"
    assert model.headerData(0, heading, Qt.ItemDataRole.ToolTipRole) is None
    assert not model.flags(price) & Qt.ItemFlag.ItemIsEditable


def test_that_a_typed_text_reaches_the_column_that_takes_it(qtbot: QtBot) -> None:
    taken: list[tuple[str, str]] = []

    def write(cheese: Cheese, text: str) -> bool:
        taken.append((cheese.name, text))
        return True

    model = RowModel((TableColumn(title="Name", text=lambda cheese: cheese.name, write=write), COLUMNS[1]))
    model.show_rows((BRIE,))
    assert model.flags(model.index(0, 0)) & Qt.ItemFlag.ItemIsEditable
    assert model.setData(model.index(0, 0), "Camembert")
    assert not model.setData(model.index(0, 1), "3")
    assert taken == [("Brie", "Camembert")]


def test_that_a_row_without_a_key_of_its_own_is_found_again_by_what_the_view_was_told(qtbot: QtBot) -> None:
    model = RowModel(COLUMNS)
    model.show_rows((EDAM, FETA, BRIE))
    held = model.index(2, 0).data(KEY_ROLE)
    model.keep("brie")
    assert model.line_of(held) == 0
    assert model.line_of(None) is None


def test_that_only_rows_that_have_a_box_are_ticked_and_only_where_the_tick_is_taken(qtbot: QtBot) -> None:
    chosen: set[str] = set()

    def tick(cheese: Cheese, wanted: bool) -> bool:
        if wanted and chosen:
            return False
        (chosen.add if wanted else chosen.discard)(cheese.name)
        return True

    column: TableColumn[Cheese] = TableColumn(
        title="Name",
        text=lambda cheese: cheese.name,
        ticked=lambda cheese: None if cheese.price is None else cheese.name in chosen,
        tick=tick,
        look=lambda _, role: Qt.AlignmentFlag.AlignTop if role == Qt.ItemDataRole.TextAlignmentRole else None,
    )
    made = RowModel((column,))
    made.show_rows((BRIE, EDAM))
    made.add_rows((FETA,))
    box = Qt.ItemDataRole.CheckStateRole
    assert [made.index(row, 0).data(box) for row in range(3)] == [Qt.CheckState.Unchecked] * 2 + [None]
    assert [bool(made.index(row, 0).flags() & Qt.ItemFlag.ItemIsUserCheckable) for row in range(3)] == [
        True, True, False
    ]  # fmt: skip
    assert made.setData(made.index(0, 0), Qt.CheckState.Checked.value, box)
    assert not made.setData(made.index(1, 0), Qt.CheckState.Checked.value, box)
    assert [made.index(row, 0).data(box) for row in range(2)] == [Qt.CheckState.Checked, Qt.CheckState.Unchecked]
    assert made.index(0, 0).data(Qt.ItemDataRole.TextAlignmentRole) == Qt.AlignmentFlag.AlignTop
