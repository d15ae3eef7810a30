"""The same disks as another pool: what that would bring, and that every byte has to be copied away and back for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.device import SAFE_ASHIFT
from poolwright.changes.growth.design import GrownDesign, created_pool
from poolwright.changes.improve.pool_change import (
    MOST_FILL_PERCENT,
    ChangeKind,
    PoolChange,
    PoolMove,
    PoolNumbers,
    PoolToImprove,
    Urgency,
)
from poolwright.design.choose import KNOWN_WIDTHS
from poolwright.design.floors import FAILURES_WANTED, FEW_DISKS, WIDEST, failures_wanted, too_wide
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import FLASH_MEDIA, Disk, Health
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.money import Money
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import VdevClass, VdevKind, describe
from poolwright.domain.workload import Goal
from poolwright.texts import _, marked, ngettext

_WORTH_POINTS = 3.0  # less is not worth a night of copying
_MOST_VDEVS = 12


def rebuilds(pool: PoolToImprove) -> tuple[PoolChange, ...]:
    """Return the best other layout of the disks that hold data, where it is worth its copying; nothing where it is not.

    Looked at are mirrors of two and raidz1 to raidz3 in equal vdevs above the floors of the goal.
    """
    design = pool.made.design
    data = [v for v in design.vdevs if v.vdev_class is VdevClass.DATA]
    members = [m for v in data for m in v.members]
    if len(members) < 2 or any(m.part is not None for m in members):
        return ()
    goal = design.workload.goal
    wanted = FAILURES_WANTED[goal] if len(members) > FEW_DISKS[goal] else 1
    if goal is Goal.SAFETY:  # nobody copies everything to have less of what was asked for
        wanted = max(wanted, min(FAILURES_WANTED[goal], pool.before.survived or 0))
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
            after = pool.numbers(created_pool(made))
        except PoolwrightError:
            continue
        change, lifts = _change(pool, made, vdevs, after), mends and not weaknesses(made)
        if lifts or change.points >= _WORTH_POINTS:
            # Half the points: the time, and the one copy less that there is meanwhile.
            found.append(replace(change, lifts=lifts, points=change.points / 2))
    return tuple(sorted(found, key=lambda change: (change.urgency is Urgency.NOT, -change.points))[:1])


def _change(pool: PoolToImprove, made: Design, vdevs: Sequence[Vdev], after: PoolNumbers) -> PoolChange:
    holds = _holds(pool, after)
    change = PoolChange(
        kind=ChangeKind.REBUILD,
        # A sound pool is not taken apart for points: all its data would need another place meanwhile.
        urgency=Urgency.NOT if not holds else Urgency.WORTH if weaknesses(pool.made.design) else Urgency.LITTLE,
        title=_("Recreate the pool on the same disks as {layout}",
                   layout=describe(tuple(v.sizeless() for v in vdevs))),
        why=_why(pool.made.design)
        if holds
        else _("It would survive more, but the data of now would fill it to more than {percent} %: with larger or "
                  "more disks only.", percent=MOST_FILL_PERCENT),
        design=made,
        move=move_to(vdevs, [made.disk(member.disk_key) for vdev in vdevs for member in vdev.members])
        if _begins(pool, vdevs)
        else None,
        cost=pool.cost(()),
        rewrite=_("Copy everything away, recreate the pool, and copy it back."),
        minds=(_("A whole second copy of the data has to exist, and to have been read, before."),),
    )  # fmt: skip
    return pool.weighed(change, after)


# Whether the new pool could begin beside the old one, which gives disks away down to its last redundancy. Of mirrors
# whole vdevs can leave as well, which only the plan of a move can tell.
def _begins(pool: PoolToImprove, vdevs: Sequence[Vdev]) -> bool:
    old = [vdev for __, vdev in pool.data]
    if all(vdev.kind in (VdevKind.MIRROR, VdevKind.STRIPE) for vdev in old):
        return True
    given = sum(vdev.failures_survived for vdev in old) + sum(
        1 for disk in pool.free if (disk.size_bytes or 0) >= min(map(pool.size, vdevs))
    )
    return sum(len(vdev.members) - vdev.failures_survived for vdev in vdevs) <= given


# Whether the data of now fit into the other pool with room to work; True where nobody knows how many.
def _holds(pool: PoolToImprove, after: PoolNumbers) -> bool:
    if pool.fill is None or not pool.before.room_bytes or not after.room_bytes:
        return True
    return pool.fill * pool.before.room_bytes <= MOST_FILL_PERCENT * after.room_bytes


def _why(design: Design) -> str:
    if wrong := weaknesses(design):
        return " ".join((*wrong, _("No disk that is added changes that; a pool made anew does.")))
    return _("The layout cannot be changed later without recreating the pool.")


# Kind, parity and width of the equal vdevs that so many disks make.
def _shapes(disks: int) -> Iterator[tuple[VdevKind, int, int]]:
    for count in range(1, _MOST_VDEVS + 1):
        width, rest = divmod(disks, count)
        if rest:
            continue
        if width == 2:
            yield VdevKind.MIRROR, 0, 2
        for parity, widest in WIDEST.items():
            if min(KNOWN_WIDTHS[VdevKind.RAIDZ, parity]) <= width <= widest:
                yield VdevKind.RAIDZ, parity, width


# A new pool on other disks, to which the data move; the old disks come into it afterwards, or are a backup.

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


def new_pools(pool: PoolToImprove) -> Iterator[PoolChange]:
    """Return the new pools that mend what is wrong with the layout for good; nothing where nothing is.

    The old pool stays whole until the copy is checked, so that nothing is ever weaker than now.
    """
    wrong = weaknesses(pool.made.design)
    if not wrong:
        return
    for way in _ways(pool):
        change = _renewal_change(pool, way, " ".join(wrong))
        if change.points >= _LEAST_POINTS:
            yield change


# For each shape the cheapest disks with room to spare, and with just enough of it.
def _ways(pool: PoolToImprove) -> Iterator[_Way]:
    media, room = pool.media([vdev for __, vdev in pool.data]), pool.before.room_bytes
    needed = None if pool.fill is None or not room else room * pool.fill // 100
    for kind, parity, width in _SHAPES:
        wanted = failures_wanted(pool.made.design.workload.goal, pool.made.design.budget, width)
        one = Vdev(kind=kind, parity=parity, members=tuple(Member(disk_key=str(n)) for n in range(width)))
        if one.failures_survived < wanted:
            continue
        found = (way for disks in pool.choices(width, 1, media, larger=True) if (way := _way(pool, one, disks)))
        held = [(_held_percent(needed, way), way) for way in found]
        for least, most in ((-1, _ROOM_PERCENT), (_ROOM_PERCENT, MOST_FILL_PERCENT)):
            yield from sorted((way for percent, way in held if least < percent <= most), key=_cost_amount)[:1]


def _cost_amount(way: _Way) -> float:
    return float("inf") if way.cost is None else float(way.cost.amount)


# How full the new disks alone are with the data; 0 where nobody knows how many these are.
def _held_percent(needed: int | None, way: _Way) -> float:
    if needed is None:
        return 0.0
    alone = created_pool(replace(way.state.origin, vdevs=(way.first,))).pool.capacity().available_bytes
    return 100 * needed / alone if alone else 100.0


# The pool of these disks; None where OpenZFS would refuse it or a disk is no better than the old ones.
def _way(pool: PoolToImprove, shape: Vdev, disks: Sequence[Disk]) -> _Way | None:
    if any(disk.smr for disk in disks):
        return None
    design = pool.made.design
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
        state = created_pool(made if joined else replace(bare, vdevs=(first, *_support(design))))
    except PoolwrightError:
        return None
    return _Way(disks=tuple(disks), first=first, state=state, joined=joined, cost=pool.cost(disks))


# The vdevs that may move along: log, cache and spares; a special vdev holds data and is made anew.
def _support(design: Design) -> tuple[Vdev, ...]:
    along = (VdevClass.LOG, VdevClass.CACHE, VdevClass.SPARE)
    return tuple(vdev for vdev in design.vdevs if vdev.vdev_class in along)


# The vdevs that the old disks make afterwards; none where not all do, or a disk is none to rely on.
def _old_vdevs(design: Design, shape: Vdev) -> tuple[Vdev, ...]:
    members = [member for vdev in data_vdevs(design) for member in vdev.members]
    disks = [design.disk(member.disk_key) for member in members]
    width = len(shape.members)
    suspect = any(disk.health is Health.FAILING or disk.smr for disk in disks)
    if shape.kind is not VdevKind.RAIDZ or len(members) % width or suspect or any(m.part is not None for m in members):
        return ()
    return tuple(replace(shape, members=tuple(members[n : n + width])) for n in range(0, len(members), width))


def _renewal_change(pool: PoolToImprove, way: _Way, wrong: str) -> PoolChange:
    layout, words = describe((way.first.sizeless(),)), counted_disks(way.disks)
    names = {"disks": words, "layout": layout}
    change = PoolChange(
        kind=ChangeKind.NEW_POOL,
        urgency=Urgency.WORTH,
        title=_("Make a new pool of {disks} as {layout}, move the data there, then let the old disks join", **names)
        if way.joined
        else _("Make a new pool of {disks} as {layout}, and move the data there", **names),
        why=wrong,
        design=way.state.design,
        disks=way.disks,
        cost=way.cost,
        lifts=True,
        move=move_to((way.first,), way.disks),
        more_disks=max(0, len(way.disks) - sum(len(vdev.members) for __, vdev in pool.data)),
        rewrite=_("Everything is copied once (zfs send and receive); the move, step by step, is what "
                     "“poolwright migrate” and the tab “Migrate” plan."),
        minds=(
            _("The old pool stays whole until the copy was scrubbed and looked at: nothing is weaker than now "
                 "meanwhile."),
            ngettext("{count} bay more is needed while both exist.", "{count} bays more are needed while both "
                         "exist.", len(way.disks)),
            _("With the old disks joined there is no second copy any more: back up what matters elsewhere.")
            if way.joined
            else _("The old disks are free then: as a pool of their own they make a backup."),
        ),
    )  # fmt: skip
    return pool.weighed(change, pool.numbers(way.state))


# How a change by way of another pool is written for `poolwright migrate`.


def move_to(vdevs: Sequence[Vdev], disks: Sequence[Disk]) -> PoolMove | None:
    """Return the move to a pool of equal vdevs of these disks; None where the disks differ in size."""
    sizes = {marked(drive_size(disk.size_bytes)).replace(" ", "") for disk in disks}
    if len(sizes) != 1 or not vdevs:
        return None
    size = sizes.pop()
    one = f"{vdevs[0].sizeless().word}:{len(vdevs[0].members)}x{size}"
    bought = sum(disk.planned for disk in disks)
    return PoolMove(
        layout=one if len(vdevs) == 1 else f"{len(vdevs)}*{one}", bought=f"{bought} x {size}" if bought else ""
    )


# Disks of a change as people count them.


def counted_disks(disks: Sequence[Disk]) -> str:
    """Return disks as people count them: ``2 × ST16000NM001G (16 TB)``."""
    groups: dict[tuple[str, int | None, bool], int] = {}
    for disk in disks:
        key = (disk.model or (_("any model") if disk.planned else _("disk")), disk.size_bytes, disk.planned)
        groups[key] = groups.get(key, 0) + 1
    words: dict[bool, list[str]] = {planned: [] for planned in (False, True)}
    for (model, size, planned), count in groups.items():
        words[planned].append(f"{count} × {model} ({drive_size(size)})")
    here = _("{disks} already here", disks=", ".join(words[False])) if words[False] else ""
    return ", ".join(filter(None, (here, *words[True])))


# What of a pool's data vdevs lies below the floors of its goal, and no disk that is added mends.

_SECTOR = 4096


def data_vdevs(design: Design) -> tuple[Vdev, ...]:
    return tuple(vdev for vdev in design.vdevs if vdev.vdev_class is VdevClass.DATA)


def wanted_failures(design: Design) -> int:
    """Return how many failures the goal of a pool asks of so many disks."""
    vdevs = data_vdevs(design)
    return failures_wanted(design.workload.goal, design.budget, sum(len(vdev.members) for vdev in vdevs))


def weak_disks(design: Design) -> int:
    """Return how many disks lie in vdevs of parity below the floors: too little of it, too wide, of shingled disks.

    Mirrors are not counted: they heal fast, and a third side can be attached at any time.
    """
    wanted = wanted_failures(design)
    return sum(len(vdev.members) for vdev in data_vdevs(design) if next(_wrong(design, vdev, wanted), None) is not None)


def weaknesses(design: Design) -> tuple[str, ...]:
    """Return what is wrong with the data vdevs that only another pool or other disks mend, each told once."""
    wanted = wanted_failures(design)
    found = [text for vdev in data_vdevs(design) for text in _wrong(design, vdev, wanted)]
    if small_blocks(design):
        found.append(
            _("ashift {ashift} makes blocks smaller than the sectors of the disks, and each write of one reads "
                 "first. It is for good: a vdev keeps it, and disks of 4096-byte sectors alone cannot come in.",
                 ashift=design.ashift)
        )  # fmt: skip
    return tuple(dict.fromkeys(found))


def small_blocks(design: Design) -> bool:
    """Tell whether the data vdevs write blocks that are smaller than what a disk writes at once."""
    disks = (design.disk(member.disk_key) for vdev in data_vdevs(design) for member in vdev.members)
    return design.ashift < SAFE_ASHIFT and any(
        (disk.physical_sector_bytes or 0) >= _SECTOR and disk.media not in FLASH_MEDIA for disk in disks
    )


def leaves_the_floor(before: Design, after: Design) -> bool:
    """Tell whether a pool that bore as many failures as its goal asks of so few disks does so no more."""
    return _bears(before) >= wanted_failures(before) and _bears(after) < wanted_failures(after)


def _bears(design: Design) -> int:
    return min((vdev.failures_survived for vdev in data_vdevs(design)), default=0)


def _wrong(design: Design, vdev: Vdev, wanted: int) -> Iterator[str]:
    if not vdev.parity:
        return
    words = describe((vdev.sizeless(),))
    if vdev.failures_survived < wanted:
        yield _("{vdev} survives too few failures ({count}). While a disk is rebuilt one more ends the pool, and a "
                   "sector that cannot be read costs a file. So many disks should survive {wanted}; parity cannot be "
                   "added.", vdev=words, count=vdev.failures_survived, wanted=wanted)  # fmt: skip
    elif vdev.kind is VdevKind.RAIDZ and len(vdev.members) > WIDEST[vdev.parity]:
        yield too_wide(words, vdev.parity)
    if any(design.disk(member.disk_key).smr for member in vdev.members):
        yield _("{vdev} is of shingled (SMR) disks: a rebuild takes many times as long, and a disk that answers too "
                   "late is thrown out of it.", vdev=words)  # fmt: skip
