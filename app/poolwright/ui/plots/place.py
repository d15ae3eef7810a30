"""The place of a chart. What draws it takes a second to import, so it is drawn when its place is first in sight."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QToolButton, QWidget

from poolwright.emit.chart import Chart
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.legend import Legend
from poolwright.ui.plots.parts import PlotParts

if TYPE_CHECKING:
    from poolwright.ui.plots.chart_plot import ChartPlot


class ChartPlace(QWidget):
    """A line on what is under the pointer, a menu, a legend, and below them the chart once it can be drawn.

    It keeps what it was told until then. ``head`` takes further controls, ``missing`` is said while there is no chart.
    ``menu_button`` may stand elsewhere.
    ``picked`` sends what the clicked mark is ``of``, ``failed`` why a file was not written.
    """

    picked = Signal(object)
    failed = Signal(str)

    def __init__(self, hint: str, parent: QWidget | None = None, *, lines: int = 1, missing: str = "") -> None:
        """``hint`` is shown where the pointer is over nothing; ``lines`` is how many the values under it may take."""
        super().__init__(parent)
        self.plot: ChartPlot | None = None
        self.chart: Chart | None = None
        self._selected: object = None
        self._usual, self._missing = hint, missing
        self.hint = ToneLabel(hint, Tone.MUTED, self, small=True)
        self.hint.setAccessibleName(tell("Value under the pointer"))
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Room for its lines, so that the chart does not jump under the pointer.
        self.hint.setMinimumHeight(lines * self.hint.fontMetrics().lineSpacing())
        self.menu_button = QToolButton(self)
        icons.give(self.menu_button, "export")
        self.menu_button.setAccessibleName(tell("Zoom, copy or save the chart"))
        self.menu_button.setToolTip(f"{self.menu_button.accessibleName()}. {how_to_read()}")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setEnabled(False)
        self.head = lay.row((self.hint, 1), (self.menu_button, 0, Qt.AlignmentFlag.AlignTop))
        self.legend = Legend(self)
        self.legend.switched.connect(self._on_switched)
        self._waiting = ToneLabel("", Tone.MUTED, self)
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)  # in itself: aligned in the layout it is squeezed
        self._waiting.setMinimumHeight(2 * self._waiting.fontMetrics().lineSpacing())
        waiting = (self._waiting, 1)
        self._column = lay.column(self.head, self.legend, waiting, of=self, gap=GRID // 2)
        self._parts = PlotParts(self)
        self._parts.ready.connect(self._make)
        self._show_waiting()
        self.show_hint("")

    def show_chart(self, chart: Chart | None) -> None:
        """Show this; None says what is missing, or hides the place where nothing is."""
        self.chart = chart
        self.setVisible(chart is not None or bool(self._missing))
        self.legend.show_chart(chart)
        self._show_waiting()
        self.show_hint("")
        if self.plot is None:
            if chart is not None and self.isVisible():
                self._parts.start()
        elif chart is not None:
            self.plot.show_chart(chart)

    def select(self, of: object) -> None:
        self._selected = of
        if self.plot is not None:
            self.plot.select(of)

    def say(self, hint: str) -> None:
        self._usual = hint
        self.show_hint("")

    def put_hint_below(self) -> None:
        """Say what is under the pointer below the chart: above it stands what chooses it."""
        self.head.removeWidget(self.hint)
        self._column.addWidget(self.hint)

    def put_legend_below(self) -> None:
        """Show the legend below the chart, which stands first in a low window then."""
        self._column.removeWidget(self.legend)
        self._column.insertWidget(self._column.indexOf(self._waiting) + 1, self.legend)

    def show_hint(self, text: str) -> None:
        """Say this of what is under the pointer; the usual words where it is empty."""
        self.hint.setText((text or self._usual) if self.chart is not None or not self._missing else "")

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the chart where it has room."""
        return QSize(super().sizeHint().width(), 28 * GRID)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the chart soon after the place came into sight."""
        super().showEvent(event)
        if self.plot is None and self.chart is not None:
            self._parts.start()

    def _show_waiting(self) -> None:
        self._waiting.setText(tell("The plot is being prepared.") if self.chart is not None else self._missing)
        self._waiting.setVisible(self.chart is None or self.plot is None)
        if self.plot is not None:
            self.plot.setVisible(self.chart is not None)

    def _make(self) -> None:
        from poolwright.ui.plots.chart_plot import ChartPlot  # noqa: PLC0415

        if self.plot is not None or self.chart is None:
            return
        self.plot = ChartPlot(self)
        self.plot.failed.connect(self.failed)
        self.plot.picked.connect(self.picked)
        self.plot.hovered.connect(self.show_hint)
        self._column.insertWidget(self._column.indexOf(self._waiting), self.plot, 1)
        self.menu_button.setMenu(self.plot.menu())
        self.menu_button.setEnabled(True)
        self._show_waiting()
        self.plot.show_chart(self.chart)
        self.plot.select(self._selected)

    def _on_switched(self) -> None:
        if self.plot is not None:
            self.plot.set_off(self.legend.off)


def how_to_read() -> str:
    """Return how a chart is zoomed and read, for tooltips."""
    return tell(
        "Ctrl and the wheel zoom, dragging moves, a double click shows all. With the keys: + and − zoom, Shift with "
        "the arrows moves, 0 shows all, the arrows go from value to value."
    )
