"""A chart drawn in its view: where its marks stand, which of them is under a point, what is emphasised."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetrics

from poolwright.emit.chart import Chart, ChartAxis, ChartLimit, ChartMark, ChartSeries, SeriesKind
from poolwright.emit.chart_axis import ends, kept_apart, placed, row_place, x_range
from poolwright.texts import tell
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.plots.chart_items import TEXTS, limit_item, place_of, series_items, text_item, text_width
from poolwright.ui.plots.chart_view import ChartView

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

    @property
    def dotted(self) -> bool:
        """Tell whether one points at its marks, not along its curve."""
        return self.series.kind in _DOTTED


_NOTHING = ChartAxis(title="", low=0.0, high=1.0)
_EMPTY = Chart(stem="", title="", x=_NOTHING, y=_NOTHING, series=())


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

    def position_of(self, of: object) -> QPointF:
        """Return where the first mark of this stands, in coordinates of the scene."""
        for drawn in self.series:
            for mark, place in zip(drawn.series.marks, drawn.at, strict=True):
                if mark.of is of:
                    return QPointF(self.view.box.mapViewToScene(QPointF(*place)))
        raise LookupError(of)

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
            elif drawn.at[0, 0] <= place.x() <= drawn.at[-1, 0] and _in_lane(drawn.series, place.y()):
                passed = int(np.count_nonzero(off_x <= 0)) - 1
                stairs = drawn.series.kind is SeriesKind.STAIRS
                curves.append((number, passed if stairs else int(np.argmin(np.abs(off_x)))))
        far_away, number, mark = min(dots, default=(_NEAR + 1, 0, 0))
        return [(-number, mark)] if far_away <= _NEAR else curves

    def limit_under(self, at: QPointF) -> ChartLimit | None:
        """Return the limit whose line is at a point of the scene."""
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
        ticks = tuple((-float(number), self._elided(name)) for number, name in enumerate(whole.rows))
        upright = replace(whole.y, ticks=ticks, low=0.5 - len(ticks), high=0.5, log=False) if ticks else whole.y
        self.view.left.take(upright)
        self.view.bottom.take(whole.x)
        self.view.recolour((upright.words, whole.x.words))
        low, high = ends(upright)
        texts = [text for _, text in self.view.left.ticks(low, high, self.view.room()[1])]
        self.view.left.setWidth(max((text_width(text) for text in texts), default=0.0) + 4 * GRID)
        # The new width of the axis holds before the room beside it is asked for.
        self.view.item.layout.activate()
        xs = x_range(whole, self.view.room()[0], text_width)
        self.view.set_whole(xs, (low, high), flat=bool(upright.ticks))

    def _elided(self, name: str) -> str:
        most = int(self.view.width() * _NAMES_SHARE)
        return QFontMetrics(text_font(SMALL_POINTS)).elidedText(name, Qt.TextElideMode.ElideRight, most)

    def _labels_in_rows(self) -> Iterator[Any]:
        (left, right), _ = self.view.whole
        radius = _RING / 2 * (right - left) / self.view.room()[0]  # a label's ground would hide half of its dot
        for drawn in self.series:
            for mark, (x, y) in zip(drawn.series.marks, drawn.at, strict=True):
                leftward = mark.x < 0 and not self.chart.x.log
                end = x if mark.high is None or leftward else max(x, placed(self.chart.x, mark.high))
                if drawn.series.kind is SeriesKind.DOTS:
                    end = x - radius if leftward else max(end, x + radius)
                if mark.label:
                    yield text_item(mark.label, (end, y), (1 if leftward else 0, 0.5))
        unknown = tell("unknown")
        for row in self.chart.unknown:
            yield text_item(unknown, (self.view.whole[0][0], -row), (0, 0.5))

    def _labels_beside(self) -> Iterator[Any]:
        (left, right), (low, high) = self.view.whole
        wide, tall = self.view.room()
        beside: list[tuple[float, float, str]] = []
        for drawn in self.series:
            for mark, (x, y) in zip(drawn.series.marks, drawn.at, strict=True):
                if mark.label and drawn.series.inside:
                    yield text_item(mark.label, (x, y), (0.5, 0.5), inside=True)
                elif mark.label:
                    beside.append((x, y, mark.label))
        aside = _RING / 2 * (right - left) / wide
        heights = kept_apart([y for _, y, _ in beside], _LINE * (high - low) / tall)
        for (x, _, text), y in zip(beside, heights, strict=True):
            near = (right - x) * wide / (right - left) < text_width(text) + _RING
            yield text_item(text, (x - aside if near else x + aside, y), (1 if near else 0, 0.5))


def _in_lane(series: ChartSeries, y: float) -> bool:
    return series.foot is None or series.foot <= y < series.foot + _LANE
