"""The plots of a comparison. What draws them takes a second to import, so they are made when first in sight."""

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from poolwright.advise.candidate import Candidate, Recommendation
from poolwright.advise.compare import Comparison
from poolwright.advise.compared import ComparedDesign
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.slices import Slices
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.against import Against, axes
from poolwright.ui.plots.parts import PlotParts
from poolwright.ui.plots.place import save_button

if TYPE_CHECKING:
    from poolwright.ui.compare.plot import ComparePlot
    from poolwright.ui.ranking.front_plot import FrontPlot

_TWO_FROM = 88 * GRID


class ChartsPane(QWidget):
    """Capacity, speed, risk, rebuild and cost as plots. ``failed`` says why a file was not written."""

    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plots: tuple[ComparePlot, ...] = ()
        self._comparison: Comparison | None = None
        self._hint = ToneLabel("", Tone.MUTED, self, small=True)
        self._hint.setAccessibleName(tell("Value under the pointer"))
        self._hint.setMinimumHeight(2 * self._hint.fontMetrics().lineSpacing())
        self._hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setAccessibleName(tell("Charts"))
        self._holder = QWidget(self._area)
        self._grid = QGridLayout(self._holder)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(2 * GRID)
        self._area.setWidget(self._holder)
        self._area.viewport().setAutoFillBackground(False)
        self._holder.setAutoFillBackground(False)
        lay.column(self._hint, (self._area, 1), of=self, gap=GRID // 2)
        self._parts = PlotParts(self)
        self._parts.ready.connect(self._make)
        self._slices = Slices(self)
        self._show_hint("")

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Show this."""
        self._comparison = comparison
        self._area.setVisible(comparison is not None)
        if comparison is None:
            return
        for plot in self.plots:
            plot.show_comparison(comparison)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        """Make the plots soon after the pane came into sight."""
        super().showEvent(event)
        if not self.plots:
            self._parts.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put two plots side by side where there is room."""
        super().resizeEvent(event)
        self._arrange()

    def _make(self) -> None:
        if not self.plots:
            self._slices.begin(self._making())

    def _making(self) -> Generator[None, None, None]:
        from poolwright.ui.compare.plot import ComparePlot  # noqa: PLC0415

        yield

        wanted = (
            (tell("Usable"), ("usable",)),
            (tell("Sequential read, write"), ("seq_read", "seq_write")),
            (tell("Read, write, no network"), ("itself_read", "itself_write")),
            (tell("Random reads a second"), ("rand_read",)),
            (tell("Loss within a year"), ("loss",)),
            (tell("Rebuild"), ("rebuild",)),
            (tell("Price of the disks"), ("purchase",)),
            (tell("Price per usable TB"), ("per_tb",)),
        )
        for title, names in wanted:
            plot = ComparePlot(title, names, self._holder)
            plot.hide()
            plot.hovered.connect(self._show_hint)
            plot.failed.connect(self.failed)
            if self._comparison is not None:
                plot.show_comparison(self._comparison)
            self.plots = (*self.plots, plot)
            self._arrange()
            yield

    def _arrange(self) -> None:
        across = 2 if self.width() >= _TWO_FROM else 1
        shown = [plot for plot in self.plots if plot.known]
        for plot in self.plots:
            self._grid.removeWidget(plot)
            plot.setVisible(plot.known)
        for number, plot in enumerate(shown):
            self._grid.addWidget(plot, number // across, number % across)

    def _show_hint(self, text: str) -> None:
        standard = tell("Point at a bar to read it; lines are bands of predictions. Right-click to copy or save.")
        self._hint.setText(text or standard)


class FrontPane(QWidget):
    """All layouts of the ranking with those compared marked. ``picked`` sends a layout that should be compared too.

    ``ranked`` asks for the page that ranks layouts, ``failed`` says why a file was not written.
    """

    picked = Signal(object)
    ranked = Signal()
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot: FrontPlot | None = None
        self._found: Recommendation | None = None
        self._columns: tuple[ComparedDesign, ...] = ()
        self._selected: Candidate | None = None
        self._hint = ToneLabel("", Tone.MUTED, self, small=True)
        self._hint.setAccessibleName(tell("Layout under the pointer"))
        self._hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._hint.setMinimumHeight(3 * self._hint.fontMetrics().lineSpacing())
        self.take = lay.button(tell("Compare this layout"), self, self._on_take, icon="add")
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(tell("Plot the front against"))
        for against, axis in axes().items():
            self.choice.addItem(axis.name, against)
        self.choice.setCurrentIndex(self.choice.findData(Against.RISK))
        self.choice.currentIndexChanged.connect(self._on_chosen)
        self._save = save_button(tell("Copy or save the plot of the front"), self)
        row = lay.row(self.choice, 1, self.take, self._save)
        self._none = QWidget(self)
        none = QVBoxLayout(self._none)
        text = tell("There is no ranking of layouts now, so there is no front to show.")
        none.addWidget(ToneLabel(text, Tone.MUTED, self._none))
        rank = lay.button(tell("Rank the layouts"), self._none, self.ranked, icon="recommendation")
        none.addWidget(rank, 0, Qt.AlignmentFlag.AlignLeft)
        none.addStretch(1)
        self._column = lay.column(row, self._hint, (self._none, 1), of=self, gap=GRID // 2)
        self._parts = PlotParts(self)
        self._parts.ready.connect(self._make)
        self._show()

    def show_front(self, found: Recommendation | None, columns: Sequence[ComparedDesign]) -> None:
        """Show the layouts of a ranking, and where the designs of a comparison stand among them."""
        if found is not self._found:
            self._selected = None
        changed = found is not self._found
        self._found, self._columns = found, tuple(columns)
        if self.plot is not None:
            if changed:
                self.plot.show_candidates(found.leading if found else (), found.best if found else None)
            self.plot.show_columns(self._columns)
        self._show()

    def select(self, candidate: Candidate) -> None:
        """Point at a layout, as a click on its dot does."""
        self._selected = candidate
        if self.plot is not None:
            self.plot.select(candidate)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        """Make the plot soon after the pane came into sight."""
        super().showEvent(event)
        if self.plot is None:
            self._parts.start()

    def _make(self) -> None:
        from poolwright.ui.ranking.front_plot import FrontPlot  # noqa: PLC0415

        self.plot = FrontPlot(self)
        self.plot.picked.connect(self.select)
        self.plot.hovered.connect(self._show_hint)
        self.plot.failed.connect(self.failed)
        self._save.setMenu(self.plot.menu())
        self._column.addWidget(self.plot, 1)
        found = self._found
        self.plot.show_columns(self._columns)
        self.plot.show_candidates(found.leading if found else (), found.best if found else None)
        self.plot.show_against(Against(self.choice.currentData()))
        self._show()

    def _show(self) -> None:
        there = self._found is not None
        self._none.setVisible(not there)
        for widget in (self._hint, self.take, self.choice, self._save):
            widget.setVisible(there)
        if self.plot is not None:
            self.plot.setVisible(there)
        self._save.setEnabled(self.plot is not None)
        self.take.setEnabled(self._selected is not None)
        self._show_hint("")

    def _show_hint(self, text: str) -> None:
        if not text and self._selected is not None and self.plot is not None:
            text = self.plot.words_of(self._selected)
        standard = tell("Each dot is a layout, letters are the designs compared. Click a dot to compare it too.")
        self._hint.setText(text or standard)

    def _on_chosen(self) -> None:
        if self.plot is not None:
            self.plot.show_against(Against(self.choice.currentData()))
            self.plot.select(self._selected)

    def _on_take(self) -> None:
        if self._selected is not None:
            self.picked.emit(self._selected)
