"""The parts with which pyqtgraph draws a chart: axes with its ticks, series, limits, texts."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF

from poolwright.emit.chart import Chart, ChartAxis, ChartLimit, ChartMark, ChartSeries, SeriesKind, TickForm
from poolwright.emit.chart_axis import placed, row_place, ticks_between
from poolwright.emit.drawing import Marker, ShapeRole
from poolwright.ui.parts.theme import SMALL_POINTS, text_font, theme

_SYMBOLS = {
    Marker.DISC: "o",
    Marker.SQUARE: "s",
    Marker.TRIANGLE: "t1",
    Marker.DIAMOND: "d",
    Marker.PENTAGON: "p",
    Marker.STAR: "star",
    Marker.RING: "o",
}
_FAINT_ALPHA, _MANY_ALPHA, _GROUND_ALPHA = 50, 150, 205
_MANY = 30  # dots of a series: they are drawn paler, so that one sees where several are
_NAME_BELOW, _NAME_LINES = 0.12, 3  # of the height, for the names of upright lines
_TICKS_APART, _ODDS_APART, _LEVELS_APART = 80.0, 125.0, 42.0  # pixels
_FILLED, _LIMITS, _CURVES, _DOTS, TEXTS = range(5)  # what lies over what


class TickedAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis whose ticks are those of the chart, wherever one has zoomed to."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._axis: ChartAxis | None = None
        self._texts: dict[float, str] = {}
        self.enableAutoSIPrefix(False)
        self.setStyle(tickFont=text_font(SMALL_POINTS), tickTextOffset=4, hideOverlappingLabels=False)

    def take(self, axis: ChartAxis) -> None:
        self._axis = axis
        self.picture = None
        self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return where ticks stand; called by pyqtgraph."""
        self._texts = dict(self.ticks(low, high, size))
        return [(1.0, list(self._texts))]

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        """Return their texts; called by pyqtgraph."""
        return [self._texts.get(value, "") for value in values]

    def ticks(self, low: float, high: float, size: float) -> list[tuple[float, str]]:
        """Return the ticks between two places that are ``size`` pixels apart."""
        if self._axis is None:
            return []
        across = _TICKS_APART if self._axis.form is TickForm.NUMBER else _ODDS_APART
        apart = _LEVELS_APART if self.orientation == "left" else across
        return ticks_between(self._axis, low, high, size / apart)


def place_of(chart: Chart, series: ChartSeries, mark: ChartMark, pixels: float) -> tuple[float, float]:
    """Return where a mark stands in coordinates of the view; ``pixels`` is the height of a row."""
    if chart.rows:
        return placed(chart.x, mark.x), row_place(chart, series, mark.y, pixels)[0]
    return placed(chart.x, mark.x), placed(chart.y, mark.y)


def text_width(text: str) -> float:
    """Return how many pixels a text takes."""
    return QFontMetricsF(text_font(SMALL_POINTS)).horizontalAdvance(text)


def text_item(text: str, at: tuple[float, float], anchor: tuple[float, float], *, inside: bool = False) -> Any:
    """Return a text, ``anchor`` being the point of it that stands at ``at``."""
    ground = theme().colour("base")
    ground.setAlpha(0 if inside else _GROUND_ALPHA)
    # No-break spaces keep it off what it stands beside.
    shown = text if inside else f"\u00a0{text}\u00a0"
    colour = theme().colour(ShapeRole.GROUND if inside else ShapeRole.TEXT)
    item = pg.TextItem(shown, color=colour, anchor=anchor, fill=pg.mkBrush(ground))
    item.setFont(text_font(SMALL_POINTS, semibold=inside))
    # A text is as high as its line, without the margin a document has.
    item.textItem.document().setDocumentMargin(1)
    item.setPos(*at)
    item.setZValue(TEXTS)
    return item


def limit_item(limit: ChartLimit, chart: Chart) -> Any:
    """Return the dashed line of a limit, whose name stays in sight; the highest has it above the line."""
    axis = chart.x if limit.upright else chart.y
    others = [other.value for other in chart.limits if other.upright == limit.upright]
    if limit.upright:
        left = (1, 0) if limit.value > (axis.low + axis.high) / 2 else (0, 0)
        line = sorted({*others}).index(limit.value)  # names of lines that stand close do not lie on each other
        where: dict[str, Any] = {"position": 0.98 - _NAME_BELOW * (line % _NAME_LINES), "anchors": [left, left]}
    else:
        above = (0, 1) if limit.value >= max(others) else (0, 0)
        where = {"position": 0.01, "anchors": [above, above]}
    ground = theme().colour("base")
    ground.setAlpha(_GROUND_ALPHA)
    look = {"color": theme().colour(ShapeRole.TEXT), "fill": pg.mkBrush(ground), **where}
    item = pg.InfiniteLine(
        pos=placed(axis, limit.value),
        angle=90 if limit.upright else 0,
        pen=pg.mkPen(theme().colour(ShapeRole.MUTED), width=1.2, style=Qt.PenStyle.DashLine),
        label=limit.name.replace("{", "{{").replace("}", "}}"),
        labelOpts=look,
    )
    item.label.setFont(text_font(SMALL_POINTS))
    item.setZValue(_LIMITS)
    return item


def series_items(chart: Chart, series: ChartSeries, pixels: float) -> Iterator[Any]:
    """Yield what draws a series, without its labels."""
    colour = theme().colour(series.role)
    at = np.array([place_of(chart, series, mark, pixels) for mark in series.marks]).reshape(-1, 2)
    xs, ys = at[:, 0], at[:, 1]
    pen = pg.mkPen(colour, width=2, style=Qt.PenStyle.DashLine if series.dashed else Qt.PenStyle.SolidLine)
    if series.kind is SeriesKind.BARS:
        thick = row_place(chart, series, 0, pixels)[1] * 0.9
        yield _over(
            pg.BarGraphItem(x0=np.minimum(xs, 0), x1=np.maximum(xs, 0), y=ys, height=thick, brush=colour, pen=None),
            _FILLED,
        )
    elif series.kind is SeriesKind.STAIRS and series.foot is not None:
        step = {"stepMode": "center", "fillLevel": placed(chart.y, series.foot)}
        yield _over(pg.PlotCurveItem(x=xs, y=ys[:-1], brush=pg.mkBrush(colour), pen=None, **step), _FILLED)
    elif series.kind is SeriesKind.STAIRS:
        yield _over(pg.PlotCurveItem(x=np.repeat(xs, 2)[1:], y=np.repeat(ys, 2)[:-1], pen=pen), _CURVES)
    elif series.kind is not SeriesKind.DOTS:
        yield _over(pg.PlotCurveItem(x=xs, y=ys, pen=pen, antialias=True), _CURVES)
    yield from _band(chart, series, at, colour)
    if series.kind in (SeriesKind.DOTS, SeriesKind.LINE):
        yield _over(dots_item(series, at, colour), _DOTS)


def _over(item: Any, height: int) -> Any:
    item.setZValue(height)
    return item


def dots_item(series: ChartSeries, at: Any, colour: QColor) -> Any:
    ring = series.marker is Marker.RING
    fill = QColor(colour)
    fill.setAlpha(0 if ring else _MANY_ALPHA if len(at) > _MANY else 255)
    pen = pg.mkPen(colour, width=2) if ring else pg.mkPen(theme().colour(ShapeRole.GROUND), width=1)
    return pg.ScatterPlotItem(
        x=at[:, 0],
        y=at[:, 1],
        size=series.size,
        symbol=_SYMBOLS[series.marker],
        brush=fill,
        pen=None if len(at) > _MANY else pen,
        tip=None,
    )


def _band(chart: Chart, series: ChartSeries, at: Any, colour: QColor) -> Iterator[Any]:
    """Yield the band of a curve, or the whiskers of marks."""
    banded = [n for n, mark in enumerate(series.marks) if mark.low is not None and mark.high is not None]
    if not banded:
        return
    axis = chart.x if chart.rows else chart.y
    low = np.array([placed(axis, series.marks[n].low or 0.0) for n in banded])
    high = np.array([placed(axis, series.marks[n].high or 0.0) for n in banded])
    xs, ys = at[banded, 0], at[banded, 1]
    if series.kind is SeriesKind.CURVE:
        faint = QColor(colour)
        faint.setAlpha(_FAINT_ALPHA)
        edges = pg.PlotCurveItem(x=xs, y=low), pg.PlotCurveItem(x=xs, y=high)
        yield _over(pg.FillBetweenItem(*edges, brush=pg.mkBrush(faint)), _FILLED)
    elif chart.rows:
        pen = pg.mkPen(theme().colour(ShapeRole.TEXT), width=1.5)
        yield _over(pg.ErrorBarItem(x=xs, y=ys, left=xs - low, right=high - xs, beam=0.12, pen=pen), _CURVES)
    else:
        pen = pg.mkPen(colour, width=1.2)
        yield _over(pg.ErrorBarItem(x=xs, y=ys, bottom=ys - low, top=high - ys, pen=pen), _CURVES)
