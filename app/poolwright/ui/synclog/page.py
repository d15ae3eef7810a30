"""Synchronous writes in a model: the paper's four combinations for the pool that the sliders describe."""

from typing import ClassVar

from PySide6.QtCore import QAbstractItemModel, QTimer
from PySide6.QtWidgets import QComboBox, QHeaderView, QLabel, QTableView, QTextBrowser, QWidget

from poolwright import paths
from poolwright.design.sync_advice import sync_forecast
from poolwright.domain.shown import html_escaped
from poolwright.domain.units import KIB, binary
from poolwright.jobs.asking import Asking
from poolwright.jobs.sliced_job import SlicedJob
from poolwright.predict.synclog.advice import Advice, advise
from poolwright.predict.synclog.compare import LogComparison, compare_in_steps
from poolwright.predict.synclog.model import DEVICES, Device, Drive, Setup
from poolwright.predict.synclog.of_design import setup_of
from poolwright.predict.synclog.paper import paper_rows, reproduce_in_steps
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.flow import Flow
from poolwright.ui.parts.importing import after_importing
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Panes, Place
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.share_delegate import ShareDelegate
from poolwright.ui.parts.theme import GRID, Tone, theme
from poolwright.ui.parts.value_slider import ValueSlider
from poolwright.ui.plots.place import ChartPlace
from poolwright.ui.synclog.load_chart import load_chart
from poolwright.ui.synclog.tables import PaperTable, RunColumn, RunTable

JOB_TARGET = "synclog"
_AFTER_MOVING = 120  # milliseconds: a slider that is dragged asks once it rests
_VIEWS_WIDE_FROM = 118 * GRID
_ROW_HEIGHT = 28
_PAPER_ROW_HEIGHT = 26
_COUNTS = tuple(range(1, 13))
_SYNCS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 100)
_BLOCKS = tuple(kib * KIB for kib in (4, 8, 16, 32, 64))


class SynclogPage(Page):
    """Simulates whenever a control moves. The window stays alive."""

    gap: ClassVar[int] = GRID

    def title(self) -> str:
        return tell("Synchronous writes")

    def sentence(self) -> str:
        return tell("Move the sliders to see how commits of the intent log load the disks. Select a row to draw it.")

    def build(self) -> None:
        """Make the controls, the table and the views."""
        self._asking, self._paper_asking = Asking(self.session.jobs, self), Asking(self.session.jobs, self)
        self._asking.answered.connect(self._on_compared)
        self._asking.failed.connect(self.session.complain)
        self._comparison: LogComparison | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_MOVING)
        self._timer.timeout.connect(self._ask)
        self.body.addLayout(self._make_controls())
        self._runs = RunTable(self)
        self._table = self._make_table(self._runs, tell("The four combinations"))
        # Four rows, the heading and the frame: nothing to scroll.
        self._table.setFixedHeight(5 * _ROW_HEIGHT + GRID)
        header = self._table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(RunColumn.COMBINATION, QHeaderView.ResizeMode.Stretch)
        measured = self._table.fontMetrics().horizontalAdvance
        for column in set(RunColumn) - {RunColumn.COMBINATION}:
            title = self._runs.columns[column].title
            widest = max(measured(title), measured("000,000") if column is RunColumn.IOPS else 0)
            header.resizeSection(column, widest + 2 * GRID)
        self._bars = ShareDelegate(self)
        for column in (RunColumn.IOPS, RunColumn.LATENCY):
            self._table.setItemDelegateForColumn(column, self._bars)
        self._table.selectionModel().currentRowChanged.connect(self._draw)
        self.body.addWidget(self._table)
        self._note = ToneLabel("", Tone.MUTED, self, small=True)
        self._note.setAccessibleName(tell("Where the figures come from"))
        self.body.addWidget(self._note)
        self.body.addWidget(self._make_views(), 1)
        self._ask()
        self._ask_paper()

    def refresh(self) -> None:
        """Fit the advice to the version that designs are made for, and tell whether the design asks anything."""
        asked = self._design_setup() is not None
        self._take.setEnabled(asked)
        why = tell("The volumes, disks, syncs and log device of the current design")
        if not asked:
            why = tell("There is no design with volumes that are written synchronously: see the workload page.")
        self._take.setToolTip(why)
        self._take.setAccessibleDescription(why)
        self._show_advice()

    def recolour(self) -> None:
        """Write the advice in the new colours."""
        self._show_advice()

    @property
    def comparison(self) -> LogComparison | None:
        """Return what is shown; None until the first simulation has ended."""
        return self._comparison

    def _make_controls(self) -> Flow:
        row = Flow(gap=2 * GRID, column=18 * GRID, most=4)
        self.volumes = ValueSlider(tell("Volumes"), _COUNTS, str, self)
        self.disks = ValueSlider(tell("Disks"), _COUNTS, str, self)
        self.every = ValueSlider(tell("Requests per sync"), _SYNCS, str, self)
        self.block = ValueSlider(tell("Block size"), _BLOCKS, _kib, self)
        for slider in (self.volumes, self.disks, self.every, self.block):
            slider.changed.connect(self._timer.start)
            row.addWidget(slider)
        self.disk_kind = self._make_choice(
            row,
            tell("Disks answer"),
            (
                (tell("from their cache"), Drive.CACHED_DISK),
                (tell("after a flush"), Drive.FLUSHED_DISK),
                (tell("as SATA SSDs"), Drive.SSD),
                (tell("as NVMe SSDs"), Drive.NVME),
                (tell("as flash without PLP"), Drive.PLAIN_FLASH),
            ),
        )
        self.log_kind = self._make_choice(
            row,
            tell("Log device"),
            (
                (tell("none"), None),
                (tell("SATA SSD"), Drive.SSD),
                (tell("NVMe SSD"), Drive.NVME),
                (tell("flash without PLP"), Drive.PLAIN_FLASH),
            ),
        )
        self._back = lay.button(
            tell("The paper's setup"),
            self,
            self._show_paper_setup,
            tip=tell("Three volumes on three disks, 4 KiB, a sync after five requests"),
        )
        self._take = lay.button(tell("From the design"), self, self._show_design_setup)
        holder = QWidget(self)
        lay.column(self._take, self._back, of=holder, gap=GRID // 2)
        row.addWidget(holder)
        self._show_paper_setup()
        return row

    def _make_choice(self, row: Flow, name: str, choices: tuple[tuple[str, Drive | None], ...]) -> QComboBox:
        box = QComboBox(self)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setAccessibleName(name)
        box.setToolTip(
            tell(
                "The paper's disks answer from their cache; after a flush means disks of 7200 rpm. PLP: capacitors "
                "that keep a confirmed write in a power cut."
            )
        )
        for text, drive in choices:
            box.addItem(text, drive)
        box.currentIndexChanged.connect(self._timer.start)
        holder = QWidget(self)
        title: QLabel = ToneLabel(name, Tone.MUTED, self, small=True)
        title.setBuddy(box)
        lay.column(title, box, of=holder, gap=GRID // 2)
        row.addWidget(holder)
        return box

    def _make_table(self, model: QAbstractItemModel, name: str) -> QTableView:
        view = plain_table(name, model, self, row_height=_ROW_HEIGHT)
        view.setAlternatingRowColors(False)
        view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        return view

    def _make_views(self) -> Panes:
        self.load = ChartPlace(
            tell("Height is the number of log blocks: grey the one being written, coloured those that wait."), self
        )
        self.load.hint.setAccessibleName(tell("Device under the pointer"))
        self.load.failed.connect(self.session.say)
        self._advice = QTextBrowser(self)
        self._advice.setAccessibleName(tell("What it means for your pool"))
        self._advice.setOpenExternalLinks(True)
        self._advice.document().setDocumentMargin(2 * GRID)
        paper = QWidget(self)
        self._paper = PaperTable(self)
        self._paper_asking.answered.connect(self._paper.show_reproduced)
        self._paper_view = self._make_table(self._paper, tell("The paper's rows"))
        self._paper_view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._paper_view.verticalHeader().setDefaultSectionSize(_PAPER_ROW_HEIGHT)
        self._paper_view.setMaximumHeight(9 * _PAPER_ROW_HEIGHT)
        self._source = ToneLabel(
            tell(
                "Shen, Zhang, Yang 2014, section 3.2: the four gains at fsync=5; none at fsync=1; growth with fsync "
                "drawn only. Two parameters are fitted to the four gains, the disk's 100 MB/s is assumed."
            ),
            Tone.MUTED,
            self,
            small=True,
        )
        lay.column((self._paper_view, 1), self._source, of=paper)
        views = Panes(tell("Views of the model"), _VIEWS_WIDE_FROM, self)
        views.add(tell("Load of the disks"), self.load, Place(rows=2, column_stretch=3, row_stretch=1))
        views.add(tell("The paper's rows"), paper, Place(column=1, column_stretch=2, row_stretch=6))
        views.add(tell("For your pool"), self._advice, Place(row=1, column=1, column_stretch=2, row_stretch=5))
        return views

    def _show_paper_setup(self) -> None:
        given = Setup()
        self.volumes.set_value(given.volumes)
        self.disks.set_value(given.disks)
        self.every.set_value(given.requests_per_sync)
        self.block.set_value(given.block_bytes)
        self.disk_kind.setCurrentIndex(0)
        self.log_kind.setCurrentIndex(0)

    def _design_setup(self) -> Setup | None:
        """Return what the current design asks; None where there is none, or it asks nothing."""
        design = self.session.design
        return None if design is None else setup_of(design)

    def _show_design_setup(self) -> None:
        asked = self._design_setup()
        if asked is None:
            return
        self.volumes.offer(asked.volumes)
        self.disks.offer(asked.disks)
        self.every.offer(asked.requests_per_sync)
        self.block.offer(asked.block_bytes)
        self._choose(self.disk_kind, asked.disk)
        self._choose(self.log_kind, asked.log)

    def _choose(self, box: QComboBox, device: Device | None) -> None:
        kind = next((drive for drive, known in DEVICES.items() if known is device), None)
        box.setCurrentIndex(box.findData(kind))

    def setup_asked(self) -> Setup:
        """Return the question that the controls put."""
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
        work = after_importing("numpy.random", compare_in_steps(self.setup_asked()))
        self._asking.ask(SlicedJob(tell("Simulating log commits"), JOB_TARGET, work, self))

    def _on_compared(self, found: LogComparison) -> None:
        self._comparison = found
        self._runs.show_comparison(found)
        if not self._table.currentIndex().isValid():
            self._table.selectRow(0)  # which draws it
        else:
            self._draw()
        self._show_note(found)
        self._show_advice()

    def _ask_paper(self) -> None:
        path = paths.rules_folder() / "tables" / "fsync_paper.csv"
        try:
            rows = paper_rows(path.read_text(encoding="utf-8"))
        except OSError as error:
            self._source.setText(tell("The paper's table cannot be read: {why}.", why=error.strerror or str(error)))
            return
        work = after_importing("numpy.random", reproduce_in_steps(rows))
        self._paper_asking.ask(SlicedJob(tell("Reproducing the paper"), f"{JOB_TARGET} paper", work, self))

    def _draw(self) -> None:
        row = self._table.currentIndex().row()
        if self._comparison is not None and row >= 0:
            self.load.show_chart(load_chart(self._comparison.runs[row]))

    def _show_note(self, comparison: LogComparison) -> None:
        gain, setup = comparison.gain(), comparison.setup
        device = setup.log or setup.disk
        self._note.setText(
            tell(
                "Last row against first: {low:+.0f} to {high:+.0f} % IOPS. Limit: {limit}. IOPS and latency rest on "
                "the device: {origin}.",
                low=gain.low,
                high=gain.high,
                limit=gain.limit,
                origin=device.origin,
            )
        )

    def _show_advice(self) -> None:
        if self._comparison is None:
            return
        design = self.session.design
        of_design = design is not None and self._design_setup() == self._comparison.setup
        version = design.version if design is not None and of_design else self.session.version
        forecast = sync_forecast(design) if design is not None and of_design else None
        advice = advise(self._comparison, version, forecast)
        told = "".join(_advice_html(one, tell("done by OpenZFS")) for one in advice)
        if design is not None and of_design:
            heading = tell("For the design “{name}” with OpenZFS {version}")
            told = f"<p><i>{html_escaped(heading.format(name=design.name, version=version))}</i></p>{told}"
        self._advice.setHtml(told)


def _kib(size: int) -> str:
    return f"{size // KIB} KiB" if size % KIB == 0 else binary(size)


def _advice_html(advice: Advice, done: str) -> str:
    muted, ok = theme().colour(Tone.MUTED).name(), theme().colour(Tone.OK).name()
    mark = f' <span style="color:{ok}">✓ {html_escaped(done)}</span>' if advice.done else ""
    sources = []
    for source in advice.sources:
        ref, note = html_escaped(tell(source.ref)), html_escaped(f" ({tell(source.note)})" if source.note else "")
        sources.append(f'<a href="{ref}">{_link_text(ref)}</a>{note}' if "://" in ref else ref + note)
    return (
        f'<p style="margin-bottom:2px"><b>{html_escaped(advice.title)}</b>{mark}</p>'
        f'<p style="margin-top:0px; margin-bottom:2px">{html_escaped(advice.text)}</p>'
        f'<p style="margin-top:0px; color:{muted}">{", ".join(sources)}</p>'
    )


def _link_text(address: str) -> str:
    """Return an address of GitHub in short: zfs#6566, or the file's name."""
    *_, repository, kind, number = address.split("/")
    return f"{repository}#{number}" if kind in {"pull", "issues"} else number
