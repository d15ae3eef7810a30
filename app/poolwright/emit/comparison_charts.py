"""The charts of a comparison: a row for each design, with the band of what is predicted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from poolwright.design.compare import ComparedRow, Comparison, Section
from poolwright.design.compared import Cell, ComparedDesign
from poolwright.domain.shown import csv_text
from poolwright.domain.units import GB, TIB
from poolwright.emit.chart import Chart, ChartAxis, ChartMark, ChartSeries, SeriesKind, TickForm, axis_over, log_axis
from poolwright.emit.drawing import SERIES
from poolwright.predict.number_words import UNKNOWN, Unit, band_text, has_band, speed_text
from poolwright.texts import marked, tell

_SCALES = {Unit.BYTES: (TIB, "TiB"), Unit.RATE: (GB, "GB/s"), Unit.HOURS: (1, "h"), Unit.OPERATIONS: (1, "1/s")}
_CHARTS = (
    (marked("Usable capacity"), ("usable",)),
    (marked("Sequential read and write"), ("seq_read", "seq_write")),
    (marked("Read and write without the network"), ("itself_read", "itself_write")),
    (marked("Random reads a second"), ("rand_read",)),
    (marked("Chance that a pool is lost within a year"), ("loss",)),
    (marked("Rebuild of one disk"), ("rebuild",)),
    (marked("Price of the disks"), ("purchase",)),
    (marked("Price per usable TB"), ("per_tb",)),
)


def comparison_charts(comparison: Comparison) -> tuple[Chart, ...]:
    return tuple(_known_charts(comparison))


def _known_charts(comparison: Comparison) -> Iterator[Chart]:
    designs = tuple(f"{LETTERS[n]} {column.title}" for n, column in enumerate(comparison.columns))
    for title, names in _CHARTS:
        rows = [comparison.row(name) for name in names]
        unit = rows[0].line.unit
        known = [cell for row in rows for cell in row.cells if cell.value is not None]
        money = {cell.unit_of_money for cell in known} if unit is Unit.MONEY else set()
        if not known or len(money) > 1:
            continue  # bars of several currencies compare nothing
        marks = {row.line.title: _marks(row, designs) for row in rows}
        currency = (rows[0].currency or tell("currency not said")) if money else ""
        yield rows_chart(f"comparison-{names[0]}", tell(title), unit, designs, marks, currency=currency)


def rows_chart(
    stem: str,
    title: str,
    unit: Unit,
    rows: tuple[str, ...],
    marks: Mapping[str, Sequence[ChartMark]],
    *,
    currency: str = "",
) -> Chart:
    """Return bars from zero, or odds as dots on a logarithmic scale, by the names of the series.

    The marks hold values in the base unit of ``unit``; a row without any is unknown.
    """
    scale, word = _SCALES.get(unit, (1, currency))
    odds = unit is Unit.PROBABILITY
    series = tuple(
        ChartSeries(
            name=name,
            kind=SeriesKind.DOTS if odds else SeriesKind.BARS,
            marks=tuple(_scaled(mark, scale) for mark in found),
            role=SERIES[number],
            size=12.0,
        )
        for number, (name, found) in enumerate(marks.items())
    )
    values = [v for one in series for mark in one.marks for v in (mark.low, mark.x, mark.high) if v is not None]
    axis = (
        log_axis(title, [v for v in values if v > 0], form=TickForm.ODDS)
        if odds
        else axis_over(title, values, unit=word)
    )
    places = ChartAxis(title="", low=0.5 - len(rows), high=0.5)
    known = {mark.y for one in series for mark in one.marks}
    unknown = tuple(number for number in range(len(rows)) if number not in known)
    return Chart(stem=stem, title=title, x=axis, y=places, series=series, rows=rows, unknown=unknown)


def _scaled(mark: ChartMark, scale: float) -> ChartMark:
    low, high = (None if value is None else value / scale for value in (mark.low, mark.high))
    return replace(mark, x=mark.x / scale, low=low, high=high)


def _marks(row: ComparedRow, designs: Sequence[str]) -> list[ChartMark]:
    unit, found = row.line.unit, []
    for number, cell in enumerate(row.cells):
        if cell.value is None:
            continue
        words, estimate = cell_text(cell, unit), cell.estimate
        band = cell_band(cell, unit)
        told = ", ".join(word for word in (words, band, best_words(row, number)) if word)
        short = words.partition(" (")[0]
        found.append(
            ChartMark(
                x=cell.value,
                y=number,
                low=estimate.low if estimate is not None and band else None,
                high=estimate.high if estimate is not None and band else None,
                label=f"✓ {short}" if number in row.best else short,
                told=f"{designs[number]}: {row.line.title} {told}",
            )
        )
    return found


# A comparison as CSV for spreadsheets: plain numbers in base units, one line a row and column.

HEADER = (
    "section", "row", "title", "unit", "currency", "better", "design", "layout", "value", "low", "high", "text", "best",
    "sure", "differs", "origin", "note",
)  # fmt: skip


def comparison_csv(comparison: Comparison) -> str:
    """Return all rows, then the properties (section “Properties”, the place before the name)."""
    lines: list[tuple[str, ...]] = [HEADER]
    for row in comparison.rows:
        line = row.line
        about = (line.section.value, line.name, line.title, line.unit.value)
        for number, (column, cell) in enumerate(zip(comparison.columns, row.cells, strict=True)):
            band, best = cell.estimate, number in row.best
            value = _number(cell.value) if cell.money is None else cell.money.plain()
            low, high = (_number(band.low), _number(band.high)) if band else ("", "")
            of_column = (cell.unit_of_money or "", line.better.value, column.title, column.layout)
            said = (_word(best), _word(row.sure) if best else "", _word(row.differs))
            origin = str(cell.source) if cell.source is not None else ""
            lines.append((*about, *of_column, value, low, high, cell.text or "", *said, origin, cell.note))
    for prop in comparison.properties:
        of_row = ("Properties", f"{prop.place}: {prop.name}", prop.name, "text", "", "none")
        for column, setting in zip(comparison.columns, prop.settings, strict=True):
            text, note = (setting.value, setting.reason) if setting else ("", tell("not set"))
            lines.append(
                (*of_row, column.title, column.layout, "", "", "", text, "no", "", _word(prop.differs), "", note)
            )
    return csv_text(lines)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e18 else repr(float(value))


def _word(answer: bool) -> str:
    return "yes" if answer else "no"


# The cells of a comparison in words: for its tables and its charts, in reports and in the window.

LETTERS = "ABCDEF"
_SECTIONS = {
    Section.SHAPE: marked("Layout"),
    Section.SPACE: marked("Space"),
    Section.SAFETY: marked("Safety"),
    Section.SPEED: marked("Speed"),
    Section.COST: marked("Cost"),
    Section.RULES: marked("Rules"),
}


def section_words(section: Section) -> str:
    return tell(_SECTIONS[section])


def cell_text(cell: Cell, unit: Unit) -> str:
    """Return the value of a cell for people; “unknown” where it is."""
    if unit is Unit.TEXT:
        return cell.text or "—"
    if cell.value is None:
        return tell(UNKNOWN)
    if cell.money is not None:
        return str(cell.money)
    if cell.estimate is not None and unit in (Unit.RATE, Unit.OPERATIONS):
        return speed_text(cell.estimate, unit.text)
    text = unit.text(cell.value)
    return f"{text} {cell.currency or ''}".strip() if unit is Unit.MONEY else text


def cell_band(cell: Cell, unit: Unit) -> str:
    if cell.estimate is None or not has_band(cell.estimate, unit.text):
        return ""
    return band_text(cell.estimate, unit.text)


def best_words(row: ComparedRow, number: int) -> str:
    if number not in row.best:
        return ""
    if len(row.best) == 1:
        return tell("best") if row.sure else tell("likely best")
    return tell("tied for best") if row.sure else tell("likely tied for best")


def share_of(row: ComparedRow, number: int) -> float | None:
    """Return the value as a share of the row's largest, for a bar; None where a bar says nothing."""
    if row.line.unit is Unit.MONEY and row.currency is None and len({c.unit_of_money for c in row.cells}) > 1:
        return None
    if row.line.unit not in (Unit.BYTES, Unit.RATE, Unit.OPERATIONS, Unit.HOURS, Unit.MONEY):
        return None
    known = [cell.value for cell in row.cells if cell.value is not None]
    value, most = row.cells[number].value, max(known, default=0.0)
    return None if value is None or most <= 0 or len(known) < 2 else value / most


def layout_with_badge(column: ComparedDesign) -> str:
    """Return the layout of a column, and behind it that its disks are planned where they are."""
    badge = column.badge[0]
    return tell("{layout} ({badge})", layout=column.layout, badge=badge) if badge else column.layout
