"""Operations a second of a pool, adapted to what runs on the host gave."""

import math
from dataclasses import replace
from functools import lru_cache

from poolwright.predict import coefficients as fitted
from poolwright.predict.belief import read_rate, write_rate
from poolwright.predict.calibrate import posterior
from poolwright.predict.circumstances import Circumstances, PoolLoad, circumstances, setting_of
from poolwright.predict.foreseen import Where, foreseen, together
from poolwright.predict.groups import Groups, log_vdevs, members_of
from poolwright.predict.iops import Bound, Operations, random_reads, random_writes
from poolwright.predict.runs import Metric, Run
from poolwright.predict.syncwrite import sync_writes, writers
from poolwright.texts import told_once

# So many clients keep the disks of an ordinary pool busy; whoever tells no number means plenty of them.
PLENTY = 32
# Spread between runs of random operations on one host, logarithm.
RUN_SPREAD = 0.15


def typical_rates(groups: Groups, around: Circumstances) -> tuple[float, float]:
    """Return the typical sequential read and write rate in bytes/s."""
    setting = setting_of(around)
    belief = posterior(around.calibration, around.host, setting, members_of(groups))
    read = read_rate(groups, belief.mean, setting).bytes_per_second
    write = write_rate(groups, belief.mean, setting).bytes_per_second
    return min(read, around.network), min(write, around.network)


def operations(
    metric: Metric, groups: Groups, around: Circumstances, sequential: float, log_devices: int
) -> Operations:
    """Return the operations of ``metric`` a second; ``sequential`` is the pool's read or write rate in bytes/s."""
    found = _modelled(metric, groups, around, sequential, log_devices)
    factor = adapted(metric, around, found.bound)[0]
    return found if factor == 1.0 else replace(found, per_second=found.per_second * factor)


def _modelled(metric: Metric, groups: Groups, around: Circumstances, sequential: float, log_devices: int) -> Operations:
    load, clients = around.load, around.load.clients
    if metric is Metric.RAND_READ:
        return random_reads(
            groups,
            around.disks,
            record_bytes=load.record_bytes,
            clients=clients,
            sequential=sequential,
            records_each=load.records_each,
        )
    if metric is Metric.RAND_WRITE:
        return random_writes(
            around.disks,
            record_bytes=load.record_bytes,
            clients=clients,
            sequential=sequential,
            records_each=load.records_each,
        )
    return sync_writes(
        groups,
        around.disks,
        record_bytes=load.asked_bytes,
        clients=clients,
        sequential=sequential,
        log=around.log,
        log_devices=log_devices,
        version=around.load.version,
    )


@told_once
@lru_cache(maxsize=256)
def adapted(metric: Metric, around: Circumstances, bound: Bound) -> tuple[float, float]:
    """Return by how much the host differs from the model in its own runs of ``metric``, and the spread that is left.

    The spread is the standard deviation of the logarithm. Each run is held against the model under the load that it
    was measured with; one of another number of clients, or of other requests, tells the less the farther it lies, and
    one that was limited by something else than ``bound`` tells nothing: one slow reader does not slow the disks down.
    """
    spread = {
        Metric.RAND_READ: math.hypot(fitted.RANDOM_READ_ERROR, around.disks.iops_spread),
        Metric.RAND_WRITE: fitted.RANDOM_WRITE_ERROR,
        Metric.SYNC_WRITE: fitted.SYNC_WRITE_ERROR,
    }[metric]
    runs = around.calibration.of(metric)
    if not runs:
        return 1.0, spread
    missed: dict[Where, list[tuple[float, float]]] = {}
    for run in runs:
        # The same object for the same load: what is remembered of it is found again.
        load = _load_of(run, around.load)
        measured = circumstances(around.host, around.disks, around.log, load, around.calibration)
        sequential = typical_rates(run.groups, measured)[0 if metric is Metric.RAND_READ else 1]
        expected = _modelled(metric, run.groups, measured, sequential, len(log_vdevs(run.layout)))
        if expected.bound is not bound:
            continue
        off = (math.log(run.value / expected.per_second), RUN_SPREAD**2 + run.error**2)
        missed.setdefault(_where(metric, measured.load), []).append(off)
    if not missed:
        return 1.0, spread
    found, left = foreseen(_where(metric, around.load), [together(w, off) for w, off in missed.items()], spread=spread)
    return math.exp(found), min(spread, math.hypot(left, RUN_SPREAD))


def _load_of(run: Run, load: PoolLoad) -> PoolLoad:
    return replace(
        load,
        record_bytes=run.record_bytes,
        request_bytes=run.request_bytes,
        clients=load.clients if run.clients is None else run.clients,
        fill_percent=run.fill_percent,
        aged=run.fill_percent > 0,
    )


def _where(metric: Metric, load: PoolLoad) -> Where:
    """Return where a load lies, for distances: the logarithms of its clients and of the bytes of a request."""
    count = load.clients
    if count is None:
        count = writers(None) if metric is Metric.SYNC_WRITE else PLENTY
    return math.log(count), math.log(load.asked_bytes)
