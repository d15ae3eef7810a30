"""The chart of a measured table: dots with whiskers or bars from zero, named limits, figures with sources."""

from poolwright.emit.chart import Chart, ChartAxis, ChartLimit, ChartMark, ChartSeries, SeriesKind
from poolwright.emit.chart_axis import axis_over, log_axis, room_for_dots
from poolwright.emit.drawing import MARKERS, SERIES
from poolwright.predict.table_drawing import DrawnLevel, Series, TableDrawing, TableMark
from poolwright.predict.table_model import Precision
from poolwright.predict.table_plot import Axis, PlotKind
from poolwright.texts import tell
from poolwright.ui.tables.words import precision_words, rounded, sign, source_line, unit_word

_TINY = 0.01  # below this a figure that was converted is shown in its own unit
_FEW, _MANY = 4, 30  # marks of a series: each of few has its figure, many are drawn smaller
_DOT, _SMALL_DOT = 8.0, 6.0
_FEW_NUMBERS = 12
_KINDS = {PlotKind.BAR: SeriesKind.BARS, PlotKind.LINE: SeriesKind.LINE, PlotKind.SCATTER: SeriesKind.DOTS}


def table_chart(drawing: TableDrawing, name: str) -> Chart:
    """Return what a table's drawing shows; a mark is ``of`` the row it was read from. ``name`` is the table's."""
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
            told=mark_words(drawing, series, mark),
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
    """Return the figure beside a mark: of each bar, and of the last of few dots."""
    few = drawing.plot.kind is PlotKind.SCATTER and len(series.marks) <= _FEW and mark is series.marks[-1]
    return value_label(mark) if few or drawing.plot.kind is PlotKind.BAR else ""


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


def _figure(drawing: TableDrawing, mark: TableMark) -> str:
    precision = mark.row.provenance.precision
    text = f"{rounded(mark.y)} {unit_word(drawing.y_unit)}".rstrip()
    if precision is Precision.NO_CHANGE:
        text += f" ({precision_words(precision)})"
    elif words := precision_words(precision):
        text = f"{words} {text}"
    if mark.low is not None and mark.high is not None:
        low, high = rounded(mark.low), rounded(mark.high)
        text = tell("{text}, 95 % interval {low} to {high}", text=text, low=low, high=high)
    if drawing.plot.per:
        text = tell("{text}, worked out by dividing", text=text)
    return text
