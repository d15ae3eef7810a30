"""A chart as one value: what it shows and what each mark tells; and as a drawing, for reports and files.

pyqtgraph draws it in the window (`ui/plots`); both ask this module where things stand, so that they agree.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil, floor, log10
from statistics import fmean

from poolwright.capacity.explained import Step
from poolwright.domain.shown import csv_text
from poolwright.domain.units import binary
from poolwright.emit.drawing import Anchor, Area, Box, Dot, Drawing, Label, Marker, Shape, ShapeRole, Stroke
from poolwright.predict.number_words import UNKNOWN, odds_text
from poolwright.texts import _, ngettext, numeral


class TickForm(StrEnum):
    """How the numbers of an axis read: as they are, as odds of a probability, or as how rare it is (1 in so many)."""

    NUMBER = "number"
    ODDS = "odds"
    ONE_IN = "one in"


class SeriesKind(StrEnum):
    CURVE = "curve"  # joined, low to high as a band around them
    STAIRS = "stairs"  # each value holds until the next mark
    LINE = "line"  # dots, joined
    DOTS = "dots"  # dots; low to high as a whisker
    BARS = "bars"  # in their row, from zero


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartAxis:
    """What is counted along an axis, in ``unit``; at first ``low`` to ``high`` is shown.

    On a ``log`` axis all values are above zero. ``ticks`` are named places; without them there are round numbers.
    """

    title: str
    low: float
    high: float
    unit: str = ""
    log: bool = False
    form: TickForm = TickForm.NUMBER
    ticks: tuple[tuple[float, str], ...] = ()

    @property
    def words(self) -> str:
        return f"{self.title} ({self.unit})" if self.unit else self.title


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartMark:
    """A value at (``x``, ``y``) with its band, which lies along x in a chart with rows, else along y.

    ``label`` stands beside it, ``told`` is its value with band and source in words. ``of`` is what it is a value of.
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    label: str = ""
    told: str = ""
    of: object = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartSeries:
    """Marks of one kind and colour; one with a ``name`` stands in the legend and can be switched off.

    ``foot`` is the height down to which stairs are filled: they stand in a lane of height 1 then. ``inside`` puts
    labels on the dots, which are ``size`` units wide.
    """

    name: str
    kind: SeriesKind
    marks: tuple[ChartMark, ...]
    role: ShapeRole = ShapeRole.ACCENT
    marker: Marker = Marker.DISC
    size: float = 8.0
    foot: float | None = None
    dashed: bool = False
    inside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartLimit:
    """A named line across the chart at a value of y, or of x where it is ``upright``."""

    name: str
    value: float
    upright: bool = False
    told: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """``stem`` names a file of it. With ``rows`` marks stand in the row of the number ``y``, the first at the top.

    ``unknown`` are the rows without a value.
    """

    stem: str
    title: str
    x: ChartAxis
    y: ChartAxis
    series: tuple[ChartSeries, ...]
    limits: tuple[ChartLimit, ...] = ()
    rows: tuple[str, ...] = ()
    unknown: tuple[int, ...] = ()

    @property
    def legend(self) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(series.name for series in self.series if series.name))
        return names if len(names) > 1 else ()

    def without(self, names: Iterable[str]) -> "Chart":
        off = frozenset(names)
        return replace(self, series=tuple(series for series in self.series if series.name not in off))

    def csv(self) -> str:
        value, place = (self.x, self.y) if self.rows else (self.y, self.x)
        lines = [["series", place.words or "row", value.words, "low", "high", "told"]]
        for series in self.series:
            for mark in series.marks:
                at = self.rows[int(mark.y)] if self.rows else f"{mark.x:.10g}"
                numbers = (mark.x if self.rows else mark.y, mark.low, mark.high)
                cells = ("" if number is None else f"{number:.10g}" for number in numbers)
                lines.append([series.name, at, *cells, mark.told or mark.label])
        return csv_text(lines)


# Where things stand in a chart: ranges, ticks, room for labels. Plain arithmetic on numbers and pixels.

RAREST = 1e-15
_ROUNDS = 6
_EDGE = 0.06  # of a power of ten beyond the last tick, so that it and its text are in sight
_FILLED = 0.8  # of the height a row has; the rest keeps rows apart
_THICKEST = 26.0  # pixels; a single bar need not fill the chart
_LABEL_GAP = 16.0  # pixels around a label
_ROOM_ABOVE, _ROOM_BELOW = 1.12, 0.025


def axis_over(
    title: str, values: Iterable[float], *, unit: str = "", room: float = 1.0, whole: bool = False
) -> ChartAxis:
    """Return an axis from zero, or less, to the largest value times ``room``; ``whole`` has ticks at whole numbers."""
    known = list(values)
    low, high = min([0.0, *known]), max([0.0, *known]) * room
    high = high if high > low else low + 1.0
    ticks = tuple((float(x), str(x)) for x in range(ceil(low), floor(high) + 1)) if whole else ()
    return ChartAxis(title=title, unit=unit, low=low, high=high, ticks=ticks)


def room_for_dots(axis: ChartAxis) -> ChartAxis:
    """Return an upright axis with room above its marks, and below zero, where a dot would be cut."""
    high = axis.high * _ROOM_ABOVE
    low = min(axis.low, -high * _ROOM_BELOW)
    return replace(axis, low=low, high=high)


def log_axis(title: str, values: Iterable[float], *, unit: str = "", form: TickForm = TickForm.NUMBER) -> ChartAxis:
    """Return a logarithmic axis over the whole powers of ten that hold ``values``; zeros stand at the rarest."""
    known = [max(RAREST, value) for value in values] or [1.0]
    low, high = floor(log10(min(known))), ceil(log10(max(known)))
    high = max(high, low + 1)
    if form is TickForm.ODDS and high > 0:
        low, high = min(low, -1), 0
    return ChartAxis(
        title=title, unit=unit, low=10.0 ** (low - _EDGE), high=10.0 ** (high + _EDGE), log=True, form=form
    )


def placed(axis: ChartAxis, value: float) -> float:
    """Return where a value stands along its axis: itself, or its power of ten."""
    return log10(max(RAREST, value)) if axis.log else value


def ends(axis: ChartAxis) -> tuple[float, float]:
    return placed(axis, axis.low), placed(axis, axis.high)


def ticks_between(axis: ChartAxis, low: float, high: float, most: float) -> list[tuple[float, str]]:
    """Return places from ``low`` to ``high`` with their texts, about ``most`` of them."""
    if axis.ticks:
        return [(placed(axis, value), text) for value, text in axis.ticks if low <= placed(axis, value) <= high]
    step = nice((high - low) / max(1.0, most))
    if axis.log and high - low >= 1.0:
        step = float(max(1, ceil((high - low) / max(1.0, most))))
    numbers = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
    return [(number * step, _tick_text(axis, number * step)) for number in numbers]


def _tick_text(axis: ChartAxis, place: float) -> str:
    value = 10.0**place if axis.log else place
    if axis.form is TickForm.ODDS:
        return odds_text(min(1.0, value))
    if axis.form is TickForm.ONE_IN:
        return odds_text(min(1.0, 1 / value))
    return numeral(float(f"{value:.3g}" if axis.log else value), ",.10g")


def nice(raw: float) -> float:
    if raw <= 0:
        return 1.0
    power = 10.0 ** floor(log10(raw))
    return next((factor * power for factor in (1, 2, 5) if factor * power >= raw * (1 - 1e-9)), 10 * power)


def x_range(chart: Chart, room: float, width_of: Callable[[str], float]) -> tuple[float, float]:
    """Return the range of x that has room for the labels to the right of their marks, in a width of ``room`` pixels."""
    low, high = ends(chart.x)
    labels = [
        (
            placed(chart.x, mark.x if mark.high is None or not chart.rows else max(mark.x, mark.high)),
            width_of(mark.label) + _LABEL_GAP,
        )
        for series in chart.series
        if not series.inside
        for mark in series.marks
        if mark.label
    ]
    if not labels or not (chart.rows or any(series.kind is SeriesKind.LINE for series in chart.series)):
        return low, high
    values, widths = [at for at, __ in labels], [width for __, width in labels]
    return range_with_labels(values, widths, room, least=low, most=high, leftward=not chart.x.log)


def range_with_labels(
    values: Sequence[float], widths: Sequence[float], room: float, *, least: float, most: float, leftward: bool = True
) -> tuple[float, float]:
    """Return the range that holds ``least`` to ``most`` and each value with a label of ``widths`` pixels beyond it.

    ``room`` is the width of the chart in pixels. Labels may take half of the room at most; with ``leftward`` those of
    values below zero stand to the left.
    """
    low, high = min([least, *values]), max([most, *values])
    if low == high:
        high = low + 1.0
    start_low, start_high = low, high
    labelled = [(value, min(width, room / 2)) for value, width in zip(values, widths, strict=True)]
    for __ in range(_ROUNDS):
        pixel = (high - low) / max(room, 1.0)
        high = max([start_high, *(v + width * pixel for v, width in labelled if v >= 0 or not leftward)])
        low = min([start_low, *(v - width * pixel for v, width in labelled if v < 0 and leftward)])
    return low, high


def kept_apart(wanted: Sequence[float], distance: float) -> list[float]:
    """Return positions near ``wanted``, in the same order, no two nearer than ``distance``."""
    if not wanted:
        return []
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    placed_at = [wanted[number] for number in order]
    for number in range(1, len(placed_at)):
        placed_at[number] = max(placed_at[number], placed_at[number - 1] + distance)
    # Shift what was pushed back by half, so that a pair moves apart to both sides.
    shift = fmean(placed_at) - fmean(wanted)
    result = [0.0] * len(wanted)
    for place, number in zip(placed_at, order, strict=True):
        result[number] = place - shift
    return result


def row_place(chart: Chart, series: ChartSeries, row: float, pixels: float) -> tuple[float, float]:
    """Return the middle and the thickness of a bar or dot of a series in a row ``pixels`` high; rows go down from 0."""
    drawn = chart.series
    thick = min(_FILLED / len(drawn), _THICKEST / pixels)
    number = next(n for n, other in enumerate(drawn) if other is series)
    return -row + thick * ((len(drawn) - 1) / 2 - number), thick


# Charts as drawings, for reports and for files of a single chart.

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
    return Drawing(width=WIDTH, height=height, title=chart.title, description=_description(chart), shapes=tuple(shapes))


def _ground(chart: Chart) -> _Ground:
    top = _TOP + _LEGEND * len({line for _x, line, _name in _legend_places(chart)})
    if chart.rows:
        left, right = _NAMES, WIDTH - _BESIDE_NAMES
        xs = x_range(chart, right - left, _width)
        ys = (0.5 - len(chart.rows), 0.5)
        return _Ground(chart, left, top, right, top + _ROW * len(chart.rows), xs, ys)
    low, high = ends(chart.y)
    texts = [text for __, text in ticks_between(chart.y, low, high, (_HEIGHT - top - _FOOT) / _UPWARD)]
    left, right = 16 + max((_width(text) for text in texts), default=0.0), WIDTH - _BESIDE_NAMES
    xs = x_range(chart, right - left, _width)
    return _Ground(chart, left, top, right, _HEIGHT - _FOOT, xs, (low, high))


def _width(text: str) -> float:
    return _LETTER * len(text)


# Where each name of the legend stands: how far to the right, and in which line.
def _legend_places(chart: Chart) -> Iterator[tuple[float, int, str]]:
    x, line = 6.0, 0
    for name in chart.legend:
        wide = 40 + _width(name)
        if x > _LETTER and x + wide > WIDTH:
            x, line = 6.0, line + 1
        yield (x, line, name)
        x += wide


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
        short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
        yield Label(x=ground.left - 10, y=y, text=short, anchor=Anchor.END)
        if row in chart.unknown:
            yield Label(x=ground.left + 8, y=y, text=_(UNKNOWN), role=ShapeRole.MUTED)
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
        corners = (*((x, low) for x, low, __ in banded), *((x, high) for x, __, high in reversed(banded)))
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
    for (x, _y, text), y in zip(beside, kept_apart([y for _x, y, _text in beside], _LINE), strict=True):
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


def _description(chart: Chart) -> str:
    marks = [(series, mark) for series in chart.series for mark in series.marks]
    limits = [limit.told or limit.name for limit in chart.limits]
    if len(marks) > _MOST_TOLD:
        few = (
            ngettext("{name}: {count} mark", "{name}: {count} marks", len(series.marks), name=series.name)
            for series in chart.series
            if series.name
        )
        return "; ".join([*few, *limits])
    return "; ".join([*(mark.told or mark.label for __, mark in marks), *limits])


# The way from raw to planned bytes as a picture.

_LEFT, _RIGHT, _CASCADE_DRAWING_TOP, _BOLD = 210.0, 150.0, 34.0, 1.3


def cascade_chart(title: str, steps: Sequence[Step]) -> Drawing:
    """Return the way from raw bytes to those to plan with: each loss hangs from what was left before it.

    A step that adds bytes, as of the sizes of a pool that exists, stands on what was there before.
    """
    most = max((step.bytes_left for step in steps), default=0) or 1
    left = max([_LEFT, *(_width(step.title) * _BOLD + 12 for step in steps)])
    scale, row = (WIDTH - left - _RIGHT) / most, 26.0
    height = _CASCADE_DRAWING_TOP + row * len(steps) + 8
    shapes: list[Shape] = [Label(x=0, y=16, text=title, size=13, strong=True)]
    for number, step in enumerate(steps):
        middle = _CASCADE_DRAWING_TOP + row * number + row / 2
        shapes.append(
            Label(x=left - 10, y=middle + 4, text=step.title, anchor=Anchor.END, strong=step.change_bytes == 0)
        )
        change, before = step.change_bytes, (step.bytes_left - max(0, step.change_bytes)) * scale
        bars = [(0.0, before, ShapeRole.ONE)]
        if change:  # what is too small to see is still there
            bars.append((before, max(1.5, abs(change) * scale), ShapeRole.LOSS if change < 0 else ShapeRole.ONE))
        for place, (at, width, role) in enumerate(bars, 1):
            faint = place < len(bars)
            words = "" if faint else step.why
            box = Box(x=left + at, y=middle - 8, width=width, height=16, role=role, faint=faint, told=words)
            shapes.append(box)
        sign = "" if not change else "+" if change > 0 else "−"
        text = f"{sign}{binary(abs(change) if change else step.bytes_left)}"
        shapes.append(Label(x=left + bars[-1][0] + bars[-1][1] + 8, y=middle + 4, text=text))
    words = "; ".join(_("{step}: {size} left", step=step.title, size=binary(step.bytes_left)) for step in steps)
    return Drawing(width=WIDTH, height=height, title=title, description=words, shapes=tuple(shapes))
