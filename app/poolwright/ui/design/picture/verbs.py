"""The edits as verbs: buttons, keys and the context menu, the same for the picture and the tree."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from poolwright.design.edits.places import PLAIN_KINDS, Bay, Target, Tray, ashift_of, kind_of, pool_name_of
from poolwright.domain.outage import units_of
from poolwright.domain.rates import size_read
from poolwright.domain.units import CAPACITY_UNITS, drive_size, parse_size
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.texts import _
from poolwright.ui.design.dialog import FormDialog
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.content import BAY_CLASSES
from poolwright.ui.design.picture.editing import Edit, Editing, Picked, Spot
from poolwright.ui.parts import lay
from poolwright.ui.parts.form import Field, Typed, Whole
from poolwright.ui.parts.theme import SMALL_POINTS, text_font

# What can be done with the selection, as menus offer it: each choice with its effect, or why it is refused.

_ASHIFTS = (9, 12, 13, 14)
_MOST_PARTS = 6
_LONGEST = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A choice of a menu and what it does: an edit, or spots that it selects; ``apart`` stands behind a line."""

    text: str
    does: Edit | tuple[Spot, ...] | None
    checked: bool = False
    apart: bool = False


class OptionMenu(QMenu):
    """``make`` returns the options for the selection of the moment; ``further`` are actions that stand below them.

    ``opener`` has the key by which it opens where the keyboard is.
    """

    def __init__(
        self,
        opener: QAction,
        editing: Editing,
        make: Callable[[Editing], list[Option]],
        parent: QWidget,
        further: tuple[QAction, ...] = (),
    ) -> None:
        super().__init__(opener.text(), parent)
        self.opener, self._editing, self._make, self._host, self._further = opener, editing, make, parent, further
        self._options: list[Option] = []
        self.setAccessibleName(opener.text())
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.fill)
        self.triggered.connect(self._on_triggered)
        opener.triggered.connect(self._open)

    def allow(self, allowed: bool) -> None:
        for each in (self, self.menuAction(), self.opener):
            each.setEnabled(allowed)

    def fill(self) -> None:
        self.clear()
        self._options = self._make(self._editing)
        for number, option in enumerate(self._options):
            if option.apart and number:
                self.addSeparator()
            self._add(number, option)
        if not self._options:
            self.addAction(_("Nothing is selected that this applies to")).setEnabled(False)
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

    def _open(self) -> None:
        focused = self._host.focusWidget() or self._host
        self.popup(focused.mapToGlobal(QPoint(focused.width() // 3, focused.height() // 4)))
        first = next((entry for entry in self.actions() if entry.isEnabled() and not entry.isSeparator()), None)
        if first is not None:
            self.setActiveAction(first)

    def _on_triggered(self, action: QAction) -> None:
        number = action.data()
        option = self._options[number] if isinstance(number, int) else None
        if option is None or option.checked:
            return
        if isinstance(option.does, Edit):
            self._editing.apply(option.does)
        elif option.does:
            self._editing.put_selection(option.does[0], option.does)


def new_options(editing: Editing) -> list[Option]:
    pieces = editing.selection.pieces
    text = _("{kind} of {count}")
    return [
        Option(text=text.format(kind=shape.word, count=len(pieces)), does=editing.new_vdev(shape, pieces=pieces))
        for shape in PLAIN_KINDS
    ]


def move_options(editing: Editing) -> list[Option]:
    """Return where the selected disks could go: vdevs, bays, the tray."""
    pieces, pool = editing.selection.pieces, editing.pool()
    own = set(editing.selection.places)
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
    shapes = {
        kind_of(frame.vdev) for place in editing.selection.places if (frame := editing.frames.get(place)) is not None
    }
    return [
        Option(text=shape.word, does=editing.change_kind(shape), checked=shapes == {shape}) for shape in PLAIN_KINDS
    ]


def split_options(editing: Editing) -> list[Option]:
    """Return into how many the first selected vdev could be split."""
    places = editing.selection.places
    frame = editing.frames.get(places[0]) if places else None
    if frame is None:
        return []
    return [
        Option(text=_("{name} into {count}", name=frame.name, count=count), does=editing.split(count))
        for count in range(2, min(len(frame.tiles), _MOST_PARTS) + 1)
    ]


def partition_options(editing: Editing) -> list[Option]:
    """Return how the selected disks could be cut."""
    found: list[Option] = []
    for place in editing.selection.places[:1]:
        frame = editing.frames.get(place)
        name = frame.name if frame is not None else ""
        found.append(Option(text=_("Cut {name} to its smallest member", name=name), does=editing.cut()))
    tiles = [tile for piece in editing.selection.pieces if (tile := editing.tiles.get(piece)) is not None]
    whole = [tile.disk.size_bytes for tile in tiles if tile.disk.size_bytes]
    for numerator, denominator in ((1, 2), (1, 4), (3, 4)) if whole else ():
        size = min(whole) * numerator // denominator
        text = _("Use {size} of each", size=drive_size(size))
        found.append(Option(text=text, does=editing.partition(size)))
    return [*found, Option(text=_("Use whole"), does=editing.make_whole(), apart=True)]


def pool_options(editing: Editing) -> list[Option]:
    """Return what can be done about pools: a further one, moving there, the ashift."""
    design = editing.session.design
    found = [Option(text=_("New pool of the selected vdevs"), does=editing.new_pool())]
    if design is None:
        return found
    found.extend(
        Option(text=_("Move the vdevs to {pool}", pool=pool_name_of(design, pool)), does=editing.to_pool(pool))
        for pool in range(editing.pool_total() if editing.pool_total() > 1 else 0)
    )
    now = ashift_of(design, editing.pool())
    for number, ashift in enumerate(sorted({*_ASHIFTS, now})):
        text = _("ashift {ashift} (fixed once the pool exists)", ashift=ashift)
        found.append(Option(text=text, does=editing.put_ashift(ashift), checked=ashift == now, apart=number == 0))
    return found


def select_options(editing: Editing) -> list[Option]:
    """Return what can be selected at once: shelves, controllers, vdevs, everything in the tray."""
    design, content = editing.session.design, editing.content
    found: list[Option] = []
    for unit in units_of(design.disks) if design is not None else ():
        tiles = [t.piece for t in content.tiles() if t.disk.key in unit.disk_keys and not t.left_over]
        found.append(Option(text=str(unit), does=tuple(tiles)))
    for number, frame in enumerate(content.frames()):
        of_vdev = tuple(tile.piece for tile in frame.tiles)
        found.append(Option(text=f"{frame.name}, {words.kind_text(frame)}", does=of_vdev, apart=number == 0))
    if content.tray:
        tray = tuple(tile.piece for tile in content.tray)
        found.append(Option(text=_("Everything in the tray"), does=tray, apart=True))
    return found


Needed = Callable[[Picked], object]  # what a verb needs of the selection: without it nobody can press it


class Verbs(QObject):
    """Makes the actions of ``host``, the widget whose keys they are, and opens their menus where the keyboard is."""

    def __init__(self, editing: Editing, host: QWidget) -> None:
        super().__init__(host)
        self._editing, self._host = editing, host
        self._states: list[tuple[Callable[[bool], object], Needed]] = []
        self._edits: dict[QAction, Callable[[], Edit | None]] = {}
        new_draid, to_draid = (self._plain(_("dRAID…"), each) for each in (self._new_draid, self._to_draid))
        size = self._plain(_("Use another size of each…"), self._ask_size)
        part, lost = _("Use a part of a disk, the rest for other vdevs"), _("What if it is lost?")
        one, tray = _("Make one vdev of the selected ones"), _("Put what is selected into the tray")
        pieces, places = attrgetter("pieces"), attrgetter("places")
        self.new = self._menu(_("New vdev"), "N", "", new_options, pieces, new_draid)
        self.move = self._menu(_("Move"), "M", "", move_options, pieces)
        self.kind = self._menu(_("Kind"), "K", "", kind_options, places, to_draid)
        self.split = self._menu(_("Split"), "S", "", split_options, places)
        self.cut = self._menu(_("Partition"), "P", part, partition_options, places, size)
        self.pool = self._menu(_("Pool"), "O", "", pool_options, places)
        self.choose = self._menu(_("Select"), "E", lost, select_options, lambda __: editing.tiles)
        self.merge = self._verb(_("Merge"), "G", one, editing.merge, lambda chosen: len(chosen.places) > 1)
        self.swap = self._verb(_("Swap"), "X", "", editing.swap, lambda chosen: len(chosen.pieces) == 2)
        self.remove = self._verb(_("Remove"), "Del", tray, editing.take_out, places)
        self._up, self._down = (
            self._verb(text, keys, "", partial(editing.reorder, step), lambda chosen: len(chosen.places) == 1)
            for text, keys, step in ((_("Move vdev up"), "Alt+Up", -1), (_("Move vdev down"), "Alt+Down", 1))
        )
        self.bind = self._plain(_("Bind disks…"), editing.session.ask_binding)
        self._states.append((self.bind.setEnabled, lambda __: editing.session.design))
        editing.selection_changed.connect(self.update_states)
        self.update_states()

    def buttons(self, parent: QWidget) -> list[QToolButton]:
        """Return a button for each verb, in the order in which one needs them."""
        vdevs = (self.new, self.move, self.kind, self.split, self.merge, self.swap)
        return [self._button(verb, parent) for verb in (*vdevs, self.cut, self.pool, self.remove, self.choose)]

    def popup(self, at: QPoint) -> QMenu:
        menu = lay.named(QMenu(self._host), _("Edit the selection"))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for part in (self.new, self.move, self.kind, self.split):
            menu.addMenu(part)
        menu.addActions([self.merge, self.swap])
        menu.addMenu(self.cut)
        menu.addMenu(self.pool)
        menu.addSeparator()
        menu.addActions([self._up, self._down, self.remove])
        menu.addSeparator()
        menu.addMenu(self.choose)
        menu.addAction(self.bind)
        menu.popup(at)
        return menu

    def update_states(self) -> None:
        selection = self._editing.selection
        for allow, needed in self._states:
            allow(bool(needed(selection)))

    def _menu(
        self,
        title: str,
        keys: str,
        tip: str,
        make: Callable[[Editing], list[Option]],
        needed: Needed,
        *further: QAction,
    ) -> OptionMenu:
        menu = OptionMenu(self._key(title, keys, tip), self._editing, make, self._host, further)
        self._states.append((menu.allow, needed))
        return menu

    def _plain(self, text: str, slot: Callable[[], object]) -> QAction:
        made = QAction(text, self)
        made.triggered.connect(slot)
        return made

    def _verb(self, text: str, keys: str, tip: str, make: Callable[[], Edit | None], needed: Needed) -> QAction:
        made = self._key(text, keys, tip)
        self._edits[made] = make
        self._states.append((made.setEnabled, needed))
        made.triggered.connect(self._do)
        return made

    def _do(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._editing.apply(self._edits[action]())

    def _key(self, text: str, keys: str, tip: str) -> QAction:
        made = QAction(text, self._host)
        made.setShortcut(QKeySequence(keys))
        made.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        made.setToolTip(f"{tip or text} ({keys})")
        self._host.addAction(made)
        return made

    def _button(self, opens: OptionMenu | QAction, parent: QWidget) -> QToolButton:
        button = QToolButton(parent)
        if isinstance(opens, QAction):
            button.setDefaultAction(opens)
        else:
            button.setText(opens.title())
            button.setToolTip(opens.opener.toolTip())
            button.setMenu(opens)
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setAccessibleName(button.text())
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setFont(text_font(SMALL_POINTS))
        return button

    def _new_draid(self) -> None:
        DraidDialog(self._editing, self._host, fresh=True).open()

    def _to_draid(self) -> None:
        DraidDialog(self._editing, self._host, fresh=False).open()

    def _ask_size(self) -> None:
        SizeDialog(self._editing, self._host).open()


# Dialogs that ask for the numbers of an edit, tell what comes of it while they are typed, and make it.


class EditDialog(FormDialog):
    """Makes the edit that its fields say where it is possible."""

    def __init__(self, title: str, editing: Editing, parent: QWidget) -> None:
        super().__init__(title, parent)
        self.editing = editing
        self.taken.connect(editing.apply)

    @abstractmethod
    def asked(self) -> Edit | None: ...

    def outcome(self) -> tuple[str, bool]:
        edit = self.asked()
        effect = None if edit is None else self.editing.effect(edit)
        return ("", False) if effect is None else (effect.text, effect.possible)


class DraidDialog(EditDialog):
    """Parity, data and spares of a dRAID: ``fresh`` of the selected disks, else of the selected vdevs."""

    def __init__(self, editing: Editing, parent: QWidget, *, fresh: bool) -> None:
        super().__init__(_("dRAID"), editing, parent)
        self._fresh = fresh
        count = len(editing.selection.pieces)
        self.show_fields(
            Field("parity", _("Parity disks a group"), Whole(1, 3, 2)),
            Field("data", _("Data disks a group"), Whole(1, 255, min(8, max(1, count - 2)))),
            Field("spares", _("Distributed spares"), Whole(0, 100, 1 if count > 8 else 0)),
        )

    def asked(self) -> Edit:
        shape = self._shape()
        return self.editing.new_vdev(shape) if self._fresh else self.editing.change_kind(shape)

    def outcome(self) -> tuple[str, bool]:
        text, possible = super().outcome()
        return f"{self._shape().word}: {text}", possible

    def _shape(self) -> VdevSpec:
        parity, data, spares = (self.form.value(name) for name in ("parity", "data", "spares"))
        return VdevSpec(kind=VdevKind.DRAID, parity=parity, draid_data=data, draid_spares=spares)


class SizeDialog(EditDialog):
    """How much of each selected disk a vdev gets: a size with its unit, such as 2TB or 1.8TiB."""

    def __init__(self, editing: Editing, parent: QWidget) -> None:
        super().__init__(_("Partition"), editing, parent)
        how = Typed(_partition_size, told=size_read)
        self.show_fields(Field("size", _("Size of the partition on each disk"), how, empty=_("2TB or 1.8TiB")))

    def asked(self) -> Edit | None:
        size = self.form.value("size")
        return None if size is None else self.editing.partition(size)


def _partition_size(text: str) -> int:
    return parse_size(text, what=_("size of a partition"), units=CAPACITY_UNITS)
