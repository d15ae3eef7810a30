"""What a plot of a predicted curve shows, and the place where it is drawn."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from poolwright.texts import tell
from poolwright.ui.parts.theme import GRID
from poolwright.ui.plots.place import PlotPlace

if TYPE_CHECKING:
    from poolwright.ui.plots.band_plot import BandPlot


@dataclass(frozen=True, slots=True, kw_only=True)
class BandDrawing:
    """A curve over ``xs`` with low and high ends, and what the pointer tells at each.

    ``limits`` are values of y with their names, ``here`` the points where the design stands, ``most`` the end of the
    y axis where the band would make it too long.
    """

    title: str
    stem: str
    x_title: str
    y_title: str
    xs: tuple[float, ...]
    low: tuple[float, ...]
    typical: tuple[float, ...]
    high: tuple[float, ...]
    told: tuple[str, ...]
    limits: tuple[tuple[float, str], ...] = ()
    here: tuple[tuple[float, float], ...] = ()
    most: float | None = None


class BandPane(PlotPlace):
    """Holds the plot of a curve; keeps what it was told until there is one."""

    def __init__(self, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(hint, tell("Copy or save the plot"), parent)
        self.plot: BandPlot | None = None
        self._drawing: BandDrawing | None = None
        self.setMinimumHeight(29 * GRID)

    @property
    def drawing(self) -> BandDrawing | None:
        """Return what is shown, or will be."""
        return self._drawing

    def show_drawing(self, drawing: BandDrawing | None) -> None:
        """Show this; None hides the pane."""
        self._drawing = drawing
        self.setVisible(drawing is not None)
        if drawing is not None and self.plot is not None:
            self.plot.show_drawing(drawing)

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the plot where it has room."""
        return QSize(super().sizeHint().width(), 28 * GRID)

    def make_plot(self) -> "BandPlot":
        """Return the plot of the curve."""
        from poolwright.ui.plots.band_plot import BandPlot  # noqa: PLC0415

        self.plot = BandPlot(self)
        if self._drawing is not None:
            self.plot.show_drawing(self._drawing)
        return self.plot
