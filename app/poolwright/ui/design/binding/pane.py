"""The tab on which the disks of a design become those of a machine: pairs, what differs, and one button."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QWidget

from poolwright.design.binding.applying import bound_design, space_changes, space_words
from poolwright.design.binding.binding import Binding, BoundPair
from poolwright.design.binding.judging import PairedBy, PairVerdict, judge, seats_of
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.units import drive_size
from poolwright.emit.disk_words import called
from poolwright.machine.by_id import mixed_words
from poolwright.texts import _, capital, ngettext
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.given_field import Given, GivenField, paste_hint
from poolwright.ui.parts.note_lines import TONE_ICONS, Line, NoteLines
from poolwright.ui.parts.table import RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ChoiceBox, ToneLabel
from poolwright.ui.state.session import Session

_LEAST_CHOICE, _AS_PROPOSED = 24 * GRID, ""  # what stands for no disk that was chosen by hand
_MEASURED_ROWS = 50  # for how wide the columns are


class BindingPane(QWidget):
    """Shows which real disk takes which place; nothing changes before “Bind” is pressed, and that can be undone."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._shown: Binding | None = None
        self.setAccessibleName(_("Bind disks"))
        self.given = GivenField(session, self, verb=_("Match these"))
        self.given.text.setPlaceholderText(paste_hint())
        self.given.taken.connect(self._on_given)
        self.state = widgets.named(ToneLabel("", Tone.TEXT, self), _("State of the binding"))
        self.rows = RowModel[BoundPair](binding_columns(), self, key=pair_key)
        name, chosen = _("Vdevs and their disks"), self._show_choice
        self.table = plain_table(name, self.rows, self, fitted=True, selected=chosen)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # by-id names end in what tells them apart
        header = self.table.horizontalHeader()
        header.setResizeContentsPrecision(_MEASURED_ROWS)
        header.setStretchLastSection(True)
        self.remarks = NoteLines(_("Notes on the machine"), self, most=2, small=True)
        ways, self._choice = self._make_ways(), self._make_choice()
        does = widgets.row((self.state, 1), self.anew)
        widgets.column(self.given, ways, does, self.remarks, (self.table, 1), self._choice, of=self)
        session.sources.busy_changed.connect(self._show_busy)

    def refresh(self) -> None:
        binding, design = self.session.binding, self.session.design
        if design is None:
            return
        self._choice.setVisible(binding is not None)
        self.bind.setVisible(binding is not None)
        self.anew.setVisible(binding is not None and bool(binding.missing))
        self._show_busy()
        if binding is None:
            self._shown = None
            seats = seats_of(design)  # each with the real disk that it has, if any
            self.rows.show_rows([BoundPair(seat=s, real=None if s.disk.planned else s.disk) for s in seats])
            self.remarks.show_lines(())
            self.state.setText(without_machine(design))
        elif binding is not self._shown:
            self._shown = binding
            space = space_words(space_changes(binding.design, bound_design(binding))) if binding.bound else ""
            self.state.setText(f"{summary_of(binding)} {space}".rstrip())
            self.remarks.show_lines([Line(text=remark) for remark in binding.remarks])
            self._show_pairs(binding)
        self.rows.hide_empty(self.table)

    def _on_given(self, given: Given) -> None:
        if given.inventory is not None and not given.typed:
            self.session.sources.take_read(given.inventory, given.read_from)
        else:
            self.session.complain(_("Paste what a machine prints: typed disks have no names."))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.session.binding_seen.emit()

    def selected(self) -> BoundPair | None:
        return self.rows.at(self.table.currentIndex())

    def _show_pairs(self, binding: Binding) -> None:
        before = self.selected()
        self.rows.show_rows(binding.pairs)
        first = next((pair for pair in binding.pairs if pair.real is None), None)
        wanted = pair_key(before) if before is not None else pair_key(first) if first is not None else None
        line = self.rows.line_of(wanted) if wanted is not None else None
        if binding.pairs:
            self.table.selectRow(line or 0)
        self._show_choice()

    def _make_ways(self) -> QHBoxLayout:
        session, sources = self.session, self.session.sources
        self.machine = widgets.button(_("This machine"), self, sources.read_this_machine, icon="machine")
        self.ways = [
            self.machine,
            widgets.button(_("Over SSH"), self, partial(session.asked.emit, "hosts", None), icon="hosts"),
            widgets.button(_("Collector"), self, partial(session.asked.emit, "disks", "collector"), icon="capture"),
        ]
        self.stop = widgets.button(_("Cancel"), self, sources.cancel, name=_("Cancel reading"))
        self.anew = widgets.button(_("New design with these"), self, session.begin_with_machine, icon="new")
        tip = _("The design gets these disks; all else stays, and “Undo” takes it back")
        self.main = self.bind = widgets.button(_("&Bind"), self, self._on_bind, icon="ok", tip=tip, name=_("Bind"))
        return widgets.row(*self.ways, 1, self.stop)

    def _make_choice(self) -> QWidget:
        holder = QWidget(self)
        self.place = QLabel(holder)
        self.place.setTextFormat(Qt.TextFormat.PlainText)
        self.choice = ChoiceBox(holder, _("Real disk of the selected row"), self._on_chosen, letters=1)
        self.choice.setMinimumWidth(_LEAST_CHOICE)
        self.place.setBuddy(self.choice)
        self.smaller = QCheckBox(_("Take smaller disks too"), holder)
        self.smaller.toggled.connect(self._on_smaller)
        self.why = widgets.named(ToneLabel("", Tone.MUTED, holder, small=True), _("Outcome"))
        widgets.column(self.why, widgets.row(self.place, (self.choice, 1), self.smaller), of=holder)
        return holder

    def _show_busy(self) -> None:
        busy, binding = self.session.sources.busy, self.session.binding
        self.stop.setVisible(busy)
        for way in self.ways:
            way.setEnabled(not busy)
        self.bind.setEnabled(binding is not None and bool(binding.bound) and not busy)

    def _show_choice(self) -> None:
        pair, binding, at_hand = self.selected(), self._shown, self.session.work.at_hand
        if pair is None or binding is None or at_hand is None:
            return
        self.place.setText(_("{disk} in {place}:", disk=called(pair.seat.disk), place=pair.seat.words))
        self.why.setText(capital(outcome_text(pair)))
        by_hand = at_hand.by_hand()
        key = pair_key(pair)
        self.smaller.setChecked(at_hand.smaller)
        held = {other.real.key: other.seat.words for other in binding.pairs if other.real is not None}
        judged = [(judge(pair.seat, disk, smaller=at_hand.smaller), disk) for disk in binding.inventory.disks]
        fitting = sorted((j.cost, d.key, _offered(d, j.verdict, held.get(d.key))) for j, d in judged if not j.refused)
        ways = (
            (_("As proposed"), _AS_PROPOSED),
            (_("Leave open"), None),
            *((text, disk) for __, disk, text in fitting),
        )
        self.choice.offer(ways, by_hand.get(key, _AS_PROPOSED))

    def _on_chosen(self, number: int) -> None:
        pair, at_hand = self.selected(), self.session.work.at_hand
        if pair is None or at_hand is None:
            return
        key, real = pair_key(pair), self.choice.itemData(number)
        proposed = replace(at_hand, chosen=tuple(said for said in at_hand.chosen if said[0] != key))
        self.session.choose_pairs(proposed if real == _AS_PROPOSED else at_hand.choosing(key, real))

    def _on_smaller(self, smaller: bool) -> None:
        at_hand = self.session.work.at_hand
        if at_hand is not None and at_hand.smaller != smaller:
            self.session.choose_pairs(replace(at_hand, smaller=smaller))

    def _on_bind(self) -> None:
        binding = self.session.binding
        if binding is None:
            return
        space = space_words(space_changes(binding.design, bound_design(binding)))
        self.session.bind_disks()
        self.session.say(f"{_('The design has the disks as they were read.')} {space}")


# The pairs of a design's disks and a machine's as rows of a table, and as choices for one place.

_TONES = {PairVerdict.FINE: Tone.OK, PairVerdict.LOOK: Tone.WARN, PairVerdict.REFUSED: Tone.BLOCK}


def pair_key(pair: BoundPair) -> str:
    return pair.seat.disk.key


def outcome_text(pair: BoundPair) -> str:
    """Return what differs, by what the disk is known and what is equal, or why there is no disk."""
    if pair.judged is None:
        return "; ".join(pair.reasons)
    known = [_(pair.by.value)] if pair.by is not None and pair.by is not PairedBy.FACTS else []
    equal = [_("equal: {facts}", facts=", ".join(pair.judged.equal))] if pair.judged.equal else []
    return "; ".join([*(d.text for d in pair.judged.differences), *known, *equal])


def verdict_text(pair: BoundPair) -> str:
    if pair.judged is not None:
        return _(pair.judged.verdict.value)
    if pair.real is None:
        by_hand = pair.by is PairedBy.HAND
        return _("open") if by_hand or pair.own or pair.seat.disk.planned else _("not in this list")
    return _("bound") if pair.real.nameable else _("no name")


def binding_columns() -> tuple[TableColumn[BoundPair], ...]:
    return (
        TableColumn(title=_("Vdev"), text=lambda pair: pair.seat.words),
        TableColumn(title=_("In the design"), text=lambda pair: _disk_text(pair.seat.disk), tip=lambda p: p.seat.label),
        TableColumn(title=_("Fits"), text=verdict_text, look=_look, tip=outcome_text),
        TableColumn(title=_("Real disk"), text=_real, tip=lambda pair: pair.real.label if pair.real else ""),
    )


def _real(pair: BoundPair) -> str:
    if pair.real is None:
        return "–"
    return pair.real.by_id_name or _disk_text(pair.real, pair.real.telling_serial)


# What tells a disk from one that another machine called sda too.
def _disk_text(disk: Disk, *more: str | None) -> str:
    parts = (called(disk), drive_size(disk.size_bytes), disk.model, *more)
    return " · ".join(part for part in dict.fromkeys(parts) if part)


def _look(pair: BoundPair, role: int) -> object:
    if role != Qt.ItemDataRole.DecorationRole:
        return None
    if pair.judged is None and (pair.real is None or pair.real.nameable):
        return icons.icon("block", Tone.BLOCK) if pair.reasons else None
    tone = _TONES[pair.judged.verdict] if pair.judged is not None else Tone.WARN
    return icons.icon(TONE_ICONS[tone], tone)


def _offered(disk: Disk, verdict: PairVerdict, place: str | None) -> str:
    text = _disk_text(disk, disk.serial, _(verdict.value))
    return text if place is None else _("{disk}, now in {place}", disk=text, place=place)


# What the tab says of a binding as a whole.


def without_machine(design: Design) -> str:
    disks = [design.disk(key) for key in design.used_keys()]
    if unnamed := sum(not disk.nameable for disk in disks):
        text = _("{count} of {all} disks have no name that a script can use.", count=unnamed, all=len(disks))
        return f"{text} {mixed_words(disks)}".rstrip()
    return _("All disks are bound, as read on {machine}.", machine=design.inventory_name or _("a machine"))


def summary_of(binding: Binding) -> str:
    places, named = binding.places
    if named < places:
        words = {"matched": sum(p.seat.needed for p in binding.bound), "places": places, "named": named}
        text = _("{matched} of {places} disks matched, {named} with a by-id name.", **words)
    else:
        text = ngettext("The disk matched.", "All {count} disks matched.", places)
    return f"{text} {_('Please confirm.')}" if binding.to_look_at else text
