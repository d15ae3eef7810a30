"""Measured tables: columns with units, rows with their conditions and the place they were read from; and the loader."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from poolwright.domain.errors import UserError, not_there
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.shown import csv_rows
from poolwright.domain.units import GB, GIB, KB, KIB, MB, MIB, TB, TIB, not_understood
from poolwright.predict.drives import gamma_quantile
from poolwright.rules.texts import RuleErrors, RuleFault
from poolwright.texts import _, numeral

# What a table declares about its plots: which columns are drawn against each other, and how.

MOST_SERIES = 6  # more cannot be told apart


class PlotKind(StrEnum):
    LINE = "line"  # dots in the order of x, joined
    SCATTER = "scatter"  # dots
    BAR = "bar"  # a bar for each row and series, from zero


class Axis(StrEnum):
    X = "x"
    Y = "y"


Where = tuple[tuple[str, tuple[str, ...]], ...]  # columns, each with the cells of the rows that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A dashed line at ``value``, or at the figure in ``column`` of the one row that ``where`` keeps."""

    name: str
    axis: Axis
    value: float | None
    column: str
    where: Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """One plot of a table.

    ``x`` holds one column of numbers, for bars one or more columns whose cells together name a bar. With ``series`` the
    cells of that column name the series and there is one curve. ``per`` names a column the figures are divided by,
    ``unit`` the unit they are converted to (empty: their own), ``empty`` what a bar without x is called. ``curves`` are
    names and columns of figures, ``interval`` the columns of events and days whose rate gets whiskers, ``labels`` pairs
    of a cell and the words to show for it.
    """

    title: str
    kind: PlotKind
    x: tuple[str, ...]
    curves: tuple[tuple[str, str], ...]
    series: str
    where: Where
    per: str
    unit: str
    x_title: str
    y_title: str
    log: frozenset[Axis]
    levels: tuple[Level, ...]
    interval: tuple[str, str] | None
    labels: tuple[tuple[str, str], ...]
    empty: str
    note: str

    def label(self, cell: str) -> str:
        return dict(self.labels).get(cell, cell.replace("_", " "))


Cell = str | int | float | None


class Document(StrEnum):
    """The five documents the tables were transcribed from; any other source is declared by the table that uses it."""

    THESIS = "thesis"
    PAPER = "paper"
    MACBLOG = "macblog"
    WIKIBOOK = "wikibook"
    TUNABLES = "tunables"


CITATIONS: dict[str, str] = {
    Document.THESIS: "Then 2016, ZFS unter Linux",  # for machines
    Document.PAPER: (
        "Shen, Zhang, Yang, An approach to optimizing synchronous write performance of ZFS on Linux"  # for machines
    ),
    Document.MACBLOG: "MacZFS blog",  # for machines
    Document.WIKIBOOK: "Wikibook ZFS auf Linux, Die richtige Poolkonfiguration",  # for machines
    Document.TUNABLES: "Blog post ZFS Tunables, 2018",  # for machines
}


class Subject(StrEnum):
    LAYOUTS = "layouts"
    PROPERTIES = "properties"
    CACHES = "caches"
    LOAD = "load"
    REPAIR = "repair"
    DISKS = "disks"
    OUTPUTS = "outputs"
    MACHINES = "machines"
    TODAY = "today"
    OTHER = "other"


class ReadFrom(StrEnum):
    TEXT = "text"
    TABLE = "table"
    LISTING = "listing"
    DATA = "data"  # a published file of figures
    DOCUMENTATION = "documentation"


class Precision(StrEnum):
    EXACT = "exact"
    ABOUT = "about"
    UP_TO = "up_to"
    OVER = "over"
    NEARLY = "nearly"
    NO_CHANGE = "no_change"  # the document says in words that nothing changed


class ColumnType(StrEnum):
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    LAYOUT = "layout"


class ColumnKind(StrEnum):
    CONDITION = "condition"  # what was set or varied
    FIGURE = "figure"  # what the document states
    PROVENANCE = "provenance"  # where that stands


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column; ``unit`` is one of UNITS, or "per row": then the column ``unit`` names it."""

    name: str
    means: str
    unit: str
    type: ColumnType
    kind: ColumnKind
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class External:
    key: str
    title: str
    version: str
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a row was read.

    ``printed`` holds the figures as the document prints them, in the order of the figure columns; ``line`` the line
    of its plain text. Both are empty for sources that are not one of the five documents.
    """

    document: str
    title: str
    place: str
    read_from: ReadFrom
    precision: Precision = Precision.EXACT
    printed: tuple[str, ...] = ()
    line: int | None = None
    note: str = ""


_SHAPE = re.compile(r"(?:([1-9][0-9]{0,5})\*)?(stripe|mirror|raidz[123]|raid6):([1-9][0-9]{0,5})\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutShape:
    """A layout without sizes: ``4*raidz2:8`` is four raidz2 of eight disks, ``stripe:20`` twenty bare disks."""

    word: str
    groups: int
    width: int

    @property
    def disks(self) -> int:
        return self.groups * self.width

    @property
    def data_disks(self) -> int:
        if self.word == "stripe":
            return self.disks
        parity = {"mirror": self.width - 1, "raid6": 2}.get(self.word)
        return self.groups * (self.width - (int(self.word[-1]) if parity is None else parity))


def parse_shape(text: str) -> LayoutShape:
    match = _SHAPE.match(text)
    if match is None:
        raise not_understood(text, _("Write raidz2:8, 4*raidz2:8 or stripe:20."))
    return LayoutShape(word=match.group(2), groups=int(match.group(1) or 1), width=int(match.group(3)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table; ``cells`` in the order of ``columns``, None for what the document does not give."""

    table: str
    number: int
    columns: tuple[Column, ...]
    cells: tuple[Cell, ...]
    conditions: tuple[Condition, ...]
    provenance: Provenance

    def cell(self, column: str) -> Cell:
        return self.cells[self._index(column)]

    def text(self, column: str) -> str:
        value = self.cell(column)
        return "" if value is None else str(value)

    def number_of(self, column: str) -> float | None:
        value = self.cell(column)
        if isinstance(value, str):
            raise UserError(_("{table}: {column} holds texts, not numbers", table=self.table, column=column))
        return value

    def base(self, column: str) -> float | None:
        """Return a number in its base unit: bytes/s for every rate, bytes for every size, s for every time."""
        value = self.number_of(column)
        if value is None:
            return None
        factor = UNITS[self.unit(column)][1]
        return value * factor

    def unit(self, column: str) -> str:
        unit = self.columns[self._index(column)].unit
        return self.text("unit") if unit == UNIT_PER_ROW else unit

    def shape(self, column: str = "spec") -> LayoutShape:
        return parse_shape(self.text(column))

    @property
    def origin(self) -> Origin:
        source = f"{self.table}.csv: {self.provenance.title}, {self.provenance.place}"
        return Origin(kind=OriginKind.MEASURED, source=source)

    def _index(self, column: str) -> int:
        for index, each in enumerate(self.columns):
            if each.name == column:
                return index
        raise UserError(_("The table {table} has no column “{column}”", table=self.table, column=column))


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A measured table; ``short`` is for lists, ``sample_size`` None where unstated or nothing was measured."""

    name: str
    title: str
    source: str
    date: str
    method: str
    sample_size: int | None
    note: str
    columns: tuple[Column, ...]
    externals: tuple[External, ...]
    rows: tuple[Row, ...]
    short: str = ""
    subject: Subject = Subject.OTHER
    plots: tuple[Plot, ...] = ()

    def where(self, **cells: Cell) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if all(row.cell(name) == value for name, value in cells.items()))

    def one(self, **cells: Cell) -> Row:
        found = self.where(**cells)
        if len(found) != 1:
            raise UserError(
                _("{count} rows of {name} match {cells}, not one", count=len(found), name=self.name, cells=cells)
            )
        return found[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    tables: tuple[Table, ...]

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(table.name for table in self.tables)

    def named(self, name: str) -> Table:
        for table in self.tables:
            if table.name == name:
                return table
        raise not_there(name, self.names, where="table")


# The units that tables may use, each with its factor to a base unit.

UNIT_PER_ROW = "per row"  # for machines
NO_UNIT = "none"

_RATES = {"bytes/s": 1, "KiB/s": KIB, "MiB/s": MIB, "GiB/s": GIB, "kB/s": KB, "MB/s": MB, "GB/s": GB}
_SIZES = {"bytes": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": TIB, "kB": KB, "MB": MB, "GB": GB, "TB": TB}
_TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "days": 86400}
_COUNTS = ("count", "disks", "drives", "vdevs", "cores", "jobs", "runs", "level", "times", "percent", "USD", "rpm")

# unit -> (base unit, factor to it)
UNITS: dict[str, tuple[str, float]] = {
    NO_UNIT: (NO_UNIT, 1),
    **{unit: ("bytes/s", factor) for unit, factor in _RATES.items()},
    **{unit: ("bytes", factor) for unit, factor in _SIZES.items()},
    **{unit: ("s", factor) for unit, factor in _TIMES.items()},
    **{unit: (unit, 1) for unit in _COUNTS},
    "MHz": ("Hz", 1e6),
    "GHz": ("Hz", 1e9),
    "Gbit/s": ("bytes/s", 1e9 / 8),
    "operations/s": ("operations/s", 1),
    "Ki operations/s": ("operations/s", KIB),
    "blocks": ("blocks", 1),
    "Ki blocks": ("blocks", KIB),
    "Mi blocks": ("blocks", MIB),
}


# Turns a table and one of its plots into what is drawn: series of marks, each with the row it was read from.

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
    rows = kept(table.rows, plot.where)
    figures = [(row, *curve) for row in rows for curve in plot.curves if row.cell(curve[1]) is not None]
    y_unit = plot.unit or figures[0][0].unit(figures[0][2])
    categories = _categories(plot, rows) if plot.kind is PlotKind.BAR else ()
    series: dict[str, list[TableMark]] = {}
    drawn: set[int] = set()
    for row, name, column in figures:
        mark = _mark(plot, row, column, y_unit, categories)
        if mark is not None:
            drawn.add(row.number)
            series.setdefault(plot.label(row.text(plot.series)) if plot.series else name, []).append(mark)
    x_units = {row.unit(plot.x[0]) for row in rows}
    return TableDrawing(
        plot=plot,
        series=tuple(Series(name=n, marks=tuple(sorted(m, key=lambda mark: mark.x))) for n, m in series.items()),
        categories=categories,
        levels=tuple(_level(table, level, y_unit) for level in plot.levels),
        x_unit=x_units.pop() if len(x_units) == 1 and not categories else NO_UNIT,
        y_unit=y_unit,
        left_out=len(rows) - len(drawn),
    )


def kept(rows: Iterable[Row], where: Where) -> tuple[Row, ...]:
    return tuple(row for row in rows if all(_holds(row.text(column), values) for column, values in where))


def _holds(cell: str, values: tuple[str, ...]) -> bool:
    return cell in values or any(word in values for word in cell.split())


def _mark(plot: Plot, row: Row, column: str, unit: str, categories: tuple[str, ...]) -> TableMark | None:
    """Return the mark of a figure; None where its place is unknown, or not on a logarithmic axis."""
    y, divisor = _in(unit, row, column), row.number_of(plot.per) if plot.per else 1
    x = float(categories.index(_category(plot, row))) if categories else row.number_of(plot.x[0])
    if x is None or not divisor or (Axis.X in plot.log and x <= 0) or (Axis.Y in plot.log and y <= 0):
        return None
    low, high = _whiskers(plot.interval, row) if plot.interval else (None, None)
    where, y = categories[int(x)] if categories else numeral(x, ",g"), y / divisor if plot.per else y
    return TableMark(row=row, column=column, where=where, x=float(x), y=y, low=low, high=high)


def _in(unit: str, row: Row, column: str) -> float:
    number, own = row.number_of(column), row.unit(column)
    assert number is not None
    return number if own == unit else number * UNITS[own][1] / UNITS[unit][1]


def _categories(plot: Plot, rows: Sequence[Row]) -> tuple[str, ...]:
    order = next((values for column, values in plot.where if (column,) == plot.x), ())
    ranks = {value: rank for rank, value in enumerate(order)}
    ranked = sorted(rows, key=lambda row: ranks.get(row.text(plot.x[0]), len(ranks)))
    return tuple(dict.fromkeys(_category(plot, row) for row in ranked))


def _category(plot: Plot, row: Row) -> str:
    return ", ".join(filter(None, (plot.label(row.text(column)) for column in plot.x))) or plot.empty or _("not named")


def _level(table: Table, level: Level, y_unit: str) -> DrawnLevel:
    if level.value is not None:
        return DrawnLevel(name=level.name, axis=level.axis, value=float(level.value), row=None)
    (row,) = kept(table.rows, level.where)
    value = _in(y_unit if level.axis is Axis.Y else row.unit(level.column), row, level.column)
    return DrawnLevel(name=level.name, axis=level.axis, value=value, row=row)


def _whiskers(interval: tuple[str, str], row: Row) -> tuple[float | None, float | None]:
    """Return the exact Poisson interval (Garwood 1936) of a yearly rate, in per cent."""
    events, days = map(row.number_of, interval)
    if events is None or not days:
        return None, None
    scale = 100 * _DAYS_PER_YEAR / days
    low = gamma_quantile(events, _TAIL) * scale if events else 0.0
    return low, gamma_quantile(events + 1, 1 - _TAIL) * scale


# Loads the tables of rules/tables: a .csv and the .toml that describes it, as text, into frozen rows.

# What a person reads of a table, its columns and plots: told in the chosen language as it is loaded.
TOLD = ("title", "short", "method", "note", "means", "x_title", "y_title")

_Given = dict[str, Any]


def load_tables(files: Mapping[str, str]) -> Tables:
    """Return the tables of ``files`` (``name.csv``, ``name.toml``: text). Raises RuleErrors, one for each wrong one."""
    problems: list[RuleFault] = []
    tables: list[Table] = []
    for name in sorted({file.rpartition(".")[0] for file in files if file.endswith((".csv", ".toml"))}):
        try:
            tables.append(_table(name, tomllib.loads(files[f"{name}.toml"]), files[f"{name}.csv"]))
        except (AttributeError, KeyError, TypeError, ValueError, UserError) as error:
            problems.append(RuleFault(f"{name}.toml", 1, f"{type(error).__name__}: {error}"))
    if problems:
        raise RuleErrors(problems)
    return Tables(tables=tuple(tables))


def _table(name: str, given: _Given, text: str) -> Table:
    columns = tuple(_column(column, each) for column, each in given.pop("columns").items())
    externals = tuple(External(key=key, **each) for key, each in given.pop("external", {}).items())
    titles: dict[str, str] = {each.key: f"{each.title}, {each.version}" for each in externals}
    titles |= CITATIONS
    held = {  # by document; those under “every” hold for all rows
        document: tuple(Condition(name=key, value=value) for key, value in each.items())
        for document, each in given.pop("conditions").items()
    }
    header, *lines = (cells for __, cells in csv_rows(text))
    if header != [column.name for column in columns]:
        raise ValueError(_("the columns are not those described, in their order"))
    rows = []
    for number, cells in enumerate(lines, start=2):
        try:
            of = dict(zip(header, map(str.strip, cells), strict=True))
            row = Row(
                table=name,
                number=number,
                columns=columns,
                cells=tuple(_cell(column, of[column.name]) for column in columns),
                conditions=held.get(of["document"], ()) + held.get("every", ()),
                provenance=_provenance(of, titles),
            )
        except (KeyError, ValueError) as error:
            raise ValueError(f"{name}.csv:{number}: {error}") from error
        rows.append(row)
    size = given.pop("sample_size")
    return Table(
        name=name,
        columns=columns,
        sample_size=size if isinstance(size, int) else None,
        externals=externals,
        subject=Subject(given.pop("subject", Subject.OTHER)),
        plots=tuple(_plot(each) for each in given.pop("plot", ())),
        rows=tuple(rows),
        **_texts({"note": "", "short": given["title"], **given}),
    )


def _texts(given: _Given) -> _Given:
    return {key: _(value) if value and key in TOLD else value for key, value in given.items()}


def _column(name: str, given: _Given) -> Column:
    return Column(name=name, kind=ColumnKind(given.pop("kind")), type=ColumnType(given.pop("type")), **_texts(given))


def _plot(given: _Given) -> Plot:
    x, y, interval = given.pop("x"), given.pop("y"), given.pop("interval", None)
    curves = {"": y} if isinstance(y, str) else {_(name): column for name, column in y.items()}
    return Plot(
        kind=PlotKind(given.pop("kind")),
        x=(x,) if isinstance(x, str) else tuple(x),
        curves=tuple(curves.items()),
        where=_filters(given.pop("where", {})),
        log=frozenset(Axis(axis) for axis in given.pop("log", ())),
        levels=tuple(_level_value(each) for each in given.pop("limit", ())),
        interval=None if interval is None else (interval["events"], interval["days"]),
        labels=tuple(given.pop("labels", {}).items()),
        empty=given.pop("empty_x", ""),
        **_texts({**dict.fromkeys(("series", "per", "unit", "note"), ""), **given}),
    )


def _level_value(given: _Given) -> Level:
    defaults: _Given = {"column": "", "value": None}
    return Level(axis=Axis(given.pop("axis")), where=_filters(given.pop("where", {})), **(defaults | given))


def _filters(given: _Given) -> Where:
    return tuple(
        (column, tuple(map(str, wanted if isinstance(wanted, list) else [wanted]))) for column, wanted in given.items()
    )


def _cell(column: Column, text: str) -> Cell:
    if not text:
        return None
    if column.type in (ColumnType.TEXT, ColumnType.LAYOUT):
        return text
    try:
        return int(text)
    except ValueError:
        if column.type is ColumnType.INTEGER:
            raise
        return float(text)


def _provenance(of: Mapping[str, str], titles: Mapping[str, str]) -> Provenance:
    return Provenance(
        document=of["document"],
        title=titles[of["document"]],
        place=of["place"],
        read_from=ReadFrom(of["read_from"]),
        precision=Precision(of.get("precision") or Precision.EXACT),
        printed=tuple(filter(None, of.get("printed", "").split("|"))),
        line=int(of["line"]) if of.get("line") else None,
        note=of.get("note", ""),
    )
