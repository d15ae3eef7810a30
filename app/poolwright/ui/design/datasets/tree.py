"""The datasets of a pool as a tree, with what each takes, and the keys that change them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from poolwright.domain.dataset_properties import is_user_property
from poolwright.domain.design import Dataset, Setting
from poolwright.domain.units import binary
from poolwright.predict.space import DatasetSpace
from poolwright.texts import tell
from poolwright.ui.design.datasets.words import band_words, full_name, kind_words, poor, stored_words
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.table import Index, TableColumn
from poolwright.ui.parts.theme import GRID, Tone, theme
from poolwright.ui.parts.tree import TreeLine, TreeModel

_ROW_HEIGHT = 3 * GRID + 2
_LEAST = 9 * GRID  # of a kind and of a name


class DatasetColumn(IntEnum):
    NAME = 0
    KIND = 1
    DATA = 2
    TAKES = 3
    BAND = 4
    STORED = 5
    SETTINGS = 6


_NUMBERS = (DatasetColumn.DATA, DatasetColumn.TAKES, DatasetColumn.BAND, DatasetColumn.STORED)


_SAMPLES = {
    DatasetColumn.NAME: "longer dataset",  # for machines
    DatasetColumn.KIND: "volume, 10.0 TiB",  # for machines
    DatasetColumn.DATA: "unknown",
    DatasetColumn.TAKES: "unknown",
    DatasetColumn.BAND: "17.1 to 17.3 TiB",  # for machines
    DatasetColumn.STORED: "Stored at",  # for machines
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRow:
    """A dataset with what is set on it; ``space`` is None where the pool's space is unknown."""

    dataset: Dataset
    settings: tuple[Setting, ...]
    space: DatasetSpace | None


@dataclass(slots=True, kw_only=True, eq=False)
class _Node(TreeLine):
    row: DatasetRow


class DatasetTree(TreeModel[_Node]):
    """The root dataset at the top, children below their parents; ``renamed`` sends a name and the one typed for it."""

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(self._make_columns(), parent)
        self._pool_name = ""
        self._rows: tuple[DatasetRow, ...] = ()
        self._nodes: dict[str, _Node] = {}

    def show_rows(self, pool_name: str, rows: Sequence[DatasetRow]) -> bool:
        """Show these datasets, parents before children; tell whether the tree was built anew.

        Where only numbers and settings changed, what is selected and folded stays.
        """
        same = self._pool_name == pool_name and [r.dataset.name for r in rows] == [r.dataset.name for r in self._rows]
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
            node = self._nodes[name] = _Node(row=row)
            if name:
                self._nodes[name.rpartition("/")[0]].add(node)
        self.put([self._nodes[""]] if self._nodes else ())
        return True

    def name_at(self, index: Index) -> str | None:
        """Return the name of the dataset at ``index``, None for none."""
        return self.line(index).row.dataset.name if index.isValid() else None

    def index_of(self, name: str) -> QModelIndex:
        """Return where the dataset ``name`` stands; an invalid index where it does not."""
        return self.index_at(self._nodes.get(name))

    def _make_columns(self) -> tuple[TableColumn[_Node], ...]:
        titles = (
            *(tell("Dataset"), tell("Kind"), tell("Data"), tell("Takes")),
            *(tell("Low to high"), tell("Stored at"), tell("Set here")),
        )
        return tuple(
            TableColumn(
                title=title,
                meaning=self._help(column),
                text=partial(self._text, column),
                tip=partial(self._told, column),
                look=partial(self._look, column),
                typed=lambda node: _last(node.row.dataset.name),
                number=column in _NUMBERS,
            )
            for column, title in zip(DatasetColumn, titles, strict=True)
        )

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let names be edited, but for the root's."""
        flags = super().flags(index)
        if index.isValid() and index.column() == DatasetColumn.NAME and self.name_at(index):
            return flags | Qt.ItemFlag.ItemIsEditable
        return flags

    def _look(self, column: DatasetColumn, node: _Node, role: int) -> object:
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, _ROW_HEIGHT) if column is DatasetColumn.NAME else None
        space = node.row.space
        wasteful = column is DatasetColumn.STORED and space is not None and poor(space)
        if role == Qt.ItemDataRole.DecorationRole:
            return icons.icon("warn", Tone.WARN) if wasteful else None
        if role == Qt.ItemDataRole.ForegroundRole:
            unknown = column in (DatasetColumn.DATA, DatasetColumn.TAKES) and self._text(column, node) == _unknown()
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

    def _text(self, column: DatasetColumn, node: _Node) -> str:
        row = node.row
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
        return ", ".join(f"{s.name}={s.value}" for s in row.settings)

    def _unless_holder(self, row: DatasetRow, text: str | None) -> str:
        """Return ``text``, or that it is unknown; nothing for a dataset that is there for those below it."""
        if text is not None:
            return text
        return "" if self._nodes[row.dataset.name].children or not row.dataset.name else _unknown()

    def _told(self, column: DatasetColumn, node: _Node) -> str:
        row = node.row
        if column is DatasetColumn.NAME:
            return full_name(self._pool_name, row.dataset.name)
        if column is DatasetColumn.SETTINGS:
            settings = (s for s in row.settings if not is_user_property(s.name))
            return "\n".join(f"{s.name}={s.value}{': ' if s.reason else ''}{s.reason}" for s in settings)
        used = None if row.space is None else row.space.used
        if column is DatasetColumn.TAKES and used is not None:
            return "\n".join((self._help(column), tell("Low to high: {band}", band=band_words(used))))
        if column is DatasetColumn.STORED and row.space is not None:
            nominal = tell("{share:.0f} % are data disks", share=100 * row.space.nominal)
            return f"{self._help(column)}: {nominal}"
        return self._help(column)

    def _help(self, column: DatasetColumn) -> str:
        return {
            DatasetColumn.DATA: tell("What programs write, before compression"),
            DatasetColumn.TAKES: tell("USED as zfs list will print it, without children; typical"),
            DatasetColumn.BAND: tell("From what compresses well to what does not, metadata twice or half"),
            DatasetColumn.STORED: tell("Share of the disks' bytes that a typical block fills with data"),
            DatasetColumn.SETTINGS: tell("Properties that are neither inherited nor left at their default"),
        }.get(column, "")


class DatasetView(QTreeView):
    """Shows a `DatasetTree`. ``selected`` follows the selection, the others keys and the menu."""

    selected = Signal()
    add_filesystem = Signal()
    add_volume = Signal()
    remove = Signal()

    def __init__(self, tree: DatasetTree, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tree = tree
        self.setAccessibleName(tell("Datasets"))
        self.setModel(tree)
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.setAllColumnsShowFocus(True)
        self.setIndentation(2 * GRID)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        self.setMinimumHeight(4 * _ROW_HEIGHT)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(DatasetColumn.SETTINGS, QHeaderView.ResizeMode.Stretch)
        advance = self.fontMetrics().horizontalAdvance
        self._wide = {column: advance(text) + 2 * GRID + 4 for column, text in _SAMPLES.items()}
        for column, width in self._wide.items():
            self.setColumnWidth(column, width)
        self.selectionModel().currentChanged.connect(self.selected)
        for text, keys, wanted in (
            (tell("Add filesystem"), "Ins", self.add_filesystem),
            (tell("Add volume"), "Shift+Ins", self.add_volume),
            (tell("Rename"), "F2", self.edit_name),
            (tell("Delete"), "Del", self.remove),
        ):
            lay.action(text, self, keys, wanted)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the selected dataset in sight, and every column: one can be read without being scrolled to."""
        super().resizeEvent(event)
        self._share_room()
        self.scrollTo(self.currentIndex())

    def _share_room(self) -> None:
        """Let the band go first, which the tip of what a dataset takes tells too, then cut kinds and names short."""
        needed = self.header().sectionSizeHint(DatasetColumn.SETTINGS)
        lacking = sum(self._wide.values()) + needed - self.viewport().width()
        self.setColumnHidden(DatasetColumn.BAND, lacking > 0)
        lacking -= self._wide[DatasetColumn.BAND] if lacking > 0 else 0
        for column in (DatasetColumn.KIND, DatasetColumn.NAME):
            given = min(max(0, lacking), self._wide[column] - _LEAST)
            self.setColumnWidth(column, self._wide[column] - given)
            lacking -= given

    def name(self) -> str | None:
        """Return the name of the selected dataset, '' for the root; None where nothing is selected."""
        return self._tree.name_at(self.currentIndex())

    def select(self, name: str) -> None:
        """Select a dataset, the nearest one above it where it is gone."""
        index = self._tree.index_of(name)
        while not index.isValid() and name:
            name = name.rpartition("/")[0]
            index = self._tree.index_of(name)
        if index.isValid() and self.name() != name:
            rows = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(index, rows)
            self.scrollTo(index)

    def edit_name(self) -> None:
        """Begin to edit the name of the selected dataset in its place."""
        index = self.currentIndex()
        if index.isValid():
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.edit(QModelIndex(index.siblingAtColumn(DatasetColumn.NAME)))


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _unknown() -> str:
    return binary(None)
