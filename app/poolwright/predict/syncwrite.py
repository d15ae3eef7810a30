"""Synchronous writes a second: the waits of the intent log, in the pool or on a log device.

Clients are committed in groups: while one commit is on its way the others gather for the next, so that ``clients``
finish in two commits. `synclog` simulates this in detail; here it is one formula for any pool.
"""

from poolwright.predict.coefficients import (
    SLOG_EFFICIENCY,
    SMALL_SYNC_BYTES,
    SYNC_WAITS,
    SYNC_WAITS_SMALL,
)
from poolwright.predict.groups import Groups, vdevs_of
from poolwright.predict.iops import Operations, single_queue
from poolwright.predict.media import DiskRates
from poolwright.predict.throughput import meet

# The standard job of the thesis; nobody said how many write at once.
DEFAULT_CLIENTS = 10


def _commits(clients: int, latency: float) -> float:
    return (clients / 2.0 if clients > 1 else 1.0) / latency


def sync_writes(
    groups: Groups,
    disks: DiskRates,
    *,
    record_bytes: int,
    clients: int | None,
    sequential: float,
    log: DiskRates | None = None,
    log_devices: int = 0,
) -> Operations:
    """Return the synchronous writes of ``record_bytes`` a second; ``sequential`` is the pool's write rate in bytes/s.

    ``log`` are the rates of one device of ``log_devices`` log vdevs, which together take the intent log; None puts it
    into the pool, where the data are written twice.
    """
    writers = DEFAULT_CLIENTS if clients is None else clients
    if log is not None and log_devices > 0:
        waits = _commits(writers, SYNC_WAITS_SMALL / single_queue(log))
        device = SLOG_EFFICIENCY * log.write_bytes_per_second * log_devices / record_bytes
        pool = sequential / record_bytes
        limit = min((waits, "latency of the log device"), (device, "write rate of the log device"), (pool, "the pool"))
        return Operations(per_second=meet(waits, device, pool), limit=limit[1])
    count = SYNC_WAITS_SMALL if record_bytes < SMALL_SYNC_BYTES else SYNC_WAITS
    waits = _commits(writers, count / single_queue(disks))
    seeks = vdevs_of(groups) * disks.iops / 2.0
    pool = sequential / 2.0 / record_bytes
    limit = min(
        (waits, "latency of the disks, no log device"), (seeks, "disk operations"), (pool, "data written twice")
    )
    return Operations(per_second=meet(waits, seeks, pool), limit=limit[1])
