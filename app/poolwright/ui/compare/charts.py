"""The heads of the columns that are compared, and what is folded below them: their charts and commands."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from poolwright.design.compare import Comparison
from poolwright.design.compared import ComparedDesign
from poolwright.domain.vdev import short_words
from poolwright.emit.comparison_charts import LETTERS, comparison_charts
from poolwright.texts import _
from poolwright.ui.parts import lay
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.pool_picture import PoolPicture
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.place import ChartHolder

_CHART, CHART_HEIGHT = 56 * GRID, 34 * GRID


class ChartsPane(QWidget):
    """Capacity, speed, risk, rebuild and cost as charts. ``failed`` says why a file was not written."""

    failed = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.places: dict[str, ChartHolder] = {}
        self._flow = Flow(self, gap=2 * GRID, column=_CHART, most=2)

    def show_comparison(self, comparison: Comparison | None) -> None:
        charts = {chart.stem: chart for chart in (comparison_charts(comparison) if comparison is not None else ())}
        for stem in [stem for stem in charts if stem not in self.places]:
            place = self.places[stem] = ChartHolder("", self, lines=2)
            place.setMinimumHeight(CHART_HEIGHT)
            place.failed.connect(self.failed)
            self._flow.addWidget(place)
        for stem, place in self.places.items():
            chart = charts.get(stem)
            place.say(_("{chart}, with the band of what is predicted.", chart=chart.title) if chart else "")
            place.show_chart(chart)


class ColumnHeads(QWidget):
    """The designs compared with their letter, name, layout and picture, over the columns of the values."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._row = lay.row(of=self, gap=2 * GRID)
        self._cards: list[Card] = []

    def show_columns(self, columns: Sequence[ComparedDesign]) -> None:
        for old in self._cards:
            self._row.removeWidget(old)
            old.deleteLater()
        self._cards = [self._card(number, column) for number, column in enumerate(columns)]
        for card in self._cards:
            self._row.addWidget(card, 1)
        self.setVisible(bool(columns))

    def _card(self, number: int, column: ComparedDesign) -> Card:
        card, layout = Card(self), column.evaluation.design.layout() if column.evaluation is not None else ()
        name = ToneLabel(f"{LETTERS[number]}  {column.title}", Tone.TEXT, card, bold=True)
        words = ToneLabel(short_words(layout) if layout else column.layout, Tone.MUTED, card, small=True)
        picture = PoolPicture(card, height=6 * GRID)
        picture.show_layout(layout)
        for part in (name, words, picture):
            card.body.addWidget(part)
        card.body.addStretch(1)
        return card


class CommandsPane(ReportView):
    """How the commands of designs differ. ``wanted`` asks for that when somebody comes to read it."""

    wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(_("Difference of the commands"), parent, least=0, grows=True)
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
