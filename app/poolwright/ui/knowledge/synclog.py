"""Synchronous writes in a model: the paper's four combinations for the pool that the sliders describe."""

from collections.abc import Iterator, Mapping
from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHeaderView, QWidget

from poolwright.design.goals import sync_forecast
from poolwright.domain.units import KIB, binary
from poolwright.emit.model_charts import load_chart
from poolwright.emit.report import TextTone, Words
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import BriefJob
from poolwright.predict.synclog_advice import Advice, LogComparison, advise
from poolwright.predict.synclog_model import DEVICES, POLICIES, Commit, Drive, Placement, Policy, Setup, setup_of
from poolwright.questions import log_commits
from poolwright.texts import N_, _
from poolwright.ui.parts import widgets
from poolwright.ui.parts.form import ValueSlider
from poolwright.ui.parts.panes import Flow, Panes
from poolwright.ui.parts.report_view import Link, ReportView, Shown
from poolwright.ui.parts.table import RowModel, TableColumn, figures, plain_table
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ChoiceBox, ToneLabel
from poolwright.ui.plots.place import ChartHolder
from poolwright.ui.state.session import Session

JOB_TARGET = "synclog"
_AFTER_MOVING = 120  # milliseconds: a slider that is dragged asks once it rests
_VIEWS_WIDE_FROM = 118 * GRID
_ROW_HEIGHT = 28
_COUNTS = tuple(range(1, 13))
_SYNCS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 100)
_BLOCKS = tuple(kib * KIB for kib in (4, 8, 16, 32, 64))


class SynclogPane(QWidget):
    """Simulates whenever a control moves. The window stays alive."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._asking = Asking(session.jobs, self, self._on_compared, session.complain)
        self.comparison: LogComparison | None = None
        self._timer = widgets.single_shot_timer(self, _AFTER_MOVING, self._ask)
        self._answer = widgets.named(ToneLabel("", Tone.TEXT, self, bold=True), _("For your pool"))
        controls = self._make_controls()
        self._runs = RowModel[RunRow](run_columns(), self, key=lambda row: row[0])
        self._table = plain_table(_("The four combinations"), self._runs, self, row_height=_ROW_HEIGHT)
        self._table.setAlternatingRowColors(False)
        # Four rows, the heading and the frame: nothing to scroll.
        self._table.setFixedHeight(5 * _ROW_HEIGHT + GRID)
        header = self._table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(_COMBINATION, QHeaderView.ResizeMode.Stretch)
        measured = self._table.fontMetrics().horizontalAdvance
        for number, column in enumerate(self._runs.columns[_IOPS:], _IOPS):
            widest = max(measured(column.title), measured("000,000") if number == _IOPS else 0)
            header.resizeSection(number, widest + 2 * GRID)
        self._table.selectionModel().currentRowChanged.connect(self._draw)
        self._note = ToneLabel("", Tone.MUTED, self, small=True)
        widgets.column(self._answer, controls, self._table, self._note, (self._make_views(), 1), of=self)
        self._ask()

    def refresh(self) -> None:
        """Fit the advice to the version that designs are made for, and tell whether the design asks anything."""
        has_setup = self._design_setup() is not None
        self._take.setEnabled(has_setup)
        self._take.setAccessibleDescription("" if has_setup else self._why.text())
        self._why.setVisible(not has_setup)
        self._show_advice()

    def _make_controls(self) -> Flow:
        row = Flow(gap=2 * GRID, column=18 * GRID, most=4)
        self.volumes = ValueSlider(_("Volumes"), _COUNTS, str, self)
        self.disks = ValueSlider(_("Disks"), _COUNTS, str, self)
        self.every = ValueSlider(_("Requests per sync"), _SYNCS, str, self)
        self.block = ValueSlider(_("Block size"), _BLOCKS, _kib, self)
        for slider in (self.volumes, self.disks, self.every, self.block):
            slider.changed.connect(self._timer.start)
            row.addWidget(slider)
        answers = {
            Drive.CACHED_DISK: _("from their cache"), Drive.FLUSHED_DISK: _("after a flush"),
            Drive.SSD: _("as SATA SSDs"), Drive.NVME: _("as NVMe SSDs"), Drive.PLAIN_FLASH: _("as flash without PLP"),
        }  # fmt: skip
        logs = {
            None: _("none"), Drive.SSD: _("SATA SSD"), Drive.NVME: _("NVMe SSD"),
            Drive.PLAIN_FLASH: _("flash without PLP"),
        }  # fmt: skip
        self.disk_kind = self._make_choice(row, _("Disks answer"), answers)
        self.log_kind = self._make_choice(row, _("Log device"), logs)
        tip = _("Volumes, disks, syncs and log device of the design")
        self._take = widgets.button(_("From the design"), self, self._show_design_setup, tip=tip)
        self._why = ToneLabel(_("No open design has volumes with sync writes."), Tone.MUTED, self, small=True)
        row.addWidget(self._take)
        row.addWidget(self._why)
        self._show_setup(Setup())
        return row

    def _make_choice(self, row: Flow, name: str, choices: Mapping[Any, str]) -> ChoiceBox:
        box = ChoiceBox(self, name, letters=1)
        box.setToolTip(_("PLP: power-loss protection. After a flush: 7200 rpm."))
        box.offer((text, drive) for drive, text in choices.items())
        box.currentIndexChanged.connect(self._timer.start)
        holder = QWidget(self)
        title = ToneLabel(name, Tone.MUTED, self, small=True)
        title.setBuddy(box)
        widgets.column(title, box, of=holder, gap=GRID // 2)
        row.addWidget(holder)
        return box

    def _make_views(self) -> Panes:
        hint = _("Height: log blocks; grey: being written; coloured: waiting.")
        self.load = ChartHolder(hint, self.session.say, self)
        self._advice = ReportView(_("What it means for your pool"), self, least=0, grows=True)
        self._advice.pressed.connect(QDesktopServices.openUrl)
        views = Panes(_("Views of the model"), _VIEWS_WIDE_FROM, self)
        views.add(_("Load of the disks"), self.load)
        views.add(_("For your pool"), self._advice, below=True)
        return views

    def _design_setup(self) -> Setup | None:
        """Return what the current design asks; None where there is none, or it asks nothing."""
        design = self.session.design
        return None if design is None else setup_of(design)

    def _show_design_setup(self) -> None:
        if (setup := self._design_setup()) is not None:
            self._show_setup(setup)

    def _show_setup(self, setup: Setup) -> None:
        self.volumes.offer(setup.volumes)
        self.disks.offer(setup.disks)
        self.every.offer(setup.requests_per_sync)
        self.block.offer(setup.block_bytes)
        for box, device in ((self.disk_kind, setup.disk), (self.log_kind, setup.log)):
            kind = next((drive for drive, known in DEVICES.items() if known is device), None)
            box.setCurrentIndex(box.findData(kind))

    def setup_asked(self) -> Setup:
        log = self.log_kind.currentData()
        return Setup(
            volumes=self.volumes.value(),
            disks=self.disks.value(),
            requests_per_sync=self.every.value(),
            block_bytes=self.block.value(),
            disk=DEVICES[Drive(self.disk_kind.currentData())],
            log=DEVICES[Drive(log)] if log else None,
        )

    def _ask(self) -> None:
        self._timer.stop()
        self._asking.ask(BriefJob(_("Simulating log commits"), JOB_TARGET, self, log_commits, self.setup_asked()))

    def _on_compared(self, found: LogComparison) -> None:
        self.comparison = found
        self._runs.show_rows(run_rows(found))
        self._table.selectRow(max(0, self._table.currentIndex().row()))
        self._draw()
        gain, setup = found.gain(), found.setup
        device = setup.log or setup.disk
        text = N_("Last row against first: {low:+.0f} to {high:+.0f} % IOPS. Limit: {limit}. Device: {origin}.")
        self._note.setText(_(text, low=gain.low, high=gain.high, limit=gain.limit, origin=device.origin))
        self._show_advice()

    def _draw(self) -> None:
        row = self._table.currentIndex().row()
        if self.comparison is not None and row >= 0:
            self.load.show_chart(load_chart(self.comparison.runs[row]))

    def _show_advice(self) -> None:
        if self.comparison is None:
            return
        design = self.session.design
        of_design = design is not None and self._design_setup() == self.comparison.setup
        version = design.version if design is not None and of_design else self.session.version
        forecast = sync_forecast(design) if design is not None and of_design else None
        advice = advise(self.comparison, version, forecast)
        whose = ""
        if design is not None and of_design:
            whose = _("For the design “{name}” with OpenZFS {version}", name=design.name, version=version)
        self._answer.setText(" ".join(f"{one.title}." for one in advice if not one.done))
        blocks = (block for one in advice for block in _advice_blocks(one))
        self._advice.show_blocks([Words(whose, TextTone.MUTED), *blocks])


def _kib(size: int) -> str:
    return f"{size // KIB} KiB" if size % KIB == 0 else binary(size)


def _advice_blocks(advice: Advice) -> Iterator[Shown]:
    yield Words(advice.title, strong=True)
    yield Words(_("✓ done by OpenZFS") if advice.done else "", TextTone.OK)
    sources = [(_(source.ref), f" ({_(source.note)})" if source.note else "") for source in advice.sources]
    yield Words(advice.text, small="; ".join(ref + note for ref, note in sources if "://" not in ref))
    for ref, note in sources:
        if "://" in ref:
            yield Link(text=_link_text(ref) + note, of=QUrl(ref))


def _link_text(address: str) -> str:
    """Return an address of GitHub in short: zfs#6566, or the file's name."""
    *__, repository, kind, number = address.split("/")
    return f"{repository}#{number}" if kind in {"pull", "issues"} else number


# The four combinations, and the paper's rows beside the model's.

# The combination, more IOPS than the first in per cent, IOPS, latency in ms, requests a commit, skew in per cent.
RunRow = tuple[Policy, float, float, float, float, float]
_COMBINATION, _IOPS, _LATENCY = 0, 1, 3  # columns


def run_rows(comparison: LogComparison) -> list[RunRow]:
    return [
        (policy, comparison.gain_percent(policy), run.iops, run.latency_seconds * 1e3, run.requests_per_commit,
         100 * run.lopsided)
        for policy, run in zip(POLICIES, comparison.runs, strict=True)
    ]  # fmt: skip


def run_columns() -> tuple[TableColumn[RunRow], ...]:
    """Return a column for each number; the best IOPS and latency are marked."""
    commits, mean = _("What a commit takes, how log blocks go round the disks"), _("From request to commit, mean")
    batch, skew = _("Requests a commit takes, mean"), _("Time a disk idles while blocks queue at another")
    gain, all_ = _("More IOPS than the first row"), _("Of all volumes together")
    return (
        TableColumn(title=_("Commits, log blocks"), meaning=commits, text=lambda row: policy_text(row[0])),
        figures("IOPS", all_, lambda row: row[2], "{:,.0f}", best=max),
        figures(_("Gain (%)"), gain, lambda row: row[1], "{:+.1f}"),
        figures(_("Latency (ms)"), mean, lambda row: row[3], "{:.3g}", best=min),
        figures(_("Batch"), batch, lambda row: row[4], "{:.1f}"),
        figures(_("Skew (%)"), skew, lambda row: row[5], "{:.0f}"),
    )


def policy_text(policy: Policy) -> str:
    commit = _("singly") if policy.commit is Commit.PER_REQUEST else _("together")
    where = _("per volume") if policy.placement is Placement.PER_VOLUME else _("global")
    return f"{commit}, {where}"
