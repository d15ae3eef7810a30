"""How long operations took, of several jobs and repeats together: one histogram, its percentiles, times in words."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate

import numpy as np

from poolwright.domain.measurement import Latency, Measurement
from poolwright.texts import numeral

# The percentiles that are told; fio's own list has these and more.
PERCENTS = (1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99)
BINS = 8  # of charts for a doubling of the time; fio has 64
_US, _MS, _S = 1e3, 1e6, 1e9


def latency_of(measured: Measurement) -> Latency | None:
    """Return how long its operations took: from issue to completion where that has percentiles, else the completion."""
    known = [one for one in (measured.completion, measured.total) if one is not None]
    return next((one for one in known if one.percentiles or one.histogram), known[0] if known else None)


def with_histogram(measured: Measurement) -> Latency | None:
    """Return how long its operations took by whichever of both tells how many took how long; else by percentiles."""
    for one in (measured.completion, measured.total):
        if one is not None and one.histogram:
            return one
    latency = latency_of(measured)
    # What percentiles tell is as even between two of them on a logarithmic axis.
    if latency is None or not (latency.count and latency.least_ns and latency.most_ns and latency.percentiles):
        return latency
    known = {latency.least_ns: 0.0, **{ns: percent for percent, ns in latency.percentiles}, latency.most_ns: 100.0}
    told = sorted((ns, percent) for ns, percent in known.items() if ns > 0)
    times, shares = np.log2([ns for ns, __ in told]), np.maximum.accumulate([percent for __, percent in told])
    edges = np.arange(np.floor(times[0] * BINS), np.ceil(times[-1] * BINS) + 1) / BINS
    counts = np.rint(np.diff(np.interp(edges, times, shares)) * latency.count / 100).astype(int).tolist()
    last = (2.0 ** edges[1:]).astype(int) - 1
    return replace(latency, histogram=tuple(zip(last.tolist(), counts, strict=True)))


def merged(found: Iterable[Latency]) -> Latency | None:
    """Return several latencies as one. Percentiles are of all operations where each brings its histogram.

    Of those without one nobody can say what their percentiles are together: they are left out then.
    """
    parts = tuple(found)
    if len(parts) < 2:
        return parts[0] if parts else None
    whole = all(part.histogram for part in parts)
    bins: Counter[int] = Counter()
    for part in parts if whole else ():
        bins.update(dict(part.histogram))
    histogram = tuple(sorted(bins.items()))
    least, most = (part.least_ns for part in parts), (part.most_ns for part in parts)
    return replace(
        of_histogram(histogram),
        mean_ns=_mean(parts),
        least_ns=min((ns for ns in least if ns is not None), default=None),
        most_ns=max((ns for ns in most if ns is not None), default=None),
        count=sum(part.count or 0 for part in parts) or None,
    )


def of_histogram(histogram: tuple[tuple[int, int], ...]) -> Latency:
    """Return a latency of which only the histogram is known, (upper edge ns, count) rising."""
    return Latency(
        count=sum(count for __, count in histogram),
        percentiles=tuple((percent, ns) for percent in PERCENTS if (ns := _from_bins(histogram, percent)) is not None),
        histogram=histogram,
    )


def percentile(latency: Latency, percent: float) -> int | None:
    """Return the time within which so many per cent of the operations ended, ns; None where it is not known."""
    listed = dict(latency.percentiles).get(percent)
    return listed if listed is not None else _from_bins(latency.histogram, percent)


def latency_words(ns: float) -> str:
    for unit, name in ((_S, "s"), (_MS, "ms"), (_US, "µs")):
        if ns >= unit:
            return numeral(ns / unit, ".3g" if ns < 999.5 * unit else ",.0f", name)
    return f"{ns:.0f} ns"


def _mean(parts: tuple[Latency, ...]) -> float | None:
    total, count = 0.0, 0
    for part in parts:
        if part.mean_ns is None or not part.count:
            return None
        total, count = total + part.mean_ns * part.count, count + part.count
    return total / count if count else None


def _from_bins(histogram: tuple[tuple[int, int], ...], percent: float) -> int | None:
    if not histogram:
        return None
    sums = list(accumulate(count for __, count in histogram))
    wanted = sums[-1] * percent / 100
    return next(
        (edge for (edge, __), reached in zip(histogram, sums, strict=True) if reached >= wanted), histogram[-1][0]
    )
