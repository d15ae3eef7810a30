"""Designs side by side: which values differ, which is the better one, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.design.comparison_columns import Cell, ComparedDesign
from poolwright.design.rank import against_words, speeds_that_count
from poolwright.domain.design import Setting
from poolwright.domain.errors import UserError
from poolwright.domain.grouping import grouped
from poolwright.predict.number_words import SPEED_TITLES, Unit
from poolwright.texts import CLAUSES, N_, _, listed, ngettext, numeral, sentence

LEAST_COLUMNS, MOST_COLUMNS = 2, 6
# Predictions that differ by less share a mark; where another is no further behind these none has it.
_TELLS_APART = {Unit.RATE: 1.25, Unit.OPERATIONS: 1.25, Unit.HOURS: 1.3, Unit.PROBABILITY: 1.5, Unit.SHARE: 1.25}
_MOST_SAID = 2  # things a sentence says of one design
_ROUND_FROM = 10  # times


class Better(StrEnum):
    HIGHER = "higher"
    LOWER = "lower"
    NONE = "none"


class Section(StrEnum):
    SHAPE = N_("Layout")
    SPACE = N_("Space")
    SAFETY = N_("Safety")
    SPEED = N_("Speed")
    COST = N_("Cost")
    RULES = N_("Rules")


@dataclass(frozen=True, slots=True)
class ComparedQuantity:
    """What a row is about: its lasting name, its title for people (``english`` is marked), its unit."""

    name: str
    english: str
    section: Section
    unit: Unit
    better: Better = Better.NONE

    @property
    def title(self) -> str:
        return _(self.english)


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
    columns: tuple[ComparedDesign, ...]
    rows: tuple[ComparedRow, ...]
    properties: tuple[PropertyRow, ...]

    def row(self, name: str) -> ComparedRow:
        return {row.line.name: row for row in self.rows}[name]

    def deciding(self) -> tuple[ComparedRow, ...]:
        """Return the rows that decide in most cases, as far as anything is known for them; of two alike the first.

        What the data of the first design wait for comes before the other speeds.
        """
        design = next((column.evaluation.design for column in self.columns if column.evaluation is not None), None)
        first = () if design is None else [name.removesuffix("_iops") for name in speeds_that_count(design.workload)]
        names = dict.fromkeys((*_DECIDING, *first, "seq_read", "seq_write", "rand_read", "purchase"))
        rows = [row for row in map(self.row, names) if row.differs or row.line.name != "spares"]
        known = [row for row in rows if any(cell.value is not None for cell in row.cells)]
        once = {tuple(cell.value for cell in row.cells): row for row in reversed(known)}
        return tuple(row for row in known if row is once[tuple(cell.value for cell in row.cells)])

    def of_section(self, section: Section) -> list[ComparedRow]:
        """Return the rows of a section; what the disks alone give only where a network passes less."""
        alone = {"itself_read": "seq_read", "itself_write": "seq_write"}
        rows = [row for row in self.rows if row.line.section is section]
        return [r for r in rows if r.line.name not in alone or r.cells != self.row(alone[r.line.name]).cells]


_MORE_SPACE = N_("holds {percent} % more")
# What decides in most cases: by which ratio one design is ahead of all others where it is worth a word, and the words
# for one of two, and for one of more. Below these ratios a model's error is larger than what it tells apart.
_AHEAD = {
    "usable": (1.02, _MORE_SPACE, N_("holds the most")),
    "held": (1.02, _MORE_SPACE, N_("holds the most")),
    "survived": (1.0, "", ""),
    "loss": (1.5, N_("is {times} times less likely to be lost"), N_("is least likely to be lost")),
    "disk_loss": (
        1.5,
        N_("is {times} times less likely to be lost to disk failures"),
        N_("is least likely to be lost to disk failures"),
    ),
    "rebuild": (1.3, N_("resilvers {times} times as fast"), N_("resilvers fastest")),
    "seq_read": (1.25, N_("reads {times} times as fast in sequence"), N_("reads fastest in sequence")),
    "rand_read": (1.25, N_("reads {times} times as fast at random"), N_("reads fastest at random")),
    "purchase": (1.02, N_("costs {less} % less"), N_("costs least")),
}
_DECIDING = ("usable", "held", "survived", "spares", "loss", "disk_loss", "common_loss", "rebuild")


def ahead_in(comparison: Comparison) -> dict[int, list[str]]:
    """Return what each column is clearly ahead in, the weightiest first; columns that are in nothing are left out."""
    rows = {row.line.name: row for row in comparison.deciding()}
    if "held" in rows:  # it tells more than what counts all blocks as of 128 KiB
        rows.pop("usable", None)
    ahead = ((row.best[0], _phrase(row, comparison)) for row in rows.values() if len(row.best) == 1)
    return grouped((column, phrase) for column, phrase in ahead if phrase)


def verdict(comparison: Comparison, names: Sequence[str]) -> str:
    """Return what speaks most for each in a sentence, with the designs called as in ``names``."""
    ahead, alike = ahead_in(comparison), _safest(comparison, names)
    if not ahead and not alike:
        return _("They differ in nothing that decides.")
    first, goal = recommended(comparison)
    order = sorted(ahead, key=lambda column: column != first)
    said = [*alike, *(f"{names[column]} {listed(ahead[column][:_MOST_SAID], CLAUSES)}" for column in order)]
    text = "" if first is None else _("Recommended for {goal}: {name}.", goal=goal, name=names[first])
    if first is not None and first not in ahead:
        ranks = [column.evaluation.design.ranked for column in comparison.columns if column.evaluation is not None]
        terms = [() if one is None else one.terms for one in ranks]
        text = f"{text} {against_words(terms[first], terms)}"
    return sentence(f"{text.rstrip()} {'; '.join(said)}".lstrip())


def _safest(comparison: Comparison, names: Sequence[str]) -> list[str]:
    """Return which of more than two survive the most failures, where several do."""
    row = comparison.row("survived")
    safest = [names[column] for column in row.best[1:] and row.best]
    most = int(row.cells[row.best[0]].value or 0) if safest else 0
    words = ngettext("{names} survive {count} failure", "{names} survive {count} failures", most, names=listed(safest))
    return [words] if safest else []


def recommended(comparison: Comparison) -> tuple[int | None, str]:
    """Return the column that ranks best and for which goal; None where they do not all stand in one ranking."""
    designs = [column.evaluation.design for column in comparison.columns if column.evaluation is not None]
    ranks = [d.ranked for d in designs if d.ranked is not None and d.ranked.layout == d.layout_words()]
    if len(ranks) < len(comparison.columns) or len({(one.goal, one.examined) for one in ranks}) > 1:
        return None, ""
    return min(range(len(ranks)), key=lambda number: ranks[number].rank), _(ranks[0].goal.value)


def _phrase(row: ComparedRow, comparison: Comparison) -> str:
    least, of_two, of_more = _AHEAD.get(row.line.name, (0.0, "", ""))
    whole = comparison.row("loss")
    if row.line.name == "disk_loss" and not whole.best and all(cell.value is not None for cell in whole.cells):
        return ""  # other causes lose either as often: how seldom its disks alone do decides nothing
    if row.line.name == "survived":
        most = int(row.cells[row.best[0]].value or 0)
        return ngettext("survives {count} failure", "survives {count} failures", most)
    # What loses a pool is much the same for all designs, so that bands of losses overlap though their order is known.
    if row.lead is None or row.lead < least or not (row.sure or row.line.name in ("loss", "disk_loss")):
        return ""
    words = of_two if len(comparison.columns) == LEAST_COLUMNS else of_more
    if row.lead >= 2 and words == _MORE_SPACE:
        words = N_("holds {times} times as much")
    more, less = 100 * (row.lead - 1), 100 * (1 - 1 / row.lead)
    times = numeral(float(f"{row.lead:.2g}"), ",.0f") if row.lead >= _ROUND_FROM else numeral(round(row.lead, 1), ",g")
    return _(words, percent=numeral(more, ",.0f"), times=times, less=f"{less:.0f}")


def check_count(columns: int) -> None:
    if not LEAST_COLUMNS <= columns <= MOST_COLUMNS:
        words = {"least_columns": LEAST_COLUMNS, "most_columns": MOST_COLUMNS, "columns": columns}
        raise UserError(
            _("A comparison has {least_columns} to {most_columns} designs, not {columns}", **words),
            todo=_("Name each design, or give --layout once for each."),
        )


def change_percent(row: ComparedRow, reference: int) -> tuple[float | None, ...]:
    """Return by how many per cent each column differs from the column ``reference``; None where nobody can tell."""
    base, unit = row.cells[reference].value, row.cells[reference].unit_of_money
    if any(cell.value is not None and cell.unit_of_money != unit for cell in row.cells):
        return tuple(None for __ in row.cells)
    return tuple(None if cell.value is None or not base else 100 * (cell.value - base) / base for cell in row.cells)


_H, _L = Better.HIGHER, Better.LOWER
LINES = (
    ComparedQuantity("layout", N_("Layout"), Section.SHAPE, Unit.TEXT),
    ComparedQuantity("goal", N_("Goal"), Section.SHAPE, Unit.TEXT),
    ComparedQuantity("version", N_("Version of OpenZFS"), Section.SHAPE, Unit.TEXT),
    ComparedQuantity("ashift", "ashift", Section.SHAPE, Unit.TEXT),
    ComparedQuantity("pools", N_("Pools"), Section.SHAPE, Unit.COUNT),
    ComparedQuantity("disks", N_("Disks used"), Section.SHAPE, Unit.COUNT),
    ComparedQuantity("spares", N_("Spares"), Section.SHAPE, Unit.COUNT),
    ComparedQuantity("usable", N_("Usable"), Section.SPACE, Unit.BYTES, _H),
    ComparedQuantity("held", N_("Usable in the data's blocks"), Section.SPACE, Unit.BYTES, _H),
    ComparedQuantity("plan", N_("Plan for 80 %"), Section.SPACE, Unit.BYTES, _H),
    ComparedQuantity("size", N_("SIZE of zpool list"), Section.SPACE, Unit.BYTES),
    ComparedQuantity("raw", N_("Raw, all disks used"), Section.SPACE, Unit.BYTES),
    ComparedQuantity("usable_share", N_("Usable share of raw"), Section.SPACE, Unit.SHARE, _H),
    ComparedQuantity("survived", N_("Failures survived"), Section.SAFETY, Unit.COUNT, _H),
    ComparedQuantity("survives_two", N_("Survives 2 random failures"), Section.SAFETY, Unit.SHARE, _H),
    ComparedQuantity("survives_three", N_("Survives 3 random failures"), Section.SAFETY, Unit.SHARE, _H),
    ComparedQuantity("loss", N_("Loss a year"), Section.SAFETY, Unit.PROBABILITY, _L),
    ComparedQuantity("disk_loss", N_("… by disks alone"), Section.SAFETY, Unit.PROBABILITY, _L),
    ComparedQuantity("common_loss", N_("… by several disks at once"), Section.SAFETY, Unit.PROBABILITY, _L),
    ComparedQuantity("damage", N_("Damaged data, a year"), Section.SAFETY, Unit.PROBABILITY, _L),
    ComparedQuantity("second", N_("Second failure during repair"), Section.SAFETY, Unit.PROBABILITY, _L),
    ComparedQuantity("creation", N_("Ready after creation"), Section.SAFETY, Unit.HOURS, _L),
    ComparedQuantity("rebuild", N_("Resilver"), Section.SAFETY, Unit.HOURS, _L),
    ComparedQuantity("rebuild_empty", N_("Resilver, pool empty"), Section.SAFETY, Unit.HOURS, _L),
    ComparedQuantity("rebuild_full", N_("Resilver, pool full"), Section.SAFETY, Unit.HOURS, _L),
    ComparedQuantity("scrub", N_("Scrub"), Section.SAFETY, Unit.HOURS, _L),
    ComparedQuantity("seq_read", SPEED_TITLES["seq_read"], Section.SPEED, Unit.RATE, _H),
    ComparedQuantity("seq_write", SPEED_TITLES["seq_write"], Section.SPEED, Unit.RATE, _H),
    ComparedQuantity("itself_read", N_("Read, without network"), Section.SPEED, Unit.RATE, _H),
    ComparedQuantity("itself_write", N_("Write, without network"), Section.SPEED, Unit.RATE, _H),
    ComparedQuantity("rand_read", SPEED_TITLES["rand_read_iops"], Section.SPEED, Unit.OPERATIONS, _H),
    ComparedQuantity("rand_write", SPEED_TITLES["rand_write_iops"], Section.SPEED, Unit.OPERATIONS, _H),
    ComparedQuantity("sync_write", SPEED_TITLES["sync_write_iops"], Section.SPEED, Unit.OPERATIONS, _H),
    ComparedQuantity("degraded_read", N_("Read slowdown with a failed disk"), Section.SPEED, Unit.SHARE, _L),
    ComparedQuantity("degraded_write", N_("Write slowdown with a failed disk"), Section.SPEED, Unit.SHARE, _L),
    ComparedQuantity("degraded_iops", N_("Random reads lost with a failed disk"), Section.SPEED, Unit.SHARE, _L),
    ComparedQuantity("rebuild_read", N_("Read slowdown in a resilver"), Section.SPEED, Unit.SHARE, _L),
    ComparedQuantity("rebuild_write", N_("Write slowdown in a resilver"), Section.SPEED, Unit.SHARE, _L),
    ComparedQuantity("rebuild_iops", N_("Random reads lost in a resilver"), Section.SPEED, Unit.SHARE, _L),
    ComparedQuantity("purchase", N_("Price of the disks"), Section.COST, Unit.MONEY, _L),
    ComparedQuantity("per_tb", N_("Price per usable TB"), Section.COST, Unit.MONEY, _L),
    ComparedQuantity("per_iops", N_("Price per 1,000 random reads/s"), Section.COST, Unit.MONEY, _L),
    ComparedQuantity("energy", N_("Electricity used"), Section.COST, Unit.ENERGY, _L),
    ComparedQuantity("power", N_("Cost of electricity"), Section.COST, Unit.MONEY, _L),
    ComparedQuantity("replacements", N_("Failed disks expected"), Section.COST, Unit.FEW, _L),
    ComparedQuantity("total_cost", N_("Total cost"), Section.COST, Unit.MONEY, _L),
    ComparedQuantity("blocks", N_("Rules that block"), Section.RULES, Unit.COUNT, _L),
    ComparedQuantity("warnings", N_("Warnings"), Section.RULES, Unit.COUNT, _L),
    ComparedQuantity("notes", N_("Notes"), Section.RULES, Unit.COUNT),
    ComparedQuantity("cannot_tell", N_("Rules without enough data"), Section.RULES, Unit.COUNT),
)
# What a quantity is called, and its unit, wherever it stands: in comparisons, reports, charts and the window.
QUANTITIES = {line.name: line for line in LINES}


def compare(columns: Sequence[ComparedDesign]) -> Comparison:
    """Return the columns side by side; raises UserError for fewer than two, more than six or one named twice."""
    check_count(len(columns))
    keys = [column.key for column in columns]
    if len(set(keys)) < len(keys):
        raise UserError(_("A design stands twice in the comparison"))
    rows = tuple(_row(line, tuple(column.cell(line.name) for column in columns)) for line in LINES)
    return Comparison(columns=tuple(columns), rows=rows, properties=_properties(columns))


def _row(line: ComparedQuantity, cells: tuple[Cell, ...]) -> ComparedRow:
    units = {cell.unit_of_money for cell in cells if line.unit is Unit.MONEY and cell.value is not None}
    seen = {cell.text if line.unit is Unit.TEXT else cell.value for cell in cells}
    row = ComparedRow(line=line, cells=cells, differs=len(seen) > 1 or len(units) > 1)
    known = {number: value for number, cell in enumerate(cells) if (value := cell.value) is not None}
    if line.better is Better.NONE or len(known) < 2 or len(units) > 1:  # nobody said what one currency is worth
        return row
    higher = line.better is Better.HIGHER
    worst, top = sorted((min(known.values()), max(known.values())), reverse=not higher)
    least, *__ = _AHEAD.get(line.name, (_TELLS_APART.get(line.unit, 1.0),))
    best = tuple(n for n, value in known.items() if value == top or (cells[n].estimate and _alike(value, top, least)))
    others = known.keys() - set(best)
    sure = all(_clear(cells[winner], cells[other], higher=higher) for winner in best for other in others)
    weakest = (min if higher else max)(known[winner] for winner in best)
    near = any(cells[other].estimate and _alike(known[other], weakest, least) for other in others)
    speed = line.unit in (Unit.RATE, Unit.OPERATIONS)
    untold = speed and any(cell.estimate and cell.estimate.told_as_band for cell in cells)
    if not others or (not sure and (near or untold)):
        return row
    lead = max(top, worst) / min(top, worst) if min(top, worst) > 0 else None
    return replace(row, best=best, sure=sure, lead=lead)


def _alike(value: float, top: float, least: float) -> bool:
    """Tell whether a prediction is as good as the best one: by no more than what is worth a word."""
    low, high = sorted((value, top))
    return high <= least * low


def _clear(winner: Cell, other: Cell, *, higher: bool) -> bool:
    (low, high), (other_low, other_high) = _ends(winner), _ends(other)
    return low > other_high if higher else high < other_low


def _ends(cell: Cell) -> tuple[float, float]:
    if cell.estimate is not None:
        return cell.estimate.low, cell.estimate.high
    value = cell.value
    assert value is not None
    return value, value


def _properties(columns: Sequence[ComparedDesign]) -> tuple[PropertyRow, ...]:
    """Return every property that a column sets, in the order of the first column that does; nothing for md RAID."""
    keys = dict.fromkeys(key for column in columns for key in column.settings)
    places = list(dict.fromkeys(place for place, __ in keys))
    rows = []
    for place, name in sorted(keys, key=lambda key: places.index(key[0])):
        settings = tuple(column.settings.get((place, name)) for column in columns)
        values = {None if setting is None else setting.value for setting in settings}
        rows.append(PropertyRow(place=place, name=name, settings=settings, differs=len(values) > 1))
    return tuple(rows)
