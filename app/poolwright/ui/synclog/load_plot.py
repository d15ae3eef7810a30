"""The log blocks at each device over time, a lane for each: waiting ones on top of the one being written."""

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from poolwright.domain.cells import csv_text
from poolwright.predict.synclog.load import Load, busy_shares, loads
from poolwright.predict.synclog.simulate import LogRun
from poolwright.texts import tell
from poolwright.ui.parts.theme import GRID, Tone, theme
from poolwright.ui.plots.frame import PlotFrame

_BLOCKS_IN_SIGHT = 24  # at each device, so that single ones can be told apart
_LANE = 1.0
_FILLED = 0.86  # of a lane; the rest keeps lanes apart
_BEGIN = 0.25  # of the run: the start, where all volumes begin together, is over


class LoadPlot(PlotFrame):
    """Shows a run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tell("Plot of the log blocks at each device over time"))
        self._run: LogRun | None = None
        self._loads: tuple[Load, ...] = ()
        self._most = 1
        self._curves: list[Any] = []
        self.item.getAxis("left").setWidth(10 * GRID)
        self.item.getAxis("left").setStyle(tickLength=0)
        self.recolour()

    def show_run(self, run: LogRun) -> None:
        """Show a stretch of this run."""
        self._run = run
        begin = _BEGIN * run.seconds
        end = begin + run.seconds * min(1.0 - _BEGIN, _BLOCKS_IN_SIGHT * len(run.setup.devices) / len(run.writes))
        self._loads = loads(run, begin=begin, end=end)
        self._begin, self._end = begin, end
        self._most = max(1, *(max(load.blocks) for load in self._loads))
        self._draw()

    def csv(self) -> str:
        """Return the steps of the lanes as CSV."""
        lines = [["device", "seconds", "blocks"]]
        for load in self._loads:
            lines.extend(
                [self._name(load.device), f"{at:.9f}", str(blocks)]
                for at, blocks in zip(load.seconds, load.blocks, strict=True)
            )
        return csv_text(lines)

    def file_stem(self) -> str:
        """Return the name suggested for a file."""
        return "log-load"

    def recolour(self) -> None:
        """Draw everything in the colours in force now."""
        super().recolour()
        self.set_axis_title("bottom", tell("Time (ms)"))
        if self._loads:
            self._draw()

    def told(self, at: QPointF) -> str:
        """Return what stands in the lane under the pointer; empty beside the lanes."""
        at = self.item.vb.mapSceneToView(at)
        lane = len(self._loads) - 1 - int(at.y() // _LANE)
        seconds = self._begin + at.x() / 1e3 if self._loads else 0.0
        if not 0 <= lane < len(self._loads) or not self._begin <= seconds <= self._end or self._run is None:
            return ""
        load = self._loads[lane]
        blocks = next(b for t, b in zip(reversed(load.seconds), reversed(load.blocks), strict=True) if t <= seconds)
        return tell(
            "{device} at {time:.3g} ms: {blocks} log blocks, busy {share:.0f} % of the run. Simulated.",
            device=self._name(load.device),
            time=at.x(),
            blocks=blocks,
            share=100 * busy_shares(self._run)[load.device],
        )

    def _name(self, device: int) -> str:
        if self._run is not None and self._run.setup.log is not None:
            return tell("Log device")
        return tell("Disk {number}", number=device + 1)

    def _draw(self) -> None:
        for curve in self._curves:
            self.item.removeItem(curve)
        self._curves = []
        count = len(self._loads)
        step = _LANE * _FILLED / self._most
        for lane, load in enumerate(self._loads):
            foot = (count - 1 - lane) * _LANE
            edges = [(at - self._begin) * 1e3 for at in (*load.seconds, self._end)]
            # The block being written in grey, the waiting ones above it in the accent: height tells them apart too.
            writing = [foot + step * min(1, blocks) for blocks in load.blocks]
            waiting = [foot + step * blocks for blocks in load.blocks]
            self._add_curve(edges, waiting, foot, Tone.ACCENT)
            self._add_curve(edges, writing, foot, Tone.UNKNOWN)
        axis = self.item.getAxis("left")
        axis.setTicks(
            [[((count - 1 - n) * _LANE + _FILLED / 2, self._name(load.device)) for n, load in enumerate(self._loads)]]
        )
        self.view.setXRange(0, (self._end - self._begin) * 1e3, padding=0)
        self.view.setYRange(-0.06, count * _LANE, padding=0)

    def _add_curve(self, edges: Sequence[float], heights: Sequence[float], foot: float, tone: Tone) -> None:
        colour = QColor(theme().colour(tone))
        if tone is Tone.UNKNOWN:
            colour = _between(colour, theme().colour("base"))
        curve = pg.PlotCurveItem(
            x=list(edges),
            y=list(heights),
            stepMode="center",
            fillLevel=foot,
            brush=pg.mkBrush(colour),
            pen=pg.mkPen(None),
        )
        self.item.addItem(curve)
        self._curves.append(curve)


def _between(one: QColor, other: QColor) -> QColor:
    """Return the colour halfway: opaque, since lanes are drawn over each other."""
    return QColor((one.red() + other.red()) // 2, (one.green() + other.green()) // 2, (one.blue() + other.blue()) // 2)
