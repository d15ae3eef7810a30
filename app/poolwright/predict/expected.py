"""Everything predicted of a design, and under which assumptions. Pure values; whoever asks keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import ceil

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Design, Vdev
from poolwright.domain.errors import UserError
from poolwright.domain.outage import taking_units
from poolwright.domain.steps import Estimate
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.predict.assumptions import (
    Assumptions,
    Circumstances,
    PoolLoad,
    circumstances,
    host_of,
    log_rates_of,
    rates_of,
)
from poolwright.predict.cost import DEFAULTS, Cost, CostDefaults, cost_groups, exactly, pool_cost
from poolwright.predict.drives import DriveBook, FailureRate, typed_rate
from poolwright.predict.groups import groups_of, log_vdevs, longest, times
from poolwright.predict.media import DiskRates, HostCaps
from poolwright.predict.outlook import Forecast, Predictions, layout_scrub_hours, load_of
from poolwright.predict.rebuild import MOST_LOAD_PERCENT, RebuildConditions, rebuild_hours
from poolwright.predict.reliability import Risk, joined, yearly_loss
from poolwright.predict.risk_conditions import MemberConditions, RiskConditions, design_conditions
from poolwright.predict.runs import NO_RUNS
from poolwright.predict.space import FillForecast, Growth, PoolSpace, forecast, predict_space
from poolwright.predict.speed import SpeedPrediction, Typical, predict_groups
from poolwright.rules.layout_facts import PredictedFacts as Facts
from poolwright.texts import tell


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
    model, pools = design_conditions(design, book), tuple(among) or design.pools()
    return Basis(design=design, capacity=capacity, book=book, model=model, among=pools)


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


# Risk, rebuild, scrub and speed where vdevs share disks by partitions: a disk that fails is rebuilt slice by slice.


def busy_percent(own_hours: float, all_hours: float) -> int:
    """Return how busy a disk is with its other slices while one is rebuilt, in tens of per cent."""
    return min(MOST_LOAD_PERCENT, ceil(10 * (1 - own_hours / all_hours)) * 10) if own_hours else 0


def risk_among(design: Design, among: Sequence[Design], conditions: RiskConditions) -> Risk:
    """Return the risk of the pool ``design``, which is one of ``among``, all the pools of its machine's design.

    Raises Refusal when it has no data vdev, UserError for an unknown size.
    """
    units = taking_units(design.vdevs, design.disks)
    return _risk_of_disks(design, among, conditions).with_units(str(unit) for unit in units)


def _risk_of_disks(design: Design, among: Sequence[Design], conditions: RiskConditions) -> Risk:
    layout = design.layout()
    own = _segments(design)
    others = [part for pool in among if pool.vdevs is not design.vdevs for part in _segments(pool)]
    if not _share_disks([*own, *others]):
        return yearly_loss(layout, conditions)
    alike = replace(conditions, of_data=(), of_support=())
    conditions_of = [_own_conditions(design, part, conditions) for part in own]
    hours = [_slowest(_specs(design, part), by) for part, by in zip(own, conditions_of, strict=True)]
    total = sum(hours) + sum(
        _slowest(_specs(pool, part), alike)
        for pool in among
        if pool.vdevs is not design.vdevs
        for part in _segments(pool)
    )
    rest = [spec for spec in layout if spec.vdev_class is not VdevClass.DATA]
    spares = [spec for spec in rest if spec.vdev_class is VdevClass.SPARE]
    risks = []
    for number, (part, alone, by) in enumerate(zip(own, hours, conditions_of, strict=True)):
        busy = by.busy(max(conditions.rebuild.load_percent, busy_percent(alone, total)))
        risks.append(yearly_loss((*_specs(design, part), *(spares if number else rest)), busy))
    return joined(risks)


def _own_conditions(design: Design, part: Sequence[Vdev], conditions: RiskConditions) -> RiskConditions:
    if not conditions.of_data:
        return conditions
    known, own = iter(conditions.of_data), {id(vdev) for vdev in part}
    found: list[MemberConditions] = []
    for vdev in design.vdevs:
        if vdev.vdev_class is VdevClass.DATA:
            tops = [next(known) for _ in (vdev.members if vdev.kind is VdevKind.STRIPE else (vdev,))]
            found += tops if id(vdev) in own else ()
    return replace(conditions, of_data=tuple(found))


def _specs(design: Design, part: Sequence[Vdev]) -> Layout:
    return tuple(design.spec(vdev) for vdev in part)


def _segments(pool: Design) -> list[list[Vdev]]:
    """Return the data vdevs in the order of the pool, in parts in each of which a disk has one slice at most."""
    parts: list[list[Vdev]] = []
    seen: set[str] = set()
    for vdev in pool.vdevs:
        if vdev.vdev_class is not VdevClass.DATA:
            continue
        keys = {member.disk_key for member in vdev.members}
        if not parts or seen & keys:
            parts.append([])
            seen = set()
        parts[-1].append(vdev)
        seen |= keys
    return parts


def _share_disks(parts: Sequence[Sequence[Vdev]]) -> bool:
    keys = [key for part in parts for key in {member.disk_key for vdev in part for member in vdev.members}]
    return len(keys) > len(set(keys))


def _slowest(specs: Layout, conditions: RiskConditions) -> float:
    found = _rebuild(specs, conditions)
    return 0.0 if found is None else found.typical


def _rebuild(specs: Layout, conditions: RiskConditions) -> Estimate | None:
    found = [
        rebuild_hours(spec, own.rebuild, onto_spare=spec.kind is VdevKind.DRAID and spec.draid_spares > 0)
        for spec, own in conditions.by_vdev(specs)
    ]
    return max((hours for hours in found if hours is not None), key=lambda hours: hours.typical, default=None)


def rebuild_of_shared(design: Design, conditions: RiskConditions) -> Estimate | None:
    """Return the hours in which a disk is rebuilt for all the vdevs of a pool that have a slice of it, one by one.

    None where the pool's vdevs share no disks, or one of them has nothing to rebuild from.
    """
    parts = _segments(design)
    if len(parts) < 2:
        return None
    hours = [_rebuild(_specs(design, part), _own_conditions(design, part, conditions)) for part in parts]
    known = [estimate for estimate in hours if estimate is not None]
    return longest(known, shared=True) if len(known) == len(hours) else None


def scrub_of(design: Design, conditions: RiskConditions) -> Estimate:
    """Return the hours to scrub a pool: a disk that serves several vdevs is read for one after the other."""
    parts = [_specs(design, part) for part in _segments(design)]
    return longest([layout_scrub_hours(part, conditions.rebuild) for part in parts], shared=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedShare:
    """What the speed of a pool rests on whose vdevs share disks: ``layout``, ``share`` of whose rates it has."""

    layout: Layout
    share: float

    def of(self, speed: SpeedPrediction) -> SpeedPrediction:
        return scaled(speed, self.share)


def speed_share(design: Design, capacity: PoolCapacity | None) -> SpeedShare | None:
    """Return what the speed of a pool rests on whose data vdevs share disks by partitions; None for any other pool."""
    # Data spread over vdevs by their space. The busiest disk moves all its slices in the time in which those of the
    # first vdevs alone would move one, while the pool takes the data of all.
    parts = _segments(design)
    if len(parts) < 2 or capacity is None:
        return None
    each = [
        v.capacity.usable_bytes for v in capacity.vdevs if v.top.vdev_class is VdevClass.DATA for _ in range(v.count)
    ]
    usable = iter(each)
    space = [
        sum(next(usable) for vdev in part for _ in (vdev.members if vdev.kind is VdevKind.STRIPE else (vdev,)))
        for part in parts
    ]
    depth = [design.spec(part[0]).sizes[0] for part in parts]
    kept = {id(vdev) for part in parts[1:] for vdev in part}
    layout = tuple(design.spec(vdev) for vdev in design.vdevs if id(vdev) not in kept)
    return SpeedShare(layout=layout, share=share_of_first(space, depth))


def share_of_first(space: Sequence[int], depth: Sequence[int]) -> float:
    """Return how much of the rate of the first of several parts a pool has: of their space and the bytes of a slice."""
    return sum(space) / space[0] * depth[0] / sum(depth)


def scaled(speed: SpeedPrediction, share: float) -> SpeedPrediction:

    def less(estimate: Estimate) -> Estimate:
        return replace(times(estimate, share), limit=tell("one disk serves several vdevs"))

    return replace(
        speed,
        seq_read=less(speed.seq_read),
        seq_write=less(speed.seq_write),
        rand_read_iops=less(speed.rand_read_iops),
        rand_write_iops=less(speed.rand_write_iops),
        sync_write_iops=less(speed.sync_write_iops),
    )
