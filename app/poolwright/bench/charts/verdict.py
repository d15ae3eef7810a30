"""What a run measured against what was expected of it, as charts; and how long operations took."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from math import floor, log2

from poolwright.bench.judging.side_by_side import ComparedTest
from poolwright.bench.judging.verdicts import RATES, RunVerdict, Spread, TestVerdict, expected_words, value_words
from poolwright.bench.record import RunRecord, TestRun
from poolwright.domain.estimate import Estimate
from poolwright.domain.measurement import BINS, Latency, Measurement, latency_of, latency_words, merged, percentile
from poolwright.domain.rates import rate_text, rate_unit
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
from poolwright.emit.drawing import MARKERS, SERIES, Marker, ShapeRole
from poolwright.predict.number_words import operations_text
from poolwright.texts import _, capital, dated, numeral

# Values further apart than this factor are not seen side by side from zero.
_MOST_APART = 20.0


def verdict_charts(record: RunRecord, verdict: RunVerdict) -> tuple[Chart, ...]:
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
    return tuple(_chart(stem, title, unit, tests, titles) for stem, title, unit, tests in kinds if tests)


def _chart(
    stem: str, title: str, scale: tuple[int, str], tests: Sequence[TestVerdict], titles: dict[str, str]
) -> Chart:
    size, unit = scale
    measured = [_measured(row, test, test.measured, size) for row, test in enumerate(tests) if test.measured]
    expected = [_expected(row, test, test.expected, size) for row, test in enumerate(tests) if test.expected]
    values = [value for mark in (*measured, *expected) for value in (mark.low, mark.x, mark.high) if value is not None]
    apart = min(values) > 0 and max(values) > _MOST_APART * min(values)
    dots = partial(ChartSeries, kind=SeriesKind.DOTS, size=11.0)
    series = (
        dots(name=capital(_("measured")), marks=tuple(measured)),
        dots(name=_("Expected"), marks=tuple(expected), role=ShapeRole.TWO, marker=Marker.RING),
    )
    return Chart(
        stem=stem,
        title=title,
        x=log_axis(title, values, unit=unit) if apart else axis_over(title, values, unit=unit),
        y=ChartAxis(title="", low=0.5 - len(tests), high=0.5),
        series=tuple(one for one in series if one.marks),
        rows=tuple(titles.get(test.test, test.test) for test in tests),
    )


def _measured(row: int, test: TestVerdict, found: Spread, size: int) -> ChartMark:
    low, middle, high = (value_words(test.metric, value) for value in (found.least, found.median, found.most))
    told = _("measured {median}, {low} to {high}", median=middle, low=low, high=high)
    return ChartMark(
        x=found.median / size, y=row, low=found.least / size, high=found.most / size, label=middle, told=told
    )


def _expected(row: int, test: TestVerdict, band: Estimate, size: int) -> ChartMark:
    told = _("expected {band}", band=expected_words(test))
    label = value_words(test.metric, band.typical) if test.measured is None else ""
    return ChartMark(x=band.typical / size, y=row, low=band.low / size, high=band.high / size, label=label, told=told)


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
    return Chart(
        stem="runs-per-cent",
        title=_("Against “{run}”", run=names[0]),
        x=axis_over(_("More than the first run"), [mark.x for one in series for mark in one.marks], unit="%"),
        y=ChartAxis(title="", low=0.5 - len(rows), high=0.5),
        series=tuple(series),
        rows=tuple(test.title for test in rows),
    )


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
    return Chart(
        stem=f"{stem}-rates",
        title=title,
        x=axis_over(
            _("Operations a second") if operations else _("Bytes a second"),
            [0.0, *(mark.x for mark in marks)],
            unit=unit,
        ),
        y=ChartAxis(title="", low=0.5 - len(rows), high=0.5),
        series=(ChartSeries(name="", kind=SeriesKind.BARS, marks=marks),),
        rows=tuple(name for name, __ in rows),
    )


def over_time_chart(tests: Sequence[ComparedTest], runs: Sequence[RunRecord]) -> Chart | None:
    """Return each test run after run, in per cent of the first; None where none was measured twice.

    ``runs`` are those of ``tests``, in their order. Whiskers reach from the least to the most of the repeats.
    """
    series = []
    for number, test in enumerate(tests[: len(SERIES)]):
        marks = tuple(_at(at, test, found) for at, found in enumerate(test.found) if found is not None)
        if len(marks) > 1 and test.found[0] is not None:
            role, marker = SERIES[number], MARKERS[number]
            series.append(ChartSeries(name=test.title, kind=SeriesKind.LINE, marks=marks, role=role, marker=marker))
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
        y=room_for_dots(axis_over(_("Of the first run"), tops, unit="%")),
        series=tuple(series),
    )


def _change(row: int, test: ComparedTest, number: int) -> ChartMark:
    percent, first, other = test.percent(number), test.found[0], test.found[number]
    assert percent is not None
    assert first is not None
    assert other is not None
    words = [value_words(test.metric, each.median) for each in (first, other)]
    label = change = numeral(percent, "+.1f", "%")
    if doubt := test.doubt(number):  # why is told at the bar: beside it the words would be cut
        label = _("{change}, cannot be judged", change=change)
        change = _("{one}, {other}", one=change, other=doubt)
    elif not test.told(number):
        label = change = _("{percent:+.1f} %, within the spread", percent=percent)
    told = _(
        "{test}: {before}, then {after} ({change})", test=test.title, before=words[0], after=words[1], change=change
    )
    return ChartMark(x=percent, y=row, label=label, told=told, of=test.name)


def _at(number: int, test: ComparedTest, found: Spread) -> ChartMark:
    first = test.found[0]
    base = (first or found).median / _PERCENT
    told = _("{name}: {value}", name=test.title, value=value_words(test.metric, found.median))
    return ChartMark(
        x=float(number), y=found.median / base, low=found.least / base, high=found.most / base, told=told, of=test.name
    )


# How long the operations of a test took, as charts: how many took how long, and within which time which share ended.

MOST_LINES = len(SERIES)  # more colours nobody tells apart
_MS = 1e6
_NAMED = (50.0, 99.0, 99.9)
# A percentile stands where one operation in so many takes longer: 99.9 % at 1,000.
_TICKS = ((1.0, "0 %"), (2.0, "50 %"), (10.0, "90 %"), (100.0, "99 %"), (1e3, "99.9 %"), (1e4, "99.99 %"))


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLatency:
    name: str
    latency: Latency


def latencies_of(measured: Sequence[Measurement]) -> tuple[NamedLatency, ...]:
    both = len({one.direction for one in measured}) > 1
    found = []
    for one in measured:
        latency = latency_of(one)
        if latency is not None:
            found.append(
                NamedLatency(name=f"{one.name} {one.direction}" if both else one.name, latency=latency)
            )  # for machines
    return tuple(found)


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
        told = _(
            "{share} % took {low} to {high}",
            share=numeral(share, ".3g"),
            low=latency_words(low),
            high=latency_words(high),
        )
        marks += [ChartMark(x=at / _MS, y=share, low=0.0, high=share, told=told) for at in (low, high)]
    named: dict[int, list[float]] = {}
    for percent in _NAMED:
        ns = percentile(latency, percent)
        if ns:
            named.setdefault(ns, []).append(percent)
    axis = log_axis(_("Latency"), [mark.x for mark in marks], unit="ms")
    return Chart(
        stem=f"{stem}-histogram",
        title=_("Latency of “{test}”", test=title),
        x=ChartAxis(title=axis.title, unit="ms", low=marks[0].x / 1.2, high=marks[-1].x * 1.2, log=True),
        y=room_for_dots(axis_over(_("Operations"), [mark.y for mark in marks], unit="%")),
        series=(ChartSeries(name="", kind=SeriesKind.CURVE, marks=tuple(marks)),),
        limits=tuple(_limit_of(percents, ns) for ns, percents in named.items()),
    )


def _limit_of(percents: Sequence[float], ns: int) -> ChartLimit:
    """Return the mark of a time within which so many per cent ended; several percentiles may share it."""
    told = _("{percent} % took at most {time}", percent=numeral(percents[-1], "g"), time=latency_words(ns))
    name = ", ".join(numeral(percent, "g", "%") for percent in percents)
    return ChartLimit(name=name, value=ns / _MS, upright=True, told=told)


def percentile_chart(title: str, found: Sequence[NamedLatency], stem: str = "latency") -> Chart | None:
    """Return within which time which share of the operations ended, a line each; None where nothing is known."""
    series = []
    for number, each in enumerate(found[:MOST_LINES]):
        marks = tuple(
            ChartMark(
                x=100 / (100 - percent),
                y=ns / _MS,
                told=_(
                    "{name}: {percent} % took at most {time}",
                    name=each.name, percent=numeral(percent, "g"), time=latency_words(ns),
                ),
            )
            for percent, ns in each.latency.percentiles
            if percent < 100 and ns > 0
        )  # fmt: skip
        if marks:
            role, marker = SERIES[number], MARKERS[number]
            series.append(ChartSeries(name=each.name, kind=SeriesKind.LINE, marks=marks, role=role, marker=marker))
    if not series:
        return None
    return Chart(
        stem=f"{stem}-percentiles",
        title=title,
        x=ChartAxis(title=_("Share of the operations"), low=1.0, high=_TICKS[-1][0] * 1.3, log=True, ticks=_TICKS),
        y=log_axis(_("Latency at most"), [mark.y for one in series for mark in one.marks], unit="ms"),
        series=tuple(series),
    )


def percentiles_of_test(run: TestRun) -> Chart | None:
    whole = latency_of_test(run)
    found = [] if whole is None else [NamedLatency(name=_("All repeats"), latency=whole)]
    for repeat in run.repeats if len(run.repeats) > 1 else ():
        one = merged(latency for each in repeat.measured if (latency := latency_of(each)) is not None)
        if one is not None:
            found.append(NamedLatency(name=capital(_("repeat {number}", number=repeat.number)), latency=one))
    return percentile_chart(_("Percentiles of “{test}”", test=run.test.title), found, "latency")


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
