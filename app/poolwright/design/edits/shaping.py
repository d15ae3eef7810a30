"""Making vdevs, changing their kind, splitting, merging and removing them."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from poolwright.design.edits import places
from poolwright.domain.design import Design, Member, vdev_of
from poolwright.domain.disk import Disk, size_unknown
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.reserve import sliceable_bytes, whole_slice
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.texts import _, listed, sentence


def add_vdev(design: Design, pieces: Sequence[places.Piece], kind: VdevSpec, *, pool: int = 0) -> Design:
    """Return the design with a new data vdev of ``pieces``, which are taken from wherever they are.

    It comes behind the other data vdevs of its pool. Raises Refusal where OpenZFS would not take it
    or a vdev that loses disks to it, or where a disk may not be used.
    """
    wanted = places.unique(pieces)
    if not wanted:
        raise Refusal(_("A vdev needs disks"), todo=_("Select disks first, in the tray or in other vdevs."))
    lifted, members = places.lift(design, wanted)
    made = vdev_of(kind, members)
    places.check_vdev(made, design.version)
    # Where it ends up is known only now, so the vdevs it took disks from are checked before it is put among them.
    lifted = places.checked(lifted, places.touched(design, lifted))
    vdevs = list(places.pool_of(lifted, pool).vdevs)
    data = [number for number, vdev in enumerate(vdevs) if vdev.vdev_class is VdevClass.DATA]
    behind = data[-1] + 1 if data else 0
    vdevs.insert(behind, made)
    placed = places.with_vdevs(lifted, pool, vdevs)
    return places.tidied(places.checked(placed, (places.VdevPlace(pool=pool, vdev=behind),)))


def reshape(design: Design, chosen: Sequence[places.VdevPlace], kind: VdevSpec) -> Design:
    """Return the design with vdevs of another kind, of the same disks; raises Refusal where OpenZFS would not."""
    made = design
    for place in chosen:
        made = places.with_vdev(made, place, places.of_kind(places.vdev_at(made, place), kind))
    return places.checked(made, chosen)


def split(design: Design, place: places.VdevPlace, count: int = 2) -> Design:
    """Return the design with one vdev as ``count`` vdevs of the same kind, as equal as its disks allow.

    Parts too narrow for the kind are refused, but one side of a mirror is a single disk. dRAID keeps its group only
    where it fits.
    """
    vdev = places.vdev_at(design, place)
    if not 2 <= count <= len(vdev.members):
        words = {"word": places.kind_of(vdev).word, "width": len(vdev.members), "parts": count}
        raise Refusal(
            _("{word} of {width} cannot be split into {parts}", **words), todo=_("Each part needs at least one disk.")
        )
    least, rest = divmod(len(vdev.members), count)
    members, made = iter(vdev.members), []
    for number in range(count):
        part = replace(vdev, members=tuple(islice(members, least + (number < rest))))
        alone = len(part.members) == 1 and vdev.kind is VdevKind.MIRROR
        made.append(places.of_kind(part, places.STRIPE) if alone else part)
        places.check_vdev(made[-1], design.version)
    vdevs = list(places.pool_of(design, place.pool).vdevs)
    vdevs[place.vdev : place.vdev + 1] = made
    return places.with_vdevs(design, place.pool, vdevs)


def merge(design: Design, chosen: Sequence[places.VdevPlace]) -> Design:
    """Return the design with several vdevs of one pool and class as one, of the kind of the first.

    Raises Refusal for fewer than two vdevs, different pools or classes, and where OpenZFS would not take the result.
    """
    wanted = sorted(set(chosen))
    if len(wanted) < 2:
        raise Refusal(_("Merging needs two vdevs"), todo=_("Select vdevs of the same pool first."))
    held = [places.vdev_at(design, place) for place in wanted]
    if len({place.pool for place in wanted}) > 1:
        raise Refusal(_("vdevs of different pools cannot be merged"), todo=_("Move them into one pool first."))
    if len({vdev.vdev_class for vdev in held}) > 1:
        classes = listed(sorted({vdev.vdev_class.value for vdev in held}))
        raise Refusal(_("{classes} vdevs cannot be merged", classes=classes), todo=_("Move the disks instead."))
    merged = replace(held[0], members=tuple(member for vdev in held for member in vdev.members))
    first, gone = wanted[0], {place.vdev for place in wanted[1:]}
    made = places.with_vdev(design, first, merged)
    places.checked(made, (first,))
    return places.with_vdevs(
        made, first.pool, [v for at, v in enumerate(places.pool_of(made, first.pool).vdevs) if at not in gone]
    )


def remove(design: Design, chosen: Sequence[places.VdevPlace]) -> Design:
    made = design
    for place in set(chosen):
        made = places.with_vdev(made, place, replace(places.vdev_at(made, place), members=()))
    return places.tidied(made)


def reorder(design: Design, place: places.VdevPlace, step: int) -> Design:
    """Return the design with a vdev ``step`` places further down among those of its pool; it stops at the ends."""
    vdevs = list(places.pool_of(design, place.pool).vdevs)
    held = places.vdev_at(design, place)
    if step not in (-1, 1):
        raise UserError(_("A vdev moves by one place at a time"))
    vdevs.pop(place.vdev)
    vdevs.insert(max(0, min(len(vdevs), place.vdev + step)), held)
    return places.with_vdevs(design, place.pool, vdevs)


# Partitioning disks by hand: cutting, making whole again, and cutting a vdev to its smallest member.


def partition(design: Design, pieces: Sequence[places.Piece], part_bytes: int) -> Design:
    """Return the design with each of these disks used as a partition of ``part_bytes`` in place of the whole.

    What remains is left over for other vdevs. A piece that is a partition gets the new size. Sizes are cut to whole
    MiB. Raises Refusal for a disk in the tray (it has no use yet), of unknown size, or without that much room.
    """
    made = design
    for piece in dict.fromkeys(pieces):
        made = _resized(made, piece, part_bytes)
    return made


def make_whole(design: Design, pieces: Sequence[places.Piece]) -> Design:
    """Return the design with these disks whole again. Raises Refusal for one that several vdevs share, or not cut."""
    made = design
    for key in dict.fromkeys(piece.disk_key for piece in pieces):
        disk, parts = design.disk(key), places.parts_of(made, key)
        if not parts:
            raise Refusal(_("{label} is not partitioned", label=disk.label))
        if len(parts) > 1:
            raise Refusal(
                _("{label} has {count} partitions in use", label=disk.label, count=len(parts)),
                todo=_("Move the others to the tray first."),
            )
        made = _exchanged(made, places.piece_of(parts[0]), Member(disk_key=key))
    return made


def cut_to_smallest(design: Design, place: places.VdevPlace) -> Design:
    """Return the design with each larger member of a vdev cut to the size of its smallest.

    A vdev uses no more of any member; the rest becomes left over for other vdevs. Raises Refusal where all are equal.
    """
    vdev = places.vdev_at(design, place)
    sizes = {places.piece_of(member): _size(design, member) for member in vdev.members}
    least = whole_slice(min(sizes.values()))
    larger = [
        piece
        for member in vdev.members
        if sizes[piece := places.piece_of(member)] > least and _room(design, member) - least >= places.LEAST_PIECE_BYTES
    ]
    if not larger:
        raise Refusal(_("The members of this vdev are equal"), todo=_("There is nothing to cut off."))
    return places.checked(partition(design, larger, least), (place,))


def _resized(design: Design, piece: places.Piece, part_bytes: int) -> Design:
    disk, size = design.disk(piece.disk_key), whole_slice(part_bytes)
    place = places.place_of(design, piece)
    if place is None:
        raise Refusal(
            _("{label} has no place in a vdev yet", label=disk.label),
            todo=_("Move it into a vdev first; then say how much of it the vdev gets."),
        )
    if size < places.LEAST_PIECE_BYTES:
        raise Refusal(
            _("A partition of {part_bytes} is too small", part_bytes=binary(part_bytes)),
            todo=_("OpenZFS takes 64 MiB or more."),
        )
    member = next(m for m in places.vdev_at(design, place).members if places.piece_of(m) == piece)
    room = _room(design, member)
    if size > room:
        raise Refusal(
            _("{label} has no room for a partition of {size}", label=disk.label, size=binary(size)),
            todo=sentence(_("{size} free", size=binary(room))),
        )
    return _exchanged(design, piece, Member(disk_key=disk.key, slice_bytes=size, part=piece.part or 1))


def _exchanged(design: Design, piece: places.Piece, instead: Member) -> Design:
    return places.with_members(design, lambda member: instead if places.piece_of(member) == piece else member)


def _size(design: Design, member: Member) -> int:
    return member.slice_bytes if member.slice_bytes is not None else _known_size(design.disk(member.disk_key))


def _room(design: Design, member: Member) -> int:
    """Return the most that a member's partition can have beside the other partitions of its disk."""
    own = places.piece_of(member)
    others = (m for m in design.members() if m.disk_key == member.disk_key and places.piece_of(m) != own)
    taken = sum(m.slice_bytes or 0 for m in others)
    return max(0, sliceable_bytes(_known_size(design.disk(member.disk_key))) - taken)


def _known_size(disk: Disk) -> int:
    if disk.size_bytes is None:
        raise Refusal(size_unknown(disk.label), todo=_("Enter it on the disks page."))
    return disk.size_bytes
