"""The usual ways to make room, side by side, with a button to take one over as the plan."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QSpinBox,
    QWidget,
)

from poolwright.advise.growth.plan import GrowthQuestion
from poolwright.advise.growth.strategies import strategies
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.texts import tell
from poolwright.ui.design.growth.ways import GrowthWays
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.theme import GRID, Tone

_DEFAULT_YEARS, _MOST_YEARS = 5, 25


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
        """Show the ways this design can grow."""
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
