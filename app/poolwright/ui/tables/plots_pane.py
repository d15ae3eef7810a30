"""The place of a table's charts."""

from PySide6.QtWidgets import QComboBox, QWidget

from poolwright.predict.table_drawing import draw
from poolwright.predict.table_model import Table
from poolwright.texts import tell
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import Tone
from poolwright.ui.plots.place import ChartPlace
from poolwright.ui.tables.chart import table_chart


class TablePlotsPane(ChartPlace):
    """Holds the charts a table declares, one in sight; a mark is ``of`` its row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent, lines=3)
        self._table: Table | None = None
        self._choice = QComboBox(self)
        self._choice.setAccessibleName(tell("Which plot"))
        self._choice.currentIndexChanged.connect(self._show)
        self._only = ToneLabel("", Tone.TEXT, self)
        self._only.setAccessibleName(tell("Title of the plot"))
        self.head.insertWidget(0, self._choice, 1)
        self.head.insertWidget(1, self._only, 1)
        self.put_hint_below()

    def show_table(self, table: Table) -> None:
        self._table = table
        self.select(None)
        self._choice.blockSignals(True)
        self._choice.clear()
        self._choice.addItems([plot.title for plot in table.plots])
        self._choice.blockSignals(False)
        self._choice.setVisible(len(table.plots) > 1)
        self._only.setVisible(len(table.plots) == 1)
        self._only.setText(table.plots[0].title if table.plots else "")
        self._show()

    def _show(self) -> None:
        number = self._choice.currentIndex()
        if self._table is None or not 0 <= number < len(self._table.plots):
            return
        plot = self._table.plots[number]
        self.say(plot.note or tell("Point at a mark for its value and source; click it for its row."))
        self.show_chart(table_chart(draw(self._table, plot), self._table.name))
