"""Moving disks and parts of disks: into a vdev, a bay or the tray, and two for one another."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from poolwright.design.edits.places import (
    LEFT_OVER,
    Bay,
    Piece,
    Target,
    Tray,
    VdevPlace,
    left_over_bytes,
    members_with_places,
    parts_of,
    piece_of,
    place_of,
    pool_count,
    tidied,
    vdev_at,
    vdevs_of,
    with_vdevs,
)
from poolwright.design.edits.shape import MIRROR, STRIPE, check_vdev, shaped
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.slices import whole_slice
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.texts import tell

_SINGLES = (VdevClass.SPARE, VdevClass.CACHE)
LEAST_PIECE_BYTES = 64 << 20


def move(design: Design, pieces: Sequence[Piece], target: Target) -> Design:
    """Return the design with ``pieces`` moved.

    Into a vdev they come behind its members; a vdev they come from becomes narrower, and a mirror of which one side is
    left a single disk, as after `zpool detach`. In a bay they join what is there: spares and caches stay single
    disks, a log, special or dedup device becomes a mirror. A partition that goes into the tray is no longer one.
    Raises Refusal where OpenZFS would not take a vdev that changes, or where a disk may not be used.
    """
    wanted = unique(pieces)
    if isinstance(target, Tray):
        lifted, _ = lift(design, wanted)
        return tidied(checked(lifted, touched(design, lifted)))
    staying = set(pieces_of_target(design, target))
    coming = [piece for piece in wanted if piece not in staying]
    if not coming:
        return design
    lifted, members = lift(design, coming)
    made = _put(lifted, members, target)
    return tidied(checked(made, touched(design, made)))


def swap(design: Design, one: Piece, other: Piece) -> Design:
    """Return the design with two pieces in each other's place; one of them may lie in the tray.

    Raises Refusal for a part of a disk that would lie in the tray, and for a disk that may not be used.
    """
    if one == other:
        return design
    places = {piece: place_of(design, piece) for piece in (one, other)}
    if all(place is None for place in places.values()):
        return design
    for piece, place in places.items():
        if place is None and piece.part is not None:
            raise Refusal(
                tell("A left-over part of a disk cannot be swapped"), todo=tell("Move it into a vdev instead.")
            )
        if place is None:
            check_usable(design, piece)
    if one.disk_key != other.disk_key and any(p.part for p in (one, other)) and None in places.values():
        raise Refusal(
            tell("A part of a disk cannot be swapped for a whole disk in the tray"), todo=tell("Move it to the tray.")
        )
    by_piece = {piece_of(member): member for _, member in members_with_places(design)}
    first = by_piece.get(one, Member(disk_key=one.disk_key))
    second = by_piece.get(other, Member(disk_key=other.disk_key))
    instead = {one: second, other: first}
    made = design
    for pool in range(pool_count(design)):
        vdevs = [
            replace(vdev, members=tuple(instead.get(piece_of(m), m) for m in vdev.members))
            for vdev in vdevs_of(made, pool)
        ]
        made = with_vdevs(made, pool, vdevs)
    return made


def unique(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    return tuple(dict.fromkeys(pieces))


def lift(design: Design, pieces: Sequence[Piece]) -> tuple[Design, tuple[Member, ...]]:
    """Return the design without these pieces, each given once, and the members they make elsewhere.

    Vdevs may be empty afterwards, so that places stay what they were: call `tidied` in the end. Raises Refusal where a
    disk may not be used, UserError for a piece that there is not.
    """
    members: list[Member] = []
    found = {piece_of(member): member for _, member in members_with_places(design)}
    for piece in pieces:
        if piece in found:
            members.append(found[piece])
        elif piece.part == LEFT_OVER:
            members.append(_from_left_over(design, piece))
        else:
            check_usable(design, piece)
            members.append(Member(disk_key=piece.disk_key))
    gone = set(pieces)
    made = design
    for pool in range(pool_count(design)):
        vdevs = [
            replace(vdev, members=tuple(m for m in vdev.members if piece_of(m) not in gone))
            for vdev in vdevs_of(design, pool)
        ]
        made = with_vdevs(made, pool, vdevs)
    return made, tuple(members)


def _from_left_over(design: Design, piece: Piece) -> Member:
    disk = design.disk(piece.disk_key)
    size = whole_slice(left_over_bytes(design, disk))
    if size < LEAST_PIECE_BYTES:
        raise Refusal(tell("There is no room left over on {label}", label=disk.label))
    last = max((m.part or 1 for m in parts_of(design, disk.key)), default=0)
    return Member(disk_key=disk.key, slice_bytes=size, part=last + 1)


def check_usable(design: Design, piece: Piece) -> None:
    """Raise Refusal where a disk from the tray may not be used, UserError where there is no such piece."""
    disk = design.disk(piece.disk_key)
    if piece.part is not None:
        raise UserError(tell("{label} has no partition {part} in this design", label=disk.label, part=piece.part))
    if parts_of(design, disk.key):
        raise Refusal(
            tell("{label} is partitioned", label=disk.label),
            todo=tell("Use what is left over, or undo the partition first."),
        )
    refusals = disk.refusals()
    if refusals:
        raise Refusal(tell("{label} cannot be used", label=disk.label), reasons=refusals, where="; ".join(refusals))


def touched(before: Design, after: Design) -> tuple[VdevPlace, ...]:
    """Return the places of vdevs that differ between two designs with the same places."""
    places = []
    for pool in range(pool_count(after)):
        old = vdevs_of(before, pool) if pool < pool_count(before) else ()
        for number, vdev in enumerate(vdevs_of(after, pool)):
            if number >= len(old) or old[number] != vdev:
                places.append(VdevPlace(pool=pool, vdev=number))
    return tuple(places)


def checked(design: Design, places: Iterable[VdevPlace]) -> Design:
    """Return the design, mirrors of one side as single disks; raises Refusal for a vdev OpenZFS would not take."""
    made = design
    for place in places:
        vdev = vdev_at(made, place)
        if not vdev.members:
            continue
        if vdev.kind is VdevKind.MIRROR and len(vdev.members) == 1:
            vdevs = list(vdevs_of(made, place.pool))
            vdev = vdevs[place.vdev] = shaped(vdev, STRIPE)
            made = with_vdevs(made, place.pool, vdevs)
        keys = [member.disk_key for member in vdev.members]
        if vdev.kind is not VdevKind.STRIPE and len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise Refusal(
                tell("Two parts of {label} would be in one vdev", label=design.disk(twice).label),
                todo=tell("If the disk failed, both would be gone. Use another disk."),
            )
        check_vdev(vdev, design.version)
    return made


def pieces_of_target(design: Design, target: Target) -> tuple[Piece, ...]:
    """Return the pieces that are already where others are to be moved."""
    if isinstance(target, Tray):
        return ()
    if isinstance(target, VdevPlace):
        return tuple(piece_of(member) for member in vdev_at(design, target).members)
    vdevs = (vdev for vdev in vdevs_of(design, target.pool) if vdev.vdev_class is target.vdev_class)
    return tuple(piece_of(member) for vdev in vdevs for member in vdev.members)


def _put(design: Design, members: tuple[Member, ...], target: VdevPlace | Bay) -> Design:
    if isinstance(target, VdevPlace):
        vdevs = list(vdevs_of(design, target.pool))
        held = vdev_at(design, target)
        vdevs[target.vdev] = replace(held, members=(*held.members, *members))
        return with_vdevs(design, target.pool, vdevs)
    return _put_in_bay(design, members, target)


def _put_in_bay(design: Design, members: tuple[Member, ...], bay: Bay) -> Design:
    vdevs = list(vdevs_of(design, bay.pool))
    at = next((i for i, v in enumerate(vdevs) if v.vdev_class is bay.vdev_class and v.members), None)
    if bay.vdev_class is VdevClass.DATA:
        raise UserError(tell("Data vdevs are chosen one by one"))
    mirrored = bay.vdev_class not in _SINGLES
    if at is None:
        made = Vdev(kind=VdevKind.STRIPE, members=members, vdev_class=bay.vdev_class)
        vdevs.append(shaped(made, MIRROR) if mirrored and len(members) > 1 else made)
        return with_vdevs(design, bay.pool, vdevs)
    held = replace(vdevs[at], members=(*vdevs[at].members, *members))
    if mirrored and len(vdevs[at].members) == 1:
        held = shaped(held, MIRROR)
    vdevs[at] = held
    return with_vdevs(design, bay.pool, vdevs)
