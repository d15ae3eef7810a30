"""A pool that becomes the new layout as it is: disks and vdevs come, or disks give way to others."""

from collections.abc import Iterable
from dataclasses import replace

from poolwright.capacity.pool import PoolCapacity
from poolwright.changes.as_design import PoolVdev, imported_pool
from poolwright.changes.growth.design import all_replaced, created_pool
from poolwright.changes.improve.pool_change import grown_widths
from poolwright.changes.live_difference.difference import compare_with_live
from poolwright.changes.live_difference.values import OF_DISKS, LiveDifference
from poolwright.changes.migration.values import MigrationPlan, MigrationStep, Move, OldData, places_of
from poolwright.domain.action import AddVdevs, Attach, Replace, coming
from poolwright.domain.design import Design, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.host import Inventory
from poolwright.domain.vdev import HOLDS_THE_POOL

_MOVES = {AddVdevs: Move.ADD, Attach: Move.ATTACH, Replace: Move.REPLACE}
# What comes to one vdev in one step; a raidz takes one disk after the other.
_TOGETHER = (Move.ADD, Move.ATTACH)
# A vdev whose disks were replaced takes their room by itself, so that no difference is left for that.
_GROWING = (Setting(name="autoexpand", value="on"),)


def steps_in_place(old: OldData, target: Design, inventory: Inventory) -> tuple[MigrationStep, ...] | None:
    """Return the steps that turn the pool itself into ``target``: disks and vdevs come, or disks give way to others.

    None where that cannot be done: a vdev cannot become the other, or something would have to leave.
    """
    changes = _changes_in_place(old, target, inventory)
    if changes is None:
        return None
    place_of = {key: place for place, key in places_of(target).items()}
    # By the names of vdevs; of one that is added by its number, for it has no name yet.
    survived = {vdev.name: vdev.survives for vdev in old.vdevs if vdev.holds}
    steps = [MigrationStep(move=Move.LOOK, old=min(survived.values()))]
    for one in sorted(changes, key=lambda one: isinstance(one.action, AddVdevs)):
        keys = tuple(member.disk_key for member in coming(one.action))
        places, before = tuple(place_of[key] for key in keys), min(survived.values())
        number, new = places[0].vdev, target.vdevs[places[0].vdev]
        move = Move.EXPAND if isinstance(one.action, Attach) and one.action.widens else _MOVES[type(one.action)]
        if move is Move.ATTACH and one.place in survived:
            survived[one.place] = new.failures_survived - vdev_with(old, new.keys[0]).lost
        elif move is Move.ADD and new.vdev_class in HOLDS_THE_POOL:
            survived[f"{number}"] = new.failures_survived
        last = steps[-1]
        if move in _TOGETHER and (last.move, last.vdevs) == (move, (number,)):
            steps[-1] = replace(last, disk_keys=(*last.disk_keys, *keys), places=(*last.places, *places))
            continue
        step = MigrationStep(move=move, old=min(before, *survived.values()), places=places, vdevs=(number,))
        keys = (*(key for key, __ in one.frees), *keys)
        # OpenZFS takes no added vdev and no added disk of a raidz out again; a side of a mirror it detaches.
        steps.append(replace(step, disk_keys=keys, final=move in (Move.ADD, Move.EXPAND)))
    # A vdev grows with its last new disk: from then on no smaller one takes a place in it.
    for at in {step.vdevs: n for n, step in enumerate(steps) if step.move is Move.REPLACE}.values():
        grown, vdev = target.vdevs[steps[at].vdevs[0]], vdev_with(old, steps[at].disk_keys[0]).vdev
        steps[at] = replace(steps[at], final=_least(old.design, vdev) < _least(target, grown))
    return (*steps, MigrationStep(move=Move.FINISH, old=min(survived.values())))


# What comes and what gives way, the order of it being safe; None where that is not all, or where both would be.
def _changes_in_place(old: OldData, target: Design, inventory: Inventory) -> list[LiveDifference] | None:
    # Of a pool that was entered all disks are planned; held against itself each of them is the very disk.
    there = replace(inventory, disks=_as_real(inventory.disks))
    wanted = replace(target, disks=_as_real(old.design.disks), pool_settings=_GROWING, datasets=())
    found = compare_with_live(wanted, there, imported_pool(there, old.name), force=True)
    changes = [one for one in found.differences if one.name in OF_DISKS]
    kinds = {_MOVES.get(type(one.action)) for one in changes}
    exchanges = Move.REPLACE in kinds
    if None in kinds or (exchanges and (len(kinds) > 1 or old.design.ashift != target.ashift or not old.sizes_known)):
        return None
    # Of what gives way each disk is free for it, and its vdev is whole.
    holding = {vdev.name: vdev for vdev in old.vdevs if vdev.holds}
    free = (one.place in holding and one.frees[0][0] not in holding[one.place].tied for one in changes)
    if exchanges and (any(vdev.lost for vdev in holding.values()) or not all(free)):
        return None
    return changes


def _as_real(disks: Iterable[Disk]) -> tuple[Disk, ...]:
    return tuple(replace(disk, planned=False) for disk in disks)


def space_after(plan: MigrationPlan) -> PoolCapacity | None:
    """Return the space of the pool when its disks have been replaced: the vdevs keep what they were made with.

    None where none is replaced, or no model can tell.
    """
    old, exchanged = plan.old, {s.vdevs[0]: s.disk_keys[0] for s in plan.steps if s.move is Move.REPLACE}
    try:
        state = grown_widths(created_pool(old.design), old.vdevs, old.known)
        for number, key in exchanged.items():
            state = all_replaced(state, vdev_with(old, key).keys, _least(plan.target, plan.target.vdevs[number]))
        return state.pool.capacity() if exchanged else None
    except PoolwrightError:
        return None


def vdev_with(old: OldData, key: str) -> PoolVdev:
    return next(vdev for vdev in old.vdevs if key in vdev.keys)


def _least(design: Design, vdev: Vdev) -> int:
    return min(design.spec(vdev).sizes)


def with_old_support(old: OldData, target: Design) -> Design:
    """Return the target with the spares, caches and logs that the pool has: nobody takes them out."""
    there = {key for vdev in target.vdevs for key in vdev.keys}
    kept = (v.vdev for v in old.vdevs if not v.holds and there.isdisjoint(v.keys))
    known = {disk.key for disk in target.disks}
    disks = (disk for disk in old.design.disks if disk.key not in known)
    return replace(target, vdevs=(*target.vdevs, *kept), disks=(*target.disks, *disks))
