"""What a plot of a table says: axis titles, labels beside marks, the text under the pointer. No widgets."""

from poolwright.domain.cells import csv_text
from poolwright.predict.table_drawing import DrawnLevel, Series, TableDrawing, TableMark
from poolwright.predict.table_model import Precision
from poolwright.texts import tell
from poolwright.ui.tables.words import precision_words, rounded, sign, source_line, unit_word

_TINY = 0.01  # below this a figure that was converted is shown in its own unit


def axis_title(text: str, unit: str) -> str:
    """Return a title with the unit in brackets."""
    word = unit_word(unit)
    return f"{text} ({word})" if word else text


def value_label(mark: TableMark) -> str:
    """Return the figure beside a mark, with a sign where it is not sharp."""
    own = mark.row.number_of(mark.column)
    if own and abs(mark.y) < _TINY <= abs(own):
        return f"{sign(mark.row)}{rounded(own)} {unit_word(mark.row.unit(mark.column))}"
    return sign(mark.row) + rounded(mark.y)


def mark_words(drawing: TableDrawing, series: Series, mark: TableMark) -> str:
    """Return the value of a mark and where it comes from."""
    what = ", ".join(filter(None, (series.name, mark.where)))
    return f"{what}: {_figure(drawing, mark)}. {source_line(mark.row)}."


def level_words(drawing: TableDrawing, level: DrawnLevel) -> str:
    """Return what a dashed line stands for."""
    unit = unit_word(drawing.y_unit if level.axis == "y" else drawing.x_unit)
    value = f"{level.name}: {rounded(level.value)} {unit}".rstrip()
    return f"{value}. {source_line(level.row)}." if level.row else f"{value}."


def plot_csv(drawing: TableDrawing) -> str:
    """Return every mark with its place, value and source as CSV."""
    unit = drawing.y_unit
    lines = [["series", drawing.plot.x_title, f"{drawing.plot.y_title} ({unit})", "low", "high", "precision", "source"]]
    for series in drawing.series:
        for mark in series.marks:
            band = ["" if edge is None else f"{edge:.6g}" for edge in (mark.low, mark.high)]
            where = mark.where if drawing.categories else f"{mark.x:.10g}"
            precision = mark.row.provenance.precision.value
            lines.append([series.name, where, f"{mark.y:.10g}", *band, precision, source_line(mark.row)])
    return csv_text(lines)


def _figure(drawing: TableDrawing, mark: TableMark) -> str:
    precision = mark.row.provenance.precision
    text = f"{rounded(mark.y)} {unit_word(drawing.y_unit)}".rstrip()
    if precision is Precision.NO_CHANGE:
        text += f" ({precision_words(precision)})"
    elif words := precision_words(precision):
        text = f"{words} {text}"
    if mark.low is not None and mark.high is not None:
        text += tell(", 95 % interval {low} to {high}", low=rounded(mark.low), high=rounded(mark.high))
    if drawing.plot.per:
        text += tell(", worked out by dividing")
    return text
