"""What to add, replace or rebuild in the pool, with so much to spend: the ranked changes, to be opened as designs."""

from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from poolwright.catalogue_library import shipped_flash
from poolwright.changes.audit import PoolAudit
from poolwright.changes.improve.improve import ImproveQuestion, improve_in_steps
from poolwright.changes.improve.values import PoolChange, PoolImprovements, Urgency
from poolwright.design.reckoning import reckoned_in
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.money_text import money_typed, parse_money
from poolwright.domain.steps import at_each
from poolwright.domain.workload import Budget
from poolwright.drive_library import load_drive_book
from poolwright.emit.remedies import remedy_of
from poolwright.emit.report_audit import SEVERITIES
from poolwright.emit.report_pool import ANEW, URGENCY_TITLES, cost_words, free_mends, summary_line
from poolwright.jobs.job import Asking, SlicedJob, Work
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.finding_rows import mark_of
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import ScrolledRows, SmallHeading, ToneLabel
from poolwright.ui.parts.theme import GRID, Tone, mono_font, text_font
from poolwright.ui.state.session import Session

_MARKS = {
    Urgency.FIRST: ("warn", Tone.BLOCK),
    Urgency.WORTH: ("ok", Tone.OK),
    Urgency.LITTLE: ("note", Tone.MUTED),
    Urgency.DEAR: ("note", Tone.MUTED),
    Urgency.ASK: ("unknown", Tone.MUTED),
    Urgency.NOT: ("block", Tone.MUTED),
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
        self.rows: list[ChangeRow] = []
        self._asking = Asking(session.jobs, self)
        self._asking.answered.connect(self._show)
        self._asking.failed.connect(self._say)
        label = QLabel(tell("To spend"), self)
        self.money = QLineEdit(self)
        self.money.setAccessibleName(tell("What there is to spend"))
        self.money.setPlaceholderText(tell("such as 2000 USD"))
        self.money.setFixedWidth(_MONEY_WIDTH)
        if session.budget.money is not None:
            self.money.setText(money_typed(session.budget.money))
        label.setBuddy(self.money)
        self._go = lay.button(tell("Work out"), self, self.work_out, icon="refresh")
        self.money.returnPressed.connect(self.work_out)
        self.told = ToneLabel("", Tone.TEXT, self)
        self.told.setAccessibleName(tell("What the advice rests on"))
        self.list = ScrolledRows(tell("What could be done"), self)
        lay.column(lay.row(label, self.money, self._go, (self.told, 1)), (self.list, 1), of=self)

    def show_audit(self, audit: PoolAudit) -> None:
        self._audit = audit

    def work_out(self) -> None:
        """Work the changes out, unless that was done for the same pool and the same money."""
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
        self.told.setText(tell("Working it out…"))
        self._asking.ask(SlicedJob(tell("Looking for what helps the pool"), "improve", _working(audit, question), self))

    def _text(self) -> str:
        return self.money.text().strip()

    def _question(self) -> ImproveQuestion:
        catalogue = self._session.library.catalogue()
        currency = self._session.currency
        budget = Budget(currency=currency)
        usual = currency or reckoned_in(budget, catalogue)
        amount = parse_money(self._text(), currency=usual) if self._text() else None
        budget = Budget(money=amount, currency=amount.currency if amount else usual)
        reckoned_in(budget, catalogue)  # raises where prices have another
        today = datetime.now().astimezone().date()
        return ImproveQuestion(
            budget=budget, catalogue=catalogue, drives=load_drive_book(), today=today, flash=shipped_flash()
        )

    def _say(self, text: str) -> None:
        self.told.set_tone(Tone.WARN)
        self.told.setText(text)

    def _show(self, found: PoolImprovements) -> None:
        self.told.set_tone(Tone.TEXT)
        self.told.setText(summary_line(found))
        inner = QWidget(self)
        column = lay.column(of=inner, gap=GRID, around=(0, 0, GRID, 0))
        if found.notes:
            column.addWidget(ToneLabel(" ".join(found.notes), Tone.MUTED, inner, small=True))
        self.rows = []
        self._mend(inner, column)
        self._fill(found, inner, column)
        column.addStretch(1)
        self.list.setWidget(inner)
        inner.setAutoFillBackground(False)

    def _mend(self, inner: QWidget, column: QVBoxLayout) -> None:
        """Show first what is wrong and costs nothing to mend: no disk that is bought comes before that."""
        mends = free_mends(self._audit) if self._audit is not None else ()
        if not mends or self._audit is None:
            return
        column.addWidget(SmallHeading(tell("Wrong, and mended without buying anything"), inner))
        for mend in mends:
            column.addWidget(FindingRow(mend.finding, self._audit, inner, brief=True))

    def _fill(self, found: PoolImprovements, inner: QWidget, column: QVBoxLayout) -> None:
        shown: Urgency | None = None
        for change in found.changes:
            if change.urgency is not shown:
                shown = change.urgency
                column.addWidget(SmallHeading(tell(URGENCY_TITLES[change.urgency]), inner))
            row = ChangeRow(change, inner)
            row.opened.connect(self.opened)
            row.moving.connect(self.moving)
            self.rows.append(row)
            column.addWidget(row)


class ChangeRow(QWidget):
    """One change: what, for how much, what it brings, what to mind, why it is behind the first."""

    opened = Signal(object)
    moving = Signal(object)

    def __init__(self, change: PoolChange, parent: QWidget) -> None:
        super().__init__(parent)
        self.change = change
        icon, tone = _MARKS[change.urgency]
        title = ToneLabel(change.title, Tone.TEXT, self)
        title.setFont(text_font(semibold=change.urgency in (Urgency.FIRST, Urgency.WORTH)))
        texts = lay.column(title, gap=2)
        gains = tell("Brings: {gains}", gains=", ".join(change.gains)) if change.gains else ""
        behind = tell("Behind the first: {why}", why=change.behind) if change.behind else ""
        cost = cost_words(change, tell("Enter one on the page “Buy”."))
        for text, told in (
            (cost, Tone.TEXT), (gains, Tone.TEXT), (change.why, Tone.MUTED),
            (" ".join(change.minds), Tone.MUTED), (change.rewrite, Tone.MUTED), (behind, Tone.MUTED),
        ):  # fmt: skip
            if text:
                texts.addWidget(ToneLabel(text, told, self, small=True))
        mark = Mark(icon, self, tone, icons.SMALL)
        row = lay.row((mark, 0, Qt.AlignmentFlag.AlignTop), (texts, 1), of=self)
        if change.move is not None:
            self.button = lay.button(
                tell("Plan the move"), self, self._on_move, icon="commands",
                tip=tell("Every step with its commands, under “Move”"),
                name=tell("Plan the move: {title}", title=change.title),
            )  # fmt: skip
            row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        elif change.design is not None and change.kind not in ANEW:
            self.button = lay.button(
                tell("Open as design"), self, self._on_open, icon="design",
                tip=tell("The pool after this change; what it takes then stands under “Design”"),
                name=tell("Open as design: {title}", title=change.title),
            )  # fmt: skip
            row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)

    def _on_move(self) -> None:
        self.moving.emit(self.change.move)

    def _on_open(self) -> None:
        self.opened.emit(self.change.design)


def _working(audit: PoolAudit, question: ImproveQuestion) -> Work:
    made = audit.made
    assert made is not None
    return (yield from at_each(improve_in_steps(made, audit.known, question), lambda _: None))


# The findings on one pool: what is wrong, why, what to do, what it brings, and the commands for it to be copied.


class PoolFindings(ScrolledRows):
    """Shows the findings of an audit, the gravest first, then what is not known and what differs from a design."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tell("What was found"), parent)
        self.rows: list[FindingRow] = []
        self._shown: PoolAudit | None = None

    def show_audit(self, audit: PoolAudit) -> None:
        if audit is self._shown:
            return
        self._shown = audit
        inner = QWidget(self)
        column = lay.column(of=inner, gap=2 * GRID, around=(0, 0, GRID, 0))
        self.rows = [FindingRow(finding, audit, inner) for finding in audit.findings]
        for row in self.rows:
            column.addWidget(row)
        if not self.rows:
            column.addWidget(ToneLabel(tell("No rule speaks against this pool."), Tone.OK, inner))
        for finding in audit.unsure:
            column.addWidget(ToneLabel(tell("Not known: {texts}", texts=finding.text), Tone.MUTED, inner, small=True))
        if audit.problem:
            column.addWidget(ToneLabel(audit.problem, Tone.MUTED, inner, small=True))
        column.addStretch(1)
        self.setWidget(inner)
        inner.setAutoFillBackground(False)


class FindingRow(QWidget):
    """One finding with its commands and a button that copies them; ``brief`` without its reasons."""

    def __init__(self, finding: Finding, audit: PoolAudit, parent: QWidget, *, brief: bool = False) -> None:
        super().__init__(parent)
        self.finding = finding
        remedy, gain = remedy_of(finding, audit), audit.gain(finding.rule_id)
        self.commands = remedy.commands
        icon, tone = mark_of(finding)
        mark = Mark(icon, self, tone, icons.SMALL)
        title = ToneLabel(f"{tell(SEVERITIES[finding.severity])}: {finding.text}", tone, self)
        title.setFont(text_font(semibold=finding.severity is not Severity.NOTE))
        texts = lay.column(title, gap=2)
        reasons = (
            tell("Why: {why}", why=finding.why) if finding.why else "",
            tell("Advice: {advice}", advice=finding.advice) if finding.advice else "",
            tell("Gain: {gain}", gain=gain.text) if gain is not None else "",
            remedy.rewrite,
        )
        for text in reasons if not brief else ():
            if text:
                texts.addWidget(ToneLabel(text, Tone.TEXT, self, small=True))
        if remedy.commands:
            texts.addLayout(self._command_row())
        if not brief:
            texts.addWidget(ToneLabel(_source_words(finding), Tone.MUTED, self, small=True))
        lay.row((mark, 0, Qt.AlignmentFlag.AlignTop), (texts, 1), of=self)

    def _command_row(self) -> QHBoxLayout:
        lines = ToneLabel("\n".join(self.commands), Tone.TEXT, self)
        lines.setFont(mono_font())
        lines.setTextFormat(Qt.TextFormat.PlainText)
        lines.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        lines.setAccessibleName(tell("Commands for a person to run"))
        copy = lay.button(
            tell("Copy"),
            self,
            self._on_copy,
            icon="copy",
            name=tell("Copy the commands: {title}", title=self.finding.title),
        )
        return lay.row((lines, 1), (copy, 0, Qt.AlignmentFlag.AlignTop))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self.commands) + "\n")


def _source_words(finding: Finding) -> str:
    rule = tell("Rule {rule} ({basis}).", rule=finding.rule_id, basis=tell(finding.basis))
    sources = "; ".join(dict.fromkeys(f"{tell(s.kind)}: {tell(s.ref)}" for s in finding.sources))
    return tell("{rule} Source: {sources}.", rule=rule, sources=sources) if sources else rule
