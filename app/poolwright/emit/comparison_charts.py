"""The charts of a comparison: a row for each design, with the band of what is predicted."""

from collections.abc import Iterator, Mapping, Sequence

from poolwright.design.compare import ComparedRow, Comparison
from poolwright.domain.units import GB, TIB
from poolwright.emit.chart import Chart, ChartAxis, ChartMark, ChartSeries, SeriesKind, TickForm
from poolwright.emit.chart_axis import axis_over, log_axis
from poolwright.emit.compared_words import LETTERS, best_words, cell_band, cell_text
from poolwright.emit.drawing import SERIES
from poolwright.predict.number_words import Unit
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
    """Return the charts of whatever is known of any of the designs."""
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
    return ChartMark(x=mark.x / scale, y=mark.y, low=low, high=high, label=mark.label, told=mark.told, of=mark.of)


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
