"""The model behind the trees: what stands below what, in the columns of tables."""

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from poolwright.ui.parts.table import TableColumn
from poolwright.ui.parts.tree import TreeLine, TreeModel


@dataclass(slots=True, kw_only=True, eq=False)
class Folder(TreeLine):
    name: str


def shown() -> tuple[TreeModel[Folder], Folder]:
    columns: tuple[TableColumn[Folder], ...] = (
        TableColumn(title="Name", text=lambda folder: folder.name),
        TableColumn(title="Below", text=lambda folder: str(len(folder.children)), number=True, meaning="Right below"),
    )
    model = TreeModel(columns)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    deep = Folder(name="c")
    top = Folder(name="a")
    top.add(Folder(name="b")).add(deep)
    top.add(Folder(name="d"))
    model.put((top, Folder(name="e")))
    return model, deep


def test_that_lines_are_found_from_above_and_from_below(qtbot: QtBot) -> None:
    model, deep = shown()
    assert [folder.name for folder in model.lines()] == ["a", "b", "c", "d", "e"]
    at = model.index_at(deep)
    path = []
    while at.isValid():
        path.append(at.data())
        at = at.parent()
    assert path == ["c", "b", "a"]
    last = model.index(1, 1, model.index(0, 0))
    assert (last.siblingAtColumn(0).data(), last.data()) == ("d", "0")
    assert model.index_at(None) == QModelIndex()


def test_that_only_the_first_column_has_lines_below_and_nothing_stands_beyond_the_last(qtbot: QtBot) -> None:
    model, _ = shown()
    assert (model.rowCount(), model.rowCount(model.index(0, 0)), model.rowCount(model.index(0, 1))) == (2, 2, 0)
    assert not model.index(2, 0).isValid()
    assert not model.index(0, 2).isValid()
    assert model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) == "Right below"
    assert model.headerData(2, Qt.Orientation.Horizontal) is None
