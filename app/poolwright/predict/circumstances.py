"""Everything a speed prediction depends on beside the layout."""

import math
from dataclasses import dataclass
from functools import lru_cache

from poolwright.domain.disk import Media
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.predict.belief import RateSetting
from poolwright.predict.coefficients import FITTED, VECTORISED
from poolwright.predict.media import NETWORK_EFFICIENCY, UNKNOWN_HOST, DiskRates, HostCaps, cpu_limits, disk_rates
from poolwright.predict.runs import NO_RUNS, Calibration
from poolwright.predict.throughput import BASE_RECORD_BYTES
from poolwright.texts import told_once

DEFAULT_DISKS = disk_rates()
DEFAULT_LOG = disk_rates(media=Media.SSD)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLoad:
    """What the pool is asked to do: record and request size, clients at once (None: plenty), properties, by whom.

    ``request_bytes`` None is requests as large as the records. ``fill_percent`` is how full the pool is, ``aged`` that
    its data were changed and deleted since, so that what is free lies in pieces.
    """

    record_bytes: int = BASE_RECORD_BYTES
    request_bytes: int | None = None
    clients: int | None = None
    checksum: str = "on"
    compression: str = "on"
    version: ZfsVersion = DEFAULT_VERSION
    encrypted: bool = False
    fill_percent: float = 0.0
    aged: bool = False

    @property
    def asked_bytes(self) -> int:
        """Return the bytes of one request."""
        return self.record_bytes if self.request_bytes is None else self.request_bytes

    @property
    def records_each(self) -> int:
        """Return how many records one request touches: a part of one takes all of it."""
        return max(1, -(-self.asked_bytes // self.record_bytes))


DEFAULT_LOAD = PoolLoad()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Circumstances:
    """Host, disks, device of a log vdev, load and runs on the host.

    Compared by identity, so that remembered predictions are found fast: keep one, or take it from `circumstances`.
    """

    host: HostCaps = UNKNOWN_HOST
    disks: DiskRates = DEFAULT_DISKS
    log: DiskRates = DEFAULT_LOG
    load: PoolLoad = DEFAULT_LOAD
    calibration: Calibration = NO_RUNS

    @property
    def network(self) -> float:
        """Return what the network leaves for data, in bytes/s; infinite where none is told."""
        rate = self.host.network_bytes_per_second
        return math.inf if rate is None else rate * NETWORK_EFFICIENCY


@told_once
@lru_cache(maxsize=64)
def circumstances(
    host: HostCaps, disks: DiskRates, log: DiskRates, load: PoolLoad, calibration: Calibration
) -> Circumstances:
    return Circumstances(host=host, disks=disks, log=log, load=load, calibration=calibration)


@told_once
@lru_cache(maxsize=256)
def setting_of(around: Circumstances) -> RateSetting:
    """Return what the sequential rates need of it; the same object each time."""
    cpu_read, cpu_write = cpu_limits(
        around.host,
        around.load.checksum,
        around.load.compression,
        encrypted=around.load.encrypted,
        version=around.load.version,
    )
    return RateSetting(
        disks=around.disks,
        hba=around.host.hba_bytes_per_second,
        cpu_read=cpu_read,
        cpu_write=cpu_write,
        record_bytes=around.load.record_bytes,
        clients=around.load.clients,
        fill_percent=around.load.fill_percent,
        aged=around.load.aged,
        model=VECTORISED if around.host.vector_parity else FITTED,
    )
