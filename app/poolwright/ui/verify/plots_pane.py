"""The charts of a run: the answer to its question, measured against expected, and how long operations took."""

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QComboBox, QWidget

from poolwright.bench.charts.answer import answer_charts
from poolwright.bench.charts.latency import histogram_chart, latency_of_test, percentiles_of_test
from poolwright.bench.charts.verdict import verdict_charts
from poolwright.bench.judging.expected import Foretold
from poolwright.bench.judging.verdicts import RunVerdict
from poolwright.bench.record import RunRecord, TestRun
from poolwright.emit.chart import Chart
from poolwright.texts import tell
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
        self.choice.currentIndexChanged.connect(self._show)
        self.test.currentIndexChanged.connect(self._show)
        self._show()

    def show_run(self, record: RunRecord, verdict: RunVerdict, foretold: Mapping[str, Foretold]) -> None:
        """Offer the charts of this run, its answer in front."""
        self._record = record
        self._charts = (*answer_charts(record, foretold), *verdict_charts(record, verdict))
        for combo in (self.choice, self.test):
            combo.blockSignals(True)
            combo.clear()
        for chart in self._charts:
            self.choice.addItem(chart.title, chart)
        if any(latency_of_test(run) is not None for run in record.tests):
            self.choice.addItem(tell("How long operations took"), _histogram)
            self.choice.addItem(tell("Percentiles of latency"), percentiles_of_test)
        for run in record.tests:
            self.test.addItem(run.test.title, run.test.name)
        for combo in (self.choice, self.test):
            combo.blockSignals(False)
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
        made = QComboBox(self)
        made.setAccessibleName(name)
        made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        made.setMinimumContentsLength(12)
        return made


def _histogram(run: TestRun) -> Chart | None:
    latency = latency_of_test(run)
    return None if latency is None else histogram_chart(run.test.title, latency)
