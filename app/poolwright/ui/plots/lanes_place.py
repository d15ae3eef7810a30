"""Holds lane plots: what is under the pointer, a switch for each curve, a menu to save them; charts stand behind."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from poolwright.bench.charts import lane_chart, lanes_legend
from poolwright.bench.lanes import Lane, lanes_csv
from poolwright.emit.chart import Chart, chart_drawing
from poolwright.emit.drawing import Drawing, stacked
from poolwright.texts import _
from poolwright.ui.parts import widgets
from poolwright.ui.parts.theme import GRID
from poolwright.ui.parts.widgets import ChoiceBox
from poolwright.ui.plots.place import ChartHolder, PlotHolder, PlotMenu, Say

if TYPE_CHECKING:
    from poolwright.ui.plots.time_lanes import TimeLanes


class LanesHolder(PlotHolder):
    plot: "TimeLanes | None"

    def __init__(self, missing: str, complain: Say, parent: QWidget, *, low: bool = False) -> None:
        """``low`` lanes have no legend, and their values beside them."""
        super().__init__(missing, _("Copy or save the curves"), complain, parent, lines=1 if low else 2)
        self.stem, self._low = "lanes", low
        self.lanes: tuple[Lane, ...] = ()
        # Legend and hint go below the curves, so that a low window still shows the curves.
        self._column.addWidget(self.legend)
        self._column.addWidget(self.hint)
        self.show_lanes(())

    def show_lanes(self, lanes: Sequence[Lane]) -> None:
        self.lanes = tuple(lanes)
        self.legend.show_chart(None if self._low else lanes_legend(self.lanes))
        self._missing.setVisible(not lanes)
        self._begin()
        if self.plot is not None:
            self.menu.stem = self.stem
            self.menu_button.setEnabled(bool(lanes))
            self.plot.setVisible(bool(lanes))
            self.plot.show_lanes(self.lanes)

    def _is_wanted(self) -> bool:
        return bool(self.lanes)

    def _drawing(self) -> Drawing:
        between = self.plot.shown_seconds if self.plot is not None else (None, None)
        charts = [lane_chart(lane, *between, stem=self.stem).without(self.legend.off) for lane in self.lanes]
        return stacked([chart_drawing(chart) for chart in charts], self.stem)

    def _make(self) -> None:
        from poolwright.ui.plots.time_lanes import TimeLanes  # noqa: PLC0415

        if self.plot is not None:
            return
        self.plot = TimeLanes(self, low=self._low)
        self.plot.hovered.connect(self.hint.setText)
        view, show_all = self.plot.view, (_("Show all"), self.plot.show_all)
        self.menu = PlotMenu(view, self.complain, self, lambda: lanes_csv(self.lanes), self._drawing, show_all)
        self._stand(self.plot, self.menu)
        self.show_lanes(self.lanes)


_PLOT_LEAST = 35 * GRID  # with its legend and what is under the pointer


class PlotStack(QWidget):
    """The course of a thing over time and its charts, one in sight, chosen by its title.

    ``menus`` stand where its owner puts them.
    """

    def __init__(self, missing: str, complain: Say, parent: QWidget, *, low: bool = False) -> None:
        super().__init__(parent)
        self.lanes = LanesHolder(missing, complain, self, low=low)
        self.chart = ChartHolder(_("Point at a mark for its value."), complain, self, below=True)
        self.chart.least_height = _PLOT_LEAST
        self.menus = (self.lanes.menu_button, self.chart.menu_button)
        self.choice = ChoiceBox(self, _("Which plot"))
        self.choice.currentIndexChanged.connect(self._show)
        widgets.column(self.choice, (self.lanes, 1), (self.chart, 1), of=self)
        self.show_plots("", (), ())

    def show_plots(self, stem: str, lanes: Sequence[Lane], charts: Iterable[tuple[str, Chart | None]]) -> None:
        """Show these; where the same was chosen before it stays in sight."""
        self.lanes.stem = stem
        there = ((title, chart) for title, chart in charts if chart is not None)
        self.choice.offer(((_("Over time"), None), *there), self.choice.currentText())
        self.choice.setVisible(self.choice.count() > 1)
        self.lanes.show_lanes(lanes)
        self._show()

    def _show(self) -> None:
        chart = self.choice.currentData()
        self.chart.show_chart(chart)
        self.lanes.setVisible(chart is None)
        for menu, shown in zip(self.menus, (chart is None, chart is not None), strict=True):
            menu.setVisible(shown)
