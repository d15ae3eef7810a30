"""The charts of a comparison, the front of all layouts with the designs compared among them, and their commands."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.compare import Comparison
from poolwright.design.compared import ComparedDesign
from poolwright.emit.comparison_charts import Against, comparison_charts, layout_words
from poolwright.texts import _
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ScrolledRows
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.theme import GRID
from poolwright.ui.plots.place import ChartHolder, FrontHolder

_TWO_FROM = 120 * GRID  # bars lie on their side: names on the left, values on the right of them


class ChartsPane(ScrolledRows):
    """Capacity, speed, risk, rebuild and cost as charts. ``failed`` says why a file was not written."""

    failed = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(_("Charts"), parent)
        self.places: dict[str, ChartHolder] = {}
        self._holder = QWidget(self)
        self._grid = lay.grid(of=self._holder, gap=2 * GRID)
        self.setWidget(self._holder)
        self._holder.setAutoFillBackground(False)

    def show_comparison(self, comparison: Comparison | None) -> None:
        charts = {chart.stem: chart for chart in (comparison_charts(comparison) if comparison is not None else ())}
        for stem in [stem for stem in charts if stem not in self.places]:
            place = self.places[stem] = ChartHolder("", self._holder, lines=2)
            place.failed.connect(self.failed)
        for stem, place in self.places.items():
            chart = charts.get(stem)
            place.say(_("{chart}, with the band of what is predicted.", chart=chart.title) if chart else "")
            place.show_chart(chart)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put two charts side by side where there is room."""
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        across = 2 if self.width() >= _TWO_FROM else 1
        for place in self.places.values():
            self._grid.removeWidget(place)
        for column in range(2):
            self._grid.setColumnStretch(column, int(column < across))
        shown = [place for place in self.places.values() if place.chart is not None]
        for number, place in enumerate(shown):
            self._grid.addWidget(place, number // across, number % across)


class FrontPane(QWidget):
    """All layouts of the ranking with those compared marked. ``picked`` sends a layout that should be compared too.

    ``failed`` says why a file was not written. Hidden where there is no ranking.
    """

    picked = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: Recommendation | None = None
        self._selected: Candidate | None = None
        self._usual = _("Each dot is a layout, letters are the designs compared. Click a dot to compare it too.")
        self.front = FrontHolder(self._usual, Against.RISK, self)
        self.front.picked.connect(self.select)
        self.front.failed.connect(self.failed)
        self.take = lay.button(_("Compare this layout"), self, self._on_take, icon="add")
        self.front.head.insertWidget(2, self.take, 0, Qt.AlignmentFlag.AlignTop)
        lay.column((self.front, 1), of=self)
        self._show()

    def show_front(self, found: Recommendation | None, columns: Sequence[ComparedDesign]) -> None:
        if found is not self._found:
            self._selected = None
        self._found = found
        self.front.show_layouts(found.candidates if found else (), found.best if found else None, columns)
        self._show()

    def select(self, candidate: Candidate) -> None:
        self._selected = candidate
        self._show()

    def _show(self) -> None:
        self.setVisible(self._found is not None)
        self.take.setEnabled(self._selected is not None)
        self.front.select(self._selected)
        self.front.say(layout_words(self._selected) if self._selected is not None else self._usual)

    def _on_take(self) -> None:
        if self._selected is not None:
            self.picked.emit(self._selected)


class CommandsPane(ReportView):
    """How the commands of designs differ. ``wanted`` asks for that when somebody comes to read it."""

    wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(_("Difference of the commands"), parent)
        self._stale = False

    def forget(self) -> None:
        self.show_blocks(())
        self._stale = True
        if self.isVisible():
            self._ask()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask()

    def _ask(self) -> None:
        stale, self._stale = self._stale, False
        if stale:
            self.wanted.emit()
