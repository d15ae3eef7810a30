"""What is selected in the design, and the edits: used by the picture, the tree and the buttons alike."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from poolwright.design.blast import Blast, State, pool_outcome
from poolwright.design.edits.places import (
    Piece,
    Target,
    Tray,
    VdevPlace,
    free_name,
    move,
    move_vdevs,
    place_of,
    pool_count,
    set_ashift,
    swap,
    usual_kind,
    with_disks,
    with_pool,
)
from poolwright.design.edits.shaping import (
    add_vdev,
    cut_to_smallest,
    make_whole,
    merge,
    partition,
    remove,
    reorder,
    reshape,
    split,
)
from poolwright.design.groups import safe_ashift
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding
from poolwright.domain.host import planned_host
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevSpec
from poolwright.judging import with_proposals
from poolwright.texts import _
from poolwright.ui.design.picture.content import EMPTY, Content, Frame, Tile, content_of
from poolwright.ui.design.picture.words import Effect, effect_of, kind_text, refused
from poolwright.ui.state.recommending import free_pool_name
from poolwright.ui.state.session import Session

# What can be selected: a tile (a disk or a part of one), or a vdev.
Spot = Piece | VdevPlace
Change = Callable[[Design], Design]


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that can be undone: its name, the change to the design, and what is selected afterwards."""

    text: str
    change: Change
    follow: Spot | None = None


@dataclass(frozen=True, slots=True)
class Picked:
    """What edits act on, worked out once for picture, tree, line below and every verb; ``of`` is what it follows.

    ``pieces`` are its tiles, a vdev stands for all of its own; ``places`` its vdevs, a disk stands for the one that
    holds it. ``blast`` is what the loss of its disks does while they are to fail, where one of them is in a pool.
    """

    of: tuple[object, ...]
    spots: tuple[Spot, ...]
    pieces: tuple[Piece, ...]
    places: tuple[VdevPlace, ...]
    blast: Blast | None


class Editing(QObject):
    """Holds the content, the marks and the current spot. Every edit is a step of the session that can be undone.

    While it is ``failing`` the marks are what fails; those from before come back afterwards.
    `merge`, `swap` and the like return the edit of what is marked, else of the current spot: to be told what it would
    do (`effect`), and to be made (`apply`). A vdev stands for all its disks where disks are asked for, disks for their
    vdevs where vdevs are.
    """

    content_changed = Signal()
    selection_changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.content: Content = EMPTY
        self.marks: frozenset[Spot] = frozenset()
        self.current: Spot | None = None
        self.failing = False
        self._kept: frozenset[Spot] = frozenset()  # the marks from before
        self.tiles: dict[Piece, Tile] = {}
        self.frames: dict[VdevPlace, Frame] = {}
        self._shown: tuple[object, ...] = ()
        self._found_of = ""  # the key of the design that was judged last
        self._findings: tuple[Finding, ...] = ()
        self._selection: Picked | None = None

    def refresh(self) -> None:
        """Take up the session's design; nothing happens where nothing shown has changed."""
        session, assessment = self.session, self.session.assessment
        wanted = (session.design, assessment, session.inventory, session.ticked)
        if len(wanted) == len(self._shown) and all(a is b for a, b in zip(wanted, self._shown, strict=True)):
            return
        self._shown = wanted
        key = session.design.key if session.design is not None else ""
        if key != self._found_of:  # nothing of the design before this one is selected, or fails
            self.marks, self._kept, self.failing = frozenset(), frozenset(), False
        if not session.judging or key != self._found_of:
            self._found_of, self._findings = key, (assessment.findings or ()) if assessment else ()
        # Else what was found before the edit stays where it still fits, until the rules were asked.
        self.content = content_of(
            session.design,
            self.offered(),
            capacity=assessment.capacity if assessment else None,
            problem=assessment.problem if assessment else "",
            findings=self._findings,
        )
        self.tiles = {tile.piece: tile for tile in self.content.tiles()}
        self.frames = {frame.place: frame for frame in self.content.frames()}
        self.marks = frozenset(spot for spot in self.marks if self.has(spot))
        if self.current is not None and not self.has(self.current):
            self.current = next(iter(self.tiles), None)
        self.content_changed.emit()
        self.selection_changed.emit()

    def offered(self) -> tuple[Disk, ...]:
        inventory = self.session.inventory
        return () if inventory is None else tuple(d for d in inventory.disks if d.key in self.session.ticked)

    def has(self, spot: Spot) -> bool:
        return spot in self.tiles or spot in self.frames

    def holder(self, spot: Spot | None) -> Frame | None:
        """Return the vdev that a disk is in, or that is stood on itself; None in the tray."""
        place = self.tiles[spot].place if isinstance(spot, Piece) and spot in self.tiles else spot
        return self.frames.get(place) if isinstance(place, VdevPlace) else None

    def select(self, spot: Spot | None, *, toggle: bool = False, keep: bool = False) -> None:
        """Make a spot current; ``toggle`` marks or unmarks it as well, ``keep`` leaves the other marks."""
        marks = self.marks
        if toggle and spot is not None:
            if self.current not in (None, spot) and not self.failing:
                marks = frozenset(self.selection.spots)  # what is selected without a mark stays so
            marks = marks ^ {spot}
        elif not keep:
            marks = frozenset()
        self.put_selection(spot, marks)

    def put_selection(self, current: Spot | None, marks: Iterable[Spot]) -> None:
        """Make ``current`` current, and mark exactly ``marks``."""
        wanted = frozenset(spot for spot in marks if self.has(spot))
        if (current, wanted) != (self.current, self.marks):
            self.current, self.marks = current, wanted
            self.selection_changed.emit()

    def fail(self, failing: bool) -> None:
        """Let what is selected from now on fail; or end that."""
        if failing is not self.failing:
            self.marks, self._kept = (frozenset(), self.marks) if failing else (self._kept, frozenset())
            self.failing = failing
            self.selection_changed.emit()

    @property
    def selection(self) -> Picked:
        of = self.content, self.marks, self.current, self.failing
        known = self._selection
        if known is None or any(a is not b for a, b in zip(known.of, of, strict=True)):
            spots: tuple[Spot, ...] = (self.current,) if self.current is not None and self.has(self.current) else ()
            if self.marks or self.failing:
                spots = tuple(spot for spot in (*self.frames, *self.tiles) if spot in self.marks)
            pieces: dict[Piece, None] = {}
            for spot in spots:
                own = (spot,) if isinstance(spot, Piece) else (tile.piece for tile in self.frames[spot].tiles)
                pieces |= dict.fromkeys(own)
            holders = (self.holder(spot) for spot in spots)
            places = tuple(dict.fromkeys(frame.place for frame in holders if frame is not None))
            known = self._selection = Picked(of, spots, tuple(pieces), places, self._blast(pieces))
        return known

    def _blast(self, pieces: Iterable[Piece]) -> Blast | None:
        design = self.session.design
        if design is None or not self.failing:
            return None
        keys = {piece.disk_key for piece in pieces if piece.part != 0} & design.used_keys()
        return pool_outcome(design, keys) if keys else None

    def whole_vdevs(self) -> tuple[VdevPlace, ...]:
        spots = self.selection.spots
        places = tuple(spot for spot in spots if isinstance(spot, VdevPlace))
        return places if len(places) == len(spots) else ()

    def pool(self) -> int:
        """Return the number of the pool that new vdevs go into: that of what is acted on."""
        places = self.selection.places
        return places[0].pool if places else 0

    def base(self) -> Design | None:
        """Return the design that an edit starts from: the current one, or a blank one; None without any disk."""
        session, inventory = self.session, self.session.inventory
        design = session.design
        if inventory is None:
            return design
        if design is not None:
            return with_disks(design, inventory.disks)
        return Design(
            key=uuid4().hex,
            name=_("{name}, by hand", name=inventory.name),
            pool_name=free_pool_name(session),
            workload=session.workload,
            budget=session.budget,
            host=planned_host(inventory.host, session.budget),
            disks=inventory.disks,
            ashift=session.ashift if session.ashift is not None else safe_ashift(self.offered()),
            version=session.version,
            inventory_name=inventory.name,
            inventory_origin=inventory.origin,
        )

    def trial(self, change: Change) -> Design | PoolwrightError | None:
        """Return the design that a change would lead to, or why it would be refused; the session stays as it is."""
        base = self.base()
        if base is None:
            return None
        try:
            return change(base)
        except PoolwrightError as error:
            return error

    def effect(self, edit: Edit) -> Effect:
        """Return what an edit would do to all pools together; the design stays as it is."""
        after = self.trial(edit.change)
        if after is None or after == self.session.design:
            return refused(_("Nothing changes."))
        if isinstance(after, PoolwrightError):
            return refused(after.text)
        return effect_of(self.session.assessment, self.session.expectations.tried(after))

    def apply(self, edit: Edit | None) -> bool:
        result = self.trial(edit.change) if edit is not None else None
        if isinstance(result, PoolwrightError):
            self.session.say(result.text)
            return False
        if edit is None or result is None or result == self.session.design:
            return False
        if self.session.design is None:
            result = with_proposals(result, self.session.rules)
        self.marks, self._kept, self.failing = frozenset(), frozenset(), False
        if edit.follow is not None:
            self.current = edit.follow
        self.session.change_design(result, edit.text)
        self.refresh()
        frame = self.frames.get(edit.follow) if isinstance(edit.follow, VdevPlace) else None
        parts = [edit.text if frame is None else f"{edit.text}: {kind_text(frame)}"]
        if self.session.assessment is not None and (usable := self.session.assessment.usable_bytes) is not None:
            parts.append(_("{size} usable", size=binary(usable)))
        self.session.say(_("{what}. Ctrl+Z takes it back.", what=", ".join(parts)))
        return True

    def move_to(self, target: Target, pieces: tuple[Piece, ...] | None = None) -> Edit:
        moved = self.selection.pieces if pieces is None else pieces
        text = _("Move {count} disks") if len(moved) != 1 else _("Move a disk")
        return Edit(text.format(count=len(moved)), lambda design: move(design, moved, target), _still(moved))

    def new_vdev(
        self,
        shape: VdevSpec | None = None,
        *,
        pool: int | None = None,
        pieces: tuple[Piece, ...] | None = None,
        count: int = 1,
    ) -> Edit:
        """Make ``count`` vdevs of what is selected; without a ``shape`` one like the others of the pool."""
        moved = self.selection.pieces if pieces is None else pieces
        into, still = self.pool() if pool is None else pool, _still(moved)

        def change(design: Design) -> Design:
            result = add_vdev(design, moved, shape or usual_kind(design, into, len(moved)), pool=into)
            place = place_of(result, still) if still is not None else None
            return result if count == 1 or place is None else split(result, place, count)

        return Edit(_("New vdev"), change, still)

    def change_kind(self, shape: VdevSpec) -> Edit:
        places = self.selection.places
        return Edit(_("Change kind"), lambda design: reshape(design, places, shape))

    def split(self, count: int = 2) -> Edit | None:
        places = self.selection.places
        return Edit(_("Split"), lambda design: split(design, places[0], count)) if places else None

    def merge(self) -> Edit:
        places = self.selection.places
        return Edit(_("Merge"), lambda design: merge(design, places), min(places, default=None))

    def take_out(self) -> Edit:
        places = self.whole_vdevs()
        return Edit(_("Remove vdev"), lambda design: remove(design, places)) if places else self.move_to(Tray())

    def swap(self) -> Edit | None:
        pieces = self.selection.pieces
        return Edit(_("Swap"), lambda design: swap(design, *pieces)) if len(pieces) == 2 else None

    def partition(self, part_bytes: int) -> Edit:
        pieces = self.selection.pieces
        return Edit(_("Partition"), lambda design: partition(design, pieces, part_bytes))

    def cut(self) -> Edit | None:
        """Cut the larger members of the first selected vdev to the size of its smallest."""
        places = self.selection.places
        return Edit(_("Cut"), lambda design: cut_to_smallest(design, places[0])) if places else None

    def make_whole(self) -> Edit:
        pieces = self.selection.pieces
        return Edit(_("Use whole"), lambda design: make_whole(design, pieces))

    def reorder(self, step: int) -> Edit | None:
        places = self.selection.places
        return Edit(_("Move vdev"), lambda design: reorder(design, places[0], step)) if places else None

    def to_pool(self, pool: int) -> Edit:
        places = self.selection.places
        return Edit(_("Move to pool"), lambda design: move_vdevs(design, places, pool))

    def new_pool(self) -> Edit:
        places, inventory = self.selection.places, self.session.inventory
        in_use = [*self.session.pools_beside, *(pool.name for pool in (inventory.pools if inventory else ()))]
        return Edit(_("New pool"), lambda design: with_pool(design, places, free_name(design, in_use)))

    def put_ashift(self, ashift: int) -> Edit:
        pool = self.pool()
        return Edit(_("Change ashift"), lambda design: set_ashift(design, pool, ashift))

    def pool_total(self) -> int:
        """Return how many pools the design has."""
        return pool_count(self.session.design) if self.session.design is not None else 1


def states_of(blast: Blast | None) -> dict[tuple[int, int | None], State]:
    """Return what a loss does to each vdev, by the numbers of pool and vdev, and with None to each pool.

    The disks of a stripe are vdevs of their own to ZFS: the worst of them counts.
    """
    order, found = list(State), dict[tuple[int, int | None], State]()
    for number, pool in enumerate(blast.pools if blast is not None else ()):
        found[number, None] = pool.state
        for vdev in pool.vdevs:
            before = found.get((number, vdev.index), State.ONLINE)
            found[number, vdev.index] = max(before, vdev.state, key=order.index)
    return found


def _still(pieces: tuple[Piece, ...]) -> Piece | None:
    """Return the first piece that keeps its name when moved; what was left over of a disk becomes a numbered part."""
    return next((piece for piece in pieces if piece.part != 0), None)
