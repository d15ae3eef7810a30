"""What to add, replace or rebuild in the pool, with so much to spend: the ranked changes, to be opened as designs."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from poolwright import __version__
from poolwright.catalogue_library import shipped_flash
from poolwright.changes.audit import PoolAudit
from poolwright.changes.improve.ground import ImproveQuestion, PoolChange, PoolImprovements, Urgency
from poolwright.changes.migration.values import MigrationAnswer
from poolwright.domain.catalogue import purchase_currency
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.host import Inventory
from poolwright.domain.money import money_typed, parse_money
from poolwright.domain.workload import Budget
from poolwright.drive_library import load_drive_book
from poolwright.emit.move import headline, migration_blocks, migration_script
from poolwright.emit.names import Stamp
from poolwright.emit.report import Block, Bullets, Code, TextTone, Words, paragraph, terminal_lines
from poolwright.emit.report_pools import ANEW, TONES, change_facts, change_title, free_mends, summary_line
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import WorkerJob
from poolwright.questions import MoveAsked, improve_pool, plan_move
from poolwright.store.files import SCRIPT_MODE
from poolwright.texts import _
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import Complaint, ToneLabel
from poolwright.ui.parts.report_view import Link, ReportView, Shown, subheading
from poolwright.ui.parts.save_file import ask_where
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.expectations import today_here
from poolwright.ui.state.session import Session

_TONES = {
    Urgency.FIRST: TextTone.BLOCK,
    Urgency.WORTH: TextTone.OK,
    Urgency.ASK: TextTone.MUTED,
    Urgency.NOT: TextTone.MUTED,
}
_MONEY_WIDTH = 21 * GRID


class PoolImprover(QWidget):
    """Works out the changes when it is in front.

    ``opened`` is sent with the design of a change that was chosen, ``moving`` with the move to another pool.
    """

    opened = Signal(object)
    moving = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._audit: PoolAudit | None = None
        self._asked: tuple[PoolAudit, str] | None = None
        self._asking = Asking(session.jobs, self, self._show, self._say)
        label = QLabel(_("To spend"), self)
        self.money = lay.entry(self, _("What there is to spend"), _("such as 2000 USD"))
        self.money.setFixedWidth(_MONEY_WIDTH)
        if session.budget.money is not None:
            self.money.setText(money_typed(session.budget.money))
        label.setBuddy(self.money)
        self._go = lay.button(_("Work out"), self, self.work_out, icon="refresh")
        self.money.returnPressed.connect(self.work_out)
        self.told = ToneLabel("", Tone.TEXT, self)
        self.list = ReportView(_("What could be done"), self)
        self.list.pressed.connect(self._on_pressed)
        lay.column(lay.row(label, self.money, self._go, (self.told, 1)), (self.list, 1), of=self)

    def show_audit(self, audit: PoolAudit) -> None:
        self._audit = audit

    def work_out(self) -> None:
        audit = self._audit
        if audit is None or (self._asked is not None and self._asked[0] is audit and self._asked[1] == self._text()):
            return
        self._asked = audit, self._text()
        if audit.made is None:
            self._say(audit.problem or audit.unread)
            return
        try:
            question = self._question()
        except PoolwrightError as error:
            self._say(error.text)
            return
        self.told.set_tone(Tone.MUTED)
        self.told.setText(_("Working it out…"))
        title, asked = _("Looking for what helps the pool"), (audit.made, audit.known, question)
        self._asking.ask(WorkerJob(title, "improve", self, improve_pool, *asked))

    def _text(self) -> str:
        return self.money.text().strip()

    def _question(self) -> ImproveQuestion:
        catalogue = self._session.library.catalogue()
        currency = self._session.currency
        budget = Budget(currency=currency)
        usual = currency or purchase_currency(budget, catalogue)
        amount = parse_money(self._text(), currency=usual) if self._text() else None
        budget = Budget(money=amount, currency=amount.currency if amount else usual)
        purchase_currency(budget, catalogue)  # raises where prices have another
        today = today_here()
        return ImproveQuestion(
            budget=budget, catalogue=catalogue, drives=load_drive_book(), today=today, flash=shipped_flash()
        )

    def _say(self, text: str) -> None:
        self.told.set_tone(Tone.WARN)
        self.told.setText(text)

    def _show(self, found: PoolImprovements) -> None:
        self.told.set_tone(Tone.TEXT)
        self.told.setText(summary_line(found))
        blocks: list[Shown] = [paragraph(" ".join(found.notes), TextTone.MUTED)]
        mends = free_mends(self._audit) if self._audit is not None else ()
        if mends:  # no disk that is bought comes before what costs nothing
            blocks.append(subheading(_("Wrong, and mended without buying anything")))
        for mend in mends:
            words = paragraph(mend.finding.text, TONES[mend.finding.severity], strong=True)
            blocks += [words, Code(text="\n".join(mend.commands))]
        for urgency, changes in groupby(found.changes, attrgetter("urgency")):
            blocks.append(subheading(_(urgency.value)))
            for change in changes:
                blocks += change_blocks(change)
        self.list.show_blocks(blocks)

    def _on_pressed(self, change: PoolChange) -> None:
        if change.move is not None:
            self.moving.emit(change.move)
        else:
            self.opened.emit(change.design)


def change_blocks(change: PoolChange) -> Iterator[Shown]:
    words = Words(
        text=change_title(change, _("Enter one on the page “Buy”.")),
        tone=_TONES.get(change.urgency, TextTone.PLAIN),
        strong=change.urgency in (Urgency.FIRST, Urgency.WORTH),
        small=" ".join(change_facts(change)),
    )
    yield Bullets(items=(words,))
    if change.move is not None:
        yield Link(text=_("Plan the move"), of=change)
    elif change.design is not None and change.kind not in ANEW:
        yield Link(text=_("Open as design"), of=change)


# Moving a pool to another layout: what is asked, and the steps with their redundancy, time and commands.


class MigrationPane(QWidget):
    """Asks for the new layout and shows the plan. Nothing here runs a command."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._inventory: Inventory | None = None
        self._pool = ""
        self._design: Design | None = None
        self._answer: MigrationAnswer | None = None
        self._blocks: list[Block] = []
        self._asking = Asking(session.jobs, self, self._show, self._on_failed)
        self.problem = Complaint(_("Why there is no plan"), self)
        self.rows = ReportView(_("Steps of the move"), self)
        self.plan_button = lay.button(_("Plan the move"), self, self._on_plan, icon="commands")
        self.design_button = lay.button(_("Plan for the open design"), self, self._on_design)
        self.copy_button = lay.button(_("Copy the plan"), self, self._on_copy, icon="copy")
        self.save_button = lay.button(_("Save the script…"), self, self._on_save, icon="export")
        questions = self._questions()
        choice = lay.row(self.backup, 1, self.design_button, self.plan_button)
        taking = lay.row(self.copy_button, self.save_button, 1)
        about = _("All data move to another layout, with commands, time and redundancy left.")
        told = ToneLabel(about, Tone.MUTED, self, small=True)
        lay.column(told, questions, choice, self.problem, taking, (self.rows, 1), of=self)
        self._offer()

    def show_pool(self, inventory: Inventory, pool: str, design: Design | None) -> None:
        if (inventory, pool) != (self._inventory, self._pool):
            self._clear()
        self._inventory, self._pool, self._design = inventory, pool, design
        self._offer()

    def ask_for(self, layout: str, bought: str) -> None:
        self.layout_line.setText(layout)
        self.bought_line.setText(bought)
        self._on_plan()

    def _questions(self) -> QGridLayout:
        self.layout_line = lay.entry(self, _("New layout"), _("such as raidz2:4x6TB or 2*mirror:2x6TB"))
        self.bought_line = lay.entry(self, _("Disks to come"), _("such as 2 x 6TB"))
        self.stored_line = lay.entry(self, _("Stored"), _("as read, or 3TB"))
        self.layout_line.returnPressed.connect(self._on_plan)
        self.backup = QCheckBox(_("A backup exists and can be read"), self)
        self.backup.setToolTip(_("Allows ways without redundancy for a while"))
        grid = lay.grid(gap=(GRID, GRID // 2))
        places = ((self.layout_line, 0, 0, 3), (self.bought_line, 1, 0, 1), (self.stored_line, 1, 2, 1))
        for line, row, column, span in places:
            label = QLabel(line.accessibleName(), self)
            label.setBuddy(line)
            grid.addWidget(label, row, column)
            grid.addWidget(line, row, column + 1, 1, span)
        return grid

    def _on_plan(self) -> None:
        self._ask(None)

    def _on_design(self) -> None:
        self._ask(self._design)

    def _ask(self, design: Design | None) -> None:
        if self._inventory is None:
            return
        self._clear()
        asked = MoveAsked(
            inventory=self._inventory,
            pool=self._pool,
            design=design,
            layout=self.layout_line.text(),
            bought=self.bought_line.text(),
            stored=self.stored_line.text(),
            backup=self.backup.isChecked(),
        )
        self._asking.ask(WorkerJob(_("Planning the move"), self._pool, self, plan_move, asked))

    def _clear(self) -> None:
        self._answer = None
        self.problem.say("")
        self.rows.show_blocks(())
        self._offer()

    def _offer(self) -> None:
        there = self._answer is not None
        self.copy_button.setVisible(there)
        self.save_button.setVisible(there)
        self.plan_button.setEnabled(self._inventory is not None)
        self.design_button.setVisible(self._inventory is not None and self._design is not None)

    def _on_failed(self, text: str) -> None:
        error = self._asking.error
        reasons = error.reasons if isinstance(error, Refusal) else ()
        self.problem.say("\n".join((text, *(f"– {reason}" for reason in reasons))))

    def _show(self, answer: MigrationAnswer) -> None:
        self._answer = answer
        try:
            self._blocks = [subheading(headline(answer.plan)), *migration_blocks(answer)]
        except PoolwrightError as error:
            self._blocks = [paragraph(error.text, TextTone.BLOCK)]
        self.rows.show_blocks(self._blocks)
        self._offer()

    def _on_copy(self) -> None:
        if self._answer is not None:
            QGuiApplication.clipboard().setText("\n".join(terminal_lines(self._blocks)))
            self._session.say(_("The plan was copied."))

    def _on_save(self) -> None:
        if self._script() is None:  # said before anybody has chosen a name for it
            return
        name = f"migrate-{self._pool}.sh"
        ask_where(self, _("Save the script"), name, _("Shell script"), self.write)

    def write(self, name: str) -> None:
        script = self._script()
        if script is not None:
            self._session.write(name, script, SCRIPT_MODE)

    def _script(self) -> str | None:
        """Return the script of the plan; None, and why is told, where none can be written."""
        if self._answer is None:
            return None
        now = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
        try:
            return migration_script(self._answer.plan, Stamp(generated_at=now, program_version=__version__))
        except PoolwrightError as error:
            self._session.complain(error.text)
            return None
