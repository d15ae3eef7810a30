"""The designs of the library as a table: sorted by value, filtered by words.

One model keeps rows, order and filter: a proxy would ask for two values at each comparison of thousands of designs.
"""

from collections.abc import Callable
from datetime import datetime
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal

from poolwright.store.designs import DesignEntry
from poolwright.ui.parts.model_index import KEY_ROLE, Index
from poolwright.ui.parts.theme import text_font


class DesignColumn(IntEnum):
    """The columns."""

    NAME = 0
    LAYOUT = 1
    GOAL = 2
    POOL = 3
    MODIFIED = 4


class DesignTable(QAbstractTableModel):
    """One row per design; the name can be edited, ``renamed`` sends key and new name."""

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[DesignEntry, ...] = ()
        self._shown: list[DesignEntry] = []
        self._current: str | None = None
        self._words: tuple[str, ...] = ()
        self._searched: dict[DesignEntry, str] = {}  # made when first searched, for there may be thousands
        self._sorted_by = (DesignColumn.MODIFIED, Qt.SortOrder.DescendingOrder)

    def show_entries(self, entries: tuple[DesignEntry, ...], current: str | None) -> None:
        """Show these designs; the one with the key ``current`` is marked as open."""
        self.beginResetModel()
        self._entries, self._current = entries, current
        if len(self._searched) > 2 * len(entries):
            self._searched.clear()
        self._arrange()
        self.endResetModel()

    def show_current(self, current: str | None) -> None:
        """Mark the design with this key as open."""
        before, self._current = self._current, current
        for key in {before, current} - {None}:
            row = self.row_of(str(key))
            if row is not None:
                at = self.index(row, DesignColumn.NAME)
                self.dataChanged.emit(at, at)

    def keep(self, text: str) -> None:
        """Show rows with all words of ``text``, in whatever column."""
        self.beginResetModel()
        self._words = tuple(text.casefold().split())
        self._arrange()
        self.endResetModel()

    def total(self) -> int:
        """Return the number of designs without a filter."""
        return len(self._entries)

    def entry(self, key: str) -> DesignEntry | None:
        """Return the line of a design."""
        return next((entry for entry in self._entries if entry.key == key), None)

    def row_of(self, key: str) -> int | None:
        """Return the row of a design; None where the filter hides it."""
        return next((row for row, entry in enumerate(self._shown) if entry.key == key), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of designs that are shown."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns."""
        return 0 if parent.isValid() else len(DesignColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a column."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.tr("Name"), self.tr("Layout"), self.tr("Goal"), self.tr("Pool"), self.tr("Changed"))[section]

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let the name be edited."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == DesignColumn.NAME else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows, sorts by or stands for."""
        entry = self._shown[index.row()]
        column = DesignColumn(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole):
            return self._text(entry, column)
        if role == Qt.ItemDataRole.FontRole and column is DesignColumn.NAME and entry.key == self._current:
            return text_font(semibold=True)
        return entry.key if role == KEY_ROLE else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another name."""
        entry = self._shown[index.row()]
        name = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or not name or name == entry.name:
            return False
        self.renamed.emit(entry.key, name)
        return True

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows by the value in a column."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [(self._shown[index.row()].key, index.column()) for index in before]
        self._sorted_by = (DesignColumn(column), order)
        self._arrange()
        rows = {entry.key: row for row, entry in enumerate(self._shown)} if kept else {}
        self.changePersistentIndexList(before, [self.index(rows[key], at) for key, at in kept])
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        column, order = self._sorted_by
        self._shown = [entry for entry in self._entries if self._admits(entry)]
        self._shown.sort(key=_VALUES[column], reverse=order is Qt.SortOrder.DescendingOrder)

    def _admits(self, entry: DesignEntry) -> bool:
        if not self._words:
            return True
        text = self._searched.get(entry)
        if text is None:
            text = self._searched[entry] = _searched_text(entry)
        return all(word in text for word in self._words)

    def _text(self, entry: DesignEntry, column: DesignColumn) -> str:
        return when(entry.modified) if column is DesignColumn.MODIFIED else _VALUES_SHOWN[column](entry)


def _searched_text(entry: DesignEntry) -> str:
    """Return what all columns say of a design: put together at once, for there may be thousands."""
    told = f"{entry.name} {entry.summary} {entry.goal.value} {entry.pool_name} {when(entry.modified)}"
    return told.casefold()


_VALUES_SHOWN: dict[DesignColumn, Callable[[DesignEntry], str]] = {
    DesignColumn.NAME: lambda entry: entry.name,
    DesignColumn.LAYOUT: lambda entry: entry.summary,
    DesignColumn.GOAL: lambda entry: entry.goal.value,
    DesignColumn.POOL: lambda entry: entry.pool_name,
}
_VALUES: dict[DesignColumn, Callable[[DesignEntry], Any]] = {
    DesignColumn.NAME: lambda entry: entry.name.casefold(),
    DesignColumn.LAYOUT: lambda entry: entry.summary.casefold(),
    DesignColumn.GOAL: lambda entry: entry.goal.value,
    DesignColumn.POOL: lambda entry: entry.pool_name.casefold(),
    DesignColumn.MODIFIED: lambda entry: entry.modified,
}


def when(moment: datetime) -> str:
    """Return a moment in the user's own time."""
    return moment.astimezone().isoformat(" ", "minutes")[:16]  # several times as fast as strftime
