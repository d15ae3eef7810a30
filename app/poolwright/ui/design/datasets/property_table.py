"""The properties in force on a dataset: value, where it comes from, whether it is changed, why."""

from collections.abc import Sequence
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

from poolwright.domain.inheritance import Effective, SettingSource
from poolwright.ui.design.datasets.words import property_words, reason_words, source_words
from poolwright.ui.parts import icons
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.theme import Tone, text_font, theme

_ROOT = QModelIndex()
PROPERTY_ROLE = Qt.ItemDataRole.UserRole


class PropertyColumn(IntEnum):
    """The columns."""

    NAME = 0
    VALUE = 1
    SOURCE = 2
    CHANGED = 3
    WHY = 4


class PropertyTable(QAbstractTableModel):
    """One row a property; values can be edited. ``asked`` sends name and value wanted; an empty value is inherit."""

    asked = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Effective, ...] = ()
        self._pool_name = ""

    def show_rows(self, rows: Sequence[Effective], pool_name: str) -> None:
        """Show these properties; values change in place where the properties are the same."""
        same = [r.name for r in rows] == [r.name for r in self._rows]
        if not same:
            self.beginResetModel()
        self._rows, self._pool_name = tuple(rows), pool_name
        if same:
            if self._rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(PropertyColumn) - 1))
        else:
            self.endResetModel()

    def effective(self, row: int) -> Effective:
        """Return the property of a row."""
        return self._rows[row]

    def row_of(self, name: str) -> int | None:
        """Return the row of a property."""
        return next((number for number, item in enumerate(self._rows) if item.name == name), None)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of properties."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(PropertyColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the heading of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.tr("Property"), self.tr("Value"), self.tr("Source"), self.tr("Default?"), self.tr("Why"))[section]

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let values be edited."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == PropertyColumn.VALUE else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows or stands for."""
        item, column = self._rows[index.row()], PropertyColumn(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self._text(item, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            if column is PropertyColumn.CHANGED and item.default_value is not None:
                return self.tr("OpenZFS's default is {value}").format(value=item.default_value)
            return property_words(item.name) if column is PropertyColumn.NAME else self._text(item, column)
        if role == PROPERTY_ROLE:
            return item.name
        if role == Qt.ItemDataRole.FontRole and column in (PropertyColumn.NAME, PropertyColumn.VALUE):
            return text_font(semibold=item.source is SettingSource.LOCAL)
        if role == Qt.ItemDataRole.DecorationRole and column is PropertyColumn.CHANGED and item.changed:
            return icons.icon("rename", Tone.NOTE)
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme().colour(_tone(item, column))
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another value; an empty one asks to inherit."""
        item, text = self._rows[index.row()], str(value).strip()
        if role != Qt.ItemDataRole.EditRole or index.column() != PropertyColumn.VALUE or text == item.value:
            return False
        self.asked.emit(item.name, text)
        return True

    def _text(self, item: Effective, column: PropertyColumn) -> str:
        if column is PropertyColumn.NAME:
            return item.name
        if column is PropertyColumn.VALUE:
            return item.value
        if column is PropertyColumn.SOURCE:
            return source_words(item, self._pool_name)
        if column is PropertyColumn.CHANGED:
            if item.default_value is None:
                return self.tr("none")
            return self.tr("changed") if item.changed else self.tr("default")
        return reason_words(item)


class PropertyFilter(QSortFilterProxyModel):
    """Keeps rows with all words of the filter, and only those set somewhere where that is wanted."""

    def __init__(self, table: PropertyTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._words: tuple[str, ...] = ()
        self._only_set = False
        self.setSourceModel(table)
        table.dataChanged.connect(self._on_changed)

    def keep(self, text: str, *, only_set: bool) -> None:
        """Show rows with all words of ``text``; with ``only_set`` without those at their default."""
        self.beginFilterChange()
        self._words, self._only_set = tuple(text.casefold().split()), only_set
        self.endFilterChange()

    def filterAcceptsRow(self, source_row: int, _parent: Index) -> bool:
        """Tell whether a row is shown."""
        item = self._table.effective(source_row)
        if self._only_set and item.source is SettingSource.DEFAULT:
            return False
        text = f"{item.name} {item.value} {reason_words(item)}".casefold()
        return all(word in text for word in self._words)

    def _on_changed(self) -> None:
        self.beginFilterChange()
        self.endFilterChange()


def _tone(item: Effective, column: PropertyColumn) -> Tone:
    if column is PropertyColumn.CHANGED:
        return Tone.NOTE if item.changed else Tone.MUTED
    if item.source is SettingSource.LOCAL:
        return Tone.TEXT
    if column is PropertyColumn.WHY or item.source is SettingSource.DEFAULT:
        return Tone.MUTED
    return Tone.TEXT
