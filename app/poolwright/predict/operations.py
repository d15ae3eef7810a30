"""Operations a second of a pool, adapted to what runs on the host gave."""

import math
from functools import lru_cache

from poolwright.predict import coefficients as fitted
from poolwright.predict.belief import read_rate, write_rate
from poolwright.predict.calibrate import posterior
from poolwright.predict.circumstances import Circumstances, setting_of
from poolwright.predict.groups import Groups, log_vdevs, members_of
from poolwright.predict.iops import Operations, random_reads, random_writes
from poolwright.predict.runs import Metric
from poolwright.predict.syncwrite import sync_writes
from poolwright.texts import told_once

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
    factor = adapted(metric, around)[0]
    return found if factor == 1.0 else Operations(per_second=found.per_second * factor, limit=found.limit)


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
def adapted(metric: Metric, around: Circumstances) -> tuple[float, float]:
    """Return by how much the host differs from the model in its own runs of ``metric``, and the spread that is left.

    The spread is the standard deviation of the logarithm.
    """
    spread = {
        Metric.RAND_READ: math.hypot(fitted.RANDOM_READ_ERROR, around.disks.iops_spread),
        Metric.RAND_WRITE: fitted.RANDOM_WRITE_ERROR,
        Metric.SYNC_WRITE: fitted.SYNC_WRITE_ERROR,
    }[metric]
    runs = around.calibration.of(metric)
    if not runs:
        return 1.0, spread
    total = 0.0
    for run in runs:
        sequential = typical_rates(run.groups, around)[0 if metric is Metric.RAND_READ else 1]
        expected = _modelled(metric, run.groups, around, sequential, len(log_vdevs(run.layout)))
        total += math.log(run.value / expected.per_second)
    known, before = len(runs) / RUN_SPREAD**2, 1.0 / spread**2
    left = math.sqrt(1.0 / (known + before) + RUN_SPREAD**2)
    return math.exp(known / (known + before) * total / len(runs)), min(spread, left)
