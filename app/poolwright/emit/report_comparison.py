"""A comparison as a report: who is better at what and how sure that is, charts, properties, commands."""

from collections.abc import Iterable
from dataclasses import dataclass

from poolwright.advise.compare import ComparedRow, Comparison, Section
from poolwright.advise.compared import Cell, ComparedDesign
from poolwright.emit.charts import BarMark, Spot, bar_chart, front_chart, odds_chart
from poolwright.emit.column_commands import column_commands, commands_diff
from poolwright.emit.drawing import SERIES
from poolwright.emit.report_blocks import (
    Block,
    Bullets,
    Code,
    Difference,
    Picture,
    Report,
    ReportHeading,
    ReportTable,
    TextTone,
    Words,
    paragraph,
    plain,
)
from poolwright.emit.report_prices import price_blocks
from poolwright.emit.shown_document import shown_document
from poolwright.predict.number_words import UNKNOWN, Unit, band_text, number_text, speed_text
from poolwright.texts import tell

LETTERS = "ABCDEF"
_WINS_NAMED = 6
_MOST_UPRIGHT = 3  # columns that fit on paper that stands


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontOfAll:
    """All layouts of a recommendation for the plot of the front; the spots of compared ones have a name."""

    title: str
    x_title: str
    y_title: str
    spots: tuple[Spot, ...]
    front: tuple[Spot, ...]


def comparison_report(comparison: Comparison, *, title: str, made: str, front: FrontOfAll | None = None) -> Report:
    """Return the report of a comparison. ``made`` tells program and time."""
    names = ", ".join(f"{LETTERS[n]} {column.title}" for n, column in enumerate(comparison.columns))
    return shown_document(
        Report(
            title=title,
            subtitle=names,
            blocks=(
                *_overview(comparison),
                *_tables(comparison),
                *_prices(comparison),
                *_charts(comparison, front),
                *_properties(comparison),
                *_commands(comparison),
                *_sources(comparison),
            ),
            foot=made,
            wide=len(comparison.columns) > _MOST_UPRIGHT,
        )
    )


def cell_text(cell: Cell, unit: Unit) -> str:
    """Return the value of a cell for people; “unknown” where it is."""
    if unit is Unit.TEXT:
        return cell.text or "—"
    if cell.value is None:
        return tell(UNKNOWN)
    if cell.money is not None:
        return str(cell.money)
    if cell.estimate is not None and unit in (Unit.RATE, Unit.OPERATIONS):
        return speed_text(cell.estimate, unit)
    text = number_text(cell.value, unit)
    return f"{text} {cell.currency or ''}".strip() if unit is Unit.MONEY else text


def best_words(row: ComparedRow, number: int) -> str:
    """Return the mark of the better value in words; empty for the others."""
    if number not in row.best:
        return ""
    word = "best" if len(row.best) == 1 else "tied for best"
    return word if row.sure else f"likely {word}"


def share_of(row: ComparedRow, number: int) -> float | None:
    """Return the value as a share of the row's largest, for a bar; None where a bar says nothing."""
    if row.line.unit is Unit.MONEY and row.currency is None and len({c.unit_of_money for c in row.cells}) > 1:
        return None
    if row.line.unit not in (Unit.BYTES, Unit.RATE, Unit.OPERATIONS, Unit.HOURS, Unit.MONEY):
        return None
    known = [cell.value for cell in row.cells if cell.value is not None]
    value, most = row.cells[number].value, max(known, default=0.0)
    return None if value is None or most <= 0 or len(known) < 2 else value / most


def _overview(comparison: Comparison) -> list[Block]:
    rows, items = [], []
    for number, column in enumerate(comparison.columns):
        rows.append((Words(text=LETTERS[number], strong=True), *plain(column.title, column.layout)))
        wins = [_inside(row.line.title) for row in comparison.wins(number)]
        more = f" and {len(wins) - _WINS_NAMED} more" if len(wins) > _WINS_NAMED else ""
        told = f"better at {', '.join(wins[:_WINS_NAMED])}{more}" if wins else "alone the best at nothing"
        items.append(Words(text=f"{LETTERS[number]} {column.title}: {told}."))
    return [
        ReportHeading(text="Designs"),
        ReportTable(header=("", "Name", "Layout"), rows=tuple(rows)),
        Bullets(items=tuple(items)),
        paragraph(
            "Predictions are typical values with their band below. The better value is marked; “likely” means that "
            "bands overlap, so the order is not certain.",
            TextTone.MUTED,
        ),
    ]


def _tables(comparison: Comparison) -> list[Block]:
    header = ("", *(f"{LETTERS[n]} {column.title}" for n, column in enumerate(comparison.columns)))
    right = frozenset(range(1, len(header)))
    blocks: list[Block] = []
    for section in Section:
        rows = [row for row in comparison.rows if row.line.section is section]
        told = [_table_row(row) for row in rows if any(_is_known(cell) for cell in row.cells)]
        if told:
            look = frozenset[int]() if section is Section.SHAPE else right
            blocks.extend((ReportHeading(text=section.value), ReportTable(header=header, rows=tuple(told), right=look)))
        silent = [_inside(row.line.title) for row in rows if not any(_is_known(cell) for cell in row.cells)]
        if silent:
            blocks.append(paragraph(f"Unknown for all: {', '.join(silent)}.", TextTone.MUTED))
    return blocks


def _prices(comparison: Comparison) -> list[Block]:
    """Return what the disks of each design cost, model by model."""
    found: list[Block] = []
    for number, column in enumerate(comparison.columns):
        if column.evaluation is not None:
            name = f"{LETTERS[number]} {column.title}"
            found.extend(price_blocks(column.evaluation.cost, heading=name, level=3))
    return [ReportHeading(text="Prices"), *found] if found else []


def _inside(title: str) -> str:
    """Return a title as it stands inside a sentence."""
    return title if title.startswith("SIZE") else title[:1].lower() + title[1:]


def _is_known(cell: Cell) -> bool:
    return cell.text is not None or cell.value is not None


def _table_row(row: ComparedRow) -> tuple[Words, ...]:
    mark = "≠ " if row.differs else ""
    return (
        Words(text=f"{mark}{row.line.title}"),
        *(_table_cell(row, number) for number in range(len(row.cells))),
    )


def _table_cell(row: ComparedRow, number: int) -> Words:
    cell, best = row.cells[number], best_words(row, number)
    band = band_text(cell.estimate, row.line.unit) if cell.estimate is not None else ""
    small = "; ".join(part for part in (best, band, cell.note) if part)
    known = _is_known(cell)
    return Words(
        text=f"{'✓ ' if best else ''}{cell_text(cell, row.line.unit)}",
        tone=TextTone.OK if best else TextTone.PLAIN if known else TextTone.MUTED,
        strong=bool(best),
        small=small,
        share=share_of(row, number),
    )


def _charts(comparison: Comparison, front: FrontOfAll | None) -> list[Block]:
    blocks: list[Block] = [ReportHeading(text="Charts")]
    for name, title in (
        ("usable", "Usable capacity"),
        ("seq_read", "Sequential read, with band"),
        ("seq_write", "Sequential write, with band"),
        ("rand_read", "Random reads a second, with band"),
        ("loss", "Chance that a pool is lost within a year (rarer to the left)"),
        ("rebuild", "Rebuild, with band"),
        ("purchase", "Price of the disks"),
    ):
        row = comparison.row(name)
        if all(cell.value is None for cell in row.cells):
            continue
        if row.line.unit is Unit.MONEY and len({c.unit_of_money for c in row.cells if c.value is not None}) > 1:
            continue  # bars of several currencies compare nothing
        named = f"{title} ({row.currency or 'currency not said'})" if row.line.unit is Unit.MONEY else title
        marks = tuple(_mark(comparison.columns[n], cell, n) for n, cell in enumerate(row.cells))
        chart = odds_chart(named, marks) if name == "loss" else bar_chart(named, row.line.unit, marks)
        blocks.append(Picture(drawing=chart))
    if front is not None:
        drawing = front_chart(front.title, front.x_title, front.y_title, front.spots, front.front)
        blocks.append(Picture(drawing=drawing, caption="The line is the front: no layout has more of both."))
    return blocks


def _mark(column: ComparedDesign, cell: Cell, number: int) -> BarMark:
    name = f"{LETTERS[number]} {column.title}"
    role = SERIES[number]
    if cell.estimate is not None:
        found = cell.estimate
        return BarMark(name=name, low=found.low, typical=found.typical, high=found.high, role=role)
    return BarMark(name=name, low=cell.value, typical=cell.value, high=cell.value, role=role)


def _properties(comparison: Comparison) -> list[Block]:
    if not comparison.properties:
        return []
    header = ("Where", "Property", *LETTERS[: len(comparison.columns)])
    rows = []
    for row in comparison.properties:
        values = (
            Words(text=s.value, strong=row.differs, small=s.reason) if s else Words(text="not set", tone=TextTone.MUTED)
            for s in row.settings
        )
        rows.append((*plain(row.place, f"{'≠ ' if row.differs else ''}{row.name}"), *values))
    return [ReportHeading(text="Properties"), ReportTable(header=header, rows=tuple(rows))]


def _commands(comparison: Comparison) -> list[Block]:
    first, *others = comparison.columns
    blocks: list[Block] = [
        ReportHeading(text="Commands"),
        paragraph("To read and compare. The guarded script of a design is what builds it.", TextTone.MUTED),
        ReportHeading(text=f"A {first.title}", level=3),
        Code(text="\n".join(column_commands(first))),
    ]
    for number, column in enumerate(others, start=1):
        heading = f"From A to {LETTERS[number]} {column.title}"
        blocks.append(ReportHeading(text=heading, level=3))
        blocks.append(Difference(lines=commands_diff(first, column)))
    return blocks


def _sources(comparison: Comparison) -> list[Block]:
    """Return what no number tells, and where the numbers come from, each said once."""
    remarks = [
        Words(text=f"{LETTERS[n]}: {remark.text}", small=remark.source)
        for n, column in enumerate(comparison.columns)
        for remark in column.remarks
    ]
    origins = origins_told((row.line.title, cell) for row in comparison.rows for cell in row.cells)
    blocks: list[Block] = []
    if remarks:
        blocks.extend((ReportHeading(text="What no number tells"), Bullets(items=tuple(remarks))))
    return [*blocks, ReportHeading(text="Where the predictions come from"), origins]


def origins_told(cells: Iterable[tuple[str, Cell]]) -> Bullets:
    """Return where predictions come from: each origin once, with the titles of the rows it stands behind."""
    found: dict[str, dict[str, None]] = {}
    for title, cell in cells:
        if cell.estimate is not None:
            found.setdefault(str(cell.estimate.origin), {}).setdefault(title)
    return Bullets(items=tuple(Words(text=", ".join(titles), small=source) for source, titles in found.items()))
