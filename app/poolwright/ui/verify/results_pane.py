"""Results that other programs left behind: files and folders, read beside the window, each shown as what it is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from poolwright.bench.charts import histogram_chart, latencies_of, percentile_chart, rates_chart
from poolwright.bench.lanes import lanes_of
from poolwright.domain.errors import UserError
from poolwright.domain.measurement import (
    BenchTool,
    Measurement,
    Recorded,
    latency_of,
    latency_words,
    percentile,
    with_histogram,
)
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.emit.chart import Chart
from poolwright.emit.report import Words, table
from poolwright.jobs.command_job import CommandJob
from poolwright.jobs.job import Asking, JobQueue
from poolwright.predict.number_words import operations_text
from poolwright.store.read_results import OpenedResults, open_results_beside
from poolwright.texts import _, dated, ngettext, numeral, sentence
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.report_view import ReportView, Shown
from poolwright.ui.parts.save_file import ask_files
from poolwright.ui.parts.table import ROW_ROLE, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone, theme
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.plots.lanes_place import PlotStack

# What files of measurements told, as a table: a row for each direction of each job, and for each file passed over.


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """A measurement of a file; a file of curves or facts has none, one that cannot be read has only an error."""

    where: str
    recorded: Recorded | None = None
    measured: Measurement | None = None
    error: UserError | None = None

    @property
    def latency_ns(self) -> int | None:
        """Return what 99 % of the operations stayed below, ns."""
        latency = None if self.measured is None else latency_of(self.measured)
        return None if latency is None else percentile(latency, 99.0)


def rows_of(opened: OpenedResults) -> Iterator[ResultRow]:
    for recorded in opened.recorded:
        if not recorded.measured:
            yield ResultRow(where=recorded.where, recorded=recorded)
        for measured in recorded.measured:
            yield ResultRow(where=recorded.where, recorded=recorded, measured=measured)
    for error in opened.passed_over:
        yield ResultRow(where=error.where or "", error=error)


def _what(row: ResultRow) -> str:
    if row.error is not None:
        return row.error.what
    assert row.recorded is not None
    if row.measured is None:
        return _without_rates(row.recorded)
    one = row.measured
    size = "" if one.block_bytes is None else binary(one.block_bytes)
    words = [one.name, one.pattern or one.direction.value, size]
    if "rw" in (one.pattern or ""):  # whose reads and writes are a row each
        words.insert(2, one.direction.value)
    return " ".join(dict.fromkeys(" ".join(words).split()))


def _without_rates(recorded: Recorded) -> str:
    tool, curves, facts = recorded.tool.value, len(recorded.curves), len(recorded.facts)
    if curves:
        return ngettext("{tool}: {count} curve", "{tool}: {count} curves", curves, tool=tool)
    if facts:
        return ngettext("{tool}: {count} number", "{tool}: {count} numbers", facts, tool=tool)
    return _("{tool}: nothing measured", tool=tool)


def _look(row: ResultRow, role: int) -> object:
    if row.error is None:
        return None
    if role == Qt.ItemDataRole.DecorationRole:
        return icons.icon("block", Tone.BLOCK)
    return theme().colour(Tone.BLOCK) if role == Qt.ItemDataRole.ForegroundRole else None


def _tip(row: ResultRow) -> str:
    return row.error.text if row.error is not None else row.where


def _columns() -> tuple[TableColumn[ResultRow], ...]:
    within = _("Within this, 99 % of the operations ended")
    names: tuple[tuple[str, str, str, Callable[[float], str]], ...] = (
        ("rate", _("Rate"), "", rate_text),
        ("iops", "IOPS", _("Operations a second"), operations_text),
        ("latency_ns", _("99 % within"), within, lambda ns: latency_words(int(ns))),
        ("jobs", _("Jobs"), "", str),
        ("queue_depth", _("Depth"), "", str),
    )
    return (
        TableColumn(title=_("File"), text=lambda row: Path(row.where).name, tip=_tip, look=_look),
        TableColumn(title=_("What"), text=_what, tip=_tip),
        *(_number_column(*column) for column in names),
    )


def _number_column(name: str, title: str, meaning: str, words: Callable[[float], str]) -> TableColumn[ResultRow]:
    def value(row: ResultRow) -> float | None:
        found: float | None = row.latency_ns if name == "latency_ns" else getattr(row.measured, name, None)
        return found

    def text(row: ResultRow) -> str:
        known = value(row)
        return "" if known is None else words(known)

    return TableColumn(title=title, meaning=meaning, text=text, value=value, number=True)


JOB_TARGET = "results"  # for machines
_LARGE = 1_000_000  # from here on what stands behind the point says nothing
_OF_ROOM = ("alloc", "free")  # last words of what `zpool iostat` tells in bytes
_WIDE = 1  # the last column of words
_TABLE = 24 * GRID


class ResultsPane(QWidget):
    """``failed`` sends why nothing could be read, or a file not be written."""

    failed = Signal(str)

    def __init__(self, jobs: JobQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asking = Asking(jobs, self, self.show_results, self.failed)
        self.said = ToneLabel("", Tone.MUTED, self)
        folder = widgets.button(_("Folder…"), self, partial(ask_files, self, self.open, folder=True), icon="open")
        self.said.setText(_("Results of fio, bonnie++, dd, sar or zpool iostat"))
        self.table = RowModel[ResultRow](_columns(), self)
        unsorted = (-1, Qt.SortOrder.AscendingOrder)
        self.view = plain_table(
            _("Results"), self.table, self, stretched=(0, _WIDE), sorted_by=unsorted, selected=self._show_row
        )
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # files of one folder often begin alike
        self.view.horizontalHeader().setResizeContentsPrecision(50)  # rows: there may be thousands
        self.view.setFixedHeight(_TABLE)
        self.plots = PlotStack(_("This result has no curve over time."), self)
        self.plots.failed.connect(self.failed)
        self.detail = ReportView(_("What the file tells"), self, least=0, grows=True)
        head = widgets.row((self.said, 1), *self.plots.menus, folder)
        widgets.column(head, self.view, (self.plots, 1), self.detail, of=self)
        self._shown = (self.view, self.plots, self.detail)
        for part in (*self._shown, *self.plots.menus):
            part.hide()

    @property
    def busy(self) -> bool:
        return self._asking.busy

    def open(self, names: Sequence[str | Path]) -> None:
        paths = [Path(name) for name in names]
        title = _("Reading {files}", files=", ".join(path.name for path in paths[:3]))
        self._asking.ask(CommandJob(title, JOB_TARGET, open_results_beside(paths), self))

    def show_results(self, opened: OpenedResults) -> None:
        told = ngettext("{count} result", "{count} results", len(opened.recorded))
        passed = ngettext("{count} file could not be read", "{count} files could not be read", len(opened.passed_over))
        self.said.setText(sentence(f"{told}, {passed}" if opened.passed_over else told))  # for machines
        for part in self._shown:
            part.show()
        self.table.show_rows(rows_of(opened))
        for column in range(self.table.columnCount()):
            if column > _WIDE:
                self.view.setColumnHidden(column, self.table.is_empty(column))
                self.view.resizeColumnToContents(column)
        self.view.selectRow(0)
        self._show_row()

    def selected(self) -> ResultRow | None:
        row: ResultRow | None = self.view.currentIndex().data(ROW_ROLE)
        return row

    def _show_row(self) -> None:
        row = self.selected()
        recorded = row.recorded if row is not None else None
        self.detail.show_blocks(row_blocks(row) if row is not None else ())
        stem, lanes = (Path(row.where).stem, lanes_of(recorded.curves)) if row and recorded else ("", ())
        self.plots.show_plots(stem, lanes, _charts_of(row, recorded) if row and recorded else ())


def _charts_of(row: ResultRow, recorded: Recorded) -> Iterator[tuple[str, Chart | None]]:
    """Yield how long operations took, or what bonnie++ measured one after the other, as far as it is told."""
    title, stem, one = Path(row.where).name, Path(row.where).stem, row.measured
    if recorded.tool is BenchTool.BONNIE:
        operations = one is not None and not one.rate and bool(one.iops)
        yield _("Rates"), rates_chart(title, recorded.measured, stem, operations=operations)
    latency = None if one is None else with_histogram(one)
    yield _("Latency"), None if latency is None else histogram_chart(title, latency, stem)
    found = latencies_of(recorded.measured)
    yield _("Percentiles"), percentile_chart(_("Percentiles of “{test}”", test=title), found, stem)


def row_blocks(row: ResultRow) -> Iterator[Shown]:
    if row.error is not None:
        yield Words(row.where, strong=True)
        yield Words(row.error.text)
        return
    recorded = row.recorded
    assert recorded is not None
    began = "" if recorded.started is None else f"{dated(recorded.started, '%Y-%m-%d %H:%M:%S')} UTC"  # for machines
    about = [recorded.tool.value, recorded.version, recorded.host, began]
    yield Words(recorded.where, strong=True, small=" · ".join(part for part in about if part))
    yield from map(Words, recorded.notes)
    facts = [(name, _number_words(name, value)) for name, value in recorded.facts]
    options = row.measured.options if row.measured is not None else ()
    for title, pairs in ((_("Numbers"), facts), (_("Options of the job"), options)):
        if pairs:
            yield table((title, ""), pairs)


def _number_words(name: str, value: float) -> str:
    """Return a number of a tool with all its digits; room with its unit, and with no more digits than the tool gave."""
    if name.rpartition(" ")[2] in _OF_ROOM:
        return binary(round(value))
    return numeral(value, ",.0f") if value == round(value) or abs(value) >= _LARGE else numeral(value, ".6g")
