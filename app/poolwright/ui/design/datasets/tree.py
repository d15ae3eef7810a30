"""The datasets of a pool as a tree, with what each takes, and the keys that change them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QItemSelectionModel, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from poolwright.domain.dataset_properties import is_user_property
from poolwright.domain.design import Dataset, Setting
from poolwright.domain.units import binary
from poolwright.predict.space import DatasetSpace
from poolwright.texts import tell
from poolwright.ui.design.datasets.words import band_words, full_name, poor
from poolwright.ui.parts import icons
from poolwright.ui.parts.theme import GRID, Tone, theme

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetLine:
    """A dataset with what is set on it; ``space`` is None where the pool's space is unknown."""

    dataset: Dataset
    settings: tuple[Setting, ...]
    space: DatasetSpace | None

    @property
    def name(self) -> str:
        return self.dataset.name


class DatasetTree(QTreeWidget):
    """The root dataset at the top, children below their parents; ``renamed`` sends a name and the one typed for it.

    Its menu and keys are the actions it is given.
    """

    renamed = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._pool_name = ""
        self._lines: Sequence[DatasetLine] = ()
        self._items: dict[str, QTreeWidgetItem] = {}
        self.setAccessibleName(tell("Datasets"))
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.setAllColumnsShowFocus(True)
        self.setIndentation(2 * GRID)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMinimumHeight(4 * _ROW_HEIGHT)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._head()
        self.itemDoubleClicked.connect(self.edit_name)
        self.itemChanged.connect(self._on_typed)
        theme().changed.connect(self._fill)

    def _head(self) -> None:
        headings = (
            (tell("Dataset"), ""),
            (tell("Kind"), ""),
            (tell("Data"), tell("What programs write, before compression")),
            (tell("Takes"), tell("USED as zfs list will print it, without children; typical")),
            (tell("Low to high"), tell("From what compresses well to what does not, metadata twice or half")),
            (tell("Stored at"), tell("Share of the disks' bytes that a typical block fills with data")),
            (tell("Set here"), tell("Properties that are neither inherited nor left at their default")),
        )
        self.setHeaderLabels([title for title, _ in headings])
        for column, (_, meaning) in enumerate(headings):
            self.headerItem().setToolTip(column, meaning)
        _to_the_right(self.headerItem())
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(DatasetColumn.SETTINGS, QHeaderView.ResizeMode.Stretch)
        advance = self.fontMetrics().horizontalAdvance
        self._wide = [advance(text) + 2 * GRID + 4 for text in _SAMPLES]
        for column, width in enumerate(self._wide):
            self.setColumnWidth(column, width)

    def show_lines(self, pool_name: str, lines: Sequence[DatasetLine]) -> None:
        """Show these datasets, parents before children.

        Where only numbers and settings changed, what is selected and folded stays.
        """
        same = self._pool_name == pool_name and [line.name for line in lines] == list(self._items)
        self._pool_name, self._lines = pool_name, lines
        if not same:
            self.clear()
            self._items = {}
            for line in lines:
                above = self._items[line.name.rpartition("/")[0]] if line.name else self
                self._items[line.name] = QTreeWidgetItem(above)
        self._fill()
        if not same:
            self.expandAll()

    def _fill(self) -> None:
        with QSignalBlocker(self):
            for line in self._lines:
                _show(self._items[line.name], line, self._pool_name)

    def item_of(self, name: str) -> QTreeWidgetItem | None:
        return self._items.get(name)

    def name(self) -> str | None:
        item = self.currentItem()
        return next((name for name, known in self._items.items() if known is item), None)

    def select(self, name: str) -> None:
        """Select a dataset, the nearest one above it where it is gone."""
        while name and name not in self._items:
            name = name.rpartition("/")[0]
        item = self.item_of(name)
        if item is not None and item is not self.currentItem():
            rows = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.setCurrentItem(item, DatasetColumn.NAME, rows)
            self.scrollToItem(item)

    def edit_name(self) -> None:
        item = self.currentItem()
        if item is not None and self.name():  # the root has the name of the pool
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.editItem(item, DatasetColumn.NAME)

    def _on_typed(self, item: QTreeWidgetItem, _column: int) -> None:
        """Ask for another name; a name with / moves the dataset below another one."""
        name = next(name for name, known in self._items.items() if known is item)
        above, _, last = name.rpartition("/")
        typed = item.text(DatasetColumn.NAME).strip().strip("/")
        with QSignalBlocker(self):
            item.setText(DatasetColumn.NAME, last)
        if typed and typed != last:
            self.renamed.emit(name, f"{above}/{typed}" if above else typed)

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


def _show(item: QTreeWidgetItem, line: DatasetLine, pool_name: str) -> None:
    """Write texts, tips and marks of a dataset into its line."""
    space, volume = line.space, line.dataset.volume_bytes
    used = space.used if space is not None else None
    band = band_words(used) if used is not None else ""
    holder = item.childCount() > 0 or not line.name  # is there for those below it: what it takes itself is no question
    data, takes = line.dataset.logical_bytes, used.typical if used is not None else None
    reasons = (
        f"{s.name}={s.value}{': ' if s.reason else ''}{s.reason}" for s in line.settings if not is_user_property(s.name)
    )
    for column, text, tip in (
        (DatasetColumn.NAME, line.name.rpartition("/")[2] or pool_name, full_name(pool_name, line.name)),
        (DatasetColumn.KIND, tell("filesystem") if volume is None else tell("volume, {size}", size=binary(volume)), ""),
        (DatasetColumn.DATA, _size(data, holder=holder), ""),
        (DatasetColumn.TAKES, _size(takes, holder=holder), tell("Low to high: {band}", band=band) if band else ""),
        (DatasetColumn.BAND, band, ""),
        (
            DatasetColumn.STORED,
            f"{100 * space.efficiency:.0f} %" if space is not None else "",
            tell("{share:.0f} % are data disks", share=100 * space.nominal) if space is not None else "",
        ),
        (DatasetColumn.SETTINGS, ", ".join(f"{s.name}={s.value}" for s in line.settings), "\n".join(reasons)),
    ):
        item.setText(column, text)
        item.setToolTip(column, tip)
    _to_the_right(item)
    item.setSizeHint(DatasetColumn.NAME, QSize(0, _ROW_HEIGHT))
    if line.name:
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
    wasteful = space is not None and poor(space)
    item.setIcon(DatasetColumn.STORED, icons.icon("warn", Tone.WARN) if wasteful else QIcon())
    item.setForeground(DatasetColumn.STORED, theme().colour(Tone.WARN if wasteful else Tone.TEXT))
    for column, size in ((DatasetColumn.DATA, data), (DatasetColumn.TAKES, takes)):
        item.setForeground(column, theme().colour(Tone.UNKNOWN if size is None else Tone.TEXT))


def _size(size_bytes: float | None, *, holder: bool) -> str:
    return "" if size_bytes is None and holder else binary(None if size_bytes is None else round(size_bytes))


def _to_the_right(item: QTreeWidgetItem) -> None:
    for column in _NUMBERS:
        item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
