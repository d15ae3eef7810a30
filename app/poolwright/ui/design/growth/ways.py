"""The usual ways to make room, side by side, with a button to take one over as the plan."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QAbstractItemView, QSpinBox, QWidget

from poolwright.changes.growth.plan import GrowthQuestion
from poolwright.changes.growth.strategies import Strategy, strategies
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.design.growth.words import day_text
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import GRID, Tone

_DEFAULT_YEARS, _MOST_YEARS = 5, 25


class GrowthWays(RowModel[Strategy]):
    """Shows strategies side by side; the cheapest that is enough is marked in words."""

    def __init__(self, parent: QObject | None = None) -> None:
        columns: tuple[TableColumn[Strategy], ...] = (
            TableColumn(title=tell("Way"), text=lambda way: way.name),
            TableColumn(title=tell("Verdict"), text=self._verdict),
            TableColumn(title=tell("80 % on"), text=lambda way: day_text(way.lasts_until), number=True),
            TableColumn(title=tell("Steps"), text=lambda way: str(len(way.steps)), number=True),
            TableColumn(title=tell("Disks"), text=lambda way: str(way.disks), number=True),
            TableColumn(title=tell("Spent"), text=lambda way: "" if way.spent is None else str(way.spent), number=True),
            TableColumn(title=tell("Usable then"), text=_usable, number=True),
        )
        super().__init__(columns, parent)

    def _verdict(self, way: Strategy) -> str:
        if not way.enough:
            return tell("not enough")
        prices = [other.spent for other in self.rows if other.enough and other.spent is not None]
        alike = len({price.currency for price in prices}) == 1
        if way.spent is not None and len(prices) > 1 and alike and way.spent == min(prices):
            return tell("enough, cheapest")
        return tell("enough")


def _usable(way: Strategy) -> str:
    return binary(way.plan.stages[-1].capacity.available_bytes)


class GrowthPlanWays(QWidget):
    """``taken`` sends the steps of the chosen way."""

    taken = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked: tuple[Design, GrowthQuestion] | None = None
        self.model = GrowthWays(self)
        self.hint = ToneLabel("", Tone.MUTED, self)
        self.years = QSpinBox(self)
        self.years.setRange(1, _MOST_YEARS)
        self.years.setValue(_DEFAULT_YEARS)
        self.years.setPrefix(tell("enough for "))
        self.years.setSuffix(tell(" years"))
        self.years.setAccessibleName(tell("Years that the room has to be enough for"))
        self.years.valueChanged.connect(self._on_years)
        self.take = lay.button(tell("Take this way"), self, self._on_take, icon="ok")
        self.view = plain_table(tell("Usual ways to grow"), self.model, self)
        self.view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        self.view.activated.connect(self._on_take)
        lay.column(lay.row((self.hint, 1), self.years, self.take), (self.view, 1), of=self, around=(0, GRID, 0, 0))

    def show_design(self, design: Design, question: GrowthQuestion) -> None:
        self._asked = (design, question)
        known = question.growth is not None and question.used_bytes is not None
        self.hint.setText(
            tell("Each way with as many steps as it needs. Prices are those of the budget page.")
            if known
            else tell("Say above how much is stored and how fast it grows; until then no way needs a step.")
        )
        try:
            ways = strategies(design, question, years=float(self.years.value()))
        except PoolwrightError as error:
            ways = ()
            self.hint.setText(error.text)
        self.model.show_rows(ways)
        self.view.resizeColumnsToContents()
        self._on_row()

    def _on_years(self) -> None:
        if self._asked is not None:
            self.show_design(*self._asked)

    def _on_row(self) -> None:
        row = self.view.currentIndex().row()
        self.take.setEnabled(0 <= row < len(self.model.rows))

    def _on_take(self) -> None:
        row = self.view.currentIndex().row()
        if 0 <= row < len(self.model.rows):
            self.taken.emit(self.model.rows[row].steps)
