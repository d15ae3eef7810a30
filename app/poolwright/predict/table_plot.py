"""What a table declares about its plots: which columns are drawn against each other, and how."""

from dataclasses import dataclass
from enum import StrEnum

MOST_SERIES = 6  # more cannot be told apart


class PlotKind(StrEnum):
    LINE = "line"  # dots in the order of x, joined
    SCATTER = "scatter"  # dots
    BAR = "bar"  # a bar for each row and series, from zero


class Axis(StrEnum):
    X = "x"
    Y = "y"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFilter:
    """Keeps rows: the cell of ``column`` is one of ``values``, or a word of it is."""

    column: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A column of figures that is drawn under a name."""

    name: str
    column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A dashed line at ``value``, or at the figure in ``column`` of the one row that ``where`` keeps."""

    name: str
    axis: Axis
    value: float | None
    column: str
    where: tuple[RowFilter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Whiskers from counts: ``events`` seen in ``days``, drawn as the 95 % interval of a rate in % a year."""

    events: str
    days: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """One plot of a table.

    ``x`` holds one column of numbers, for bars one or more columns whose cells together name a bar. With ``series`` the
    cells of that column name the series and there is one curve. ``per`` names a column the figures are divided by,
    ``unit`` the unit they are converted to (empty: their own), ``empty`` what a bar without x is called. ``labels``
    holds pairs of a cell and the words to show for it.
    """

    title: str
    kind: PlotKind
    x: tuple[str, ...]
    curves: tuple[Curve, ...]
    series: str
    where: tuple[RowFilter, ...]
    per: str
    unit: str
    x_title: str
    y_title: str
    log: frozenset[Axis]
    levels: tuple[Level, ...]
    interval: Interval | None
    labels: tuple[tuple[str, str], ...]
    empty: str
    note: str

    def label(self, cell: str) -> str:
        """Return the words for a cell: declared ones, else the cell with spaces for underscores."""
        return dict(self.labels).get(cell, cell.replace("_", " "))
