"""The disks page: where the disks come from, what is known of each, and which of them may be used."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from poolwright.domain.disk import Disk, Note, NoteLevel, UseNote
from poolwright.domain.estimate import OriginKind
from poolwright.domain.host import Host, Inventory, with_planned
from poolwright.domain.pool import pool_troubles
from poolwright.domain.units import binary, decimal
from poolwright.emit.disk_words import called, use_is_known
from poolwright.emit.names import quote
from poolwright.machine.packed import COLLECTOR, one_line
from poolwright.process.administrator import helper_problem
from poolwright.texts import N_, _, capital, first_of, ngettext, says
from poolwright.ui.disks.table import DiskTable
from poolwright.ui.disks.view import DiskFacts, DiskView
from poolwright.ui.parts import widgets
from poolwright.ui.parts.given_field import Given, GivenField
from poolwright.ui.parts.note_lines import Line, Message, NoteLines, Notice
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.save_file import ask_where
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.parts.widgets import ElidedLabel
from poolwright.ui.state.sources import is_typed
from poolwright.ui.state.steps import StepState, disks_status
from poolwright.ui.state.work import system_disk

_PASTE = "paste"  # for machines
LISTING, LSBLK = "ls -l /dev/disk/by-id", "lsblk -JbO"  # for machines
_LINE_TO_RUN = re.compile("`([^`]+)`")
_GROWS, _FEW = 1000, 12


class DisksPage(Page):
    """Shows the session's inventory and changes its ticks."""

    gap: ClassVar[int] = GRID

    heading = N_("Disks")

    def sentence(self) -> str:
        if self.session.inventory is None:
            return _("Read a machine, drop files anywhere, or type what you plan.")
        return _("Choose the disks that may be used. Equal disks are one row.")

    def missing(self) -> str:
        status = disks_status(self.session)
        return status.reason if status.state is StepState.TO_DO else ""

    def build(self) -> None:
        self._shown: Inventory | None = None
        self._table = DiskTable(self)
        self._table.tick_wanted.connect(self.session.tick)
        self._table.modelReset.connect(self._show_count)
        self.body.addLayout(self._make_sources())
        self.collector = self._notice(_("A machine out of reach"))
        self.rights = self._notice(_("Missing rights"), self.session.sources.read_as_administrator)
        self.pools = self._notice(_("Pools on these disks"), self.go)
        self._inventory = self._make_inventory()
        self._inventory.hide()
        self.body.addWidget(self._inventory, _GROWS)
        self.body.addStretch(1)
        self.begins = (self._view, self._given.text)  # a key pressed by habit must not read another machine
        self.session.sources.busy_changed.connect(self._show_busy)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self._on_find)
        self._show_busy()

    def refresh(self) -> None:
        inventory = self.session.inventory
        self.pools.show_or_hide(pools_message(inventory))
        self.rights.show_or_hide(rights_message(inventory, self.session.sources.refusal))
        if inventory is not self._shown:
            self._shown = inventory
            self.collector.hide()
            self._table.show_inventory(inventory, self.session.ticked)
            self._filter.setVisible(inventory is not None and len(inventory.disks) > _FEW)
            self._inventory.setVisible(inventory is not None and bool(inventory.disks))
            self._view.begin()
            self._show_head(inventory)
            self._on_selected()
        limit = self.session.rules.limits.get("disk.oldest_hours") if self.session.rules is not None else None
        self._table.old_hours = limit.value if limit is not None else None
        self._table.set_ticked(self.session.ticked)
        self._show_count()

    def recolour(self) -> None:
        self._view.viewport().update()
        self._view.refit()

    def _notice(self, name: str, pressed: object = None) -> Notice:
        notice = Notice(name, self)
        if pressed is not None:
            notice.pressed.connect(pressed)
        self.body.addWidget(notice)
        return notice

    def _make_sources(self) -> QVBoxLayout:
        """The ways to more disks as a quiet row, and below it the field for typed ones."""
        row = Flow()
        self._machine, *self._others = (
            widgets.button(text, self, slot, icon=icon)
            for icon, text, slot in (
                ("machine", _("This machine"), self.session.sources.read_this_machine),
                ("hosts", _("Over SSH"), partial(self.go.emit, "hosts")),
                ("capture", _("Collector"), self.take),
                ("open", _("Files"), self.ask_files),
                ("buy", _("Buy"), partial(self.go.emit, "buying")),
            )
        )
        self._cancel = widgets.button(_("Cancel reading"), self, self.session.sources.cancel, icon="cancel")
        for button in (self._machine, self._cancel, *self._others):
            row.addWidget(button)
        self._given = GivenField(self.session, self)
        self._given.taken.connect(self._on_given)
        return widgets.column(row, self._given)

    def _make_inventory(self) -> QWidget:
        holder = QWidget(self)
        self._host = widgets.named(ElidedLabel(Tone.MUTED, holder), _("Machine"))
        self._notes = NoteLines(_("Notes of the reading"), holder, most=1, small=True)
        self._view = DiskView(self._table, holder)
        self._facts = DiskFacts(holder)
        self.listing = Notice(_("The line to run"), holder)
        self.listing.pressed.connect(self._on_listing)
        table = ((self._view, _GROWS), self._facts, self._notes, self.listing, 1)
        widgets.column(self._make_bar(holder), self._host, *table, of=holder)
        self._view.selected.connect(self._on_selected)
        self._view.remove_wanted.connect(self._on_remove)
        self._view.columns_menu.arrange(self.session.preferences.arrangement("disks"))
        self._view.columns_menu.arranged.connect(self._on_arranged)
        return holder

    def _make_bar(self, parent: QWidget) -> QHBoxLayout:
        name = _("Filter the disks")
        self._filter = widgets.search_line(parent, name, name, self._table.set_filter)
        self._filter.setAcceptDrops(False)
        self._filter.setMaximumWidth(32 * GRID)
        self._filter.hide()  # few disks are looked through faster
        self._count = widgets.named(QLabel(parent), _("Ticked disks"))
        self._name = widgets.named(ElidedLabel(Tone.TEXT, parent), _("Inventory"))
        self._name.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._name.setFont(text_font(semibold=True))
        return widgets.row(self._name, (self._count, 1), (self._filter, 1))

    def _show_busy(self) -> None:
        busy = self.session.sources.busy
        self._cancel.setVisible(busy)
        self._machine.setVisible(not busy)
        for button in (self._machine, *self._others):
            button.setEnabled(not busy)

    def _show_head(self, inventory: Inventory | None) -> None:
        if inventory is None:
            return
        planned = all(disk.planned for disk in inventory.disks)
        unnamed = inventory.origin.kind is OriginKind.READ and not planned and not inventory.host.name
        name = capital(inventory.name) if is_typed(inventory) else inventory.name
        self._name.show_text(_("Unnamed machine") if unnamed else name)  # not after the file it is from
        every = (*inventory.notes, *inventory.host.notes, *_warnings(inventory))
        notes = [note for note in every if not isinstance(note, UseNote)]  # the line to run says that
        notes.sort(key=lambda note: note.level is not NoteLevel.WARN)
        tones = {NoteLevel.WARN: Tone.WARN, NoteLevel.NOTE: Tone.NOTE}
        self._notes.show_lines([Line(text=note.text, tone=tones[note.level]) for note in notes])
        self._host.show_text(_host_text(inventory))
        self._host.setVisible(bool(_host_text(inventory)))
        self._name.setToolTip(str(inventory.origin))

    def _show_count(self) -> None:
        inventory = self.session.inventory
        if inventory is None:
            return
        ticked = [disk for disk in inventory.disks if disk.key in self.session.ticked]
        raw = sum(disk.size_bytes or 0 for disk in ticked)
        count, size = len(inventory.disks), binary(raw) if raw else "0 B"
        text = _("{ticked} of {all} ticked, {tib} raw", ticked=len(ticked), all=count, tib=size)
        if (left := system_disk(inventory)) is not None and left.key not in self.session.ticked:
            text = _("{text}; {disk} is perhaps the system disk", text=text, disk=called(left))
        hidden = count - len(self._table.shown())
        if hidden:
            text = _("{text}; {count:,} filtered out", text=text, count=hidden)
        self._count.setText(text)
        self._count.setToolTip(f"{decimal(raw)} = {binary(raw)}")

    def _on_selected(self) -> None:
        chosen, inventory = self._view.chosen_disks(), self.session.inventory
        self._facts.show_disks(chosen or self._table.shown(), counted=bool(chosen))
        disks = chosen or (inventory.disks if inventory is not None and not inventory.usable() else ())
        self.listing.show_or_hide(unusable_message(disks) or listing_message(inventory))

    def _on_arranged(self) -> None:
        self.session.preferences.keep_arrangement("disks", self._view.columns_menu.arrangement())

    def take(self, _what: object) -> None:
        """Say how disks of a machine out of reach come here."""
        title = _("Run the collector there; it only reads. Paste what it prints, or open its file.")
        script = COLLECTOR.read_text(encoding="utf-8")
        save = partial(ask_where, self, "collector.sh", partial(self.session.write, text=script))
        lines = (
            (_("Copy this line"), partial(self.session.copy, one_line(script))),
            (_("Copy, serials replaced"), partial(self.session.copy, one_line(script, redact=True))),
            (_("Save the script"), save),
        )
        self.collector.say(Message(title=title, offers=lines, apart=True))

    def _on_given(self, given: Given) -> None:
        self.collector.hide()
        before, kept = self.session.inventory, self.session.preferences
        if before is None or given.inventory is None or not given.typed:
            self._given.go_on(given)
            return
        if is_typed(before):
            kept.typed_disks = f"{kept.typed_disks}, {given.typed}"
        inventory, added = with_planned(before, given.inventory)
        joined = any(disk.planned or disk.key in self.session.ticked for disk in before.disks)
        if not joined and before.host != Host():
            # Nothing of this machine is to be used: as a rule it is not the one for which disks are typed.
            inventory = replace(inventory, host=Host())
            self.session.say(_("The typed disks are planned for a machine of unknown processor and memory."))
        self.session.set_inventory(inventory, self.session.ticked | added)

    def _on_remove(self) -> None:
        gone = {disk.key for disk in self._view.chosen_disks() if disk.planned}
        inventory = self.session.inventory
        if inventory is not None and gone:
            disks = tuple(d for d in inventory.disks if not (d.planned and d.key in gone))
            self.session.set_inventory(replace(inventory, disks=disks), self.session.ticked)

    def _on_listing(self, what: str) -> None:
        if what == _PASTE:
            self.session.sources.open_pasted(QGuiApplication.clipboard().text())
        else:
            self.session.copy(self.listing.reasons())

    def _on_find(self) -> None:
        self._filter.show()
        self._filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._filter.selectAll()


def pools_message(inventory: Inventory | None) -> Message | None:
    if inventory is None or not inventory.pools:
        return None
    named = [f"{p.name} ({', '.join(troubles)})" if (troubles := pool_troubles(p)) else p.name for p in inventory.pools]
    names = first_of(named, 4)
    count = len(inventory.pools)
    title = ngettext("Pool {names} is on these disks.", "Pools {names} are on these disks.", count, names=names)
    return Message(title=title, tone=Tone.NOTE, offers=((_("Look at this pool"), "pools"),))


def unusable_message(disks: Sequence[Disk]) -> Message | None:
    """Return why none of these disks can be used, and the line that shows more or mends it; None where one can."""
    whys = list(dict.fromkeys("; ".join(disk.refusals()) for disk in disks))
    if not whys or "" in whys:
        return None
    named = first_of([called(disk) for disk in disks], 4)
    paths = [disk.path for disk in disks if disk.path and disk.size_bytes is not None]
    line = f"lsblk -f {' '.join(map(quote, paths))}" if paths else LSBLK  # for machines
    mends = _LINE_TO_RUN.search(whys[0])
    return Message(
        title=_("{disk} cannot be used: {why}", disk=named, why=first_of(whys, 2)),
        tone=Tone.WARN,
        reasons=line if mends is None else mends[1],
        offers=((_("Copy"), ""), (_("Paste"), _PASTE)),
        bold=True,
        command=True,
    )


def listing_message(inventory: Inventory | None) -> Message | None:
    """Return the one line to run where nobody looked what uses disks, or no script can name them."""
    disks = [disk for disk in (() if inventory is None else inventory.usable()) if not disk.planned]
    unseen = sorted({called(disk) for disk in disks if not use_is_known(disk)})
    unnamed = sorted({called(disk) for disk in disks if disk.by_id_name is None})
    if not unseen and not unnamed:
        return None
    title = _("Not read yet: what uses {disks}") if unseen else _("Not read yet: the stable names of {disks}")
    return Message(
        title=title.format(disks=first_of(unseen or unnamed, 4)),
        reasons=LSBLK if unseen else LISTING,
        todo=_("You can design now. Run this line there, then paste what it prints, or drop the file."),
        offers=((_("Copy"), ""), (_("Paste"), _PASTE)),
        bold=True,
        command=True,
    )


def _warnings(inventory: Inventory) -> list[Note]:
    """Return what is to be heeded of disks, each warning once with the disks that it is about."""
    found: list[Note] = []
    for note, owners in inventory.notes_of_disks():
        if note.level is NoteLevel.WARN:
            disks = first_of([name.removeprefix("/dev/") for name in owners], 4)
            found.append(Note(text=_("{name}: {value}", name=disks, value=note.text), level=note.level))
    return found


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
    return " · ".join(parts)


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
    missing = _("Health, hours and exact sectors of {names} are read as administrator only.", names=names)
    problem = helper_problem()
    why = refusal or problem or ""
    return Message(
        title=missing,
        tone=Tone.WARN if refusal else Tone.NOTE,
        reasons=_("Not read as administrator: {why}.", why=why) if why else "",
        todo=_("In a terminal: {command}, then open the capture.", command=_BY_HAND) if why else "",
        offers=() if problem else ((_("Read as administrator"), ""),),
    )
