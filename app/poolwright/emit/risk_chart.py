"""Probabilities of a loss as a chart: band and typical value of the model in rows, and beside it what was simulated."""

from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.domain.steps import Estimate
from poolwright.emit.chart import (
    Chart,
    ChartAxis,
    ChartLimit,
    ChartMark,
    ChartSeries,
    SeriesKind,
    TickForm,
    axis_over,
    log_axis,
)
from poolwright.emit.drawing import Marker, ShapeRole
from poolwright.predict.number_words import odds_text
from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskRow:
    """A named probability a year; ``simulated`` is that of a simulation between the ends of its interval, if any."""

    name: str
    estimate: Estimate
    simulated: tuple[float, float, float] | None = None


def risk_chart(rows: Sequence[RiskRow]) -> Chart:
    """Return the rows over one logarithmic axis, rare at the left; what never happens stands at its end."""
    shown = [(row.estimate.low, row.estimate.typical, row.estimate.high) for row in rows]
    shown += [row.simulated for row in rows if row.simulated is not None]
    x = log_axis(
        tell("Probability in a year"), [each for three in shown for each in three if each > 0], form=TickForm.ODDS
    )
    predicted = [
        _mark(at, row.name, (row.estimate.low, row.estimate.typical, row.estimate.high), x)
        for at, row in enumerate(rows)
    ]
    simulated = [
        _mark(at, tell("{name}, simulated", name=row.name), row.simulated, x)
        for at, row in enumerate(rows)
        if row.simulated is not None
    ]
    series = [ChartSeries(name=tell("Model"), kind=SeriesKind.DOTS, marks=tuple(predicted))]
    if simulated:
        series.append(
            ChartSeries(
                name=tell("Simulation"), kind=SeriesKind.DOTS, marks=tuple(simulated), role=ShapeRole.NOTE,
                marker=Marker.SQUARE,
            )
        )  # fmt: skip
    return Chart(
        stem="risk",
        title=tell("Yearly risk on a logarithmic scale"),
        x=x,
        y=ChartAxis(title="", low=0.0, high=float(len(rows))),
        series=tuple(series),
        rows=tuple(row.name for row in rows),
    )


def _mark(at: int, name: str, values: tuple[float, float, float], axis: ChartAxis) -> ChartMark:
    low, typical, high = values
    told = tell(
        "{name}: {typical}, between {low} and {high}",
        name=name,
        typical=odds_text(typical),
        low=odds_text(low),
        high=odds_text(high),
    )
    in_sight = [max(axis.low, value) for value in values]
    return ChartMark(x=in_sight[1], y=at, low=in_sight[0], high=in_sight[2], told=told)


# The chart of a predicted curve with its band, and where the design stands on it.

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
