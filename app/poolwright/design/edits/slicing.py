"""Partitioning disks by hand: cutting, making whole again, and cutting a vdev to its smallest member."""

from collections.abc import Sequence
from dataclasses import replace

from poolwright.design.edits.moving import LEAST_PIECE_BYTES, checked
from poolwright.design.edits.places import (
    Piece,
    VdevPlace,
    members_with_places,
    parts_of,
    piece_of,
    place_of,
    pool_count,
    vdev_at,
    vdevs_of,
    with_vdevs,
)
from poolwright.domain.design import Design, Member
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.slices import sliceable_bytes, whole_slice
from poolwright.domain.units import binary
from poolwright.texts import tell


def partition(design: Design, pieces: Sequence[Piece], part_bytes: int) -> Design:
    """Return the design with each of these disks used as a partition of ``part_bytes`` in place of the whole.

    What remains is left over for other vdevs. A piece that is a partition gets the new size. Sizes are cut to whole
    MiB. Raises Refusal for a disk in the tray (it has no use yet), of unknown size, or without that much room.
    """
    made = design
    for piece in dict.fromkeys(pieces):
        made = _resized(made, piece, part_bytes)
    return made


def make_whole(design: Design, pieces: Sequence[Piece]) -> Design:
    """Return the design with these disks used whole again.

    Raises Refusal where several vdevs have parts of a disk, or where it is not partitioned.
    """
    made = design
    for key in dict.fromkeys(piece.disk_key for piece in pieces):
        disk, parts = design.disk(key), parts_of(made, key)
        if not parts:
            raise Refusal(tell("{label} is not partitioned", label=disk.label))
        if len(parts) > 1:
            raise Refusal(
                tell("{label} has {count} partitions in use", label=disk.label, count=len(parts)),
                todo=tell("Move the others to the tray first."),
            )
        made = _exchanged(made, piece_of(parts[0]), Member(disk_key=key))
    return made


def cut_to_smallest(design: Design, place: VdevPlace) -> Design:
    """Return the design with each larger member of a vdev cut to the size of its smallest.

    A vdev uses no more of any member; the rest becomes left over for other vdevs. Raises Refusal where all are equal.
    """
    vdev = vdev_at(design, place)
    sizes = {piece_of(member): _size(design, member) for member in vdev.members}
    least = whole_slice(min(sizes.values()))
    larger = [
        piece
        for member in vdev.members
        if sizes[piece := piece_of(member)] > least and _room(design, member) - least >= LEAST_PIECE_BYTES
    ]
    if not larger:
        raise Refusal(tell("The members of this vdev are equal"), todo=tell("There is nothing to cut off."))
    return checked(partition(design, larger, least), (place,))


def _resized(design: Design, piece: Piece, part_bytes: int) -> Design:
    disk, size = design.disk(piece.disk_key), whole_slice(part_bytes)
    place = place_of(design, piece)
    if place is None:
        raise Refusal(
            tell("{label} has no place in a vdev yet", label=disk.label),
            todo=tell("Move it into a vdev first; then say how much of it the vdev gets."),
        )
    if size < LEAST_PIECE_BYTES:
        raise Refusal(
            tell("A partition of {part_bytes} is too small", part_bytes=binary(part_bytes)),
            todo=tell("OpenZFS takes 64 MiB or more."),
        )
    member = next(m for m in vdev_at(design, place).members if piece_of(m) == piece)
    room = _room(design, member)
    if size > room:
        raise Refusal(
            tell("{label} has no room for a partition of {size}", label=disk.label, size=binary(size)),
            todo=tell("It has {room}.", room=binary(room)),
        )
    return _exchanged(design, piece, Member(disk_key=disk.key, slice_bytes=size, part=piece.part or 1))


def _exchanged(design: Design, piece: Piece, instead: Member) -> Design:
    made = design
    for pool in range(pool_count(design)):
        vdevs = [
            replace(vdev, members=tuple(instead if piece_of(m) == piece else m for m in vdev.members))
            for vdev in vdevs_of(design, pool)
        ]
        made = with_vdevs(made, pool, vdevs)
    return made


def _size(design: Design, member: Member) -> int:
    return member.slice_bytes if member.slice_bytes is not None else _known_size(design.disk(member.disk_key))


def _room(design: Design, member: Member) -> int:
    """Return the most that a member's partition can have beside the other partitions of its disk."""
    own = piece_of(member)
    others = (m for _, m in members_with_places(design) if m.disk_key == member.disk_key and piece_of(m) != own)
    taken = sum(m.slice_bytes or 0 for m in others)
    return max(0, sliceable_bytes(_known_size(design.disk(member.disk_key))) - taken)


def _known_size(disk: Disk) -> int:
    if disk.size_bytes is None:
        raise Refusal(
            tell("The size of {label} is unknown", label=disk.label), todo=tell("Enter it on the disks page.")
        )
    return disk.size_bytes
