"""The ground of a chart: zoomed with Ctrl and the wheel, moved by dragging, whole again with a double click."""

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from poolwright.ui.parts import lay
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, theme
from poolwright.ui.plots.chart_items import TickedAxis

LEAST_HEIGHT = 25 * GRID  # lower, a plot cannot be read
_BESIDE = 20  # pixels to the right, for half of the last tick's text
_CLOSEST = 1e-4  # of the whole: nearer than that one does not zoom
_STEP = 0.7  # of what is shown: a step of zooming by key
Range = tuple[float, float]


class ChartView(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """Shows a part of what is whole, never more. ``zoomed`` tells whether it is less than all after a move."""

    zoomed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        self.left, self.bottom = TickedAxis("left"), TickedAxis("bottom")
        super().__init__(parent, axisItems={"left": self.left, "bottom": self.bottom})
        self.setMinimumHeight(LEAST_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the chart around it has the keys
        self.item = self.getPlotItem()
        self.box = self.item.vb
        self.item.setMenuEnabled(False)
        self.item.hideButtons()
        lay.room(self.item.layout, around=(0, GRID // 2, _BESIDE, 0))
        self.box.disableAutoRange()
        self.whole: tuple[Range, Range] = ((0.0, 1.0), (0.0, 1.0))
        self.is_zoomed = False
        self.box.sigRangeChangedManually.connect(self._on_moved)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl; without it the page around scrolls."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            event.accept()
        else:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.show_all()
        event.accept()

    def sizeHint(self) -> QSize:
        """Return the least it takes; a page grows it. A graphics view's own hint is as large as it was before."""
        return QSize(6 * LEAST_HEIGHT // 4, max(LEAST_HEIGHT, self.minimumHeight()))

    def room(self) -> tuple[float, float]:
        """Return width and height of the ground of the chart, in pixels."""
        return max(1.0, float(self.box.width())), max(1.0, float(self.box.height()))

    def set_whole(self, xs: Range, ys: Range, *, flat: bool) -> None:
        """Say what all is, and show it but where one has zoomed; ``flat`` never zooms up and down."""
        self.whole = (xs, ys)
        self.box.setMouseEnabled(x=True, y=not flat)
        wide, high = xs[1] - xs[0], ys[1] - ys[0]
        self.box.setLimits(
            xMin=xs[0], xMax=xs[1], yMin=ys[0], yMax=ys[1],
            minXRange=wide * _CLOSEST, maxXRange=wide, minYRange=high * _CLOSEST, maxYRange=high,
        )  # fmt: skip
        if not self.is_zoomed:
            self.show_all()

    def show_all(self) -> None:
        self._note_zoom(zoomed=False)
        self.box.setRange(xRange=self.whole[0], yRange=self.whole[1], padding=0, disableAutoRange=True)

    def zoom(self, *, closer: bool, at: QPointF | None = None) -> None:
        """Show less of it, or more, around ``at`` or the middle."""
        factor = _STEP if closer else 1 / _STEP
        self.box.scaleBy((factor, factor if self.box.state["mouseEnabled"][1] else 1.0), center=at)
        self._on_moved()

    def pan(self, across: float, up: float) -> None:
        """Move what is shown by shares of it."""
        (left, right), (low, high) = self.box.viewRange()
        vertical = up * (high - low) if self.box.state["mouseEnabled"][1] else 0.0
        self.box.translateBy(x=across * (right - left), y=vertical)
        self._on_moved()

    def recolour(self, titles: tuple[str, str]) -> None:
        """Draw ground and axes, named by ``titles``, in the colours in force now."""
        self.setBackground(theme().colour("base"))
        style = {"color": theme().colour(Tone.MUTED).name(), "font-size": f"{SMALL_POINTS:.0f}pt"}
        for axis, title in zip((self.left, self.bottom), titles, strict=True):
            axis.setPen(pg.mkPen(theme().colour("line")))
            axis.setTextPen(pg.mkPen(theme().colour(Tone.MUTED)))
            axis.setLabel(title, **style)

    def _on_moved(self) -> None:
        shown, whole = self.box.viewRange(), self.whole
        self._note_zoom(
            zoomed=any(
                part[1] - part[0] < (all_[1] - all_[0]) * (1 - _CLOSEST)
                for part, all_ in zip(shown, whole, strict=True)
            )
        )

    def _note_zoom(self, *, zoomed: bool) -> None:
        if zoomed != self.is_zoomed:
            self.is_zoomed = zoomed
            self.zoomed.emit(zoomed)
