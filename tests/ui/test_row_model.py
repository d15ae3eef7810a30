"""The model behind the tables: order by value, filter by words, marks, CSV, and what stays selected."""

from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from poolwright.ui.parts.table import KEY_ROLE, ROW_ROLE, SHARE_ROLE, RowModel, TableColumn

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
        share=lambda cheese: None if cheese.price is None else cheese.price / 20,
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


def test_that_the_filter_wants_every_word_and_what_is_admitted(model: RowModel[Cheese]) -> None:
    model.keep("EUR e")
    assert names(model) == ["edam", "Brie"]
    model.keep("eur bri")
    assert names(model) == ["Brie"]
    model.keep("", lambda cheese: cheese.price is None)
    assert names(model) == ["Feta"]
    assert model.rows == (EDAM, FETA, BRIE)


def test_that_a_row_stays_the_same_row_when_others_pass_it(model: RowModel[Cheese]) -> None:
    model.sort(1, UP)
    held = QPersistentModelIndex(model.index(0, 0))
    assert held.data(ROW_ROLE) == BRIE
    dear = replace(BRIE, price=30.0)
    model.show_rows((EDAM, FETA, dear))
    assert names(model) == ["edam", "Brie", "Feta"]
    assert (held.row(), held.data(ROW_ROLE), held.data(KEY_ROLE)) == (1, dear, "Brie")


def test_that_a_changed_row_is_searched_by_its_new_words(model: RowModel[Cheese]) -> None:
    model.keep("9.50")
    assert names(model) == ["Brie"]
    model.show_rows((EDAM, replace(FETA, price=9.5), BRIE))
    assert names(model) == ["Feta", "Brie"]


def test_that_the_best_is_marked_unless_all_are_equal(model: RowModel[Cheese]) -> None:
    role = Qt.ItemDataRole.AccessibleTextRole
    assert model.index(2, 1).data(role) == "9.50 EUR, best of this column"
    assert model.index(0, 1).data(role) is None
    model.show_rows((EDAM, replace(BRIE, price=10.25)))
    assert [model.index(row, 1).data(role) for row in range(2)] == [None, None]


def test_that_a_cell_tells_its_side_its_bar_its_tip_and_its_heading_what_it_means(model: RowModel[Cheese]) -> None:
    price = model.index(0, 1)
    assert Qt.AlignmentFlag(price.data(Qt.ItemDataRole.TextAlignmentRole)) & Qt.AlignmentFlag.AlignRight
    assert price.data(SHARE_ROLE) == 10.25 / 20
    assert model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "edam!"
    heading = Qt.Orientation.Horizontal
    assert model.headerData(1, heading, Qt.ItemDataRole.ToolTipRole) == "Of a kilogram"
    assert model.headerData(0, heading, Qt.ItemDataRole.ToolTipRole) is None
    assert not model.flags(price) & Qt.ItemFlag.ItemIsEditable


def test_that_csv_holds_what_is_shown_with_plain_values(model: RowModel[Cheese]) -> None:
    model.sort(0)
    model.keep("e", lambda cheese: cheese.price is not None)
    assert model.csv().splitlines() == ["Name,Price", "Brie,9.5", "edam,10.25"]
    assert model.csv([1]).splitlines() == ["Price", "9.5", "10.25"]


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
