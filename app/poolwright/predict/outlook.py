"""Everything that is predicted of one pool: speed, rebuild, scrub, risk. Quick for ranking, whole for showing."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from poolwright.domain.dataset_values import block_bytes
from poolwright.domain.design import Dataset, Design
from poolwright.domain.disk import Disk
from poolwright.domain.encryption import encryption_roots
from poolwright.domain.host import Host
from poolwright.domain.inheritance import Resolver
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.steps import Estimate
from poolwright.domain.units import KIB, MIB
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.assumptions import DEFAULT_LOG, Circumstances, PoolLoad, circumstances, rates_of_disks
from poolwright.predict.drives import DriveBook
from poolwright.predict.groups import Groups, any_loss, groups_of, log_vdevs
from poolwright.predict.media import host_caps
from poolwright.predict.rebuild import HIGH_FACTOR, SEQUENTIAL_SHARE, RebuildConditions
from poolwright.predict.reliability import Risk, RiskModel, yearly_loss
from poolwright.predict.risk_conditions import RiskConditions, mean_rate, rebuild_conditions
from poolwright.predict.runs import NO_RUNS, Calibration
from poolwright.predict.speed import SpeedPrediction, Typical, predict_groups, typical_speed
from poolwright.predict.throughput import BASE_RECORD_BYTES
from poolwright.rules.dataset_plan import planned_datasets
from poolwright.texts import marked, tell, tell_counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The typical values of a pool: what a ranking of thousands needs.

    ``yearly_loss`` is the probability of losing the pool by whatever cause, ``disk_loss`` that by failures of disks
    alone; ``floor`` is the part of the first that no layout changes: it counts once for all pools of a machine.
    ``rebuild_hours`` is that of the slowest vdev, None where nothing is rebuilt.
    """

    speed: Typical
    yearly_loss: float
    disk_loss: float
    rebuild_hours: float | None
    floor: float = 0.0


def forecast_of_any(forecasts: Sequence[Forecast], share: float, speed: Typical | None = None) -> Forecast:
    """Return the forecast of losing any of several parts, as if independent: an upper bound where disks are shared."""
    floor = forecasts[0].floor
    hours = [f.rebuild_hours for f in forecasts if f.rebuild_hours is not None]
    return Forecast(
        speed=speed or Typical(*(rate * share for rate in forecasts[0].speed)),
        yearly_loss=any_loss([forecast.yearly_loss for forecast in forecasts], floor),
        disk_loss=any_loss([forecast.disk_loss for forecast in forecasts]),
        floor=floor,
        rebuild_hours=max(hours, default=None),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    speed: SpeedPrediction
    risk: Risk
    rebuild: Estimate | None
    scrub: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What forecasts of many layouts of the same disks have in common: the risk of vdevs, the speed without spares."""

    risks: RiskModel
    speeds: dict[Groups, Typical] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What predictions rest on beside the layout: host, kind of disk, load, failure rates.

    ``around`` has the host's network as a limit, ``pool_side`` has not: a ranking by it would see all layouts as equal.
    """

    around: Circumstances
    pool_side: Circumstances
    risk: RiskConditions

    def forecast(self, layout: Layout, known: "Memory") -> Forecast:
        """Return the typical values of one pool of ``layout``, without the network: what the pool itself can do.

        ``known`` remembers vdevs and speeds from layout to layout; the caller keeps it.
        """
        risk = known.risks.risk(layout)
        hours = [vdev.rebuild.typical for vdev, _ in risk.vdevs if vdev.rebuild is not None]
        groups = groups_of(layout)
        speed = known.speeds.get(groups)
        if speed is None:
            speed = known.speeds[groups] = typical_speed(groups, self.pool_side)
        return Forecast(
            speed=speed,
            yearly_loss=risk.probability,
            disk_loss=risk.disk_probability,
            floor=self.floor,
            rebuild_hours=max(hours, default=None),
        )

    @property
    def floor(self) -> float:
        return self.risk.causes.floor(1)

    def memory(self) -> "Memory":
        return Memory(risks=RiskModel(self.risk))

    def itself(self, layout: Layout) -> SpeedPrediction:
        return predict_groups(groups_of(layout), self.pool_side, log_devices=len(log_vdevs(layout)))

    def of_stripes(self, disks: int) -> Typical:
        """Return what so many of the disks without redundancy are expected to give on this host, network aside."""
        spec = VdevSpec(kind=VdevKind.STRIPE, sizes=(1,) * max(1, disks))
        return typical_speed(groups_of((spec,)), self.pool_side)

    def predictions(self, layout: Layout) -> Predictions:
        risk = yearly_loss(layout, self.risk)
        rebuilds = [vdev.rebuild for vdev, _ in risk.vdevs if vdev.rebuild is not None]
        return Predictions(
            speed=predict_groups(groups_of(layout), self.around, log_devices=len(log_vdevs(layout))),
            risk=risk,
            rebuild=max(rebuilds, key=lambda e: e.typical, default=None),
            scrub=layout_scrub_hours(layout, self.risk.rebuild),
        )


def outlook_for(
    disks: Sequence[Disk],
    *,
    workload: Workload,
    host: Host,
    drives: DriveBook,
    ashift: int,
    version: ZfsVersion = DEFAULT_VERSION,
    calibration: Calibration = NO_RUNS,
) -> Outlook:
    """Return the outlook for pools of ``disks``, which are taken as alike: the slowest media count.

    Unknown media count as hard disks, as in `disk_rates`; the failure rate is the mean of those of the disks, each by
    its model or the fleet's: that of a vdev where ``disks`` are its members.
    """
    # A network told for the workload comes before that of the host.
    load, rates = load_for(workload, version), rates_of_disks(disks)
    caps = host_caps(host, version, disks)
    if workload.network_bytes_per_second is not None:
        caps = replace(caps, network_bytes_per_second=float(workload.network_bytes_per_second))
    without_network = replace(caps, network_bytes_per_second=None)
    return Outlook(
        around=circumstances(caps, rates, DEFAULT_LOG, load, calibration),
        pool_side=circumstances(without_network, rates, DEFAULT_LOG, load, calibration),
        risk=risk_for(disks, workload=workload, drives=drives, ashift=ashift, version=version),
    )


def risk_for(
    disks: Sequence[Disk], *, workload: Workload, drives: DriveBook, ashift: int, version: ZfsVersion = DEFAULT_VERSION
) -> RiskConditions:
    rebuild = rebuild_conditions(disks, ashift=ashift, version=version)
    rebuild = replace(rebuild, record_bytes=load_for(workload, version).record_bytes)
    return RiskConditions(drive=mean_rate(disks, drives), rebuild=rebuild, causes=drives.causes)


# What a pool is asked to do: how large requests are, and how large the records that hold the data.

# Volumes have blocks of 16K unless told (zfsprops(7), since OpenZFS 2.2), databases records of a page.
VOLUME_BLOCK_BYTES = PAGE_BYTES = 16 * KIB
_SMALL = (16 * KIB, 32 * KIB, 64 * KIB)
# Data whose records follow from what they are, not from the size of requests (rules/presets.toml).
_BY_USE = {"database": PAGE_BYTES, "home-directories": BASE_RECORD_BYTES}


def load_for(workload: Workload, version: ZfsVersion) -> PoolLoad:
    return _load(workload, usual_record(workload), version)


def load_of(design: Design) -> PoolLoad:
    """Return the load of a design's workload, on the records of the dataset that holds most of its data."""
    # A pool in use has been written, changed and deleted from.
    told, full = _record_told(design), min(100, design.in_use_percent or 0)
    load = _load(design.workload, told or usual_record(design.workload), design.version)
    return replace(load, encrypted=bool(encryption_roots(design)), fill_percent=float(full), aged=full > 0)


def usual_record(workload: Workload) -> int:
    """Return the recordsize or volblocksize that the rules propose for ``workload`` (rules/properties.toml)."""
    asked = workload.io_size_bytes
    if workload.volumes:
        least = max(asked or 0, VOLUME_BLOCK_BYTES)
        return min(1 << (least - 1).bit_length(), BASE_RECORD_BYTES)  # OpenZFS takes powers of two
    by_use = _BY_USE.get(workload.preset or "")
    if by_use is not None:
        return by_use
    if asked is None:
        return MIB if workload.goal is Goal.SPEED else BASE_RECORD_BYTES
    if asked > BASE_RECORD_BYTES:
        return MIB if asked >= MIB else MIB // 2
    if asked <= _SMALL[-1] and workload.sequential_percent is not None and workload.sequential_percent < 50:
        return next(size for size in _SMALL if asked <= size)
    return BASE_RECORD_BYTES


def _load(workload: Workload, record: int, version: ZfsVersion) -> PoolLoad:
    # Where nobody said how large requests are, those of designs with other records still compare.
    asked = workload.io_size_bytes or BASE_RECORD_BYTES
    request = None if asked == record else asked
    return PoolLoad(record_bytes=record, request_bytes=request, clients=workload.clients, version=version)


def _record_told(design: Design) -> int | None:
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
    size = block_bytes(Resolver(design).value(dataset, name))
    return size if size and size >= 512 and not size & (size - 1) else None


# How long a scrub takes: every disk reads what is in use on it, parity included.

_ORIGIN = Origin(
    kind=OriginKind.PREDICTED, source=marked("fitted to the thesis, chapter 5.2 (100 TiB on 44 disks in 5 h)")
)


def scrub_hours(
    *,
    allocated_bytes: int,
    disks: int,
    how: RebuildConditions,
    link_bytes_per_second: float | None = None,
    disk_bytes: int | None = None,
) -> Estimate:
    """Return the hours to read ``allocated_bytes`` (ALLOC of `zpool list`; a mirror: all its sides) from ``disks``.

    ``disk_bytes`` is the size of one of them, ``link_bytes_per_second`` the narrowest link between them and the host,
    where it is known.
    """
    ideal = disks * how.rates(disk_bytes)[0]
    typical_rate = ideal * SEQUENTIAL_SHARE
    limit = tell_counted("the read rate of {count} disk", "the read rate of {count} disks", disks)
    if link_bytes_per_second is not None and link_bytes_per_second < typical_rate:
        typical_rate, limit = link_bytes_per_second, tell("the link between disks and host")
    best = ideal if link_bytes_per_second is None else min(ideal, link_bytes_per_second)
    seconds = allocated_bytes / typical_rate / how.free_share
    return Estimate(
        low=allocated_bytes / best / how.free_share / 3600,
        typical=seconds / 3600,
        high=HIGH_FACTOR * seconds / 3600,
        limit=limit,
        origin=_ORIGIN,
    )


def layout_scrub_hours(
    layout: Layout, how: RebuildConditions, *, link_bytes_per_second: float | None = None
) -> Estimate:
    """Return the hours to scrub a pool filled as ``how`` says: its slowest data vdev, or the link for all."""
    # Vdevs are read at the same time and filled evenly, so the largest disk that is read to the end decides.
    data = [spec for spec in layout if spec.vdev_class is VdevClass.DATA]
    disks = sum(spec.width for spec in data)
    deepest, whole = max(
        (most, spec.disk_bytes or most)
        for spec in data
        for most in (max(spec.sizes) if spec.kind is VdevKind.STRIPE else min(spec.sizes),)
    )
    on_each = round(deepest * how.fill_percent / 100)
    return scrub_hours(
        allocated_bytes=on_each * disks,
        disks=disks,
        how=how,
        link_bytes_per_second=link_bytes_per_second,
        disk_bytes=whole,
    )
