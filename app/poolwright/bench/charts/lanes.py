"""Lanes as charts of reports and drawings, and as the legend that switches their curves."""

from collections.abc import Sequence

from poolwright.bench.lanes import Lane, reduced
from poolwright.emit.chart import Chart, ChartAxis, ChartLimit, ChartMark, ChartSeries, SeriesKind
from poolwright.emit.drawing import ShapeRole
from poolwright.texts import tell

_MARKS = 800  # of a drawn curve: finer nobody prints
_ROOM_ABOVE = 1.08


def lane_chart(lane: Lane, first: float | None = None, last: float | None = None, *, stem: str) -> Chart:
    """Return one lane between two moments (seconds) as a chart; no peak is lost, however many values there are."""
    left, right = first or 0.0, lane.seconds if last is None else last
    series = [_expected(lane, left, right)] if lane.band is not None else []
    for curve in lane.curves:
        xs, ys = reduced(curve.seconds, curve.values, _MARKS, left, right)
        marks = tuple(ChartMark(x=x, y=y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True) if y == y)
        if marks:
            kind = SeriesKind.CURVE if len(marks) > 1 else SeriesKind.DOTS  # no line reaches a single value
            series.append(ChartSeries(name=curve.name, kind=kind, marks=marks, role=curve.role))
    return Chart(
        stem=stem,
        title=lane.title,
        x=ChartAxis(title=tell("Time"), unit="s", low=left, high=max(right, left + 1e-3)),
        y=ChartAxis(title=lane.title, unit=lane.unit, low=0.0, high=max(lane.highest * _ROOM_ABOVE, 1e-9)),
        series=tuple(series),
        limits=(ChartLimit(name=lane.band.name, value=lane.band.typical),) if lane.band is not None else (),
    )


def lanes_legend(lanes: Sequence[Lane]) -> Chart | None:
    """Return a chart that has the names and colours of all curves and no values; None without a curve."""
    curves = {curve.name: curve for lane in lanes for curve in lane.curves}
    if not curves:
        return None
    axis = ChartAxis(title="", low=0.0, high=1.0)
    series = tuple(
        ChartSeries(name=name, kind=SeriesKind.CURVE, marks=(), role=curve.role) for name, curve in curves.items()
    )
    return Chart(stem="", title="", x=axis, y=axis, series=series)


def _expected(lane: Lane, left: float, right: float) -> ChartSeries:
    band = lane.band
    assert band is not None
    marks = tuple(ChartMark(x=x, y=band.typical, low=band.low, high=band.high) for x in (left, right))
    return ChartSeries(name=band.name, kind=SeriesKind.CURVE, marks=marks, role=ShapeRole.GREY)
