"""Data growing against the room that the steps make: a curve with its band, and stairs for 80 % and for full."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from poolwright.ui.design.growth.drawing import GrowthDrawing
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.plots.frame import PlotFrame

_ROOM_ABOVE = 1.12


class GrowthPlot(PlotFrame):
    """Shows a `GrowthDrawing`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing: GrowthDrawing | None = None
        self._marks: list[Any] = []
        self.item.getAxis("left").setWidth(7 * GRID)
        self._low, self._high = pg.PlotDataItem(), pg.PlotDataItem()
        self._typical = pg.PlotDataItem(antialias=True)
        self._band = pg.FillBetweenItem(self._low, self._high)
        self._level, self._full = pg.PlotDataItem(), pg.PlotDataItem()
        self._names = (pg.TextItem("", anchor=(0, 1)), pg.TextItem("", anchor=(0, 1)))
        for part in (self._band, self._full, self._level, self._typical, *self._names):
            self.item.addItem(part)
        for name in self._names:
            name.setFont(text_font(SMALL_POINTS))
        self.recolour()

    def show_drawing(self, drawing: GrowthDrawing) -> None:
        """Show this."""
        self._drawing = drawing
        self.setAccessibleName(drawing.title)
        xs = list(drawing.xs)
        self._low.setData(x=xs, y=list(drawing.low))
        self._high.setData(x=xs, y=list(drawing.high))
        self._typical.setData(x=xs, y=list(drawing.typical))
        stairs_x, full, level = drawing.stairs()
        self._full.setData(x=stairs_x, y=full)
        self._level.setData(x=stairs_x, y=level)
        most = max([*full, *drawing.typical, 1e-9]) * _ROOM_ABOVE
        self.view.setXRange(xs[0], xs[-1], padding=0.01)
        self.view.setYRange(0, most, padding=0)
        for item, text, value in zip(self._names, drawing.names, (level[0], full[0]), strict=True):
            item.setText(text)
            item.setPos(xs[0], value)
        self._mark_steps(drawing, most)
        self.recolour()

    def csv(self) -> str:
        """Return the curves as CSV."""
        return self._drawing.csv() if self._drawing is not None else ""

    def file_stem(self) -> str:
        """Return the name suggested for a file."""
        return "growth-plan"

    def told(self, at: QPointF) -> str:
        """Return the values under the pointer."""
        if self._drawing is None:
            return ""
        return self._drawing.told_at(self.item.vb.mapSceneToView(at).x())

    def recolour(self) -> None:
        """Draw everything in the colours in force now."""
        super().recolour()
        colours = theme()
        shade = QColor(colours.colour(Tone.ACCENT))
        shade.setAlpha(50)
        self._band.setBrush(pg.mkBrush(shade))
        self._typical.setPen(pg.mkPen(colours.colour(Tone.ACCENT), width=2))
        self._level.setPen(pg.mkPen(colours.colour(Tone.WARN), width=2))
        self._full.setPen(pg.mkPen(colours.colour(Tone.MUTED), width=1.5, style=Qt.PenStyle.DashLine))
        for name, tone in zip(self._names, (Tone.WARN, Tone.MUTED), strict=True):
            name.setColor(colours.colour(tone))
        for mark in self._marks:
            if isinstance(mark, pg.TextItem):
                mark.setColor(colours.colour(Tone.TEXT))
            else:
                mark.setPen(pg.mkPen(colours.colour(Tone.MUTED), width=1, style=Qt.PenStyle.DotLine))
        if self._drawing is not None:
            self.set_axis_title("bottom", self._drawing.x_title)
            self.set_axis_title("left", self._drawing.y_title)

    def _mark_steps(self, drawing: GrowthDrawing, most: float) -> None:
        for mark in self._marks:
            self.item.removeItem(mark)
        self._marks = []
        for x, text in drawing.marks:
            line = pg.InfiniteLine(pos=x, angle=90)
            label = pg.TextItem(text, anchor=(0, 0))
            label.setFont(text_font(SMALL_POINTS, semibold=True))
            label.setPos(x, most)
            for item in (line, label):
                self.item.addItem(item)
                self._marks.append(item)
