"""The risk of pools that share disks by partitions: a disk that fails is rebuilt for one slice after the other.

While one slice is rebuilt the others wait, so each counts as rebuilt on a disk that is busy for the rest of the time.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from poolwright.domain.design import Design, Vdev
from poolwright.domain.vdev import VdevClass, VdevSpec
from poolwright.predict.rebuild import MOST_LOAD_PERCENT, rebuild_hours
from poolwright.predict.reliability import Risk, joined, yearly_loss
from poolwright.predict.risk_conditions import RiskConditions


def busy_percent(own_hours: float, all_hours: float) -> int:
    """Return how busy a disk is with its other slices while one is rebuilt, in tens of per cent."""
    return min(MOST_LOAD_PERCENT, ceil(10 * (1 - own_hours / all_hours)) * 10) if own_hours else 0


def risk_among(design: Design, among: Sequence[Design], conditions: RiskConditions) -> Risk:
    """Return the risk of the pool ``design``, which is one of ``among``, all the pools of its machine's design.

    Raises Refusal when it has no data vdev, UserError for an unknown size.
    """
    layout = design.layout()
    own = _segments(design)
    others = [part for pool in among if pool.vdevs is not design.vdevs for part in _segments(pool)]
    if not _share_disks([*own, *others]):
        return yearly_loss(layout, conditions)
    hours = [_slowest([design.spec(vdev) for vdev in part], conditions) for part in own]
    total = sum(hours) + sum(
        _slowest([pool.spec(vdev) for vdev in part], conditions)
        for pool in among
        if pool.vdevs is not design.vdevs
        for part in _segments(pool)
    )
    rest = [spec for spec in layout if spec.vdev_class is not VdevClass.DATA]
    spares = [spec for spec in rest if spec.vdev_class is VdevClass.SPARE]
    risks = []
    for number, (part, alone) in enumerate(zip(own, hours, strict=True)):
        load = max(conditions.rebuild.load_percent, busy_percent(alone, total))
        busy = replace(conditions, rebuild=replace(conditions.rebuild, load_percent=load))
        data = [design.spec(vdev) for vdev in part]
        risks.append(yearly_loss((*data, *(spares if number else rest)), busy))
    return joined(risks)


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
    seen: set[str] = set()
    for part in parts:
        keys = {member.disk_key for vdev in part for member in vdev.members}
        if seen & keys:
            return True
        seen |= keys
    return False


def _slowest(specs: Sequence[VdevSpec], conditions: RiskConditions) -> float:
    """Return the hours of the slowest rebuild of a member, 0 where nothing is rebuilt."""
    found = [rebuild_hours(spec, conditions.rebuild) for spec in specs]
    return max((hours.typical for hours in found if hours is not None), default=0.0)
