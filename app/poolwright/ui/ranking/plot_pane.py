"""The place of the plot of candidates."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from poolwright.advise.candidate import Candidate
from poolwright.texts import tell
from poolwright.ui.plots.against import Against, axes
from poolwright.ui.plots.place import PlotPlace

if TYPE_CHECKING:
    from poolwright.ui.ranking.capacity_plot import CapacityPlot


class PlotPane(PlotPlace):
    """Holds the plot of candidates; keeps what it was told until there is one. Signals as `CapacityPlot`."""

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        hint = tell("Each dot is a layout. Point at one to read it, click to select it.")
        super().__init__(hint, tell("Copy or save the plot"), parent)
        self.plot: CapacityPlot | None = None
        self._candidates: tuple[Candidate, ...] = ()
        self._first: Candidate | None = None
        self._selected: Candidate | None = None
        self.hint.setAccessibleName(tell("Layout under the pointer"))
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Room for two lines, so that the plot does not jump under the pointer.
        self.hint.setMinimumHeight(2 * self.hint.fontMetrics().lineSpacing())
        self.choice = QComboBox(self)
        self.choice.setAccessibleName(tell("Plot capacity against"))
        for against, axis in axes().items():
            self.choice.addItem(axis.name, against)
        self.choice.currentIndexChanged.connect(self._on_chosen)
        self.head.insertWidget(1, self.choice, 0, Qt.AlignmentFlag.AlignTop)

    def show_candidates(self, candidates: Sequence[Candidate], first: Candidate | None) -> None:
        """Show these layouts."""
        self._candidates, self._first, self._selected = tuple(candidates), first, None
        if self.plot is not None:
            self.plot.show_candidates(self._candidates, first)

    def select(self, candidate: Candidate | None) -> None:
        """Emphasise this layout."""
        self._selected = candidate
        if self.plot is not None:
            self.plot.select(candidate)

    def make_plot(self) -> "CapacityPlot":
        """Return the plot of the candidates."""
        from poolwright.ui.ranking.capacity_plot import CapacityPlot  # noqa: PLC0415

        self.plot = CapacityPlot(self)
        self.plot.picked.connect(self.picked)
        self.plot.show_candidates(self._candidates, self._first)
        self.plot.show_against(Against(self.choice.currentData()))
        self.plot.select(self._selected)
        return self.plot

    def _on_chosen(self) -> None:
        if self.plot is not None:
            self.plot.show_against(Against(self.choice.currentData()))
            self.plot.select(self._selected)
