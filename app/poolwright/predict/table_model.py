"""What a measured table holds: columns with units, rows with their conditions and the place they were read from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.errors import UserError
from poolwright.domain.number import shortened
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import GB, GIB, KB, KIB, MB, MIB, TB, TIB
from poolwright.texts import tell

# What a table declares about its plots: which columns are drawn against each other, and how.

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


Cell = str | int | float | None


class Document(StrEnum):
    """The five documents the tables were transcribed from; any other source is declared by the table that uses it."""

    THESIS = "thesis"
    PAPER = "paper"
    MACBLOG = "macblog"
    WIKIBOOK = "wikibook"
    TUNABLES = "tunables"

    @property
    def citation(self) -> str:
        """Return author, year and title as a citation names them."""
        return _CITATIONS[self]


_CITATIONS = {
    Document.THESIS: "Then 2016, ZFS unter Linux",  # for machines
    Document.PAPER: (
        "Shen, Zhang, Yang, An approach to optimizing synchronous write performance of ZFS on Linux"  # for machines
    ),
    Document.MACBLOG: "MacZFS blog",  # for machines
    Document.WIKIBOOK: "Wikibook ZFS auf Linux, Die richtige Poolkonfiguration",  # for machines
    Document.TUNABLES: "Blog post ZFS Tunables, 2018",  # for machines
}


class Subject(StrEnum):
    """What a table is about, in the order in which tables are listed."""

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
    """Where in its document a figure stood."""

    TEXT = "text"
    TABLE = "table"
    LISTING = "listing"
    DATA = "data"  # a published file of figures
    DOCUMENTATION = "documentation"


class Precision(StrEnum):
    """How sharply a document states its figure."""

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
    """A column; ``unit`` is one of table_units.UNITS, or "per row": then the column ``unit`` names it."""

    name: str
    means: str
    unit: str
    type: ColumnType
    kind: ColumnKind
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class External:
    """A source beside the five documents."""

    key: str
    title: str
    version: str
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Something that held while a row was measured: ``ashift`` ``12``."""

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
    def vdevs(self) -> int:
        """Return the top-level vdevs; each disk of a stripe is one."""
        return self.groups * self.width if self.word == "stripe" else self.groups

    @property
    def disks(self) -> int:
        return self.groups * self.width

    @property
    def data_disks(self) -> int:
        """Return the disks' worth of data a full stripe carries."""
        if self.word == "stripe":
            return self.disks
        parity = {"mirror": self.width - 1, "raid6": 2}.get(self.word)
        return self.groups * (self.width - (int(self.word[-1]) if parity is None else parity))


def parse_shape(text: str) -> LayoutShape:
    """Return the layout that ``text`` names; raises UserError where it names none."""
    match = _SHAPE.match(text)
    if match is None:
        raise UserError(
            tell("{text} is not a layout of a table", text=shortened(text)),
            todo=tell("Write raidz2:8, 4*raidz2:8 or stripe:20."),
        )
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
        """Return a cell; raises UserError for a column the table does not have."""
        return self.cells[self._index(column)]

    def text(self, column: str) -> str:
        """Return a cell as text, empty where it is."""
        value = self.cell(column)
        return "" if value is None else str(value)

    def number_of(self, column: str) -> float | None:
        """Return a number in the unit of its column, None where the document gives none."""
        value = self.cell(column)
        if isinstance(value, str):
            raise UserError(tell("{table}: {column} holds texts, not numbers", table=self.table, column=column))
        return value

    def base(self, column: str) -> float | None:
        """Return a number in its base unit: bytes/s for every rate, bytes for every size, s for every time."""
        value = self.number_of(column)
        if value is None:
            return None
        factor = UNITS[self.unit(column)][1]
        return value * factor

    def unit(self, column: str) -> str:
        """Return the unit of a cell."""
        unit = self.columns[self._index(column)].unit
        return self.text("unit") if unit == UNIT_PER_ROW else unit

    def shape(self, column: str = "spec") -> LayoutShape:
        return parse_shape(self.text(column))

    def condition(self, name: str) -> str | None:
        """Return what held while the row was measured: a condition column first, then the conditions of the table."""
        for column, cell in zip(self.columns, self.cells, strict=True):
            if column.name == name and column.kind is ColumnKind.CONDITION:
                return None if cell is None else str(cell)
        return next((c.value for c in self.conditions if c.name == name), None)

    @property
    def origin(self) -> Origin:
        """Return where the figures come from, in words a person can check."""
        source = f"{self.table}.csv: {self.provenance.title}, {self.provenance.place}"
        return Origin(kind=OriginKind.MEASURED, source=source)

    def _index(self, column: str) -> int:
        for index, each in enumerate(self.columns):
            if each.name == column:
                return index
        raise UserError(tell("The table {table} has no column “{column}”", table=self.table, column=column))


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A measured table; ``sample_size`` is None where the documents do not state one or nothing was measured.

    ``short`` is what lists call it.
    """

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

    def column(self, name: str) -> Column:
        """Return a column; raises UserError where there is none of that name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise UserError(tell("The table {name} has no column “{name2}”", name=self.name, name2=name))

    def where(self, **cells: Cell) -> tuple[Row, ...]:
        """Return the rows in which each named column holds exactly the given value."""
        return tuple(row for row in self.rows if all(row.cell(name) == value for name, value in cells.items()))

    def one(self, **cells: Cell) -> Row:
        """Return the only row that matches; raises UserError where there is none or more than one."""
        found = self.where(**cells)
        if len(found) != 1:
            raise UserError(
                tell("{count} rows of {name} match {cells}, not one", count=len(found), name=self.name, cells=cells)
            )
        return found[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Every table that was loaded, in the order of their names."""

    tables: tuple[Table, ...]

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names, without ``.csv``."""
        return tuple(table.name for table in self.tables)

    def named(self, name: str) -> Table:
        """Return a table; raises UserError where there is none of that name."""
        for table in self.tables:
            if table.name == name:
                return table
        raise UserError(
            tell("There is no table “{name}”", name=name), todo=tell("There are {names}.", names=", ".join(self.names))
        )


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
