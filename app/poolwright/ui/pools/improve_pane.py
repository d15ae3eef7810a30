"""What to add, replace or rebuild in the pool, with so much to spend: the ranked changes, to be opened as designs."""

from dataclasses import replace
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from poolwright.catalogue_library import shipped_flash
from poolwright.changes.audit import PoolAudit
from poolwright.changes.improve.improve import ImproveQuestion, improve_in_steps
from poolwright.changes.improve.values import PoolChange, PoolImprovements, Urgency
from poolwright.design.reckoning import reckoned_in
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.money_text import money_typed, parse_money
from poolwright.domain.workload import Budget
from poolwright.drive_library import load_drive_book
from poolwright.emit.remedies import remedy_of
from poolwright.emit.report_audit import SEVERITIES
from poolwright.emit.report_pool import ANEW, URGENCY_TITLES, cost_words, free_mends, summary_line
from poolwright.jobs.job import Asking, SlicedJob
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.finding_rows import mark_of
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.row_list import Item, ListRow, RowButton, RowList, copying
from poolwright.ui.parts.theme import GRID, Tone
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
_MOVE = "move"  # what the button sends that plans a move


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
        self._asking = Asking(session.jobs, self)
        self._asking.answered.connect(self._show)
        self._asking.failed.connect(self._say)
        label = QLabel(tell("To spend"), self)
        self.money = lay.named(QLineEdit(self), tell("What there is to spend"))
        self.money.setPlaceholderText(tell("such as 2000 USD"))
        self.money.setFixedWidth(_MONEY_WIDTH)
        if session.budget.money is not None:
            self.money.setText(money_typed(session.budget.money))
        label.setBuddy(self.money)
        self._go = lay.button(tell("Work out"), self, self.work_out, icon="refresh")
        self.money.returnPressed.connect(self.work_out)
        self.told = ToneLabel("", Tone.TEXT, self)
        self.list = RowList(tell("What could be done"), self)
        self.list.pressed.connect(self._on_pressed)
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
        steps = improve_in_steps(audit.made, audit.known, question)
        self._asking.ask(SlicedJob(tell("Looking for what helps the pool"), "improve", steps, self))

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
        items: list[Item] = [(" ".join(found.notes), Tone.MUTED)]
        mends = free_mends(self._audit) if self._audit is not None else ()
        if mends and self._audit is not None:  # no disk that is bought comes before what costs nothing
            items.append(tell("Wrong, and mended without buying anything"))
            items += [finding_row(mend.finding, self._audit, brief=True) for mend in mends]
        for urgency, changes in groupby(found.changes, attrgetter("urgency")):
            items += [tell(URGENCY_TITLES[urgency]), *map(change_row, changes)]
        self.list.show_items(items)

    def _on_pressed(self, key: str, of: object) -> None:
        if isinstance(of, PoolChange) and key == _MOVE:
            self.moving.emit(of.move)
        elif isinstance(of, PoolChange):
            self.opened.emit(of.design)


def change_row(change: PoolChange) -> ListRow:
    """Return one change: what, for how much, what it brings, what to mind, why it is behind the first."""
    icon, tone = _MARKS[change.urgency]
    offers: tuple[RowButton, ...] = ()
    if change.move is not None:
        offers = (RowButton(text=tell("Plan the move"), key=_MOVE, icon="commands"),)
    elif change.design is not None and change.kind not in ANEW:
        tip = tell("The pool after this change, and what it takes")
        offers = (RowButton(text=tell("Open as design"), key="", icon="design", tip=tip),)
    return ListRow(
        title=change.title,
        icon=icon,
        tone=tone,
        bold=change.urgency in (Urgency.FIRST, Urgency.WORTH),
        texts=(
            (cost_words(change, tell("Enter one on the page “Buy”.")), Tone.TEXT),
            (tell("Brings: {gains}", gains=", ".join(change.gains)) if change.gains else "", Tone.TEXT),
            (change.why, Tone.MUTED),
            (" ".join(change.minds), Tone.MUTED),
            (change.rewrite, Tone.MUTED),
            (tell("Behind the first: {why}", why=change.behind) if change.behind else "", Tone.MUTED),
        ),
        offers=tuple(replace(offer, name=f"{offer.text}: {change.title}") for offer in offers),
        of=change,
    )


# The findings on one pool: what is wrong, why, what to do, what it brings, and the commands for it to be copied.


def audit_items(audit: PoolAudit) -> tuple[Item, ...]:
    """Return the findings of an audit, the gravest first, then what is not known."""
    well = tell("No rule speaks against this pool.")
    return (
        *(finding_row(finding, audit) for finding in audit.findings),
        ("" if audit.findings else well, Tone.OK),
        *((tell("Not known: {texts}", texts=finding.text), Tone.MUTED) for finding in audit.unsure),
        (audit.problem, Tone.MUTED),
    )


def finding_row(finding: Finding, audit: PoolAudit, *, brief: bool = False) -> ListRow:
    """Return a finding with its commands; ``brief`` without its reasons."""
    remedy, gain = remedy_of(finding, audit), audit.gain(finding.rule_id)
    icon, tone = mark_of(finding)
    reasons = (
        tell("Why: {why}", why=finding.why) if finding.why else "",
        tell("Advice: {advice}", advice=finding.advice) if finding.advice else "",
        tell("Gain: {gain}", gain=gain.text) if gain is not None else "",
        remedy.rewrite,
    )
    commands = "\n".join(remedy.commands)
    return ListRow(
        title=f"{tell(SEVERITIES[finding.severity])}: {finding.text}",
        icon=icon,
        tone=tone,
        title_tone=tone,
        bold=finding.severity is not Severity.NOTE,
        texts=(
            *((text, Tone.TEXT) for text in reasons if not brief),
            (commands, None),
            ("" if brief else _source_words(finding), Tone.MUTED),
        ),
        offers=(copying(finding.title),) if commands else (),
        of=finding,
    )


def _source_words(finding: Finding) -> str:
    rule = tell("Rule {rule} ({basis}).", rule=finding.rule_id, basis=tell(finding.basis))
    sources = "; ".join(dict.fromkeys(f"{tell(s.kind)}: {tell(s.ref)}" for s in finding.sources))
    return tell("{rule} Source: {sources}.", rule=rule, sources=sources) if sources else rule
