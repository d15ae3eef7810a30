"""What is believed of one host: how its disks and its limits differ from what was told, and how well that is known.

Five numbers, jointly normal: the logarithms by which its disks read and write faster than was told, by which they write
faster in a pool than alone, and those of the host's read and write limit. Runs on the host narrow them
(`calibrate.py`).
"""

import math
from dataclasses import dataclass
from functools import lru_cache

from poolwright.predict import coefficients as fitted
from poolwright.predict.caps import HBA_EFFICIENCY, HostCaps, expected_limits
from poolwright.predict.coefficients import FITTED, Coefficients
from poolwright.predict.groups import Groups
from poolwright.predict.media import DiskRates
from poolwright.predict.throughput import BASE_RECORD_BYTES, ability, meet, record_factor

READ_DISK, WRITE_DISK, WRITE_GAIN, READ_LIMIT, WRITE_LIMIT = range(5)
Numbers = tuple[float, float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Belief:
    """Mean and covariance of the five numbers. Compared by identity: they are made once and looked up often."""

    mean: Numbers
    covariance: tuple[Numbers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A predicted rate in bytes/s with its parts.

    ``disks``, ``vdevs``, ``hba``, ``cpu`` and ``host`` are the limits along the way (None: not known). ``slopes`` are
    how its logarithm moves with each of the five numbers that it depends on.
    """

    bytes_per_second: float
    disks: float
    vdevs: float
    hba: float | None
    cpu: float | None
    host: float
    slopes: tuple[tuple[int, float], ...]


@lru_cache(maxsize=256)
def prior(host: HostCaps, disks: DiskRates, members: int) -> Belief:
    """Return what is expected of a host before any run on it, when it holds at least ``members`` disks."""
    read_limit, write_limit = expected_limits(host, disks, members)
    limit = fitted.HOST_SPREAD**2
    together = fitted.HOST_CORRELATION * limit
    return Belief(
        mean=(0.0, 0.0, fitted.WRITE_GAIN, read_limit, write_limit),
        covariance=(
            (disks.read_spread**2, 0.0, 0.0, 0.0, 0.0),
            (0.0, disks.write_spread**2, 0.0, 0.0, 0.0),
            (0.0, 0.0, fitted.WRITE_GAIN_SPREAD**2, 0.0, 0.0),
            (0.0, 0.0, 0.0, limit, together),
            (0.0, 0.0, 0.0, together, limit),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting:
    """What a sequential rate depends on beside the pool: disks, known limits in bytes/s, record size, model.

    Compared by identity, like a belief.
    """

    disks: DiskRates
    hba: float | None = None
    cpu_read: float | None = None
    cpu_write: float | None = None
    record_bytes: int = BASE_RECORD_BYTES
    model: Coefficients = FITTED


def read_rate(groups: Groups, mean: Numbers, setting: Setting) -> Rate:
    """Return the sequential read rate of a pool if the host is as ``mean`` says."""
    can = ability(groups, setting.record_bytes, setting.model)
    single = setting.disks.read_bytes_per_second * math.exp(mean[READ_DISK])
    vdevs = can.read * single
    host = math.exp(mean[READ_LIMIT]) * record_factor(setting.record_bytes)
    link = None if setting.hba is None else setting.hba * HBA_EFFICIENCY
    total = meet(vdevs, host, link, setting.cpu_read)
    return Rate(
        bytes_per_second=total,
        disks=can.disks_read * single,
        vdevs=vdevs,
        hba=link,
        cpu=setting.cpu_read,
        host=host,
        slopes=((READ_DISK, (total / vdevs) ** 2), (READ_LIMIT, (total / host) ** 2)),
    )


def write_rate(groups: Groups, mean: Numbers, setting: Setting) -> Rate:
    """Return the sequential write rate of a pool if the host is as ``mean`` says."""
    can = ability(groups, setting.record_bytes, setting.model)
    shared = max(0.0, 1.0 - 1.0 / can.data_disks)  # the gain comes with the second disk
    single = setting.disks.write_bytes_per_second * math.exp(mean[WRITE_DISK] + shared * mean[WRITE_GAIN])
    vdevs = can.write * single
    host = math.exp(mean[WRITE_LIMIT]) * record_factor(setting.record_bytes)
    host /= can.raw_per_byte**setting.model.raw_exponent
    link = None if setting.hba is None else setting.hba * HBA_EFFICIENCY / can.raw_per_byte
    total = meet(vdevs, host, link, setting.cpu_write)
    by_disks = (total / vdevs) ** 2
    return Rate(
        bytes_per_second=total,
        disks=can.disks_write * single,
        vdevs=vdevs,
        hba=link,
        cpu=setting.cpu_write,
        host=host,
        slopes=((WRITE_DISK, by_disks), (WRITE_GAIN, by_disks * shared), (WRITE_LIMIT, (total / host) ** 2)),
    )


def variance(belief: Belief, rate: Rate) -> float:
    """Return the variance of the logarithm of ``rate`` that comes from not knowing the host better."""
    covariance = belief.covariance
    return sum([a * b * covariance[i][j] for i, a in rate.slopes for j, b in rate.slopes])
