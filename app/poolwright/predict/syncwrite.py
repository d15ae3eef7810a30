"""Synchronous writes a second: the one model of them, for forecasts, roles, comparisons, advice and reports.

A synchronous write waits for the time of the intent log and for the flush of the device that holds it (`flush.py`).
Clients are committed in groups: while one commit is on its way the others gather for the next, so that ``clients``
finish in two commits. `synclog` simulates such groups in detail, to say what batching and placement do.
"""

import math
from operator import itemgetter

from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.predict.coefficients import (
    HOST_SYNC_SECONDS,
    LOG_RECORD_SECONDS,
    SLOG_BULK_FACTOR,
    SLOG_EFFICIENCY,
    SMALL_SYNC_BYTES,
    SYNC_WAITS,
    SYNC_WAITS_SMALL,
)
from poolwright.predict.groups import Groups, vdevs_of
from poolwright.predict.iops import Bound, Flush, Operations, flush_of
from poolwright.predict.media import DiskRates
from poolwright.predict.throughput import meet
from poolwright.texts import tell

# The standard job of the thesis; nobody said how many write at once.
DEFAULT_CLIENTS = 10
# Commits above this many bytes leave the fast lane of the log device (zil.c: zil_slog_bulk, 768 KiB from 0.7 on until
# 2.2 made it 64 MiB, pull request 14378), or the log device itself (zil_slog_limit, 1 MiB; issue 1012).
_BULK_BYTES = 768 * 1024
_LIMIT_BYTES = 1024 * 1024
BULK_SINCE, BULK_UNTIL = ZfsVersion(0, 7, 0), ZfsVersion(2, 2, 0)


def volumes_wait(design: Design) -> bool:
    """Tell whether ``design`` has volumes, planned or there already, that are written synchronously now and then."""
    has = design.workload.volumes or any(dataset.volume_bytes is not None for dataset in design.datasets)
    return bool(has and design.workload.sync_write_percent)


def writers(clients: int | None) -> int:
    """Return how many write at once: as told, else as in the standard job of the thesis."""
    return DEFAULT_CLIENTS if clients is None else clients


def commit_seconds(device: DiskRates, record_bytes: int, *, log: bool) -> float:
    """Return the seconds of one commit on ``device``, a log device or a disk of the pool.

    Without a log device, data from 32 KiB on are written to their place and the log points to them (zil.c:
    zfs_immediate_write_sz): several waits of a hard disk, or two of flash.
    """
    waits = 1
    if not log and record_bytes >= SMALL_SYNC_BYTES:
        waits = SYNC_WAITS if device.media is Media.HDD else 2
    elif not log:
        waits = SYNC_WAITS_SMALL
    return LOG_RECORD_SECONDS + waits * flush_of(device).typical


def passes_log_by(version: ZfsVersion, commit_bytes: int) -> bool:
    """Tell whether a commit this large is written to the pool although there is a log device (before OpenZFS 0.7)."""
    return version < BULK_SINCE and commit_bytes > _LIMIT_BYTES


def is_bulk(version: ZfsVersion, commit_bytes: int) -> bool:
    """Tell whether a commit this large waits behind all other writes on the log device (0.7 to 2.1)."""
    return BULK_SINCE <= version < BULK_UNTIL and commit_bytes > _BULK_BYTES


def sync_writes(
    groups: Groups,
    disks: DiskRates,
    *,
    record_bytes: int,
    clients: int | None,
    sequential: float,
    log: DiskRates | None = None,
    log_devices: int = 0,
    version: ZfsVersion = DEFAULT_VERSION,
) -> Operations:
    """Return the synchronous writes of ``record_bytes`` a second; ``sequential`` is the pool's write rate in bytes/s.

    ``log`` are the rates of one device of ``log_devices`` log vdevs, which together take the intent log; None puts it
    into the pool, where small data are written twice.
    """
    count = writers(clients)
    host = 1.0 / HOST_SYNC_SECONDS
    commit_bytes = count * record_bytes
    at_once = count / 2.0 if count > 1 else 1.0
    if log is not None and log_devices > 0 and not passes_log_by(version, commit_bytes):
        bulk = is_bulk(version, commit_bytes)
        return _on_log(log, log_devices, record_bytes=record_bytes, at_once=at_once, sequential=sequential, bulk=bulk)
    small = record_bytes < SMALL_SYNC_BYTES
    waits = at_once / commit_seconds(disks, record_bytes, log=False)
    # Small writes share log blocks; a larger one is a block of its own, and a piece of the log beside it.
    seeks = math.inf if small else vdevs_of(groups) * disks.iops / 2.0
    pool = sequential / (2.0 if small else 1.0) / record_bytes
    slow = tell("latency of the disks, no log device")
    if disks.media is not Media.HDD:
        slow = tell("latency of the pool's {words}", words=tell(flush_of(disks).words))
    limit = min(
        (waits, slow, Bound.CLIENTS),
        (seeks, tell("disk operations"), Bound.DISKS),
        (pool, tell("data written twice") if small else tell("the pool"), Bound.STREAM),
        (host, tell("the host's time for each record of the log"), Bound.HOST),
        key=itemgetter(0),
    )
    return Operations(per_second=meet(waits, seeks, pool, host), limit=limit[1], bound=limit[2])


def _on_log(
    log: DiskRates, log_devices: int, *, record_bytes: int, at_once: float, sequential: float, bulk: bool
) -> Operations:
    """Return the synchronous writes that log devices take, ``at_once`` in one commit."""
    waits = at_once / commit_seconds(log, record_bytes, log=True)
    share = SLOG_EFFICIENCY * (SLOG_BULK_FACTOR if bulk else 1.0)
    device = share * log.write_bytes_per_second * log_devices / record_bytes
    pool, host = sequential / record_bytes, 1.0 / HOST_SYNC_SECONDS
    slow = tell("zil_slog_bulk of the log device") if bulk else tell("write rate of the log device")
    limit = min(
        (waits, tell("latency of the log device ({words})", words=tell(flush_of(log).words)), Bound.CLIENTS),
        (device, slow, Bound.LOG),
        (pool, tell("the pool"), Bound.STREAM),
        (host, tell("the host's time for each record of the log"), Bound.HOST),
        key=itemgetter(0),
    )
    return Operations(per_second=meet(waits, device, pool, host), limit=limit[1], bound=limit[2])


def flush_spread(disks: DiskRates, log: DiskRates, log_devices: int) -> tuple[float, float]:
    """Return by how much the flush may be longer and shorter than typical, as logarithms: what nobody knows of it."""
    found: Flush = flush_of(log if log_devices else disks)
    own = LOG_RECORD_SECONDS
    typical = found.typical + own
    return math.log((found.high + own) / typical), math.log(typical / (found.low + own))
