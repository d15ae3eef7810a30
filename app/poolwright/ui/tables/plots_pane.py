"""The place of a table's plots. What draws them takes a second to import, so a plot is made when first in sight."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from poolwright.predict.table_drawing import draw
from poolwright.predict.table_model import Row, Table
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.parts import PlotParts
from poolwright.ui.plots.place import save_button

if TYPE_CHECKING:
    from poolwright.ui.tables.plots import TablePlot


class TablePlotsPane(QWidget):
    """Holds the plots a table declares, one in sight. Signals as `TablePlot`."""

    picked = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot: TablePlot | None = None
        self._table: Table | None = None
        self._row: Row | None = None
        self._choice = QComboBox(self)
        self._choice.setAccessibleName(tell("Which plot"))
        self._choice.currentIndexChanged.connect(self._show)
        self._save = save_button(tell("Copy or save the plot of the table"), self)
        self._save.setEnabled(False)
        self._only = ToneLabel("", Tone.TEXT, self)
        self._only.setAccessibleName(tell("Title of the plot"))
        head = lay.row((self._choice, 1), (self._only, 1), self._save)
        self._waiting = ToneLabel(tell("The plot is being prepared."), Tone.MUTED, self)
        self._hint = ToneLabel("", Tone.MUTED, self, small=True)
        self._hint.setAccessibleName(tell("Value under the pointer"))
        self._hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Room for three lines, so that the plot does not jump under the pointer.
        self._hint.setMinimumHeight(3 * self._hint.fontMetrics().lineSpacing())
        self._column = lay.column(
            head, (self._waiting, 1, Qt.AlignmentFlag.AlignCenter), self._hint, of=self, gap=GRID // 2
        )
        self._parts = PlotParts(self)
        self._parts.ready.connect(self._make)

    def show_table(self, table: Table) -> None:
        """Show the first plot of a table that has one."""
        self._table, self._row = table, None
        self._choice.blockSignals(True)
        self._choice.clear()
        self._choice.addItems([plot.title for plot in table.plots])
        self._choice.blockSignals(False)
        self._choice.setVisible(len(table.plots) > 1)
        self._only.setVisible(len(table.plots) == 1)
        self._only.setText(table.plots[0].title if table.plots else "")
        self._show()

    def select(self, row: Row | None) -> None:
        """Emphasise the marks of a row."""
        self._row = row
        if self.plot is not None:
            self.plot.select(row)

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the plot where it has room."""
        return QSize(super().sizeHint().width(), 34 * GRID)

    def showEvent(self, event: QShowEvent) -> None:
        """Make the plot soon after the pane came into sight."""
        super().showEvent(event)
        if self.plot is None:
            self._parts.start()

    def _make(self) -> None:
        from poolwright.ui.tables.plots import TablePlot  # noqa: PLC0415

        self.plot = TablePlot(self)
        self.plot.picked.connect(self.picked)
        self.plot.failed.connect(self.failed)
        self.plot.hovered.connect(self._show_hint)
        self._waiting.hide()
        self._column.insertWidget(self._column.count() - 1, self.plot, 1)
        self._save.setMenu(self.plot.menu())
        self._save.setEnabled(True)
        self._show()

    def _show(self) -> None:
        number = self._choice.currentIndex()
        if self._table is None or not 0 <= number < len(self._table.plots):
            return
        self._show_hint("")
        if self.plot is not None:
            self.plot.show_drawing(draw(self._table, self._table.plots[number]), self._table.name)
            self.plot.select(self._row)

    def _show_hint(self, text: str) -> None:
        number = self._choice.currentIndex()
        note = self._table.plots[number].note if self._table is not None and number >= 0 else ""
        self._hint.setText(text or note or tell("Point at a mark for its value and source; click it for its row."))
