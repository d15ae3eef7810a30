"""Measured values as dots of a shape and colour for each series, with whiskers where the spread is known."""

from math import log10
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFontMetricsF

from poolwright.predict.table_drawing import DrawnLevel, Series, TableDrawing, TableMark
from poolwright.predict.table_plot import Axis, PlotKind
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.tables.colours import SHAPES, series_colour
from poolwright.ui.tables.plot_words import value_label
from poolwright.ui.tables.scale import decade_ticks, decades, kept_apart, range_with_labels
from poolwright.ui.tables.spot import TableSpot

if TYPE_CHECKING:
    from poolwright.ui.tables.plots import TablePlot

_DOT, _SMALL_DOT, _RING = 8, 6, 16
_FEW = 4  # marks of a series: each gets its figure
_MANY = 30  # marks of a series: they are drawn smaller and paler
_ROOM_ABOVE = 1.12
_ROOM_BELOW = 0.025  # of the height, where a dot would be cut by the axis
_FEW_NUMBERS = 12


def draw_dots(plot: "TablePlot", drawing: TableDrawing) -> None:
    """Draw the marks, joined for a line, with the name of each series at its last mark."""
    log = drawing.plot.log
    _name_axes(plot, drawing)
    labels = [_end_label(drawing, series) for series in drawing.series]
    low_x, high_x = _x_range(plot, drawing, labels)
    low_y, high_y = _y_range(drawing)
    plot.view.setXRange(low_x, high_x, padding=0)
    plot.view.setYRange(low_y, high_y, padding=0)
    for axis, side, (low, high) in ((Axis.X, "bottom", (low_x, high_x)), (Axis.Y, "left", (low_y, high_y))):
        plot.item.getAxis(side).setTicks([decade_ticks(low, high)] if axis in log else _ticks(drawing, axis, high))
    for level in drawing.levels:
        _draw_level(plot, drawing, level, (low_x, high_x), (low_y, high_y))
    for number, series in enumerate(drawing.series):
        _draw_series(plot, drawing, number, series)
    _name_series(plot, drawing, labels, (low_y, high_y))


def _place(drawing: TableDrawing, mark: TableMark) -> tuple[float, float]:
    log = drawing.plot.log
    return (log10(mark.x) if Axis.X in log else mark.x), (log10(mark.y) if Axis.Y in log else mark.y)


def _name_axes(plot: "TablePlot", drawing: TableDrawing) -> None:
    axis = plot.item.getAxis("left")
    axis.setStyle(tickLength=-5)
    figures = [f"{value:,.0f}" for value in _highest(drawing)] + ["0.00"]
    metrics = QFontMetricsF(text_font(SMALL_POINTS))
    axis.setWidth(max(metrics.horizontalAdvance(text) for text in figures) + 5 * GRID)
    plot.item.layout.activate()


def _highest(drawing: TableDrawing) -> list[float]:
    levels = [level.value for level in drawing.levels if level.axis is Axis.Y]
    return [mark.high if mark.high is not None else mark.y for mark in drawing.marks] + levels


def _x_range(plot: "TablePlot", drawing: TableDrawing, labels: list[str]) -> tuple[float, float]:
    xs = [mark.x for mark in drawing.marks]
    if Axis.X in drawing.plot.log:
        return decades(xs)
    most = max([*xs, *(level.value for level in drawing.levels if level.axis is Axis.X)])
    if drawing.x_unit == "percent":
        most = max(most, 100.0)
    elif len(set(xs)) == 1:
        most *= 2  # a single place stands in the middle
    ends = [max(mark.x for mark in series.marks) for series in drawing.series]
    widths = [plot.text_width(label) + 2 * GRID for label in labels]
    return range_with_labels(ends, widths, plot.room()[0], least=0.0, most=most * 1.02)


def _y_range(drawing: TableDrawing) -> tuple[float, float]:
    highest = _highest(drawing)
    if Axis.Y in drawing.plot.log:
        lowest = [mark.low or mark.y for mark in drawing.marks]
        return decades([*lowest, *highest])
    lows = [mark.low if mark.low is not None else mark.y for mark in drawing.marks]
    top = max(highest) * _ROOM_ABOVE
    return (-top * _ROOM_BELOW if min(lows) < top * _ROOM_BELOW else 0.0), top


def _ticks(drawing: TableDrawing, axis: Axis, high: float) -> Any:
    """Return ticks at whole numbers where there are few of them, up to 100 for shares; else pyqtgraph's own."""
    if axis is Axis.X and drawing.x_unit == "percent":
        return [[(float(x), str(x)) for x in range(0, 101, 20)]]
    if axis is Axis.X and 1 < high <= _FEW_NUMBERS:
        return [[(float(x), str(x)) for x in range(int(high) + 1)]]
    return None


def _draw_series(plot: "TablePlot", drawing: TableDrawing, number: int, series: Series) -> None:
    colour = series_colour(number)
    at = [_place(drawing, mark) for mark in series.marks]
    many = len(at) > _MANY
    for mark, (x, y) in zip(series.marks, at, strict=True):
        plot.add_spot(TableSpot(series=series, mark=mark, at=QPointF(x, y)))
        if mark.low is not None and mark.high is not None:
            _draw_whisker(plot, drawing, mark, x, colour, pale=many)
    if drawing.plot.kind is PlotKind.LINE and len(at) > 1:
        plot.add(
            pg.PlotDataItem([x for x, _ in at], [y for _, y in at], pen=pg.mkPen(colour, width=1.5), antialias=True)
        )
    dots = pg.ScatterPlotItem(
        x=[x for x, _ in at],
        y=[y for _, y in at],
        size=_SMALL_DOT if many else _DOT,
        symbol=SHAPES[number],
        brush=pg.mkBrush(colour),
        pen=pg.mkPen(theme().colour("base"), width=1),
    )
    plot.add(dots)
    rings = [place for mark, place in zip(series.marks, at, strict=True) if plot.is_selected(mark)]
    if rings:
        pen = pg.mkPen(theme().colour(Tone.TEXT), width=2)
        plot.add(pg.ScatterPlotItem(pos=rings, size=_RING, symbol="o", brush=pg.mkBrush(None), pen=pen))


def _draw_whisker(
    plot: "TablePlot", drawing: TableDrawing, mark: TableMark, x: float, colour: QColor, *, pale: bool
) -> None:
    assert mark.low is not None
    assert mark.high is not None
    log = Axis.Y in drawing.plot.log
    low = log10(mark.low) if log and mark.low > 0 else mark.low
    high = log10(mark.high) if log else mark.high
    faint = QColor(colour)
    if pale:
        faint.setAlpha(110)
    plot.add(pg.PlotDataItem([x, x], [low, high], pen=pg.mkPen(faint, width=1.2)))


def _end_label(drawing: TableDrawing, series: Series) -> str:
    """Return what stands beside the last mark of a series: its name, and its figure where there are few marks."""
    figure = value_label(series.marks[-1]) if len(series.marks) <= _FEW and not _joined(drawing) else ""
    return "  ".join(filter(None, (figure, series.name)))


def _joined(drawing: TableDrawing) -> bool:
    return drawing.plot.kind is PlotKind.LINE


def _name_series(plot: "TablePlot", drawing: TableDrawing, labels: list[str], ys: tuple[float, float]) -> None:
    ends = [_place(drawing, series.marks[-1]) for series in drawing.series]
    line = QFontMetricsF(text_font(SMALL_POINTS)).height() * (ys[1] - ys[0]) / plot.room()[1]
    heights = kept_apart([y for _, y in ends], line)
    for text, (x, _), y in zip(labels, ends, heights, strict=True):
        if text:
            offset = _DOT * plot.item.vb.viewPixelSize()[0]
            plot.add_text(text, (x + offset, max(y, ys[0] + line / 2)), (0, 0.5), Tone.TEXT)


def _draw_level(
    plot: "TablePlot", drawing: TableDrawing, level: DrawnLevel, xs: tuple[float, float], ys: tuple[float, float]
) -> None:
    stands = level.axis is Axis.X
    plot.add_level(level, upright=stands)
    if stands:
        left = level.value > sum(xs) / 2
        plot.add_text(level.name, (level.value, ys[1]), (1 if left else 0, 0), Tone.MUTED)
        return
    others = [other.value for other in drawing.levels if other.axis is level.axis and other is not level]
    above = not others or level.value >= max(others)
    at_right = _joined(drawing)
    plot.add_text(level.name, (xs[1 if at_right else 0], level.value), (int(at_right), int(above)), Tone.MUTED)
