"""The plot of all layouts with the designs of a comparison marked by their letters."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

import pyqtgraph as pg
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from poolwright.advise.candidate import Candidate
from poolwright.advise.compared import ComparedDesign
from poolwright.domain.units import GB, TIB
from poolwright.emit.compared_words import LETTERS
from poolwright.emit.drawing import SERIES
from poolwright.emit.drawing_svg import DARK, LIGHT
from poolwright.ui.parts.theme import text_font, theme
from poolwright.ui.plots.against import Against
from poolwright.ui.ranking.capacity_plot import CapacityPlot

_RAREST = 1e-15
_ROOM_ABOVE = 1.15
# The row of a comparison that each axis shows. The plot is of pools without the network.
ROWS = {
    Against.SURVIVED: "survived",
    Against.RISK: "loss",
    Against.READ: "itself_read",
    Against.WRITE: "itself_write",
    Against.RANDOM_READ: "rand_read",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMark:
    """Designs of the comparison where they stand: ``x`` on the axis in force, ``y`` in TiB.

    ``number`` is that of the first of them, whose colour is shown.
    """

    letters: str
    number: int
    x: float
    y: float


def front_marks(columns: Sequence[ComparedDesign], against: Against) -> tuple[FrontMark, ...]:
    """Return where designs stand; those at one place share a mark, one whose value is unknown has none."""
    found: dict[tuple[float, float], FrontMark] = {}
    for number, column in enumerate(columns):
        usable, value = column.cell("usable").value, column.cell(ROWS[against]).value
        if usable is not None and value is not None:
            at = (axis_value(against, value), usable / TIB)
            before = found.get(at)
            letters = LETTERS[number] if before is None else before.letters + LETTERS[number]
            first = number if before is None else before.number
            found[at] = FrontMark(letters=letters, number=first, x=at[0], y=at[1])
    return tuple(found.values())


def axis_value(against: Against, value: float) -> float:
    """Return a value of a comparison as the axis counts it: rarer to the right, rates in GB/s."""
    if against is Against.RISK:
        return -log10(max(_RAREST, value))
    return value / GB if against in (Against.READ, Against.WRITE) else value


class FrontPlot(CapacityPlot):
    """Marks the designs of a comparison among all layouts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._columns: tuple[ComparedDesign, ...] = ()
        self._letters: list[pg.TextItem] = []
        self._chosen = pg.ScatterPlotItem(size=20, pxMode=True)
        super().__init__(parent)
        self.item.addItem(self._chosen)
        self._chosen.setZValue(20)

    def show_columns(self, columns: Sequence[ComparedDesign]) -> None:
        """Mark these."""
        self._columns = tuple(columns)
        self._place()

    def show_candidates(self, candidates: Sequence[Candidate], first: Candidate | None) -> None:
        """Show these layouts, and the marks among them."""
        super().show_candidates(candidates, first)
        self._place()

    def recolour(self) -> None:
        """Draw everything in the colours in force now."""
        super().recolour()
        self._place()

    def _place(self) -> None:
        item = self.item
        for letter in self._letters:
            item.removeItem(letter)
        self._letters = []
        marks = front_marks(self._columns, self._against)
        spots = []
        for mark in marks:
            colour = QColor((DARK if theme().dark else LIGHT)[SERIES[mark.number]])
            spots.append({"pos": (mark.x, mark.y), "brush": pg.mkBrush(colour), "pen": pg.mkPen(None)})
            letter = pg.TextItem(mark.letters, anchor=(0.5, 0.5), color=theme().colour("base"))
            letter.setFont(text_font(semibold=True))
            letter.setPos(mark.x, mark.y)
            letter.setZValue(21)
            item.addItem(letter)
            self._letters.append(letter)
        self._chosen.setData(spots)
        self._widen(marks)

    def _widen(self, marks: Sequence[FrontMark]) -> None:
        """Make room for designs that lie outside of what the layouts span."""
        (left, right), (_, top) = self.item.vb.viewRange()
        xs, ys = [mark.x for mark in marks], [mark.y for mark in marks]
        if xs and (min(xs) < left or max(xs) > right):
            spare = 0.05 * (right - left)
            self.view.setXRange(min(left, min(xs) - spare), max(right, max(xs) + spare), padding=0)
        if ys and max(ys) * _ROOM_ABOVE > top:
            self.view.setYRange(0, max(ys) * _ROOM_ABOVE, padding=0)
