"""Designs side by side: which values differ, which is the better one, and how sure that is."""

import difflib
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from poolwright.advise.compared import Cell, ComparedDesign
from poolwright.domain.design import Setting
from poolwright.domain.errors import UserError
from poolwright.domain.steps import at_once
from poolwright.predict.number_words import Unit

LEAST_COLUMNS, MOST_COLUMNS = 2, 6
# Predictions that differ by less are not worth a mark: far inside the error of any of them.
ALIKE = 0.01


class Better(StrEnum):
    """Which end of a row is the better one."""

    HIGHER = "higher"
    LOWER = "lower"
    NONE = "none"


class Section(StrEnum):
    """The parts of the table, in order."""

    SHAPE = "Layout"
    SPACE = "Space"
    SAFETY = "Safety"
    SPEED = "Speed"
    COST = "Cost"
    RULES = "Rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedQuantity:
    """What a row is about: its lasting name, its title for people, its unit."""

    name: str
    title: str
    section: Section
    unit: Unit
    better: Better = Better.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """One line with a cell for each column.

    ``best`` are the columns that share the best value, empty where nothing is better or not all differ. ``sure`` is
    False where the band of another column reaches the best value's band: then the order is likely, not certain.
    ``lead`` is by how much the best beats the worst known value, as a ratio above 1; None where that says nothing.
    """

    line: ComparedQuantity
    cells: tuple[Cell, ...]
    differs: bool
    best: tuple[int, ...] = ()
    sure: bool = True
    lead: float | None = None

    @property
    def currency(self) -> str | None:
        """Return the currency that all sums of this row have; None where they have none or several."""
        units = {cell.unit_of_money for cell in self.cells if cell.value is not None}
        return units.pop() if len(units) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyRow:
    """A property with what each column sets it to; None where a column does not set it."""

    place: str
    name: str
    settings: tuple[Setting | None, ...]
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two to six columns, their rows and their properties."""

    columns: tuple[ComparedDesign, ...]
    rows: tuple[ComparedRow, ...]
    properties: tuple[PropertyRow, ...]

    def row(self, name: str) -> ComparedRow:
        """Return the row of this name; raises KeyError."""
        for row in self.rows:
            if row.line.name == name:
                return row
        raise KeyError(name)

    def wins(self, column: int) -> tuple[ComparedRow, ...]:
        """Return the rows in which this column alone is the best."""
        return tuple(row for row in self.rows if row.best == (column,))


def check_count(columns: int) -> None:
    """Raise UserError for fewer than two or more than six columns."""
    if not LEAST_COLUMNS <= columns <= MOST_COLUMNS:
        raise UserError(
            f"A comparison has {LEAST_COLUMNS} to {MOST_COLUMNS} designs, not {columns}", todo="Choose other ones."
        )


def change_percent(row: ComparedRow, reference: int) -> tuple[float | None, ...]:
    """Return by how many per cent each column differs from the column ``reference``; None where nobody can tell."""
    base, unit = row.cells[reference].value, row.cells[reference].unit_of_money
    if any(cell.value is not None and cell.unit_of_money != unit for cell in row.cells):
        return tuple(None for _ in row.cells)
    return tuple(None if cell.value is None or not base else 100 * (cell.value - base) / base for cell in row.cells)


class DiffKind(StrEnum):
    """What happened to a line from the first text to the second."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of a difference."""

    kind: DiffKind
    text: str


_H, _L = Better.HIGHER, Better.LOWER
LINES = (
    ComparedQuantity(name="layout", title="Layout", section=Section.SHAPE, unit=Unit.TEXT),
    ComparedQuantity(name="goal", title="Goal", section=Section.SHAPE, unit=Unit.TEXT),
    ComparedQuantity(name="version", title="Made for", section=Section.SHAPE, unit=Unit.TEXT),
    ComparedQuantity(name="ashift", title="ashift", section=Section.SHAPE, unit=Unit.TEXT),
    ComparedQuantity(name="pools", title="Pools", section=Section.SHAPE, unit=Unit.COUNT),
    ComparedQuantity(name="disks", title="Disks used", section=Section.SHAPE, unit=Unit.COUNT),
    ComparedQuantity(name="spares", title="Spares", section=Section.SHAPE, unit=Unit.COUNT),
    ComparedQuantity(name="usable", title="Usable", section=Section.SPACE, unit=Unit.BYTES, better=_H),
    ComparedQuantity(name="plan", title="Plan for 80 %", section=Section.SPACE, unit=Unit.BYTES, better=_H),
    ComparedQuantity(name="size", title="SIZE of zpool list", section=Section.SPACE, unit=Unit.BYTES),
    ComparedQuantity(name="raw", title="Raw, all disks used", section=Section.SPACE, unit=Unit.BYTES),
    ComparedQuantity(
        name="usable_share", title="Usable share of raw", section=Section.SPACE, unit=Unit.SHARE, better=_H
    ),
    ComparedQuantity(
        name="survived", title="Failures survived, any disks", section=Section.SAFETY, unit=Unit.COUNT, better=_H
    ),
    ComparedQuantity(
        name="survives_two", title="Survives 2 random failures", section=Section.SAFETY, unit=Unit.SHARE, better=_H
    ),
    ComparedQuantity(
        name="survives_three", title="Survives 3 random failures", section=Section.SAFETY, unit=Unit.SHARE, better=_H
    ),
    ComparedQuantity(
        name="loss", title="Loss of a pool, a year", section=Section.SAFETY, unit=Unit.PROBABILITY, better=_L
    ),
    ComparedQuantity(
        name="disk_loss", title="… by disks alone", section=Section.SAFETY, unit=Unit.PROBABILITY, better=_L
    ),
    ComparedQuantity(
        name="damage", title="Damaged data, a year", section=Section.SAFETY, unit=Unit.PROBABILITY, better=_L
    ),
    ComparedQuantity(name="creation", title="Ready after creation", section=Section.SAFETY, unit=Unit.HOURS, better=_L),
    ComparedQuantity(name="rebuild", title="Rebuild", section=Section.SAFETY, unit=Unit.HOURS, better=_L),
    ComparedQuantity(
        name="rebuild_empty", title="Rebuild, pool empty", section=Section.SAFETY, unit=Unit.HOURS, better=_L
    ),
    ComparedQuantity(
        name="rebuild_full", title="Rebuild, pool full", section=Section.SAFETY, unit=Unit.HOURS, better=_L
    ),
    ComparedQuantity(name="scrub", title="Scrub", section=Section.SAFETY, unit=Unit.HOURS, better=_L),
    ComparedQuantity(name="seq_read", title="Sequential read", section=Section.SPEED, unit=Unit.RATE, better=_H),
    ComparedQuantity(name="seq_write", title="Sequential write", section=Section.SPEED, unit=Unit.RATE, better=_H),
    ComparedQuantity(
        name="itself_read", title="Read, without network", section=Section.SPEED, unit=Unit.RATE, better=_H
    ),
    ComparedQuantity(
        name="itself_write", title="Write, without network", section=Section.SPEED, unit=Unit.RATE, better=_H
    ),
    ComparedQuantity(name="rand_read", title="Random reads", section=Section.SPEED, unit=Unit.OPERATIONS, better=_H),
    ComparedQuantity(name="rand_write", title="Random writes", section=Section.SPEED, unit=Unit.OPERATIONS, better=_H),
    ComparedQuantity(
        name="sync_write", title="Synchronous writes", section=Section.SPEED, unit=Unit.OPERATIONS, better=_H
    ),
    ComparedQuantity(
        name="degraded_read", title="Read lost, disk failed", section=Section.SPEED, unit=Unit.SHARE, better=_L
    ),
    ComparedQuantity(
        name="degraded_write", title="Write lost, disk failed", section=Section.SPEED, unit=Unit.SHARE, better=_L
    ),
    ComparedQuantity(
        name="rebuild_read", title="Read lost in a rebuild", section=Section.SPEED, unit=Unit.SHARE, better=_L
    ),
    ComparedQuantity(
        name="rebuild_write", title="Write lost in a rebuild", section=Section.SPEED, unit=Unit.SHARE, better=_L
    ),
    ComparedQuantity(name="purchase", title="Price of the disks", section=Section.COST, unit=Unit.MONEY, better=_L),
    ComparedQuantity(name="per_tb", title="Price per usable TB", section=Section.COST, unit=Unit.MONEY, better=_L),
    ComparedQuantity(name="energy", title="Energy over the years", section=Section.COST, unit=Unit.ENERGY, better=_L),
    ComparedQuantity(name="power", title="Power over the years", section=Section.COST, unit=Unit.MONEY, better=_L),
    ComparedQuantity(name="replacements", title="Disks replaced", section=Section.COST, unit=Unit.FEW, better=_L),
    ComparedQuantity(name="total_cost", title="Total over the years", section=Section.COST, unit=Unit.MONEY, better=_L),
    ComparedQuantity(name="blocks", title="Rules that block", section=Section.RULES, unit=Unit.COUNT, better=_L),
    ComparedQuantity(name="warnings", title="Warnings", section=Section.RULES, unit=Unit.COUNT, better=_L),
    ComparedQuantity(name="notes", title="Notes", section=Section.RULES, unit=Unit.COUNT),
    ComparedQuantity(name="cannot_tell", title="Rules that cannot tell", section=Section.RULES, unit=Unit.COUNT),
)


def compare(columns: Sequence[ComparedDesign]) -> Comparison:
    """Return the columns side by side; raises UserError for fewer than two, more than six or one named twice."""
    check_count(len(columns))
    keys = [column.key for column in columns]
    if len(set(keys)) < len(keys):
        raise UserError("A design stands twice in the comparison")
    rows = tuple(_row(line, tuple(column.cell(line.name) for column in columns)) for line in LINES)
    return Comparison(columns=tuple(columns), rows=rows, properties=_properties(columns))


def lines_diff(first: Sequence[str], second: Sequence[str]) -> tuple[DiffLine, ...]:
    """Return what became of the lines of ``first`` on the way to ``second``, whole lines at a time."""
    return at_once(lines_diff_in_steps(first, second))


def lines_diff_in_steps(first: Sequence[str], second: Sequence[str]) -> Generator[None, None, tuple[DiffLine, ...]]:
    """Do the same as `lines_diff`, yielding every few milliseconds where there are thousands of lines."""
    matcher = difflib.SequenceMatcher(a=list(first), b=list(second), autojunk=False)
    alike: list[tuple[int, int, int]] = []
    waiting = [(0, len(first), 0, len(second))]
    while waiting:
        from_first, to_first, from_second, to_second = waiting.pop()
        match = matcher.find_longest_match(from_first, to_first, from_second, to_second)
        yield
        if match.size:
            alike.append((match.a, match.b, match.size))
            waiting.append((from_first, match.a, from_second, match.b))
            waiting.append((match.a + match.size, to_first, match.b + match.size, to_second))
    found: list[DiffLine] = []
    at_first = at_second = 0
    for on_first, on_second, size in (*sorted(alike), (len(first), len(second), 0)):
        found.extend(DiffLine(kind=DiffKind.GONE, text=text) for text in first[at_first:on_first])
        found.extend(DiffLine(kind=DiffKind.NEW, text=text) for text in second[at_second:on_second])
        at_first, at_second = on_first + size, on_second + size
        found.extend(DiffLine(kind=DiffKind.SAME, text=text) for text in first[on_first:at_first])
    return tuple(found)


def _row(line: ComparedQuantity, cells: tuple[Cell, ...]) -> ComparedRow:
    in_money = line.unit is Unit.MONEY
    units = {cell.unit_of_money for cell in cells if in_money and cell.value is not None}
    seen = {cell.text if line.unit is Unit.TEXT else cell.value for cell in cells}
    differs = len(seen) > 1 or len(units) > 1
    known = [(number, value) for number, cell in enumerate(cells) if (value := cell.value) is not None]
    if line.better is Better.NONE or len(known) < 2 or len(units) > 1:  # nobody said what one currency is worth
        return ComparedRow(line=line, cells=cells, differs=differs)
    values = [value for _, value in known]
    higher = line.better is Better.HIGHER
    top, worst = (max(values), min(values)) if higher else (min(values), max(values))
    best = tuple(number for number, value in known if _alike(value, top, cells[number]))
    if len(best) == len(known):
        return ComparedRow(line=line, cells=cells, differs=differs)
    others = [number for number, _ in known if number not in best]
    sure = all(_clear(cells[winner], cells[other], higher=higher) for winner in best for other in others)
    lead = max(top, worst) / min(top, worst) if min(top, worst) > 0 else None
    return ComparedRow(line=line, cells=cells, differs=differs, best=best, sure=sure, lead=lead)


def _alike(value: float, top: float, cell: Cell) -> bool:
    """Tell whether a value is as good as the best: exactly where it is counted, within 1 % where it is predicted."""
    if cell.estimate is None:
        return value == top
    return abs(value - top) <= ALIKE * abs(top)


def _clear(winner: Cell, other: Cell, *, higher: bool) -> bool:
    low, high = _ends(winner)
    other_low, other_high = _ends(other)
    return low > other_high if higher else high < other_low


def _ends(cell: Cell) -> tuple[float, float]:
    if cell.estimate is not None:
        return cell.estimate.low, cell.estimate.high
    value = cell.value
    assert value is not None
    return value, value


def _properties(columns: Sequence[ComparedDesign]) -> tuple[PropertyRow, ...]:
    """Return every property that a column sets, in the order of the first column that does; nothing for md RAID."""
    places = dict.fromkeys((s.place, s.setting.name) for column in columns for s in column.settings)
    order = {place: number for number, place in enumerate(dict.fromkeys(place for place, _ in places))}
    rows = []
    for place, name in sorted(places, key=lambda key: order[key[0]]):
        settings = tuple(_setting(column, place, name) for column in columns)
        values = {None if setting is None else setting.value for setting in settings}
        rows.append(PropertyRow(place=place, name=name, settings=settings, differs=len(values) > 1))
    return tuple(rows)


def _setting(column: ComparedDesign, place: str, name: str) -> Setting | None:
    found = (s.setting for s in column.settings if s.place == place and s.setting.name == name)
    return next(found, None)
