"""Making vdevs, changing their kind, splitting, merging and removing them."""

from collections.abc import Sequence
from dataclasses import replace

from poolwright.design.edits.moving import checked, lift, touched, unique
from poolwright.design.edits.places import Piece, VdevPlace, tidied, vdev_at, vdevs_of, with_vdevs
from poolwright.design.edits.shape import STRIPE, Shape, check_vdev, shape_of, shaped
from poolwright.domain.design import Design, Vdev
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.texts import listed, tell


def add_vdev(
    design: Design, pieces: Sequence[Piece], shape: Shape, *, pool: int = 0, vdev_class: VdevClass = VdevClass.DATA
) -> Design:
    """Return the design with a new vdev of ``pieces``, which are taken from wherever they are.

    Data vdevs come behind the others of their pool, support vdevs last. Raises Refusal where OpenZFS would not take it
    or a vdev that loses disks to it, or where a disk may not be used.
    """
    wanted = unique(pieces)
    if not wanted:
        raise Refusal(tell("A vdev needs disks"), todo=tell("Select disks first, in the tray or in other vdevs."))
    lifted, members = lift(design, wanted)
    made = shaped(Vdev(kind=shape.kind, members=members, vdev_class=vdev_class), shape)
    check_vdev(made, design.version)
    # Where it ends up is known only now, so the vdevs it took disks from are checked before it is put among them.
    lifted = checked(lifted, touched(design, lifted))
    vdevs = list(vdevs_of(lifted, pool))
    behind = len(vdevs)
    if vdev_class is VdevClass.DATA:
        data = [number for number, vdev in enumerate(vdevs) if vdev.vdev_class is VdevClass.DATA]
        behind = data[-1] + 1 if data else 0
    vdevs.insert(behind, made)
    placed = with_vdevs(lifted, pool, vdevs)
    return tidied(checked(placed, (VdevPlace(pool=pool, vdev=behind),)))


def reshape(design: Design, places: Sequence[VdevPlace], shape: Shape) -> Design:
    """Return the design with vdevs of another kind, of the same disks; raises Refusal where OpenZFS would not."""
    made = design
    for place in places:
        vdevs = list(vdevs_of(made, place.pool))
        vdevs[place.vdev] = shaped(vdev_at(made, place), shape)
        made = with_vdevs(made, place.pool, vdevs)
    return checked(made, places)


def split(design: Design, place: VdevPlace, count: int = 2) -> Design:
    """Return the design with one vdev as ``count`` vdevs of the same kind, as equal as its disks allow.

    Parts too narrow for the kind are refused, but one side of a mirror is a single disk. dRAID keeps its group only
    where it fits.
    """
    vdev = vdev_at(design, place)
    if not 2 <= count <= len(vdev.members):
        raise Refusal(
            tell(
                "{word} of {width} cannot be split into {parts}",
                word=shape_of(vdev).word,
                width=len(vdev.members),
                parts=count,
            ),
            todo=tell("Each part needs at least one disk."),
        )
    least, rest = divmod(len(vdev.members), count)
    made: list[Vdev] = []
    at = 0
    for number in range(count):
        width = least + (1 if number < rest else 0)
        part = replace(vdev, members=vdev.members[at : at + width])
        alone = width == 1 and vdev.kind is VdevKind.MIRROR
        part = shaped(part, STRIPE) if alone else part
        check_vdev(part, design.version)
        made.append(part)
        at += width
    vdevs = list(vdevs_of(design, place.pool))
    vdevs[place.vdev : place.vdev + 1] = made
    return with_vdevs(design, place.pool, vdevs)


def merge(design: Design, places: Sequence[VdevPlace]) -> Design:
    """Return the design with several vdevs of one pool and class as one, of the kind of the first.

    Raises Refusal for fewer than two vdevs, different pools or classes, and where OpenZFS would not take the result.
    """
    wanted = sorted(set(places))
    if len(wanted) < 2:
        raise Refusal(tell("Merging needs two vdevs"), todo=tell("Select vdevs of the same pool first."))
    held = [vdev_at(design, place) for place in wanted]
    if len({place.pool for place in wanted}) > 1:
        raise Refusal(tell("vdevs of different pools cannot be merged"), todo=tell("Move them into one pool first."))
    if len({vdev.vdev_class for vdev in held}) > 1:
        classes = listed(sorted({vdev.vdev_class.value for vdev in held}))
        raise Refusal(tell("{classes} vdevs cannot be merged", classes=classes), todo=tell("Move the disks instead."))
    merged = replace(held[0], members=tuple(member for vdev in held for member in vdev.members))
    gone = {place.vdev for place in wanted[1:]}
    vdevs = list(vdevs_of(design, wanted[0].pool))
    vdevs[wanted[0].vdev] = merged
    made = with_vdevs(design, wanted[0].pool, vdevs)
    checked(made, (wanted[0],))
    return with_vdevs(design, wanted[0].pool, [v for number, v in enumerate(vdevs) if number not in gone])


def remove(design: Design, places: Sequence[VdevPlace]) -> Design:
    """Return the design without these vdevs; their disks lie in the tray."""
    made = design
    for place in set(places):
        vdevs = list(vdevs_of(made, place.pool))
        vdevs[place.vdev] = replace(vdev_at(made, place), members=())
        made = with_vdevs(made, place.pool, vdevs)
    return tidied(made)


def reorder(design: Design, place: VdevPlace, step: int) -> Design:
    """Return the design with a vdev ``step`` places further down among those of its pool; it stops at the ends."""
    vdevs = list(vdevs_of(design, place.pool))
    held = vdev_at(design, place)
    if step not in (-1, 1):
        raise UserError(tell("A vdev moves by one place at a time"))
    vdevs.pop(place.vdev)
    vdevs.insert(max(0, min(len(vdevs), place.vdev + step)), held)
    return with_vdevs(design, place.pool, vdevs)
