"""The edits as verbs: buttons, keys and menus with what each would do, the same for the picture and the tree."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QStyleOptionMenuItem, QToolButton, QWidget

from poolwright.design.edits.places import (
    MIRROR,
    PLAIN_KINDS,
    RAIDZ1,
    RAIDZ2,
    RAIDZ3,
    STRIPE,
    Bay,
    Target,
    Tray,
    kind_of,
    pool_of,
)
from poolwright.domain.outage import units_of
from poolwright.domain.rates import size_read
from poolwright.domain.units import CAPACITY_UNITS, drive_size, parse_size
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.texts import _
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.content import BAY_CLASSES
from poolwright.ui.design.picture.editing import Edit, Editing, Spot
from poolwright.ui.design.picture.words import Effect, Figure
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.form import Field, FormDialog, Typed, Whole
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

# What can be done with the selection, as menus offer it: each choice with its effect, or why it is refused.

_ASHIFTS = (9, 12, 13, 14)
_MOST_PARTS = 6
_WIDEST_USUAL = 12
_LONGEST = 90
_AT_ONCE = 4000  # so many disks times choices are worked out before a menu opens; further ones when pointed at
_BETWEEN = 2 * GRID  # the columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A choice of a menu and what it does: an edit, or spots that it selects; ``apart`` stands behind a line."""

    text: str
    does: Edit | tuple[Spot, ...] | None
    checked: bool = False
    apart: bool = False


class OptionMenu(QMenu):
    """``make`` returns the options for the selection of the moment; other menus stand above them, actions below.

    ``opener`` has the key by which it opens where the keyboard is.
    """

    def __init__(
        self,
        opener: QAction,
        editing: Editing,
        make: Callable[[Editing], list[Option]],
        parent: QWidget,
        above: tuple[QMenu, ...] = (),
        below: tuple[QAction, ...] = (),
    ) -> None:
        super().__init__(opener.text(), parent)
        self.opener, self._editing, self._make, self._host = opener, editing, make, parent
        self._above, self._below = above, below
        self._options: list[Option] = []
        self._effects: dict[QAction, Effect] = {}
        self.setAccessibleName(opener.text())
        self.setToolTipsVisible(True)
        self.setFont(text_font(SMALL_POINTS))
        self.aboutToShow.connect(self.fill)
        self.hovered.connect(self._tell)
        self.triggered.connect(self._on_triggered)
        opener.triggered.connect(self._open)

    def fill(self) -> None:
        self.clear()
        self._effects.clear()
        self.setMinimumWidth(0)
        self.addActions([menu.menuAction() for menu in self._above])
        self._options = self._make(self._editing)
        design = self._editing.session.design
        disks = len(design.used_keys()) if design is not None else 1
        for number, option in enumerate(self._options):
            if self.actions() and (option.apart or (self._above and number == 0)):
                self.addSeparator()
            if isinstance(option.does, Edit) and not self._effects:
                head = self.addAction("")
                head.setEnabled(False)
                heads = (_("Usable"), _("Survives"), _("Loss a year"))
                self._effects[head] = Effect(figures=tuple(Figure(text=each) for each in heads), possible=False)
            action = self.addAction(option.text.replace("&", "&&"))
            action.setData(number)
            action.setCheckable(option.checked)
            action.setChecked(option.checked)
            if number * disks < _AT_ONCE:
                self._tell(action)
        if not self.actions():
            self.addAction(_("Not possible with this selection")).setEnabled(False)
        if self._below:
            self.addSeparator()
            self.addActions(list(self._below))

    def initStyleOption(self, option: QStyleOptionMenuItem, action: QAction) -> None:
        super().initStyleOption(option, action)
        if action in self._effects:  # its figures are painted in their own colours
            option.text = option.text.partition("\t")[0]

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setFont(self.font())
        for action, effect in self._effects.items():
            room = self.actionGeometry(action).adjusted(0, 0, -_BETWEEN, 0)
            for figure, wide in reversed(list(zip(effect.figures, self._columns(effect), strict=True))):
                tone = Tone.BLOCK if figure.worse else Tone.TEXT if effect.possible else Tone.MUTED
                painter.setPen(theme().colour(tone))
                painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, _short(figure))
                room.setRight(room.right() - wide - _BETWEEN)

    def _columns(self, of: Effect) -> list[int]:
        """Return how wide each figure of all effects with as many is."""
        alike = [each.figures for each in self._effects.values() if len(each.figures) == len(of.figures)]
        wide = self.fontMetrics().horizontalAdvance
        return [max(wide(_short(figure)) for figure in column) for column in zip(*alike, strict=True)]

    def _tell(self, action: QAction) -> None:
        """Show what a choice does beside it, in columns."""
        option = self._option(action)
        if option is None or action in self._effects or not isinstance(option.does, Edit) or option.checked:
            return
        effect = self._effects[action] = self._editing.effect(option.does)
        action.setText(f"{action.text()}\t{effect.text[:_LONGEST]}")
        action.setEnabled(effect.possible)
        action.setToolTip(effect.text)
        if effect.fatal:
            action.setIcon(icons.icon("warn", Tone.WARN))
        names = max(self.fontMetrics().horizontalAdvance(each.text().partition("\t")[0]) for each in self._effects)
        self.setMinimumWidth(names + max(sum(self._columns(e)) for e in self._effects.values()) + 6 * _BETWEEN)

    def _open(self) -> None:
        focused = self._host.focusWidget() or self._host
        self.popup(focused.mapToGlobal(QPoint(focused.width() // 3, focused.height() // 4)))
        fatal = {action for action, effect in self._effects.items() if effect.fatal}  # Enter must not lose a pool
        entries = (entry for entry in self.actions() if entry not in fatal)
        first = next((entry for entry in entries if entry.isEnabled() and not entry.isSeparator()), None)
        if first is not None:
            self.setActiveAction(first)

    def _option(self, action: QAction) -> Option | None:
        number = action.data()
        return self._options[number] if isinstance(number, int) else None

    def _on_triggered(self, action: QAction) -> None:
        option = self._option(action)
        if option is not None and isinstance(option.does, Edit) and not option.checked:
            self._editing.apply(option.does)
        elif option is not None and isinstance(option.does, tuple):
            self._editing.put_selection(option.does[0], option.does)


def _short(figure: Figure) -> str:
    text = figure.cell or figure.text
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def new_options(editing: Editing) -> list[Option]:
    """Return what could be made of the selected disks: one vdev of each kind, and vdevs of a usual width."""
    pieces = editing.selection.pieces
    width, found = len(pieces), list[Option]()
    if not pieces:
        return found
    text = _("{word} of {width}")
    for shape in (RAIDZ2, RAIDZ3, RAIDZ1, MIRROR, STRIPE):
        if shape is not MIRROR or width < 4:
            name = text.format(word=shape.word, width=width)
            found.append(Option(text=name, does=editing.new_vdev(shape, pieces=pieces)))
    for shape, vdevs in [(MIRROR, width // 2), *((RAIDZ2, count) for count in range(2, width // 6 + 1))]:
        if vdevs > 1 and width % vdevs == 0 and width // vdevs <= _WIDEST_USUAL:
            name = f"{vdevs} × {text.format(word=shape.word, width=width // vdevs)}"
            found.append(Option(text=name, does=editing.new_vdev(shape, pieces=pieces, count=vdevs)))
    return found


def edit_options(editing: Editing) -> list[Option]:
    """Return the edits of the selection that need no further choice."""
    places = editing.selection.places
    fitting = (
        (_("Merge (G)"), editing.merge() if len(places) > 1 else None),
        (_("Swap (X)"), editing.swap()),
        (_("To the tray (Del)"), editing.take_out() if places else None),
        (_("Move vdev up (Alt+Up)"), editing.reorder(-1) if len(places) == 1 else None),
        (_("Move vdev down (Alt+Down)"), editing.reorder(1) if len(places) == 1 else None),
    )
    return [Option(text=text, does=edit) for text, edit in fitting if edit is not None]


def move_options(editing: Editing) -> list[Option]:
    """Return where the selected disks could go: vdevs, bays, the tray."""
    pieces, pool = editing.selection.pieces, editing.pool()
    if not pieces:
        return []
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
        Option(text=_("Move the vdevs to {pool}", pool=pool_of(design, pool).pool_name), does=editing.to_pool(pool))
        for pool in range(editing.pool_total() if editing.pool_total() > 1 else 0)
    )
    now = pool_of(design, editing.pool()).ashift
    for number, ashift in enumerate(sorted({*_ASHIFTS, now})):
        text = _("ashift {ashift} (fixed once the pool exists)", ashift=ashift)
        found.append(Option(text=text, does=editing.put_ashift(ashift), checked=ashift == now, apart=number == 0))
    return found


def select_options(editing: Editing) -> list[Option]:
    """Return what can be selected at once, beside what keys and a rubber band do: all of a shelf or controller."""
    tiles = [tile for tile in editing.content.tiles() if not tile.left_over]
    return [
        Option(text=str(unit), does=tuple(tile.piece for tile in tiles if tile.disk.key in unit.disk_keys))
        for unit in units_of([tile.disk for tile in tiles])
    ]


class Verbs(QObject):
    """Makes the actions of ``host``, the widget whose keys they are, and opens their menus where the keyboard is."""

    def __init__(self, editing: Editing, host: QWidget) -> None:
        super().__init__(host)
        self._editing, self._host = editing, host
        self._edits: dict[QAction, Callable[[], Edit | None]] = {}
        new_draid, to_draid = (
            self._plain(_("dRAID…"), partial(self._ask, DraidDialog, fresh=fresh)) for fresh in (True, False)
        )
        size = self._plain(_("Use another size of each…"), partial(self._ask, SizeDialog))
        bind = self._plain(_("Bind disks…"), editing.session.ask_binding)
        self.new = self._menu(_("New vdev"), "N", new_options, new_draid)
        self.move = self._menu(_("Move"), "M", move_options)
        self.kind = self._menu(_("Set type"), "K", kind_options, to_draid)
        self.split = self._menu(_("Split"), "S", split_options)
        self.cut = self._menu(_("Partition"), "P", partition_options, size)
        self.pool = self._menu(_("Pool"), "O", pool_options)
        self.choose = self._menu(_("Select"), "E", select_options)
        inner = self.new, self.move, self.kind, self.split, self.cut, self.pool, self.choose
        self.all = OptionMenu(self._plain(_("More"), None), editing, edit_options, host, inner, (bind,))
        self.remove = self._verb(_("To tray"), "Del", editing.take_out)
        self._verb("", "G", editing.merge)
        self._verb("", "X", editing.swap)
        self._verb("", "Alt+Up", partial(editing.reorder, -1))
        self._verb("", "Alt+Down", partial(editing.reorder, 1))
        self.fail = self._key(_("What if it fails"), "F")
        self.fail.setCheckable(True)
        self.fail.toggled.connect(editing.fail)
        self._others = [key for key in host.actions() if key not in (self.choose.opener, self.fail)]
        self._leave = self._key("", "Esc")
        self._leave.triggered.connect(self.fail.toggle)
        editing.selection_changed.connect(self._show_mode)
        self._show_mode()

    def popup(self, at: QPoint) -> None:
        if not self._editing.failing:
            self.all.popup(at)

    def button(self, opens: OptionMenu | QAction, parent: QWidget) -> QToolButton:
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

    def _show_mode(self) -> None:
        failing = self._editing.failing
        self.fail.setChecked(failing)
        self.fail.setEnabled(bool(self._editing.frames))
        self._leave.setEnabled(failing)
        for key in self._others:
            key.setEnabled(not failing)

    def _menu(self, title: str, keys: str, make: Callable[[Editing], list[Option]], *below: QAction) -> OptionMenu:
        return OptionMenu(self._key(title, keys), self._editing, make, self._host, below=below)

    def _plain(self, text: str, slot: Callable[[], object] | None) -> QAction:
        action = QAction(text, self)
        if slot is not None:
            action.triggered.connect(slot)
        return action

    def _verb(self, text: str, keys: str, make: Callable[[], Edit | None]) -> QAction:
        action = self._key(text, keys)
        self._edits[action] = make
        action.triggered.connect(self._do)
        return action

    def _do(self) -> None:
        self._editing.apply(self._edits[widgets.sent(self, QAction)]())

    def _key(self, text: str, keys: str) -> QAction:
        action = QAction(text, self._host)
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setToolTip(f"{text} ({keys})")
        self._host.addAction(action)
        return action

    def _ask(self, dialog: "Callable[..., EditDialog]", **more: bool) -> None:
        dialog(self._editing, self._host, **more).open()


# Dialogs that ask for the numbers of an edit, tell what comes of it while they are typed, and make it.


class EditDialog(FormDialog):
    """Makes the edit that its fields say where it is possible."""

    def __init__(self, title: str, editing: Editing, parent: QWidget) -> None:
        super().__init__(title, parent)
        self.editing = editing
        self._worse = False
        self.taken.connect(editing.apply)

    @abstractmethod
    def value(self) -> Edit | None: ...

    def outcome(self) -> tuple[str, bool]:
        edit = self.value()
        effect = None if edit is None else self.editing.effect(edit)
        self._worse = effect is not None and any(figure.worse for figure in effect.figures)
        return ("", False) if effect is None else (effect.text, effect.possible)

    def tell(self) -> None:
        super().tell()
        if self._worse:
            self.effect.set_tone(Tone.BLOCK)


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

    def value(self) -> Edit:
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
        how = Typed(partial(parse_size, units=CAPACITY_UNITS), words=size_read)
        self.show_fields(Field("size", _("Size of the partition on each disk"), how, empty=_("2TB or 1.8TiB")))

    def value(self) -> Edit | None:
        size = self.form.value("size")
        return None if size is None else self.editing.partition(size)
