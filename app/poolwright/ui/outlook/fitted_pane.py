"""The measured rows behind the predicted speeds, with the error on each when it is left out of the fit."""

from math import exp
from statistics import median

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from poolwright.domain.units import MB
from poolwright.domain.vdev import describe
from poolwright.jobs.job import Asking, JobQueue
from poolwright.jobs.worker_job import WorkerJob
from poolwright.predict.fit import Missed
from poolwright.questions import leave_out_each
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.table import RowModel, TableColumn, figures, plain_table
from poolwright.ui.parts.theme import Tone
from poolwright.ui.ranking.pane import SORT_MARK

# The measured rates that the speed model rests on, each beside what the model says when it has not seen the row.

_TABLES = {"thesis": "pool_throughput", "blog": "ashift_effect"}


def _columns() -> tuple[TableColumn[Missed], ...]:
    source = {"thesis": tell("Wikibook"), "blog": tell("MacZFS blog")}
    return (
        TableColumn(title=tell("Pool"), text=lambda m: describe(m.row.layout)),
        TableColumn(
            title=tell("Source"),
            meaning=tell("Wikibook: table 2; MacZFS blog: 2 and 3"),
            text=lambda m: source[m.row.machine],
        ),
        TableColumn(title=tell("What"), text=lambda m: tell("read") if m.row.reading else tell("write")),
        figures(tell("MB/s"), "", lambda m: m.row.bytes_per_second / MB, "{:,.0f}"),
        figures(
            tell("Model MB/s"), tell("By a model fitted to all other rows"), lambda m: _modelled(m) / MB, "{:,.0f}"
        ),
        TableColumn(
            title=tell("Off (%)"),
            value=lambda m: m.percent,
            text=lambda m: f"{100 * (exp(m.logarithm) - 1):+.1f}",
            number=True,
        ),
    )


def _modelled(missed: Missed) -> float:
    return missed.row.bytes_per_second * exp(missed.logarithm)


JOB_TARGET = "fitted rows"  # for machines
_ROW_HEIGHT = 24
_POOL, _SOURCE = 0, 1


class FittedPane(QWidget):
    """``asked`` sends the name of the table in which the selected row stands, ``failed`` why there are no rows."""

    asked = Signal(str)
    failed = Signal(str)

    def __init__(self, jobs: JobQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asking = Asking(jobs, self)
        self._asking.answered.connect(self._on_fitted)
        self._asking.failed.connect(self.failed)
        self.text = ToneLabel(tell("The rows are being fitted."), Tone.MUTED, self, small=True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text.setAccessibleName(tell("Error on rows that were left out"))
        self._show_table = lay.button(tell("Show the table"), self, self._ask, icon="tables")
        self._show_table.setEnabled(False)
        head = lay.row((self.text, 1), (self._show_table, 0, Qt.AlignmentFlag.AlignTop))
        self.model: RowModel[Missed] = RowModel(_columns(), self)
        self.table = self._make_table()
        lay.column(head, (self.table, 1), of=self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._asking.busy and not self.model.rowCount():
            self._asking.ask(WorkerJob(tell("Leaving out each measured row"), JOB_TARGET, self, leave_out_each))

    def _make_table(self) -> QTableView:
        view = plain_table(tell("Measured rows"), self.model, self, row_height=_ROW_HEIGHT)
        view.setMinimumHeight(12 * _ROW_HEIGHT)
        header = view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_POOL, QHeaderView.ResizeMode.Stretch)
        header.setStyleSheet(SORT_MARK)
        view.selectionModel().selectionChanged.connect(self._on_selected)
        return view

    def _on_fitted(self, rows: tuple[Missed, ...]) -> None:
        self.model.show_rows(rows)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(_SOURCE, Qt.SortOrder.DescendingOrder)
        reads, writes = (_errors(rows, reading=reading) for reading in (True, False))
        self.text.setText(
            tell(
                "{count} rates. Left out one by one, reads miss by {read:.1f} % (worst {worst_read:.0f} %), "
                "writes by {write:.1f} % ({worst_write:.0f} %).",
                count=len(rows),
                read=median(reads),
                worst_read=max(reads),
                write=median(writes),
                worst_write=max(writes),
            )
        )

    def _on_selected(self) -> None:
        self._show_table.setEnabled(self.table.currentIndex().isValid())

    def _ask(self) -> None:
        index = self.table.currentIndex()
        if index.isValid():
            self.asked.emit(_TABLES[self.model.row(index.row()).row.machine])


def _errors(rows: tuple[Missed, ...], *, reading: bool) -> list[float]:
    return [missed.percent for missed in rows if missed.row.reading is reading]
