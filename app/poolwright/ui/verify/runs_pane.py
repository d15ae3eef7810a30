"""The runs of the library: the latest first, opened again, compared, put into the bin; and the bin itself."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QPushButton, QWidget

from poolwright.bench.charts import over_time_chart, per_cent_chart, run_names
from poolwright.bench.judging.side_by_side import MOST_RUNS, ComparedTest, alike, in_order, side_by_side
from poolwright.bench.judging.verdicts import RunVerdict, value_words
from poolwright.bench.record import RunRecord, time_words
from poolwright.bench.run_file import compared_run, keep_stored, kept_run, raw_bytes, run_archive, stored_run
from poolwright.domain.command import Reading
from poolwright.domain.design import Design
from poolwright.domain.errors import not_there
from poolwright.emit.chart import Chart
from poolwright.jobs.command_job import CommandJob
from poolwright.jobs.job import Asking, JobPhase
from poolwright.process.worker import done_beside
from poolwright.store.library import Runs, StoredRun
from poolwright.texts import _, ngettext, numeral
from poolwright.ui.parts import widgets
from poolwright.ui.parts.note_lines import Notice
from poolwright.ui.parts.page import when
from poolwright.ui.parts.table import ROW_ROLE, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ChoiceBox, ToneLabel
from poolwright.ui.plots.place import ChartHolder
from poolwright.ui.state.session import Session


class RunsPane(QWidget):
    """The runs of the library, of which one is opened or deleted, and those that are ticked are compared."""

    def __init__(self, kept: "KeptRuns", parent: QWidget) -> None:
        super().__init__(parent)
        self._kept = kept
        self._last: str | None = None
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
        self.notice.pressed.connect(self._on_notice)
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
        run: StoredRun | None = self.view.currentIndex().data(ROW_ROLE)
        return run

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
            self._last = run.key
            self._kept.change(lambda runs: runs.delete(run.key))
            self.notice.show_text(_("“{name}” is in the bin.", name=run.name), action=_("Put back"))

    def _on_back(self) -> None:
        run = self.selected()
        if run is not None:
            self._kept.change(lambda runs: runs.put_back(run.key))

    def _on_empty(self) -> None:
        count = len(self._runs[1])
        text = ngettext("{count} run is deleted for good.", "{count} runs are deleted for good.", count)
        self._last = None
        self.notice.show_text(text, Tone.WARN, action=_("Empty the bin"))

    def _on_notice(self) -> None:
        self.notice.hide()
        key = self._last
        self._kept.change(lambda runs: runs.put_back(key) if key is not None else runs.empty_bin())


POOL, HOST, DESIGN = 4, 5, 6  # columns that are shown where a run has such


# Keeps each run in the library, and gives back what it kept. What goes wrong is told, and the window goes on.

JOB_TARGET = "kept runs"  # for machines
PACKED = 8  # times smaller than what the tools printed, about
_T = TypeVar("_T")
_Reader = Callable[[str, Path], RunRecord | None]


class KeptRuns(QObject):
    """``changed`` follows every change of what is kept, ``failed`` sends why something could not be done.

    ``read`` sends the runs, a tuple, that `open` or `compare` asked for.
    """

    changed = Signal()
    failed = Signal(str)
    read = Signal(object)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._keeping: dict[CommandJob, tuple[StoredRun, RunRecord]] = {}
        self._asking = Asking(session.jobs, self, self.read, self.failed)

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
            self.failed.emit(job.state.error_text)
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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = ChoiceBox(self, _("How runs are compared"))
        self.choice.currentIndexChanged.connect(self._show)
        self.said = widgets.named(ToneLabel("", Tone.MUTED, self), _("What is compared"))
        self.place = ChartHolder(_("Point at a mark for its value."), self, below=True)
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
        chart = self.choice.currentData()
        self.place.show_chart(chart if isinstance(chart, Chart) else None)


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
