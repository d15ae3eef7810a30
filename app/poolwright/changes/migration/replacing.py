"""The same vdevs on other disks: each new one takes the place of an old one, which stays attached until it is whole."""

from dataclasses import replace

from poolwright.capacity.device import leaf_bytes
from poolwright.capacity.pool import PoolCapacity
from poolwright.changes.growth.design import born, grow
from poolwright.changes.improve.ground import grown_widths
from poolwright.changes.migration.standing import placeholder_bytes
from poolwright.changes.migration.values import SUPPORT, MigrationStep, Move, NewPlace, OldData, OldVdev
from poolwright.domain.design import Design, Vdev
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.existing_pool import ExistingPool
from poolwright.domain.growth import GrowthKind, GrowthStep

Pairs = tuple[tuple[OldVdev, int, tuple[tuple[str, int], ...]], ...]


def steps_replacing(old: OldData, target: Design) -> tuple[MigrationStep, ...] | None:
    """Return the steps that put ``target``'s disks into the places of the old ones; None where that cannot be done.

    The new layout has the vdevs of the pool, none of which lacks a disk, and each disk that comes is large enough. What
    holds no data stays as it is.
    """
    pairs = _pairs(old, target)
    if pairs is None or not any(exchanged for _, _, exchanged in pairs):
        return None
    least = min(vdev.survives for vdev, _, _ in pairs)
    steps = [MigrationStep(move=Move.LOOK, survives=least, old=least, new=None)]
    for vdev, number, exchanged in pairs:
        grows = _least(old, vdev.vdev) < _least_of(target, target.vdevs[number])
        for at, (key, member) in enumerate(exchanged, 1):
            steps.append(
                MigrationStep(
                    move=Move.REPLACE,
                    survives=least,
                    old=least,
                    new=None,
                    disk_keys=(key, target.vdevs[number].members[member].disk_key),
                    places=(NewPlace(number, member),),
                    vdevs=(number,),
                    final=grows and at == len(exchanged),
                )
            )
    steps.append(MigrationStep(move=Move.FINISH, survives=least, old=least, new=None))
    return tuple(steps)


def space_after(old: OldData, target: Design, known: ExistingPool | None) -> PoolCapacity | None:
    """Return the space of the pool when every disk has been replaced: the vdevs keep what they were made with.

    None where no model can tell.
    """
    pairs = _pairs(old, target)
    try:
        state = born(old.design)
        state = grown_widths(state, {v.vdev.members: v.name for v in old.vdevs}, known) if known is not None else state
        for vdev, number, exchanged in pairs or ():
            at = next(n for n, top in enumerate(state.tops) if top is not None and top.members == vdev.vdev.members)
            size = _least_of(target, target.vdevs[number])
            if exchanged:
                state = grow(state, GrowthStep(kind=GrowthKind.REPLACE, top=at, size_bytes=size), 1)
        return state.pool.capacity()
    except (PoolwrightError, StopIteration):
        return None


def _pairs(old: OldData, target: Design) -> Pairs | None:
    """Return each vdev of the pool with that of the target which takes its place, and who gives way to which member."""
    if old.filesystem is not None or not old.sizes_known or old.design.ashift != target.ashift:
        return None
    added = {m.disk_key for v in target.vdevs if v.vdev_class in SUPPORT for m in v.members} - old.keys
    numbers = [n for n, vdev in enumerate(target.vdevs) if vdev.vdev_class not in SUPPORT]
    holding = sorted((v for v in old.vdevs if v.holds), key=lambda v: _least(old, v.vdev))
    if added or len(numbers) != len(holding):
        return None
    numbers.sort(key=lambda n: _least_of(target, target.vdevs[n]))
    found = []
    for vdev in holding:
        fitting = [n for n in numbers if target.vdevs[n].sizeless() == vdev.vdev.sizeless()]
        number = max(fitting, key=lambda n: len(_keys(target.vdevs[n]) & set(vdev.keys)), default=None)
        exchanged = None if number is None else _exchanged(old, vdev, target, target.vdevs[number])
        if number is None or exchanged is None:
            return None
        numbers.remove(number)
        found.append((vdev, number, exchanged))
    return tuple(found)


def _exchanged(old: OldData, vdev: OldVdev, target: Design, new: Vdev) -> tuple[tuple[str, int], ...] | None:
    """Return the old disks that go with the place of the one that comes; None where one cannot."""
    goes = [key for key in vdev.keys if key not in _keys(new)]
    comes = [n for n, member in enumerate(new.members) if member.disk_key not in vdev.keys]
    if vdev.lost or len(goes) != len(comes) or vdev.tied.intersection(goes):
        return None
    least = leaf_bytes(_least(old, vdev.vdev))
    for n in comes:
        key = new.members[n].disk_key
        if key in old.keys or leaf_bytes(placeholder_bytes(target, key)) < least:
            return None
    return tuple(zip(goes, comes, strict=True))


def _keys(vdev: Vdev) -> set[str]:
    return {member.disk_key for member in vdev.members}


def _least(old: OldData, vdev: Vdev) -> int:
    return min(old.design.spec(vdev).sizes)


def _least_of(target: Design, vdev: Vdev) -> int:
    return min(target.spec(vdev).sizes)


def with_old_support(old: OldData, target: Design) -> Design:
    """Return the target with the spares, caches and logs that the pool has: nobody takes them out."""
    kept = tuple(v.vdev for v in old.vdevs if not v.holds)
    there = {member.disk_key for vdev in target.vdevs for member in vdev.members}
    known = {disk.key for disk in target.disks}
    return replace(
        target,
        vdevs=(*target.vdevs, *(vdev for vdev in kept if not _keys(vdev) & there)),
        disks=(*target.disks, *(disk for disk in old.design.disks if disk.key not in known)),
    )
