"""The rows of a measured table: filter, columns to choose, copy as CSV, and the source of the selected row below."""

from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from poolwright.predict.table_model import Column, ColumnKind, ColumnType, Row, Table
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.table import KEY_ROLE, ROW_ROLE, ColumnsMenu, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.tables.chart import cell_text, row_words, rows_csv, sort_key, two_lines

_WIDEST = 30 * GRID
_SHOWN_ANYWAY = ("place",)  # though it says where a row was read


class TableRows(QWidget):
    """Shows one table. ``selected`` sends the selected row, ``copied`` a line for the status bar."""

    selected = Signal(object)
    copied = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns: tuple[Column, ...] = ()  # as the file has them, in the order of the view
        self._model: RowModel[Row] = RowModel((), self)
        self._search = lay.search_line(
            self, tell("Filter the rows of the table"), tell("Filter the rows"), self._on_filter
        )
        self._count = lay.named(ToneLabel("", Tone.MUTED, self), tell("Rows shown"))
        self._count.setWordWrap(False)
        choose = lay.button(tell("Columns"), self, icon="list", tip=tell("Choose which columns are shown"))
        copy = lay.button(tell("Copy as CSV"), self, self._copy, icon="copy", tip=tell("With all columns and sources"))
        self._view = self._make_view()
        menu = ColumnsMenu(self._view.horizontalHeader(), self)
        menu.chosen.connect(self._on_column)
        choose.setMenu(menu)
        self._source = ToneLabel("", Tone.MUTED, self, small=True, selectable=True)
        self._source.setAccessibleName(tell("Source of the selected row"))
        self._source.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Room for three lines, so that the table does not jump from row to row.
        self._source.setMinimumHeight(3 * self._source.fontMetrics().lineSpacing())
        head = lay.row((self._search, 1), self._count, choose, copy)
        lay.column(head, (self._view, 1), self._source, of=self)

    def show_table(self, table: Table) -> None:
        self._search.clear()
        self._columns = table.columns
        self._model.show_rows(table.rows, [_table_column(column) for column in table.columns])
        self._view.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        for number, column in enumerate(table.columns):
            provenance = column.kind is ColumnKind.PROVENANCE and column.name not in _SHOWN_ANYWAY
            self._view.setColumnHidden(number, provenance or all(row.cell(column.name) is None for row in table.rows))
        self._view.resizeColumnsToContents()
        for number in range(self._model.columnCount()):
            self._view.setColumnWidth(number, min(self._view.columnWidth(number), _WIDEST))
        self._view.setCurrentIndex(QModelIndex())
        self._on_filter()

    def select(self, row: Row) -> None:
        for number, shown in enumerate(self._model.shown()):
            if shown is row:
                self._view.selectRow(number)

    def csv(self) -> str:
        """Return what is shown as CSV, with the columns that say where it was read."""
        return rows_csv(self._columns, self._model.shown())

    def _make_view(self) -> QTableView:
        view = plain_table(tell("Rows of the table"), self._model, self)
        view.setSortingEnabled(True)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = view.horizontalHeader()
        header.setSortIndicatorClearable(True)
        lay.action(tell("Copy as CSV"), view, "Ctrl+C", self._copy)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        view.selectionModel().currentRowChanged.connect(self._on_selected)
        return view

    def _on_column(self, number: int, shown: bool) -> None:
        self._view.setColumnHidden(number, not shown)
        if shown:
            self._view.resizeColumnToContents(number)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.csv())
        count = self._model.rowCount()
        self.copied.emit(tell_counted("{count} row copied as CSV.", "{count} rows copied as CSV.", count))

    def _on_filter(self) -> None:
        held = self._view.currentIndex().data(KEY_ROLE)
        self._model.keep(self._search.text())
        line = self._model.line_of(held)
        if line is not None:
            self._view.selectRow(line)
        shown, total = self._model.rowCount(), len(self._model.rows)
        self._count.setText(tell("{shown:,} of {total:,} rows", shown=shown, total=total))
        self._on_selected()

    def _on_selected(self, *_: Any) -> None:
        index = self._view.currentIndex()
        row = index.data(ROW_ROLE) if index.isValid() else None
        self._source.setText(row_words(row) if isinstance(row, Row) else tell("Select a row for its source."))
        self.selected.emit(row)


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
    return None if row.cell(column.name) is None else sort_key(row, column)


def _tip(column: Column, row: Row) -> str:
    return f"{cell_text(row, column)}\n{row_words(row)}".lstrip()
