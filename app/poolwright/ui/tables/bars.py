"""Bars on their side, one below the other, so that long names have room; all begin at zero."""

from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF

from poolwright.predict.table_drawing import Series, TableDrawing, TableMark
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.tables.colours import series_colour
from poolwright.ui.tables.plot_words import value_label
from poolwright.ui.tables.scale import range_with_labels
from poolwright.ui.tables.spot import TableSpot

if TYPE_CHECKING:
    from poolwright.ui.tables.plots import TablePlot

_FILLED = 0.8  # of the height a name has; the rest keeps groups apart
_GAP = 0.1  # of a bar
_THICKEST = 26.0  # pixels; a single bar need not fill the plot
_PAST_ZERO = 0.02  # of the width: the line of zero is in sight where all bars go left
_NAMES_SHARE = 0.42  # of the width, at most, for names


def draw_bars(plot: "TablePlot", drawing: TableDrawing) -> None:
    """Draw a bar for each mark, the first group named, with the figure at its end."""
    _name_groups(plot, drawing)
    _, height = plot.room()
    count, groups = len(drawing.series), len(drawing.categories)
    top = 0.5 + (0.6 if drawing.levels else 0.0)
    pixels = height / (groups - 0.5 + top)  # of a group
    thick = min(_FILLED / count, _THICKEST / pixels)
    texts: dict[int, str] = {}
    named: set[int] = set()
    bars = [(number, series, mark) for number, series in enumerate(drawing.series) for mark in series.marks]
    for number, series, mark in bars:
        first = number not in named and bool(series.name)
        named.add(number)
        texts[id(mark)] = f"{value_label(mark)}  {series.name}" if first else value_label(mark)
    width, _ = plot.room()
    low, high = range_with_labels(
        [mark.y for _, _, mark in bars],
        [plot.text_width(texts[id(mark)]) + 2 * GRID for _, _, mark in bars],
        width,
        least=min((level.value for level in drawing.levels), default=0.0),
        most=max((level.value * 1.05 for level in drawing.levels), default=0.0),
    )
    high = max(high, (high - low) * _PAST_ZERO)
    plot.view.setXRange(low, high, padding=0)
    plot.view.setYRange(0.5 - groups, top, padding=0)
    for number, series, mark in bars:
        middle = -mark.x + thick * ((count - 1) / 2 - number)
        _draw_bar(plot, number, series, mark, middle, thick, texts[id(mark)])
    plot.add(pg.InfiniteLine(pos=0, angle=90, pen=pg.mkPen(theme().colour("line"), width=1)))
    for level in drawing.levels:
        plot.add_level(level, upright=True)
        past_middle = level.value > (low + high) / 2
        plot.add_text(level.name, (level.value, top), (1 if past_middle else 0, 0), Tone.MUTED)


def _draw_bar(
    plot: "TablePlot", number: int, series: Series, mark: TableMark, middle: float, thick: float, text: str
) -> None:
    selected = plot.is_selected(mark)
    pen = pg.mkPen(theme().colour(Tone.TEXT), width=2) if selected else pg.mkPen(None)
    plot.add(
        pg.BarGraphItem(
            x0=[min(0.0, mark.y)],
            x1=[max(0.0, mark.y)],
            y=[middle],
            height=[thick * (1 - _GAP)],
            brush=pg.mkBrush(series_colour(number)),
            pen=pen,
        )
    )
    plot.add_text(text, (mark.y, middle), (0 if mark.y >= 0 else 1, 0.5), Tone.TEXT)
    plot.add_spot(TableSpot(series=series, mark=mark, at=QPointF(mark.y, middle), reach=thick / 2))


def _name_groups(plot: "TablePlot", drawing: TableDrawing) -> None:
    metrics = QFontMetricsF(text_font(SMALL_POINTS))
    most = plot.view.width() * _NAMES_SHARE
    names = [metrics.elidedText(name, Qt.TextElideMode.ElideRight, most) for name in drawing.categories]
    axis = plot.item.getAxis("left")
    axis.setTicks([[(-float(number), name) for number, name in enumerate(names)]])
    axis.setStyle(tickLength=0)
    axis.setWidth(max(metrics.horizontalAdvance(name) for name in names) + 4 * GRID)
    bottom = plot.item.getAxis("bottom")
    bottom.setTicks(None)
    # The new width of the names holds before the room for the bars is asked for.
    plot.item.layout.activate()
