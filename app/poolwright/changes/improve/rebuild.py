"""The same disks as another pool: what that would bring, and that every byte has to be copied away and back for it."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from poolwright.capacity.device import SAFE_ASHIFT
from poolwright.changes.growth.design import born
from poolwright.changes.improve.ground import MOST_FILL_PERCENT, PoolAtHand
from poolwright.changes.improve.moving import move_to
from poolwright.changes.improve.values import ChangeKind, PoolChange, PoolNumbers, Urgency
from poolwright.changes.improve.weak import small_blocks, weaknesses
from poolwright.changes.improve.weigh import gains_in_words, points_of
from poolwright.design.floors import FAILURES_WANTED, FEW_DISKS, LEAST_DATA, WIDEST
from poolwright.domain.design import Design, Vdev
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.vdev import VdevClass, VdevKind, describe
from poolwright.domain.workload import Goal
from poolwright.texts import tell

_WORTH_POINTS = 3.0  # less is not worth a night of copying
_MOST_VDEVS = 12


def rebuilds(
    ground: PoolAtHand, before: PoolNumbers, fill: int | None
) -> Generator[None, None, tuple[PoolChange, ...]]:
    """Return the best other layout of the disks that hold data, where it is worth its copying; nothing where it is not.

    Looked at are mirrors of two and raidz1 to raidz3 in equal vdevs above the floors of the goal.
    """
    design = ground.made.design
    data = [v for v in design.vdevs if v.vdev_class is VdevClass.DATA]
    members = [m for v in data for m in v.members]
    if len(members) < 2 or any(m.part is not None for m in members):
        return ()
    goal = design.workload.goal
    wanted = FAILURES_WANTED[goal] if len(members) > FEW_DISKS[goal] else 1
    if goal is Goal.SAFETY:  # nobody copies everything to have less of what was asked for
        wanted = max(wanted, min(FAILURES_WANTED[goal], before.survived or 0))
    mends = bool(weaknesses(design))
    now = {(v.kind, v.parity, len(v.members)) for v in data}
    found: list[PoolChange] = []
    for kind, parity, width in _shapes(len(members)):
        one = Vdev(kind=kind, parity=parity, members=tuple(members[:width]))
        if one.failures_survived < wanted or ({(kind, parity, width)} == now and not small_blocks(design)):
            continue
        vdevs = tuple(replace(one, members=tuple(members[n : n + width])) for n in range(0, len(members), width))
        others = tuple(v for v in design.vdevs if v.vdev_class is not VdevClass.DATA)
        made = replace(design, vdevs=(*vdevs, *others), ashift=max(design.ashift, SAFE_ASHIFT))
        try:
            after = yield from ground.numbers(born(made))
        except PoolwrightError:
            continue
        points = points_of(before, after, design.workload, fill)
        lifts = mends and not weaknesses(made)
        if lifts or points >= _WORTH_POINTS:
            change = _change(ground, made, vdevs, (before, after), fill)
            # Half the points: the time, and the one copy less that there is meanwhile.
            found.append(replace(change, lifts=lifts, points=points / 2))
    return tuple(sorted(found, key=lambda change: (change.urgency is Urgency.NOT, -change.points))[:1])


def _change(
    ground: PoolAtHand, made: Design, vdevs: Sequence[Vdev], numbers: tuple[PoolNumbers, PoolNumbers], fill: int | None
) -> PoolChange:
    before, after = numbers
    holds = _holds(before, after, fill)
    return PoolChange(
        kind=ChangeKind.REBUILD,
        urgency=Urgency.WORTH if holds else Urgency.NOT,
        title=tell("Make the pool anew of the same disks: {layout}",
                   layout=describe(tuple(v.sizeless() for v in vdevs))),
        why=_why(ground.made.design)
        if holds
        else tell("It would survive more, but the data of now would fill it to more than {percent} %: with larger or "
                  "more disks only.", percent=MOST_FILL_PERCENT),
        design=made,
        move=move_to(vdevs, [made.disk(member.disk_key) for vdev in vdevs for member in vdev.members])
        if _begins(ground, vdevs)
        else None,
        cost=ground.cost(()),
        after=after,
        gains=gains_in_words(before, after),
        rewrite=tell("Everything: copied away, the pool destroyed and made anew, and copied back."),
        minds=(tell("A whole second copy of the data has to exist, and to have been read, before."),),
    )  # fmt: skip


def _begins(ground: PoolAtHand, vdevs: Sequence[Vdev]) -> bool:
    """Tell whether the new pool could begin beside the old one, which gives disks away down to its last redundancy.

    Of mirrors whole vdevs can leave as well, which only the plan of a move can tell.
    """
    old = [vdev for _, vdev in ground.data]
    if all(vdev.kind in (VdevKind.MIRROR, VdevKind.STRIPE) for vdev in old):
        return True
    given = sum(vdev.failures_survived for vdev in old) + sum(
        1 for disk in ground.free if (disk.size_bytes or 0) >= min(map(ground.size, vdevs))
    )
    return sum(len(vdev.members) - vdev.failures_survived for vdev in vdevs) <= given


def _holds(before: PoolNumbers, after: PoolNumbers, fill: int | None) -> bool:
    """Tell whether the data of now fit into the other pool with room to work; True where nobody knows how many."""
    if fill is None or not before.room_bytes or not after.room_bytes:
        return True
    return fill * before.room_bytes <= MOST_FILL_PERCENT * after.room_bytes


def _why(design: Design) -> str:
    wrong = weaknesses(design)
    if wrong:
        return " ".join((*wrong, tell("No disk that is added changes that; a pool made anew does.")))
    return tell("The layout is for good: what another one would be better at, only a pool made anew has.")


def _shapes(disks: int) -> Iterator[tuple[VdevKind, int, int]]:
    """Yield kind, parity and width of the equal vdevs that so many disks make."""
    for count in range(1, _MOST_VDEVS + 1):
        width, rest = divmod(disks, count)
        if rest:
            continue
        if width == 2:
            yield VdevKind.MIRROR, 0, 2
        for parity, widest in WIDEST.items():
            if LEAST_DATA + parity <= width <= widest:
                yield VdevKind.RAIDZ, parity, width
