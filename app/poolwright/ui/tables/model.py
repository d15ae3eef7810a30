"""One measured table for a view: conditions and figures, and where they were read for those who ask."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QSortFilterProxyModel, Qt

from poolwright.predict.table_model import Column, ColumnKind, ColumnType, Row, Table
from poolwright.ui.parts.model_index import Index
from poolwright.ui.tables.words import cell_text, row_words, rows_csv, sort_key, two_lines

ROW_ROLE = Qt.ItemDataRole.UserRole
_ROOT = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
# Shown though it says where a row was read; the rest of that is a matter of choice.
_SHOWN_ANYWAY = ("place",)


class MeasuredTable(QAbstractTableModel):
    """The rows of one table."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table: Table | None = None
        self._texts: tuple[tuple[str, ...], ...] = ()

    def show_table(self, table: Table) -> None:
        """Show another table."""
        self.beginResetModel()
        self._table = table
        self._texts = tuple(tuple(cell_text(row, column) for column in table.columns) for row in table.rows)
        self.endResetModel()

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return the columns in the order of the view."""
        return self._table.columns if self._table else ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """Return the rows as the file has them."""
        return self._table.rows if self._table else ()

    def hidden_at_first(self, column: int) -> bool:
        """Tell whether a column is shown only when it is asked for: how it was read, or empty all the way down."""
        shown = self.columns[column]
        if shown.kind is ColumnKind.PROVENANCE:
            return shown.name not in _SHOWN_ANYWAY
        return all(row.cell(shown.name) is None for row in self.rows)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a column with its unit, what it means, or its side."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return two_lines(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.means
        return _side(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows, or its row."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self._texts[index.row()][index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{self._texts[index.row()][index.column()]}\n{row_words(self.rows[index.row()])}".lstrip()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(self.columns[index.column()])
        return self.rows[index.row()] if role == ROW_ROLE else None

    def holds(self, row: int, words: tuple[str, ...]) -> bool:
        """Tell whether a row holds all ``words``."""
        text = " ".join(self._texts[row]).casefold()
        return all(word in text for word in words)


class MeasuredFilter(QSortFilterProxyModel):
    """Sorts by value and keeps the rows that hold every word of the filter."""

    def __init__(self, table: MeasuredTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._words: tuple[str, ...] = ()
        self.setSourceModel(table)

    def keep(self, text: str) -> None:
        """Show rows with all words of ``text``."""
        self.beginFilterChange()
        self._words = tuple(text.casefold().split())
        self.endFilterChange()

    def shown(self) -> tuple[Row, ...]:
        """Return the rows as they are shown."""
        return tuple(self.index(row, 0).data(ROW_ROLE) for row in range(self.rowCount()))

    def csv(self) -> str:
        """Return what is shown as CSV, with the columns that say where it was read."""
        return rows_csv(self._table.columns, self.shown())

    def filterAcceptsRow(self, source_row: int, _source_parent: Index) -> bool:
        """Tell whether a row is shown."""
        return self._table.holds(source_row, self._words)

    def lessThan(self, left: Index, right: Index) -> bool:
        """Compare by value in base units; what is not known stands last when sorted upwards."""
        column = self._table.columns[left.column()]
        rows = self._table.rows
        return sort_key(rows[left.row()], column) < sort_key(rows[right.row()], column)


def _side(column: Column) -> Qt.AlignmentFlag:
    return _RIGHT if column.type in (ColumnType.INTEGER, ColumnType.NUMBER) else _LEFT
