"""A chart as one value: what it shows and what each mark tells, not how it is painted.

pyqtgraph draws it in the window (`ui/plots`), `emit/chart_drawing` draws it for reports; both ask
this module where things stand, so that they agree.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil, floor, log10
from statistics import fmean

from poolwright.domain.shown import csv_text
from poolwright.emit.drawing import Marker, ShapeRole
from poolwright.predict.number_words import odds_text


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
        """Return the names of the series that are told apart; none where there is but one."""
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
    """Return an axis from zero, or the least value below it, to the largest value times ``room``.

    ``whole`` has a tick at each whole number, for what is counted.
    """
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
    return f"{float(f'{value:.3g}' if axis.log else value):,.10g}"


def nice(raw: float) -> float:
    if raw <= 0:
        return 1.0
    power = 10.0 ** floor(log10(raw))
    return next((factor * power for factor in (1, 2, 5) if factor * power >= raw * (1 - 1e-9)), 10 * power)


def x_range(chart: Chart, room: float, width_of: Callable[[str], float]) -> tuple[float, float]:
    """Return the range of x that has room for the labels to the right of their marks, in a width of ``room`` pixels."""
    low, high = ends(chart.x)
    labels = [
        (placed(chart.x, _outermost(mark.x, mark.high, rows=bool(chart.rows))), width_of(mark.label) + _LABEL_GAP)
        for series in chart.series
        if not series.inside
        for mark in series.marks
        if mark.label
    ]
    if not labels or not (chart.rows or any(series.kind is SeriesKind.LINE for series in chart.series)):
        return low, high
    values, widths = [at for at, _ in labels], [width for _, width in labels]
    return range_with_labels(values, widths, room, least=low, most=high, leftward=not chart.x.log)


def _outermost(x: float, high: float | None, *, rows: bool) -> float:
    return max(x, high) if rows and high is not None else x


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
    for _ in range(_ROUNDS):
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
