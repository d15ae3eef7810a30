"""The measured rows behind the predicted speeds, with the error on each when it is left out of the fit."""

import csv
import io
from dataclasses import dataclass
from statistics import median

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from poolwright import paths
from poolwright.domain.errors import EnvironmentFailure
from poolwright.domain.units import MB
from poolwright.domain.vdev import describe
from poolwright.predict.assumptions import Metric, Run, read_runs
from poolwright.texts import _
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.table import RowModel, TableColumn, figures, plain_table
from poolwright.ui.parts.theme import Tone
from poolwright.ui.ranking.pane import SORT_MARK

# The measured rates that the speed model rests on, each beside what the model says when it has not seen the row.

_TABLES = {"thesis": "pool_throughput", "blog": "ashift_effect"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutRate:
    """A measured rate on ``machine``, and what a model fitted to all other rows says of it, bytes/s."""

    run: Run
    machine: str
    modelled: float

    @property
    def error_percent(self) -> float:
        return 100 * (self.modelled / self.run.value - 1)


def held_out_rates() -> tuple[HeldOutRate, ...]:
    """Return the rows as `tests.predict.fitting` wrote them. Raises EnvironmentFailure."""
    text = paths.shipped_text(paths.rules_folder() / "data" / "left_out.csv")
    rows = csv.DictReader(io.StringIO(text))
    return tuple(
        HeldOutRate(run=run, machine=row["machine"], modelled=float(row["modelled"]))
        for run, row in zip(read_runs(text), rows, strict=True)
    )


def _columns() -> tuple[TableColumn[HeldOutRate], ...]:
    source = {"thesis": _("Wikibook"), "blog": _("MacZFS blog")}
    return (
        TableColumn(title=_("Pool"), text=lambda row: describe(row.run.layout)),
        TableColumn(
            title=_("Source"),
            meaning=_("Wikibook: table 2; MacZFS blog: 2 and 3"),
            text=lambda row: source[row.machine],
        ),
        TableColumn(title=_("What"), text=lambda row: _("read") if row.run.metric is Metric.SEQ_READ else _("write")),
        figures(_("MB/s"), "", lambda row: row.run.value / MB, "{:,.0f}"),
        figures(_("Model MB/s"), _("By a model fitted to all other rows"), lambda r: r.modelled / MB, "{:,.0f}"),
        TableColumn(
            title=_("Off (%)"),
            value=lambda row: abs(row.error_percent),
            text=lambda row: f"{row.error_percent:+.1f}",
            number=True,
        ),
    )


_ROW_HEIGHT = 24
_POOL, _SOURCE = 0, 1


class ModelErrorPane(QWidget):
    """``asked`` sends the name of the source table to open for the selected row, ``failed`` why there are no rows."""

    asked = Signal(str)
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = ToneLabel("", Tone.MUTED, self, small=True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text.setAccessibleName(_("Error on rows that were left out"))
        self._show_table = lay.button(_("Show the table"), self, self._ask, icon="tables")
        self._show_table.setEnabled(False)
        head = lay.row((self.text, 1), (self._show_table, 0, Qt.AlignmentFlag.AlignTop))
        self.model: RowModel[HeldOutRate] = RowModel(_columns(), self)
        self.table = self._make_table()
        lay.column(head, (self.table, 1), of=self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self.model.rowCount():
            try:
                self._show(held_out_rates())
            except EnvironmentFailure as error:
                self.failed.emit(error.text)

    def _make_table(self) -> QTableView:
        view = plain_table(_("Measured rows"), self.model, self, row_height=_ROW_HEIGHT)
        view.setMinimumHeight(12 * _ROW_HEIGHT)
        header = view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_POOL, QHeaderView.ResizeMode.Stretch)
        header.setStyleSheet(SORT_MARK)
        view.selectionModel().selectionChanged.connect(self._on_selected)
        return view

    def _show(self, rows: tuple[HeldOutRate, ...]) -> None:
        self.model.show_rows(rows)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(_SOURCE, Qt.SortOrder.DescendingOrder)
        reads, writes = (_errors(rows, metric) for metric in (Metric.SEQ_READ, Metric.SEQ_WRITE))
        self.text.setText(
            _(
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
            self.asked.emit(_TABLES[self.model.row(index.row()).machine])


def _errors(rows: tuple[HeldOutRate, ...], metric: Metric) -> list[float]:
    return [abs(row.error_percent) for row in rows if row.run.metric is metric]
