"""Risk, rebuild, scrub and speed where vdevs share disks by partitions: a disk that fails is rebuilt slice by slice."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Design, Vdev
from poolwright.domain.estimate import Estimate
from poolwright.domain.outage import taking_units
from poolwright.domain.vdev import Layout, VdevClass, VdevKind
from poolwright.predict.assumptions import Circumstances
from poolwright.predict.groups import groups_of, log_vdevs, longest, times
from poolwright.predict.rebuild import MOST_LOAD_PERCENT, layout_scrub_hours, rebuild_hours
from poolwright.predict.reliability import Risk, joined, yearly_loss
from poolwright.predict.risk_conditions import MemberConditions, RiskConditions
from poolwright.predict.runs import Metric
from poolwright.predict.speed import SpeedPrediction, predict_groups
from poolwright.texts import tell


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
        # The slices of one disk are rebuilt in turn: each finds it busy with the others' share of the time.
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


def speeds_of(design: Design, capacity: PoolCapacity | None) -> Callable[[Circumstances], SpeedPrediction]:
    """Return what tells the speed of a pool; ``capacity`` is None where OpenZFS refuses it. Raises as `groups_of`."""
    rests_on, layout = speed_share(design, capacity), design.layout()
    groups, logs = groups_of(layout if rests_on is None else rests_on[0]), len(log_vdevs(layout))

    def speed(around: Circumstances) -> SpeedPrediction:
        found = predict_groups(groups, around, log_devices=logs)
        return found if rests_on is None else scaled(found, rests_on[1])

    return speed


def speed_share(design: Design, capacity: PoolCapacity | None) -> tuple[Layout, float] | None:
    """Return of which layout a pool whose data vdevs share disks by partitions has which share of the rates.

    None for any other pool.
    """
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
        return replace(times(estimate, share), limit=tell("one disk serves several vdevs"))

    rates: dict[str, Any] = {metric.value: less(speed.of(metric)) for metric in Metric}
    return replace(speed, **rates)
