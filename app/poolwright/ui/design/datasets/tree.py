"""The datasets of a pool as a tree, with what each takes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QSize, Qt, Signal

from poolwright.domain.dataset_properties import is_user_property
from poolwright.domain.design import Dataset
from poolwright.domain.units import binary
from poolwright.predict.space import DatasetSpace
from poolwright.ui.design.datasets.words import band_words, full_name, kind_words, poor, stored_words
from poolwright.ui.parts import icons
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.theme import GRID, Tone, theme

NAME_ROLE = Qt.ItemDataRole.UserRole
ROW_HEIGHT = 3 * GRID + 2
_ROOT = QModelIndex()
_NUMBERS = frozenset([2, 3, 4, 5])


class DatasetColumn(IntEnum):
    """The columns."""

    NAME = 0
    KIND = 1
    DATA = 2
    TAKES = 3
    BAND = 4
    STORED = 5
    SETTINGS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRow:
    """A dataset; ``space`` is None where the pool's space is unknown."""

    dataset: Dataset
    space: DatasetSpace | None


@dataclass(slots=True, eq=False)
class _Node:
    row: DatasetRow
    parent: "_Node | None"
    children: list["_Node"] = field(default_factory=list)


class DatasetTree(QAbstractItemModel):
    """The root dataset at the top, children below their parents; ``renamed`` sends a name and the one typed for it."""

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool_name = ""
        self._rows: tuple[DatasetRow, ...] = ()
        self._nodes: dict[str, _Node] = {}

    def show_rows(self, pool_name: str, rows: Sequence[DatasetRow]) -> bool:
        """Show these datasets, parents before children; tell whether the tree was built anew.

        Where only numbers and settings changed, what is selected and folded stays.
        """
        same = self._pool_name == pool_name and [r.dataset.name for r in rows] == [r.dataset.name for r in self._rows]
        if not same:
            self.beginResetModel()
        self._pool_name, self._rows = pool_name, tuple(rows)
        if same:
            for row in rows:
                self._nodes[row.dataset.name].row = row
                at = self.index_of(row.dataset.name)
                self.dataChanged.emit(at, at.siblingAtColumn(len(DatasetColumn) - 1))
            return False
        self._nodes = {}
        for row in rows:
            name = row.dataset.name
            above = self._nodes[name.rpartition("/")[0]] if name else None
            node = self._nodes[name] = _Node(row, above)
            if above is not None:
                above.children.append(node)
        self.endResetModel()
        return True

    def name_at(self, index: Index) -> str | None:
        """Return the name of the dataset at ``index``, None for none."""
        return index.data(NAME_ROLE) if index.isValid() else None

    def index_of(self, name: str) -> QModelIndex:
        """Return where the dataset ``name`` stands; an invalid index where it does not."""
        node = self._nodes.get(name)
        if node is None:
            return QModelIndex()
        return self.createIndex(_place(node), 0, node)

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        """Return the index of a cell."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        node = self._nodes[""] if not parent.isValid() else self._node(parent).children[row]
        return self.createIndex(row, column, node)

    def parent(self, index: Index = _ROOT) -> Any:
        """Return the index of the dataset above."""
        above = self._node(index).parent if index.isValid() else None
        return QModelIndex() if above is None else self.createIndex(_place(above), 0, above)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of datasets right below one."""
        if not parent.isValid():
            return 1 if self._nodes else 0
        return len(self._node(parent).children) if parent.column() == 0 else 0

    def columnCount(self, _parent: Index = _ROOT) -> int:
        """Return the number of columns."""
        return len(DatasetColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the heading of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._help(DatasetColumn(section))
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (
            self.tr("Dataset"),
            self.tr("Kind"),
            self.tr("Data"),
            self.tr("Takes"),
            self.tr("Low to high"),
            self.tr("Stored at"),
            self.tr("Set here"),
        )[section]

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let names be edited, but for the root's."""
        flags = super().flags(index)
        if index.isValid() and index.column() == DatasetColumn.NAME and self.name_at(index):
            return flags | Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows or stands for."""
        if not index.isValid():
            return None
        node, column = self._node(index), DatasetColumn(index.column())
        dataset, space = node.row.dataset, node.row.space
        if role == NAME_ROLE:
            return dataset.name
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(node.row, column)
        if role == Qt.ItemDataRole.EditRole:
            return _last(dataset.name)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._told(node.row, column)
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, ROW_HEIGHT) if column is DatasetColumn.NAME else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        wasteful = column is DatasetColumn.STORED and space is not None and poor(space)
        if role == Qt.ItemDataRole.DecorationRole:
            return icons.icon("warn", Tone.WARN) if wasteful else None
        if role == Qt.ItemDataRole.ForegroundRole:
            unknown = column in (DatasetColumn.DATA, DatasetColumn.TAKES) and self._text(node.row, column) == _unknown()
            return theme().colour(Tone.UNKNOWN if unknown else Tone.WARN if wasteful else Tone.TEXT)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another name; a name with / moves the dataset below another one."""
        name, typed = self.name_at(index), str(value).strip().strip("/")
        if role != Qt.ItemDataRole.EditRole or not name or not typed or typed == _last(name):
            return False
        above = name.rpartition("/")[0]
        self.renamed.emit(name, f"{above}/{typed}" if above else typed)
        return True

    def _node(self, index: Index) -> _Node:
        node = index.internalPointer()
        assert isinstance(node, _Node)
        return node

    def _text(self, row: DatasetRow, column: DatasetColumn) -> str:
        dataset, space = row.dataset, row.space
        used = None if space is None else space.used
        if column is DatasetColumn.NAME:
            return _last(dataset.name) or self._pool_name
        if column is DatasetColumn.KIND:
            return kind_words(dataset)
        if column is DatasetColumn.DATA:
            return self._unless_holder(row, None if dataset.logical_bytes is None else binary(dataset.logical_bytes))
        if column is DatasetColumn.TAKES:
            return self._unless_holder(row, None if used is None else binary(round(used.typical)))
        if column is DatasetColumn.BAND:
            return "" if used is None else band_words(used)
        if column is DatasetColumn.STORED:
            return "" if space is None else stored_words(space)
        return ", ".join(f"{s.name}={s.value}" for s in dataset.settings)

    def _unless_holder(self, row: DatasetRow, text: str | None) -> str:
        """Return ``text``, or that it is unknown; nothing for a dataset that is there for those below it."""
        if text is not None:
            return text
        return "" if self._nodes[row.dataset.name].children or not row.dataset.name else _unknown()

    def _told(self, row: DatasetRow, column: DatasetColumn) -> str:
        if column is DatasetColumn.NAME:
            return full_name(self._pool_name, row.dataset.name)
        if column is DatasetColumn.SETTINGS:
            settings = (s for s in row.dataset.settings if not is_user_property(s.name))
            return "\n".join(f"{s.name}={s.value}{': ' if s.reason else ''}{s.reason}" for s in settings)
        if column is DatasetColumn.STORED and row.space is not None:
            nominal = self.tr("{share:.0f} % are data disks").format(share=100 * row.space.nominal)
            return f"{self._help(column)}: {nominal}"
        return self._help(column)

    def _help(self, column: DatasetColumn) -> str:
        return {
            DatasetColumn.DATA: self.tr("What programs write, before compression"),
            DatasetColumn.TAKES: self.tr("USED as zfs list will print it, without children; typical"),
            DatasetColumn.BAND: self.tr("From what compresses well to what does not, metadata twice or half"),
            DatasetColumn.STORED: self.tr("Share of the disks' bytes that a typical block fills with data"),
            DatasetColumn.SETTINGS: self.tr("Properties that are neither inherited nor left at their default"),
        }.get(column, "")


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _NUMBERS else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _place(node: _Node) -> int:
    return 0 if node.parent is None else node.parent.children.index(node)


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _unknown() -> str:
    return binary(None)
