"""What was measured, as charts: window and reports draw the same ones. First of a profile: what it measured against
jobs, queue depth, block size, fill level, pass or zone; then lanes over the time of one test, what was measured against
what was expected, runs side by side, and how long operations took.

A profile has charts of operations a second, bytes a second and latency. The knee of a sweep (where more jobs bring no
more) is marked, and the expected band of a line is drawn behind it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial
from math import floor, log2
from statistics import median

from poolwright.bench.judging import verdicts
from poolwright.bench.judging.side_by_side import ComparedTest
from poolwright.bench.judging.verdicts import RATES, Expectation, Spread, TestVerdict, value_words
from poolwright.bench.lanes import Lane, reduced
from poolwright.bench.record import AnswerPlot, Repeat, RunRecord, TestRun, knee_of, known_sum
from poolwright.domain.estimate import Estimate
from poolwright.domain.grouping import grouped
from poolwright.domain.measurement import BINS, Latency, Measurement, latency_of, latency_words, merged, percentile
from poolwright.domain.rates import rate_text, rate_unit
from poolwright.domain.units import KIB, binary
from poolwright.emit import chart as charting
from poolwright.emit.chart import Chart, ChartAxis, ChartLimit, ChartMark, ChartSeries, SeriesKind, axis_over, log_axis
from poolwright.emit.drawing import MARKERS, SERIES, Marker, ShapeRole
from poolwright.predict.measured_runs import Metric
from poolwright.predict.number_words import operations_text
from poolwright.shipped import shipped
from poolwright.texts import _, capital, dated, numeral

_MS = 1e6
_AXES = {AnswerPlot(axis["plot"]): axis["title"] for axis in shipped("profiles")["axis"]}
_SWEEPS = frozenset({AnswerPlot.AGAINST_JOBS, AnswerPlot.AGAINST_DEPTH})
_DOUBLING = frozenset({*_SWEEPS, AnswerPlot.AGAINST_BLOCK})
_ZONES = ("outer", "middle", "inner")  # for machines
_NAMED_ROOM = 1.15  # above, where the name of a knee stands
_BESIDE = 1.15  # on a doubling axis, so that the first and last mark are whole


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quantity:
    """What the vertical axis shows, bytes (``rates``) or operations: how to say it in words, its unit and scale."""

    title: str
    unit: str
    scale: float
    words: Callable[[float], str]
    rates: bool

    def of(self, repeat: Repeat) -> float | None:
        """Return it of all jobs of a repeat together."""
        return known_sum(one.rate if self.rates else one.iops for one in _measured(repeat))


def profile_charts(record: RunRecord, expectation: Mapping[str, Expectation]) -> tuple[Chart, ...]:
    plot = record.profile.plot
    if plot is AnswerPlot.ZONES:
        return _zones(record)
    lines = _lines(record.tests)
    if plot not in _AXES or not lines:
        return ()
    operations, rates = (_against(plot, quantity, lines, expectation) for quantity in _quantities(lines))
    counted = any(run.test.metric not in (*RATES, None) or run.test.sync for runs in lines.values() for run in runs)
    found = (operations, _latencies(plot, lines), rates) if counted else (rates, _latencies(plot, lines), operations)
    return tuple(chart for chart in found if chart.series)


def _lines(runs: Sequence[TestRun]) -> dict[str, list[TestRun]]:
    drawn = (run for run in runs if run.test.x is not None and run.test.line and run.whole)
    found = grouped((run.test.line, run) for run in drawn)
    return {name: sorted(line, key=lambda run: run.test.x or 0.0) for name, line in found.items()}


def _quantities(lines: Mapping[str, Sequence[TestRun]]) -> tuple[_Quantity, _Quantity]:
    """Return operations and bytes a second."""
    words = partial(value_words, Metric.RAND_READ)
    operations = _Quantity(title=_("Operations a second"), unit="1/s", scale=1.0, words=words, rates=False)
    moved = _Quantity(title=_("Bytes a second"), unit="", scale=1.0, words=rate_text, rates=True)
    found = (moved.of(repeat) or 0.0 for runs in lines.values() for run in runs for repeat in run.whole)
    scale, unit = rate_unit(max(found, default=0.0))
    return operations, replace(moved, unit=unit, scale=scale)


def _measured(repeat: Repeat) -> tuple[Measurement, ...]:
    return tuple(one for one in repeat.measured if not one.error)


def _against(
    plot: AnswerPlot,
    quantity: _Quantity,
    lines: Mapping[str, Sequence[TestRun]],
    expectation: Mapping[str, Expectation],
) -> Chart:
    series: list[ChartSeries] = []
    knees: dict[float, list[str]] = {}
    for number, (name, runs) in enumerate(lines.items()):
        marks = tuple(mark for run in runs if (mark := _mark(run, quantity)) is not None)
        band = tuple(_band(runs, quantity, expectation))
        if band:
            title = _("Expected: {line}", line=name)
            role = SERIES[number % len(SERIES)]
            series.append(ChartSeries(name=title, kind=SeriesKind.CURVE, marks=band, role=role, dashed=True))
        if marks:
            series.append(_line(name, marks, number))
        knee = knee_of([(mark.x, mark.y) for mark in marks]) if plot in _SWEEPS else None
        if knee is not None:
            knees.setdefault(knee, []).append(name)
    tops = [mark.high or mark.y for one in series for mark in one.marks]
    room, limits = _NAMED_ROOM if knees else 1.0, []
    for knee, names in knees.items():
        words = {"line": ", ".join(names), "count": numeral(knee, "g")}
        text = _("{line}: more than {count} at once bring less than 5 % more.", **words)
        limits.append(ChartLimit(name=_("{line}: knee at {count}", **words), value=knee, upright=True, told=text))
    return Chart(
        stem="answer-rates" if quantity.rates else "answer-operations",
        title=quantity.title,
        x=_across(plot, lines),
        y=charting.room_for_dots(axis_over(quantity.title, tops, unit=quantity.unit, room=room)),
        series=tuple(series),
        limits=tuple(limits),
    )


def _mark(run: TestRun, quantity: _Quantity) -> ChartMark | None:
    values = [value for repeat in run.whole if (value := quantity.of(repeat)) is not None]
    if not values or run.test.x is None:
        return None
    middle, scale = median(values), quantity.scale
    text = _("{name}: {value}", name=run.test.title, value=quantity.words(middle))
    mark = ChartMark(x=run.test.x, y=middle / scale, told=text, of=run.test.name)
    if len(values) == 1:
        return mark
    low, high = min(values), max(values)
    text = _("{told}, {low} to {high}", told=text, low=quantity.words(low), high=quantity.words(high))
    return replace(mark, low=low / scale, high=high / scale, told=text)


def _band(runs: Sequence[TestRun], quantity: _Quantity, expectation: Mapping[str, Expectation]) -> Iterator[ChartMark]:
    for run in runs:
        band = expectation.get(run.test.name)
        estimate = None if band is None or (run.test.metric in RATES) is not quantity.rates else band.estimate
        if estimate is not None and run.test.x is not None:
            low, middle, high = (value / quantity.scale for value in (estimate.low, estimate.typical, estimate.high))
            said = _("expected {low} to {high}", low=quantity.words(estimate.low), high=quantity.words(estimate.high))
            yield ChartMark(x=run.test.x, y=middle, low=low, high=high, told=said)


def _latencies(plot: AnswerPlot, lines: Mapping[str, Sequence[TestRun]]) -> Chart:
    series = [
        _line(_("{line}, {percent} %", line=name, percent=numeral(percent, "g")), marks, number, dashed=percent > 50)
        for number, (name, runs) in enumerate(lines.items())
        for percent in (50.0, 99.0)
        if (marks := tuple(mark for run in runs if (mark := _latency_mark(run, percent)) is not None))
    ]
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
    text = _("{name}: {percent} % took at most {time}", **words)
    return ChartMark(x=run.test.x, y=ns / _MS, told=text, of=run.test.name)


def _line(name: str, marks: tuple[ChartMark, ...], number: int, *, dashed: bool = False) -> ChartSeries:
    marker = Marker.RING if dashed else MARKERS[number % len(MARKERS)]
    role = SERIES[number % len(SERIES)]
    return ChartSeries(name=name, kind=SeriesKind.LINE, marks=marks, role=role, marker=marker, dashed=dashed)


def _across(plot: AnswerPlot, lines: Mapping[str, Sequence[TestRun]]) -> ChartAxis:
    places = sorted({run.test.x or 0.0 for runs in lines.values() for run in runs})
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
                text = _("{name}: {value}", name=run.test.title, value=rate_text(median(rates)))
                marks.append(ChartMark(x=float(at), y=median(rates) / scale, told=text, of=run.test.name))
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
            y=charting.room_for_dots(axis_over(_("Read"), [mark.y for one in series for mark in one.marks], unit=unit)),
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


# What a run measured against what was expected of it.

# Values further apart than this factor are not seen side by side from zero.
_MOST_APART = 20.0


def verdict_charts(record: RunRecord, verdict: verdicts.RunVerdict) -> tuple[Chart, ...]:
    """Return a chart of bytes a second and one of operations a second, each where a test measured such.

    A disc is the median with least and most of the repeats as its whisker; a ring is the typical expected value with
    its band. Values far apart stand on a logarithmic axis.
    """
    titles = {run.test.name: run.test.title for run in record.tests}
    known = [test for test in verdict.tests if test.measured is not None or test.expected is not None]
    rates = [test for test in known if test.metric is None or test.metric in RATES]
    counts = [test for test in known if test not in rates]
    highest = [test.measured.most for test in rates if test.measured is not None]
    highest += [test.expected.high for test in rates if test.expected is not None]
    kinds = (
        ("run-rates", _("Bytes a second"), rate_unit(max(highest, default=0.0)), rates),
        ("run-operations", _("Operations a second"), (1, "1/s"), counts),
    )
    return tuple(_verdict_chart(stem, title, unit, tests, titles) for stem, title, unit, tests in kinds if tests)


def _verdict_chart(
    stem: str, title: str, scale: tuple[int, str], tests: Sequence[TestVerdict], titles: dict[str, str]
) -> Chart:
    size, unit = scale
    measured = [_measured_mark(row, test, test.measured, size) for row, test in enumerate(tests) if test.measured]
    expected = [_expected_mark(row, test, test.expected, size) for row, test in enumerate(tests) if test.expected]
    values = [value for mark in (*measured, *expected) for value in (mark.low, mark.x, mark.high) if value is not None]
    apart = min(values) > 0 and max(values) > _MOST_APART * min(values)
    dots = partial(ChartSeries, kind=SeriesKind.DOTS, size=11.0)
    series = (
        dots(name=capital(_("measured")), marks=tuple(measured)),
        dots(name=_("Expected"), marks=tuple(expected), role=ShapeRole.TWO, marker=Marker.RING),
    )
    axis = (log_axis if apart else axis_over)(title, values, unit=unit)
    return _in_rows(
        stem, title, axis, [one for one in series if one.marks], [titles.get(t.test, t.test) for t in tests]
    )


def _in_rows(stem: str, title: str, x: ChartAxis, series: Sequence[ChartSeries], rows: Sequence[str]) -> Chart:
    y = ChartAxis(title="", low=0.5 - len(rows), high=0.5)
    return Chart(stem=stem, title=title, x=x, y=y, series=tuple(series), rows=tuple(rows))


def _measured_mark(row: int, test: TestVerdict, found: Spread, size: int) -> ChartMark:
    low, middle, high = (value_words(test.metric, value) for value in (found.least, found.median, found.most))
    text = _("measured {median}, {low} to {high}", median=middle, low=low, high=high)
    return ChartMark(
        x=found.median / size, y=row, low=found.least / size, high=found.most / size, label=middle, told=text
    )


def _expected_mark(row: int, test: TestVerdict, band: Estimate, size: int) -> ChartMark:
    text = _("expected {band}", band=verdicts.expected_words(test))
    label = value_words(test.metric, band.typical) if test.measured is None else ""
    return ChartMark(x=band.typical / size, y=row, low=band.low / size, high=band.high / size, label=label, told=text)


# Runs side by side as charts: each test in per cent of the first run, and run after run over time.

_PERCENT = 100.0
_MOST_TICKS = 6  # whose dates stand beside each other


def run_names(runs: Sequence[RunRecord]) -> tuple[str, ...]:
    return tuple(f"{run.name}, {dated(run.started.astimezone(UTC), '%Y-%m-%d %H:%M')}" for run in runs)  # for machines


def per_cent_chart(tests: Sequence[ComparedTest], names: Sequence[str]) -> Chart | None:
    rows = [test for test in tests if any(test.percent(number) is not None for number in range(1, len(names)))]
    series = []
    for number, name in enumerate(names[1:], start=1):
        marks = tuple(_change(row, test, number) for row, test in enumerate(rows) if test.percent(number) is not None)
        if marks:
            role = SERIES[number % len(SERIES)]
            series.append(ChartSeries(name=name, kind=SeriesKind.BARS, marks=marks, role=role))
    if not series:
        return None
    axis = axis_over(_("More than the first run"), [mark.x for one in series for mark in one.marks], unit="%")
    title = _("Against “{run}”", run=names[0])
    return _in_rows("runs-per-cent", title, axis, series, [test.title for test in rows])


def rates_chart(title: str, measured: Sequence[Measurement], stem: str, *, operations: bool = False) -> Chart | None:
    """Return the rates, or the operations, that a program measured one after the other, as bonnie++ does, a bar each;
    None where it told none.
    """
    rows = [(one.name, number) for one in measured if (number := one.iops if operations else one.rate)]
    if not rows:
        return None
    size, unit = (1, "1/s") if operations else rate_unit(max(number for __, number in rows))
    words = operations_text if operations else rate_text
    marks = tuple(
        ChartMark(x=number / size, y=row, label=words(number), told=words(number))
        for row, (__, number) in enumerate(rows)
    )
    what = _("Operations a second") if operations else _("Bytes a second")
    axis = axis_over(what, [0.0, *(mark.x for mark in marks)], unit=unit)
    bars = ChartSeries(name="", kind=SeriesKind.BARS, marks=marks)
    return _in_rows(f"{stem}-rates", title, axis, (bars,), [name for name, __ in rows])


def over_time_chart(tests: Sequence[ComparedTest], runs: Sequence[RunRecord]) -> Chart | None:
    """Return each test run after run, in per cent of the first; None where none was measured twice.

    ``runs`` are those of ``tests``, in their order. Whiskers reach from the least to the most of the repeats.
    """
    series = []
    for number, test in enumerate(tests[: len(SERIES)]):
        marks = tuple(_at(at, test, found) for at, found in enumerate(test.found) if found is not None)
        if len(marks) > 1 and test.found[0] is not None:
            series.append(_line(test.title, marks, number))
    if not series:
        return None
    days = len({run.started.astimezone(UTC).date() for run in runs}) == 1
    form = "%H:%M" if days else "%Y-%m-%d"
    each = -(-len(runs) // _MOST_TICKS)
    ticks = tuple((float(at), dated(runs[at].started.astimezone(UTC), form)) for at in range(0, len(runs), each))
    tops = [mark.high or mark.y for one in series for mark in one.marks]
    return Chart(
        stem="runs-over-time",
        title=_("Run after run"),
        x=ChartAxis(title=_("Run (UTC)"), low=-0.2, high=len(runs) - 0.8, ticks=ticks),
        y=charting.room_for_dots(axis_over(_("Of the first run"), tops, unit="%")),
        series=tuple(series),
    )


def _change(row: int, test: ComparedTest, number: int) -> ChartMark:
    percent = test.percent(number)
    assert percent is not None
    before, after = (each and value_words(test.metric, each.median) for each in (test.found[0], test.found[number]))
    label = change = numeral(percent, "+.1f", "%")
    if doubt := test.doubt(number):  # why is told at the bar: beside it the words would be cut
        label = _("{change}, cannot be judged", change=change)
        change = _("{one}, {other}", one=change, other=doubt)
    elif not test.told(number):
        label = change = _("{percent:+.1f} %, within the spread", percent=percent)
    text = _("{test}: {before}, then {after} ({change})", test=test.title, before=before, after=after, change=change)
    return ChartMark(x=percent, y=row, label=label, told=text, of=test.name)


def _at(number: int, test: ComparedTest, found: Spread) -> ChartMark:
    first = test.found[0]
    base = (first or found).median / _PERCENT
    text = _("{name}: {value}", name=test.title, value=value_words(test.metric, found.median))
    return ChartMark(
        x=float(number), y=found.median / base, low=found.least / base, high=found.most / base, told=text, of=test.name
    )


# How long the operations of a test took, as charts: how many took how long, and within which time which share ended.

MOST_LINES = len(SERIES)  # more colours nobody tells apart
_NAMED = (50.0, 99.0, 99.9)
# A percentile stands where one operation in so many takes longer: 99.9 % at 1,000.
_TICKS = ((1.0, "0 %"), (2.0, "50 %"), (10.0, "90 %"), (100.0, "99 %"), (1e3, "99.9 %"), (1e4, "99.99 %"))


NamedLatency = tuple[str, Latency]


def latencies_of(measured: Sequence[Measurement]) -> tuple[NamedLatency, ...]:
    both = len({one.direction for one in measured}) > 1
    named = ((f"{one.name} {one.direction}" if both else one.name, latency_of(one)) for one in measured)  # for machines
    return tuple((name, latency) for name, latency in named if latency is not None)


def latency_of_test(run: TestRun) -> Latency | None:
    seen = (one for repeat in run.repeats for one in repeat.measured)
    return merged(found for one in seen if (found := latency_of(one)) is not None)


def histogram_chart(title: str, latency: Latency, stem: str = "latency") -> Chart | None:
    """Return how many of the operations took how long, in per cent; None where only percentiles are known."""
    bins = _fold(latency.histogram)
    if not bins:
        return None
    every = sum(count for *__, count in bins)
    marks = []
    for low, high, count in bins:
        share = 100 * count / every
        text = _(
            "{share} % took {low} to {high}",
            share=numeral(share, ".3g"),
            low=latency_words(low),
            high=latency_words(high),
        )
        marks += [ChartMark(x=at / _MS, y=share, low=0.0, high=share, told=text) for at in (low, high)]
    named = grouped((ns, percent) for percent in _NAMED if (ns := percentile(latency, percent)))
    axis = log_axis(_("Latency"), [mark.x for mark in marks], unit="ms")
    return Chart(
        stem=f"{stem}-histogram",
        title=_("Latency of “{test}”", test=title),
        x=ChartAxis(title=axis.title, unit="ms", low=marks[0].x / 1.2, high=marks[-1].x * 1.2, log=True),
        y=charting.room_for_dots(axis_over(_("Operations"), [mark.y for mark in marks], unit="%")),
        series=(ChartSeries(name="", kind=SeriesKind.CURVE, marks=tuple(marks)),),
        limits=tuple(_limit_of(percents, ns) for ns, percents in named.items()),
    )


def _limit_of(percents: Sequence[float], ns: int) -> ChartLimit:
    """Return the mark of a time within which so many per cent ended; several percentiles may share it."""
    text = _("{percent} % took at most {time}", percent=numeral(percents[-1], "g"), time=latency_words(ns))
    name = ", ".join(numeral(percent, "g", "%") for percent in percents)
    return ChartLimit(name=name, value=ns / _MS, upright=True, told=text)


def percentile_chart(title: str, found: Sequence[NamedLatency], stem: str = "latency") -> Chart | None:
    """Return within which time which share of the operations ended, a line each; None where nothing is known."""
    series = []
    for number, (name, latency) in enumerate(found[:MOST_LINES]):
        marks = tuple(
            ChartMark(
                x=100 / (100 - percent),
                y=ns / _MS,
                told=_(
                    "{name}: {percent} % took at most {time}",
                    name=name, percent=numeral(percent, "g"), time=latency_words(ns),
                ),
            )
            for percent, ns in latency.percentiles
            if percent < 100 and ns > 0
        )  # fmt: skip
        if marks:
            series.append(_line(name, marks, number))
    if not series:
        return None
    most = max(_TICKS[-1][0], *(mark.x for one in series for mark in one.marks))
    return Chart(
        stem=f"{stem}-percentiles",
        title=title,
        x=ChartAxis(title=_("Share of the operations"), low=1.0, high=most * 1.3, log=True, ticks=_TICKS),
        y=log_axis(_("Latency at most"), [mark.y for one in series for mark in one.marks], unit="ms"),
        series=tuple(series),
    )


def percentiles_of_test(run: TestRun) -> Chart | None:
    parts = [(_("All repeats"), run)]
    if len(run.repeats) > 1:
        alone = ((repeat.number, replace(run, repeats=(repeat,))) for repeat in run.repeats)
        parts += [(capital(_("repeat {number}", number=number)), part) for number, part in alone]
    found = [(name, latency) for name, part in parts if (latency := latency_of_test(part)) is not None]
    return percentile_chart(_("Percentiles of “{test}”", test=run.test.title), found)


def _fold(histogram: tuple[tuple[int, int], ...]) -> list[tuple[float, float, int]]:
    """Return bins of equal width on a logarithmic axis: from, to (ns) and how many; those without any as well."""
    found: dict[int, int] = {}
    for edge, count in histogram:
        number = floor(log2(max(edge, 1)) * BINS)
        found[number] = found.get(number, 0) + count
    if not found:
        return []
    numbers = range(min(found), max(found) + 1)
    return [(2 ** (n / BINS), 2 ** ((n + 1) / BINS), found.get(n, 0)) for n in numbers]
