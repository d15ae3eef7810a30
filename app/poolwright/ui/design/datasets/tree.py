"""The datasets of a pool as a tree, with what each takes, and the keys that change them."""

from collections.abc import Callable, Sequence
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
from poolwright.ui.design.datasets.words import band_words, full_name, poor
from poolwright.ui.parts import icons
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
# How wide the columns but the last are: as these texts.
_SAMPLES = ("longer dataset", "volume, 10.0 TiB", "unknown", "unknown", "17.1 to 17.3 TiB", "Stored at")  # for machines


@dataclass(slots=True, kw_only=True, eq=False)
class DatasetLine(TreeLine):
    """A dataset with what is set on it; ``space`` is None where the pool's space is unknown."""

    dataset: Dataset
    settings: tuple[Setting, ...]
    space: DatasetSpace | None

    @property
    def name(self) -> str:
        return self.dataset.name

    def unless_holder(self, size_bytes: float | None) -> str:
        """Return a size, or that it is unknown; nothing for a dataset that is there for those below it."""
        return "" if size_bytes is None and (self.children or not self.name) else _size(size_bytes)


_Text = Callable[[DatasetLine], str]


class DatasetTree(TreeModel[DatasetLine]):
    """The root dataset at the top, children below their parents; ``renamed`` sends a name and the one typed for it."""

    renamed = Signal(str, str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(self._make_columns(), parent)
        self._pool_name = ""
        self._nodes: dict[str, DatasetLine] = {}

    def show_lines(self, pool_name: str, lines: Sequence[DatasetLine]) -> bool:
        """Show these datasets, parents before children; tell whether the tree was built anew.

        Where only numbers and settings changed, what is selected and folded stays.
        """
        same = self._pool_name == pool_name and [line.name for line in lines] == list(self._nodes)
        self._pool_name = pool_name
        if same:
            for line in lines:
                node, at = self._nodes[line.name], self.index_of(line.name)
                node.dataset, node.settings, node.space = line.dataset, line.settings, line.space
                self.dataChanged.emit(at, at.siblingAtColumn(len(DatasetColumn) - 1))
            return False
        self._nodes = {line.name: line for line in lines}
        for line in lines:
            if line.name:
                self._nodes[line.name.rpartition("/")[0]].add(line)
        self.put([self._nodes[""]] if self._nodes else ())
        return True

    def name_at(self, index: Index) -> str | None:
        return self.line(index).name if index.isValid() else None

    def index_of(self, name: str) -> QModelIndex:
        return self.index_at(self._nodes.get(name))

    def _make_columns(self) -> tuple[TableColumn[DatasetLine], ...]:
        data = tell("What programs write, before compression")
        takes = tell("USED as zfs list will print it, without children; typical")
        band = tell("From what compresses well to what does not, metadata twice or half")
        stored = tell("Share of the disks' bytes that a typical block fills with data")
        own = tell("Properties that are neither inherited nor left at their default")
        told: tuple[tuple[str, str, _Text, _Text | None], ...] = (
            (tell("Dataset"), "", self._shown_name, lambda node: full_name(self._pool_name, node.name)),
            (tell("Kind"), "", _kind, None),
            (tell("Data"), data, lambda node: node.unless_holder(node.dataset.logical_bytes), None),
            (tell("Takes"), takes, lambda node: node.unless_holder(_used(node)), _takes_tip),
            (tell("Low to high"), band, _band, None),
            (tell("Stored at"), stored, _stored, _stored_tip),
            (tell("Set here"), own, _settings, _settings_tip),
        )
        return tuple(
            TableColumn(
                title=title, meaning=meaning, text=text, tip=tip, look=partial(_look, column, text),
                typed=lambda node: _last(node.name), number=column in _NUMBERS,
            )
            for column, (title, meaning, text, tip) in zip(DatasetColumn, told, strict=True)
        )  # fmt: skip

    def _shown_name(self, node: DatasetLine) -> str:
        return _last(node.name) or self._pool_name

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        named = index.isValid() and index.column() == DatasetColumn.NAME and self.name_at(index)
        return flags | Qt.ItemFlag.ItemIsEditable if named else flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another name; a name with / moves the dataset below another one."""
        name, typed = self.name_at(index), str(value).strip().strip("/")
        if role != Qt.ItemDataRole.EditRole or not name or not typed or typed == _last(name):
            return False
        above = name.rpartition("/")[0]
        self.renamed.emit(name, f"{above}/{typed}" if above else typed)
        return True


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _size(size_bytes: float | None) -> str:
    return binary(None if size_bytes is None else round(size_bytes))


def _kind(node: DatasetLine) -> str:
    size = node.dataset.volume_bytes
    return tell("filesystem") if size is None else tell("volume, {size}", size=binary(size))


def _used(node: DatasetLine) -> float | None:
    space = node.space
    return None if space is None or space.used is None else space.used.typical


def _band(node: DatasetLine) -> str:
    space = node.space
    return "" if space is None or space.used is None else band_words(space.used)


def _takes_tip(node: DatasetLine) -> str:
    band = _band(node)
    return tell("Low to high: {band}", band=band) if band else ""


def _stored(node: DatasetLine) -> str:
    return "" if node.space is None else f"{100 * node.space.efficiency:.0f} %"


def _stored_tip(node: DatasetLine) -> str:
    space = node.space
    return "" if space is None else tell("{share:.0f} % are data disks", share=100 * space.nominal)


def _settings(node: DatasetLine) -> str:
    return ", ".join(f"{s.name}={s.value}" for s in node.settings)


def _settings_tip(node: DatasetLine) -> str:
    settings = (s for s in node.settings if not is_user_property(s.name))
    return "\n".join(f"{s.name}={s.value}{': ' if s.reason else ''}{s.reason}" for s in settings)


def _look(column: DatasetColumn, text: _Text, node: DatasetLine, role: int) -> object:
    if role == Qt.ItemDataRole.SizeHintRole:
        return QSize(0, _ROW_HEIGHT) if column is DatasetColumn.NAME else None
    wasteful = column is DatasetColumn.STORED and node.space is not None and poor(node.space)
    if role == Qt.ItemDataRole.DecorationRole:
        return icons.icon("warn", Tone.WARN) if wasteful else None
    if role == Qt.ItemDataRole.ForegroundRole:
        unknown = column in (DatasetColumn.DATA, DatasetColumn.TAKES) and text(node) == binary(None)
        return theme().colour(Tone.UNKNOWN if unknown else Tone.WARN if wasteful else Tone.TEXT)
    return None


class DatasetView(QTreeView):
    """Shows a `DatasetTree`; its menu and keys are the actions it is given."""

    def __init__(self, tree: DatasetTree, parent: QWidget) -> None:
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
        self._wide = [advance(text) + 2 * GRID + 4 for text in _SAMPLES]
        for column, width in enumerate(self._wide):
            self.setColumnWidth(column, width)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()
        self.scrollTo(self.currentIndex())

    def _share_room(self) -> None:
        """Let the band go first, which the tip of what a dataset takes tells too, then cut kinds and names short."""
        needed = self.header().sectionSizeHint(DatasetColumn.SETTINGS)
        lacking = sum(self._wide) + needed - self.viewport().width()
        self.setColumnHidden(DatasetColumn.BAND, lacking > 0)
        lacking -= self._wide[DatasetColumn.BAND] if lacking > 0 else 0
        for column in (DatasetColumn.KIND, DatasetColumn.NAME):
            given = min(max(0, lacking), self._wide[column] - _LEAST)
            self.setColumnWidth(column, self._wide[column] - given)
            lacking -= given

    def name(self) -> str | None:
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
        index = self.currentIndex()
        if index.isValid():
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.edit(QModelIndex(index.siblingAtColumn(DatasetColumn.NAME)))
