"""Changes for which nothing has to be copied: disks are attached, vdevs are added, a raidz is made wider."""

from poolwright.capacity.device import leaf_bytes
from poolwright.changes.migration.standing import placeholder_bytes
from poolwright.changes.migration.target import all_keys, grows_into
from poolwright.changes.migration.values import MigrationStep, Move, NewPlace, OldData, OldVdev
from poolwright.domain.design import Design
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion

EXPANSION_SINCE = ZfsVersion(2, 3, 0)
_MATCHED = (*HOLDS_THE_POOL, VdevClass.LOG)


def steps_in_place(old: OldData, target: Design) -> tuple[MigrationStep, ...] | None:
    """Return the steps that turn the pool itself into ``target``; None where that cannot be done.

    Every disk of it stays in its vdev. A raidz is made wider from OpenZFS 2.3 on, never of another parity.
    """
    if old.filesystem is not None:
        return None
    homes: dict[int, OldVdev] = {}
    for vdev in old.vdevs:
        if vdev.vdev.vdev_class not in _MATCHED:
            continue
        home = next((n for n, new in enumerate(target.vdevs) if set(vdev.keys) <= all_keys((new,))), None)
        if home is None or home in homes or not grows_into(vdev.vdev, target.vdevs[home]):
            return None
        homes[home] = vdev
    moves: list[tuple[Move, int, tuple[NewPlace, ...]]] = []
    for number, new in enumerate(target.vdevs):
        own = homes.get(number)
        there = set(own.keys) if own is not None else _support_keys(old, new.vdev_class)
        places = tuple(NewPlace(number, i) for i, m in enumerate(new.members) if m.disk_key not in there)
        if own is None:
            moves += [(Move.ADD, number, places)] if places else []
        elif new.kind is VdevKind.RAIDZ and places:
            if target.version < EXPANSION_SINCE:
                return None
            moves += [(Move.EXPAND, number, (place,)) for place in places]
        elif places:
            moves.append((Move.ATTACH, number, places))
        if own is not None and not _large_enough(own, target, places):
            return None
    return _steps(target, homes, moves)


def _support_keys(old: OldData, vdev_class: VdevClass) -> set[str]:
    return {key for vdev in old.vdevs if vdev.vdev.vdev_class is vdev_class for key in vdev.keys}


def _large_enough(own: OldVdev, target: Design, places: tuple[NewPlace, ...]) -> bool:
    """Tell whether the new disks are as large as the smallest that is there."""
    least = min(leaf_bytes(placeholder_bytes(target, key)) for key in own.keys)
    new = [target.vdevs[p.vdev].members[p.member].disk_key for p in places]
    return all(leaf_bytes(placeholder_bytes(target, key)) >= least for key in new)


def _steps(
    target: Design, homes: dict[int, OldVdev], moves: list[tuple[Move, int, tuple[NewPlace, ...]]]
) -> tuple[MigrationStep, ...]:
    survived = {number: vdev.survives for number, vdev in homes.items() if vdev.holds}

    def least() -> int:
        return min(survived.values())

    steps = [MigrationStep(move=Move.LOOK, survives=least(), old=least(), new=None)]
    for move, number, places in sorted(moves, key=lambda each: each[0] is Move.ADD):
        before, new = least(), target.vdevs[number]
        if new.vdev_class in HOLDS_THE_POOL and move is not Move.EXPAND:
            survived[number] = new.failures_survived - (homes[number].lost if number in homes else 0)
        worst = min(before, least())
        keys = tuple(new.members[p.member].disk_key for p in places)
        steps.append(
            MigrationStep(
                move=move,
                survives=worst,
                old=worst,
                new=None,
                disk_keys=keys,
                places=places,
                vdevs=(number,),
                final=move is not Move.ATTACH,
            )
        )
    steps.append(MigrationStep(move=Move.FINISH, survives=least(), old=least(), new=None))
    return tuple(steps)
