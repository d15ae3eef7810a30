"""The charts of a run: the answer to its question, measured against expected, and how long operations took."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHeaderView, QWidget

from poolwright.bench.charts.answer import answer_charts
from poolwright.bench.charts.latency import histogram_chart, latency_of_test, percentiles_of_test
from poolwright.bench.charts.verdict import over_time_chart, per_cent_chart, run_names, verdict_charts
from poolwright.bench.judging.side_by_side import MOST_RUNS, ComparedTest, alike, in_order, side_by_side
from poolwright.bench.judging.verdict_words import value_words
from poolwright.bench.judging.verdicts import Foretold, RunVerdict
from poolwright.bench.lanes import lanes_of, lanes_of_repeat
from poolwright.bench.record import RunRecord, TestRun
from poolwright.domain.measurement import TimeCurve
from poolwright.domain.steps import Estimate
from poolwright.emit.chart import Chart
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.table import RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.lanes_place import LanesPlace
from poolwright.ui.plots.place import ChartPlace


class RunPlotsPane(ChartPlace):
    """One chart in sight, chosen by its title; those of latency are of one test. A mark is ``of`` its test's name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent, lines=2, missing=tell("Nothing has been measured yet, or nothing that is drawn."))
        self._record: RunRecord | None = None
        self._charts: tuple[Chart, ...] = ()
        self.choice = self._combo(tell("Which plot"))
        self.test = self._combo(tell("Test that is drawn"))
        self.head.insertWidget(0, self.choice, 1)
        self.head.insertWidget(1, self.test, 1)
        self.put_legend_below()
        self.put_hint_below()
        self._show()

    def show_run(self, record: RunRecord, verdict: RunVerdict, foretold: Mapping[str, Foretold]) -> None:
        self._record = record
        self._charts = (*answer_charts(record, foretold), *verdict_charts(record, verdict))
        with _anew(self.choice, self.test):
            for chart in self._charts:
                self.choice.addItem(chart.title, chart)
            if any(latency_of_test(run) is not None for run in record.tests):
                self.choice.addItem(tell("How long operations took"), _histogram)
                self.choice.addItem(tell("Percentiles of latency"), percentiles_of_test)
            for run in record.tests:
                self.test.addItem(run.test.title, run.test.name)
        self._show()

    def show_test(self, name: str) -> None:
        """Draw this test where one test is drawn; emphasise its marks elsewhere."""
        self.test.setCurrentIndex(self.test.findData(name))
        self.select(name)

    def _show(self) -> None:
        what = self.choice.currentData()
        run = self._run()
        one = not isinstance(what, Chart) and what is not None
        self.choice.setVisible(self.choice.count() > 0)
        self.test.setVisible(one and self.test.count() > 1)
        self.say("" if what is None else tell("Point at a mark for its value; click it for its test."))
        if isinstance(what, Chart):
            self.show_chart(what)
        elif what is None or run is None:
            self.show_chart(None)
        else:
            draw: Callable[[TestRun], Chart | None] = what
            self.show_chart(draw(run))

    def _run(self) -> TestRun | None:
        tests = () if self._record is None else self._record.tests
        return next((run for run in tests if run.test.name == self.test.currentData()), None)

    def _combo(self, name: str) -> QComboBox:
        made = _choice(name, self, self._show)
        made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        made.setMinimumContentsLength(12)
        return made


def _choice(name: str, parent: QWidget, chosen: object) -> QComboBox:
    made = lay.named(QComboBox(parent), name)
    made.currentIndexChanged.connect(chosen)
    return made


@contextmanager
def _anew(*boxes: QComboBox) -> Iterator[None]:
    """Fill these boxes with other choices, of which nobody is told while it is done."""
    for box in boxes:
        box.blockSignals(True)
        box.clear()
    yield
    for box in boxes:
        box.blockSignals(False)


def _histogram(run: TestRun) -> Chart | None:
    latency = latency_of_test(run)
    return None if latency is None else histogram_chart(run.test.title, latency)


# A test as it runs, or as it ran: its lanes, and which test and repeat they are of.


class WatchPane(QWidget):
    """Shows what grows while a run goes on; afterwards each repeat of the run can be chosen.

    ``failed`` sends why a file was not written.
    """

    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._record: RunRecord | None = None
        self._bands: dict[str, Estimate] = {}
        self.choice = _choice(tell("Test and repeat that is shown"), self, self._show_chosen)
        self.doing = lay.named(ToneLabel("", Tone.MUTED, self), tell("What is shown"))
        self.lanes = LanesPlace(
            tell("Nothing has been measured yet. Choose a profile and a directory, then press Run."), self
        )
        self.lanes.failed.connect(self.failed)
        self.lanes.head.insertWidget(0, self.doing, 1)
        self.lanes.head.insertWidget(1, self.choice)
        lay.column((self.lanes, 1), of=self)
        self.choice.hide()

    def expect(self, bands: dict[str, Estimate]) -> None:
        """Draw these bands behind the application's curves, by the name of the test."""
        self._bands = bands

    def show_live(self, test: str, title: str, curves: tuple[TimeCurve, ...]) -> None:
        self.choice.hide()
        self.doing.setText(title)
        self.lanes.say_missing(tell("The first values come within seconds."))
        self.lanes.show_lanes(lanes_of(curves, self._bands.get(test)))

    def show_record(self, record: RunRecord) -> None:
        """Show a run; its first repeat is in front, and any other can be chosen."""
        self._record = record
        with _anew(self.choice):
            for at, run in enumerate(record.tests):
                for place, repeat in enumerate(run.repeats):
                    text = tell("{test}, repeat {number}", test=run.test.title, number=repeat.number)
                    self.choice.addItem(text, (at, place))
        self.choice.setVisible(self.choice.count() > 0)
        self.lanes.say_missing(tell("Nothing was recorded over time."))
        self.lanes.stem = f"{record.profile.name}-{record.name}"
        self._show_chosen()

    def show_test(self, name: str) -> None:
        if self._record is None:
            return
        for number in range(self.choice.count()):
            at, place = self.choice.itemData(number)
            if self._record.tests[at].test.name == name and place == 0:
                self.choice.setCurrentIndex(number)
                return

    def _show_chosen(self) -> None:
        chosen = self.choice.currentData()
        if self._record is None or chosen is None:
            self.lanes.show_lanes(())
            return
        run = self._record.tests[chosen[0]]
        repeat = run.repeats[chosen[1]]
        self.doing.setText(repeat.why or tell("It took {seconds:.0f} s", seconds=repeat.seconds))
        self.lanes.show_lanes(lanes_of_repeat(repeat, self._bands.get(run.test.name)))


# Runs side by side: each test in per cent of the first run, as a chart and a table, and run after run over time.

_PLOT_LEAST = 31 * GRID  # with what chooses it and what is told of it


class RunsComparePane(QWidget):
    """The oldest of the runs is the first, of which the others are per cents."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = _choice(tell("How runs are compared"), self, self._show)
        self.said = lay.named(ToneLabel("", Tone.MUTED, self), tell("What is compared"))
        self.place = ChartPlace(
            tell("Point at a mark for its value."), self, missing=tell("Tick runs in “Runs” and press Compare.")
        )
        self.table = RowModel[ComparedTest]((), self, key=lambda test: test.name)
        self.view = plain_table(tell("Tests of the runs"), self.table, self)
        split = lay.split(self, (self.place, 2), (self.view, 1))
        self.place.head.insertWidget(0, self.said, 1)
        self.place.head.insertWidget(1, self.choice)
        self.place.put_legend_below()
        self.place.put_hint_below()
        self.place.setMinimumHeight(_PLOT_LEAST)
        lay.column((split, 1), of=self)
        self.choice.hide()
        self.view.hide()

    def show_runs(self, runs: Sequence[RunRecord]) -> None:
        ordered = in_order(runs)
        tests, names = side_by_side(ordered), run_names(ordered)
        over_time = over_time_chart(tests, ordered) if alike(ordered) else None
        with _anew(self.choice):
            if len(ordered) <= MOST_RUNS:
                self.choice.addItem(tell("In per cent of the first"), per_cent_chart(tests, names))
            if over_time is not None:
                self.choice.addItem(tell("Run after run"), over_time)
        self.choice.setVisible(self.choice.count() > 1)
        same = tell("Against {run}", run=names[0])
        other = tell("Against {run}. The runs are of different profiles.", run=names[0])
        self.said.setText(same if alike(ordered) else other)
        self.table.show_rows(tests, _columns(names))
        header = self.view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.view.show()
        self._show()

    def _show(self) -> None:
        chart = self.choice.currentData()
        self.place.show_chart(chart if isinstance(chart, Chart) else None)


def _columns(names: Sequence[str]) -> tuple[TableColumn[ComparedTest], ...]:
    first: TableColumn[ComparedTest] = TableColumn(title=tell("Test"), text=lambda test: test.title)
    return (first, *(_column(number, name) for number, name in enumerate(names)))


def _column(number: int, name: str) -> TableColumn[ComparedTest]:
    def text(test: ComparedTest) -> str:
        found, percent = test.found[number], test.percent(number)
        if found is None:
            return ""
        value = value_words(test.metric, found.median)
        if not number or percent is None:
            return value
        change = f"{percent:+.1f} %"
        if test.doubt(number):
            return tell("{value} ({change}, cannot tell)", value=value, change=change)
        return f"{value} ({change})"  # for machines

    def tip(test: ComparedTest) -> str:
        if not number or test.told(number):
            return ""
        return test.doubt(number) or tell("Within the spread of the repeats")

    title = tell("First run") if not number else tell("Run {number}", number=number + 1)
    return TableColumn(title=title, meaning=name, text=text, tip=tip, number=True)
