"""How long the operations of a test took, as charts: how many took how long, and within which time which share ended.

Both are of any `Latency`: of a run's test with all its repeats, and of a result that another program left behind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log2

from poolwright.bench.record import TestRun
from poolwright.domain.latency import BINS, latency_of, latency_words, merged, percentile
from poolwright.domain.measurement import Latency, Measurement
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
from poolwright.texts import tell

MOST_LINES = len(SERIES)  # more colours nobody tells apart
_MS = 1e6
_NAMED = (50.0, 99.0, 99.9)
# A percentile stands where one operation in so many takes longer: 99.9 % at 1,000.
_TICKS = ((1.0, "0 %"), (2.0, "50 %"), (10.0, "90 %"), (100.0, "99 %"), (1e3, "99.9 %"), (1e4, "99.99 %"))


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLatency:
    """How long operations took, with the name of the line that tells it."""

    name: str
    latency: Latency


def latencies_of(measured: Sequence[Measurement]) -> tuple[NamedLatency, ...]:
    """Return what is known of the operations of each job, reads and writes apart."""
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
    """Return how long the operations of a test took, all its repeats together; None where nobody took it."""
    seen = [one for repeat in run.repeats if repeat.application is not None for one in repeat.application.measured]
    return merged(found for one in seen if (found := latency_of(one)) is not None)


def histogram_chart(title: str, latency: Latency, stem: str = "latency") -> Chart | None:
    """Return how many of the operations took how long, in per cent; None where only percentiles are known."""
    bins = _folded(latency.histogram)
    if not bins:
        return None
    every = sum(count for *_, count in bins)
    marks = []
    for low, high, count in bins:
        share = 100 * count / every
        told = tell(
            "{share} % took {low} to {high}", share=f"{share:.3g}", low=latency_words(low), high=latency_words(high)
        )
        marks += [ChartMark(x=at / _MS, y=share, low=0.0, high=share, told=told) for at in (low, high)]
    named: dict[int, list[float]] = {}
    for percent in _NAMED:
        ns = percentile(latency, percent)
        if ns:
            named.setdefault(ns, []).append(percent)
    axis = log_axis(tell("Latency"), [mark.x for mark in marks], unit="ms")
    return Chart(
        stem=f"{stem}-histogram",
        title=tell("Latency of “{test}”", test=title),
        x=ChartAxis(title=axis.title, unit="ms", low=marks[0].x / 1.2, high=marks[-1].x * 1.2, log=True),
        y=room_for_dots(axis_over(tell("Operations"), [mark.y for mark in marks], unit="%")),
        series=(ChartSeries(name="", kind=SeriesKind.CURVE, marks=tuple(marks)),),
        limits=tuple(_named(percents, ns) for ns, percents in named.items()),
    )


def _named(percents: Sequence[float], ns: int) -> ChartLimit:
    """Return the mark of a time within which so many per cent ended; several percentiles may share it."""
    told = tell("{percent} % took at most {time}", percent=f"{percents[-1]:g}", time=latency_words(ns))
    name = ", ".join(tell("{percent} %", percent=f"{percent:g}") for percent in percents)
    return ChartLimit(name=name, value=ns / _MS, upright=True, told=told)


def percentile_chart(title: str, found: Sequence[NamedLatency], stem: str = "latency") -> Chart | None:
    """Return within which time which share of the operations ended, a line each; None where nothing is known."""
    series = []
    for number, each in enumerate(found[:MOST_LINES]):
        marks = tuple(
            ChartMark(
                x=100 / (100 - percent),
                y=ns / _MS,
                told=tell(
                    "{name}: {percent} % took at most {time}",
                    name=each.name, percent=f"{percent:g}", time=latency_words(ns),
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
        x=ChartAxis(title=tell("Share of the operations"), low=1.0, high=_TICKS[-1][0] * 1.3, log=True, ticks=_TICKS),
        y=log_axis(tell("Latency at most"), [mark.y for one in series for mark in one.marks], unit="ms"),
        series=tuple(series),
    )


def percentiles_of_test(run: TestRun, stem: str = "latency") -> Chart | None:
    """Return the percentiles of a test, each repeat a line beside all of them together."""
    whole = latency_of_test(run)
    found = [] if whole is None else [NamedLatency(name=tell("All repeats"), latency=whole)]
    for repeat in run.repeats if len(run.repeats) > 1 else ():
        measured = () if repeat.application is None else repeat.application.measured
        one = merged(latency for each in measured if (latency := latency_of(each)) is not None)
        if one is not None:
            found.append(NamedLatency(name=tell("Repeat {number}", number=repeat.number), latency=one))
    return percentile_chart(tell("Percentiles of “{test}”", test=run.test.title), found, stem)


def _folded(histogram: tuple[tuple[int, int], ...]) -> list[tuple[float, float, int]]:
    """Return bins of equal width on a logarithmic axis: from, to (ns) and how many; those without any as well."""
    found: dict[int, int] = {}
    for edge, count in histogram:
        number = floor(log2(max(edge, 1)) * BINS)
        found[number] = found.get(number, 0) + count
    if not found:
        return []
    numbers = range(min(found), max(found) + 1)
    return [(2 ** (n / BINS), 2 ** ((n + 1) / BINS), found.get(n, 0)) for n in numbers]
