"""All numbers that are predicted of a design: one value for search, page, comparison, growth and reports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import ceil
from typing import TYPE_CHECKING, Any

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate
from poolwright.domain.host import Host
from poolwright.domain.outage import single_points
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Workload
from poolwright.predict.assumptions import (
    DEFAULT_LOG,
    Assumptions,
    PoolLoad,
    SpeedInputs,
    host_of,
    load_for,
    load_of,
    log_rates_of,
    rates_of,
    rates_of_disks,
    speed_inputs,
)
from poolwright.predict.cost import Cost, cost_groups, pool_cost
from poolwright.predict.drives import DriveBook, FailureRate, typed_rate
from poolwright.predict.groups import any_loss, groups_of, log_vdevs, longest, times
from poolwright.predict.measured_runs import NO_RUNS, Metric
from poolwright.predict.media import DiskRates, HostCaps, host_caps
from poolwright.predict.rebuild import MOST_LOAD_PERCENT, layout_scrub_hours, rebuild_hours
from poolwright.predict.reliability import Risk, joined, yearly_loss
from poolwright.predict.risk_conditions import (
    MemberConditions,
    RiskConditions,
    design_conditions,
    mean_rate,
    rebuild_conditions,
)
from poolwright.predict.speed import SpeedPrediction, Typical, predict_groups, typical_speed
from poolwright.texts import _

if TYPE_CHECKING:
    from poolwright.predict.degraded import Losses
    from poolwright.predict.space import FillForecast, PoolSpace, Promises


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What the pool holds at first: as typed or read, or what the datasets take, of which ``fixed_bytes`` do not grow.

    ``space`` is that of the datasets; None where the amount is that of the whole pool.
    """

    used_bytes: int
    fixed_bytes: int = 0
    space: "PoolSpace | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Everything predicted of one pool.

    ``itself`` are its speeds were there no network, ``without_runs`` had nobody measured this host (None: nobody did).
    ``rebuild`` is None where nothing can be rebuilt, ``cost`` where the space is unknown or the layout has no disks
    yet, ``stored`` and ``fill`` where nobody said how much, ``promises`` where no dataset has a size or a limit.
    ``host``, ``disks``, ``load`` and ``conditions`` are what it was predicted with; ``model_rate`` is the failure rate
    of the disks before anybody typed another.
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
    fill: "FillForecast | None" = None
    promises: "Promises | None" = None

    def rebuild_hours(self, spec: VdevSpec) -> float | None:
        """Return the typical hours of a rebuild in a vdev, of several in the slowest; None where nothing is rebuilt."""
        found = [vdev.repairs.rebuild for vdev, __ in self.risk.vdevs if vdev.spec == spec]
        return max((hours.typical for hours in found if hours is not None), default=None)

    def degraded_losses(self) -> "Losses":
        """Return what the pool itself loses of its rates with a disk out, and in its resilver."""
        from poolwright.predict.degraded import degraded_losses  # noqa: PLC0415 - no search asks for it

        host = replace(self.host, network_bytes_per_second=None)
        return degraded_losses(self.layout, speed_inputs(host, self.disks, DEFAULT_LOG, self.load, NO_RUNS))

    def facts_for_rules(self) -> dict[str, float | None]:
        """Return the typical values as rules ask for them: speeds without the network, which they compare with."""
        fill = self.fill
        years = None if fill is None else fill.years
        return {
            "pool.seq_read_bytes_per_second": round(self.itself.seq_read.typical),
            "pool.yearly_loss_percent": 100 * self.risk.probability,
            "pool.scrub_hours": self.scrub.typical,
            "pool.years_until_full": 0.0 if fill is not None and fill.reached else years,
            **({} if self.promises is None else self.promises.facts()),
        }


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
    space = _space_of(design, capacity) if stored is None or stored.space is None else stored.space
    scrubs = [layout_scrub_hours(_specs(design, part), conditions.rebuild) for part in _segments(design)]
    return Assessment(
        layout=layout,
        speed=speed(speed_inputs(host, disks, log, load, runs)),
        itself=speed(speed_inputs(network_free, disks, log, load, runs)),
        without_runs=speed(speed_inputs(host, disks, log, load, NO_RUNS)) if runs.runs else None,
        risk=risk,
        rebuild=rebuild_of_shared(design, conditions) or yearly_loss(layout, conditions).slowest_rebuild,
        scrub=longest(scrubs, shared=True),
        cost=None if capacity is None else cost_of(design, assumed, book, usable_bytes=capacity.available_bytes),
        stored=stored,
        fill=None if capacity is None else _fill(design, assumed, stored, capacity.available_bytes, today),
        promises=None if space is None else space.promises,
        host=host,
        disks=disks,
        load=load,
        conditions=conditions,
        model_rate=model.drive,
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
    return pool_cost(groups, usable_bytes=usable_bytes, assumed=assumed, currency=budget.reckoned_in)


def growth_of(design: Design, assumed: Assumptions) -> float | None:
    return design.workload.growth_percent if assumed.growth_percent is None else assumed.growth_percent


def stored_of(design: Design, assumed: Assumptions, capacity: PoolCapacity | None) -> Stored | None:
    """Return what is stored at first: entered for the whole pool, else as it was read, else of its datasets.

    None where nobody said anything, or where a dataset has a property that makes no sense.
    """
    known = design.in_use_bytes if assumed.used_bytes is None else assumed.used_bytes
    if known is not None:
        return Stored(used_bytes=known)
    sized = any(dataset.logical_bytes is not None or dataset.volume_bytes is not None for dataset in design.datasets)
    space = _space_of(design, capacity) if sized else None
    if space is None:
        return None
    used = round(space.normal.typical)
    return Stored(used_bytes=used, fixed_bytes=min(space.fixed_bytes, used), space=space)


def _space_of(design: Design, capacity: PoolCapacity | None) -> "PoolSpace | None":
    if capacity is None or not design.datasets:
        return None
    from poolwright.predict.space import predict_space  # noqa: PLC0415 - of designs with something in their datasets

    try:
        return predict_space(design, capacity)
    except UserError:  # the datasets page says which
        return None


def _fill(
    design: Design, assumed: Assumptions, stored: Stored | None, available: int, today: date
) -> "FillForecast | None":
    percent = growth_of(design, assumed)
    if percent is None or stored is None or available <= 0:
        return None
    from poolwright.predict.space import forecast  # noqa: PLC0415 - as above

    if stored.space is not None:
        return stored.space.full_at(percent, today)
    return forecast(used_bytes=stored.used_bytes, available_bytes=available, growth=percent, today=today)


def _conditions(model: RiskConditions, assumed: Assumptions, load: PoolLoad, disks: DiskRates) -> RiskConditions:
    typed = None if assumed.afr_percent is None else typed_rate(assumed.afr_percent)
    support: dict[str, Any] = {"fill_percent": assumed.fill_percent, "load_percent": float(assumed.load_percent)}
    data = {**support, "record_bytes": load.record_bytes}
    if assumed.disk_read is not None or assumed.disk_write is not None:
        data["read_bytes_per_second"] = disks.read_bytes_per_second
        data["write_bytes_per_second"] = disks.write_bytes_per_second
    of_data, of_support = (
        tuple([replace(o, drive=typed or o.drive, rebuild=replace(o.rebuild, **said)) for o in members])
        for members, said in ((model.of_data, data), (model.of_support, support))
    )
    return replace(
        model,
        drive=typed or model.drive,
        support_drive=typed or model.support_drive,
        rebuild=replace(model.rebuild, **data),
        support_rebuild=replace(model.support_rebuild, **support),
        of_data=of_data,
        of_support=of_support,
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

    ``inputs`` has the host's network as a limit, ``pool_side`` has not: a ranking by it would see all layouts as equal.
    """

    inputs: SpeedInputs
    pool_side: SpeedInputs
    risk: RiskConditions

    def itself(self, layout: Layout) -> SpeedPrediction:
        return predict_groups(groups_of(layout), self.pool_side, log_devices=len(log_vdevs(layout)))

    def of_stripes(self, disks: int) -> Typical:
        spec = VdevSpec(kind=VdevKind.STRIPE, sizes=(1,) * max(1, disks))
        return typical_speed(groups_of((spec,)), self.pool_side)

    def assess(self, layout: Layout) -> Assessment:
        risk = yearly_loss(layout, self.risk)
        return Assessment(
            layout=layout,
            speed=predict_groups(groups_of(layout), self.inputs, log_devices=len(log_vdevs(layout))),
            itself=self.itself(layout),
            risk=risk,
            rebuild=risk.slowest_rebuild,
            scrub=layout_scrub_hours(layout, self.risk.rebuild),
            host=self.inputs.host,
            disks=self.inputs.disks,
            load=self.inputs.load,
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
        inputs=speed_inputs(caps, rates, DEFAULT_LOG, load, NO_RUNS),
        pool_side=speed_inputs(without_network, rates, DEFAULT_LOG, load, NO_RUNS),
        risk=risk_for(disks, workload=workload, drives=drives, ashift=ashift, version=version),
    )


def risk_for(
    disks: Sequence[Disk], *, workload: Workload, drives: DriveBook, ashift: int, version: ZfsVersion = DEFAULT_VERSION
) -> RiskConditions:
    rebuild = rebuild_conditions(disks, ashift=ashift, version=version)
    rebuild = replace(rebuild, record_bytes=load_for(workload, version).record_bytes)
    return RiskConditions(drive=mean_rate(disks, drives), rebuild=rebuild, causes=drives.causes)


# Risk, rebuild, scrub and speed where vdevs share disks by partitions: a disk that fails is rebuilt slice by slice.


def busy_percent(own_hours: float, all_hours: float) -> int:
    """Return how busy a disk is with its other slices while one is rebuilt, in tens of per cent."""
    return min(MOST_LOAD_PERCENT, ceil(10 * (1 - own_hours / all_hours)) * 10) if own_hours else 0


def risk_among(design: Design, among: Sequence[Design], conditions: RiskConditions) -> Risk:
    """Return the risk of the pool ``design``, which is one of ``among``, all the pools of its machine's design.

    Raises Refusal when it has no data vdev, UserError for an unknown size.
    """
    layout, own = design.layout(), _segments(design)
    units = [str(unit) for unit in single_points(design.vdevs, design.disks)]
    others = [part for pool in among if pool.vdevs is not design.vdevs for part in _segments(pool)]
    keys = [key for part in (*own, *others) for key in {member.disk_key for vdev in part for member in vdev.members}]
    if len(keys) == len(set(keys)):  # no disk serves two parts
        return yearly_loss(layout, conditions).with_units(units)
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
        # The slices of one disk are rebuilt in turn: each finds it busy with the others' share of the time.
        busy = by.busy(max(conditions.rebuild.load_percent, busy_percent(alone, total)))
        risks.append(yearly_loss((*_specs(design, part), *(spares if number else rest)), busy))
    return joined(risks).with_units(units)


def _own_conditions(design: Design, part: Sequence[Vdev], conditions: RiskConditions) -> RiskConditions:
    if not conditions.of_data:
        return conditions
    known, own = iter(conditions.of_data), {id(vdev) for vdev in part}
    found: list[MemberConditions] = []
    for vdev in design.vdevs:
        if vdev.vdev_class is VdevClass.DATA:
            tops = [next(known) for __ in (vdev.members if vdev.kind is VdevKind.STRIPE else (vdev,))]
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


def speeds_of(design: Design, capacity: PoolCapacity | None) -> Callable[[SpeedInputs], SpeedPrediction]:
    """Return what tells the speed of a pool; ``capacity`` is None where OpenZFS refuses it. Raises as `groups_of`."""
    rests_on, layout = speed_share(design, capacity), design.layout()
    groups, logs = groups_of(layout if rests_on is None else rests_on[0]), len(log_vdevs(layout))

    def speed(inputs: SpeedInputs) -> SpeedPrediction:
        found = predict_groups(groups, inputs, log_devices=logs)
        return found if rests_on is None else scaled(found, rests_on[1])

    return speed


def speed_share(design: Design, capacity: PoolCapacity | None) -> tuple[Layout, float] | None:
    """Return of which layout a pool of partitions that share disks has which share of the rates; else None."""
    # Data spread over vdevs by their space. The busiest disk moves all its slices in the time in which those of the
    # first vdevs alone would move one, while the pool takes the data of all.
    parts = _segments(design)
    if len(parts) < 2 or capacity is None:
        return None
    each = [
        v.capacity.usable_bytes for v in capacity.vdevs if v.top.vdev_class is VdevClass.DATA for __ in range(v.count)
    ]
    usable = iter(each)
    space = [
        sum(next(usable) for vdev in part for __ in (vdev.members if vdev.kind is VdevKind.STRIPE else (vdev,)))
        for part in parts
    ]
    # One head serves all slices of its disk, so parts do not add up as vdevs do.
    depth = [design.spec(part[0]).sizes[0] for part in parts]
    kept = {id(vdev) for part in parts[1:] for vdev in part}
    layout = tuple(design.spec(vdev) for vdev in design.vdevs if id(vdev) not in kept)
    return layout, share_of_first(space, depth)


def share_of_first(space: Sequence[int], depth: Sequence[int]) -> float:
    """Return how much of the rate of the first of several parts a pool has: of their space and the bytes of a slice."""
    return sum(space) / space[0] * depth[0] / sum(depth)


def scaled(speed: SpeedPrediction, share: float) -> SpeedPrediction:
    def less(estimate: Estimate) -> Estimate:
        return replace(times(estimate, share), limit=_("one disk serves several vdevs"))

    rates: dict[str, Any] = {metric.value: less(speed.of(metric)) for metric in Metric}
    return replace(speed, **rates)
