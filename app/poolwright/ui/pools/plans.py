"""What could be done to a pool that exists: made as the design says, improved with so much to spend, moved."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import groupby

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from poolwright import __version__
from poolwright.catalogue_library import shipped_flash
from poolwright.changes.audit import PoolAudit
from poolwright.changes.improve.pool_change import ImproveQuestion, PoolChange, PoolImprovements, Urgency
from poolwright.changes.live_difference.values import LiveComparison
from poolwright.changes.migration.values import MigrationAnswer
from poolwright.domain.catalogue import purchase_currency
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.host import Inventory
from poolwright.domain.money import money_typed, parse_money
from poolwright.domain.pool import Pool
from poolwright.domain.workload import Budget
from poolwright.emit import report_pools
from poolwright.emit.difference_script import guarded_text
from poolwright.emit.migration_script import migration_parts, migration_script
from poolwright.emit.names import Stamp
from poolwright.emit.report import Bullets, ReportTable, TextTone, Words, answer_report, code
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import WorkerJob
from poolwright.questions import MoveAsked, against_pool, improve_pool, plan_move
from poolwright.store.files import SCRIPT_MODE
from poolwright.table_library import load_drive_book
from poolwright.texts import _
from poolwright.ui.parts import widgets
from poolwright.ui.parts.report_view import Link, ReportView, Shown, subheading
from poolwright.ui.parts.save_file import ask_where
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.state.expectations import today_here
from poolwright.ui.state.session import Session

_TONES = {
    Urgency.FIRST: TextTone.BLOCK,
    Urgency.WORTH: TextTone.OK,
    Urgency.ASK: TextTone.MUTED,
    Urgency.NOT: TextTone.MUTED,
}
_MONEY_WIDTH = 21 * GRID
_ABREAST = 3  # gains in a row


class PlanView(QWidget):
    """What could be done to a pool: what is asked, the answer in a line, its steps; to be saved.

    Nothing here runs a command. A saved script is called as ``file`` says.
    """

    file = "change-pool.sh"

    def __init__(self, session: Session, steps: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._session = session
        self._script: Callable[[], str] | None = None
        self.summary = ToneLabel("", Tone.TEXT, self)
        self.save_button = widgets.button(_("Save…"), self, self._on_save, icon="save")
        self.steps = ReportView(steps, self, least=0, grows=True)
        self.inputs = widgets.column()
        answer = widgets.row((self.summary, 1), self.save_button)
        widgets.column(self.inputs, answer, self.steps, 1, of=self)
        self.say("")

    def say(self, text: str, tone: Tone = Tone.MUTED) -> None:
        """Say why there is no plan, or that one is made."""
        self.show_plan(text, tone, ())

    def show_plan(
        self, text: str, tone: Tone, blocks: Iterable[Shown], script: Callable[[], str] | None = None
    ) -> None:
        """Show steps, each command to be copied by itself; ``script`` is what is saved, or raises why there is none."""
        self._script = script
        self.summary.setText(text)
        self.summary.set_tone(tone)
        self.save_button.setVisible(script is not None)
        self.steps.show_blocks(blocks)

    def _on_save(self) -> None:
        try:  # before anybody has chosen a name for it
            script = self._script() if self._script is not None else None
        except PoolwrightError as error:
            self._session.complain(error.text)
            return
        if script is not None:
            ask_where(self, self.file, partial(self._session.write, text=script, mode=SCRIPT_MODE))


# The open design against the pool that exists: what differs, the commands that change it, what cannot be changed.


class AgainstDesign(PlanView):
    """Holds the open design against one pool whenever either is another."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, _("What differs"), parent)
        self._of: tuple[Design, Inventory, Pool] | None = None
        self._asking = Asking(session.jobs, self, self._show_comparison, self.say)
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

    def _show_comparison(self, comparison: LiveComparison) -> None:
        tone, text = Tone.TEXT if comparison.differences else Tone.OK, guarded_text(comparison)
        script = partial(str, text) if text else None
        self.show_plan(report_pools.counted_words(comparison), tone, report_pools.live_blocks(comparison), script)


# What to add, replace or rebuild, with so much to spend.


class PoolImprover(PlanView):
    """Works out the changes when it is in front.

    ``opened`` is sent with the design of a change that was chosen, ``moving`` with the move to another pool.
    """

    opened = Signal(object)
    moving = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, _("Improve"), parent)
        self._audit: PoolAudit | None = None
        self._asked_of: tuple[PoolAudit, str] | None = None
        self._asking = Asking(session.jobs, self, self._show, self._say)
        label = QLabel(_("Budget"), self)
        self.money = widgets.entry(self, _("Budget"), "2000 USD")
        self.money.setFixedWidth(_MONEY_WIDTH)
        if session.budget.money is not None:
            self.money.setText(money_typed(session.budget.money))
        label.setBuddy(self.money)
        self.go_button = widgets.button(_("Work out"), self, self.work_out, icon="refresh")
        self.inputs.addLayout(widgets.row(label, self.money, 1))
        self.money.returnPressed.connect(self.work_out)
        self.steps.pressed.connect(self._on_pressed)

    def show_audit(self, audit: PoolAudit) -> None:
        self._audit = audit

    def work_out(self) -> None:
        audit = self._audit
        if audit is None or (
            self._asked_of is not None and self._asked_of[0] is audit and self._asked_of[1] == self._text()
        ):
            return
        self._asked_of = audit, self._text()
        if audit.made is None:
            self._say(audit.problem or audit.unread)
            return
        try:
            question = self._question()
        except PoolwrightError as error:
            self._say(error.text)
            return
        title = _("Looking for what helps the pool")
        self.say(title)
        self._asking.ask(WorkerJob(title, "improve", self, improve_pool, audit.made, audit.known, question))

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
        self.say(text, Tone.WARN)

    def _show(self, found: PoolImprovements) -> None:
        blocks: list[Shown] = []
        mends = report_pools.free_mends(self._audit) if self._audit is not None else ()
        if mends:  # no disk that is bought comes before what costs nothing
            blocks.append(subheading(_("Fix first, nothing to buy")))
        for mend in mends:
            words = Words(mend.finding.text, report_pools.TONES[mend.finding.severity], strong=True, small=mend.advice)
            blocks += [words, *code(mend.commands)]
        blocks += [subheading(_("Alternatives")), report_pools.changes_table(found)]
        blocks += [Words(note, TextTone.MUTED) for note in found.notes]
        for urgency, changes in groupby(enumerate(found.changes, 1), lambda change: change[1].urgency):
            blocks.append(subheading(_(urgency.value)))
            for number, change in changes:
                blocks += change_blocks(number, change)
        self.show_plan(report_pools.summary_line(found), Tone.TEXT, blocks)

    def _on_pressed(self, change: PoolChange) -> None:
        if change.move is not None:
            self.moving.emit(change.move)
        else:
            self.opened.emit(change.design)


def change_blocks(number: int, change: PoolChange) -> Iterator[Shown]:
    title = report_pools.change_title(change, _("Enter one on the page “Buy”."))
    yield Words(f"{number}  {title}", _TONES.get(change.urgency, TextTone.PLAIN), strong=True, small=change.why)
    gains = [*map(Words, change.gains), *[Words("")] * (-len(change.gains) % _ABREAST)]
    if gains:
        yield ReportTable(header=("",) * _ABREAST, rows=tuple(zip(*[iter(gains)] * _ABREAST, strict=True)))
    lines = (Words(text, TextTone.MUTED) for text in (*change.minds, change.rewrite, change.behind) if text)
    yield Bullets(items=tuple(lines))
    if change.move is not None:
        yield Link(text=_("Plan the move"), of=change)
    elif change.design is not None and change.kind not in report_pools.ANEW:
        yield Link(text=_("Open as design"), of=change)


# Moving a pool to another layout: what is asked, and the steps with their redundancy, time and commands.


class MigrationPane(PlanView):
    """Asks for the new layout and shows the plan."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, _("Migrate"), parent)
        self._inventory: Inventory | None = None
        self._pool = ""
        self._design: Design | None = None
        self._asking = Asking(session.jobs, self, self._show, self._on_failed)
        self.plan_button = widgets.button(_("Plan the move"), self, self._on_plan, icon="commands")
        self.design_button = widgets.button(_("Plan for the open design"), self, self._on_design)
        self.inputs.addLayout(self._questions())
        self.inputs.addLayout(widgets.row(self.design_button, 1))
        self.say("")

    def show_pool(self, inventory: Inventory, pool: str, design: Design | None) -> None:
        others = (inventory, pool) != (self._inventory, self._pool)
        self._inventory, self._pool, self._design = inventory, pool, design
        self.design_button.setVisible(design is not None)
        if others:
            self.say(_("The plan shows each step with its commands and the failures survived meanwhile."))

    def ask_for(self, layout: str, bought: str) -> None:
        self.layout_line.setText(layout)
        self.bought_line.setText(bought)
        self._on_plan()

    def _questions(self) -> QGridLayout:
        self.layout_line = widgets.entry(self, _("New layout"), "raidz2:4x6TB, 2*mirror:2x6TB")
        self.bought_line = widgets.entry(self, _("New disks"), "2 x 6TB")
        self.stored_line = widgets.entry(self, _("Data stored"), _("as read, or 3TB"))
        self.layout_line.returnPressed.connect(self._on_plan)
        self.backup = QCheckBox(_("A backup exists and can be read"), self)
        grid = widgets.grid(gap=(GRID, GRID // 2))
        places = ((self.layout_line, 0, 0, 3), (self.bought_line, 1, 0, 1), (self.stored_line, 1, 2, 1))
        for line, row, column, span in places:
            label = QLabel(line.accessibleName(), self)
            label.setBuddy(line)
            grid.addWidget(label, row, column)
            grid.addWidget(line, row, column + 1, 1, span)
        grid.addWidget(self.backup, 2, 1, 1, 3)
        return grid

    def _on_plan(self) -> None:
        self._ask(None)

    def _on_design(self) -> None:
        self._ask(self._design)

    def _ask(self, design: Design | None) -> None:
        if self._inventory is None:
            return
        self.say("")
        question = MoveAsked(
            inventory=self._inventory,
            pool=self._pool,
            design=design,
            layout=self.layout_line.text(),
            bought=self.bought_line.text(),
            stored=self.stored_line.text(),
            backup=self.backup.isChecked(),
        )
        self._asking.ask(WorkerJob(_("Planning the move"), self._pool, self, plan_move, question))

    def _on_failed(self, text: str) -> None:
        error = self._asking.error
        reasons = error.reasons if isinstance(error, Refusal) else ()
        self.say("\n".join((text, *(f"– {reason}" for reason in reasons))), Tone.BLOCK)

    def _show(self, answer: MigrationAnswer) -> None:
        try:
            report = answer_report(migration_parts(answer), asked="", made="")
        except PoolwrightError as error:
            self.say(error.text, Tone.BLOCK)
            return
        self.file = f"migrate-{self._pool}.sh"
        self.show_plan(report.title, Tone.TEXT, report.blocks, lambda: migration_script(answer.plan, stamp_now()))


def stamp_now() -> Stamp:
    now = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Stamp(generated_at=now, program_version=__version__)
