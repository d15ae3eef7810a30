"""What can be done with the selection, as menus offer it: each choice with its effect, or why it is refused."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from poolwright.design.edits.places import PLAIN_SHAPES, Bay, Target, Tray, ashift_of, pool_name_of, shape_of
from poolwright.domain.outage import failure_units
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import VdevClass
from poolwright.texts import tell
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.content import BAY_CLASSES
from poolwright.ui.design.picture.editing import Edit, Editing, Spot

_ASHIFTS = (9, 12, 13, 14)
_MOST_PARTS = 6
_LONGEST = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Something to select at once."""

    current: Spot
    marks: frozenset[Spot]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A choice of a menu and what it does; ``apart`` stands behind a line."""

    text: str
    does: Edit | Selection | None
    checked: bool = False
    apart: bool = False


class OptionMenu(QMenu):
    """``make`` returns the options for the selection of the moment; ``further`` are actions that stand below them."""

    def __init__(
        self,
        title: str,
        editing: Editing,
        make: Callable[[Editing], list[Option]],
        parent: QWidget,
        further: tuple[QAction, ...] = (),
    ) -> None:
        super().__init__(title, parent)
        self._editing, self._make, self._further = editing, make, further
        self._options: list[Option] = []
        self.setAccessibleName(title)
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.fill)
        self.triggered.connect(self._on_triggered)

    def fill(self) -> None:
        self.clear()
        self._options = self._make(self._editing)
        for number, option in enumerate(self._options):
            if option.apart and number:
                self.addSeparator()
            self._add(number, option)
        if not self._options:
            nothing = self.addAction(tell("Nothing is selected that this applies to"))
            nothing.setEnabled(False)
        if self._further:
            self.addSeparator()
            self.addActions(list(self._further))

    def _add(self, number: int, option: Option) -> None:
        text, possible, effect = option.text.replace("&", "&&"), True, ""
        if isinstance(option.does, Edit) and not option.checked:
            told = self._editing.effect(option.does)
            possible, effect = told.possible, told.text
        shown = effect if len(effect) <= _LONGEST else f"{effect[:_LONGEST]}…"
        action = self.addAction(f"{text}\t{shown}" if shown else text)
        action.setData(number)
        action.setEnabled(possible)
        action.setToolTip(effect)
        action.setCheckable(option.checked)
        action.setChecked(option.checked)

    def _on_triggered(self, action: QAction) -> None:
        number = action.data()
        if action in self._further or not isinstance(number, int) or number >= len(self._options):
            return
        option = self._options[number]
        if isinstance(option.does, Edit) and not option.checked:
            self._editing.apply(option.does)
        elif isinstance(option.does, Selection):
            self._editing.put_selection(option.does.current, option.does.marks)


def new_options(editing: Editing) -> list[Option]:
    pieces = editing.pieces()
    return [
        Option(
            text=tell("{kind} of {count}", kind=shape.word, count=len(pieces)),
            does=editing.new_vdev(shape, pieces=pieces),
        )
        for shape in PLAIN_SHAPES
    ]


def move_options(editing: Editing) -> list[Option]:
    """Return where the selected disks could go: vdevs, bays, the tray."""
    pieces, pool = editing.pieces(), editing.pool()
    own = set(editing.places())
    found: list[Option] = []

    def to(text: str, target: Target, *, apart: bool = False) -> None:
        found.append(Option(text=text, does=editing.move_to(target, pieces), apart=apart))

    for frame in editing.content.frames():
        if frame.vdev.vdev_class is VdevClass.DATA and (frame.place not in own or len(own) > 1):
            where = "" if editing.pool_total() == 1 else f"{editing.content.pools[frame.place.pool].name}: "
            to(f"{where}{frame.name}, {words.kind_text(frame)}", frame.place)
    for number, vdev_class in enumerate(BAY_CLASSES):
        to(words.class_word(vdev_class), Bay(vdev_class=vdev_class, pool=pool), apart=number == 0)
    to(words.tray_title(), Tray(), apart=True)
    return found


def kind_options(editing: Editing) -> list[Option]:
    shapes = {shape_of(frame.vdev) for place in editing.places() if (frame := editing.frame(place)) is not None}
    return [
        Option(text=shape.word, does=editing.change_kind(shape), checked=shapes == {shape}) for shape in PLAIN_SHAPES
    ]


def split_options(editing: Editing) -> list[Option]:
    """Return into how many the first selected vdev could be split."""
    places = editing.places()
    frame = editing.frame(places[0]) if places else None
    if frame is None:
        return []
    return [
        Option(text=tell("{name} into {count}", name=frame.name, count=count), does=editing.split(count))
        for count in range(2, min(len(frame.tiles), _MOST_PARTS) + 1)
    ]


def partition_options(editing: Editing) -> list[Option]:
    """Return how the selected disks could be cut."""
    found: list[Option] = []
    for place in editing.places()[:1]:
        frame = editing.frame(place)
        name = frame.name if frame is not None else ""
        found.append(Option(text=tell("Cut {name} to its smallest member", name=name), does=editing.cut()))
    tiles = [tile for piece in editing.pieces() if (tile := editing.tile(piece)) is not None]
    whole = [tile.disk.size_bytes for tile in tiles if tile.disk.size_bytes]
    for numerator, denominator in ((1, 2), (1, 4), (3, 4)) if whole else ():
        size = min(whole) * numerator // denominator
        text = tell("Use {size} of each", size=drive_size(size))
        found.append(Option(text=text, does=editing.partition(size)))
    return [*found, Option(text=tell("Use whole again"), does=editing.make_whole(), apart=True)]


def pool_options(editing: Editing) -> list[Option]:
    """Return what can be done about pools: a further one, moving there, the ashift."""
    design = editing.session.design
    found = [Option(text=tell("New pool of the selected vdevs"), does=editing.new_pool())]
    if design is None:
        return found
    found.extend(
        Option(text=tell("Move the vdevs to {pool}", pool=pool_name_of(design, pool)), does=editing.to_pool(pool))
        for pool in range(editing.pool_total() if editing.pool_total() > 1 else 0)
    )
    now = ashift_of(design, editing.pool())
    return [
        *found,
        *(
            Option(
                text=tell("ashift {ashift} (fixed once the pool exists)", ashift=ashift),
                does=editing.put_ashift(ashift),
                checked=ashift == now,
                apart=number == 0,
            )
            for number, ashift in enumerate(sorted({*_ASHIFTS, now}))
        ),
    ]


def select_options(editing: Editing) -> list[Option]:
    """Return what can be selected at once: shelves, controllers, vdevs, everything in the tray."""
    design, content = editing.session.design, editing.content
    found: list[Option] = []
    for unit in failure_units(design) if design is not None else ():
        tiles = [t.piece for t in content.tiles() if t.disk.key in unit.disk_keys and not t.left_over]
        what = Selection(current=tiles[0], marks=frozenset(tiles)) if tiles else None
        found.append(Option(text=str(unit), does=what))
    for number, frame in enumerate(content.frames()):
        of_vdev = Selection(current=frame.place, marks=frozenset(tile.piece for tile in frame.tiles))
        found.append(Option(text=f"{frame.name}, {words.kind_text(frame)}", does=of_vdev, apart=number == 0))
    if content.tray:
        tray = Selection(current=content.tray[0].piece, marks=frozenset(tile.piece for tile in content.tray))
        found.append(Option(text=tell("Everything in the tray"), does=tray, apart=True))
    return found
