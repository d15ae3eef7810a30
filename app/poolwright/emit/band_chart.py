"""The chart of a predicted curve with its band, and where the design stands on it."""

from collections.abc import Sequence

from poolwright.emit.chart import Chart, ChartLimit, ChartMark, ChartSeries, SeriesKind
from poolwright.emit.chart_axis import axis_over
from poolwright.emit.drawing import Marker
from poolwright.texts import tell

_ROOM_ABOVE = 1.22  # the highest limit has its name above it

Named = tuple[str, str]


def band_chart(
    stem: str,
    title: str,
    axes: tuple[Named, Named],
    marks: Sequence[ChartMark],
    *,
    limits: Sequence[ChartLimit] = (),
    here: tuple[float, float] | None = None,
) -> Chart:
    """Return the curve through ``marks``; ``axes`` are the titles of x and y with their units."""
    (across, x_unit), (up, y_unit) = axes
    highest = [mark.y if mark.high is None else mark.high for mark in marks] + [limit.value for limit in limits]
    series = [ChartSeries(name=up, kind=SeriesKind.CURVE, marks=tuple(marks))]
    if here is not None:
        ring = (ChartMark(x=here[0], y=here[1]),)
        name = tell("This design")
        series.append(ChartSeries(name=name, kind=SeriesKind.DOTS, marks=ring, marker=Marker.RING, size=11.0))
    return Chart(
        stem=stem,
        title=title,
        x=axis_over(across, [mark.x for mark in marks], unit=x_unit),
        y=axis_over(up, highest, unit=y_unit, room=_ROOM_ABOVE),
        series=tuple(series),
        limits=tuple(limits),
    )
