"""One row of a comparison as a plot: a bar or a dot for each design, with the band of what is predicted."""

from math import ceil, floor, log10

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from poolwright.advise.compare import ComparedRow, Comparison
from poolwright.domain.cells import csv_text
from poolwright.domain.units import GB, TIB
from poolwright.emit.compared_words import LETTERS, best_words, cell_text
from poolwright.emit.drawing import SERIES
from poolwright.emit.drawing_svg import DARK, LIGHT
from poolwright.predict.number_words import Unit, band_text
from poolwright.texts import tell
from poolwright.ui.parts.expected_words import axis_odds
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.plots.frame import PlotFrame

_ROOM_ABOVE = 1.18
_WIDTH = 0.56
_RAREST = 1e-15
_MOST_ODDS = 4  # designs whose odds have room for labels
_MOST_LABELS = 3  # designs whose pairs of bars have room for labels
_SCALES = {Unit.BYTES: (TIB, "TiB"), Unit.RATE: (GB, "GB/s"), Unit.HOURS: (1, "h")}


class ComparePlot(PlotFrame):
    """Shows the rows of the given names, side by side for each design; odds on a logarithmic scale."""

    def __init__(self, title: str, names: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._names = title, names
        self._rows: tuple[ComparedRow, ...] = ()
        self._titles: tuple[str, ...] = ()
        self._drawn: list[object] = []
        self.setAccessibleName(title)
        self.setAccessibleDescription(tell("The table of values holds the same numbers."))
        self.item.getAxis("left").setWidth(9 * GRID)
        self.setMinimumHeight(26 * GRID)
        self.recolour()

    def show_comparison(self, comparison: Comparison) -> None:
        """Show this."""
        self._rows = tuple(comparison.row(name) for name in self._names)
        self._titles = tuple(column.title for column in comparison.columns)
        self._draw()

    @property
    def known(self) -> bool:
        """Tell whether there is any value to show."""
        return any(cell.value is not None for row in self._rows for cell in row.cells)

    def csv(self) -> str:
        """Return the plotted values as CSV, in base units."""
        lines = [["value", "design", "low", "typical", "high"]]
        for row in self._rows:
            for title, cell in zip(self._titles, row.cells, strict=True):
                low, high = (cell.estimate.low, cell.estimate.high) if cell.estimate else (cell.value, cell.value)
                numbers = ("" if v is None else f"{v:.9g}" for v in (low, cell.value, high))
                lines.append([row.line.name, title, *numbers])
        return csv_text(lines)

    def file_stem(self) -> str:
        """Return the name suggested for a file."""
        return f"comparison-{self._names[0]}"

    def told(self, at: QPointF) -> str:
        """Return the value of the design under the pointer."""
        number = round(self.item.vb.mapSceneToView(at).x())
        if not 0 <= number < len(self._titles):
            return ""
        parts = []
        for row in self._rows:
            cell, unit = row.cells[number], row.line.unit
            band = band_text(cell.estimate, unit) if cell.estimate is not None else ""
            words = [cell_text(cell, unit), band, best_words(row, number)]
            parts.append(f"{row.line.title} {', '.join(word for word in words if word)}")
        return f"{LETTERS[number]} {self._titles[number]}: {'; '.join(parts)}"

    def recolour(self) -> None:
        """Draw everything in the colours in force now."""
        super().recolour()
        self._draw()

    def _draw(self) -> None:
        for part in self._drawn:
            self.item.removeItem(part)
        self._drawn = []
        if not self._rows:
            return
        ticks = [(n, LETTERS[n]) for n in range(len(self._titles))]
        self.item.getAxis("bottom").setTicks([ticks])
        self.view.setXRange(-0.6, len(self._titles) - 0.4, padding=0)
        if self._rows[0].line.unit is Unit.PROBABILITY:
            self._draw_odds()
        else:
            self._draw_bars()

    def _draw_bars(self) -> None:
        unit = self._rows[0].line.unit
        scale, word = _SCALES.get(unit, (1, (self._rows[0].currency or "") if unit is Unit.MONEY else ""))
        self.set_axis_title("left", f"{self._title} ({word})" if word else self._title)
        width, most = _WIDTH / len(self._rows), 0.0
        for place, row in enumerate(self._rows):
            for number, cell in enumerate(row.cells):
                x = number + (place - (len(self._rows) - 1) / 2) * width
                if cell.value is None:
                    self._name(x, 0.0, tell("unknown"))
                    continue
                value = cell.value / scale
                brush = pg.mkBrush(_colour(number, faint=place > 0))
                outline = pg.mkPen(_colour(number), width=1)
                self._add(pg.BarGraphItem(x=[x], height=[value], width=width * 0.9, brush=brush, pen=outline))
                top = self._whisker(x, row, number, scale) or value
                most = max(most, top)
                self._name(x, top, self._short(row, number))
        self.view.setYRange(0, (most or 1.0) * _ROOM_ABOVE, padding=0)

    def _draw_odds(self) -> None:
        row = self._rows[0]
        self.set_axis_title("left", self._title)
        least, most = 0.0, -float("inf")
        for number, cell in enumerate(row.cells):
            if cell.estimate is None:
                continue
            low, typical, high = (
                log10(max(_RAREST, v)) for v in (cell.estimate.low, cell.estimate.typical, cell.estimate.high)
            )
            least, most = min(least, low), max(most, high)
            pen = pg.mkPen(theme().colour(Tone.TEXT), width=1.5)
            self._add(
                pg.ErrorBarItem(x=_one(number), y=_one(typical), top=_one(high - typical),
                                bottom=_one(typical - low), beam=0.12, pen=pen)
            )  # fmt: skip
            self._add(pg.ScatterPlotItem(x=[number], y=[typical], size=12, brush=pg.mkBrush(_colour(number)), pen=None))
            if len(row.cells) <= _MOST_ODDS:
                self._name(number, high, self._short(row, number))
        first, last = floor(least), min(0, ceil(most)) if most > -float("inf") else 0
        last = max(last, first + 1)
        step = max(1, ceil((last - first) / 5))
        marks = [(e, axis_odds(e)) for e in range(first, last + 1, step)]
        self.item.getAxis("left").setTicks([marks])
        self.item.getAxis("left").setWidth(14 * GRID)
        self.view.setYRange(first, last + (last - first) * 0.15, padding=0)

    def _whisker(self, x: float, row: ComparedRow, number: int, scale: float) -> float | None:
        estimate = row.cells[number].estimate
        if estimate is None or estimate.low == estimate.high:
            return None
        pen = pg.mkPen(theme().colour(Tone.TEXT), width=1.5)
        typical = estimate.typical / scale
        low, high = estimate.low / scale, estimate.high / scale
        self._add(
            pg.ErrorBarItem(x=_one(x), y=_one(typical), top=_one(high - typical), bottom=_one(typical - low),
                            beam=0.08, pen=pen)
        )  # fmt: skip
        return high

    def _short(self, row: ComparedRow, number: int) -> str:
        """Return the value for a label; the axis has the unit where labels stand close, and many have none."""
        text = cell_text(row.cells[number], row.line.unit).partition(" (")[0]
        if len(self._rows) > 1:
            text = text.partition(" ")[0] if len(row.cells) <= _MOST_LABELS else ""
        return f"✓ {text}" if number in row.best else text

    def _name(self, x: float, y: float, text: str) -> None:
        label = pg.TextItem(text, anchor=(0.5, 1), color=theme().colour(Tone.TEXT))
        label.setFont(text_font(SMALL_POINTS))
        label.setPos(x, y)
        self._add(label)

    def _add(self, part: object) -> None:
        self.item.addItem(part)
        self._drawn.append(part)


def _colour(number: int, *, faint: bool = False) -> QColor:
    colour = QColor((DARK if theme().dark else LIGHT)[SERIES[number]])
    if faint:
        colour.setAlpha(90)
    return colour


def _one(value: float) -> np.ndarray:
    return np.array([float(value)])
