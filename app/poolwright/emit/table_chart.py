"""The chart of a measured table: dots with whiskers or bars from zero, named limits, figures with sources."""

from collections.abc import Iterable

from poolwright.domain.shown import csv_text
from poolwright.emit.chart import (
    Chart,
    ChartAxis,
    ChartLimit,
    ChartMark,
    ChartSeries,
    SeriesKind,
    axis_over,
    log_axis,
    room_for_dots,
)
from poolwright.emit.drawing import MARKERS, SERIES
from poolwright.predict.tables import (
    NO_UNIT,
    UNIT_PER_ROW,
    UNITS,
    Axis,
    Column,
    ColumnKind,
    ColumnType,
    DrawnLevel,
    PlotKind,
    Precision,
    ReadFrom,
    Row,
    Series,
    Subject,
    Table,
    TableDrawing,
    TableMark,
)
from poolwright.texts import N_, _, numeral, sentence

_TINY = 0.01  # below this a figure that was converted is shown in its own unit
_FEW, _MANY = 4, 30  # marks of a series: each of few has its figure, many are drawn smaller
_DOT, _SMALL_DOT = 8.0, 6.0
_FEW_NUMBERS = 12
_KINDS = {PlotKind.BAR: SeriesKind.BARS, PlotKind.LINE: SeriesKind.LINE, PlotKind.SCATTER: SeriesKind.DOTS}


def table_chart(drawing: TableDrawing, name: str) -> Chart:
    plot = drawing.plot
    bars = plot.kind is PlotKind.BAR
    figures, places = _figure_axis(drawing), _place_axis(drawing)
    return Chart(
        stem=name,
        title=plot.title,
        x=figures if bars else places,
        y=places if bars else figures,
        series=tuple(_series(drawing, series, number) for number, series in enumerate(drawing.series)),
        limits=tuple(
            ChartLimit(
                name=level.name,
                value=level.value,
                upright=(level.axis is Axis.X) != bars,
                told=level_words(drawing, level),
            )
            for level in drawing.levels
        ),
        rows=drawing.categories,
    )


def _series(drawing: TableDrawing, series: Series, number: int) -> ChartSeries:
    bars = drawing.plot.kind is PlotKind.BAR
    marks = tuple(
        ChartMark(
            x=mark.y if bars else mark.x,
            y=mark.x if bars else mark.y,
            low=mark.low,
            high=mark.high,
            label=_label(drawing, series, mark),
            told=f"{', '.join(filter(None, (series.name, mark.where)))}: {_figure(drawing, mark)}",
            of=mark.row,
        )
        for mark in series.marks
    )
    return ChartSeries(
        name=series.name,
        kind=_KINDS[drawing.plot.kind],
        marks=marks,
        role=SERIES[number],
        marker=MARKERS[number],
        size=_SMALL_DOT if len(marks) > _MANY else _DOT,
    )


def _label(drawing: TableDrawing, series: Series, mark: TableMark) -> str:
    few = drawing.plot.kind is PlotKind.SCATTER and len(series.marks) <= _FEW and mark is series.marks[-1]
    if not few and drawing.plot.kind is not PlotKind.BAR:
        return ""
    own = mark.row.number_of(mark.column)
    if own and abs(mark.y) < _TINY <= abs(own):
        return f"{sign(mark.row)}{rounded(own)} {unit_word(mark.row.unit(mark.column))}"
    return sign(mark.row) + rounded(mark.y)


def _figure_axis(drawing: TableDrawing) -> ChartAxis:
    plot, unit = drawing.plot, unit_word(drawing.y_unit)
    values = [v for m in drawing.marks for v in (m.low, m.y, m.high) if v is not None]
    values += [level.value for level in drawing.levels if level.axis is Axis.Y]
    if Axis.Y in plot.log:
        return log_axis(plot.y_title, [value for value in values if value > 0], unit=unit)
    axis = axis_over(plot.y_title, values, unit=unit)
    return axis if plot.kind is PlotKind.BAR else room_for_dots(axis)


def _place_axis(drawing: TableDrawing) -> ChartAxis:
    plot, unit = drawing.plot, unit_word(drawing.x_unit)
    if drawing.categories:
        return ChartAxis(title=plot.x_title, low=0.5 - len(drawing.categories), high=0.5)
    xs = [mark.x for mark in drawing.marks]
    if Axis.X in plot.log:
        return log_axis(plot.x_title, xs, unit=unit)
    xs += [level.value for level in drawing.levels if level.axis is Axis.X]
    if drawing.x_unit == "percent":
        xs.append(100.0)
    elif len(set(xs)) == 1:
        xs.append(2 * xs[0])  # a single place stands in the middle
    few = 1 < max(xs) <= _FEW_NUMBERS and drawing.x_unit != "percent"
    return axis_over(plot.x_title, xs, unit=unit, room=1.02, whole=few)


def level_words(drawing: TableDrawing, level: DrawnLevel) -> str:
    unit = unit_word(drawing.y_unit if level.axis == "y" else drawing.x_unit)
    value = f"{level.name}: {rounded(level.value)} {unit}".rstrip()
    return sentence(f"{value}. {source_line(level.row)}" if level.row else value)


def _figure(drawing: TableDrawing, mark: TableMark) -> str:
    precision = mark.row.provenance.precision
    text = f"{rounded(mark.y)} {unit_word(drawing.y_unit)}".rstrip()
    if precision is Precision.NO_CHANGE:
        text += f" ({_(_SHARPNESS[precision])})"
    elif precision in _SHARPNESS:
        text = f"{_(_SHARPNESS[precision])} {text}"
    if mark.low is not None and mark.high is not None:
        low, high = rounded(mark.low), rounded(mark.high)
        text = _("{text}, 95 % interval {low} to {high}", text=text, low=low, high=high)
    if drawing.plot.per:
        text = _("{text}, worked out by dividing", text=text)
    return sentence(f"{text}. {source_line(mark.row)}")


# Measured tables in words: headings, units, figures with their sharpness, sources. No widgets here.

_SIGNS = {Precision.ABOUT: "≈ ", Precision.UP_TO: "≤ ", Precision.OVER: "> ", Precision.NEARLY: "≲ "}
_WORDS = {"afr": "AFR", "cpu": "CPU", "iops": "IOPS", "usd": "USD", "zfs": "ZFS", "iowait": "I/O wait", "2tb": "2 TB"}
# Units that the name of a column says already.
_SAID_BY = {"days": ("days",), "h": ("hours",), "USD": ("usd",), "operations/s": ("iops",)}
# Columns whose words are names, underscores included.
_NAMES = ("model", "property", "feature", "advice", "software", "version")
_SHORT_UNITS = {"percent": "%", "count": "", NO_UNIT: "", UNIT_PER_ROW: "", "times": "×", "us": "µs"}


def unit_word(unit: str) -> str:
    return _SHORT_UNITS.get(unit, unit)


def name_words(name: str) -> str:
    text = " ".join(_WORDS.get(word, word) for word in name.split("_"))
    return text if text.startswith("raidz") else text[:1].upper() + text[1:]


def heading(column: Column, *, between: str = " ") -> str:
    """Return what a column is called; ``between`` stands before its unit."""
    suffix = "_" + column.unit.replace("/", "_").replace(" ", "_").casefold()
    said = column.unit in _SAID_BY and any(word in column.name.split("_") for word in _SAID_BY[column.unit])
    unit = "" if said else unit_word(column.unit)
    text = name_words(column.name if said else column.name.removesuffix(suffix))
    return text + (f"{between}({unit})" if unit and unit != column.name else "")


def cell_text(row: Row, column: Column) -> str:
    """Return a cell as it is shown: figures with a sign for their sharpness, words without underscores."""
    value = row.cell(column.name)
    if value is None or (column.name == "unit" and value == NO_UNIT):
        return "–" if column.kind is ColumnKind.FIGURE else ""
    if column.kind is ColumnKind.FIGURE and not isinstance(value, str):
        return sign(row) + number(value)
    if isinstance(value, str) and column.type is ColumnType.TEXT and column.kind is not ColumnKind.PROVENANCE:
        return value if column.name in _NAMES else value.replace("_", " ")
    return number(value) if not isinstance(value, str) else value


def number(value: float) -> str:
    return numeral(value) if isinstance(value, int) else numeral(value, ",.10g")


def rounded(value: float) -> str:
    return numeral(value, ",.0f") if abs(value) >= 1000 or value == int(value) else numeral(value, ".3g")


def sign(row: Row) -> str:
    return _SIGNS.get(row.provenance.precision, "")


def sort_key(row: Row, column: Column) -> tuple[int, str, float, str]:
    """Return what a cell sorts by: numbers by their value in base units, then texts, the empty last."""
    value = row.cell(column.name)
    if value is None:
        return 2, "", 0.0, ""
    if isinstance(value, str):
        return 1, "", 0.0, value.casefold()

    return 0, UNITS[row.unit(column.name)][0], row.base(column.name) or 0.0, ""


def source_line(row: Row) -> str:
    origin = row.provenance
    return f"{origin.title}, {origin.place}, {_(READ_WORDS[origin.read_from])}"


READ_WORDS = {
    ReadFrom.TEXT: N_("read from the text"), ReadFrom.TABLE: N_("read from a table"),
    ReadFrom.LISTING: N_("read from a listing"), ReadFrom.DATA: N_("read from published data"),
    ReadFrom.DOCUMENTATION: N_("read from documentation"),
}  # fmt: skip
_SHARPNESS = {
    Precision.ABOUT: N_("about"), Precision.UP_TO: N_("up to"), Precision.OVER: N_("over"),
    Precision.NEARLY: N_("nearly"), Precision.NO_CHANGE: N_("said in words to be unchanged"),
}  # fmt: skip


def row_words(row: Row) -> str:
    origin = row.provenance
    parts = [sentence(source_line(row))]
    if origin.line is not None:
        parts.append(_("Line {line} of its plain text.", line=origin.line))
    if origin.printed:
        parts.append(_("Printed as {printed}.", printed=", ".join(f"“{each}”" for each in origin.printed)))
    if origin.precision in _SHARPNESS:
        parts.append(_("Sharpness: {words}.", words=_(_SHARPNESS[origin.precision])))
    if origin.note:
        parts.append(_("Note: {note}.", note=origin.note.rstrip(".。")))
    return " ".join(parts)


SUBJECT_WORDS = {
    Subject.LAYOUTS: N_("Layouts"), Subject.PROPERTIES: N_("Properties"), Subject.CACHES: N_("Caches and logs"),
    Subject.LOAD: N_("Load and fill level"), Subject.REPAIR: N_("Rebuild and scrub"), Subject.DISKS: N_("Disks"),
    Subject.OUTPUTS: N_("Outputs of tools"), Subject.MACHINES: N_("Test benches"),
    Subject.TODAY: N_("OpenZFS today"), Subject.OTHER: N_("Other"),
}  # fmt: skip


def haystack(table: Table) -> str:
    cells = (str(cell) for row in table.rows for cell in row.cells if isinstance(cell, str))
    parts = (table.name, table.title, table.source, table.method, table.note, _(SUBJECT_WORDS[table.subject]), *cells)
    return " ".join(parts).replace("_", " ").casefold()


def rows_csv(columns: Iterable[Column], rows: Iterable[Row]) -> str:
    named = tuple(columns)
    cells = ([row.cell(column.name) for column in named] for row in rows)
    raw = (["" if cell is None else str(cell) for cell in row] for row in cells)
    return csv_text([[column.name for column in named], *raw])
