"""The charts of a benchmark profile: what it measured against jobs, queue depth, block size, fill level, pass or zone.

Each such profile has charts of operations a second, bytes a second and latency. The knee of a sweep (where more jobs
bring no more) is marked, and the expected band of a line is drawn behind it. Below are the charts of lanes: what was
measured over the time of one test."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from poolwright.bench.charts.verdict import latency_of_test
from poolwright.bench.judging.verdicts import RATES, Expectation, value_words
from poolwright.bench.lanes import Lane, reduced
from poolwright.bench.record import AnswerPlot, Repeat, RunRecord, TestRun, knee_of, known_sum
from poolwright.domain.measurement import Measurement, latency_words, percentile
from poolwright.domain.rates import rate_text, rate_unit
from poolwright.domain.units import KIB, binary
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
from poolwright.emit.drawing import MARKERS, SERIES, Marker
from poolwright.predict.measured_runs import Metric
from poolwright.shipped import shipped
from poolwright.texts import _, numeral

_MS = 1e6
_AXES = {AnswerPlot(axis["plot"]): axis["title"] for axis in shipped("profiles")["axis"]}
_SWEEPS = frozenset({AnswerPlot.AGAINST_JOBS, AnswerPlot.AGAINST_DEPTH})
_DOUBLING = frozenset({*_SWEEPS, AnswerPlot.AGAINST_BLOCK})
_ZONES = ("outer", "middle", "inner")  # for machines
_NAMED_ROOM = 1.15  # above, where the name of a knee stands
_BESIDE = 1.15  # on a doubling axis, so that the first and last mark are whole


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quantity:
    """What the vertical axis shows: how to read it from a repeat, to say it in words, and its unit and scale."""

    stem: str
    title: str
    unit: str
    scale: float
    of: Callable[[Repeat], float | None]
    words: Callable[[float], str]
    rates: bool


def profile_charts(record: RunRecord, expectation: Mapping[str, Expectation]) -> tuple[Chart, ...]:
    plot = record.profile.plot
    if plot is AnswerPlot.ZONES:
        return _zones(record)
    lines = _lines(record.tests)
    if plot not in _AXES or not lines:
        return ()
    operations, rates = (_against(plot, quantity, lines, expectation) for quantity in (_operations(), _rates(lines)))
    counted = any(run.test.metric not in (*RATES, None) or run.test.sync for runs in lines.values() for run in runs)
    found = (operations, _latencies(plot, lines), rates) if counted else (rates, _latencies(plot, lines), operations)
    return tuple(chart for chart in found if chart is not None)


def _lines(runs: Sequence[TestRun]) -> dict[str, list[TestRun]]:
    found: dict[str, list[TestRun]] = {}
    for run in runs:
        if run.test.x is not None and run.test.line and run.whole:
            found.setdefault(run.test.line, []).append(run)
    return {name: sorted(line, key=_x) for name, line in found.items()}


def _x(run: TestRun) -> float:
    return run.test.x or 0.0


def _operations() -> _Quantity:
    return _Quantity(
        stem="operations", title=_("Operations a second"), unit="1/s", scale=1.0,
        of=partial(_sum_of, name="iops"), words=partial(value_words, Metric.RAND_READ), rates=False,
    )  # fmt: skip


def _rates(lines: Mapping[str, Sequence[TestRun]]) -> _Quantity:
    found = [_sum_of(repeat, "rate") or 0.0 for runs in lines.values() for run in runs for repeat in run.whole]
    scale, unit = rate_unit(max(found, default=0.0))
    return _Quantity(
        stem="rates", title=_("Bytes a second"), unit=unit, scale=scale,
        of=partial(_sum_of, name="rate"), words=rate_text, rates=True,
    )  # fmt: skip


def _sum_of(repeat: Repeat, name: str) -> float | None:
    return known_sum(getattr(one, name) for one in _measured(repeat))


def _measured(repeat: Repeat) -> tuple[Measurement, ...]:
    return tuple(one for one in repeat.measured if not one.error)


def _against(
    plot: AnswerPlot,
    quantity: _Quantity,
    lines: Mapping[str, Sequence[TestRun]],
    expectation: Mapping[str, Expectation],
) -> Chart | None:
    series: list[ChartSeries] = []
    knees: dict[float, list[str]] = {}
    for number, (name, runs) in enumerate(lines.items()):
        marks = tuple(mark for run in runs if (mark := _mark(run, quantity)) is not None)
        band = _band(runs, quantity, expectation)
        if band:
            title = _("Expected: {line}", line=name)
            role = SERIES[number % len(SERIES)]
            series.append(ChartSeries(name=title, kind=SeriesKind.CURVE, marks=band, role=role, dashed=True))
        if marks:
            series.append(_line(name, marks, number))
        knee = knee_of([(mark.x, mark.y) for mark in marks]) if plot in _SWEEPS else None
        if knee is not None:
            knees.setdefault(knee, []).append(name)
    if not series:
        return None
    tops = [mark.high or mark.y for one in series for mark in one.marks]
    return Chart(
        stem=f"answer-{quantity.stem}",
        title=quantity.title,
        x=_across(plot, lines),
        y=room_for_dots(axis_over(quantity.title, tops, unit=quantity.unit, room=_NAMED_ROOM if knees else 1.0)),
        series=tuple(series),
        limits=tuple(_knee(", ".join(names), knee) for knee, names in knees.items()),
    )


def _mark(run: TestRun, quantity: _Quantity) -> ChartMark | None:
    values = [value for repeat in run.whole if (value := quantity.of(repeat)) is not None]
    if not values or run.test.x is None:
        return None
    middle, low, high = median(values), min(values), max(values)
    told = _("{name}: {value}", name=run.test.title, value=quantity.words(middle))
    if len(values) > 1:
        told = _("{told}, {low} to {high}", told=told, low=quantity.words(low), high=quantity.words(high))
    scale = quantity.scale
    banded = len(values) > 1
    return ChartMark(
        x=run.test.x, y=middle / scale, low=low / scale if banded else None, high=high / scale if banded else None,
        told=told, of=run.test.name,
    )  # fmt: skip


def _band(
    runs: Sequence[TestRun], quantity: _Quantity, expectation: Mapping[str, Expectation]
) -> tuple[ChartMark, ...]:
    found = []
    for run in runs:
        told = expectation.get(run.test.name)
        estimate = None if told is None or (run.test.metric in RATES) is not quantity.rates else told.estimate
        if estimate is not None and run.test.x is not None:
            low, middle, high = (value / quantity.scale for value in (estimate.low, estimate.typical, estimate.high))
            said = _("expected {low} to {high}", low=quantity.words(estimate.low), high=quantity.words(estimate.high))
            found.append(ChartMark(x=run.test.x, y=middle, low=low, high=high, told=said))
    return tuple(found)


def _knee(name: str, knee: float) -> ChartLimit:
    told = _("{line}: more than {count} at once bring less than 5 % more.", line=name, count=numeral(knee, "g"))
    return ChartLimit(
        name=_("{line}: knee at {count}", line=name, count=numeral(knee, "g")), value=knee, upright=True, told=told
    )


def _latencies(plot: AnswerPlot, lines: Mapping[str, Sequence[TestRun]]) -> Chart | None:
    series = [
        _line(_("{line}, {percent} %", line=name, percent=numeral(percent, "g")), marks, number, dashed=percent > 50)
        for number, (name, runs) in enumerate(lines.items())
        for percent in (50.0, 99.0)
        if (marks := tuple(mark for run in runs if (mark := _latency_mark(run, percent)) is not None))
    ]
    if not series:
        return None
    return Chart(
        stem="answer-latency",
        title=_("Latency: the median, and 99 %"),
        x=_across(plot, lines),
        y=log_axis(_("Latency at most"), [mark.y for one in series for mark in one.marks], unit="ms"),
        series=tuple(series),
    )


def _latency_mark(run: TestRun, percent: float) -> ChartMark | None:
    latency = latency_of_test(run)
    ns = None if latency is None else percentile(latency, percent)
    if not ns or run.test.x is None:
        return None
    words = {"name": run.test.title, "percent": numeral(percent, "g"), "time": latency_words(ns)}
    told = _("{name}: {percent} % took at most {time}", **words)
    return ChartMark(x=run.test.x, y=ns / _MS, told=told, of=run.test.name)


def _line(name: str, marks: tuple[ChartMark, ...], number: int, *, dashed: bool = False) -> ChartSeries:
    marker = Marker.RING if dashed else MARKERS[number % len(MARKERS)]
    role = SERIES[number % len(SERIES)]
    return ChartSeries(name=name, kind=SeriesKind.LINE, marks=marks, role=role, marker=marker, dashed=dashed)


def _across(plot: AnswerPlot, lines: Mapping[str, Sequence[TestRun]]) -> ChartAxis:
    places = sorted({_x(run) for runs in lines.values() for run in runs})
    title = _(_AXES[plot])
    if plot in _DOUBLING:
        block = plot is AnswerPlot.AGAINST_BLOCK
        ticks = tuple((x, binary(int(x)) if block else numeral(x, ",.0f")) for x in places)
        low, high = max(places[0], 1 / KIB) / _BESIDE, places[-1] * _BESIDE
        return ChartAxis(title=title, low=low, high=high, log=True, ticks=ticks)
    fill = plot is AnswerPlot.AGAINST_FILL
    ticks = tuple((x, numeral(x, "g")) for x in places)
    return ChartAxis(
        title=title, unit="%" if fill else "", low=0.0 if fill else places[0] - 0.3,
        high=100.0 if fill else places[-1] + 0.3, ticks=ticks,
    )  # fmt: skip


def _zones(record: RunRecord) -> tuple[Chart, ...]:
    found = [one.rate or 0.0 for run in record.tests for repeat in run.whole for one in _measured(repeat)]
    scale, unit = rate_unit(max(found, default=0.0))
    series = []
    for number, run in enumerate(record.tests):
        marks = []
        for at, zone in enumerate(_ZONES):
            every = [one for repeat in run.whole for one in _measured(repeat) if one.name.endswith(f"-{zone}")]
            rates = [one.rate for one in every if one.rate is not None]
            if rates and len(run.test.jobs) == len(_ZONES):
                told = _("{name}: {value}", name=run.test.title, value=rate_text(median(rates)))
                marks.append(ChartMark(x=float(at), y=median(rates) / scale, told=told, of=run.test.name))
        if marks:
            series.append(_line(run.test.title, tuple(marks), number))
    if not series:
        return ()
    ticks = tuple(zip((0.0, 1.0, 2.0), (_("outer"), _("middle"), _("inner")), strict=True))
    title = _("Read at three zones")
    return (
        Chart(
            stem="answer-zones",
            title=title,
            x=ChartAxis(title=_("Zone of the disk"), low=-0.2, high=2.2, ticks=ticks),
            y=room_for_dots(axis_over(_("Read"), [mark.y for one in series for mark in one.marks], unit=unit)),
            series=tuple(series),
        ),
    )


# Lanes as charts of reports and drawings, and as the legend that switches their curves.

_MARKS = 800  # of a drawn curve: finer nobody prints
_ROOM_ABOVE = 1.08


def lane_chart(lane: Lane, first: float | None = None, last: float | None = None, *, stem: str) -> Chart:
    """Return one lane between two moments (seconds) as a chart; no peak is lost, however many values there are."""
    left, right = first or 0.0, lane.seconds if last is None else last
    series = []
    for curve in lane.curves:
        xs, ys = reduced(curve.seconds, curve.values, _MARKS, left, right)
        marks = tuple(ChartMark(x=x, y=y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True) if y == y)
        if marks:
            kind = SeriesKind.CURVE if len(marks) > 1 else SeriesKind.DOTS  # no line reaches a single value
            series.append(ChartSeries(name=curve.name, kind=kind, marks=marks, role=curve.role))
    return Chart(
        stem=stem,
        title=lane.title,
        x=ChartAxis(title=_("Time"), unit="s", low=left, high=max(right, left + 1e-3)),
        y=ChartAxis(title=lane.title, unit=lane.unit, low=0.0, high=max(lane.highest * _ROOM_ABOVE, 1e-9)),
        series=tuple(series),
    )


def lanes_legend(lanes: Sequence[Lane]) -> Chart | None:
    curves = {curve.name: curve for lane in lanes for curve in lane.curves}
    if not curves:
        return None
    axis = ChartAxis(title="", low=0.0, high=1.0)
    series = tuple(
        ChartSeries(name=name, kind=SeriesKind.CURVE, marks=(), role=curve.role) for name, curve in curves.items()
    )
    return Chart(stem="", title="", x=axis, y=axis, series=series)
