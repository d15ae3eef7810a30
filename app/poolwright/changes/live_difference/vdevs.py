"""How a vdev of the pool becomes the one of the design that stands for it: disks join, leave, or give way to others."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity import expansion
from poolwright.changes.as_design import PoolSeat, PoolVdev
from poolwright.changes.live_difference.tops import SINGLY, convertible, device_of, shape_of
from poolwright.changes.live_difference.values import LiveDifference, LiveWay, differs
from poolwright.domain.action import Action, AddVdevs, Attach, OnPool, Replace, Verb, set_on_pool
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import sectors_problem
from poolwright.domain.grouping import grouped
from poolwright.domain.pool import ExistingPool
from poolwright.domain.units import binary
from poolwright.domain.vdev import (
    ALLOCATION_CLASSES,
    HOLDS_THE_POOL,
    VdevClass,
    VdevKind,
    VdevSpec,
    add_wants_force,
    describe,
)
from poolwright.texts import N_, _, sentence

# Which vdev of a design stands for which one of the pool: that which holds most of its disks, whatever its number.

Pair = tuple[PoolVdev, Vdev]


def paired(
    live: Sequence[PoolVdev], wanted: Sequence[Vdev], fits: Callable[[PoolVdev, Vdev], bool]
) -> tuple[tuple[Pair, ...], tuple[Vdev, ...], tuple[PoolVdev, ...]]:
    """Return what belongs together, what has no vdev in the pool yet, and what has none in the design any more.

    First by the disks that both have where the one can become the other, then by the shape where all disks are others
    and large enough (``fits``), at last by the disks alone. A spare or a cache gives way to no other: one leaves,
    another comes.
    """
    partner: dict[int, int] = {}
    taken: set[int] = set()
    shared = _by_disks(live, wanted)
    alike = [(mine, theirs) for mine, theirs in shared if convertible(live[theirs].vdev, wanted[mine])]
    shaped = [(mine, theirs) for mine, theirs in _by_shape(live, wanted) if fits(live[theirs], wanted[mine])]
    for mine, theirs in [*alike, *shaped, *shared]:
        if mine not in partner and theirs not in taken:
            partner[mine] = theirs
            taken.add(theirs)
    pairs = tuple((live[partner[n]], wanted[n]) for n in sorted(partner))
    added = tuple(top for n, top in enumerate(wanted) if n not in partner)
    return pairs, added, tuple(top for n, top in enumerate(live) if n not in taken)


def _by_disks(live: Sequence[PoolVdev], wanted: Sequence[Vdev]) -> list[tuple[int, int]]:
    homes = grouped((identity, n) for n, top in enumerate(live) for identity in top.identities)
    found = []
    for mine, one in enumerate(wanted):
        shared = Counter(home for member in one.members for home in homes.get(member.identity, ()))
        alike = (home for home in shared if live[home].vdev.vdev_class is one.vdev_class)
        found += [(-shared[theirs], mine, theirs) for theirs in alike]
    return [(mine, theirs) for __, mine, theirs in sorted(found)]


def _by_shape(live: Sequence[PoolVdev], wanted: Sequence[Vdev]) -> list[tuple[int, int]]:
    return [
        (mine, theirs)
        for mine, one in enumerate(wanted)
        for theirs, top in enumerate(live)
        if convertible(top.vdev, one) and one.vdev_class not in SINGLY
        and len(top.seats) == len(one.members) and top.vdev.kind is one.kind is not VdevKind.STRIPE
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedBy:
    """What every change is judged by: the design, the vdevs of the pool, and what becomes of them.

    ``state`` is asked what OpenZFS refuses. ``added`` are vdevs that the pool lacks, ``leaving`` those that the design
    does not have. ``expands``: a vdev takes the room of larger disks by itself. ``force``: what zpool adds with -f
    alone is added.
    """

    design: Design
    pool: str
    tops: tuple[PoolVdev, ...]
    state: expansion.GrownPool
    expands: bool
    force: bool
    added: tuple[Vdev, ...] = ()
    leaving: tuple[PoolVdev, ...] = ()

    def grown(self, top: PoolVdev) -> expansion.GrownTop:
        return self.state.tops[self.tops.index(top)]

    def too_small(self, top: PoolVdev, member: Member) -> str:
        """Return why a disk of the design is known to be too small for a place; empty where it is not."""
        device = device_of(self.design.disk(member.disk_key), member, self.design.version)
        return next(expansion.why_too_small(self.grown(top), () if device is None else (device,)), "")

    def fits(self, top: PoolVdev, wanted: Vdev) -> bool:
        return not any(self.too_small(top, member) for member in wanted.members)


def vdev_words(vdev: Vdev) -> str:
    """Return a vdev in a few words: ``raidz2 of 6``."""
    return describe((vdev.sizeless(),))


def changes_of_pair(pair: Pair, ground: JudgedBy) -> Iterator[LiveDifference]:
    top, wanted = pair
    draid = top.vdev.kind is VdevKind.DRAID
    if not convertible(top.vdev, wanted):
        yield _cannot(top, wanted, expansion.why_never(draid=draid and wanted.kind is VdevKind.DRAID))
        return
    wanted_here = {member.identity for member in wanted.members}
    # What is broken first.
    gone = sorted((seat for seat in top.seats if seat.identity not in wanted_here), key=lambda seat: seat.well)
    come = [member for member in wanted.members if member.identity not in top.identities]
    number, wider = min(len(gone), len(come)), len(come) - len(gone)
    if (wider < 0 and top.vdev.parity) or (wider and draid):
        grown, version = ground.grown(top), ground.state.version
        yield _cannot(
            top,
            wanted,
            next(expansion.why_not_detached(grown) if wider < 0 else expansion.why_not_attached(grown, version)),
        )
        gone, come = gone[:number], come[:number]
    replaced = [_replaced(top, seat, member, ground) for seat, member in zip(gone, come, strict=False)]
    yield from replaced
    if number and not ground.expands and any(one.way is LiveWay.STEP for one in replaced):
        yield from _expanding(top, wanted, ground)
    for member in come[number:]:
        yield _attached(top, member, ground)
    for at, seat in enumerate(gone[number:], 1):
        yield _detached(top, seat, ground, sides=len(top.seats) - at + len(come[number:]))


def _cannot(top: PoolVdev, wanted: Vdev, reason: str) -> LiveDifference:
    bars = top.vdev.vdev_class is VdevClass.DATA
    return differs(top.name, "vdev", vdev_words(top.vdev), vdev_words(wanted), why_not=reason, bars=bars)


def _replaced(top: PoolVdev, seat: PoolSeat, member: Member, ground: JudgedBy) -> LiveDifference:
    label, ashift = ground.design.disk(member.disk_key).label, _small_blocks(top, member, ground)
    return differs(
        top.name,
        "disk",
        seat.label,
        label,
        action=Replace(pool=ground.pool, old=seat.device, new=member, ashift=ashift),
        why_not=_disk_problem(top, member, ground),
        mind=_mind(top, member, ground),
        broken=not seat.well,
        frees=(seat.identity,),
    )


def _attached(top: PoolVdev, member: Member, ground: JudgedBy) -> LiveDifference:
    label, mind = ground.design.disk(member.disk_key).label, _mind(top, member, ground)
    action = Attach(
        pool=ground.pool,
        to=top.seats[0].device,
        device=member,
        widens=top.name if top.vdev.kind is VdevKind.RAIDZ else "",
        ashift=None if top.vdev.kind is VdevKind.RAIDZ else _small_blocks(top, member, ground),
    )
    rewrite = ""
    if action.widens:
        mind = _("No way back: no disk leaves a raidz vdev again. {more}", more=mind).rstrip()
        rewrite = _("What is stored already keeps its old share of parity until it is written anew.")
    return differs(
        top.name,
        "disk",
        "",
        label,
        _("{vdev} lacks {disk}, which the design has there.", vdev=top.name, disk=label),
        action=action,
        why_not=_disk_problem(top, member, ground),
        mind=mind,
        rewrite=rewrite,
    )


def _detached(top: PoolVdev, seat: PoolSeat, ground: JudgedBy, *, sides: int) -> LiveDifference:
    mind = _("{vdev} has no redundancy then.", vdev=top.name) if sides <= 1 else ""
    text = _("{vdev} has {disk}, which the design has not there.", vdev=top.name, disk=seat.label)
    action = OnPool(pool=ground.pool, verb=Verb.DETACH, devices=(seat.device,))
    return differs(top.name, "disk", seat.label, "", text, action=action, mind=mind, frees=(seat.identity,))


# With autoexpand off a vdev stays as small as it was, however large its new disks are.
def _expanding(top: PoolVdev, wanted: Vdev, ground: JudgedBy) -> Iterator[LiveDifference]:
    sizes = [m.slice_bytes or ground.design.disk(m.disk_key).size_bytes or 0 for m in wanted.members]
    old = [seat.size or 0 for seat in top.seats]
    if not ground.grown(top).asize or min(sizes, default=0) <= min(old, default=0):
        return
    text = _("{vdev} takes the room of its larger disks only when told to: autoexpand is off.", vdev=top.name)
    action = OnPool(pool=ground.pool, verb=Verb.EXPAND, devices=wanted.members)
    yield differs(top.name, "autoexpand", "", "", text, action=action)


# What to mind of a disk that comes: sectors larger than the vdev's blocks, wear on the rest of it.
def _mind(top: PoolVdev, member: Member, ground: JudgedBy) -> str:
    ashift = _small_blocks(top, member, ground)
    if ashift is None:
        return ""
    disk = ground.design.disk(member.disk_key)
    words = {"disk": disk.label, "sector": disk.physical_sector_bytes, "block": 1 << ashift, "ashift": ashift}
    return _(
        "{disk} has sectors of {sector} bytes and the vdev blocks of {block}: it takes -o ashift={ashift}, and writes "
        "slowly.",
        **words,
    )


# zpool refuses a disk whose sectors are larger than the vdev's blocks unless -o ashift says that this is meant.
def _small_blocks(top: PoolVdev, member: Member, ground: JudgedBy) -> int | None:
    ashift, physical = top.ashift, ground.design.disk(member.disk_key).physical_sector_bytes
    return ashift if ashift is not None and physical is not None and physical > 1 << ashift else None


def _disk_problem(top: PoolVdev, member: Member, ground: JudgedBy) -> str:
    disk, ashift = ground.design.disk(member.disk_key), top.ashift
    if ashift is not None and (problem := sectors_problem(disk, ashift)):
        return sentence(problem)
    return ground.too_small(top, member)


# What the design has and the pool has not, and what the pool has and the design has not: vdevs that come and go.

_UNLIKE = N_(
    "It is unlike the vdevs that are there: zpool add wants -f for it, which is never written here. The weakest "
    "vdev decides for the pool."
)


def additions(ground: JudgedBy) -> Iterator[LiveDifference]:
    specs = [top.vdev.sizeless() for top in ground.tops]
    for one in ground.added:
        spec = one.sizeless()
        unlike = add_wants_force(specs, spec, ground.design.version) or _is_weaker(spec, specs)
        problem = next(expansion.why_not_added(ground.state, spec), _(_UNLIKE) if unlike and not ground.force else "")
        if not problem:
            specs.append(spec)
        yield _added(one, problem, ground)


# zpool compares none where those there differ already, and a pool is lost by its weakest vdev.
def _is_weaker(new: VdevSpec, there: Sequence[VdevSpec]) -> bool:
    bears = [spec.failures_survived for spec in there if spec.vdev_class in HOLDS_THE_POOL]
    return new.vdev_class in HOLDS_THE_POOL and bool(bears) and new.failures_survived < min(bears)


def _added(one: Vdev, problem: str, ground: JudgedBy) -> LiveDifference:
    words, pool = vdev_words(one), ground.pool
    labels = ", ".join(ground.design.disk(member.disk_key).label for member in one.members)
    held = one.vdev_class in HOLDS_THE_POOL
    parity = any(vdev.parity for vdev in (*(top.vdev for top in ground.tops), *ground.added))
    minds = [_("Cannot be removed: the pool has raidz or dRAID vdevs.")] if held and parity else []
    if held and ground.design.known_ashift is None:
        minds.append(_("The ashift of the pool was not read: look with `zdb -C`."))
    mind = " ".join(minds)
    ashift = None if one.vdev_class in SINGLY else ground.design.known_ashift
    action = AddVdevs(pool=pool, vdevs=(one,), ashift=ashift)
    rewrite = _("What is stored already stays where it is; only new data spread over it.") if held else ""
    text = _("{pool} lacks {vdev} ({disks}).", pool=pool, vdev=words, disks=labels)
    return differs(
        pool, one.vdev_class.value, "", words, text, action=action, why_not=problem, mind=mind, rewrite=rewrite
    )


def removals(ground: JudgedBy) -> Iterator[LiveDifference]:
    for top in ground.leaving:
        found = vdev_words(top.vdev)
        text = _("{vdev} ({what}) is in the pool; the design does not have it.", vdev=top.name, what=found)
        vdev = top.seats[0].device if top.vdev.kind is VdevKind.STRIPE else top.name
        yield differs(
            top.name,
            top.vdev.vdev_class.value,
            found,
            "",
            text,
            action=OnPool(pool=ground.pool, verb=Verb.REMOVE, devices=(vdev,), moves_data=top.holds),
            why_not=_removal_problem(top, ground),
            mind=_("Its data move to the others; the table of where they went costs memory for good.")
            if top.holds
            else "",
            bars=top.vdev.vdev_class is VdevClass.DATA,
            frees=tuple(seat.identity for seat in top.seats),
        )


# Why `zpool remove` refuses; empty where nothing that was read speaks against it.
def _removal_problem(top: PoolVdev, ground: JudgedBy) -> str:
    if top.vdev.vdev_class in SINGLY and top.seats[0].node.state == "INUSE":
        return _("The spare stands in for another disk: replace that one, then zpool detach frees the spare.")
    if top.vdev.vdev_class not in HOLDS_THE_POOL:
        return ""
    coming = (shape_of(one, vdev_words(one)) for one in ground.added)
    state = replace(ground.state, tops=(*ground.state.tops, *coming))
    why = next(expansion.why_not_removed(state, ground.tops.index(top)), "")
    if why:
        alone = next(expansion.why_not_removed(ground.state, ground.tops.index(top)), "")
        return alone or _("Once the pool has the new vdevs of the design, no vdev can be removed. {why}", why=why)
    names = {one.name for one in ground.leaving}
    staying = [one for one in ground.tops if one.name not in names]
    others = {one.ashift for one in ground.tops if one.ashift is not None}
    comes = ground.design.known_ashift
    others |= {comes} if comes and any(one.vdev_class in HOLDS_THE_POOL for one in ground.added) else set()
    if len(others) > 1:
        return _("zpool remove wants one ashift in all vdevs; here are {ashifts}.",
                    ashifts=", ".join(str(one) for one in sorted(others)))  # fmt: skip
    return _room_problem(top, staying, ground)


# OpenZFS looks for room before it begins; here it is told before anything is typed.
def _room_problem(top: PoolVdev, staying: Sequence[PoolVdev], ground: JudgedBy) -> str:
    moved = top.sizes.allocated_bytes if top.sizes is not None else None
    free = [one.sizes.free_bytes if one.sizes is not None else None for one in staying
            if one.vdev.vdev_class is VdevClass.DATA]  # fmt: skip
    comes = [min((ground.design.disk(m.disk_key).size_bytes or 0 for m in one.members), default=0)
             for one in ground.added if one.vdev_class is VdevClass.DATA]  # fmt: skip
    if moved is None or None in free:
        return ""
    room = sum(one for one in free if one is not None) + sum(comes)
    if moved <= room:
        return ""
    return _("Its data take {data}, the others have {room} free.", data=binary(moved), room=binary(room))


# What a step needs of OpenZFS: its version, and a feature of the pool that an old pool may not have enabled.


def feature_of(action: Action) -> str | None:
    """Return the feature that `zpool` wants enabled for an action; None where it wants none."""
    match action:
        case AddVdevs(vdevs=(vdev, *_)):
            if vdev.kind is VdevKind.DRAID:
                return "draid"
            return "allocation_classes" if vdev.vdev_class in ALLOCATION_CLASSES else None
        case Attach() if action.widens:
            return "raidz_expansion"
        case OnPool(moves_data=True):
            return "device_removal"
    return None


def enabling(actions: Sequence[Action], pool: str, known: ExistingPool) -> Iterator[LiveDifference]:
    """Yield a step for each feature that the actions need and the pool has not enabled."""
    for feature in sorted(filter(None, {feature_of(action) for action in actions})):
        if known.value(f"feature@{feature}") != "disabled":
            continue
        name = f"feature@{feature}"
        text = _("The feature {feature} is not enabled, and a later step needs it.", feature=feature)
        mind = _("For good: an older OpenZFS, or a boot loader, may not read the pool any more.")
        yield differs(pool, name, "disabled", "enabled", text, action=set_on_pool(pool, name, "enabled"), mind=mind)
