"""What was measured: every table with its source and conditions, and its plots."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QTableView, QWidget

from poolwright.emit import table_chart
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import WorkerJob
from poolwright.predict.tables import Column, ColumnKind, ColumnType, Plot, Row, Subject, Table, Tables, draw
from poolwright.questions import measured_tables
from poolwright.texts import _, ngettext
from poolwright.ui.parts import widgets
from poolwright.ui.parts.page import LOW_BELOW
from poolwright.ui.parts.panes import Panes
from poolwright.ui.parts.report_view import Link, ReportView, Shown, facts_table, subheading
from poolwright.ui.parts.table import KEY_ROLE, ColumnsMenu, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ChoiceBox, Heading, ToneLabel
from poolwright.ui.plots.place import ChartHolder, Say
from poolwright.ui.state.session import Session

_LIST_LEAST = 20 * GRID
_LIST_WIDTH = 32 * GRID


class TablesPane(QWidget):
    """Tables by subject on the left; the chosen one on the right: plot, rows, and where they come from.

    ``counted`` sends how many tables a search leaves.
    """

    counted = Signal(int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.tables: Tables | None = None
        self.table: Table | None = None
        self._wanted = self._words = ""
        self._plot_left = False
        column: TableColumn[Table] = TableColumn(
            title=_("Table"),
            text=lambda t: t.short,
            tip=lambda t: f"{_(table_chart.SUBJECT_WORDS[t.subject])}: {t.title}",
        )
        self._listed = RowModel((column,), self, key=lambda table: table.name, searched=table_chart.haystack)
        self._list = self._make_list()
        self._few = widgets.named(
            QComboBox(self), _("Table")
        )  # in place of the list, which would scroll in a low window
        self._few.setModel(self._listed)
        self._few.activated.connect(self._list.selectRow)
        widgets.row(self._list, (widgets.column(self._few, (self._make_table(), 1)), 1), of=self, gap=3 * GRID)
        reading = Asking(session.jobs, self, self._on_read, session.complain)
        reading.ask(WorkerJob(_("Reading the tables"), "tables", self, measured_tables))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        low = self.window().height() < LOW_BELOW + 20 * GRID
        self._list.setVisible(not low)
        self._few.setVisible(low)
        self._cited.setVisible(not low)

    def search(self, words: str) -> None:
        held = self._list.currentIndex().data(KEY_ROLE)
        self._words = words
        self._listed.keep(words)
        if self._listed.rows:
            self.counted.emit(self._listed.rowCount())
        self._list.selectRow(self._listed.line_of(held) or 0)

    def take(self, what: str) -> None:
        self._wanted = what
        if (line := self._listed.line_of(what)) is not None:
            self._list.selectRow(line)

    def _make_list(self) -> QTableView:
        view = plain_table(_("Tables by subject"), self._listed, self, stretched=(0,), selected=self._on_current)
        view.setMinimumWidth(_LIST_LEAST)
        view.setMaximumWidth(_LIST_WIDTH)
        return view

    def _make_table(self) -> QWidget:
        right = QWidget(self)
        self._heading = widgets.named(Heading("", right), _("Title of the table"))
        self._heading.setWordWrap(True)
        cited = ToneLabel("", Tone.MUTED, right, small=True, selectable=True)
        self._cited = widgets.named(cited, _("Source of the table"))
        self.plots = TablePlotsPane(self.session.complain, self)
        self.rows = TableRows(self)
        self.plots.picked.connect(self.rows.select)
        self.rows.selected.connect(self.plots.select)
        self.rows.copied.connect(self.session.say)
        self._details = ReportView(_("How it was measured"), self)
        self._details.pressed.connect(QDesktopServices.openUrl)
        self.panes = Panes(_("Views of the table"), None, self)
        self.panes.add(_("Plot"), self.plots)
        self.panes.add(_("Rows"), self.rows)
        self.panes.add(_("How it was measured"), self._details)
        widgets.column(self._heading, self._cited, (self.panes, 1), of=right)
        return right

    def _on_read(self, tables: Tables) -> None:
        self.tables = tables
        subjects = list(Subject)
        self._listed.show_rows(sorted(tables, key=lambda table: (subjects.index(table.subject), -len(table.plots))))
        self.search(self._words)
        self.take(self._wanted)

    def _on_current(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        self.table = table = self._listed.row(index.row())
        self._few.setCurrentIndex(index.row())
        self._heading.setText(table.title)
        self._cited.setText(f"{table.source} ({table.date})")
        self.plots.show_table(table)
        self._offer_plots(bool(table.plots))
        self.rows.show_table(table)
        self._details.show_blocks(details(table))

    def _offer_plots(self, offered: bool) -> None:
        """Take the plot away from a table that has none; bring it back to the front where that is what took it away."""
        was_in_front = self.panes.shows(self.plots)
        self.panes.offer(self.plots, offered=offered)
        if offered and self._plot_left:
            self.panes.bring_to_front(self.plots)
        self._plot_left = not offered and (was_in_front or self._plot_left)


def details(table: Table) -> Iterator[Shown]:
    size = _("not stated") if table.sample_size is None else str(table.sample_size)
    facts = [(_("Method"), table.method), (_("Runs or samples"), size), (_("Note"), table.note)]
    yield facts_table(facts)
    documents = {row.provenance.document: row for row in table.rows}
    for document, first in documents.items():
        rows = [row for row in table.rows if row.provenance.document == document]
        yield subheading(first.provenance.title)
        address = next((e.address for e in table.externals if e.key == document), "")
        if address:
            yield Link(text=address, of=QUrl(address))
        readings = []
        for read_from in dict.fromkeys(row.provenance.read_from for row in rows):
            places = dict.fromkeys(row.provenance.place for row in rows if row.provenance.read_from is read_from)
            words = _(table_chart.READ_WORDS[read_from])
            readings.append((words[:1].upper() + words[1:], "; ".join(places)))
        yield facts_table([*readings, *((table_chart.name_words(c.name), c.value) for c in first.conditions)])
    yield subheading(_("Columns"))
    yield facts_table((table_chart.heading(c), c.means) for c in table.columns if c.kind.value != "provenance")


# The place of a table's charts.


class TablePlotsPane(ChartHolder):
    """Holds the charts a table declares, one in sight; a mark is ``of`` its row."""

    def __init__(self, complain: Say, parent: QWidget) -> None:
        super().__init__("", complain, parent, lines=3, below=True)
        self._table: Table | None = None
        self._choice = ChoiceBox(self, _("Which plot"))
        self._choice.currentIndexChanged.connect(self._show)
        self.head.insertWidget(0, self._choice, 1)

    def show_table(self, table: Table) -> None:
        self._table = table
        self.select(None)
        self._choice.offer((plot.title, plot) for plot in table.plots)
        self._show()

    def _show(self) -> None:
        plot: Plot | None = self._choice.currentData()
        if self._table is None or plot is None:
            return
        self.say(plot.note or _("Point at a mark for its value, click it for its row."))
        self.show_chart(table_chart.table_chart(draw(self._table, plot), self._table.name))


# The rows of a measured table: filter, columns to choose, copy as CSV, and the source of the selected row below.

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
        self._search = widgets.search_line(self, _("Filter the rows"), _("Filter the rows"), self._on_filter)
        self._count = widgets.named(ToneLabel("", Tone.MUTED, self, wrapped=False), _("Rows shown"))
        choose = widgets.button(_("Columns"), self, icon="list")
        copy = widgets.button(_("Copy as CSV"), self, self._copy, icon="copy")
        self._view = self._make_view()
        self._menu = ColumnsMenu(self._view.horizontalHeader(), self)
        self._menu.arranged.connect(self._show_columns)
        choose.setMenu(self._menu)
        self._source = ToneLabel("", Tone.MUTED, self, small=True, selectable=True)
        widgets.named(self._source, _("Source of the selected row"))
        self._source.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Room for three lines, so that the table does not jump from row to row.
        self._source.setMinimumHeight(3 * self._source.fontMetrics().lineSpacing())
        head = widgets.row((self._search, 1), self._count, choose, copy)
        widgets.column(head, (self._view, 1), self._source, of=self)

    def show_table(self, table: Table) -> None:
        self._search.clear()
        self._menu.columns = None
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
        return table_chart.rows_csv(self._columns, self._model.shown())

    def _make_view(self) -> QTableView:
        view = plain_table(_("Rows of the table"), self._model, self, selected=self._on_selected)
        view.setSortingEnabled(True)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.horizontalHeader().setSortIndicatorClearable(True)
        widgets.action(_("Copy as CSV"), view, "Ctrl+C", self._copy)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        return view

    def _show_columns(self) -> None:
        if (chosen := self._menu.columns) is not None:
            for number in range(self._model.columnCount()):
                self._view.setColumnHidden(number, number not in chosen)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.csv())
        count = self._model.rowCount()
        self.copied.emit(ngettext("{count} row copied as CSV.", "{count} rows copied as CSV.", count))

    def _on_filter(self) -> None:
        held = self._view.currentIndex().data(KEY_ROLE)
        self._model.keep(self._search.text())
        if (line := self._model.line_of(held)) is not None:
            self._view.selectRow(line)
        shown, total = self._model.rowCount(), len(self._model.rows)
        self._count.setText(_("{shown:,} of {total:,}", shown=shown, total=total))
        self._on_selected()

    def _on_selected(self, *__: Any) -> None:
        row = self._model.at(self._view.currentIndex())
        self._source.setText(_("Select a row for its source.") if row is None else table_chart.row_words(row))
        self.selected.emit(row)


def _table_column(column: Column) -> TableColumn[Row]:
    return TableColumn(
        title=table_chart.heading(column, between="\n"),  # keeps columns of figures narrow
        meaning=column.means,
        text=partial(table_chart.cell_text, column=column),
        value=lambda row: None if row.cell(column.name) is None else table_chart.sort_key(row, column),
        tip=partial(_tip, column),
        number=column.type in (ColumnType.INTEGER, ColumnType.NUMBER),
    )


def _tip(column: Column, row: Row) -> str:
    return f"{table_chart.cell_text(row, column)}\n{table_chart.row_words(row)}".lstrip()
