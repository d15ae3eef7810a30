"""Charts as drawings, for reports and for files of a single chart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from poolwright.capacity.explained import Step
from poolwright.domain.units import binary
from poolwright.emit.chart import (
    Chart,
    ChartLimit,
    ChartMark,
    ChartSeries,
    SeriesKind,
    ends,
    kept_apart,
    placed,
    row_place,
    ticks_between,
    x_range,
)
from poolwright.emit.drawing import Anchor, Area, Box, Dot, Drawing, Label, Shape, ShapeRole, Stroke
from poolwright.predict.number_words import UNKNOWN
from poolwright.texts import tell, tell_counted

WIDTH = 760.0
_HEIGHT, _ROW = 380.0, 34.0
_TOP, _LEGEND, _FOOT = 50.0, 20.0, 46.0
_NAMES, _BESIDE_NAMES = 210.0, 54.0
_LETTER = 6.2  # width of one, about
_LINE = 15.0
_NAME_LINES = 3  # in which names of upright lines stand, so that they do not lie on each other
_LONGEST = 30
_MOST_TOLD = 40
_TICK_SIZE = 11.0
_ACROSS, _UPWARD = 110.0, 50.0  # between ticks


@dataclass(frozen=True, slots=True)
class _Ground:
    """Where the chart itself lies in the picture, and what its edges stand for."""

    chart: Chart
    left: float
    top: float
    right: float
    bottom: float
    xs: tuple[float, float]
    ys: tuple[float, float]

    def x(self, value: float) -> float:
        return self.left + (placed(self.chart.x, value) - self.xs[0]) / (self.xs[1] - self.xs[0]) * self.width

    def y(self, value: float) -> float:
        return self.at(placed(self.chart.y, value))

    def at(self, place: float) -> float:
        return self.bottom - (place - self.ys[0]) / (self.ys[1] - self.ys[0]) * (self.bottom - self.top)

    @property
    def width(self) -> float:
        return self.right - self.left


def chart_drawing(chart: Chart) -> Drawing:
    ground = _ground(chart)
    shapes: list[Shape] = [Label(x=0, y=16, text=chart.title, size=13, strong=True), *_legend(chart), *_axes(ground)]
    for kind in (SeriesKind.STAIRS, SeriesKind.BARS, SeriesKind.CURVE, SeriesKind.LINE, SeriesKind.DOTS):
        for series in chart.series:
            if series.kind is kind:
                shapes.extend(_series(ground, series))
    shapes.extend(_limits(ground))
    shapes.extend(_labels(ground))
    height = ground.bottom + _FOOT
    return Drawing(width=WIDTH, height=height, title=chart.title, description=_told(chart), shapes=tuple(shapes))


def _ground(chart: Chart) -> _Ground:
    top = _TOP + _LEGEND * len({line for _, line, _ in _legend_places(chart)})
    if chart.rows:
        left, right = _NAMES, WIDTH - _BESIDE_NAMES
        xs = x_range(chart, right - left, _width)
        ys = (0.5 - len(chart.rows), 0.5)
        return _Ground(chart, left, top, right, top + _ROW * len(chart.rows), xs, ys)
    low, high = ends(chart.y)
    texts = [text for _, text in ticks_between(chart.y, low, high, (_HEIGHT - top - _FOOT) / _UPWARD)]
    left, right = 16 + max((_width(text) for text in texts), default=0.0), WIDTH - _BESIDE_NAMES
    xs = x_range(chart, right - left, _width)
    return _Ground(chart, left, top, right, _HEIGHT - _FOOT, xs, (low, high))


def _width(text: str) -> float:
    return _LETTER * len(text)


def _legend_places(chart: Chart) -> list[tuple[float, int, str]]:
    """Return where each name of the legend stands: how far to the right, and in which line."""
    places: list[tuple[float, int, str]] = []
    x, line = 6.0, 0
    for name in chart.legend:
        wide = 40 + _width(name)
        if x > _LETTER and x + wide > WIDTH:
            x, line = 6.0, line + 1
        places.append((x, line, name))
        x += wide
    return places


def _legend(chart: Chart) -> Iterator[Shape]:
    for x, line, name in _legend_places(chart):
        series = next(series for series in chart.series if series.name == name)
        y = 36 + _LEGEND * line
        if series.kind in (SeriesKind.LINE, SeriesKind.DOTS):
            yield Dot(x=x, y=y, radius=5, role=series.role, marker=series.marker)
        else:
            yield Box(x=x - 6, y=y - 4, width=12, height=8, role=series.role)
        yield Label(x=x + 12, y=y + 4, text=name)


def _axes(ground: _Ground) -> Iterator[Shape]:
    chart, foot = ground.chart, ground.bottom
    for place, text in ticks_between(chart.x, *ground.xs, ground.width / _ACROSS):
        x = ground.left + (place - ground.xs[0]) / (ground.xs[1] - ground.xs[0]) * ground.width
        yield Stroke(points=((x, ground.top - 6), (x, foot)), role=ShapeRole.LINE)
        yield Label(x=x, y=foot + 16, text=text, anchor=Anchor.MIDDLE, role=ShapeRole.MUTED, size=_TICK_SIZE)
    middle = (ground.left + ground.right) / 2
    yield Label(x=middle, y=foot + 36, text=chart.x.words, anchor=Anchor.MIDDLE, role=ShapeRole.MUTED)
    for row, name in enumerate(chart.rows):
        y = ground.at(-row) + 4
        yield Label(x=ground.left - 10, y=y, text=_short(name), anchor=Anchor.END)
        if row in chart.unknown:
            yield Label(x=ground.left + 8, y=y, text=tell(UNKNOWN), role=ShapeRole.MUTED)
    if chart.rows:
        return
    for place, text in ticks_between(chart.y, *ground.ys, (foot - ground.top) / _UPWARD):
        y = ground.at(place)
        yield Stroke(points=((ground.left, y), (ground.right, y)), role=ShapeRole.LINE)
        yield Label(x=ground.left - 8, y=y + 4, text=text, anchor=Anchor.END, role=ShapeRole.MUTED, size=_TICK_SIZE)
    yield Label(x=0, y=ground.top - 12, text=chart.y.words, role=ShapeRole.MUTED)


def _series(ground: _Ground, series: ChartSeries) -> Iterator[Shape]:
    if ground.chart.rows:
        for mark in series.marks:
            yield from _in_row(ground, series, mark)
        return
    points = tuple((ground.x(mark.x), ground.y(mark.y)) for mark in series.marks)
    if series.kind is SeriesKind.STAIRS:
        points = tuple(_stairs(points))
        if series.foot is not None:
            foot = ground.y(series.foot)
            corners = ((points[0][0], foot), *points, (points[-1][0], foot))
            yield Area(points=corners, role=series.role)
            return
    banded = [
        (ground.x(mark.x), ground.y(mark.low), ground.y(mark.high))
        for mark in series.marks
        if mark.low is not None and mark.high is not None
    ]
    if series.kind is SeriesKind.CURVE and banded:
        corners = (*((x, low) for x, low, _ in banded), *((x, high) for x, _, high in reversed(banded)))
        yield Area(points=corners, role=series.role, faint=True)
    else:
        for x, low, high in banded:
            yield Stroke(points=((x, low), (x, high)), role=series.role, width=1.2)
    if series.kind is not SeriesKind.DOTS and points:
        yield Stroke(points=points, role=series.role, width=1.5, dashed=series.dashed)
    if series.kind in (SeriesKind.DOTS, SeriesKind.LINE):
        for mark, (x, y) in zip(series.marks, points, strict=True):
            yield Dot(x=x, y=y, radius=series.size / 2, role=series.role, marker=series.marker, told=mark.told)


def _stairs(points: tuple[tuple[float, float], ...]) -> Iterator[tuple[float, float]]:
    for number, (x, y) in enumerate(points):
        if number:
            yield x, points[number - 1][1]
        yield x, y


def _in_row(ground: _Ground, series: ChartSeries, mark: ChartMark) -> Iterator[Shape]:
    middle, thick = row_place(ground.chart, series, mark.y, _ROW)
    y, high = ground.at(middle), thick * _ROW * 0.9
    if series.kind is SeriesKind.BARS:
        zero, end = sorted((ground.x(0.0), ground.x(mark.x)))
        box = Box(x=zero, y=y - high / 2, width=max(1.0, end - zero), height=high, role=series.role, told=mark.told)
        yield box
    if mark.low is not None and mark.high is not None and mark.low < mark.high:
        low, top = ground.x(mark.low), ground.x(mark.high)
        for points in (((low, y), (top, y)), ((low, y - 4), (low, y + 4)), ((top, y - 4), (top, y + 4))):
            yield Stroke(points=points, role=ShapeRole.TEXT, width=1.5)
    if series.kind is not SeriesKind.BARS:
        radius = series.size / 2
        yield Dot(x=ground.x(mark.x), y=y, radius=radius, role=series.role, marker=series.marker, told=mark.told)


def _labels(ground: _Ground) -> Iterator[Shape]:
    beside: list[tuple[float, float, str]] = []
    for series in ground.chart.series:
        for mark in series.marks:
            x, y = ground.x(mark.x), ground.y(mark.y)
            if not mark.label:
                continue
            if series.inside:
                yield Label(x=x, y=y + 4, text=mark.label, anchor=Anchor.MIDDLE, role=ShapeRole.GROUND, strong=True)
            elif ground.chart.rows:
                y = ground.at(row_place(ground.chart, series, mark.y, _ROW)[0])
                end = x if mark.high is None else max(x, ground.x(mark.high))
                left = mark.x < 0 and not ground.chart.x.log
                anchor = Anchor.END if left else Anchor.START
                yield Label(x=x - 8 if left else end + 8, y=y + 4, text=mark.label, anchor=anchor)
            else:
                beside.append((x, y + 4, mark.label))
    for (x, _, text), y in zip(beside, kept_apart([y for _, y, _ in beside], _LINE), strict=True):
        near = x + 10 + _width(text) > WIDTH
        yield Label(x=x - 10 if near else x + 10, y=y, text=text, anchor=Anchor.END if near else Anchor.START)


def _limits(ground: _Ground) -> Iterator[Shape]:
    level = [limit for limit in ground.chart.limits if not limit.upright]
    heights = kept_apart([ground.y(limit.value) - 4 for limit in level], _LINE)
    for limit, height in zip(level, heights, strict=True):
        y = ground.y(limit.value)
        yield Stroke(points=((ground.left, y), (ground.right, y)), role=ShapeRole.MUTED, width=1.2, dashed=True)
        yield Label(x=ground.left + 4, y=height, text=limit.name)
    for limit in ground.chart.limits:
        if limit.upright:
            yield from _upright(ground, limit)


def _upright(ground: _Ground, limit: ChartLimit) -> Iterator[Shape]:
    x = ground.x(limit.value)
    left = x > (ground.left + ground.right) / 2
    yield Stroke(points=((x, ground.top), (x, ground.bottom)), role=ShapeRole.MUTED, width=1.2, dashed=True)
    anchor = Anchor.END if left else Anchor.START
    places = sorted({other.value for other in ground.chart.limits if other.upright})
    y = ground.top + 10 + _LINE * (places.index(limit.value) % _NAME_LINES)
    yield Label(x=x - 4 if left else x + 4, y=y, text=limit.name, anchor=anchor)


def _told(chart: Chart) -> str:
    marks = [(series, mark) for series in chart.series for mark in series.marks]
    limits = [limit.told or limit.name for limit in chart.limits]
    if len(marks) > _MOST_TOLD:
        few = (
            tell_counted("{name}: {count} mark", "{name}: {count} marks", len(series.marks), name=series.name)
            for series in chart.series
            if series.name
        )
        return "; ".join([*few, *limits])
    return "; ".join([*(mark.told or mark.label for _, mark in marks), *limits])


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


# The way from raw to planned bytes as a picture.

_LEFT, _RIGHT, _CASCADE_DRAWING_TOP = 210.0, 150.0, 34.0


def cascade_chart(title: str, steps: Sequence[Step]) -> Drawing:
    """Return the way from raw bytes to those to plan with: each loss hangs from what was left before it.

    A step that adds bytes, as of the sizes of a pool that exists, stands on what was there before.
    """
    most = max((step.bytes_left for step in steps), default=0) or 1
    scale, row = (WIDTH - _LEFT - _RIGHT) / most, 26.0
    height = _CASCADE_DRAWING_TOP + row * len(steps) + 8
    shapes: list[Shape] = [Label(x=0, y=16, text=title, size=13, strong=True)]
    for number, step in enumerate(steps):
        middle = _CASCADE_DRAWING_TOP + row * number + row / 2
        shapes.append(
            Label(x=_LEFT - 10, y=middle + 4, text=step.title, anchor=Anchor.END, strong=step.change_bytes == 0)
        )
        change, before = step.change_bytes, (step.bytes_left - max(0, step.change_bytes)) * scale
        bars = [(0.0, before, ShapeRole.ONE)]
        if change:  # what is too small to see is still there
            bars.append((before, max(1.5, abs(change) * scale), ShapeRole.LOSS if change < 0 else ShapeRole.ONE))
        for place, (at, width, role) in enumerate(bars, 1):
            faint = place < len(bars)
            told = "" if faint else step.why
            box = Box(x=_LEFT + at, y=middle - 8, width=width, height=16, role=role, faint=faint, told=told)
            shapes.append(box)
        sign = "" if not change else "+" if change > 0 else "−"
        text = f"{sign}{binary(abs(change) if change else step.bytes_left)}"
        shapes.append(Label(x=_LEFT + bars[-1][0] + bars[-1][1] + 8, y=middle + 4, text=text))
    told = "; ".join(tell("{step}: {size} left", step=step.title, size=binary(step.bytes_left)) for step in steps)
    return Drawing(width=WIDTH, height=height, title=title, description=told, shapes=tuple(shapes))
