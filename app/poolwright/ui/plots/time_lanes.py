"""Lanes of curves over one time, drawn while they grow: what many values fold into a pixel keeps its least and most."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtWidgets import QGraphicsSimpleTextItem, QWidget

from poolwright.bench.lanes import Lane, LaneCurve, alone, reduced
from poolwright.emit.chart import ChartAxis
from poolwright.emit.drawing import ShapeRole
from poolwright.texts import _
from poolwright.ui.parts import widgets
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Recoloured, Tone, text_font, theme
from poolwright.ui.plots.drawn_chart import CtrlWheel, TickedAxis, text_width

LANE_LEAST, _LOW_LANE = 13 * GRID, 5 * GRID + 2
_CAPTION = 12 * GRID
_THIN, _THICK = 1.0, 1.5  # of lines
_DOT = 7.0  # of a value that no line reaches
_LEAST_SECONDS = 0.01
_ROOM_ABOVE = 1.25  # for the title of a lane
_DRAW_MILLISECONDS = 100  # ten times a second
_BESIDE_TICKS = 2 * GRID


class _Lane:
    """One lane in the widget: its plot, and the items of its curves."""

    def __init__(self, plot: Any, left: TickedAxis, bottom: TickedAxis, caption: Any) -> None:
        self.plot, self.left, self.bottom, self.caption = plot, left, bottom, caption
        self.lane: Lane | None = None
        self.top: float | None = None  # of the lane, looked for once: a curve may have ten million values
        self.items: dict[str, Any] = {}
        self.dots = pg.ScatterPlotItem(size=_DOT, pen=None)
        plot.addItem(self.dots, ignoreBounds=True)
        self.title = QGraphicsSimpleTextItem(plot.vb)  # upright and in pixels: a low lane has no room for it beside
        self.title.setFont(text_font(SMALL_POINTS))
        self.title.setPos(GRID, 2)
        self.title.setZValue(10)
        self.title.setVisible(caption is None)
        self.cursor = pg.InfiniteLine(angle=90)
        self.cursor.hide()
        plot.addItem(self.cursor, ignoreBounds=True)


class TimeLanes(QWidget):
    """Draws `Lane` values. ``hovered`` sends what is told at the pointer.

    Ctrl and the wheel zoom in time, dragging moves, a double click shows all. While all is shown it follows what grows.
    """

    hovered = Signal(str)

    def __init__(self, parent: QWidget | None = None, *, low: bool = False) -> None:
        """``low`` lanes have their title and last value at the left in place of an axis."""
        super().__init__(parent)
        self._low = low
        self.setAccessibleName(_("What was measured, over time"))
        self.view = _Lanes(self)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.again.connect(self.show_all)
        self.view.scene().sigMouseMoved.connect(self._on_pointed)
        self._lanes: list[_Lane] = []
        self.lanes: tuple[Lane, ...] = ()
        self._off: frozenset[str] = frozenset()
        self._whole = True
        self._late = widgets.single_shot_timer(self, _DRAW_MILLISECONDS, self.draw)
        widgets.column(self.view, of=self)
        Recoloured(self, self._recolour)
        self._recolour()

    @property
    def shown_seconds(self) -> tuple[float, float]:
        if not self._lanes:
            return 0.0, 0.0
        left, right = self._lanes[0].plot.vb.viewRange()[0]
        return float(left), float(right)

    def show_lanes(self, lanes: Sequence[Lane]) -> None:
        """Show these, at most ten times a second."""
        self.lanes = tuple(lanes)
        if not self._late.isActive():
            self._late.start()

    def set_off(self, names: frozenset[str]) -> None:
        self._off = names
        self.draw()

    def show_all(self) -> None:
        self._whole = True
        self.draw()

    def draw(self) -> None:
        self._late.stop()
        if [lane.key for lane in self.lanes] != [each.lane.key for each in self._lanes if each.lane is not None]:
            self._arrange()
        if not self._lanes:
            return
        last = max(*(lane.seconds for lane in self.lanes), _LEAST_SECONDS)
        for each in self._lanes:  # before anything is shown: what lies beyond the limits cannot be
            each.plot.vb.setLimits(xMin=0.0, xMax=last, minXRange=_LEAST_SECONDS)
        if self._whole:
            self._lanes[0].plot.setXRange(0.0, last, padding=0)
        left, right = self.shown_seconds
        for each, lane in zip(self._lanes, self.lanes, strict=True):
            if each.lane is not lane or each.top is None:
                each.lane, each.top = lane, max(lane.highest * _ROOM_ABOVE, 1e-9)
                each.left.setStyle(showValues=lane.highest > 0)
            self._draw_lane(each, lane, left, right)

    def _arrange(self) -> None:
        """Make a plot for each lane; the lowest has the axis of time."""
        self.view.clear()
        self._lanes = []
        for number, lane in enumerate(self.lanes):
            left, bottom = TickedAxis("left"), TickedAxis("bottom")
            plot = self.view.addPlot(row=number, col=1, axisItems={"left": left, "bottom": bottom})
            plot.setMenuEnabled(False)
            plot.hideButtons()
            plot.vb.disableAutoRange()
            plot.vb.setMouseEnabled(x=True, y=False)
            plot.vb.sigRangeChangedManually.connect(self._on_moved)
            made = _Lane(plot, left, bottom, self.view.addLabel("", number, 0, justify="left") if self._low else None)
            made.lane = lane
            self._lanes.append(made)
            if number:
                plot.setXLink(self._lanes[0].plot)
            plot.showAxis("bottom", lane is self.lanes[-1])
        self.view.setMinimumHeight((_LOW_LANE if self._low else LANE_LEAST) * len(self.lanes) + 3 * GRID)
        self._recolour()

    def _draw_lane(self, each: _Lane, lane: Lane, left: float, right: float) -> None:
        shown = [curve for curve in lane.curves if curve.name not in self._off]
        for name in [name for name in each.items if name not in {curve.name for curve in shown}]:
            each.plot.removeItem(each.items.pop(name))
        pixels = max(2, int(each.plot.vb.width()))
        spots: list[dict[str, object]] = []
        for curve in shown:
            item = each.items.get(curve.name)
            if item is None:
                item = each.items[curve.name] = pg.PlotCurveItem()
                each.plot.addItem(item, ignoreBounds=True)
            xs, ys = reduced(curve.seconds, curve.values, pixels, left, right)
            # Where each pixel has values of its own a thin line covers them all, and is drawn several times as fast.
            width = _THIN if len(xs) > pixels else _THICK
            colour = theme().colour(curve.role)
            item.setData(xs, ys, connect="finite", pen=pg.mkPen(colour, width=width))
            filled = self._low and curve.role is not ShapeRole.GREY
            item.setFillLevel(0.0 if filled else None)
            item.setBrush(pg.mkBrush(theme().colour("tint")) if filled else None)
            single = alone(ys)
            places = zip(xs[single].tolist(), ys[single].tolist(), strict=True)
            spots += [{"pos": place, "brush": pg.mkBrush(colour)} for place in places]
        each.dots.setData(spots)
        each.title.setText(f"{lane.title} ({lane.unit})" if lane.unit else lane.title)
        if each.caption is not None:
            each.caption.setText(f"{lane.title}<br><b>{lane.value or '–'}</b>")  # for machines
        top = each.top or 1e-9
        each.plot.vb.setLimits(yMin=0.0, yMax=top)
        each.plot.setYRange(0.0, top, padding=0)
        each.left.take(ChartAxis(title=lane.title, unit=lane.unit, low=0.0, high=top))
        each.bottom.take(ChartAxis(title=_("Time"), unit="s", low=left, high=right, ticks=lane.ticks))

    def _on_moved(self) -> None:
        left, right = self.shown_seconds
        last = max((lane.seconds for lane in self.lanes), default=0.0)
        self._whole = left <= 0.0 and right >= last
        self.draw()

    def _on_pointed(self, where: QPointF) -> None:
        over = next((each for each in self._lanes if each.plot.vb.sceneBoundingRect().contains(where)), None)
        second = None if over is None else float(over.plot.vb.mapSceneToView(where).x())
        for each in self._lanes:
            each.cursor.setVisible(second is not None)
            if second is not None:
                each.cursor.setPos(second)
        self.hovered.emit("" if second is None else self.text_at(second))

    def text_at(self, second: float) -> str:
        """Return the value of each curve in sight at a moment, in words."""
        parts = [_("at {second:,.1f} s", second=second)]
        for lane in self.lanes:
            for curve in lane.curves:
                value = None if curve.name in self._off else value_at(curve, second)
                if value is not None:
                    parts.append(f"{curve.name} {lane.told(value)}")  # for machines
        return " · ".join(parts)

    def _recolour(self) -> None:
        self.view.setBackground(theme().colour("base"))
        widest = text_width("00,000") + _BESIDE_TICKS
        for each in self._lanes:
            each.left.recolour("")
            each.bottom.recolour(_("Time (s)") if each.caption is None else "")
            each.title.setBrush(theme().colour(Tone.MUTED))
            if each.caption is not None:
                each.caption.setFixedWidth(_CAPTION)
                each.caption.opts |= {"color": theme().colour(Tone.TEXT).name(), "size": f"{SMALL_POINTS:.0f}pt"}
            each.left.setWidth(widest)
            each.cursor.setPen(pg.mkPen(theme().colour(Tone.MUTED), width=1, style=Qt.PenStyle.DotLine))
            while each.items:
                each.plot.removeItem(each.items.popitem()[1])
        self.draw() if self._lanes else None


def value_at(curve: LaneCurve, second: float) -> float | None:
    """Return the last known value of a curve at a moment; None before its first one."""
    place = int(np.searchsorted(curve.seconds, second, side="right")) - 1
    if place < 0 or isnan(float(curve.values[place])):
        return None
    return float(curve.values[place])


class _Lanes(CtrlWheel, pg.GraphicsLayoutWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """``again`` is sent for all of it."""

    again = Signal()

    def show_all(self) -> None:
        self.again.emit()
