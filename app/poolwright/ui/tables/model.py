"""One measured table for a view: conditions and figures, and where they were read for those who ask."""

from functools import partial

from PySide6.QtCore import QObject

from poolwright.predict.table_model import Column, ColumnKind, ColumnType, Row, Table
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.tables.words import cell_text, row_words, rows_csv, sort_key, two_lines

# Shown though it says where a row was read; the rest of that is a matter of choice.
_SHOWN_ANYWAY = ("place",)


class MeasuredTable(RowModel[Row]):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), parent)
        self._table: Table | None = None

    def show_table(self, table: Table) -> None:
        """Show another table, in the order of its file."""
        self._table = table
        self.show_rows(table.rows, [_table_column(column) for column in table.columns])

    @property
    def measured(self) -> tuple[Column, ...]:
        """Return the columns as the file has them, in the order of the view."""
        return self._table.columns if self._table else ()

    def hidden_at_first(self, column: int) -> bool:
        """Tell whether a column is shown only when it is asked for: how it was read, or empty all the way down."""
        shown = self.measured[column]
        if shown.kind is ColumnKind.PROVENANCE:
            return shown.name not in _SHOWN_ANYWAY
        return all(row.cell(shown.name) is None for row in self.rows)

    def whole_csv(self) -> str:
        """Return what is shown as CSV, with the columns that say where it was read."""
        return rows_csv(self.measured, self.shown())


def _table_column(column: Column) -> TableColumn[Row]:
    return TableColumn(
        title=two_lines(column),
        meaning=column.means,
        text=partial(cell_text, column=column),
        value=partial(_value, column),
        tip=partial(_tip, column),
        number=column.type in (ColumnType.INTEGER, ColumnType.NUMBER),
    )


def _value(column: Column, row: Row) -> tuple[int, str, float, str] | None:
    """Return what a row is sorted by: its value in base units."""
    return None if row.cell(column.name) is None else sort_key(row, column)


def _tip(column: Column, row: Row) -> str:
    return f"{cell_text(row, column)}\n{row_words(row)}".lstrip()
