"""The measured rows behind the predicted speeds, with the error on each when it is left out of the fit."""

from statistics import median

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from poolwright.jobs.asking import Asking
from poolwright.jobs.queue import JobQueue
from poolwright.jobs.sliced_job import SlicedJob
from poolwright.predict.fit import Missed
from poolwright.texts import tell
from poolwright.ui.outlook.fitted_rows import FittedColumn, FittedRows, fitting
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.ranking.pane import SORT_MARK

JOB_TARGET = "fitted rows"  # for machines
_ROW_HEIGHT = 24
_AFTER_PAINTING = 80
_WIDEST = {
    FittedColumn.MACHINE: "MacZFS blog",  # for machines
    FittedColumn.MEASURED: "0,000",
    FittedColumn.DIRECTION: "write",
}


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
        self._show_table = lay.button(tell("Show the table"), self, icon="tables")
        self._show_table.setEnabled(False)
        self._show_table.clicked.connect(self._ask)
        head = lay.row((self.text, 1), (self._show_table, 0, Qt.AlignmentFlag.AlignTop))
        self.model = FittedRows(self)
        self.table = self._make_table()
        lay.column(head, (self.table, 1), of=self)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_AFTER_PAINTING)
        self._later.timeout.connect(self._start)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._asking.busy and not self.model.rowCount():
            self._later.start()

    def _make_table(self) -> QTableView:
        view = plain_table(tell("Measured rows"), self.model, self, row_height=_ROW_HEIGHT)
        view.setMinimumHeight(12 * _ROW_HEIGHT)
        header = view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(FittedColumn.POOL, QHeaderView.ResizeMode.Stretch)
        header.setStyleSheet(SORT_MARK)
        metrics = view.fontMetrics()
        for column in FittedColumn:
            name = str(self.model.headerData(column, Qt.Orientation.Horizontal))
            widest = max(name, _WIDEST.get(column, ""), key=metrics.horizontalAdvance)
            header.resizeSection(column, metrics.horizontalAdvance(widest) + 3 * GRID)
        view.selectionModel().selectionChanged.connect(self._on_selected)
        return view

    def _start(self) -> None:
        if not self._asking.busy:
            self._asking.ask(SlicedJob(tell("Leaving out each measured row"), JOB_TARGET, fitting(), self))

    def _on_fitted(self, rows: tuple[Missed, ...]) -> None:
        self.model.show_rows(rows)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(FittedColumn.MACHINE, Qt.SortOrder.DescendingOrder)
        reads, writes = (_errors(rows, reading=reading) for reading in (True, False))
        self.text.setText(
            tell(
                "{count} measured rates. Left out one by one, reads are missed by {read:.1f} % in the median and "
                "{worst_read:.0f} % at worst, writes by {write:.1f} % and {worst_write:.0f} %. "
                "Bands are made from this.",
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
            self.asked.emit(self.model.table_of(index.row()))


def _errors(rows: tuple[Missed, ...], *, reading: bool) -> list[float]:
    return [missed.percent for missed in rows if missed.row.reading is reading]
