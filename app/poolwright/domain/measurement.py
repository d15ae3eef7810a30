"""What a tool measured, as values: the same for fio, bonnie++, dd, sar and the pool's own counters."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray


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
