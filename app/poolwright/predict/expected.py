"""Everything predicted of a design, and under which assumptions. Pure values; whoever asks keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.vdev import Layout, VdevKind, VdevSpec
from poolwright.predict.circumstances import Circumstances, PoolLoad, circumstances
from poolwright.predict.cost import DEFAULTS, Cost, CostDefaults, exactly, pool_cost
from poolwright.predict.design_rates import Assumptions, host_of, log_rates_of, rates_of
from poolwright.predict.disk_conditions import cost_groups, design_conditions
from poolwright.predict.drives import DriveBook, FailureRate, typed_rate
from poolwright.predict.groups import groups_of, log_vdevs, longest
from poolwright.predict.growth import FillForecast, Growth, forecast
from poolwright.predict.media import DiskRates, HostCaps
from poolwright.predict.outlook import Forecast, Predictions, load_of
from poolwright.predict.rebuild import RebuildConditions, rebuild_hours
from poolwright.predict.reliability import joined, yearly_loss
from poolwright.predict.risk_conditions import MemberConditions, RiskConditions
from poolwright.predict.runs import NO_RUNS
from poolwright.predict.shared_disks import rebuild_of_shared, risk_among, scrub_of, speed_share
from poolwright.predict.space import PoolSpace, predict_space
from poolwright.predict.speed import SpeedPrediction, Typical, predict_groups
from poolwright.rules.layout_facts import PredictedFacts as Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What the pool holds at first: as typed, or what the datasets take, of which ``fixed_bytes`` do not grow.

    ``space`` is that of the datasets; None where an amount was typed for the whole pool.
    """

    used_bytes: int
    fixed_bytes: int = 0
    space: PoolSpace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """Everything predicted of a design.

    ``without_runs`` are its speeds had nobody measured this host (None: nobody did), ``itself`` its speeds were there
    no network. ``cost`` is None where the space is unknown, ``stored`` and ``fill`` where nobody said how much.
    ``host``, ``disks``, ``load`` and ``conditions`` are what it was predicted with; ``model_rate`` is the failure rate
    of the disks before anybody typed another.
    """

    layout: Layout
    predictions: Predictions
    without_runs: SpeedPrediction | None
    itself: SpeedPrediction
    cost: Cost | None
    stored: Stored | None
    fill: FillForecast | None
    host: HostCaps
    disks: DiskRates
    load: PoolLoad
    conditions: RiskConditions
    model_rate: FailureRate

    @property
    def speed(self) -> SpeedPrediction:
        """Return the five speeds and the chain of limits."""
        return self.predictions.speed

    def rebuild_hours(self, spec: VdevSpec) -> float | None:
        """Return the typical hours of a rebuild in a vdev, of several in the slowest; None where nothing is rebuilt."""
        onto_spare = spec.kind is VdevKind.DRAID and spec.draid_spares > 0
        told, unlike = self.conditions, self.conditions.of_data or self.conditions.of_support
        ways = {own.rebuild_of(spec) for one, own in told.by_vdev(self.layout if unlike else (spec,)) if one == spec}
        found = [rebuild_hours(spec, how, onto_spare=onto_spare) for how in ways]
        return max((hours.typical for hours in found if hours is not None), default=None)


def together(pools: Sequence[Expected], *, shared: bool) -> Forecast:
    """Return the typical values of all pools of a design as one, without the network: what wishes are held against.

    Rates add up, unless the pools lie on the same disks (``shared``), where that of the first while the others rest
    counts; there one pool is rebuilt after the other.
    """
    risk = joined([pool.predictions.risk for pool in pools], pools=len(pools))
    rebuilds = [pool.predictions.rebuild for pool in pools]
    known = [rebuild for rebuild in rebuilds if rebuild is not None]
    side_by_side = pools[:1] if shared else pools
    return Forecast(
        speed=Typical(*(sum(getattr(pool.itself, name).typical for pool in side_by_side) for name in Typical._fields)),
        yearly_loss=risk.probability,
        disk_loss=risk.disk_probability,
        floor=pools[0].conditions.causes.floor(1),
        rebuild_hours=longest(known, shared=shared).typical if len(known) == len(rebuilds) else None,
    )


def predictions_for_rules(expected: Expected) -> Facts:
    """Return the typical values in the form in which rules ask for them: what the pool itself can do."""
    return predicted_facts(expected.predictions, expected.itself, expected.fill)


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """A design with what does not depend on any assumption: its space (None where OpenZFS refuses it), its disks' risk.

    ``model`` are the conditions under which its disks fail and are rebuilt, as the drive statistics have them;
    ``among`` are all pools of the machine's design, which may share disks with this one.
    """

    design: Design
    capacity: PoolCapacity | None
    book: DriveBook
    model: RiskConditions
    among: tuple[Design, ...] = ()


def basis_of(design: Design, capacity: PoolCapacity | None, book: DriveBook, among: Sequence[Design] = ()) -> Basis:
    """Return what all predictions of ``design`` have in common; ``among`` are all pools of which it is one."""
    return Basis(
        design=design,
        capacity=capacity,
        book=book,
        model=design_conditions(design, book),
        among=tuple(among) or design.pools(),
    )


def expect(basis: Basis, assumed: Assumptions, *, today: date) -> Expected:
    """Return what is predicted; raises UserError for an unknown size, Refusal for a pool without room."""
    design, capacity, book, model = basis.design, basis.capacity, basis.book, basis.model
    layout = design.layout()
    host, disks, load = host_of(design, assumed), rates_of(design, assumed), load_of(design)
    log = log_rates_of(design)
    around = circumstances(host, disks, log, load, assumed.calibration)
    part, logs = speed_share(design, capacity), len(log_vdevs(layout))
    groups = groups_of(layout if part is None else part.layout)
    conditions = _conditions(model, assumed, load, disks)
    local = circumstances(replace(host, network_bytes_per_second=None), disks, log, load, assumed.calibration)
    risk = risk_among(design, basis.among, conditions)
    stored = stored_of(design, assumed, capacity)
    alone = yearly_loss(layout, conditions)
    rebuilds = [vdev.rebuild for vdev, _ in alone.vdevs if vdev.rebuild is not None]
    slowest = max(rebuilds, key=lambda e: e.typical, default=None)
    shared = rebuild_of_shared(design, conditions)

    def speed(around: Circumstances) -> SpeedPrediction:
        found = predict_groups(groups, around, log_devices=logs)
        return found if part is None else part.of(found)

    without = None
    if assumed.calibration.runs:
        without = speed(circumstances(host, disks, log, load, NO_RUNS))
    return Expected(
        layout=layout,
        predictions=Predictions(
            speed=speed(around),
            risk=risk,
            rebuild=slowest if shared is None else shared,
            scrub=scrub_of(design, conditions),
        ),
        without_runs=without,
        itself=speed(local),
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
    """Return the assumptions on prices and power, those that were entered in the place of the defaults."""
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
    """Return what the disks of the design cost, spares included."""
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
    """Return the growth in per cent a year: entered here, or on the workload page."""
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
        return replace(
            support(rebuild),
            record_bytes=load.record_bytes,
            read_bytes_per_second=told.read_bytes_per_second if told else rebuild.read_bytes_per_second,
            write_bytes_per_second=told.write_bytes_per_second if told else rebuild.write_bytes_per_second,
        )

    return replace(
        model,
        drive=typed or model.drive,
        support_drive=typed or model.support_drive,
        rebuild=data(model.rebuild),
        support_rebuild=support(model.support_rebuild),
        of_data=tuple([MemberConditions(drive=typed or own.drive, rebuild=data(own.rebuild)) for own in model.of_data]),
        of_support=tuple(
            [MemberConditions(drive=typed or own.drive, rebuild=support(own.rebuild)) for own in model.of_support]
        ),
        replace_hours=assumed.replace_hours,
        correlation=model.correlation if assumed.correlation is None else assumed.correlation,
        read_errors_per_bit=assumed.read_errors_per_bit,
    )


# Predictions in the form in which the rules ask for them.


def predicted_facts(predictions: Predictions, itself: SpeedPrediction, fill: FillForecast | None = None) -> Facts:
    """Return the typical values; ``itself`` are the speeds of the pool without the network, which rules compare with.

    ``fill`` is None where nobody said how much is stored and how it grows.
    """
    years = None if fill is None or fill.years is None else fill.years.typical
    return Facts(
        seq_read_bytes_per_second=round(itself.seq_read.typical),
        seq_write_bytes_per_second=round(itself.seq_write.typical),
        rand_read_iops=round(itself.rand_read_iops.typical),
        rand_write_iops=round(itself.rand_write_iops.typical),
        sync_write_iops=round(itself.sync_write_iops.typical),
        yearly_loss_percent=100 * predictions.risk.probability,
        scrub_hours=predictions.scrub.typical,
        years_until_full=0.0 if fill is not None and fill.reached else years,
    )
