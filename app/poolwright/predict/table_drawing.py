"""Turns a table and one of its plots into what is drawn: series of marks, each with the row it was read from.

Plain arithmetic; no screen. The loader draws every plot once, so a declaration that does not fit its rows is an error
of the file, not a surprise in the window.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from poolwright.domain.errors import UserError
from poolwright.predict.drives import gamma_quantile
from poolwright.predict.table_model import (
    MOST_SERIES,
    NO_UNIT,
    UNITS,
    Axis,
    Interval,
    Level,
    Plot,
    PlotKind,
    Row,
    RowFilter,
    Table,
)
from poolwright.texts import tell

_TAIL = 0.025
_DAYS_PER_YEAR = 365.25


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMark:
    """A figure of ``row`` at ``x`` (for bars the number of its category) and ``y``; ``low`` to ``high`` where known."""

    row: Row
    column: str
    where: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Marks of one colour; ``name`` is empty where there is but one series without a name."""

    name: str
    marks: tuple[TableMark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnLevel:
    """A named line across the plot; ``row`` where it was read from, None for one that holds by definition."""

    name: str
    axis: Axis
    value: float
    row: Row | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDrawing:
    """What is drawn. ``left_out`` counts rows that were kept but have no place on the axes."""

    plot: Plot
    series: tuple[Series, ...]
    categories: tuple[str, ...]
    levels: tuple[DrawnLevel, ...]
    x_unit: str
    y_unit: str
    left_out: int

    @property
    def marks(self) -> tuple[TableMark, ...]:
        return tuple(mark for series in self.series for mark in series.marks)


def draw(table: Table, plot: Plot) -> TableDrawing:
    """Return what ``plot`` shows of ``table``; raises UserError where the declaration does not fit the rows."""
    rows = kept(table.rows, plot.where)
    if not rows:
        raise UserError(tell("no row is as “where” says"))
    y_unit = _unit(plot, [(row, curve.column) for row in rows for curve in plot.curves])
    categories = _categories(plot, rows) if plot.kind is PlotKind.BAR else ()
    series: dict[str, list[TableMark]] = {}
    placed: set[tuple[str, float]] = set()
    left_out = 0
    for row in rows:
        drawn = False
        for curve in plot.curves:
            mark = _mark(plot, row, curve.column, y_unit, categories)
            if mark is None:
                continue
            drawn = True
            name = plot.label(row.text(plot.series)) if plot.series else curve.name
            if plot.kind is not PlotKind.SCATTER and (name, mark.x) in placed:
                raise UserError(
                    tell("two rows stand at {where}{name}", where=mark.where, name=f" of {name}" if name else "")
                )
            placed.add((name, mark.x))
            series.setdefault(name, []).append(mark)
        left_out += not drawn
    if not series or len(series) > MOST_SERIES:
        raise UserError(
            tell("{count} series; there can be 1 to {most_series}", count=len(series), most_series=MOST_SERIES)
        )
    x_units = {row.unit(plot.x[0]) for row in rows}
    return TableDrawing(
        plot=plot,
        series=tuple(Series(name=n, marks=tuple(sorted(m, key=lambda mark: mark.x))) for n, m in series.items()),
        categories=categories,
        levels=tuple(_level(table, level, y_unit) for level in plot.levels),
        x_unit=x_units.pop() if len(x_units) == 1 and not categories else NO_UNIT,
        y_unit=y_unit,
        left_out=left_out,
    )


def kept(rows: Iterable[Row], where: Sequence[RowFilter]) -> tuple[Row, ...]:
    return tuple(row for row in rows if all(_holds(row, choice) for choice in where))


def _holds(row: Row, choice: RowFilter) -> bool:
    cell = row.text(choice.column)
    return cell in choice.values or any(word in choice.values for word in cell.split())


def _unit(plot: Plot, cells: Sequence[tuple[Row, str]]) -> str:
    """Return the unit of the y axis; raises UserError where the figures have no common one."""
    units = dict.fromkeys(row.unit(column) for row, column in cells if row.cell(column) is not None)
    if not units:
        raise UserError(tell("no row has a figure"))
    if len({UNITS[unit][0] for unit in (*units, *filter(None, (plot.unit,)))}) > 1:
        raise UserError(tell("the figures are of different kinds: {units}", units=", ".join(units)))
    if len(units) > 1 and not plot.unit:
        raise UserError(
            tell("the figures have the units {units}; say which “unit” they are drawn in", units=", ".join(units))
        )
    return plot.unit or next(iter(units))


def _mark(plot: Plot, row: Row, column: str, unit: str, categories: tuple[str, ...]) -> TableMark | None:
    """Return the mark of a figure; None where figure or place is unknown, or not on a logarithmic axis."""
    y = _in(unit, row, column)
    if plot.per and y is not None:
        divisor = row.number_of(plot.per)
        y = y / divisor if divisor else None
    x = float(categories.index(_category(plot, row))) if categories else row.number_of(plot.x[0])
    if x is None or y is None or (Axis.X in plot.log and x <= 0) or (Axis.Y in plot.log and y <= 0):
        return None
    low, high = _whiskers(plot.interval, row) if plot.interval else (None, None)
    where = categories[int(x)] if categories else f"{x:,g}"
    return TableMark(row=row, column=column, where=where, x=float(x), y=y, low=low, high=high)


def _in(unit: str, row: Row, column: str) -> float | None:
    number = row.number_of(column)
    own = row.unit(column)
    return number if number is None or own == unit else number * UNITS[own][1] / UNITS[unit][1]


def _categories(plot: Plot, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the names of the bars: in the order of the list that keeps them, else as the rows stand."""
    order = next((choice.values for choice in plot.where if (choice.column,) == plot.x), ())
    ranks = {value: rank for rank, value in enumerate(order)}
    ranked = sorted(rows, key=lambda row: ranks.get(row.text(plot.x[0]), len(ranks)))
    return tuple(dict.fromkeys(_category(plot, row) for row in ranked))


def _category(plot: Plot, row: Row) -> str:
    return (
        ", ".join(filter(None, (plot.label(row.text(column)) for column in plot.x))) or plot.empty or tell("not named")
    )


def _level(table: Table, level: Level, y_unit: str) -> DrawnLevel:
    if level.value is not None:
        return DrawnLevel(name=level.name, axis=level.axis, value=level.value, row=None)
    rows = kept(table.rows, level.where)
    if len(rows) != 1:
        raise UserError(tell("{count} rows are the limit “{name}”, not one", count=len(rows), name=level.name))
    unit = y_unit if level.axis is Axis.Y else rows[0].unit(level.column)
    value = _in(unit, rows[0], level.column)
    if value is None:
        raise UserError(tell("the limit “{name}” has no figure", name=level.name))
    return DrawnLevel(name=level.name, axis=level.axis, value=value, row=rows[0])


def _whiskers(interval: Interval, row: Row) -> tuple[float | None, float | None]:
    """Return the exact Poisson interval (Garwood 1936) of a yearly rate, in per cent."""
    events, days = row.number_of(interval.events), row.number_of(interval.days)
    if events is None or not days:
        return None, None
    scale = 100 * _DAYS_PER_YEAR / days
    low = gamma_quantile(events, _TAIL) * scale if events else 0.0
    return low, gamma_quantile(events + 1, 1 - _TAIL) * scale
