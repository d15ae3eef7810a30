"""A new pool on other disks, to which the data move; the old disks come into it afterwards, or are a backup."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.device import SAFE_ASHIFT
from poolwright.changes.growth.design import GrownDesign, born
from poolwright.changes.improve.disk_words import counted_disks
from poolwright.changes.improve.ground import MOST_FILL_PERCENT, PoolAtHand
from poolwright.changes.improve.moving import move_to
from poolwright.changes.improve.values import ChangeKind, PoolChange, PoolNumbers, Urgency
from poolwright.changes.improve.weak import data_vdevs, weak_disks, weaknesses
from poolwright.changes.improve.weigh import gains_in_words, points_of
from poolwright.design.floors import failures_wanted
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Health
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.money import Money
from poolwright.domain.vdev import VdevClass, VdevKind, describe
from poolwright.texts import tell, tell_counted

# Equal vdevs that people make of so few disks; wider ones are bought by nobody who mends a pool.
_SHAPES = (
    (VdevKind.MIRROR, 0, 2), (VdevKind.MIRROR, 0, 3),
    *((VdevKind.RAIDZ, 2, width) for width in range(4, 13)), *((VdevKind.RAIDZ, 3, width) for width in (9, 11)),
)  # fmt: skip
_LEAST_POINTS = 1.0  # a pool that is worse in what the goal asks for mends nothing
_ROOM_PERCENT = 70  # how full one would like a new pool to be at most


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """A pool on new disks that the data fit into, and the pool that it becomes when the old disks come in too."""

    disks: tuple[Disk, ...]
    first: Vdev
    state: GrownDesign
    joined: bool
    cost: Money | None


def renewals(
    ground: PoolAtHand, before: PoolNumbers, fill: int | None
) -> Generator[None, None, tuple[PoolChange, ...]]:
    """Return the new pools that mend what is wrong with the layout for good; nothing where nothing is.

    The old pool stays whole until the copy is checked, so that nothing is ever weaker than now.
    """
    wrong = weaknesses(ground.made.design)
    if not wrong:
        return ()
    found: list[PoolChange] = []
    for way in _ways(ground, before, fill):
        after = yield from ground.numbers(way.state)
        change = _change(ground, way, " ".join(wrong), before, after, fill)
        if change.points >= _LEAST_POINTS:
            found.append(change)
    return tuple(found)


def _ways(ground: PoolAtHand, before: PoolNumbers, fill: int | None) -> Iterator[_Way]:
    """Yield for each shape the cheapest disks with room to spare, and with just enough of it."""
    media = ground.media([vdev for _, vdev in ground.data])
    needed = None if fill is None or not before.room_bytes else before.room_bytes * fill // 100
    for kind, parity, width in _SHAPES:
        wanted = failures_wanted(ground.made.design.workload.goal, ground.made.design.budget, width)
        one = Vdev(kind=kind, parity=parity, members=tuple(Member(disk_key=str(n)) for n in range(width)))
        if one.failures_survived < wanted:
            continue
        roomy = snug = None
        for disks in ground.choices(width, 1, media, larger=True):
            way = _way(ground, one, disks)
            if way is None:
                continue
            held = _held_percent(needed, way)
            if held <= _ROOM_PERCENT and (roomy is None or _dearness(way) < _dearness(roomy)):
                roomy = way
            elif _ROOM_PERCENT < held <= MOST_FILL_PERCENT and (snug is None or _dearness(way) < _dearness(snug)):
                snug = way
        yield from (way for way in (roomy, snug) if way is not None)


def _dearness(way: _Way) -> float:
    return float("inf") if way.cost is None else float(way.cost.amount)


def _held_percent(needed: int | None, way: _Way) -> float:
    """Return how full the new disks alone are with the data; 0 where nobody knows how many these are."""
    if needed is None:
        return 0.0
    alone = born(replace(way.state.origin, vdevs=(way.first,))).pool.capacity().available_bytes
    return 100 * needed / alone if alone else 100.0


def _way(ground: PoolAtHand, shape: Vdev, disks: Sequence[Disk]) -> _Way | None:
    """Return the pool of these disks; None where OpenZFS would refuse it or a disk is no better than the old ones."""
    if any(disk.smr for disk in disks):
        return None
    design = ground.made.design
    keys = tuple(disk.key for disk in disks)
    first = replace(shape, members=tuple(Member(disk_key=key) for key in keys))
    come = tuple(disk for disk in disks if disk.planned)
    bare = replace(
        design, vdevs=(first,), disks=(*design.disks, *come), ashift=max(design.ashift, SAFE_ASHIFT), growth=()
    )
    old = _old_vdevs(design, shape)
    try:
        made = replace(bare, vdevs=(first, *old, *_support(design)))
        joined = bool(old) and not weak_disks(made)
        state = born(made if joined else replace(bare, vdevs=(first, *_support(design))))
    except PoolwrightError:
        return None
    return _Way(disks=tuple(disks), first=first, state=state, joined=joined, cost=ground.cost(disks))


def _support(design: Design) -> tuple[Vdev, ...]:
    """Return the vdevs that may move along: log, cache and spares; a special vdev holds data and is made anew."""
    along = (VdevClass.LOG, VdevClass.CACHE, VdevClass.SPARE)
    return tuple(vdev for vdev in design.vdevs if vdev.vdev_class in along)


def _old_vdevs(design: Design, shape: Vdev) -> tuple[Vdev, ...]:
    """Return the vdevs that the old disks make afterwards; none where not all do, or a disk is none to rely on."""
    members = [member for vdev in data_vdevs(design) for member in vdev.members]
    disks = [design.disk(member.disk_key) for member in members]
    width = len(shape.members)
    suspect = any(disk.health is Health.FAILING or disk.smr for disk in disks)
    if shape.kind is not VdevKind.RAIDZ or len(members) % width or suspect or any(m.part is not None for m in members):
        return ()
    return tuple(replace(shape, members=tuple(members[n : n + width])) for n in range(0, len(members), width))


def _change(
    ground: PoolAtHand, way: _Way, wrong: str, before: PoolNumbers, after: PoolNumbers, fill: int | None
) -> PoolChange:
    layout, words = describe((way.first.sizeless(),)), counted_disks(way.disks)
    names = {"disks": words, "layout": layout}
    return PoolChange(
        kind=ChangeKind.NEW_POOL,
        urgency=Urgency.WORTH,
        title=tell("Make a new pool of {disks} as {layout}, move the data there, then let the old disks join", **names)
        if way.joined
        else tell("Make a new pool of {disks} as {layout}, and move the data there", **names),
        why=wrong,
        design=way.state.design,
        bought=tuple(disk for disk in way.disks if disk.planned),
        at_hand=tuple(disk for disk in way.disks if not disk.planned),
        cost=way.cost,
        after=after,
        gains=gains_in_words(before, after),
        points=points_of(before, after, ground.made.design.workload, fill),
        lifts=True,
        move=move_to((way.first,), way.disks),
        more_disks=max(0, len(way.disks) - sum(len(vdev.members) for _, vdev in ground.data)),
        rewrite=tell("Everything is copied once (zfs send and receive); the move, step by step, is what "
                     "“poolwright migrate” and the tab “Move” plan."),
        minds=(
            tell("The old pool stays whole until the copy was scrubbed and looked at: nothing is weaker than now "
                 "meanwhile."),
            tell_counted("{count} bay more is needed while both exist.", "{count} bays more are needed while both "
                         "exist.", len(way.disks)),
            tell("With the old disks joined there is no second copy any more: back up what matters elsewhere.")
            if way.joined
            else tell("The old disks are free then: as a pool of their own they make a backup."),
        ),
    )  # fmt: skip
