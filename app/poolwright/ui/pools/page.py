"""The pools that exist on the machine in front of us: their state, what the rules say, their sizes explained."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QPushButton, QWidget

from poolwright.changes.against.values import LiveComparison
from poolwright.changes.as_design import why_no_pool
from poolwright.changes.audit import PoolAudit
from poolwright.changes.improve.ground import PoolMove
from poolwright.domain.design import Design
from poolwright.domain.finding import Severity
from poolwright.domain.host import Inventory
from poolwright.domain.pool import Pool
from poolwright.emit.change import guarded_text
from poolwright.emit.remedies import FirstStep, first_steps, remedy_of
from poolwright.emit.report import Block, TextTone, code, html_text, markdown_text, paragraph
from poolwright.emit.report_pools import (
    TONES,
    audit_report,
    counted_words,
    devices_table,
    live_blocks,
    size_blocks,
    state_facts,
    summary_of,
    unruled_blocks,
)
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import WorkerJob
from poolwright.questions import against_pool, audit
from poolwright.rules.model import RuleBook
from poolwright.texts import N_, _
from poolwright.ui.parts import lay
from poolwright.ui.parts.finding_rows import show_rule
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Panes, Place
from poolwright.ui.parts.report_view import Link, ReportView, Shown, subheading
from poolwright.ui.parts.save_file import ask_where
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.pools.improve_pane import MigrationPane, PoolImprover
from poolwright.ui.state.expectations import today_here
from poolwright.ui.state.session import Session

_TONES = {Severity.BLOCK: Tone.BLOCK, Severity.WARN: Tone.WARN, Severity.NOTE: Tone.TEXT}


class PoolsPage(Page):
    """Follows the machine; nothing here changes a pool: commands are shown and copied."""

    heading = N_("Pools")
    about = N_("What should be done about this pool, in order. Nothing is run here.")

    def build(self) -> None:
        self._audits: tuple[PoolAudit, ...] = ()
        self._of: tuple[Inventory, RuleBook] | None = None
        self._asking = Asking(self.session.jobs, self, self._on_audited, self.session.complain)
        self._empty = ToneLabel("", Tone.MUTED, self)
        self._read = lay.button(_("Read a machine"), self, self._go_disks, icon="machine")
        self._choice = lay.named(QComboBox(self), _("Pool"))
        self._choice.currentIndexChanged.connect(self._show_chosen)
        self._state = ToneLabel("", Tone.TEXT, self, bold=True)
        self._save = lay.button(_("Report…"), self, self._on_save, icon="export")
        self._open = lay.button(_("Open as design"), self, self._on_open, icon="design")
        self._make_panes()
        self.body.addWidget(self._empty)
        self.body.addWidget(self._read, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addLayout(lay.row(self._choice, (self._state, 1), self._open, self._save))
        self.body.addWidget(self.panes, 1)
        self.body.addStretch(0)

    def _make_panes(self) -> None:
        """Make the parts: what is found in the pool, its design, what helps it, and its move to another one."""
        self.found, self.sizes = (
            ReportView(name, self) for name in (_("What was found"), _("Where did the space go?"))
        )
        self.found.pressed.connect(self._show_rule)
        self.against, self.improver = AgainstDesign(self.session, self), PoolImprover(self.session, self)
        self.improver.opened.connect(self._take_change)
        self.improver.moving.connect(self._plan_move)
        self.migration = MigrationPane(self.session, self)
        self.panes = Panes(_("Parts of the audit"), 0, self)
        self.panes.keep_tabs(only_tabs=True)
        for title, pane in (
            (_("Findings"), self.found),
            (_("Where did the space go?"), self.sizes),
            (_("Design"), self.against),
            (_("Improve"), self.improver),
            (_("Move"), self.migration),
        ):
            self.panes.add(title, pane, Place())
        self.panes.shown_changed.connect(self._work_out)
        self.panes.setMinimumWidth(60 * GRID)

    def refresh(self) -> None:
        inventory, rules = self._machine(), self.session.rules
        there = inventory is not None and bool(inventory.imported())
        self._show_parts(shown=there and rules is not None)
        if inventory is None or rules is None or not there:
            self._empty.setText(self._why_empty(inventory))
            return
        if self._of is not None and self._of[0] is inventory and self._of[1] is rules:
            self._compare()
            return
        self._of, self._audits = (inventory, rules), ()
        self._state.setText(_("Looking at the pools…"))
        today = today_here()
        self._asking.ask(WorkerJob(_("Judging the pools"), "audit", self, audit, inventory, today))

    def _machine(self) -> Inventory | None:
        at_hand = self.session.work.at_hand
        if at_hand is not None and at_hand.inventory.imported():
            return at_hand.inventory
        return self.session.inventory

    def main_button(self) -> QPushButton | None:
        return self._read if self._read.isVisibleTo(self) else self._save

    def first_stop(self, stops: Sequence[QWidget]) -> QWidget | None:
        """Begin at the choice of the pool, else at what is to be said of the only one."""
        wanted = (self._choice, self.panes.tabs)
        return next((widget for widget in wanted if widget in stops), super().first_stop(stops))

    def _why_empty(self, inventory: Inventory | None) -> str:
        if self.session.rules is None and inventory is not None:
            return self.session.rules_problem or _("The rules are being loaded.")
        if inventory is None:
            return _("No machine was read yet. Read one on Disks, or paste `zpool status` there.")
        return ". ".join(why_no_pool(inventory))

    def _show_parts(self, *, shown: bool) -> None:
        for part in (self._state, self._open, self._save, self.panes):
            part.setVisible(shown)
        self._choice.setVisible(shown and len(self._audits) > 1)
        self._empty.setVisible(not shown)
        self._read.setVisible(not shown)

    def _on_audited(self, audits: tuple[PoolAudit, ...]) -> None:
        self._audits = audits
        name = self._choice.currentText()
        self._choice.blockSignals(True)
        self._choice.clear()
        self._choice.addItems([audit.pool.name for audit in audits])
        gravest = [number for number, audit in enumerate(audits) if audit.gravest is Severity.BLOCK]
        kept = self._choice.findText(name)
        self._choice.setCurrentIndex(kept if kept >= 0 else gravest[0] if gravest else 0)
        self._choice.blockSignals(False)
        self._choice.setVisible(len(audits) > 1)
        self._show_chosen()

    def _show_chosen(self) -> None:
        audit = self._chosen()
        if audit is None:
            return
        self._state.set_tone(_TONES[audit.gravest] if audit.gravest is not None else Tone.OK)
        self._state.setText(summary_of(audit))
        devices = subheading(_("Devices")), devices_table(audit)
        self.found.show_blocks((*state_facts(audit), *urgent_blocks(audit), *devices))
        no_sizes = paragraph(audit.problem, TextTone.MUTED)
        self.sizes.show_blocks((no_sizes,) if audit.sizes is None else size_blocks(audit.sizes, every_step=True))
        self.improver.show_audit(audit)
        self._open.setEnabled(audit.made is not None)
        self._compare()
        if self._of is not None:
            self.migration.show_pool(self._of[0], audit.pool.name, self.session.design)

    def _compare(self) -> None:
        audit = self._chosen()
        if audit is not None and self._of is not None:
            self.against.compare(self.session.design, self._of[0], audit.pool)
        self._work_out()

    def _work_out(self) -> None:
        if self.panes.shows(self.improver):
            self.improver.work_out()

    def _on_open(self) -> None:
        audit = self._chosen()
        if audit is None or audit.made is None:
            return
        self._put_design(audit.made.design)
        self.go.emit("design")

    def _take_change(self, design: Design) -> None:
        self._put_design(design)
        self.panes.bring_to_front(self.against)

    def _plan_move(self, move: PoolMove) -> None:
        self.migration.ask_for(move.layout, move.bought)
        self.panes.bring_to_front(self.migration)

    def _put_design(self, design: Design) -> None:
        self.session.change_design(design, _("Open pool as design"))
        self.session.say(_("The pool {pool} is the design now; Undo takes it back.", pool=design.pool_name))

    def _chosen(self) -> PoolAudit | None:
        number = self._choice.currentIndex()
        return self._audits[number] if 0 <= number < len(self._audits) else None

    def _on_save(self) -> None:
        ask_where(self, _("Save the audit"), "audit.html", _("Report"), self._write)

    def _write(self, name: str) -> None:
        if self._of is None:
            return
        made = _("Poolwright, {moment}", moment=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"))
        report = audit_report(self._audits, self._of[0], made=made)
        self.session.write(name, markdown_text(report) if name.lower().endswith(".md") else html_text(report))

    def _show_rule(self, rule_id: str) -> None:
        show_rule(rule_id, self.session.rules or RuleBook(), self)

    def _go_disks(self) -> None:
        self.go.emit("disks")


def urgent_blocks(audit: PoolAudit) -> Iterator[Shown]:
    """Yield what was found, the most urgent first, each with its commands and a link to its rule."""
    steps = first_steps((audit,))
    waits = [finding for finding in audit.findings if all(finding is not step.finding for step in steps)]
    notes = [finding for finding in waits if finding.severity is Severity.NOTE]
    mended = [FirstStep(audit=audit, finding=f, commands=()) for f in waits if f not in notes]  # by what another says
    for title, group in (
        (_("Now"), [step for step in steps if step.is_urgent]),
        (_("This week"), [*(step for step in steps if not step.is_urgent), *mended]),
        (_("No hurry"), [FirstStep(audit=audit, finding=f, commands=remedy_of(f, audit).commands) for f in notes]),
    ):
        if group:
            yield subheading(title)
        for step in group:
            small = step.finding.sentence.removeprefix(step.finding.text).strip()
            tone, strong = TONES[step.finding.severity], step.finding.severity is not Severity.NOTE
            yield paragraph(step.finding.text, tone, strong=strong, small=small)
            yield from code(step.commands)
            yield Link(text=_("Why?"), of=step.finding.rule_id)
    yield from unruled_blocks(audit)


# The open design against the pool that exists: what differs, the commands that change it, what cannot be changed.


class AgainstDesign(QWidget):
    """Holds the open design against one pool whenever either is another, with commands to be copied or saved."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._text = ""
        self._of: tuple[Design, Inventory, Pool] | None = None
        self._asking = Asking(session.jobs, self, self._show_comparison, self.say)
        self.told = ToneLabel("", Tone.TEXT, self)
        self._copy = lay.button(_("Copy commands"), self, self._on_copy, icon="copy")
        self._save = lay.button(_("Save commands…"), self, self._on_save, icon="save")
        self.differences = ReportView(_("What differs"), self)
        lay.column(lay.row((self.told, 1), self._copy, self._save), (self.differences, 1), of=self)
        self.compare(None, None, None)

    def compare(self, design: Design | None, inventory: Inventory | None, pool: Pool | None) -> None:
        """Hold this design against this pool of the machine; without a design say how to come by one."""
        if design is None or inventory is None or pool is None:
            self._of = None
            self._asking.forget()
            self.say(_("Open a design, and it is compared with this pool."))
            return
        now = (design, inventory, pool)
        if self._of is not None and all(old is new for old, new in zip(self._of, now, strict=True)):
            return
        self._of = now
        self._asking.ask(WorkerJob(_("Comparing with the design"), "design", self, against_pool, *now))

    def say(self, text: str) -> None:
        self._show("", text, Tone.MUTED, ())

    def _show_comparison(self, comparison: LiveComparison) -> None:
        tone = Tone.TEXT if comparison.differences else Tone.OK
        self._show(guarded_text(comparison), counted_words(comparison), tone, live_blocks(comparison))

    def _show(self, text: str, told: str, tone: Tone, blocks: Iterable[Block]) -> None:
        self._text = text
        self.told.setText(told)
        self.told.set_tone(tone)
        for button in (self._copy, self._save):
            button.setVisible(bool(text))
        self.differences.show_blocks(blocks)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self._session.say(_("The commands were copied."))

    def _on_save(self) -> None:
        ask_where(self, _("Save the commands"), "change-pool.sh", _("Shell script"), self.write)

    def write(self, name: str) -> None:
        self._session.write(name, self._text)
