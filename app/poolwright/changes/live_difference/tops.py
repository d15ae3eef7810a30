"""The vdevs of a pool and of a design side by side: their disks under one name, whatever machine they were read on."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from poolwright.capacity.expansion import LAST_DATA_VDEV, GrownPool, GrownTop
from poolwright.changes.as_design import PoolDesign, PoolVdev, tied_to, unusable_todo, why_unusable
from poolwright.changes.growth.design import opened_bytes
from poolwright.changes.live_difference.values import Identity, LiveDifference, LiveWay, differs
from poolwright.design.assign import ALIKE
from poolwright.design.binding.judging import identified
from poolwright.design.request import Request
from poolwright.domain import action
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.host import Inventory
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.texts import _, listed

SINGLY = (VdevClass.CACHE, VdevClass.SPARE)  # each device is for itself
_MIRROR_LIKE = (VdevKind.STRIPE, VdevKind.MIRROR)


def convertible(live: Vdev, wanted: Vdev) -> bool:
    """Tell whether the one can become the other by disks that join, leave or give way to others."""
    if live.vdev_class is not wanted.vdev_class:
        return False
    if live.kind in _MIRROR_LIKE and wanted.kind in _MIRROR_LIKE:
        return True
    return live.kind is wanted.kind and word_of(live) == word_of(wanted)


def word_of(vdev: Vdev) -> str:
    """Return ``raidz2``, ``draid2:8d:1s``, ...; of dRAID with the data disks that zpool takes by itself."""
    spec = vdev.sizeless()
    return replace(spec, draid_data=spec.group_data).word if vdev.kind is VdevKind.DRAID else spec.word


def wanted_tops(design: Design) -> tuple[Vdev, ...]:
    return tuple(one for vdev in sorted(design.vdevs, key=lambda v: v.rank) for one in _apart(vdev))


def _apart(vdev: Vdev) -> Iterator[Vdev]:
    if vdev.kind is VdevKind.STRIPE or vdev.vdev_class in SINGLY:
        yield from (replace(vdev, kind=VdevKind.STRIPE, members=(member,)) for member in vdev.members)
    else:
        yield vdev


def on_machine(design: Design, disks: Sequence[Disk]) -> Design:
    """Return a design with the disks that it uses under their keys on the machine, which has ``disks``."""
    used = design.used_keys()
    mine = [disk for disk in design.disks if disk.key in used]
    here = _found_here(mine, disks)
    keys = {disk.key: here.get(disk.key, f"the design's {disk.key}") for disk in mine}  # for machines

    vdevs = tuple(
        replace(v, members=tuple(replace(m, disk_key=keys.get(m.disk_key, m.disk_key), path=None) for m in v.members))
        for v in design.vdevs
    )
    return replace(design, vdevs=vdevs, disks=tuple(replace(disk, key=keys[disk.key]) for disk in mine))


# By the key of each disk of a design that is on the machine its key there. Disks that no tool tells a name of, such as
# those that are missing, are the same where all that is known is.
def _found_here(mine: Sequence[Disk], disks: Sequence[Disk]) -> dict[str, str]:
    by_key = {disk.key: disk for disk in disks}
    same = {disk.key: disk.key for disk in mine if by_key.get(disk.key) == disk and not disk.planned}
    taken = set(same.values())
    named = identified(
        [disk for disk in mine if disk.key not in same and not disk.planned],
        [disk for disk in disks if disk.key not in taken],
    )
    return {**same, **{key: disk.key for key, (disk, __) in named.items()}}


def state_of_vdevs(tops: Sequence[PoolVdev], design: Design, *, sizes_known: bool, traces: bool) -> GrownPool:
    """Return the pool as it is asked what OpenZFS would refuse, its vdevs by their numbers in ``tops``.

    Only a vdev whose size is known refuses disks that are too small. ``traces``: a vdev was removed before.
    """
    found = [_grown(top, design.version, sizes_known=sizes_known) for top in tops]
    if traces:
        found.append(GrownTop(spec=VdevSpec(kind=VdevKind.STRIPE), devices=(), members=(), born_width=1, removed=True))
    return GrownPool(ashift=design.ashift, version=design.version, tops=tuple(found))


def shape_of(vdev: Vdev, called: str) -> GrownTop:
    """Return a vdev whose size nobody knows."""
    width = len(vdev.members)
    return GrownTop(spec=vdev.sizeless(), devices=(0,) * width, members=vdev.members, born_width=width, called=called)


def _grown(top: PoolVdev, version: ZfsVersion, *, sizes_known: bool) -> GrownTop:
    shape, sizes = shape_of(top.vdev, top.name), top.sizes
    if not sizes_known:
        return shape
    if sizes is not None and sizes.asize_bytes and sizes.metaslab_shift:
        return replace(shape, asize=sizes.asize_bytes, shift=sizes.metaslab_shift)
    devices = (device_of(seat.disk, seat.member, version) or 0 for seat in top.seats)
    shape = replace(shape, devices=tuple(devices))
    return replace(shape, asize=shape.offered)


def device_of(disk: Disk, member: Member, version: ZfsVersion) -> int | None:
    """Return the bytes that OpenZFS opens of a disk or its partition; None where they are not known, 0 of too few."""
    if member.slice_bytes is not None or disk.size_bytes is None:
        return member.slice_bytes
    try:
        return opened_bytes(disk, version)
    except PoolwrightError:
        return 0


# A layout on the disks of the pool that it is held against: those of the pool first, each where it is already.


def without_pool(inventory: Inventory, made: PoolDesign) -> tuple[Inventory, tuple[Disk, ...]]:
    """Return the machine as it is without the pool, and the disks that this frees: those that hold nothing else."""
    own = made.design
    whole = {m.disk_key for v in own.all_vdevs() for m in v.members if m.part is None}
    free = {disk.key for disk in inventory.disks if disk.key in whole and not tied_to(disk, own.pool_name)}
    disks = tuple(replace(disk, uses=()) if disk.key in free else disk for disk in inventory.disks)
    return replace(inventory, disks=disks), tuple(d for d in disks if d.key in whole and not d.refusals())


def offered_after(own: tuple[Disk, ...], made: PoolDesign, layout: Layout, request: Request) -> tuple[Request, ...]:
    """Return the request with the disks of the pool alone, then with one free disk more each, the last with all.

    A spare of the pool comes last where the layout has none, so that no disk has to leave for another to come.
    """
    spares = {m.disk_key for v in made.design.all_vdevs() if v.vdev_class is VdevClass.SPARE for m in v.members}
    if any(spec.vdev_class is VdevClass.SPARE for spec in layout):
        spares = set()
    first = [disk for disk in own if disk.key not in spares]
    keys = {disk.key for disk in own}
    others = [disk for disk in request.disks if disk.key not in keys]
    others += [disk for disk in own if disk.key in spares]
    return tuple(replace(request, disks=(*first, *others[:count])) for count in range(len(others) + 1))


def seated_like(design: Design, live: Sequence[Vdev]) -> Design:
    """Return the design with its disks where the vdevs of a pool have them; as it is where they differ in size."""
    free = {key: design.disk(key) for vdev in design.vdevs for key in vdev.keys}
    left = list(live)
    seats: list[list[Member | None]] = []
    for vdev in design.vdevs:
        fitting = (one for one in left if convertible(one, vdev))
        like = min(fitting, key=lambda one: abs(len(one.members) - len(vdev.members)), default=None)
        if like is not None:
            left.remove(like)
        own = list(like.members) if like is not None else []
        seats.append([_taken(own, design.disk(key), free) for key in vdev.keys])
    vdevs = []
    for vdev, there in zip(design.vdevs, seats, strict=True):
        members = []
        for seat, key in zip(there, vdev.keys, strict=True):
            member = seat or _taken([Member(disk_key=one) for one in free], design.disk(key), free)
            if member is None:
                return design
            members.append(member)
        vdevs.append(replace(vdev, members=tuple(members)))
    return replace(design, vdevs=tuple(vdevs))


# Take the first of the members whose disk is free and as large as another; None where none is.
def _taken(members: list[Member], like: Disk, free: dict[str, Disk]) -> Member | None:
    for member in members:
        size = free[member.disk_key].size_bytes if member.disk_key in free else None
        if size is not None and like.size_bytes is not None and abs(size - like.size_bytes) <= ALIKE * like.size_bytes:
            del free[member.disk_key]
            return member
    return None


# Disks that stand in each other's places: which of them need not move at all, and how the others would.


def exchanged(waiting: Sequence[LiveDifference], tops: Sequence[PoolVdev]) -> Iterator[tuple[LiveDifference, ...]]:
    """Yield the replacements that wait for each other in a circle: each takes the disk that the next one gives up."""
    gives = {one.frees[0]: one for one in waiting if one.replaces}
    seats = {seat.identity for top in tops for seat in top.seats}
    seen: set[Identity] = set()
    for start, first in gives.items():
        circle: list[LiveDifference] = []
        one: LiveDifference | None = first
        while one is not None and one.frees[0] not in seen:
            seen.add(one.frees[0])
            circle.append(one)
            one = gives.get(one.needs[0])
        if circle and one is not None and one.frees[0] == start and start in seats:
            yield tuple(circle)


def as_one_difference(circle: Sequence[LiveDifference], tops: Sequence[PoolVdev]) -> LiveDifference:
    """Return a circle as one difference: nothing to do for disks that are alike, else what it would take."""
    seats = {seat.identity: seat for top in tops for seat in top.seats}
    here = [seats[one.frees[0]] for one in circle]
    alike = len({(seat.size, *_nature(seat.disk)) for seat in here}) == 1
    found, wanted = (
        listed([_("{disk} in {vdev}", disk=seats[own[0]].label, vdev=one.place) for own, one in pairs])
        for pairs in ([(one.frees, one) for one in circle], [(one.needs, one) for one in circle])
    )
    if alike:
        mind = _(
            "The disks are alike: nothing is to be done. Where bays count, export the pool, exchange the disks "
            "and import it again."
        )
    else:
        mind = _(
            "The disks differ, and would have to change places: that takes a free disk as large as {disk} in between, "
            "and each replacement awaited.",
            disk=max(here, key=lambda seat: seat.size or 0).label,
        )
    text = _("The pool has {found}; the design has {wanted}.", found=found, wanted=wanted)
    way = LiveWay.LEFT if alike else LiveWay.CANNOT
    return differs(listed([one.place for one in circle]), "disk", found, wanted, text, way=way, mind=mind)


def _nature(disk: Disk) -> tuple[object, ...]:
    return (disk.size_bytes, disk.logical_sector_bytes, disk.physical_sector_bytes, disk.media, disk.rotation_rpm,
            disk.smr, disk.transport)  # fmt: skip


# The order in which steps are safe: what raises redundancy first, what lowers it last, no disk before it is free.


def rank(one: LiveDifference) -> int:
    """Return a step's place: a broken disk before all, a wider raidz after all mirrors have their sides."""
    match one.action:
        case action.SetProperty(of_pool=True, setting=setting):
            return 13 if setting.name == "bootfs" else 1  # needs a dataset
        case action.Replace():
            return 1 if one.broken else 2
        case action.Attach(widens=widens):
            return 7 if widens else 4
        case action.AddVdevs():
            return 6 if one.name == VdevClass.DATA else 5
        case action.OnPool(verb=verb):
            return _RANKS[verb]
        case action.CreateDataset():
            return 11
        case action.SetProperty():
            return 12
    return 14


_RANKS = {action.Verb.DISCARD_CHECKPOINT: 0, action.Verb.REMOVE: 8, action.Verb.DETACH: 9, action.Verb.EXPAND: 10}


def in_safe_order(
    changes: Iterable[LiveDifference], tops: Iterable[PoolVdev]
) -> tuple[tuple[LiveDifference, ...], tuple[LiveDifference, ...]]:
    """Return the changes in order, and those that wait for a disk which is never free.

    Where two wait for each other none can begin: disks in each other's places are one difference. What `zpool attach`
    names beside the new disk is found on the way: a device that is in the vdev by then.
    """
    tops = tuple(tops)
    there = {top.name: [seat.identity for seat in top.seats] for top in tops}
    devices = {seat.identity: seat.device for top in tops for seat in top.seats}
    data = sum(top.vdev.vdev_class is VdevClass.DATA for top in tops)
    taken = {identity for identities in there.values() for identity in identities}
    waiting = sorted((one for one in changes if one.action is not None), key=rank)
    done: list[LiveDifference] = []
    while True:
        free = (one for one in waiting if taken.isdisjoint(one.needs))
        following = next((one for one in free if data > 1 or _data_vdevs(one) >= 0), None)
        if following is None:
            break
        waiting.remove(following)
        here = there.setdefault(following.place, [])
        if isinstance(following.action, action.Attach) and here:
            following = replace(following, action=replace(following.action, to=devices[here[0]]))
        here[:] = [identity for identity in (*here, *following.needs) if identity not in following.frees]
        done.append(following)
        taken.update(following.needs)
        devices = {device.identity: device for device in action.coming(following.action)} | devices
        taken.difference_update(following.frees)
        data += _data_vdevs(following)
    circles = list(exchanged(waiting, tops))
    held = {id(one) for circle in circles for one in circle}
    stuck = [_stuck(one, waiting, taken) for one in waiting if id(one) not in held]
    return tuple(done), (*(as_one_difference(circle, tops) for circle in circles), *stuck)


def held_while_barred(found: Sequence[LiveDifference]) -> list[LiveDifference]:
    """Return the differences without any step where a data vdev stays that the design does not have.

    Whatever joined such a pool, or left it, would not make it the design, and some of it is for good.
    """
    bar = next((one.place for one in found if one.way is LiveWay.CANNOT and one.bars), None)
    if bar is None:
        return list(found)
    reason = _("Not while {vdev} stays: the pool would not become the design, and might be worse for good. "
                  "“poolwright migrate” plans the way to a new pool.", vdev=bar)  # fmt: skip
    left = (action.SetProperty, action.CreateDataset, action.Reimport)
    return [
        one if one.action is None
        else one.refused("", LiveWay.LEFT) if isinstance(one.action, left)
        else one.refused(reason)
        for one in found
    ]  # fmt: skip


def held_while_hurt(found: Iterable[LiveDifference], state: str | None) -> list[LiveDifference]:
    """Return the differences without steps that take away what bears failures, where the pool is not whole.

    A step that replaces what is broken comes before all others: with one of these nothing is held.
    """
    found = list(found)
    if state in (None, "ONLINE") or any(one.mends for one in found):
        return found
    reason = _("The pool is {state}: redundancy is not changed until that is fixed.", state=state)
    help_only = (VdevClass.CACHE, VdevClass.LOG)
    return [
        one.refused(reason)
        if isinstance(one.action, action.OnPool)
        and one.action.devices
        and not action.expands(one.action)
        and one.name not in help_only
        else one
        for one in found
    ]


def held_while_unusable(found: Sequence[LiveDifference], state: str | None, pool: str) -> list[LiveDifference]:
    """Return the differences without any step where the data of the pool cannot be read, a replacement neither."""
    why = why_unusable(state, pool)
    held = f"{why}. {unusable_todo()}"
    return [one.refused(held) if why and one.action is not None else one for one in found]


# How many data vdevs a step brings; -1 of one that leaves.
def _data_vdevs(one: LiveDifference) -> int:
    return 0 if one.name != VdevClass.DATA else 1 if isinstance(one.action, action.AddVdevs) else -1


def _stuck(one: LiveDifference, waiting: Sequence[LiveDifference], taken: set[Identity]) -> LiveDifference:
    wanted = taken.intersection(one.needs)
    given = {identity for other in waiting for identity in other.frees}
    reason = (
        _(LAST_DATA_VDEV)
        if not wanted
        else _("The disks would have to change places: that takes a free disk in between, or the room for it.")
        if wanted <= given
        else _("A disk that it needs has another place in the pool, which it cannot leave.")
    )
    return replace(one, way=LiveWay.CANNOT, reason=reason, action=None)
