"""A predicted curve with its band, named limits as dashed lines, and where the design stands on it."""

from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from poolwright.domain.cells import csv_text
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.plots.band import BandDrawing
from poolwright.ui.plots.frame import PlotFrame

_ROOM_ABOVE = 1.22  # the highest limit has its name above it


@dataclass(slots=True)
class _Named:
    """A dashed line and its name."""

    line: Any
    name: Any


class BandPlot(PlotFrame):
    """Shows a `BandDrawing`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing: BandDrawing | None = None
        self._limits: list[_Named] = []
        self.item.getAxis("left").setWidth(7 * GRID)
        self._low = pg.PlotDataItem()
        self._high = pg.PlotDataItem()
        self._typical = pg.PlotDataItem(antialias=True)
        self._band = pg.FillBetweenItem(self._low, self._high)
        self._here = pg.ScatterPlotItem(size=11, pxMode=True)
        for part in (self._band, self._typical, self._here):
            self.item.addItem(part)
        self.recolour()

    def show_drawing(self, drawing: BandDrawing) -> None:
        """Show this."""
        self._drawing = drawing
        self.setAccessibleName(drawing.title)
        self._low.setData(x=list(drawing.xs), y=list(drawing.low))
        self._high.setData(x=list(drawing.xs), y=list(drawing.high))
        self._typical.setData(x=list(drawing.xs), y=list(drawing.typical))
        self._here.setData(x=[x for x, _ in drawing.here], y=[y for _, y in drawing.here])
        most = max([*drawing.high, *(value for value, _ in drawing.limits), 1e-9])
        self.view.setXRange(drawing.xs[0], drawing.xs[-1], padding=0.01)
        self.view.setYRange(0, min(most, drawing.most or most) * _ROOM_ABOVE, padding=0)
        self._draw_limits(drawing)
        self.recolour()

    def csv(self) -> str:
        """Return the curve as CSV."""
        drawing = self._drawing
        if drawing is None:
            return ""
        rows = zip(drawing.xs, drawing.low, drawing.typical, drawing.high, strict=True)
        return csv_text([(drawing.x_title, "low", "typical", "high"), *([f"{v:.9g}" for v in row] for row in rows)])

    def file_stem(self) -> str:
        """Return the name suggested for a file."""
        return self._drawing.stem if self._drawing is not None else "plot"

    def told(self, at: QPointF) -> str:
        """Return the value of the curve under the pointer."""
        drawing = self._drawing
        if drawing is None:
            return ""
        x = self.item.vb.mapSceneToView(at).x()
        if not drawing.xs[0] <= x <= drawing.xs[-1]:
            return ""
        number = min(range(len(drawing.xs)), key=lambda n: abs(drawing.xs[n] - x))
        return drawing.told[number]

    def recolour(self) -> None:
        """Draw everything in the colours in force now."""
        super().recolour()
        colours = theme()
        shade = QColor(colours.colour(Tone.ACCENT))
        shade.setAlpha(50)
        self._band.setBrush(pg.mkBrush(shade))
        self._typical.setPen(pg.mkPen(colours.colour(Tone.ACCENT), width=2))
        self._here.setBrush(pg.mkBrush(colours.colour("base")))
        self._here.setPen(pg.mkPen(colours.colour(Tone.ACCENT), width=2.5))
        for limit in self._limits:
            limit.line.setPen(pg.mkPen(colours.colour(Tone.MUTED), width=1, style=Qt.PenStyle.DashLine))
            limit.name.setColor(colours.colour(Tone.TEXT))
        if self._drawing is not None:
            self.set_axis_title("bottom", self._drawing.x_title)
            self.set_axis_title("left", self._drawing.y_title)

    def _draw_limits(self, drawing: BandDrawing) -> None:
        for limit in self._limits:
            self.item.removeItem(limit.line)
            self.item.removeItem(limit.name)
        self._limits = []
        for value, name in drawing.limits:
            line = pg.InfiniteLine(pos=value, angle=0)
            label = pg.TextItem(name, anchor=(0, 1))
            label.setFont(text_font(SMALL_POINTS))
            label.setPos(drawing.xs[0], value)
            self.item.addItem(line)
            self.item.addItem(label)
            self._limits.append(_Named(line, label))
