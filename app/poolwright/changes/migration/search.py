"""All courses of a migration, ranked: first by the least redundancy they leave, then by time; the rest is refused."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.device import leaf_bytes
from poolwright.capacity.expansion import RAIDZ_EXPANSION_SINCE
from poolwright.capacity.pool import PoolCapacity
from poolwright.capacity.vdev import allocated_bytes, deflate_ratio, deflated
from poolwright.changes.against.values import PoolVdev
from poolwright.changes.against.vdevs import REMOVAL_SINCE
from poolwright.changes.migration.course import (
    Course,
    bare,
    feature_warnings,
    keys_of,
    nowhere,
    over_advised,
    plan_warnings,
    space_after,
    steps_replacing,
    walk,
    with_old_support,
)
from poolwright.changes.migration.standing import placeholder_bytes, timed
from poolwright.changes.migration.target import (
    MOST_FILLED_PERCENT,
    NewLayout,
    dealings,
    first_room,
    grows_into,
    kept_in_place,
    room_of,
    room_without,
    too_small_later,
)
from poolwright.changes.migration.values import MigrationAnswer, MigrationPlan, MigrationStep, Move, NewPlace, OldData
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal
from poolwright.domain.host import Inventory
from poolwright.domain.names import LONGEST_POOL_NAME
from poolwright.domain.pool import ExistingDataset, ExistingPool
from poolwright.domain.steps import at_once
from poolwright.domain.units import KIB, parse_block_size
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind, VdevSpec
from poolwright.texts import tell

# More disks than these leave one by one only in machines where all could leave at once as well.
MOST_SINGLE = 12
_MOST_TIMED = 24
# A new pool that begins with more disks than it must is sometimes better; with many more it never was.
_MORE_EARLY = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What is asked beside the layout. ``backup_exists``: somebody says that the data lie elsewhere too.

    ``new_name`` is what the new pool is called until it takes the old name (empty: the old name with -new).
    """

    backup_exists: bool = False
    new_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    design: Design
    steps: tuple[MigrationStep, ...]
    room: int | None
    fits: bool


def plan_migration(old: OldData, target: NewLayout, inventory: Inventory, wishes: Wishes) -> MigrationAnswer:
    return at_once(plan_in_steps(old, target, inventory, wishes))


def plan_in_steps(
    old: OldData, target: NewLayout, inventory: Inventory, wishes: Wishes
) -> Generator[None, None, MigrationAnswer]:
    """Return the best plan and others that differ; those that leave nothing at some moment need a backup.

    Raises Refusal where no course can be taken, where the data have no room, or where each leaves a moment without
    redundancy and nobody said that a backup exists; UserError where the data are moved to the layout they have.
    """
    known = next((facts for facts in inventory.existing if facts.name == old.name), None)
    in_place = _in_place(old, target, wishes) or _replaced(old, target, known, wishes)
    if in_place is not None:
        beside = yield from _beside(old, target, known, wishes, inventory)
        return MigrationAnswer(plan=in_place, others=beside)
    if old.used_bytes is None:
        raise Refusal(
            tell("How much {name} holds is not known, so nobody can tell whether it fits", name=old.name),
            todo=tell("Read the machine with the collector, or say how much (“Stored”, or --stored SIZE)."),
        )
    plans = yield from _copied(old, target, known, wishes, inventory)
    return _allowed(plans, wishes)


# A change in place leaves blocks as they were; a copy beside it shows what writing all anew would take.
def _beside(
    old: OldData, target: NewLayout, known: ExistingPool | None, wishes: Wishes, inventory: Inventory
) -> Generator[None, None, tuple[MigrationPlan, ...]]:
    try:
        plans = yield from _copied(old, target, known, wishes, inventory)
    except Refusal:
        return ()
    return tuple(plan for plan in plans if wishes.backup_exists or not plan.bare)[:1]


def _in_place(old: OldData, target: NewLayout, wishes: Wishes) -> MigrationPlan | None:
    kept = kept_in_place(target, old)
    steps = None if kept is None else steps_in_place(old, kept)
    if kept is None or steps is None:
        return None
    if len(steps) == 2:  # a look and a last scrub: nothing between them
        raise Refusal(
            tell("{name} has this layout already", name=old.name),
            reasons=(tell("every vdev of the layout is there with these disks"),),
            todo=tell("Name another layout."),
        )
    return _plan_in_place(old, kept, steps, wishes, None)


# The plan that exchanges the disks of the pool one after the other; None where that is no way.
def _replaced(old: OldData, target: NewLayout, known: ExistingPool | None, wishes: Wishes) -> MigrationPlan | None:
    steps = steps_replacing(old, target.design)
    if steps is None:
        return None
    design = with_old_support(old, target.design)
    return _plan_in_place(old, design, steps, wishes, space_after(old, target.design, known))


# The plan of a pool that becomes ``design`` as it is; ``after`` is its space where old vdevs grow.
def _plan_in_place(
    old: OldData, design: Design, steps: Sequence[MigrationStep], wishes: Wishes, after: PoolCapacity | None
) -> MigrationPlan:
    new_name, parked_name = _names(old, wishes, frozenset())
    return MigrationPlan(
        old=old,
        target=design,
        steps=timed(old, design, steps, old.used_bytes),
        new_name=new_name,
        parked_name=parked_name,
        in_place=True,
        final_bytes=room_of(design) if after is None else after.available_bytes,
        final_size_bytes=None if after is None else after.pool_size_bytes,
        needed_bytes=old.used_bytes,
        warnings=(*old.warnings, *feature_warnings(old, steps)),
    )


# A plan for each level of redundancy that can be had, the most redundant first, each the fastest of it. Raises Refusal
# where none can be taken.
def _copied(
    old: OldData, target: NewLayout, known: ExistingPool | None, wishes: Wishes, inventory: Inventory
) -> Generator[None, None, list[MigrationPlan]]:
    needed = needed_bytes(old, known, target.design)
    found: list[_Found] = []
    for design in dealings(target, old):
        for each in _found(old, design, needed):
            found += [each] if each is not None else []
            yield
    fitting = [each for each in found if each.fits]
    if not fitting:
        raise nowhere(old, target.design, max((each.room or 0 for each in found), default=None), needed)
    names = frozenset(pool.name for pool in inventory.pools)
    best: dict[int, MigrationPlan] = {}
    fitting.sort(key=lambda each: (-_least(each.steps), len(each.steps)))
    for level in sorted({_least(each.steps) for each in fitting}, reverse=True):
        plans = []
        for each in [e for e in fitting if _least(e.steps) == level][:_MOST_TIMED]:
            plans.append(_plan(old, each, needed, wishes, names))
            yield
        best[level] = min(plans, key=_cost)
    return list(best.values())


# What a lone disk risks before anybody does anything is not the fault of a course.
def _least(steps: Sequence[MigrationStep]) -> int:
    begin = next((n for n, step in enumerate(steps) if step.move in {Move.DETACH, Move.OFFLINE, Move.DESTROY}), 0)
    return min(step.survives for step in steps[begin:])


# Hours at the least redundancy count twice: they are what a plan is chosen to have few of.
def _cost(plan: MigrationPlan) -> tuple[float, float, int]:
    weak = sum(s.hours.typical for s in plan.steps if s.hours is not None and s.survives == plan.least)
    total = sum(s.hours.typical for s in plan.steps if s.hours is not None)
    return (float(over_advised(plan)), total + weak, len(plan.steps))


def _plan(old: OldData, found: _Found, needed: int | None, wishes: Wishes, names: frozenset[str]) -> MigrationPlan:
    steps = timed(old, found.design, found.steps, needed)
    new_name, parked_name = _names(old, wishes, names)
    plan = MigrationPlan(
        old=old,
        target=found.design,
        steps=steps,
        new_name=new_name,
        parked_name=parked_name,
        first_bytes=found.room,
        final_bytes=room_of(found.design),
        needed_bytes=needed,
    )
    return replace(plan, warnings=(*old.warnings, *plan_warnings(plan)))


# Every course that can be taken, for one way to deal the disks, and None for each that cannot. Emptying more old vdevs
# goes on as long as it helps, and so does every further disk that leaves early.
def _found(old: OldData, design: Design, needed: int | None) -> Iterator[_Found | None]:
    wanted = {m.disk_key for vdev in design.vdevs for m in vdev.members} & old.keys
    best = -1
    for emptied in _emptied(old, wanted):
        here: list[_Found] = []
        for whole in (False, True):
            for each in _of_beginning(old, design, needed, emptied, whole=whole):
                here += [each] if each is not None else []
                yield each
        level = max((_least(each.steps) for each in here if each.fits), default=-1)
        if best >= 1 and level <= best:
            return
        best = max(best, level)


def _of_beginning(
    old: OldData, design: Design, needed: int | None, emptied: tuple[str, ...], *, whole: bool
) -> Iterator[_Found | None]:
    begun = 0
    for early in range(len(old.keys)):
        first = walk(old, design, Course(emptied=emptied, early=early, whole=whole))
        if first is None or too_small_later(design, _begun(first)):
            if begun or early >= _releasable(old):
                return
            yield None
            continue
        begun += 1
        room = first_room(design, _begun(first))
        fits = needed is None or needed <= room
        yield _Found(design=design, steps=first, room=room, fits=fits)
        for single in range(1, MOST_SINGLE + 1):
            walked = walk(old, design, Course(emptied=emptied, early=early, single=single, whole=whole))
            if walked is None:
                break
            yield _Found(design=design, steps=walked, room=room, fits=fits)
        if begun > _MORE_EARLY:
            return


def _begun(steps: Sequence[MigrationStep]) -> MigrationStep:
    return next(step for step in steps if step.move is Move.CREATE)


def _releasable(old: OldData) -> int:
    return sum(vdev.survives for vdev in old.vdevs if vdev.holds)


# `zpool remove` knows only pools without parity; the vdevs with most disks that the new pool needs leave first.
def _emptied(old: OldData, wanted: set[str]) -> Iterator[tuple[str, ...]]:
    yield ()
    data = [v for v in old.vdevs if v.vdev.vdev_class is VdevClass.DATA]
    plain = all(v.vdev.kind in (VdevKind.STRIPE, VdevKind.MIRROR) for v in old.vdevs if v.holds)
    if not plain or old.used_bytes is None or old.design.version < REMOVAL_SINCE:
        return
    useful = sorted((v for v in data if set(v.keys) & wanted), key=lambda v: -len(set(v.keys) & wanted))
    chosen: tuple[str, ...] = ()
    for vdev in useful[: len(data) - 1]:
        chosen = (*chosen, vdev.name)
        if old.used_bytes * 100 > room_without(old, chosen) * MOST_FILLED_PERCENT:
            return
        yield chosen


# Both pools stand beside all others of the machine for a while, so their names must be free.
def _names(old: OldData, wishes: Wishes, taken: frozenset[str]) -> tuple[str, str]:
    new = wishes.new_name or _free_name(old.name, "new", taken)
    return new, _free_name(old.name, "old", taken | {new})


def _free_name(stem: str, word: str, taken: frozenset[str]) -> str:
    stem = stem[: LONGEST_POOL_NAME - 8]
    numbered = (f"{stem}-{word}{number or ''}" for number in (0, *range(2, len(taken) + 3)))
    return next(name for name in numbered if name not in taken)


# The plans that may be followed; raises Refusal where each has a moment without redundancy.
def _allowed(plans: Sequence[MigrationPlan], wishes: Wishes) -> MigrationAnswer:
    allowed = [plan for plan in plans if wishes.backup_exists or not plan.bare]
    if allowed:
        first, *others = allowed
        faster = [plan for plan in others if _hours(plan) < _hours(first)]
        return MigrationAnswer(plan=first, others=tuple(faster))
    raise bare(plans[0])


def _hours(plan: MigrationPlan) -> float:
    return sum(step.hours.typical for step in plan.steps if step.hours is not None)


# Changes for which nothing has to be copied: disks are attached, vdevs are added, a raidz is made wider.

_MATCHED = (*HOLDS_THE_POOL, VdevClass.LOG)


def steps_in_place(old: OldData, target: Design) -> tuple[MigrationStep, ...] | None:
    """Return the steps that turn the pool itself into ``target``; None where that cannot be done.

    Every disk of it stays in its vdev. A raidz is made wider from OpenZFS 2.3 on, never of another parity.
    """
    homes: dict[int, PoolVdev] = {}
    for vdev in old.vdevs:
        if vdev.vdev.vdev_class not in _MATCHED:
            continue
        home = next((n for n, new in enumerate(target.vdevs) if set(vdev.keys) <= keys_of(new)), None)
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
            if target.version < RAIDZ_EXPANSION_SINCE:
                return None
            moves += [(Move.EXPAND, number, (place,)) for place in places]
        elif places:
            moves.append((Move.ATTACH, number, places))
        if own is not None and not _large_enough(own, target, places):
            return None
    return _steps(target, homes, moves)


def _support_keys(old: OldData, vdev_class: VdevClass) -> set[str]:
    return {key for vdev in old.vdevs if vdev.vdev.vdev_class is vdev_class for key in vdev.keys}


def _large_enough(own: PoolVdev, target: Design, places: tuple[NewPlace, ...]) -> bool:
    least = min(leaf_bytes(placeholder_bytes(target, key)) for key in own.keys)
    new = [target.vdevs[p.vdev].members[p.member].disk_key for p in places]
    return all(leaf_bytes(placeholder_bytes(target, key)) >= least for key in new)


def _steps(
    target: Design, homes: dict[int, PoolVdev], moves: list[tuple[Move, int, tuple[NewPlace, ...]]]
) -> tuple[MigrationStep, ...]:
    survived = {number: vdev.survives for number, vdev in homes.items() if vdev.holds}

    def least() -> int:
        return min(survived.values())

    steps = [MigrationStep(move=Move.LOOK, old=least())]
    for move, number, places in sorted(moves, key=lambda each: each[0] is Move.ADD):
        before, new = least(), target.vdevs[number]
        if new.vdev_class in HOLDS_THE_POOL and move is not Move.EXPAND:
            survived[number] = new.failures_survived - (homes[number].lost if number in homes else 0)
        keys, final = tuple(new.members[p.member].disk_key for p in places), move is not Move.ATTACH
        worst = min(before, least())
        steps.append(MigrationStep(move=move, old=worst, disk_keys=keys, places=places, vdevs=(number,), final=final))
    return (*steps, MigrationStep(move=Move.FINISH, old=least()))


# How much room the data of a pool take in another layout: what raidz charges small blocks is not the same there.

_DEFAULT_RECORD = 128 * KIB
_PARTS = ("usedbydataset", "usedbysnapshots", "usedbyrefreservation")


def needed_bytes(old: OldData, known: ExistingPool | None, target: Design) -> int | None:
    """Return the bytes that the data will be charged with in ``target``; None where unknown.

    Where the datasets were read, each is charged by its block size in the worst vdev of the new pool against the
    mildest of the old one; files smaller than a record may take more. What was told for the migration is taken as it
    is.
    """
    if old.used_bytes is None or known is None or not known.datasets:
        return old.used_bytes
    root = next((d for d in known.datasets if d.name == known.name), None)
    if root is None or root.number("used") != old.used_bytes:
        return old.used_bytes
    more = sum(_more(dataset, old.design, target) for dataset in known.datasets)
    return old.used_bytes + max(0, more)


# By how many bytes one dataset is charged more in the new layout than in the old.
def _more(dataset: ExistingDataset, old: Design, target: Design) -> int:
    held = sum(dataset.number(part) or 0 for part in _PARTS)
    block = _block(dataset)
    before = min(_charge(spec, old.ashift, block) for spec in _data(old))
    after = max(_charge(spec, target.ashift, block) for spec in _data(target))
    return round(held * (after / before - 1)) if before else 0


def _block(dataset: ExistingDataset) -> int:
    text = dataset.value("volblocksize" if dataset.kind == "volume" else "recordsize")
    if text is None:
        return _DEFAULT_RECORD
    return int(text) if text.isdecimal() else parse_block_size(text)


def _charge(spec: VdevSpec, ashift: int, block: int) -> float:
    shape = (spec.kind, spec.width, spec.parity, spec.group_data if spec.kind is VdevKind.DRAID else 1, ashift)
    return deflated(allocated_bytes(*shape, block), deflate_ratio(*shape)) / block


def _data(design: Design) -> Sequence[VdevSpec]:
    return [vdev.sizeless() for vdev in design.vdevs if vdev.vdev_class is VdevClass.DATA]
