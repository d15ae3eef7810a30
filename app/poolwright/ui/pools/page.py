"""The pools that exist on the machine in front of us: their state, what the rules say, their sizes explained."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy, QWidget

from poolwright.changes.as_design import why_no_pool
from poolwright.changes.audit import PoolAudit
from poolwright.changes.improve.pool_change import PoolMove
from poolwright.domain.design import Design
from poolwright.domain.finding import Severity
from poolwright.domain.host import Inventory
from poolwright.domain.units import binary
from poolwright.domain.vdev import short_words
from poolwright.emit import report_pools
from poolwright.emit.remedies import FirstStep, Remedy, first_steps, remedy_of
from poolwright.emit.report import Code, TextTone, Words, code
from poolwright.emit.sheet import recovery_sheet
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import WorkerJob
from poolwright.paper.cover import report_foot
from poolwright.questions import audit
from poolwright.rules.rulebook import RuleBook
from poolwright.texts import N_, _, capital, ngettext
from poolwright.ui.compare.comparing import ReportDialog, write_report
from poolwright.ui.parts import icons, widgets
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.given_field import GivenField
from poolwright.ui.parts.icons import IconLabel
from poolwright.ui.parts.note_lines import TONE_ICONS
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.pool_picture import PoolPicture
from poolwright.ui.parts.report_view import Link, ReportView, Shown, subheading
from poolwright.ui.parts.theme import GRID, HEADING_POINTS, Tone, text_font
from poolwright.ui.parts.widgets import ChoiceBox, Heading, ToneLabel
from poolwright.ui.pools.plans import AgainstDesign, MigrationPane, PoolImprover, stamp_now
from poolwright.ui.state.expectations import today_here

_TO_PASTE = "zpool status -P; zpool list -v -Hp -P; zpool get -Hp all; zfs get -Hp all; lsblk -JbO"  # for machines
_TOOLS = ("zpool ", "zfs ", "sudo zdb ")  # for machines
_NARROW = 92 * GRID  # a page that is no wider has no room for the card
_TONES = {Severity.BLOCK: Tone.BLOCK, Severity.WARN: Tone.WARN, Severity.NOTE: Tone.TEXT}


class PoolsPage(Page):
    """Follows the machine; nothing here changes a pool: commands are shown and copied."""

    heading = N_("Pools")
    about = N_("What should be done about this pool, in order. Nothing is run here.")

    def build(self) -> None:
        self._audits: tuple[PoolAudit, ...] = ()
        self._of: tuple[Inventory, RuleBook] | None = None
        self._asking = Asking(self.session.jobs, self, self._on_audited, self.session.complain)
        self.body.addLayout(self._make_given())
        self._empty = ReportView(_("No pool yet"), self, least=0, grows=True)
        self._choice = ChoiceBox(self, _("Pool"))
        self._choice.currentIndexChanged.connect(self._show_chosen)
        self._state, self._mark = ToneLabel("", Tone.TEXT, self, bold=True), IconLabel("", self, size=icons.SMALL)
        self._make_views()
        self.card = PoolCard(self)
        self._sides = QWidget(self)
        self._open = widgets.button(_("Open as design"), self._sides, partial(self._open_at, "picture"))
        self._grow = widgets.button(_("Grow"), self._sides, partial(self._open_at, "growth"))
        self._sheet = widgets.button(_("Recovery sheet"), self._sides, self._on_sheet)
        ask_report = partial(ReportDialog, self.session, "audit.pdf", self._write, self)
        self._save = widgets.button(_("Report…"), self._sides, ask_report)
        self._back = widgets.button(_("Findings"), self._sides, partial(self.show_view, self.found), icon="back")
        self._title = Heading("", self._sides)
        improve, *others = self._ways.values()
        flow = Flow(column=14 * GRID, most=4)
        for way in (improve, self._grow, *others, self._open, self._sheet, self._save):
            flow.addWidget(way)
        head = widgets.row(self._choice, self._back, (self._title, 1), self._mark, (self._state, 1))
        self._side = QWidget(self._sides)
        widgets.column(self.card, flow, 1, of=self._side)
        self._grid = widgets.grid(of=self._sides, gap=(3 * GRID, GRID))
        self._grid.addLayout(widgets.column(head, *self._views, 1), 1, 0)
        self._grid.setColumnStretch(0, 1)
        self.body.addWidget(self._empty)
        self.body.addWidget(self._sides, 1000)
        self.body.addStretch(1)
        self._copy = widgets.button(_("Copy commands"), self, self._on_copy, icon="copy")
        self._designs = widgets.button(_("Library"), self, partial(self.go.emit, "library"), icon="library")
        self._counted = ToneLabel("", Tone.MUTED, self, small=True)
        self._counted.setWordWrap(False)
        self._ways_on = (self._copy, self.improver.go_button, self.migration.plan_button, self._designs)
        self.put_in_foot(self._counted, *self._ways_on)
        self.show_view(self.found)
        self.begins = (self._choice, self.given.text)

    def _make_given(self) -> QHBoxLayout:
        self.given = GivenField(self.session, self)
        self.given.text.setPlaceholderText(_("Paste zpool status, zpool list, zpool get"))
        self.given.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.given.taken.connect(self.given.go_on)
        self.given.understood.connect(self._on_understood, Qt.ConnectionType.QueuedConnection)
        self._sources = buttons = (
            widgets.button(_("This machine"), self, self.session.sources.read_this_machine, icon="machine"),
            widgets.button(_("Host"), self, partial(self.go.emit, "hosts"), icon="hosts"),
            widgets.button(_("Files"), self, self.ask_files, icon="capture"),
        )
        row = widgets.row(*buttons)
        row.addWidget(self.given, 1)
        for button in buttons:
            button.setProperty("look", "tall")
            row.setAlignment(button, Qt.AlignmentFlag.AlignTop)
        return row

    def _make_views(self) -> None:
        """Make the parts: what is found in the pool, what helps it, its move, its design, its sizes."""
        self.found, self.sizes = (
            ReportView(name, self, least=0, grows=True) for name in (_("Findings"), _("Where did the space go?"))
        )
        self.found.pressed.connect(self.explain)
        findings = Card(self)
        findings.body.addWidget(self.found)
        self.against, self.improver = AgainstDesign(self.session, self), PoolImprover(self.session, self)
        self.improver.opened.connect(self._take_change)
        self.improver.moving.connect(self._plan_move)
        self.migration = MigrationPane(self.session, self)
        self._views: tuple[QWidget, ...] = (findings, self.improver, self.migration, self.against, self.sizes)
        titles = (_("Improve"), _("Migrate"), _("Compare"), _("Sizes"))
        self._ways: dict[QWidget, QPushButton] = {}
        for title, view in zip(titles, self._views[1:], strict=True):
            self._ways[view] = widgets.button(title, self, partial(self.show_view, view))
            self._ways[view].setCheckable(True)

    def shows(self, view: QWidget) -> bool:
        return view.isVisibleTo(self._sides)

    def show_view(self, shown: QWidget) -> None:
        """Show what was found, or what a way on from it says, in its place."""
        for view in self._views:
            view.setVisible(view is shown or view.isAncestorOf(shown))
        for view, way in self._ways.items():
            way.setChecked(view is shown)
        found = shown is self.found
        for part in (self._state, self._mark):
            part.setVisible(found)
        self._back.setVisible(not found)
        self._title.setVisible(not found)
        self._title.setText("" if found else shown.accessibleName() or self._ways[shown].text())
        self._work_out()
        self._offer_commands()

    def take(self, what: object) -> None:
        """Show what differs from the open design, or the move to another layout, of the design's pool."""
        if self.session.design is not None:
            self._choice.setCurrentText(self.session.design.pool_name)
        self.show_view(self.migration if what == "migration" else self.against)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._built:
            wide = int(self.width() >= _NARROW)
            self.card.setVisible(bool(wide))
            self._side.setMaximumWidth(_CARD_WIDTH if wide else self.width())
            self._grid.addWidget(self._side, wide, wide)  # else above what is found

    def refresh(self) -> None:
        inventory, rules = self._machine(), self.session.rules
        there = inventory is not None and bool(inventory.imported())
        shown = there and rules is not None
        self._sides.setVisible(shown)
        self._empty.setVisible(not shown)
        self._empty.show_blocks(() if shown else self._why_empty(inventory))
        self._offer_commands()
        if inventory is None or rules is None or not there:
            return
        if self._of is not None and self._of[0] is inventory and self._of[1] is rules:
            self._compare()
            return
        self._of, self._audits = (inventory, rules), ()
        self._state.setText(_("Checking the pools"))
        self._asking.ask(WorkerJob(_("Checking the pools"), "audit", self, audit, inventory, today_here()))

    def _machine(self) -> Inventory | None:
        at_hand = self.session.work.at_hand
        if at_hand is not None and at_hand.inventory.imported():
            return at_hand.inventory
        return self.session.inventory

    def main_button(self) -> QPushButton | None:
        return next((button for button in self._ways_on if button.isVisibleTo(self)), self.given.button)

    def _why_empty(self, inventory: Inventory | None) -> Iterator[Shown]:
        waits = self.session.rules_problem or _("The rules are being loaded.")
        unknown = inventory is not None and (inventory.pools or inventory.pools_unread)
        why = waits if self.session.rules is None else ". ".join(why_no_pool(inventory)) if inventory else ""
        yield Words(why, strong=True) if unknown else subheading(_("No pool yet"))
        yield from to_paste(_TO_PASTE)

    def _offer_commands(self) -> None:
        there = not self._sides.isHidden()
        self._copy.setVisible(bool(self._commands()))
        self._counted.setVisible(there and self.shows(self.found) and bool(self._steps()))
        self._designs.setVisible(there and self.shows(self.against) and self.session.design is None)
        self.improver.go_button.setVisible(there and self.shows(self.improver))
        self.migration.plan_button.setVisible(there and self.shows(self.migration))
        self.show_main_button()

    def _on_understood(self) -> None:
        if self.given.given.is_pool:  # a button that came and went would move what is below
            self.given.take()

    def _on_audited(self, audits: tuple[PoolAudit, ...]) -> None:
        if self.focusWidget() in self._sources:  # where it was read from
            self.found.setFocus()
        self._audits = audits
        design = self.session.design
        name = self._choice.currentText() or (design.pool_name if design is not None else "")
        names = [audit.pool.name for audit in audits]
        gravest = next((audit.pool.name for audit in audits if audit.gravest is Severity.BLOCK), "")
        self._choice.offer(((each, None) for each in names), name if name in names else gravest)
        self._choice.setVisible(len(audits) > 1)
        self._show_chosen()

    def _show_chosen(self) -> None:
        audit = self._chosen()
        if audit is None:
            return
        tone = _TONES[audit.gravest] if audit.gravest is not None else Tone.OK
        self._state.set_tone(tone)
        self._mark.show_icon(TONE_ICONS.get(tone, ""), tone)
        self._state.setText(report_pools.summary_of(audit))
        facts, devices = report_pools.state_facts(audit, sizes=False), report_pools.devices_table(audit)
        table = (devices,) if devices.rows else ()
        self.found.show_blocks((*urgent_blocks(audit), subheading(_("Devices")), *facts, *table))
        self.sizes.show_blocks(sizes_shown(audit))
        self.card.show_audit(audit)
        self.improver.show_audit(audit)
        for button in (self._open, self._grow, self._sheet):
            button.setEnabled(audit.made is not None)
        steps = self._steps()
        count, (__, copied) = sum(len(step.commands) for step in steps), report_pools.pasted(steps)
        text = ngettext("{count} command for now and this week", "{count} commands for now and this week", count)
        if copied < count:
            text = _("{count} of {all} commands: look before the next", count=copied, all=count)
        self._counted.setText(text)
        self._offer_commands()
        self._compare()

    def _steps(self) -> list[FirstStep]:
        """Return what is done by commands and does not wait."""
        audit = self._chosen()
        return [step for step in first_steps((audit,)) if step.commands] if audit is not None else []

    def _commands(self) -> str:
        """Return what is to be run: what mends the pool, or prints what is not known of it."""
        if self.found.isVisibleTo(self):
            return report_pools.pasted(self._steps())[0] if self._steps() else ""
        view = self._empty if self._sides.isHidden() else self.sizes
        return next((block.text for block in view.blocks if isinstance(block, Code) and view.isVisibleTo(self)), "")

    def _on_copy(self) -> None:
        self.session.copy(self._commands())

    def _compare(self) -> None:
        audit = self._chosen()
        if audit is not None and self._of is not None:
            self.against.compare(self.session.design, self._of[0], audit.pool)
            self.migration.show_pool(self._of[0], audit.pool.name, self.session.design)
        self._work_out()

    def _work_out(self) -> None:
        if self.shows(self.improver):
            self.improver.work_out()

    def _open_at(self, tab: str) -> None:
        """Show the pool as a design; what growth is planned stays where the one that is open has its vdevs."""
        audit, old = self._chosen(), self.session.design
        if audit is not None and audit.made is not None:
            design = audit.made.design
            kept = old is not None and (old.key, old.vdevs, old.disks) == (design.key, design.vdevs, design.disks)
            if tab == "picture" or not kept:
                self._put_design(design)
            self.session.asked.emit("design", tab)

    def _take_change(self, design: Design) -> None:
        self._put_design(design)
        self.show_view(self.against)

    def _plan_move(self, move: PoolMove) -> None:
        self.migration.ask_for(move.layout, move.bought)
        self.show_view(self.migration)

    def _put_design(self, design: Design) -> None:
        if self._of is not None:
            self.session.change_design(design, _("Open as design"), self._of[0])
            self.session.say(_("The design holds this layout now. “Undo” takes it back."))

    def _chosen(self) -> PoolAudit | None:
        number = self._choice.currentIndex()
        return self._audits[number] if 0 <= number < len(self._audits) else None

    def _on_sheet(self) -> None:
        audit = self._chosen()
        if audit is not None and audit.made is not None:
            make = partial(recovery_sheet, audit.made.design, stamp_now())
            write = partial(write_report, self.session, make=make)
            ReportDialog(self.session, f"{audit.pool.name}-recovery.pdf", write, self)

    def _write(self, name: str) -> None:
        if self._of is not None:
            make = partial(report_pools.audit_report, self._audits, self._of[0], made=report_foot())
            write_report(self.session, name, make)


_CARD_WIDTH = 36 * GRID


class PoolCard(Card):
    """A pool at a glance: name, state, size, what is used of it, its vdevs, and what was derived."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedWidth(_CARD_WIDTH)
        self._name, self._layout = Heading("", self), ToneLabel("", Tone.MUTED, self, small=True)
        self._mark, self._health = IconLabel("ok", self, Tone.OK, icons.SMALL), ToneLabel("", Tone.OK, self, bold=True)
        self._health.setWordWrap(False)
        self._size = widgets.named(QLabel(self), _("Size"))
        self._bar = widgets.named(QProgressBar(self), _("Share that is used"))
        self._bar.setProperty("look", "share")
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(GRID)
        self._used, self._of = (ToneLabel("", Tone.MUTED, self, small=True) for __ in range(2))
        self._picture = PoolPicture(self, height=6 * GRID)
        self._notes = ToneLabel("", Tone.MUTED, self, small=True)
        self.body.addLayout(widgets.row((self._name, 1), self._mark, self._health))
        size = widgets.row(self._size, (self._of, 1))
        rest = (self._layout, size, self._bar, self._used, self._notes, self._picture)
        self.body.addLayout(widgets.column(*rest))

    def show_audit(self, audit: PoolAudit) -> None:
        well = audit.pool.state == "ONLINE"
        tone = Tone.OK if well else Tone.UNKNOWN if audit.pool.state is None else Tone.WARN
        tone = Tone.BLOCK if audit.gravest is Severity.BLOCK and not well else tone
        self._name.setText(audit.pool.name)
        self._mark.show_icon(TONE_ICONS[tone], tone)
        self._health.setText(audit.pool.state or _("state unknown"))
        self._health.set_tone(tone)
        size, used = (audit.known.number(name) for name in ("size", "allocated"))
        self._size.setText(_("size unknown") if size is None else binary(size))
        self._size.setFont(text_font(HEADING_POINTS if size is None else 2 * HEADING_POINTS))
        self._bar.setVisible(bool(size and used is not None))
        self._used.setVisible(bool(size and used is not None))
        self._bar.setValue(round(100 * (used or 0) / (size or 1)))
        layout = audit.made.design.layout() if audit.made is not None else ()
        parity = any(vdev.parity for vdev in layout)  # of a mirror SIZE counts one side
        self._of.setText("" if size is None else _("SIZE, parity included") if parity else "SIZE")  # for machines
        if size and used is not None:
            self._used.setText(f"ALLOC {binary(used)}, FREE {binary(size - used)}")  # for machines
        self._layout.setText(short_words(layout) if layout else "")
        self._picture.setVisible(bool(layout))
        failed = [] if audit.made is None else audit.made.failed()
        self._picture.show_layout(layout, failed)
        self._notes.setText("\n".join(map(capital, audit.made.assumed)) if audit.made is not None else "")
        self._notes.setVisible(bool(self._notes.text()))


def to_paste(commands: str) -> Iterator[Shown]:
    yield Words(_("Read this machine or a host, open or drop files, or paste what these print as root:"))
    yield Code(text=commands)


def sizes_shown(audit: PoolAudit) -> Iterator[Shown]:
    """Yield where the space went, and first what is to be pasted where that is not known in full."""
    if audit.sizes is None:
        yield Words(audit.problem, TextTone.MUTED)
        return
    exact = ("zpool list -v -Hp -P",) if audit.sizes.rounded else ()  # for machines
    if commands := [text for text in (*exact, *audit.sizes.missing) if text.startswith(_TOOLS)]:
        yield from to_paste("; ".join(dict.fromkeys(commands)))
    missing = tuple(text for text in audit.sizes.missing if not text.startswith(_TOOLS))
    yield from report_pools.size_blocks(replace(audit.sizes, missing=missing), every_step=True)


def urgent_blocks(audit: PoolAudit) -> Iterator[Shown]:
    """Yield what was found, the most urgent first, each with its commands and a link to its rule."""
    numbers: dict[str, int] = {}
    steps = first_steps((audit,), numbers)
    waits = [finding for finding in audit.findings if all(finding is not step.finding for step in steps)]
    notes = [finding for finding in waits if finding.severity is Severity.NOTE]
    # These are mended by what another says.
    mended = [FirstStep(audit=audit, finding=f, remedy=Remedy()) for f in waits if f not in notes]
    for title, group in (
        (_("Now"), [step for step in steps if step.is_urgent]),
        (_("This week"), [*(step for step in steps if not step.is_urgent), *mended]),
        (_("No hurry"), [FirstStep(audit=audit, finding=f, remedy=remedy_of(f, audit, numbers)) for f in notes]),
    ):
        if group:
            yield subheading(title)
        for step in group:
            why = step.finding.sentence.removeprefix(step.finding.text)
            small = f"{why} {step.advice} {step.remedy.then} {report_pools.gain_words(audit, step.finding)}".strip()
            yield Words(step.finding.text, report_pools.TONES[step.finding.severity], strong=True, small=small)
            yield from code(step.commands)
            yield Link(text=_("Why?"), of=step.finding.rule_id)
    yield from report_pools.unruled_blocks(audit)
