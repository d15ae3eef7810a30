"""All numbers that are predicted of a design: one value for search, page, comparison, growth and reports."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.steps import Estimate
from poolwright.domain.vdev import Layout, VdevKind, VdevSpec
from poolwright.predict.assumptions import (
    Assumptions,
    PoolLoad,
    circumstances,
    host_of,
    load_of,
    log_rates_of,
    rates_of,
)
from poolwright.predict.cost import DEFAULTS, Cost, CostDefaults, cost_groups, exactly, pool_cost
from poolwright.predict.drives import DriveBook, FailureRate, typed_rate
from poolwright.predict.groups import groups_of, log_vdevs
from poolwright.predict.media import DiskRates, HostCaps
from poolwright.predict.rebuild import RebuildConditions, rebuild_hours
from poolwright.predict.reliability import Risk, yearly_loss
from poolwright.predict.risk_conditions import RiskConditions, design_conditions
from poolwright.predict.runs import NO_RUNS, Calibration
from poolwright.predict.shared_disks import rebuild_of_shared, risk_among, scaled, scrub_of, speed_share
from poolwright.predict.space import FillForecast, Growth, PoolSpace, forecast, predict_space
from poolwright.predict.speed import SpeedPrediction, predict_groups
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
    rests_on = speed_share(design, capacity)
    groups, logs = groups_of(layout if rests_on is None else rests_on[0]), len(log_vdevs(layout))

    def speed(host: HostCaps, runs: Calibration) -> SpeedPrediction:
        found = predict_groups(groups, circumstances(host, disks, log, load, runs), log_devices=logs)
        return found if rests_on is None else scaled(found, rests_on[1])

    risk = risk_among(design, tuple(among) or design.pools(), conditions)
    stored = stored_of(design, assumed, capacity)
    return Assessment(
        layout=layout,
        speed=speed(host, runs),
        itself=speed(replace(host, network_bytes_per_second=None), runs),
        without_runs=speed(host, NO_RUNS) if runs.runs else None,
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
