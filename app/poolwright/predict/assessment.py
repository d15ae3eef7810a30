"""All numbers that are predicted of a design: one value for search, page, comparison, growth and reports."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate
from poolwright.domain.host import Host
from poolwright.domain.vdev import Layout, VdevKind, VdevSpec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Workload
from poolwright.predict.assumptions import (
    DEFAULT_LOG,
    Assumptions,
    Circumstances,
    PoolLoad,
    circumstances,
    host_of,
    load_for,
    load_of,
    log_rates_of,
    rates_of,
    rates_of_disks,
)
from poolwright.predict.cost import DEFAULTS, Cost, CostDefaults, cost_groups, exactly, pool_cost
from poolwright.predict.drives import DriveBook, FailureRate, typed_rate
from poolwright.predict.groups import any_loss, groups_of, log_vdevs, longest
from poolwright.predict.media import DiskRates, HostCaps, host_caps
from poolwright.predict.rebuild import RebuildConditions, layout_scrub_hours, rebuild_hours
from poolwright.predict.reliability import Risk, joined, yearly_loss
from poolwright.predict.risk_conditions import RiskConditions, design_conditions, mean_rate, rebuild_conditions
from poolwright.predict.runs import NO_RUNS, Calibration
from poolwright.predict.shared_disks import rebuild_of_shared, risk_among, scrub_of, speeds_of
from poolwright.predict.space import FillForecast, Growth, PoolSpace, forecast, predict_space
from poolwright.predict.speed import SpeedPrediction, Typical, predict_groups, typical_speed
from poolwright.rules.layout_facts import PredictedFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What the pool holds at first: as typed, or what the datasets take, of which ``fixed_bytes`` do not grow.

    ``space`` is that of the datasets; None where an amount was typed for the whole pool.
    """

    used_bytes: int
    fixed_bytes: int = 0
    space: PoolSpace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Everything predicted of one pool.

    ``itself`` are its speeds were there no network, ``without_runs`` had nobody measured this host (None: nobody did).
    ``rebuild`` is None where nothing can be rebuilt, ``cost`` where the space is unknown or the layout has no disks
    yet, ``stored`` and ``fill`` where nobody said how much. ``host``, ``disks``, ``load`` and ``conditions`` are what
    it was predicted with; ``model_rate`` is the failure rate of the disks before anybody typed another.
    """

    layout: Layout
    speed: SpeedPrediction
    itself: SpeedPrediction
    risk: Risk
    rebuild: Estimate | None
    scrub: Estimate
    host: HostCaps
    disks: DiskRates
    load: PoolLoad
    conditions: RiskConditions
    model_rate: FailureRate
    without_runs: SpeedPrediction | None = None
    cost: Cost | None = None
    stored: Stored | None = None
    fill: FillForecast | None = None

    def rebuild_hours(self, spec: VdevSpec) -> float | None:
        """Return the typical hours of a rebuild in a vdev, of several in the slowest; None where nothing is rebuilt."""
        onto_spare = spec.kind is VdevKind.DRAID and spec.draid_spares > 0
        told, unlike = self.conditions, self.conditions.of_data or self.conditions.of_support
        ways = {own.rebuild_of(spec) for one, own in told.by_vdev(self.layout if unlike else (spec,)) if one == spec}
        found = [rebuild_hours(spec, how, onto_spare=onto_spare) for how in ways]
        return max((hours.typical for hours in found if hours is not None), default=None)

    def facts_for_rules(self) -> PredictedFacts:
        """Return the typical values as rules ask for them: speeds without the network, which they compare with."""
        fill, itself = self.fill, self.itself
        years = None if fill is None or fill.years is None else fill.years.typical
        return PredictedFacts(
            seq_read_bytes_per_second=round(itself.seq_read.typical),
            seq_write_bytes_per_second=round(itself.seq_write.typical),
            rand_read_iops=round(itself.rand_read_iops.typical),
            rand_write_iops=round(itself.rand_write_iops.typical),
            sync_write_iops=round(itself.sync_write_iops.typical),
            yearly_loss_percent=100 * self.risk.probability,
            scrub_hours=self.scrub.typical,
            years_until_full=0.0 if fill is not None and fill.reached else years,
        )


def assess(
    design: Design,
    capacity: PoolCapacity | None,
    book: DriveBook,
    assumed: Assumptions,
    *,
    today: date,
    among: Sequence[Design] = (),
    model: RiskConditions | None = None,
) -> Assessment:
    """Return what is predicted; raises UserError for an unknown size, Refusal for a pool without room.

    ``capacity`` is None where OpenZFS refuses the pool; ``among`` are all pools of the machine's design, which may
    share disks with it. ``model`` are its `design_conditions`, where they are at hand: no assumption changes them.
    """
    model = model or design_conditions(design, book)
    layout, host, disks, load = design.layout(), host_of(design, assumed), rates_of(design, assumed), load_of(design)
    conditions = _conditions(model, assumed, load, disks)
    log, runs = log_rates_of(design), assumed.calibration
    speed, network_free = speeds_of(design, capacity), replace(host, network_bytes_per_second=None)
    risk = risk_among(design, tuple(among) or design.pools(), conditions)
    stored = stored_of(design, assumed, capacity)
    return Assessment(
        layout=layout,
        speed=speed(circumstances(host, disks, log, load, runs)),
        itself=speed(circumstances(network_free, disks, log, load, runs)),
        without_runs=speed(circumstances(host, disks, log, load, NO_RUNS)) if runs.runs else None,
        risk=risk,
        rebuild=rebuild_of_shared(design, conditions) or yearly_loss(layout, conditions).slowest_rebuild,
        scrub=scrub_of(design, conditions),
        cost=None if capacity is None else cost_of(design, assumed, book, usable_bytes=capacity.available_bytes),
        stored=stored,
        fill=None if capacity is None else _fill(design, assumed, stored, capacity.available_bytes, today),
        host=host,
        disks=disks,
        load=load,
        conditions=conditions,
        model_rate=model.drive,
    )


def cost_defaults(assumed: Assumptions) -> CostDefaults:
    entered = any(v is not None for v in (assumed.watts, assumed.kwh_price, assumed.years, assumed.cooling_factor))
    return CostDefaults(
        date=assumed.cost_date if entered and assumed.cost_date else DEFAULTS.date,
        years=DEFAULTS.years if assumed.years is None else assumed.years,
        kwh_price=DEFAULTS.kwh_price if assumed.kwh_price is None else exactly(float(assumed.kwh_price.amount)),
        kwh_currency=None if assumed.kwh_price is None else assumed.kwh_price.currency,
        kwh_typed=assumed.kwh_price is not None,
        watts=None if assumed.watts is None else exactly(assumed.watts),
        cooling_factor=DEFAULTS.cooling_factor if assumed.cooling_factor is None else assumed.cooling_factor,
    )


def cost_of(design: Design, assumed: Assumptions, book: DriveBook, *, usable_bytes: int) -> Cost:
    budget = design.budget
    typed = budget.price_per_disk if assumed.price is None else assumed.price
    said_on = budget.price_on if assumed.price is None else assumed.cost_date or ""
    disks = [design.disk(key) for key in sorted(design.used_keys())]
    groups = cost_groups(disks, book, price_per_disk=typed, price_on=said_on)
    if assumed.afr_percent is not None:
        rate = typed_rate(assumed.afr_percent)
        groups = tuple(replace(group, drive=rate) for group in groups)
    return pool_cost(groups, usable_bytes=usable_bytes, defaults=cost_defaults(assumed), currency=budget.reckoned_in)


def growth_of(design: Design, assumed: Assumptions) -> float | None:
    return design.workload.growth_percent if assumed.growth_percent is None else assumed.growth_percent


def stored_of(design: Design, assumed: Assumptions, capacity: PoolCapacity | None) -> Stored | None:
    """Return what is stored at first: entered for the whole pool, else what is said of its datasets.

    None where nobody said anything, or where a dataset has a property that makes no sense.
    """
    if assumed.used_bytes is not None:
        return Stored(used_bytes=assumed.used_bytes)
    told = any(dataset.logical_bytes is not None or dataset.volume_bytes is not None for dataset in design.datasets)
    if capacity is None or not told:
        return None
    try:
        space = predict_space(design, capacity)
    except UserError:  # the datasets page says which
        return None
    used = round(space.normal.typical)
    return Stored(used_bytes=used, fixed_bytes=min(space.fixed_bytes, used), space=space)


def _fill(
    design: Design, assumed: Assumptions, stored: Stored | None, available: int, today: date
) -> FillForecast | None:
    """Return when the pool is 80 % full; None until growth and a start are known, or where there is no space."""
    percent = growth_of(design, assumed)
    if percent is None or stored is None or available <= 0:
        return None
    growth = Growth(percent=percent)
    if stored.space is not None:
        return stored.space.full_at(growth, today)
    return forecast(used_bytes=stored.used_bytes, available_bytes=available, growth=growth, today=today)


def _conditions(model: RiskConditions, assumed: Assumptions, load: PoolLoad, disks: DiskRates) -> RiskConditions:
    told = disks if assumed.disk_read is not None or assumed.disk_write is not None else None
    typed = None if assumed.afr_percent is None else typed_rate(assumed.afr_percent)

    def support(rebuild: RebuildConditions) -> RebuildConditions:
        return replace(rebuild, fill_percent=assumed.fill_percent, load_percent=float(assumed.load_percent))

    def data(rebuild: RebuildConditions) -> RebuildConditions:
        found = replace(support(rebuild), record_bytes=load.record_bytes)
        if told is None:
            return found
        read, write = told.read_bytes_per_second, told.write_bytes_per_second
        return replace(found, read_bytes_per_second=read, write_bytes_per_second=write)

    return replace(
        model,
        drive=typed or model.drive,
        support_drive=typed or model.support_drive,
        rebuild=data(model.rebuild),
        support_rebuild=support(model.support_rebuild),
        of_data=tuple([replace(o, drive=typed or o.drive, rebuild=data(o.rebuild)) for o in model.of_data]),
        of_support=tuple([replace(o, drive=typed or o.drive, rebuild=support(o.rebuild)) for o in model.of_support]),
        replace_hours=assumed.replace_hours,
        correlation=model.correlation if assumed.correlation is None else assumed.correlation,
        read_errors_per_bit=assumed.read_errors_per_bit,
    )


# What a ranking needs of thousands of layouts of the same disks: typical values without bands.


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


def together(pools: Sequence[Assessment], *, shared: bool) -> Forecast:
    """Return the typical values of all pools of a design as one, without the network: what wishes are held against.

    Rates add up, unless the pools lie on the same disks (``shared``), where that of the first while the others rest
    counts; there one pool is rebuilt after the other.
    """
    risk = joined([pool.risk for pool in pools], pools=len(pools))
    known = [pool.rebuild for pool in pools if pool.rebuild is not None]
    side_by_side = pools[:1] if shared else pools
    return Forecast(
        speed=Typical(*(sum(getattr(pool.itself, name).typical for pool in side_by_side) for name in Typical._fields)),
        yearly_loss=risk.probability,
        disk_loss=risk.disk_probability,
        floor=pools[0].conditions.causes.floor(1),
        rebuild_hours=longest(known, shared=shared).typical if len(known) == len(pools) else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What predictions rest on beside the layout: host, kind of disk, load, failure rates.

    ``around`` has the host's network as a limit, ``pool_side`` has not: a ranking by it would see all layouts as equal.
    """

    around: Circumstances
    pool_side: Circumstances
    risk: RiskConditions

    @property
    def floor(self) -> float:
        return self.risk.causes.floor(1)

    def itself(self, layout: Layout) -> SpeedPrediction:
        return predict_groups(groups_of(layout), self.pool_side, log_devices=len(log_vdevs(layout)))

    def of_stripes(self, disks: int) -> Typical:
        """Return what so many of the disks without redundancy are expected to give on this host, network aside."""
        spec = VdevSpec(kind=VdevKind.STRIPE, sizes=(1,) * max(1, disks))
        return typical_speed(groups_of((spec,)), self.pool_side)

    def assess(self, layout: Layout) -> Assessment:
        risk = yearly_loss(layout, self.risk)
        return Assessment(
            layout=layout,
            speed=predict_groups(groups_of(layout), self.around, log_devices=len(log_vdevs(layout))),
            itself=self.itself(layout),
            risk=risk,
            rebuild=risk.slowest_rebuild,
            scrub=layout_scrub_hours(layout, self.risk.rebuild),
            host=self.around.host,
            disks=self.around.disks,
            load=self.around.load,
            conditions=self.risk,
            model_rate=self.risk.drive,
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
