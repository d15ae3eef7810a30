"""A chart drawn in its view: where its marks stand, which of them is under a point, what is emphasised."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QFontMetricsF, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from poolwright.emit.chart import (
    Chart,
    ChartAxis,
    ChartLimit,
    ChartMark,
    ChartSeries,
    SeriesKind,
    TickForm,
    ends,
    kept_apart,
    placed,
    row_place,
    ticks_between,
    x_range,
)
from poolwright.emit.drawing import Marker, ShapeRole
from poolwright.texts import _
from poolwright.ui.parts import widgets
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

# The parts with which pyqtgraph draws a chart: axes with its ticks, series, limits, texts.

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

    def recolour(self, title: str) -> None:
        self.setPen(pg.mkPen(theme().colour("line")))
        self.setTextPen(pg.mkPen(theme().colour(Tone.MUTED)))
        self.setLabel(title, **{"color": theme().colour(Tone.MUTED).name(), "font-size": f"{SMALL_POINTS:.0f}pt"})

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


# The ground of a chart: zoomed with Ctrl and the wheel, moved by dragging, whole again with a double click.

LEAST_HEIGHT = 25 * GRID  # lower, a plot cannot be read
_BESIDE = 20  # pixels to the right, for half of the last tick's text
_CLOSEST = 1e-4  # of the whole: nearer than that one does not zoom
_STEP = 0.7  # of what is shown: a step of zooming by key
Range = tuple[float, float]


class CtrlWheel:
    """Zooms with Ctrl and the wheel only: without it the page scrolls. A double click shows all."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)  # type: ignore[misc]
            event.accept()
        else:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.show_all()
        event.accept()

    def show_all(self) -> None:
        raise NotImplementedError


class ChartView(CtrlWheel, pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """Shows a part of what is whole, never more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.left, self.bottom = TickedAxis("left"), TickedAxis("bottom")
        super().__init__(parent, axisItems={"left": self.left, "bottom": self.bottom})
        self.setMinimumHeight(LEAST_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the chart around it has the keys
        self.item = self.getPlotItem()
        self.box = self.item.vb
        self.item.setMenuEnabled(False)
        self.item.hideButtons()
        widgets.room(self.item.layout, around=(0, GRID // 2, _BESIDE, 0))
        self.box.disableAutoRange()
        self.whole: tuple[Range, Range] = ((0.0, 1.0), (0.0, 1.0))
        self.is_zoomed = False
        self.box.sigRangeChangedManually.connect(self._on_moved)

    def sizeHint(self) -> QSize:
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
        self.is_zoomed = False
        self.box.setRange(xRange=self.whole[0], yRange=self.whole[1], padding=0, disableAutoRange=True)

    def zoom_in(self) -> None:
        self._zoom(_STEP)

    def zoom_out(self) -> None:
        self._zoom(1 / _STEP)

    def _zoom(self, factor: float) -> None:
        self.box.scaleBy((factor, factor if self.box.state["mouseEnabled"][1] else 1.0))
        self._on_moved()

    def pan(self, across: float, up: float) -> None:
        """Move what is shown by shares of it."""
        (left, right), (low, high) = self.box.viewRange()
        vertical = up * (high - low) if self.box.state["mouseEnabled"][1] else 0.0
        self.box.translateBy(x=across * (right - left), y=vertical)
        self._on_moved()

    def recolour(self, titles: tuple[str, str]) -> None:
        self.setBackground(theme().colour("base"))
        for axis, title in zip((self.left, self.bottom), titles, strict=True):
            axis.recolour(title)

    def _on_moved(self) -> None:
        pairs = zip(self.box.viewRange(), self.whole, strict=True)
        self.is_zoomed = any(part[1] - part[0] < (whole[1] - whole[0]) * (1 - _CLOSEST) for part, whole in pairs)


_NEAR = 14.0  # pixels from a dot within which the pointer means it
_NEAR_LINE = 5.0
_NAMES_SHARE = 0.42  # of the width, at most, for names of rows
_RING, _LINE = 16, 17.0  # pixels
_LANE = 1.0
_DOTTED = frozenset({SeriesKind.DOTS, SeriesKind.LINE, SeriesKind.BARS})


@dataclass(frozen=True, slots=True)
class DrawnSeries:
    """A series with the places of its marks in the view."""

    series: ChartSeries
    at: Any

    @property
    def tells(self) -> bool:
        return any(mark.told for mark in self.series.marks)

    def has_lane_at(self, y: float) -> bool:
        return self.series.foot is None or self.series.foot <= y < self.series.foot + _LANE

    @property
    def dotted(self) -> bool:
        """Tell whether one points at its marks, not along its curve."""
        return self.series.kind in _DOTTED


_NOTHING = ChartAxis(title="", low=0.0, high=1.0)
_EMPTY = Chart(stem="", title="", x=_NOTHING, y=_NOTHING, series=())


def _letters(drawn: DrawnSeries) -> Iterator[Any]:
    """Yield the letters inside the marks of a series, which the marks of the next one may cover."""
    for mark, (x, y) in zip(drawn.series.marks, drawn.at, strict=True):
        if mark.label and drawn.series.inside:
            yield _over(text_item(mark.label, (x, y), (0.5, 0.5), inside=True), _DOTS)


class DrawnChart:
    """Draws a chart into ``view``. ``cursor`` is the number of a series and that of a mark, None for none."""

    def __init__(self, view: ChartView) -> None:
        self.view = view
        self.chart = _EMPTY
        self.series: list[DrawnSeries] = []
        self.cursor: tuple[int, int] | None = None
        self.selected: object = None
        self._items: list[Any] = []
        self._extra: list[Any] = []

    @property
    def mark(self) -> ChartMark | None:
        return None if self.cursor is None else self.series[self.cursor[0]].series.marks[self.cursor[1]]

    def order(self, number: int) -> list[int]:
        """Return the numbers of the marks of a series from left to right, in rows from the top down."""
        at = self.series[number].at
        return [int(place) for place in np.argsort(-at[:, 1] if self.chart.rows else at[:, 0], kind="stable")]

    def under(self, at: QPointF) -> list[tuple[int, int]]:
        """Return series and mark at a point of the scene: the nearest dot or bar, else one of each curve."""
        place = self.view.box.mapSceneToView(at)
        wide, high = self.view.box.viewPixelSize()
        dots: list[tuple[float, int, int]] = []
        curves: list[tuple[int, int]] = []
        for number, drawn in enumerate(self.series):
            off_x, off_y = drawn.at[:, 0] - place.x(), drawn.at[:, 1] - place.y()
            if not drawn.tells:
                continue
            if self.chart.rows or drawn.dotted:
                far = np.abs(off_y) / self._reach(drawn) if self.chart.rows else np.hypot(off_x / wide, off_y / high)
                nearest = int(np.argmin(far))
                dots.append((float(far[nearest]), -number, nearest))
            elif drawn.at[0, 0] <= place.x() <= drawn.at[-1, 0] and drawn.has_lane_at(place.y()):
                passed = int(np.count_nonzero(off_x <= 0)) - 1
                stairs = drawn.series.kind is SeriesKind.STAIRS
                curves.append((number, passed if stairs else int(np.argmin(np.abs(off_x)))))
        far_away, number, mark = min(dots, default=(_NEAR + 1, 0, 0))
        return [(-number, mark)] if far_away <= _NEAR else curves

    def limit_under(self, at: QPointF) -> ChartLimit | None:
        place = self.view.box.mapSceneToView(at)
        wide, high = self.view.box.viewPixelSize()
        for limit in self.chart.limits:
            if limit.upright:
                off = (place.x() - placed(self.chart.x, limit.value)) / wide
            else:
                off = (place.y() - placed(self.chart.y, limit.value)) / high
            if abs(off) <= _NEAR_LINE:
                return limit
        return None

    def draw(self, whole: Chart, off: frozenset[str]) -> None:
        """Draw a chart without the series of the names in ``off``, in the place that all of it takes."""
        for item in self._items:
            self.view.item.removeItem(item)
        chart = self.chart = whole.without(off)
        self._show_axes(whole)
        pixels = self._row_pixels()
        self.series, self._items = [], []
        for series in chart.series:
            if series.marks:
                at = np.array([place_of(chart, series, mark, pixels) for mark in series.marks])
                self.series.append(DrawnSeries(series, at))
                self._items.extend(series_items(chart, series, pixels))
                self._items.extend(_letters(self.series[-1]))
        self._items.extend(limit_item(limit, chart) for limit in chart.limits)
        self._items.extend(self._labels_in_rows() if chart.rows else self._labels_beside())
        for item in self._items:
            self.view.item.addItem(item, ignoreBounds=True)
        self.emphasise()

    def emphasise(self) -> None:
        """Ring what is selected and what the cursor is at."""
        for item in self._extra:
            self.view.item.removeItem(item)
        self._extra = []
        chosen = [
            tuple(place)
            for drawn in self.series
            for mark, place in zip(drawn.series.marks, drawn.at, strict=True)
            if self.selected is not None and mark.of is self.selected
        ]
        at = []
        if self.cursor is not None:
            drawn = self.series[self.cursor[0]]
            at = [tuple(drawn.at[self.cursor[1]])]
            if not drawn.dotted and not self.chart.rows:
                pen = pg.mkPen(theme().colour(Tone.MUTED), width=1, style=Qt.PenStyle.DotLine)
                self._extra.append(pg.InfiniteLine(pos=at[0][0], angle=90, pen=pen))
        for places, tone in ((chosen, Tone.TEXT), (at, Tone.ACCENT)):
            if places:
                pen = pg.mkPen(theme().colour(tone), width=2)
                self._extra.append(pg.ScatterPlotItem(pos=places, size=_RING, symbol="o", brush=None, pen=pen))
        for item in self._extra:
            item.setZValue(TEXTS - 1)
            self.view.item.addItem(item, ignoreBounds=True)

    def _row_pixels(self) -> float:
        return self.view.room()[1] / max(1, len(self.chart.rows))

    def _reach(self, drawn: DrawnSeries) -> float:
        """Return how far from the middle of a bar it ends, so that its end is as far off as a dot may be."""
        return row_place(self.chart, drawn.series, 0, self._row_pixels())[1] / 2 / _NEAR

    def _show_axes(self, whole: Chart) -> None:
        most, metrics = int(self.view.width() * _NAMES_SHARE), QFontMetrics(text_font(SMALL_POINTS))
        names = (metrics.elidedText(name, Qt.TextElideMode.ElideRight, most) for name in whole.rows)
        ticks = tuple((-float(number), name) for number, name in enumerate(names))
        upright = replace(whole.y, ticks=ticks, low=0.5 - len(ticks), high=0.5, log=False) if ticks else whole.y
        self.view.left.take(upright)
        self.view.bottom.take(whole.x)
        self.view.recolour((upright.words, whole.x.words))
        low, high = ends(upright)
        texts = [text for __, text in self.view.left.ticks(low, high, self.view.room()[1])]
        self.view.left.setWidth(max((text_width(text) for text in texts), default=0.0) + 4 * GRID)
        # The new width of the axis holds before the room beside it is asked for.
        self.view.item.layout.activate()
        xs = x_range(whole, self.view.room()[0], text_width)
        self.view.set_whole(xs, (low, high), flat=bool(upright.ticks))

    def _labels_in_rows(self) -> Iterator[Any]:
        (left, right), __ = self.view.whole
        radius = _RING / 2 * (right - left) / self.view.room()[0]  # a label's ground would hide half of its dot
        for drawn in self.series:
            for mark, (x, y) in zip(drawn.series.marks, drawn.at, strict=True):
                leftward = mark.x < 0 and not self.chart.x.log
                end = x if mark.high is None or leftward else max(x, placed(self.chart.x, mark.high))
                if drawn.series.kind is SeriesKind.DOTS:
                    end = x - radius if leftward else max(end, x + radius)
                if mark.label:
                    yield text_item(mark.label, (end, y), (1 if leftward else 0, 0.5))
        unknown = _("unknown")
        for row in self.chart.unknown:
            yield text_item(unknown, (self.view.whole[0][0], -row), (0, 0.5))

    def _labels_beside(self) -> Iterator[Any]:
        (left, right), (low, high) = self.view.whole
        wide, tall = self.view.room()
        labels: list[tuple[float, float, str]] = []
        letters = [at for drawn in self.series if drawn.series.inside for at in drawn.at]
        for drawn in self.series:
            for mark, (x, y) in zip(drawn.series.marks, drawn.at, strict=True):
                if mark.label and not drawn.series.inside:
                    labels.append((x, y, mark.label))
        aside, upright = _RING / 2 * (right - left) / wide, _LINE * (high - low) / tall
        heights = kept_apart([y for _x, y, _text in labels], upright)
        for (x, __, text), y in zip(labels, heights, strict=True):
            length = (text_width(text) + _RING) * (right - left) / wide
            over = any(x < at[0] < x + length and abs(at[1] - y) < upright for at in letters)
            near = right - x < length or (over and x - left > length)
            yield text_item(text, (x - aside if near else x + aside, y), (1 if near else 0, 0.5))
