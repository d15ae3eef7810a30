"""Charts of predictions and of a comparison: rows with their band, layouts against what they weigh."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.design.candidate import Candidate
from poolwright.design.compare import ComparedRow, Comparison
from poolwright.design.comparison_columns import Cell, ComparedDesign
from poolwright.design.rank import survives
from poolwright.domain.rates import rate_text
from poolwright.domain.shown import csv_text
from poolwright.domain.units import GB, TIB, binary
from poolwright.emit.chart import Chart, ChartAxis, ChartMark, ChartSeries, SeriesKind, TickForm, axis_over, log_axis
from poolwright.emit.drawing import SERIES, Marker, ShapeRole
from poolwright.predict.number_words import SPEED_TITLES, UNKNOWN, Unit, band_text, has_band, loss_words, speed_text
from poolwright.texts import N_, _, inside, numeral

_SCALES = {Unit.BYTES: (TIB, "TiB"), Unit.RATE: (GB, "GB/s"), Unit.HOURS: (1, "h"), Unit.OPERATIONS: (1, "1/s")}


def rows_chart(
    stem: str, title: str, unit: Unit, rows: tuple[str, ...], marks: Mapping[str, Sequence[ChartMark]]
) -> Chart:
    """Return bars from zero, or odds as dots on a logarithmic scale, by the names of the series.

    The marks hold values in the base unit of ``unit``; a row without any is unknown.
    """
    scale, word = _SCALES.get(unit, (1, ""))
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
            text, note = (setting.value, setting.why) if setting else ("", _("not set"))
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


def cell_text(cell: Cell, unit: Unit) -> str:
    if unit is Unit.TEXT:
        return cell.text or "—"
    if cell.value is None:
        return _(UNKNOWN)
    if cell.money is not None:
        return str(cell.money)
    if cell.estimate is not None and unit in (Unit.RATE, Unit.OPERATIONS):
        text = speed_text(cell.estimate, unit.text)
        return f"{text} IOPS" if unit is Unit.OPERATIONS and text[-1].isdigit() else text  # words may follow
    text = unit.text(cell.value)
    return f"{text} {cell.currency or ''}".strip() if unit is Unit.MONEY else text


def cell_band(cell: Cell, unit: Unit) -> str:
    """Return the band of a cell; empty where its text tells it."""
    if cell.estimate is None or not has_band(cell.estimate, unit.text):
        return ""
    if unit in (Unit.RATE, Unit.OPERATIONS) and cell.estimate.told_as_band and not cell.estimate.cases:
        return ""
    return band_text(cell.estimate, unit.text)


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
    return _("{what} ({why})", what=column.layout, why=column.badge) if column.badge else column.layout


# Layouts by usable capacity and what it is weighed against, the best as a line, the designs compared by letters.

_FRONT_CHART_ROOM_ABOVE, _ROOM_BESIDE = 1.15, 1.04
_ASIDE = 0.55  # of a failure, on both sides of the counted numbers


class Against(StrEnum):
    """What capacity is weighed against; each better to the right."""

    SURVIVED = "survived"
    RISK = "risk"
    READ = "read"
    WRITE = "write"
    RANDOM_READ = "random-read"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontAxis:
    """A choice: its name, its unit, and the row of a comparison that holds the same value.

    ``scale`` is how much of the row's base unit is one of the axis. The front is of pools without the network.
    """

    name: str
    unit: str
    row: str
    scale: float = 1.0


AXES = {
    Against.SURVIVED: FrontAxis(name=N_("Failures survived"), unit=N_("count"), row="survived"),
    Against.RISK: FrontAxis(name=N_("Loss a year"), unit=N_("rarer to the right"), row="loss"),
    Against.READ: FrontAxis(name=SPEED_TITLES["seq_read"], unit="GB/s", row="itself_read", scale=GB),
    Against.WRITE: FrontAxis(name=SPEED_TITLES["seq_write"], unit="GB/s", row="itself_write", scale=GB),
    Against.RANDOM_READ: FrontAxis(name=SPEED_TITLES["rand_read_iops"], unit=N_("operations/s"), row="rand_read"),
}


def front_chart(
    candidates: Sequence[Candidate], first: Candidate | None, against: Against, columns: Sequence[ComparedDesign] = ()
) -> Chart:
    """Return layouts as dots, those that none beats as a line, and compared designs; a mark is ``of`` its candidate."""
    values = [_value(candidate, against) for candidate in candidates]
    ys = [candidate.measures.usable_bytes / TIB for candidate in candidates]
    dots = tuple(
        ChartMark(x=x, y=y, told=layout_words(candidate), of=candidate)
        for x, y, candidate in zip(values, ys, candidates, strict=True)
    )
    # Odds are told with two digits: a tenth of a percent beats nothing.
    xs = [float(f"{x:.2g}") for x in values] if against is Against.RISK else values
    line = tuple(ChartMark(x=values[n], y=ys[n]) for n in pareto(xs, ys))
    compared = _compared(columns, against)
    taken = {(mark.x, mark.y) for series in compared for mark in series.marks}
    best = tuple(dot for dot in dots if dot.of is first and (dot.x, dot.y) not in taken)
    marks = (*dots, *(mark for series in compared for mark in series.marks))
    series = (
        ChartSeries(name=_("Layouts"), kind=SeriesKind.DOTS, marks=dots, role=ShapeRole.GREY, size=5.0),
        ChartSeries(name=_("Pareto front"), kind=SeriesKind.CURVE, marks=line, role=ShapeRole.NOTE),
        ChartSeries(name=_("First choice"), kind=SeriesKind.DOTS, marks=best, marker=Marker.STAR, size=14.0),
        *compared,
    )
    return Chart(
        stem="layouts",
        title=_("Usable capacity against {what}", what=inside(_(AXES[against].name))),
        x=_axis(against, [mark.x for mark in marks]),
        y=axis_over(_("Usable capacity"), [mark.y for mark in marks], unit="TiB", room=_FRONT_CHART_ROOM_ABOVE),
        series=tuple(one for one in series if one.marks),
    )


def layout_words(candidate: Candidate) -> str:
    capacity, speed = candidate.main.capacity, candidate.measures.forecast.speed
    return _(
        "{layout}: {usable} usable, {survival}, loss a year {risk}, reads {read}, {score:.1f} points. "
        "Computed with the arithmetic of OpenZFS {version} at ashift {ashift}.",
        layout=candidate.words,
        usable=binary(candidate.measures.usable_bytes),
        survival=survives(candidate.measures.failures_survived),
        risk=loss_words(candidate.measures.any_loss, candidate.measures.any_disk_loss),
        read=rate_text(speed.seq_read),
        score=candidate.score,
        version=capacity.version,
        ashift=capacity.ashift,
    )


def _axis(against: Against, xs: Sequence[float]) -> ChartAxis:
    name, unit = _(AXES[against].name), _(AXES[against].unit)
    if against is Against.SURVIVED:
        least, most = round(min(xs, default=0.0)), round(max(xs, default=0.0))
        ticks = tuple((float(x), str(x)) for x in range(least, most + 1))
        return ChartAxis(title=name, unit=unit, low=least - _ASIDE, high=most + _ASIDE, ticks=ticks)
    title = _("{name} of one pool, predicted", name=name)
    if against is Against.RISK:
        low, high = min(xs, default=1.0) / 2, 2 * max(xs, default=10.0)
        return ChartAxis(title=title, unit=unit, low=low, high=high, log=True, form=TickForm.ONE_IN)
    return axis_over(title, xs, unit=unit, room=_ROOM_BESIDE)


def _value(candidate: Candidate, against: Against) -> float:
    speed = candidate.measures.forecast.speed
    base = {
        Against.SURVIVED: candidate.measures.failures_survived,
        Against.RISK: candidate.measures.any_loss,
        Against.READ: speed.seq_read,
        Against.WRITE: speed.seq_write,
        Against.RANDOM_READ: speed.rand_read_iops,
    }
    return _on_axis(base[against], against)


# A value in its base unit as the axis counts it: a probability as how rare it is.
def _on_axis(value: float, against: Against) -> float:
    return 1 / value if against is Against.RISK else value / AXES[against].scale


# Where designs stand; those at one place share a mark, one whose value is unknown has none.
def _compared(columns: Sequence[ComparedDesign], against: Against) -> tuple[ChartSeries, ...]:
    found: dict[tuple[float, float], list[int]] = {}
    for number, column in enumerate(columns):
        usable, value = column.cell("usable").value, column.cell(AXES[against].row).value
        if usable is not None and value is not None:
            found.setdefault((_on_axis(value, against), usable / TIB), []).append(number)
    series = []
    for (x, y), numbers in found.items():
        name = ", ".join(f"{LETTERS[n]} {columns[n].title}" for n in numbers)
        mark = ChartMark(
            x=x,
            y=y,
            label="".join(LETTERS[n] for n in numbers),
            told=_("{name}: {usable} TiB usable.", name=name, usable=numeral(y, ".1f")),
        )
        look = SERIES[numbers[0]]
        series.append(ChartSeries(name="", kind=SeriesKind.DOTS, marks=(mark,), role=look, size=20.0, inside=True))
    return tuple(series)


def pareto(xs: Sequence[float], ys: Sequence[float]) -> tuple[int, ...]:
    """Return the numbers of the points that no other beats in both values, from the least x to the greatest."""
    best: dict[float, int] = {}
    for number, (x, y) in enumerate(zip(xs, ys, strict=True)):
        if x not in best or y > ys[best[x]]:
            best[x] = number
    front: list[int] = []
    highest = float("-inf")
    for x in sorted(best, reverse=True):
        if ys[best[x]] > highest:
            highest = ys[best[x]]
            front.append(best[x])
    return tuple(reversed(front))
