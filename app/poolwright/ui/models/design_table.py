"""The designs of the library as a table."""

from datetime import datetime
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QSortFilterProxyModel,
    Qt,
    Signal,
)

from poolwright.store.designs import DesignEntry
from poolwright.ui.models.model_index import KEY_ROLE, SORT_ROLE, Index
from poolwright.ui.theme import text_font


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
        self._current: str | None = None

    def show_entries(self, entries: tuple[DesignEntry, ...], current: str | None) -> None:
        """Show these designs; the one with the key ``current`` is marked as open."""
        self.beginResetModel()
        self._entries, self._current = entries, current
        self.endResetModel()

    def entry(self, key: str) -> DesignEntry | None:
        """Return the line of a design."""
        return next((entry for entry in self._entries if entry.key == key), None)

    def row_of(self, key: str) -> int | None:
        """Return the row of a design."""
        return next((row for row, entry in enumerate(self._entries) if entry.key == key), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of designs."""
        return 0 if parent.isValid() else len(self._entries)

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
        entry = self._entries[index.row()]
        column = DesignColumn(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole):
            return self._text(entry, column)
        if role == Qt.ItemDataRole.FontRole and column is DesignColumn.NAME and entry.key == self._current:
            return text_font(semibold=True)
        if role == SORT_ROLE:
            return (
                entry.modified.timestamp() if column is DesignColumn.MODIFIED else self._text(entry, column).casefold()
            )
        return entry.key if role == KEY_ROLE else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another name."""
        entry = self._entries[index.row()]
        name = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or not name or name == entry.name:
            return False
        self.renamed.emit(entry.key, name)
        return True

    def _text(self, entry: DesignEntry, column: DesignColumn) -> str:
        texts = {
            DesignColumn.NAME: entry.name,
            DesignColumn.LAYOUT: entry.summary,
            DesignColumn.GOAL: entry.goal.value,
            DesignColumn.POOL: entry.pool_name,
            DesignColumn.MODIFIED: when(entry.modified),
        }
        return texts[column]


class DesignFilter(QSortFilterProxyModel):
    """Sorts by value and keeps the rows that hold every word of the filter, in any column."""

    def __init__(self, table: DesignTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, ...] = ()
        self.setSourceModel(table)
        self.setSortRole(SORT_ROLE)

    def keep(self, text: str) -> None:
        """Show rows with all words of ``text``."""
        self.beginFilterChange()
        self._words = tuple(text.casefold().split())
        self.endFilterChange()

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        """Tell whether a row is shown."""
        model = self.sourceModel()
        cells = (model.index(source_row, column, source_parent).data() for column in DesignColumn)
        text = " ".join(str(cell) for cell in cells).casefold()
        return all(word in text for word in self._words)


def when(moment: datetime) -> str:
    """Return a moment in the user's own time."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
