"""What a tool measured, as values: the same for fio, bonnie++, dd, sar and the pool's own counters."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from poolwright.texts import numeral


class BenchTool(StrEnum):
    FIO = "fio"
    BONNIE = "bonnie++"
    DD = "dd"
    SAR = "sar"
    ZPOOL_IOSTAT = "zpool iostat"
    ZPOOL_LIST = "zpool list"
    ARCSTATS = "arcstats"
    POOL_IOSTATS = "pool iostats"
    ZDB = "zdb"
    PROC = "proc"


class Direction(StrEnum):
    """Which way the bytes went; MIXED where the tool told all ways together (fio's unified_rw_reporting)."""

    READ = "read"
    WRITE = "write"
    TRIM = "trim"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """How long operations took, ns. ``percentiles`` are (percent, ns) rising; ``histogram`` (upper edge ns, count)."""

    mean_ns: float | None = None
    least_ns: int | None = None
    most_ns: int | None = None
    deviation_ns: float | None = None
    count: int | None = None
    percentiles: tuple[tuple[float, int], ...] = ()
    histogram: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One direction of one job, or of a group of jobs reported as one (``jobs`` counts them).

    ``rate`` is bytes/s over ``seconds``, ``iops`` operations/s; ``pattern`` is fio's word (randread, write, ...) or
    the tool's ("block", "per character"). ``sync`` tells that each write waited for stable storage. ``completion`` is
    from submission to completion (fio's clat), ``total`` from issue to completion (lat). ``cpu_*`` are per cent of
    one core. ``error`` is the tool's error number, 0 none. ``options`` are the job's own words, in order.
    """

    name: str
    direction: Direction
    pattern: str | None = None
    block_bytes: int | None = None
    queue_depth: int | None = None
    jobs: int | None = None
    sync: bool | None = None
    file_bytes: int | None = None
    bytes: int | None = None
    seconds: float | None = None
    rate: float | None = None
    iops: float | None = None
    submission: Latency | None = None
    completion: Latency | None = None
    total: Latency | None = None
    cpu_user: float | None = None
    cpu_system: float | None = None
    error: int = 0
    host: str | None = None
    options: tuple[tuple[str, str], ...] = ()


class Observer(StrEnum):
    """Who saw what a curve tells: the three lines of a test are APPLICATION, POOL and ARC."""

    APPLICATION = "application"
    POOL = "pool"
    VDEV = "vdev"
    DISK = "disk"
    ARC = "arc"
    CPU = "cpu"
    NETWORK = "network"
    TEMPERATURE = "temperature"


class What(StrEnum):
    RATE = "rate"  # bytes/s
    IOPS = "iops"  # operations/s
    LATENCY = "latency"  # ns
    QUEUE = "queue"  # operations waiting or under way
    BUSY = "busy"  # share 0..1
    SHARE = "share"  # share 0..1: hits, iowait, capacity
    BYTES = "bytes"
    CELSIUS = "celsius"
    COUNT = "count"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimeCurve:
    """A curve over time. ``ms`` (int64, rising) and ``values`` (float64, NaN where unknown) are of one length.

    ``name`` tells of what: the pool's, vdev's, disk's, core's or job's own name; ``detail`` which of several numbers
    ("total_wait", "iowait", "hits").
    """

    name: str
    source: Observer
    what: What
    ms: NDArray[np.int64]
    values: NDArray[np.float64]
    direction: Direction | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What one file or one output of a tool told; ``notes`` what looked odd, cut off or was passed over.

    ``facts`` are single numbers with their names ("frag_percent", "dedup_ratio", "ashift"), as the tool gives them.
    """

    tool: BenchTool
    where: str
    version: str | None = None
    host: str | None = None
    started: datetime | None = None
    measured: tuple[Measurement, ...] = ()
    curves: tuple[TimeCurve, ...] = field(default=(), compare=False)
    facts: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()


# Latencies of several jobs and repeats together: one histogram, its percentiles, times in words.

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
    points = sorted((ns, percent) for ns, percent in known.items() if ns > 0)
    times, shares = np.log2([ns for ns, __ in points]), np.maximum.accumulate([percent for __, percent in points])
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
