"""The tab on which the disks of a design become those of a machine: pairs, what differs, and one button."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QHBoxLayout, QHeaderView, QLabel, QMenu, QWidget

from poolwright.design.binding.applying import bound_design, space_changes
from poolwright.design.binding.binding import Binding, BoundPair
from poolwright.texts import tell
from poolwright.ui.design.binding.rows import (
    DiskChoice,
    binding_columns,
    choices_for,
    pair_key,
    pair_lines,
    planned_name,
)
from poolwright.ui.design.binding.words import space_words, summary_of, without_machine
from poolwright.ui.parts import lay
from poolwright.ui.parts.drop_ground import DropGround
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.table import RowModel
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.state.session import Session

_PROPOSED, _OPEN = "proposed", "open"  # for machines
_LEAST_CHOICE = 24 * GRID


class BindingPane(QWidget):
    """Shows which real disk takes which place; nothing changes before “Bind” is pressed, and that can be undone."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._shown: Binding | None = None
        self.setAccessibleName(tell("Bind disks"))
        self.state = ToneLabel("", Tone.TEXT, self)
        self.state.setAccessibleName(tell("State of the binding"))
        self.space = ToneLabel("", Tone.MUTED, self)
        self.space.setAccessibleName(tell("What becomes of the space"))
        self.rows = RowModel[BoundPair](binding_columns(), self, key=pair_key)
        self.table = plain_table(tell("Places and their disks"), self.rows, self)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        self.table.selectionModel().currentRowChanged.connect(self._show_choice)
        self.notes = NoteLines(tell("What is to be said of this pair"), self, most=2, small=True)
        self.remarks = NoteLines(tell("What is to be said of the machine"), self, most=2, small=True)
        tools, self._choice = self._make_tools(), self._make_choice()
        self.ground = DropGround(
            tell("Drop the capture of a machine here"),
            (
                tell("Or read this machine, or another one over SSH or by the collector."),
                tell("Nothing of the design changes before you press Bind."),
            ),
            self,
        )
        parts = (tools, self.state, self.space, self.remarks, (self.table, 1), self._choice, self.notes)
        lay.column(*parts, (self.ground, 1), of=self)
        self.setFocusProxy(self.bind)
        session.sources.busy_changed.connect(self._show_busy)

    def refresh(self) -> None:
        """Show the session's design beside the machine at hand."""
        binding, design = self.session.binding, self.session.design
        there = binding is not None
        for part in (self.table, self._choice, self.anew):
            part.setVisible(there)
        self.space.setVisible(binding is not None and bool(binding.bound))
        self.ground.setVisible(not there)
        self._show_busy()
        if binding is None:
            self._shown = None
            self.rows.show_rows(())
            self.notes.show_lines(())
            self.remarks.show_lines(())
            self.state.setText(tell("There is no design yet.") if design is None else without_machine(design))
            return
        if binding is self._shown:
            return
        self._shown = binding
        self.state.setText(summary_of(binding))
        self.space.setText(space_words(space_changes(binding.design, bound_design(binding))))
        self.remarks.show_lines([Line(text=remark) for remark in binding.remarks])
        self._show_pairs(binding)

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that nobody needs to be led here any more."""
        super().showEvent(event)
        self.session.binding_seen.emit()

    def selected(self) -> BoundPair | None:
        index = self.table.currentIndex()
        return self.rows.row(index.row()) if index.isValid() and index.row() < self.rows.rowCount() else None

    def _show_pairs(self, binding: Binding) -> None:
        before = self.selected()
        self.rows.show_rows(binding.pairs)
        first = next((pair for pair in binding.pairs if pair.real is None), None)
        wanted = pair_key(before) if before is not None else pair_key(first) if first is not None else None
        line = self.rows.line_of(wanted) if wanted is not None else None
        if binding.pairs:
            self.table.selectRow(line or 0)
        self._show_choice()

    def _make_tools(self) -> QHBoxLayout:
        session, sources = self.session, self.session.sources
        self.machine = lay.button(
            tell("Read this machine"),
            self,
            sources.read_this_machine,
            icon="machine",
            tip=tell("Runs lsblk, smartctl, zpool and the like here; none of them writes anything"),
        )
        self.another = lay.button(tell("Another machine"), self, icon="hosts")
        self.another.setToolTip(tell("The server that the pool will stand on, where it is not the one you sit at"))
        menu = QMenu(self)
        menu.setAccessibleName(tell("Another machine"))
        menu.addAction(tell("A &host over SSH…"), self._on_host)
        menu.addAction(tell("Carry the &collector there…"), self._on_collector)
        menu.addSeparator()
        menu.addAction(tell("Open &files of a capture…"), self._on_files)
        menu.addAction(tell("Open a f&older of captures…"), self._on_folder)
        self.another.setMenu(menu)
        self.anew = lay.button(
            tell("New design with these"),
            self,
            session.begin_with_machine,
            icon="new",
            tip=tell("The design that is open stays in the library"),
        )
        self.stop = lay.button(tell("Cancel reading"), self, sources.cancel, icon="cancel")
        self.bind = lay.button(
            tell("&Bind"),
            self,
            self._on_bind,
            icon="ok",
            tip=tell("The design gets these disks; all else stays, and “Undo” takes it back"),
            name=tell("Bind"),
        )
        self.bind.setFont(text_font(semibold=True))
        return lay.row(self.machine, self.another, self.stop, 1, self.anew, self.bind)

    def _make_choice(self) -> QWidget:
        holder = QWidget(self)
        self.place = QLabel(holder)
        self.place.setTextFormat(Qt.TextFormat.PlainText)
        self.choice = QComboBox(holder)
        self.choice.setAccessibleName(tell("Real disk of the selected place"))
        self.choice.setMinimumWidth(_LEAST_CHOICE)
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.activated.connect(self._on_chosen)
        self.place.setBuddy(self.choice)
        self.smaller = QCheckBox(tell("Take smaller disks too"), holder)
        self.smaller.setToolTip(tell("A vdev of smaller disks has less space; how much is said above"))
        self.smaller.toggled.connect(self._on_smaller)
        lay.row(self.place, (self.choice, 1), self.smaller, of=holder)
        return holder

    def _show_busy(self) -> None:
        busy, binding = self.session.sources.busy, self.session.binding
        self.stop.setVisible(busy)
        self.machine.setEnabled(not busy)
        self.another.setEnabled(not busy)
        self.bind.setEnabled(binding is not None and bool(binding.bound) and not busy)
        partly = binding is not None and bool(binding.missing) and bool(binding.bound)
        self.bind.setText(tell("&Bind these") if partly else tell("&Bind"))

    def _show_choice(self) -> None:
        pair, binding, at_hand = self.selected(), self._shown, self.session.work.at_hand
        if pair is None or binding is None or at_hand is None:
            return
        self.notes.show_lines(pair_lines(pair))
        self.place.setText(tell("{disk} in {place}:", disk=planned_name(pair.seat), place=pair.seat.words))
        by_hand = at_hand.by_hand()
        key = pair_key(pair)
        self.smaller.setChecked(at_hand.smaller)
        self.choice.clear()
        self.choice.addItem(tell("As proposed"), _PROPOSED)
        self.choice.addItem(tell("Leave open"), _OPEN)
        for offered in choices_for(binding, pair, smaller=at_hand.smaller):
            self.choice.addItem(offered.text, offered)
        chosen = next((n for n in range(2, self.choice.count()) if self._key_at(n) == by_hand.get(key)), 0)
        self.choice.setCurrentIndex(1 if key in by_hand and by_hand[key] is None else chosen if key in by_hand else 0)

    def _key_at(self, number: int) -> str | None:
        offered = self.choice.itemData(number)
        return offered.key if isinstance(offered, DiskChoice) else None

    def _on_chosen(self, number: int) -> None:
        pair, at_hand = self.selected(), self.session.work.at_hand
        if pair is None or at_hand is None:
            return
        key = pair_key(pair)
        if self.choice.itemData(number) == _PROPOSED:
            self.session.choose_pairs(at_hand.proposing(key))
        else:
            self.session.choose_pairs(at_hand.choosing(key, self._key_at(number)))

    def _on_smaller(self, taken: bool) -> None:
        at_hand = self.session.work.at_hand
        if at_hand is not None and at_hand.smaller != taken:
            self.session.choose_pairs(at_hand.taking_smaller(smaller=taken))

    def _on_bind(self) -> None:
        binding = self.session.binding
        if binding is None:
            return
        told = space_words(space_changes(binding.design, bound_design(binding)))
        self.session.bind_disks()
        self.session.say(tell("Bound: {count} disks. {space}", count=len(binding.bound), space=told))

    def _on_host(self) -> None:
        self.session.page_asked.emit("hosts")

    def _on_collector(self) -> None:
        self.session.page_asked.emit("another")

    def _on_files(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, tell("Open captures"))
        self.session.sources.open_captures([Path(name) for name in names])

    def _on_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, tell("Open a folder of captures"))
        if name:
            self.session.sources.open_captures([Path(name)])
