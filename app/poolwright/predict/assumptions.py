"""What a prediction rests on beside the layout: what the user entered, host, disks, load, and runs of that host."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from poolwright.domain.dataset_properties import space_bytes
from poolwright.domain.design import Dataset, Design
from poolwright.domain.disk import Disk, Media, slowest
from poolwright.domain.encryption import encryption_roots
from poolwright.domain.inheritance import Resolver
from poolwright.domain.money import Money
from poolwright.domain.units import DEFAULT_RECORD_BYTES, KIB, MIB, PLAN_FILL_PERCENT
from poolwright.domain.vdev import VdevClass
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.drives import measured_rates
from poolwright.predict.measured_runs import NO_RUNS, Calibration
from poolwright.predict.media import (
    HBA_EFFICIENCY,
    KIND_OF,
    NETWORK_EFFICIENCY,
    UNKNOWN_HOST,
    DiskRates,
    HostCaps,
    cpu_limits,
    disk_rates,
    geometric_mean,
    host_caps,
    known_models,
)
from poolwright.predict.throughput import FITTED, RECORD_OVERHEAD_BYTES, VECTORISED, Coefficients, rate_shares_when_full
from poolwright.rules.dataset_plan import planned_datasets
from poolwright.rules.presets import preset
from poolwright.rules.profile import all_keep_writes
from poolwright.texts import per_language


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """None: what the design knows, else the model's default.

    Rates are bytes/s: ``disk_read`` and ``disk_write`` of one disk, ``hba`` of all together. ``cores`` are those for
    checksums and parity. ``fill_percent`` and ``load_percent`` are those of a rebuild or scrub; ``growth_percent`` is a
    year's. ``afr_percent`` is how many disks of a hundred fail in a year, ``correlation`` what multiplies it for the
    others of a vdev while one is down. ``cost_date`` is the month in which prices and watts were entered.
    """

    fill_percent: int = PLAN_FILL_PERCENT
    load_percent: int = 0
    disk_read: float | None = None
    disk_write: float | None = None
    hba: float | None = None
    network: float | None = None
    cores: int | None = None
    afr_percent: float | None = None
    replace_hours: float | None = None
    correlation: float | None = None
    read_errors_per_bit: float | None = None
    price: Money | None = None
    watts: float | None = None
    kwh_price: Money | None = None
    years: float | None = None
    cooling_factor: float | None = None
    cost_date: str | None = None
    used_bytes: int | None = None
    growth_percent: float | None = None
    calibration: Calibration = NO_RUNS
    runs_name: str = ""


NOTHING_SAID = Assumptions()


DEFAULT_DISKS = disk_rates()
DEFAULT_LOG = disk_rates(media=Media.SSD)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLoad:
    """What the pool is asked to do: record and request size, clients at once (None: plenty), properties, by whom.

    ``request_bytes`` None is requests as large as the records. ``fill_percent`` is how full the pool is, ``aged`` that
    its data were changed and deleted since, so that what is free lies in pieces.
    """

    record_bytes: int = DEFAULT_RECORD_BYTES
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
        return self.record_bytes if self.request_bytes is None else self.request_bytes

    @property
    def records_each(self) -> int:
        """Return how many records one request touches: a part of one takes all of it."""
        return max(1, -(-self.asked_bytes // self.record_bytes))


DEFAULT_LOAD = PoolLoad()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpeedInputs:
    """Host, disks, device of a log vdev, load, runs on the host, and the model that holds for all of them.

    Compared by identity, so that remembered predictions are found fast: keep one, or take it from `speed_inputs`.
    """

    host: HostCaps = UNKNOWN_HOST
    disks: DiskRates = DEFAULT_DISKS
    log: DiskRates = DEFAULT_LOG
    load: PoolLoad = DEFAULT_LOAD
    calibration: Calibration = NO_RUNS
    model: Coefficients = FITTED

    # What follows from them, asked for by thousands of layouts: bytes/s that the links let through, those at which the
    # processor is full, and what the disks keep of their rates, both of reads and writes; by how much the host moves
    # more or less of such records than of those of 128K.
    network: float = field(init=False)
    link: float | None = field(init=False)
    cpu: tuple[float | None, float | None] = field(init=False)
    left: tuple[float, float] = field(init=False)
    by_record: float = field(init=False)

    def __post_init__(self) -> None:
        host, load, hba = self.host, self.load, self.host.hba_bytes_per_second
        rate = math.inf if host.network_bytes_per_second is None else host.network_bytes_per_second * NETWORK_EFFICIENCY
        cpu = cpu_limits(host, load.checksum, load.compression, encrypted=load.encrypted, version=load.version)
        object.__setattr__(self, "network", rate)
        object.__setattr__(self, "link", None if hba is None else hba * HBA_EFFICIENCY)
        object.__setattr__(self, "cpu", cpu)
        object.__setattr__(self, "left", rate_shares_when_full(self.disks.media, load.fill_percent, aged=load.aged))
        base, own = (1.0 + RECORD_OVERHEAD_BYTES / size for size in (DEFAULT_RECORD_BYTES, load.record_bytes))
        object.__setattr__(self, "by_record", base / own)


@per_language
@lru_cache(maxsize=64)
def speed_inputs(
    host: HostCaps, disks: DiskRates, log: DiskRates, load: PoolLoad, calibration: Calibration
) -> SpeedInputs:
    model = VECTORISED if host.vector_parity else FITTED
    return SpeedInputs(host=host, disks=disks, log=log, load=load, calibration=calibration, model=model)


def host_of(design: Design, assumed: Assumptions) -> HostCaps:
    known = host_caps(design.host, design.version, data_disks(design))
    given = design.workload.network_bytes_per_second
    network = known.network_bytes_per_second if given is None else float(given)
    return HostCaps(
        hba_bytes_per_second=known.hba_bytes_per_second if assumed.hba is None else assumed.hba,
        network_bytes_per_second=network if assumed.network is None else assumed.network,
        cores=known.cores if assumed.cores is None else assumed.cores,
        vector_parity=known.vector_parity,
    )


def rates_of(design: Design, assumed: Assumptions) -> DiskRates:
    return rates_of_disks(data_disks(design), read=assumed.disk_read, write=assumed.disk_write)


def log_rates_of(design: Design) -> DiskRates:
    found = [design.disk(m.disk_key) for v in design.vdevs if v.vdev_class is VdevClass.LOG for m in v.members]
    return rates_of_disks(found) if found else DEFAULT_LOG


def rates_of_disks(
    disks: Sequence[Disk],
    *,
    read: float | None = None,
    write: float | None = None,
    iops: float | None = None,
    media: Media | None = None,
    least_bytes: int | None = None,
) -> DiskRates:
    """Return what one of ``disks`` gives: the slowest class and the slowest measured rate count, and the weakest
    word on power-loss protection. The rest goes before what is known of them; ``least_bytes`` where nothing is.
    """
    measured_read, measured_write = measured_rates(disks)
    kinds = Counter(map(KIND_OF, disks))
    # Vdevs of different hard disks work side by side, so the mean of sizes and turns tells what they give together.
    turning = [(size, rpm, count) for (kind, size, rpm, __), count in kinds.items() if kind in (Media.HDD, None)]
    sizes = [(size, count) for size, __, count in turning if size]
    turns = [(rpm, count) for __, rpm, count in turning if rpm]
    size = round(geometric_mean(sizes)) if sizes else None
    return disk_rates(
        media=media or slowest({kind[0] for kind in kinds}),
        read_bytes_per_second=measured_read if read is None else read,
        write_bytes_per_second=measured_write if write is None else write,
        iops=iops,
        power_loss_protected=all_keep_writes(disks),
        size_bytes=size if disks else least_bytes,
        rpm=round(geometric_mean(turns)) if turns else None,
        known=known_models(kinds),
    )


def data_disks(design: Design) -> list[Disk]:
    return [design.disk(m.disk_key) for vdev in design.vdevs if vdev.vdev_class is VdevClass.DATA for m in vdev.members]


# What a pool is asked to do: how large requests are, and how large the records that hold the data.

# Volumes have blocks of 16K unless told (zfsprops(7), since OpenZFS 2.2).
VOLUME_BLOCK_BYTES = 16 * KIB
_SMALL = (16 * KIB, 32 * KIB, 64 * KIB)


def load_for(workload: Workload, version: ZfsVersion, record: int | None = None) -> PoolLoad:
    """Return the load of ``workload`` on records of this size; None is the size that is usual for it."""
    # Where nobody said how large requests are, those of designs with other records still compare.
    record, asked = record or usual_record(workload), workload.io_size_bytes or DEFAULT_RECORD_BYTES
    request = None if asked == record else asked
    return PoolLoad(record_bytes=record, request_bytes=request, clients=workload.clients, version=version)


def load_of(design: Design) -> PoolLoad:
    """Return the load of a design's workload, on the records of the dataset that holds most of its data."""
    # A pool in use has been written, changed and deleted from.
    full = min(100, design.in_use_percent or 0)
    load = load_for(design.workload, design.version, _given_record(design))
    return replace(load, encrypted=bool(encryption_roots(design)), fill_percent=float(full), aged=full > 0)


def usual_record(workload: Workload) -> int:
    """Return the recordsize or volblocksize that the rules propose for ``workload`` (rules/properties.toml)."""
    asked = workload.io_size_bytes
    if workload.volumes:
        # Blocks below 16K waste raidz space, and larger requests fit a larger block (properties.toml).
        least = max(asked or 0, VOLUME_BLOCK_BYTES)
        return min(1 << (least - 1).bit_length(), DEFAULT_RECORD_BYTES)  # OpenZFS takes powers of two
    chosen = preset(workload.preset)
    if chosen is not None and (own := space_bytes(chosen.recordsize)):
        return own
    if asked is None:
        return MIB if workload.goal is Goal.SPEED else DEFAULT_RECORD_BYTES
    if asked > DEFAULT_RECORD_BYTES:
        return MIB if asked >= MIB else MIB // 2
    # Small requests at random: a larger record would be read and rewritten whole for each.
    if asked <= _SMALL[-1] and workload.sequential_percent is not None and workload.sequential_percent < 50:
        return next(size for size in _SMALL if asked <= size)
    return DEFAULT_RECORD_BYTES


def _given_record(design: Design) -> int | None:
    """Return the records in force where most data lie; None where no dataset is told, or its size makes no sense."""
    # Where nobody said how much lies where, it is the dataset made for the workload, else the root.
    stored = [d for d in design.datasets if (d.logical_bytes or d.volume_bytes or 0) > 0]
    if stored:
        largest = max(stored, key=lambda d: d.logical_bytes or d.volume_bytes or 0)
        return _block(design, largest)
    if design.workload.volumes:
        return None
    made = {d.name: d for d in design.datasets}
    names = [planned.name for planned in planned_datasets(design.workload)][:1]
    main = next((made[name] for name in (*names, "") if name in made), None)
    return None if main is None else _block(design, main)


def _block(design: Design, dataset: Dataset) -> int | None:
    name = "recordsize" if dataset.volume_bytes is None else "volblocksize"
    size = space_bytes(Resolver(design).value(dataset, name))
    return size if size and size >= 512 and size.bit_count() == 1 else None
