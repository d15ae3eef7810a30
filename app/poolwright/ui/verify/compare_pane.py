"""Runs side by side: each test in per cent of the first run, as a chart and a table, and run after run over time."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHeaderView, QSplitter, QWidget

from poolwright.bench.charts.side_by_side import over_time_chart, per_cent_chart, run_names
from poolwright.bench.judging.side_by_side import MOST_RUNS, ComparedTest, alike, in_order, side_by_side
from poolwright.bench.judging.verdict_words import value_words
from poolwright.bench.record import RunRecord
from poolwright.emit.chart import Chart
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.place import ChartPlace

_PLOT_LEAST = 31 * GRID  # with what chooses it and what is told of it


class RunsComparePane(QWidget):
    """The oldest of the runs is the first, of which the others are per cents."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(tell("How runs are compared"))
        self.choice.currentIndexChanged.connect(self._show)
        self.said = ToneLabel("", Tone.MUTED, self)
        self.said.setAccessibleName(tell("What is compared"))
        self.place = ChartPlace(
            tell("Point at a mark for its values."), self, missing=tell("Tick runs in “Runs” and press Compare.")
        )
        self.table = RowModel[ComparedTest]((), self, key=_name)
        self.view = plain_table(tell("Tests of the runs"), self.table, self)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.setChildrenCollapsible(False)
        split.addWidget(self.place)
        split.addWidget(self.view)
        split.setStretchFactor(0, 2)
        split.setStretchFactor(1, 1)
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
        self.choice.blockSignals(True)
        self.choice.clear()
        if len(ordered) <= MOST_RUNS:
            self.choice.addItem(tell("In per cent of the first"), per_cent_chart(tests, names))
        over_time = over_time_chart(tests, ordered) if alike(ordered) else None
        if over_time is not None:
            self.choice.addItem(tell("Run after run"), over_time)
        self.choice.blockSignals(False)
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


def _name(test: ComparedTest) -> str:
    return test.name


def _title(test: ComparedTest) -> str:
    return test.title


def _columns(names: Sequence[str]) -> tuple[TableColumn[ComparedTest], ...]:
    first: TableColumn[ComparedTest] = TableColumn(title=tell("Test"), text=_title)
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
