"""Earlier runs: those of the library, opened again, compared or put into the bin; and what other programs measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QPushButton, QWidget

from poolwright.bench.charts import (
    histogram_chart,
    latencies_of,
    over_time_chart,
    per_cent_chart,
    percentile_chart,
    rates_chart,
    run_names,
)
from poolwright.bench.judging.side_by_side import MOST_RUNS, ComparedTest, alike, in_order, side_by_side
from poolwright.bench.judging.verdicts import RunVerdict, value_words
from poolwright.bench.lanes import lanes_of
from poolwright.bench.record import RunRecord, time_words
from poolwright.bench.run_file import compared_run, keep_stored, kept_run, raw_bytes, run_archive, stored_run
from poolwright.domain.command import Reading
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError, not_there
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
from poolwright.jobs.job import Asking, JobPhase
from poolwright.predict.number_words import operations_text
from poolwright.process.worker import done_beside
from poolwright.store.library import Runs, StoredRun
from poolwright.store.read_results import OpenedResults, open_results_beside
from poolwright.texts import _, dated, ngettext, numeral, sentence
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.note_lines import Notice
from poolwright.ui.parts.page import when
from poolwright.ui.parts.report_view import ReportView, Shown
from poolwright.ui.parts.save_file import ask_files
from poolwright.ui.parts.table import RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone, theme
from poolwright.ui.parts.widgets import ChoiceBox, ToneLabel
from poolwright.ui.plots.lanes_place import PlotStack
from poolwright.ui.plots.place import ChartHolder, Say
from poolwright.ui.state.session import Session


class RunsPane(QWidget):
    """The runs of the library, of which one is opened or deleted, and those that are ticked are compared."""

    def __init__(self, kept: "KeptRuns", parent: QWidget) -> None:
        super().__init__(parent)
        self._kept = kept
        self.bin = QPushButton(self)
        self._runs: tuple[tuple[StoredRun, ...], tuple[StoredRun, ...]] = ((), ())
        self.ticked: tuple[str, ...] = ()  # in the order in which they were
        self.table = RowModel[StoredRun](self._columns(), self, key=lambda run: run.key)
        newest, chosen = (0, Qt.SortOrder.DescendingOrder), self._show_buttons
        self.view = plain_table(_("Runs"), self.table, self, fitted=True, sorted_by=newest, selected=chosen)
        self.view.horizontalHeader().setStretchLastSection(True)
        self.view.doubleClicked.connect(self._on_open)
        widgets.action(_("Open"), self.view, "Return", self._on_open)
        widgets.action(_("Delete"), self.view, "Del", self._on_delete)
        hint = _("Filter: name, profile, host, pool, design…")
        self.search = widgets.search_line(self, _("Filter the runs"), hint, self._show)
        self._empty = ToneLabel("", Tone.MUTED, self)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.notice = Notice(_("What was deleted"), self)
        self._make_buttons()
        line = widgets.row(self.open, self.compare, self.delete, self.back, self.empty, 1, self.bin)
        widgets.column(self.notice, self.search, (self.view, 1), (self._empty, 1), line, of=self)
        self._show()

    def _columns(self) -> tuple[TableColumn[StoredRun], ...]:
        return (
            TableColumn(
                title=_("Started"), text=lambda run: when(run.made), value=lambda run: run.made,
                ticked=lambda run: None if self.bin.isChecked() else run.key in self.ticked, tick=self._tick,
            ),
            TableColumn(title=_("Profile"), text=lambda run: run.name, tip=lambda run: run.profile),
            TableColumn(title=_("Verdict"), text=lambda run: run.judgement),
            TableColumn(
                title=_("Duration"), text=lambda run: time_words(run.seconds), value=attrgetter("seconds"), number=True
            ),
            TableColumn(title=_("Pool"), text=lambda run: run.pool or ""),
            TableColumn(title=_("Host"), text=lambda run: run.host),
            TableColumn(title=_("Design"), text=lambda run: run.design_name or ""),
        )  # fmt: skip

    def _tick(self, run: StoredRun, wanted: bool) -> bool:
        others = tuple(each for each in self.ticked if each != run.key)
        self.ticked = (*others, run.key) if wanted else others
        self.table.rearrange()
        self._show_buttons()
        return True

    def _make_buttons(self) -> None:
        self.open = widgets.button(_("Open"), self, self._on_open, icon="open")
        self.compare = widgets.button(_("Compare"), self, self._on_compare, icon="compare")
        tip = _("Tick 2 to {most} runs; several of one profile show a trend.", most=MOST_RUNS)
        self.compare.setToolTip(tip)
        self.delete = widgets.button(_("Delete"), self, self._on_delete, icon="delete")
        self.back = widgets.button(_("Put back"), self, self._on_back, icon="undo")
        self.empty = widgets.button(_("Empty the bin…"), self, self._on_empty, icon="delete")
        self.bin.setCheckable(True)
        self.bin.toggled.connect(self._show)

    def refresh(self) -> None:
        in_bin = self._kept.entries(in_bin=True)
        self._runs = (self._kept.entries(), in_bin)
        self.bin.setText(_("Bin ({count})", count=len(in_bin)))
        self.bin.setVisible(bool(in_bin) or self.bin.isChecked())
        if not in_bin and self.bin.isChecked():
            self.bin.setChecked(False)
        self._show()

    def selected(self) -> StoredRun | None:
        return self.table.at(self.view.currentIndex())

    def _show(self) -> None:
        in_bin = self.bin.isChecked()
        listed = self._runs[in_bin]
        found = tuple(run for run in listed if run.has_words(self.search.text()))
        self.search.setVisible(len(listed) > 1)
        there = {run.key for run in listed}
        self.ticked = () if in_bin else tuple(key for key in self.ticked if key in there)
        self.table.show_rows(found)
        self.view.setVisible(self.table.rowCount() > 0)
        for column in (POOL, HOST, DESIGN):
            self.view.setColumnHidden(column, self.table.is_empty(column))
        none = _("No run matches.") if listed else _("No run has been kept yet.")
        self._empty.setText(none)
        self._empty.setVisible(not self.table.rowCount())
        for button in (self.open, self.compare, self.delete):
            button.setVisible(not in_bin and bool(listed))
        for button in (self.back, self.empty):
            button.setVisible(in_bin)
        self._show_buttons()

    def _show_buttons(self) -> None:
        chosen = self.selected() is not None
        for button in (self.open, self.delete, self.back):
            button.setEnabled(chosen)
        count = len(self.ticked)
        profiles = {run.profile for run in self._runs[0] if run.key in self.ticked}
        self.compare.setEnabled(2 <= count <= MOST_RUNS or (count > MOST_RUNS and len(profiles) == 1))

    def _on_open(self) -> None:
        run = self.selected()
        if run is not None and not self.bin.isChecked():
            self._kept.open(run.key)

    def _on_compare(self) -> None:
        self._kept.compare(self.ticked)

    def _on_delete(self) -> None:
        run = self.selected()
        if run is not None and not self.bin.isChecked():
            self._kept.change(lambda runs: runs.delete(run.key))
            put_back = partial(self._do, lambda runs: runs.put_back(run.key))
            self.notice.show_text(_("“{name}” is in the bin.", name=run.name), action=_("Put back"), does=put_back)

    def _on_back(self) -> None:
        run = self.selected()
        if run is not None:
            self._kept.change(lambda runs: runs.put_back(run.key))

    def _on_empty(self) -> None:
        count = len(self._runs[1])
        text = ngettext("{count} run is deleted for good.", "{count} runs are deleted for good.", count)
        self.notice.show_text(text, Tone.WARN, action=_("Empty the bin"), does=partial(self._do, Runs.empty_bin))

    def _do(self, what: Callable[[Runs], object]) -> None:
        self.notice.hide()
        self._kept.change(what)


POOL, HOST, DESIGN = 4, 5, 6  # columns that are shown where a run has such


# Keeps each run in the library, and gives back what it kept. What goes wrong is told, and the window goes on.

JOB_TARGET = "kept runs"  # for machines
PACKED = 8  # times smaller than what the tools printed, about
_T = TypeVar("_T")
_Reader = Callable[[str, Path], RunRecord | None]


class KeptRuns(QObject):
    """``changed`` follows every change of what is kept; ``read`` sends the runs that `open` or `compare` asked for."""

    changed = Signal()
    read = Signal(object)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._keeping: dict[CommandJob, tuple[StoredRun, RunRecord]] = {}
        self._asking = Asking(session.jobs, self, self.read, session.complain)

    def entries(self, *, in_bin: bool = False) -> tuple[StoredRun, ...]:
        return self._ask(lambda runs: runs.entries(deleted=in_bin)) or ()

    def keep(self, record: RunRecord, verdict: RunVerdict, design: Design | None) -> None:
        run = stored_run(record, verdict, design)
        job = CommandJob(_("Keeping the run"), JOB_TARGET, _kept(run, record, self._session.library.path), self)
        self._keeping[job] = (run, record)
        job.ended.connect(self._on_kept)
        self._session.jobs.add(job)

    def open(self, key: str) -> None:
        self._read((key,), kept_run)

    def compare(self, keys: Sequence[str]) -> None:
        self._read(keys, compared_run)

    def change(self, what: Callable[[Runs], object]) -> None:
        """Put runs into the bin or out of it, or empty it."""
        self._ask(what)
        self.changed.emit()

    def _on_kept(self) -> None:
        job = widgets.sent(self, CommandJob)
        run, record = self._keeping.pop(job)
        if job.state.phase is JobPhase.CANCELLED:
            # The window may be closing: what was measured is kept all the same.
            self._ask(lambda runs: runs.keep(run, run_archive(record)))
        elif job.state.phase is JobPhase.FAILED:
            self._session.complain(job.state.error_text)
        self.changed.emit()

    def _read(self, keys: Sequence[str], read: _Reader) -> None:
        sizes = {run.key: run.size for run in self.entries()}
        asked = {key: sizes.get(key, 0) for key in keys}
        reading = _runs_of(asked, self._session.library.path, read)
        self._asking.ask(CommandJob(_("Reading the runs"), JOB_TARGET, reading, self))

    def _ask(self, what: Callable[[Runs], _T]) -> _T | None:
        return self._session.library.use(lambda database: what(Runs(database)))


def packed(record: RunRecord) -> Reading[bytes]:
    return (yield from done_beside(raw_bytes(record), run_archive, record))


def _kept(run: StoredRun, record: RunRecord, path: Path) -> Reading[StoredRun]:
    return (yield from done_beside(raw_bytes(record), keep_stored, run, record, path))


def _runs_of(sizes: Mapping[str, int], path: Path, read: _Reader) -> Reading[tuple[RunRecord, ...]]:
    found: tuple[RunRecord, ...] = ()
    for key, size in sizes.items():
        run = yield from done_beside(PACKED * size, read, key, path)
        if run is None:
            raise not_there(key, where=str(path))
        found = (*found, run)
    return found


# Runs side by side: each test in per cent of the first run, as a chart and a table, and run after run over time.

_PLOT_LEAST = 31 * GRID  # with what chooses it and what is told of it


class RunsComparePane(QWidget):
    """The oldest of the runs is the first, of which the others are per cents."""

    def __init__(self, complain: Say, parent: QWidget) -> None:
        super().__init__(parent)
        self.choice = ChoiceBox(self, _("How runs are compared"))
        self.choice.currentIndexChanged.connect(self._show)
        self.said = widgets.named(ToneLabel("", Tone.MUTED, self), _("What is compared"))
        self.place = ChartHolder(_("Point at a mark for its value."), complain, self, below=True)
        self.table = RowModel[ComparedTest]((), self, key=lambda test: test.name)
        self.view = plain_table(_("Tests of the runs"), self.table, self)
        split = widgets.split(self, (self.place, 2), (self.view, 1))
        self.place.head.insertWidget(0, self.said, 1)
        self.place.head.insertWidget(1, self.choice)
        self.place.setMinimumHeight(_PLOT_LEAST)
        widgets.column((split, 1), of=self)
        self.hide()

    def show_runs(self, runs: Sequence[RunRecord]) -> None:
        ordered = in_order(runs)
        tests, names = side_by_side(ordered), run_names(ordered)
        over_time = over_time_chart(tests, ordered) if alike(ordered) else None
        per_cent = per_cent_chart(tests, names) if len(ordered) <= MOST_RUNS else None
        charts = ((_("In per cent of the first"), per_cent), (_("Run after run"), over_time))
        self.choice.offer((title, chart) for title, chart in charts if chart is not None)
        self.choice.setVisible(self.choice.count() > 1)
        same = _("Against {run}", run=names[0])
        other = _("Against {run}. The runs are of different profiles.", run=names[0])
        self.said.setText(same if alike(ordered) else other)
        self.table.show_rows(tests, _columns(names))
        header = self.view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.show()
        self._show()

    def _show(self) -> None:
        self.place.show_chart(self.choice.currentData())


def _columns(names: Sequence[str]) -> tuple[TableColumn[ComparedTest], ...]:
    first: TableColumn[ComparedTest] = TableColumn(title=_("Test"), text=lambda test: test.title)
    return (first, *(_column(number, name) for number, name in enumerate(names)))


def _column(number: int, name: str) -> TableColumn[ComparedTest]:
    def text(test: ComparedTest) -> str:
        found, percent = test.found[number], test.percent(number)
        if found is None:
            return ""
        value = value_words(test.metric, found.median)
        if not number or percent is None:
            return value
        change = numeral(percent, "+.1f", "%")
        if test.doubt(number):
            return _("{value} ({change}, cannot be judged)", value=value, change=change)
        return f"{value} ({change})"  # for machines

    def tip(test: ComparedTest) -> str:
        if not number or test.told(number):
            return ""
        return test.doubt(number) or _("Within the spread of the repeats")

    title = _("First run") if not number else _("Run {number}", number=number + 1)
    return TableColumn(title=title, meaning=name, text=text, tip=tip, number=True)


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


def _result_columns() -> tuple[TableColumn[ResultRow], ...]:
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


_OF_FILES = "results"  # for machines
_LARGE = 1_000_000  # from here on what stands behind the point says nothing
_OF_ROOM = ("alloc", "free")  # last words of what `zpool iostat` tells in bytes
_WIDE = 1  # the last column of words
_TABLE = 24 * GRID


class ResultsPane(QWidget):
    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._asking = Asking(session.jobs, self, self.show_results, session.complain)
        self.said = ToneLabel("", Tone.MUTED, self)
        folder = widgets.button(_("Folder…"), self, partial(ask_files, self, self.open, folder=True), icon="open")
        self.said.setText(_("Results of fio, bonnie++, dd, sar or zpool iostat"))
        self.table = RowModel[ResultRow](_result_columns(), self)
        unsorted = (-1, Qt.SortOrder.AscendingOrder)
        self.view = plain_table(
            _("Results"), self.table, self, stretched=(0, _WIDE), sorted_by=unsorted, selected=self._show_row
        )
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # files of one folder often begin alike
        self.view.horizontalHeader().setResizeContentsPrecision(50)  # rows: there may be thousands
        self.view.setFixedHeight(_TABLE)
        self.plots = PlotStack(_("This result has no curve over time."), session.complain, self)
        self.detail = ReportView(_("What the file tells"), self, least=0, grows=True)
        head = widgets.row((self.said, 1), *self.plots.menus, folder)
        widgets.column(head, self.view, (self.plots, 1), self.detail, of=self)
        self._shown = (self.view, self.plots, self.detail)
        for part in (*self._shown, *self.plots.menus):
            part.hide()

    def open(self, names: Sequence[str | Path]) -> None:
        paths = [Path(name) for name in names]
        title = _("Reading {files}", files=", ".join(path.name for path in paths[:3]))
        self._asking.ask(CommandJob(title, _OF_FILES, open_results_beside(paths), self))

    def show_results(self, opened: OpenedResults) -> None:
        results = ngettext("{count} result", "{count} results", len(opened.recorded))
        passed = ngettext("{count} file could not be read", "{count} files could not be read", len(opened.passed_over))
        self.said.setText(sentence(f"{results}, {passed}" if opened.passed_over else results))  # for machines
        for part in self._shown:
            part.show()
        self.table.show_rows(rows_of(opened))
        for column in range(self.table.columnCount()):
            if column > _WIDE:
                self.view.setColumnHidden(column, self.table.is_empty(column))
                self.view.resizeColumnToContents(column)
        self.view.selectRow(0)
        self._show_row()

    def _show_row(self) -> None:
        row = self.table.at(self.view.currentIndex())
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
