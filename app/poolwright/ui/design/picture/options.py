"""What can be done with the selection, as menus offer it: each choice with its effect, or why it is refused."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from poolwright.advise.edits.places import Bay, Target, Tray, VdevPlace, ashift_of, pool_name_of
from poolwright.advise.edits.pooling import free_name, move_vdevs, set_ashift, with_pool
from poolwright.advise.edits.shape import PLAIN_SHAPES, Shape, shape_of
from poolwright.advise.edits.shaping import add_vdev, reshape, split
from poolwright.advise.edits.slicing import cut_to_smallest, make_whole, partition
from poolwright.domain.outage import failure_units
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import VdevClass
from poolwright.texts import tell
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.content import BAY_CLASSES
from poolwright.ui.design.picture.editing import Change, Editing, Moving

_ASHIFTS = (9, 12, 13, 14)
_MOST_PARTS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A choice of a menu: ``run`` does it, ``change`` is what it would do to the design (None: nothing to tell)."""

    text: str
    run: Callable[[], object]
    change: Change | None = None
    checked: bool = False
    apart: bool = False


def new_options(editing: Editing) -> list[Option]:
    """Return the kinds of vdev that could be made of the selected disks."""
    pieces, pool = editing.pieces(), editing.pool()
    return [
        Option(
            text=tell("{kind} of {count}", kind=shape.word, count=len(pieces)),
            run=partial(editing.new_vdev, shape, pieces=pieces),
            change=partial(add_vdev, pieces=pieces, shape=shape, pool=pool),
        )
        for shape in PLAIN_SHAPES
    ]


def move_options(editing: Editing) -> list[Option]:
    """Return where the selected disks could go: vdevs, bays, the tray."""
    pieces, pool = editing.pieces(), editing.pool()
    own = set(editing.places())
    found: list[Option] = []

    def to(text: str, target: Target, *, apart: bool = False) -> Option:
        return Option(
            text=text,
            run=partial(editing.move_to, target, pieces),
            change=Moving(pieces, target),
            apart=apart,
        )

    for frame in editing.content.frames():
        if frame.vdev.vdev_class is VdevClass.DATA and (frame.place not in own or len(own) > 1):
            where = "" if editing.pool_total() == 1 else f"{editing.content.pools[frame.place.pool].name}: "
            found.append(to(f"{where}{frame.name}, {words.kind_text(frame)}", frame.place))
    for number, vdev_class in enumerate(BAY_CLASSES):
        bay = Bay(vdev_class=vdev_class, pool=pool)
        found.append(to(words.class_word(vdev_class), bay, apart=number == 0))
    found.append(to(words.tray_title(), Tray(), apart=True))
    return found


def kind_options(editing: Editing) -> list[Option]:
    """Return the kinds that the selected vdevs could have."""
    places = editing.places()
    shapes = {shape_of(frame.vdev) for place in places if (frame := editing.frame(place)) is not None}
    return [
        Option(
            text=shape.word,
            run=partial(editing.change_kind, shape),
            change=partial(reshape, places=places, shape=shape),
            checked=shapes == {shape},
        )
        for shape in PLAIN_SHAPES
    ]


def split_options(editing: Editing) -> list[Option]:
    """Return into how many the first selected vdev could be split."""
    places = editing.places()
    frame = editing.frame(places[0]) if places else None
    width = len(frame.tiles) if frame is not None else 0
    most = width if frame is not None and frame.parity_share == 0 else min(width, _MOST_PARTS)
    return [
        Option(
            text=tell("{name} into {count}", name=frame.name if frame else "", count=count),
            run=partial(editing.split, count),
            change=partial(split, place=places[0], count=count),
        )
        for count in range(2, min(most, _MOST_PARTS) + 1)
    ]


def partition_options(editing: Editing) -> list[Option]:
    """Return how the selected disks could be cut."""
    pieces, places = editing.pieces(), editing.places()
    found: list[Option] = []
    if places:
        frame = editing.frame(places[0])
        name = frame.name if frame is not None else ""
        found.append(
            Option(
                text=tell("Cut {name} to its smallest member", name=name),
                run=editing.cut,
                change=partial(cut_to_smallest, place=places[0]),
            )
        )
    tiles = [tile for piece in pieces if (tile := editing.tile(piece)) is not None]
    whole = [tile.disk.size_bytes for tile in tiles if tile.disk.size_bytes]
    for numerator, denominator in ((1, 2), (1, 4), (3, 4)):
        if whole:
            size = min(whole) * numerator // denominator
            found.append(
                Option(
                    text=tell("Use {size} of each", size=drive_size(size)),
                    run=partial(editing.partition, size),
                    change=partial(partition, pieces=pieces, part_bytes=size),
                )
            )
    found.append(
        Option(
            text=tell("Use whole again"),
            run=editing.make_whole,
            change=partial(make_whole, pieces=pieces),
            apart=True,
        )
    )
    return found


def pool_options(editing: Editing) -> list[Option]:
    """Return what can be done about pools: a further one, moving there, the ashift."""
    places, design = editing.places(), editing.session.design
    found = [
        Option(
            text=tell("New pool of the selected vdevs"),
            run=editing.new_pool,
            change=lambda made: with_pool(made, places, free_name(made)),
        )
    ]
    if design is None:
        return found
    found.extend(
        Option(
            text=tell("Move the vdevs to {pool}", pool=pool_name_of(design, pool)),
            run=partial(editing.to_pool, pool),
            change=partial(move_vdevs, places=places, pool=pool),
        )
        for pool in range(editing.pool_total() if editing.pool_total() > 1 else 0)
    )
    here, now = editing.pool(), ashift_of(design, editing.pool())
    for number, ashift in enumerate(sorted({*_ASHIFTS, now})):
        found.append(
            Option(
                text=tell("ashift {ashift} (fixed once the pool exists)", ashift=ashift),
                run=partial(editing.put_ashift, ashift),
                change=partial(set_ashift, pool=here, ashift=ashift),
                checked=ashift == now,
                apart=number == 0,
            )
        )
    return found


def select_options(editing: Editing) -> list[Option]:
    """Return what can be selected at once: shelves, controllers, vdevs, everything in the tray."""
    design = editing.session.design
    found = [
        Option(text=str(unit), run=partial(_select_disks, editing, unit.disk_keys))
        for unit in (failure_units(design) if design is not None else ())
    ]
    for number, frame in enumerate(editing.content.frames()):
        found.append(
            Option(
                text=f"{frame.name}, {words.kind_text(frame)}",
                run=partial(_select_vdev, editing, frame.place),
                apart=number == 0,
            )
        )
    tray = {tile.piece for tile in editing.content.tray}
    if tray:
        found.append(
            Option(
                text=tell("Everything in the tray"),
                run=lambda: editing.put_selection(editing.content.tray[0].piece, tray),
                apart=True,
            )
        )
    return found


def _select_disks(editing: Editing, keys: frozenset[str]) -> None:
    tiles = [tile.piece for tile in editing.content.tiles() if tile.disk.key in keys and not tile.left_over]
    if tiles:
        editing.put_selection(tiles[0], tiles)


def _select_vdev(editing: Editing, place: VdevPlace) -> None:
    frame = editing.frame(place)
    if frame is not None:
        editing.put_selection(place, [tile.piece for tile in frame.tiles])


def draid_change(editing: Editing, shape: Shape, *, fresh: bool) -> Change:
    """Return the change that makes a dRAID of the selected disks, or of the selected vdevs."""
    if fresh:
        return partial(add_vdev, pieces=editing.pieces(), shape=shape, pool=editing.pool())
    return partial(reshape, places=editing.places(), shape=shape)
