"""A chart as one value: what it shows and what each mark tells, not how it is painted.

pyqtgraph draws it in the window (`ui/plots`), `emit/chart_drawing` draws it for reports; both ask `emit/chart_axis`
where things stand, so that they agree.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from poolwright.domain.cells import csv_text
from poolwright.emit.drawing import Marker, ShapeRole


class TickForm(StrEnum):
    """How the numbers of an axis read: as they are, as odds of a probability, or as how rare it is (1 in so many)."""

    NUMBER = "number"
    ODDS = "odds"
    ONE_IN = "one in"


class SeriesKind(StrEnum):
    """How marks are drawn."""

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
        """Return the title with the unit in brackets."""
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
        """Return the chart with these series switched off."""
        off = frozenset(names)
        return replace(self, series=tuple(series for series in self.series if series.name not in off))

    def csv(self) -> str:
        """Return every mark with its series, place, band and what it tells as CSV."""
        value, place = (self.x, self.y) if self.rows else (self.y, self.x)
        lines = [["series", place.words or "row", value.words, "low", "high", "told"]]
        for series in self.series:
            for mark in series.marks:
                at = self.rows[int(mark.y)] if self.rows else f"{mark.x:.10g}"
                numbers = (mark.x if self.rows else mark.y, mark.low, mark.high)
                cells = ("" if number is None else f"{number:.10g}" for number in numbers)
                lines.append([series.name, at, *cells, mark.told or mark.label])
        return csv_text(lines)
