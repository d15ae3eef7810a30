"""The tab on support devices: for each role of the flash drives a card with its verdict, numbers and devices."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QWidget

from poolwright.design.roles.advice import apply_roles, judge_roles, setting_of
from poolwright.design.roles.dedup_verdict import judge_deduplication
from poolwright.design.roles.model import (
    DEFAULT_INGEST_SECONDS,
    Gain,
    PlannedRole,
    RoleAdvice,
    RoleChoices,
    RoleJudgement,
    Verdict,
)
from poolwright.design.roles.model import size as size_text
from poolwright.design.roles.share import Critique, criticise, plan_roles
from poolwright.design.support import Role, chosen_roles, free_flash
from poolwright.domain.block_counts import DedupCount
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.machine.zdb_dedup import read_dedup_count
from poolwright.texts import tell
from poolwright.ui.design.roles import words
from poolwright.ui.design.roles.controls import SpecialControls
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.drop_ground import PasteField
from poolwright.ui.parts.estimate_line import EstimateLine
from poolwright.ui.parts.form import ValueSlider
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import Heading, ScrolledRows, ToneLabel
from poolwright.ui.parts.note_lines import Line, Message, NoteLines, Notice
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.state.session import Session

# The card of one role, and what speaks against the present use of the drives, with a button for the better one.

_REASONS = 2
_BESIDE_FROM = 80 * GRID
_SECONDS = (5, 10, 15, 20, 30, 45, 60)


class RoleCard(Card):
    """``wanted`` carries the role to add or update, ``unwanted`` the one to take out."""

    wanted = Signal(str)
    unwanted = Signal(str)

    def __init__(self, role: Role, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.role = role
        self.setAccessibleName(words.role_title(role))
        self.body.addLayout(self._make_head())
        self.reasons = NoteLines(self._called(tell("Reasons")), self, most=_REASONS)
        self.size_line = EstimateLine(tell("Size wanted"), size_text, self, told=True)
        self.gain_line = EstimateLine(tell("Expected"), self._amount, self, told=True)
        self.devices = lay.named(ToneLabel("", Tone.TEXT, self, small=True), self._called(tell("Devices")))
        self.risks = NoteLines(self._called(tell("Risks")), self, most=_REASONS, small=True)
        for lines in (self.reasons, self.risks):
            wraps(lines)
        self._sides = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        lay.room(self._sides, gap=2 * GRID)
        self._sides.addLayout(lay.column(self.reasons, self.devices, self.risks, 1), 3)
        self._numbers = lay.column(self.size_line, self.gain_line, 1)
        self._sides.addLayout(self._numbers, 2)
        self.body.addLayout(self._sides)
        self.body.addStretch(1)
        self.body.addLayout(self._make_buttons())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._gain: Gain | None = None

    def add_controls(self, controls: QWidget) -> None:
        self._numbers.insertWidget(self._numbers.count() - 1, controls)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the numbers beside the reasons where there is room."""
        super().resizeEvent(event)
        wide = event.size().width() >= _BESIDE_FROM
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._sides.direction() != direction:
            self._sides.setDirection(direction)

    def show_judgement(self, judgement: RoleJudgement) -> None:
        name, tone = words.VERDICT_LOOKS[judgement.verdict]
        self._mark.show_mark(name, tone)
        self.verdict.set_tone(tone if tone is not Tone.UNKNOWN else Tone.TEXT)
        self.verdict.setText(words.verdict_text(judgement.verdict))
        self.verdict.setAccessibleName(f"{words.role_title(self.role)}: {words.verdict_text(judgement.verdict)}")
        reason = Tone.UNKNOWN if judgement.verdict is Verdict.CANNOT_TELL else Tone.NOTE
        self.reasons.show_lines([Line(text=text, tone=reason) for text in judgement.because])
        size, gain = judgement.size, judgement.gain
        self.size_line.setVisible(size is not None)
        if size is not None:
            self.size_line.show_estimate(size, size.high)
        self._gain = gain
        self.gain_line.setVisible(gain is not None)
        if gain is None:
            return
        after = gain.after
        without = tell("without it {value}", value=self._amount(gain.before.typical))
        band = tell("{low} to {high}", low=self._amount(after.low), high=self._amount(after.high))
        told = f"{gain.what} · {without} · {band}"
        self.gain_line.show_estimate(after, max(after.high, gain.before.high), without, before=gain.before, told=told)

    def show_devices(
        self, planned: PlannedRole | None, disks: Sequence[Disk], heeded: Sequence[str], risks: Sequence[str]
    ) -> None:
        """Show the devices if the role is (or were) in the design, and what is to be heeded of them."""
        self.devices.setVisible(planned is not None)
        if planned is not None:
            self.devices.setText(tell("Devices: {text}", text=words.devices_text(planned, disks)))
        warned = (*heeded, *(planned.risks if planned is not None else ()))
        lines = [Line(text=text, tone=Tone.WARN) for text in warned]
        lines += [Line(text=text) for text in (*(planned.notes if planned is not None else ()), *risks)]
        self.risks.show_lines(lines)

    def offer(self, *, present: bool, stale: bool, possible: bool, refusal: str) -> None:
        """Offer to add the role, or, where it is ``present``, to take it out, or to make it anew where it is stale."""
        self.badge.setVisible(present)
        self.add.setText(tell("Update in design") if present else tell("Add to design"))
        self.add.setAccessibleName(self._called(self.add.text()))
        self.add.setVisible(stale or not present)
        self.add.setEnabled(possible)
        self.add.setToolTip(refusal)
        self.remove.setVisible(present)

    def _make_head(self) -> QHBoxLayout:
        self._mark = Mark("unknown", self, Tone.UNKNOWN, icons.SMALL)
        self.verdict = ToneLabel("", Tone.TEXT, self)
        self.verdict.setFont(text_font(semibold=True))
        self.verdict.setWordWrap(False)
        self.badge = ToneLabel(tell("In the design"), Tone.ACCENT, self, small=True)
        self.badge.setWordWrap(False)
        return lay.row(Heading(words.role_title(self.role), self), 1, self.badge, self._mark, self.verdict)

    def _make_buttons(self) -> QHBoxLayout:
        self.add = lay.button("", self, self._on_add, icon="add")
        self.remove = lay.button(
            tell("Remove"), self, self._on_remove, icon="delete", name=self._called(tell("Remove"))
        )
        purpose = ToneLabel(words.role_purpose(self.role), Tone.MUTED, self, small=True)
        return lay.row((purpose, 1, Qt.AlignmentFlag.AlignVCenter), self.remove, self.add)

    def _called(self, text: str) -> str:
        return f"{text}: {words.role_title(self.role)}"

    def _amount(self, value: float) -> str:
        return "" if self._gain is None else words.amount_text(self._gain, value)

    def _on_add(self) -> None:
        self.wanted.emit(self.role.value)

    def _on_remove(self) -> None:
        self.unwanted.emit(self.role.value)


def wraps(lines: NoteLines) -> None:
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    lines.setSizePolicy(policy)


class CritiqueRows(QWidget):
    """A notice for each critique. ``accepted`` carries the role that is criticised when its button is pressed."""

    accepted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._column = lay.column(of=self)
        self._notices: list[Notice] = []
        self.hide()

    def show_critiques(self, critiques: Sequence[Critique]) -> None:
        while len(self._notices) < len(critiques):
            notice = Notice(tell("Against the present use"), self)
            notice.pressed.connect(self.accepted)
            self._notices.append(notice)
            self._column.addWidget(notice)
        for notice in self._notices[len(critiques) :]:
            notice.hide()
        for notice, critique in zip(self._notices, critiques, strict=False):
            better = ", ".join(words.role_title(role) for role in critique.better)
            use = tell("Use as {role} instead", role=better)
            text = use if better else tell("Leave out: {role}", role=words.role_title(critique.role))
            notice.say(
                Message(title=critique.text, tone=Tone.WARN, offers=((text, critique.role.value),), framed=False)
            )
        self.setVisible(bool(critiques))


_TWO_COLUMNS_FROM = 140 * GRID


class RolesPane(QWidget):
    """Shows what the flash drives of the design are worth, and adds or takes out a role as a step to undo."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._known: tuple[Design, RoleChoices, frozenset[str], RoleAdvice] | None = None
        self.setAccessibleName(tell("Support devices"))
        self.intro = lay.named(ToneLabel("", Tone.MUTED, self), tell("Free flash drives"))
        self.special = SpecialControls(self)
        self.seconds = ValueSlider(tell("Seconds of ingest to hold"), _SECONDS, words.seconds_text, self)
        self.seconds.set_value(DEFAULT_INGEST_SECONDS)
        what, hint = tell("Output of zdb -S or zdb -DD"), tell("The output of: zdb -S POOL")
        self.dedup = PasteField(tell("Paste zdb -S"), what, hint, read_dedup_count, self)
        self.dedup.given.connect(self._on_counted)
        self._counted: DedupCount | None = None
        self._inside = QWidget(self)
        self.critique = CritiqueRows(self._inside)
        self.critique.accepted.connect(self._on_accepted)
        self._grid = lay.grid(gap=2 * GRID)
        lay.column(self.critique, self._grid, 1, of=self._inside, around=(0, 0, GRID, GRID))
        self.cards = {role: RoleCard(role, self._inside) for role in Role}
        self._columns = 0
        for role, control in ((Role.SPECIAL, self.special), (Role.LOG, self.seconds), (Role.DEDUP, self.dedup)):
            self.cards[role].add_controls(control)
        for signal in (self.special.changed, self.seconds.changed):
            signal.connect(self.refresh)
        for card in self.cards.values():
            card.wanted.connect(self._on_wanted)
            card.unwanted.connect(self._on_unwanted)
        area = ScrolledRows(tell("Roles of flash drives"), self)
        area.setWidget(self._inside)
        self._inside.setAutoFillBackground(False)
        lay.column(self.intro, (area, 1), of=self)
        self._area = area
        self._arrange(1)

    def refresh(self) -> None:
        design = self.session.design
        advice = None if design is None else self._judge(design)
        self._area.setVisible(advice is not None)
        if design is None or advice is None:
            return
        self.special.show_blocks(advice.of(Role.SPECIAL).small_blocks)
        present = chosen_roles(design)
        self.critique.show_critiques(criticise(advice, present))
        for role in self.cards:
            self._show_card(design, advice, role, present)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the cards side by side where there is room."""
        super().resizeEvent(event)
        self._arrange(2 if event.size().width() >= _TWO_COLUMNS_FROM else 1)

    def choices(self) -> RoleChoices:
        chosen = RoleChoices(ingest_seconds=float(self.seconds.value()), dedup=self._counted)
        return self.special.apply(chosen)

    def _on_counted(self, count: object) -> None:
        self._counted = count if isinstance(count, DedupCount) else None
        self.refresh()

    def _judge(self, design: Design) -> RoleAdvice | None:
        """Return the advice for this design, remembered while nothing changed; None and the reason shown else."""
        choices, ticked = self.choices(), self.session.ticked
        if self._known is not None and self._known[:3] == (design, choices, ticked):
            return self._known[3]
        flash = free_flash(design, ticked)
        if flash:
            text = tell("Flash drives that are free or support {name}: {drives}.")
            self.intro.setText(text.format(name=design.pool_name, drives=words.flash_text(flash)))
        else:
            self.intro.setText(tell("No flash drive is free: the verdicts say whether to buy some."))
        try:
            assumed = self.session.expectations.assumed
            advice = judge_roles(setting_of(design, choices, assumed=assumed, allowed=ticked))
        except PoolwrightError as error:
            self.intro.setText(error.text)
            return None
        self._known = (design, choices, ticked, advice)
        return advice

    def _show_card(self, design: Design, advice: RoleAdvice, role: Role, present: frozenset[Role]) -> None:
        card, plan, judgement = self.cards[role], plan_roles(advice, present | {role}), advice.of(role)
        if role is Role.DEDUP:
            itself = judge_deduplication(advice.setting).because
            judgement = replace(judgement, because=tuple(dict.fromkeys((*itself, *judgement.because))))
        card.show_judgement(judgement)
        lost = [words.role_title(r) for r, _ in plan.refused if r in present and r is not role]
        displaced = lost and role not in present
        displaces = tell("Adding it takes the room of: {roles}.", roles=", ".join(lost)) if displaced else ""
        planned, refusal, there = plan.of(role), plan.refusal(role) or "", role in present
        risks = judgement.risks if planned is not None or there else ()
        card.show_devices(planned, design.disks, [text for text in (refusal, displaces) if text], risks)
        stale = there and apply_roles(design, advice, present) != design
        card.offer(present=there, stale=stale, possible=planned is not None, refusal=refusal)

    def _on_wanted(self, value: str) -> None:
        self._change(Role(value), add=True)

    def _on_unwanted(self, value: str) -> None:
        self._change(Role(value), add=False)

    def _on_accepted(self, value: str) -> None:
        role, advice = Role(value), self._advice()
        if advice is not None:
            present = chosen_roles(advice[0])
            better = next((c.better for c in criticise(advice[1], present) if c.role is role), ())
            made = apply_roles(*advice, (present - {role}) | frozenset(better))
            self.session.change_design(made, tell("Use flash drives otherwise"))

    def _change(self, role: Role, *, add: bool) -> None:
        advice = self._advice()
        if advice is not None:
            present = chosen_roles(advice[0])
            text = tell("Add {role}") if add else tell("Remove {role}")
            made = apply_roles(*advice, present | {role} if add else present - {role})
            self.session.change_design(made, text.format(role=words.role_title(role)))

    def _advice(self) -> tuple[Design, RoleAdvice] | None:
        design = self.session.design
        advice = None if design is None else self._judge(design)
        return None if design is None or advice is None else (design, advice)

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for number, card in enumerate(self.cards.values()):
            self._grid.addWidget(card, number // columns, number % columns)
        for column in range(2):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
