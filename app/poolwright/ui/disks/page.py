"""The disks page: where the disks come from, what is known of each, and which of them may be used."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from poolwright.domain.disk import Disk, Note, NoteLevel
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.host import Host, Inventory, group_disks
from poolwright.domain.pool import pool_troubles
from poolwright.domain.units import binary, decimal, drive_size
from poolwright.emit.names import device_problem
from poolwright.machine.typed.read import read_typed
from poolwright.process.administrator import helper_problem
from poolwright.texts import N_, _, first_of, ngettext, says
from poolwright.ui.disks.table import DiskTable
from poolwright.ui.disks.view import DiskDetail, DiskView
from poolwright.ui.parts import lay
from poolwright.ui.parts.drop_ground import DropGround
from poolwright.ui.parts.form import Remark, RemarkLabel
from poolwright.ui.parts.lay import ElidedLabel
from poolwright.ui.parts.note_lines import Line, Message, NoteLines, Notice
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.save_file import ask_files
from poolwright.ui.parts.sheet import remember_split
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.state.steps import StepState, disks_status

_LEAST_TABLE = 26 * GRID  # a low window scrolls the page rather than a table of four rows
_BIND, _ANEW = "bind", "anew"  # for machines
LISTING = "ls -l /dev/disk/by-id"  # for machines
_TABLE_SHARE, _DETAIL_SHARE = 68, 32


class DisksPage(Page):
    """Shows the session's inventory and changes its ticks."""

    gap: ClassVar[int] = GRID

    heading = N_("Disks")
    about = N_("Choose where the disks come from, then tick those that may be used.")

    def missing(self) -> str:
        status = disks_status(self.session)
        return "" if status.state is StepState.DONE else status.reason

    def build(self) -> None:
        self._shown: Inventory | None = None
        self._table = DiskTable(self)
        self._table.tick_wanted.connect(self._on_tick_wanted)
        self._table.modelReset.connect(self._show_count)
        self.waiting = Notice(_("A machine that was read"), self)
        self.waiting.pressed.connect(self._on_waiting)
        self.body.addLayout(self._make_sources())
        self.body.addWidget(self.waiting)
        self.rights = Notice(_("Missing rights"), self)
        self.rights.pressed.connect(self.session.sources.read_as_administrator)
        self.body.addWidget(self.rights)
        self.body.addWidget(self._typed.below)
        self.pools = Notice(_("Pools on these disks"), self)
        self.pools.pressed.connect(self._on_pools)
        self.body.addWidget(self.pools)
        self._machine_of_typed: Inventory | None = None  # the one beside whose disks they were typed
        self.elsewhere = Notice(_("The machine of the typed disks"), self)
        self.elsewhere.pressed.connect(self._on_here)
        self.body.addWidget(self.elsewhere)
        self.listing = Notice(_("Names for scripts"), self)
        self.listing.pressed.connect(self._on_copy_listing)
        self.body.addWidget(self.listing)  # above the table, below which nobody would see it
        self._stack = QStackedWidget(self)
        what = _("Files or folders of lsblk, smartctl, nvme and zpool output, JSON or text.")
        self._ground = DropGround(_("Drop captures here"), what, self._stack)
        self._stack.addWidget(self._ground)
        self._stack.addWidget(self._make_inventory())
        self.body.addWidget(self._stack, 1)
        self.session.sources.busy_changed.connect(self._show_busy)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self._on_find)
        self._show_busy()

    def first_stop(self, stops: Sequence[QWidget]) -> QWidget | None:
        """Begin at the table: a key pressed by habit must not read another machine."""
        return self._view if self._view in stops else super().first_stop(stops)

    def refresh(self) -> None:
        inventory = self.session.inventory
        self._show_waiting()
        self._show_elsewhere()
        self.pools.show_or_hide(pools_message(inventory))
        self.listing.show_or_hide(listing_message(inventory))
        self.rights.show_or_hide(rights_message(inventory, self.session.sources.refusal))
        if inventory is not self._shown:
            self._shown = inventory
            self._table.show_inventory(inventory, self.session.ticked)
            self._stack.setCurrentIndex(0 if inventory is None or not inventory.disks else 1)
            self._view.begin()
            self._show_head(inventory)
            self._on_selected()
        self._table.set_ticked(self.session.ticked)
        self._show_count()

    def recolour(self) -> None:
        self._view.viewport().update()
        self._view.refit()

    def _make_sources(self) -> QVBoxLayout:
        """The ways to more disks as a quiet row, and below it the field for typed ones."""
        row = Flow()
        self._machine, *self._others = (
            lay.button(text, self, slot, icon=icon)
            for icon, text, slot in (
                ("machine", _("This machine"), self.session.sources.read_this_machine),
                ("hosts", _("Host…"), self._on_hosts),
                ("capture", _("Other machine…"), self._on_other_machine),
                ("open", _("Files…"), self._on_files),
                ("buy", _("Buy…"), self._on_buying),
            )
        )
        self._cancel = lay.button(_("Cancel reading"), self, self.session.sources.cancel, icon="cancel")
        for button in (self._machine, self._cancel, *self._others):
            row.addWidget(button)
        self._typed = TypedDisks(self)
        self._typed.typed.connect(self._on_typed)
        return lay.column(row, self._typed)

    def _make_inventory(self) -> QWidget:
        holder = QWidget(self._stack)
        self._name = lay.named(QLabel(holder), _("Inventory"))
        self._name.setFont(text_font(semibold=True))
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self._host = lay.named(ElidedLabel(Tone.MUTED, holder), _("Machine"))
        self._notes = NoteLines(_("Notes of the reading"), holder, most=2)
        head = lay.row(self._name, (self._host, 1), gap=2 * GRID)
        column = lay.column(head, self._notes, self._make_bar(holder), of=holder)
        self._view = DiskView(self._table, holder)
        self._view.setMinimumHeight(_LEAST_TABLE)
        self._columns.setMenu(self._view.columns_menu)
        self._detail = DiskDetail(holder)
        self._view.selected.connect(self._on_selected)
        self._view.remove_wanted.connect(self._on_remove)
        split = lay.split(holder, (self._view, _TABLE_SHARE), (self._detail, _DETAIL_SHARE))
        split.setSizes([_TABLE_SHARE * GRID, _DETAIL_SHARE * GRID])
        self._view.arrange(self.session.preferences.arrangement("disks"))
        self._view.arranged.connect(self._on_arranged)
        remember_split(split, "disks", self.session.preferences)
        column.addWidget(split, 1)
        return holder

    def _show_waiting(self) -> None:
        at_hand, design = self.session.work.at_hand, self.session.design
        if at_hand is None or design is None:
            self.waiting.hide()
            return
        text = _("{machine} was read and waits: these are still the disks of “{name}”.")
        text = text.format(machine=at_hand.inventory.name, name=design.name)
        offers = ((_("Bind disks…"), _BIND), (_("New design with these"), _ANEW))
        self.waiting.say(Message(title=text, offers=offers))

    def _show_elsewhere(self) -> None:
        """Say that typed disks are planned without the machine that is read, none of whose disks they join."""
        inventory, beside = self.session.inventory, self._machine_of_typed
        apart = inventory is not None and beside is not None and inventory.name == beside.name
        if not apart or inventory is None or inventory.host != Host() or not any(d.planned for d in inventory.disks):
            self.elsewhere.hide()
            return
        title = _("The typed disks are planned for a machine of unknown processor and memory.")
        self.elsewhere.show_text(title, action=_("Plan them for {machine}", machine=inventory.name))

    def _on_here(self) -> None:
        inventory, beside = self.session.inventory, self._machine_of_typed
        if inventory is not None and beside is not None:
            self.session.set_inventory(replace(inventory, host=beside.host), self.session.ticked)

    def _on_waiting(self, asked: str) -> None:
        if asked == _BIND:
            self.session.ask_binding()
        else:
            self.session.begin_with_machine()

    def _make_bar(self, parent: QWidget) -> QHBoxLayout:
        name, hint = _("Filter the disks"), _("Filter: model, serial, size…")
        self._filter = lay.search_line(parent, name, hint, self._table.set_filter)
        self._filter.setAcceptDrops(False)
        self._filter.setMaximumWidth(32 * GRID)
        self._count = lay.named(QLabel(parent), _("Ticked disks"))
        self._count.setFont(text_font(semibold=True))
        self._columns = lay.button(_("Columns"), parent, icon="settings")
        self._copy = lay.button(_("Copy as CSV"), parent, self._on_copy, icon="copy")
        return lay.row((self._filter, 1), (self._count, 1), self._columns, self._copy)

    def _show_busy(self) -> None:
        busy = self.session.sources.busy
        self._cancel.setVisible(busy)
        self._machine.setVisible(not busy)
        for button in (self._machine, *self._others):
            button.setEnabled(not busy)

    def _show_head(self, inventory: Inventory | None) -> None:
        if inventory is None:
            return
        self._name.setText(inventory.name)
        self._host.show_text(_host_text(inventory))
        notes = [*inventory.notes, *inventory.host.notes, *_warnings(inventory)]
        notes.sort(key=lambda note: note.level is not NoteLevel.WARN)
        tones = {NoteLevel.WARN: Tone.WARN, NoteLevel.NOTE: Tone.NOTE}
        self._notes.show_lines([Line(text=note.text, tone=tones[note.level]) for note in notes])

    def _show_count(self) -> None:
        inventory = self.session.inventory
        if inventory is None:
            return
        ticked = [disk for disk in inventory.disks if disk.key in self.session.ticked]
        raw = sum(disk.size_bytes or 0 for disk in ticked)
        count, size = len(inventory.disks), binary(raw) if raw else "0 B"
        text = _("{ticked} of {all} ticked, {tib} raw", ticked=len(ticked), all=count, tib=size)
        hidden = count - len(self._table.shown())
        if hidden:
            text = _("{text}; {count:,} filtered out", text=text, count=hidden)
        self._count.setText(text)
        self._count.setToolTip(f"{decimal(raw)} = {binary(raw)}")

    def _on_selected(self) -> None:
        self._detail.show_disks(self._view.chosen_disks(), self._table.shown())

    def _on_arranged(self) -> None:
        self.session.preferences.keep_arrangement("disks", self._view.arrangement())

    def _on_tick_wanted(self, keys: frozenset[str]) -> None:
        self.session.tick(keys)

    def _on_typed(self, typed: Inventory) -> None:
        before, kept, text = self.session.inventory, self.session.preferences, self._typed.entry.text()
        if before is None or before.name == typed.name:  # typed disks alone: the first page offers them again
            kept.typed_disks = f"{kept.typed_disks}, {text}" if before is not None else text
        if before is None:
            self.session.start_from(typed)
            return
        inventory, added = with_planned(before, typed)
        joined = any(disk.planned or disk.key in self.session.ticked for disk in before.disks)
        if not joined and before.host != Host():
            # Nothing of this machine is to be used: as a rule it is not the one for which disks are typed.
            self._machine_of_typed, inventory = before, replace(inventory, host=Host())
        self.session.set_inventory(inventory, self.session.ticked | added)

    def _on_remove(self) -> None:
        planned = [disk.key for disk in self._view.chosen_disks() if disk.planned]
        inventory = self.session.inventory
        if inventory is not None and planned:
            self.session.set_inventory(without_planned(inventory, planned), self.session.ticked)

    def _on_files(self) -> None:
        ask_files(self, _("Open"), self.session.open_files)

    def _on_copy_listing(self) -> None:
        QGuiApplication.clipboard().setText(LISTING)
        self.session.say(_("The line is copied."))

    def _on_hosts(self) -> None:
        self.go.emit("hosts")

    def _on_other_machine(self) -> None:
        self.go.emit("other_machine")

    def _on_buying(self) -> None:
        self.go.emit("buying")

    def _on_pools(self) -> None:
        self.go.emit("pools")

    def _on_copy(self) -> None:
        count = self._view.copy_csv()
        self.session.say(ngettext("{count} disk copied as CSV.", "{count} disks copied as CSV.", count))

    def _on_find(self) -> None:
        self._filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._filter.selectAll()


def pools_message(inventory: Inventory | None) -> Message | None:
    if inventory is None or not inventory.pools:
        return None
    named = [f"{p.name} ({', '.join(told)})" if (told := pool_troubles(p)) else p.name for p in inventory.pools]
    names = first_of(named, 4)
    count = len(inventory.pools)
    title = ngettext("Pool {names} is on these disks.", "Pools {names} are on these disks.", count, names=names)
    return Message(title=title, tone=Tone.NOTE, offers=((_("Look at this pool"), ""),))


def listing_message(inventory: Inventory | None) -> Message | None:
    """Return the one line to run where free disks can be in no script for want of their names."""
    disks = () if inventory is None else inventory.usable()
    unnamed = [disk.label for disk in disks if not disk.planned and disk.by_id_name is None and device_problem(disk)]
    if not unnamed:
        return None
    return Message(
        title=_("One listing lets a script name {disks}", disks=first_of(_short(unnamed), 4)),
        reasons=LISTING,
        todo=_("You can design now. Run it there, then open what it prints together with the other files."),
        offers=((_("Copy"), ""),),
        bold=True,
        command=True,
    )


def _warnings(inventory: Inventory) -> list[Note]:
    """Return what is to be heeded of disks, each warning once with the disks that it is about."""
    return [
        Note(text=_("{disks}: {note}", disks=first_of(_short(owners), 4), note=note.text), level=note.level)
        for note, owners in inventory.notes_of_disks()
        if note.level is NoteLevel.WARN
    ]


def _short(owners: Sequence[str]) -> list[str]:
    return [name.removeprefix("/dev/") for name in owners]


def _host_text(inventory: Inventory) -> str:
    host = inventory.host
    parts = []
    if host.name and host.name != inventory.name:
        parts.append(host.name)
    if host.ram_bytes is not None:
        parts.append(_("{ram} RAM", ram=binary(host.ram_bytes)))
    if host.cores is not None:
        parts.append(ngettext("{count} core", "{count} cores", host.cores))
    if host.zfs_version:
        parts.append(f"OpenZFS {host.zfs_version}")
    return " · ".join([*parts, str(inventory.origin)])


# What disks would not tell for lack of rights, and the offer to read them as administrator.

THIS_MACHINE = "this machine"  # for machines
_BY_HAND = "poolwright collector | sudo sh > machine.capture"  # for machines


def rights_message(inventory: Inventory | None, refusal: str) -> Message | None:
    """Return what is missing of this machine's disks for lack of rights; None where nothing is.

    ``refusal`` is why it was not read as administrator when that was asked for.
    """
    if inventory is None or not inventory.denied or not says(inventory.origin.source, THIS_MACHINE):
        return None
    names = first_of([path.removeprefix("/dev/") for path in inventory.denied], 4)
    missing = ngettext(
        "{count} disk ({names}) told no health, hours and exact sectors: only the administrator is told.",
        "{count} disks ({names}) told no health, hours and exact sectors: only the administrator is told.",
        len(inventory.denied),
        names=names,
    )
    problem = helper_problem()
    why = refusal or problem or ""
    return Message(
        title=missing,
        tone=Tone.WARN if refusal else Tone.NOTE,
        reasons=_("Not read as administrator: {why}.", why=why) if why else "",
        todo=_("In a terminal: {command}, then open the capture.", command=_BY_HAND) if why else "",
        offers=() if problem else ((_("Read as administrator"), ""),),
    )


# Disks typed by hand: the row in which they are typed, what it will add, and their place in an inventory.


def with_planned(inventory: Inventory, typed: Inventory) -> tuple[Inventory, frozenset[str]]:
    taken = {disk.key for disk in inventory.disks}
    added: list[Disk] = []
    for disk in typed.disks:
        key = _free_key(disk.key, taken)
        taken.add(key)
        added.append(replace(disk, key=key))
    notes = inventory.notes + tuple(note for note in typed.notes if note not in inventory.notes)
    made = replace(inventory, disks=(*inventory.disks, *added), notes=notes)
    return made, frozenset(disk.key for disk in added)


def without_planned(inventory: Inventory, keys: Iterable[str]) -> Inventory:
    gone = frozenset(keys)
    return replace(inventory, disks=tuple(d for d in inventory.disks if not (d.planned and d.key in gone)))


def _free_key(wanted: str, taken: set[str]) -> str:
    if wanted not in taken:
        return wanted
    stem, dash, number = wanted.rpartition("-")
    at = int(number) if dash and number.isdecimal() else 1
    stem = stem if dash and number.isdecimal() else wanted
    while f"{stem}-{at:02d}" in taken:
        at += 1
    return f"{stem}-{at:02d}"


class TypedDisks(QWidget):
    """Sends ``typed`` with an Inventory when Add or Enter is pressed and the text is understood.

    ``below`` is the line about the text; the page puts it where there is room for it.
    """

    typed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._failed = False
        self.entry = lay.entry(self, _("Type disks by hand"), _("or type 12 x 16TB CMR SATA"))
        self.entry.setToolTip(_("12 x 16TB CMR SATA shelf=1 model=ST16000NM001G read=250MB/s, 2 x 960GB NVMe PLP"))
        self.entry.setClearButtonEnabled(True)
        self.entry.setAcceptDrops(False)
        self.entry.setMaxLength(2000)
        self.entry.textChanged.connect(self._on_text)
        self.entry.returnPressed.connect(self._on_add)
        self.add = lay.button(_("Add disks"), self, self._on_add, icon="add")
        self.below = RemarkLabel(parent)
        self.below.name(_("About the typed disks"))
        lay.row((self.entry, 1), self.add, of=self)
        self._on_text()

    def _on_text(self) -> None:
        self._failed = False
        text, inventory, said = self.entry.text(), None, ""
        if text.strip():
            try:
                inventory = read_typed([text])
                said = _preview(inventory)
            except PoolwrightError as error:
                said = error.text  # while somebody types, a text is unfinished rather than wrong; Enter makes it wrong
        self.add.setEnabled(inventory is not None)
        self._say(said)

    def _on_add(self) -> None:
        text = self.entry.text()
        if not text.strip():
            return
        try:
            inventory = read_typed([text], name=_("shopping list"))
        except PoolwrightError as error:
            self._failed = True
            self._say(error.text)
        else:
            self.typed.emit(inventory)
            self.entry.clear()

    def _say(self, text: str) -> None:
        name, tone = ("block", Tone.BLOCK) if self._failed else ("note", Tone.MUTED)
        self.below.show_remark(Remark(text=text, tone=tone, icon=name))
        self.below.setToolTip(text)
        self.below.setVisible(bool(text))


def _preview(inventory: Inventory) -> str:
    groups = ", ".join(f"{len(g.disks)} × {drive_size(g.size_bytes)}" for g in group_disks(inventory.disks))
    total = sum(disk.size_bytes or 0 for disk in inventory.disks)
    assumed = "; ".join(note.text.partition(": ")[2] for note in inventory.notes)
    told = _("{disks}: {size} raw", disks=groups, size=decimal(total))
    return f"{told}; {assumed}" if assumed else told
