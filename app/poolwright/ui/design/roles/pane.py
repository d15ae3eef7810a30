"""The tab on support devices: for each role of the flash drives a card with its verdict, numbers and devices."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from poolwright.design.roles.advice import apply_roles, chosen_roles, free_flash, judge_roles, setting_of
from poolwright.design.roles.dedup_verdict import judge_deduplication
from poolwright.design.roles.model import PlannedRole, Role, RoleAdvice, RoleChoices, RoleJudgement, Verdict
from poolwright.design.roles.share import Critique, criticise, plan_roles
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.steps import Estimate
from poolwright.texts import tell
from poolwright.ui.design.roles import words
from poolwright.ui.design.roles.controls import CacheControls, DedupControls, LogControls, SpecialControls
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.card import Card
from poolwright.ui.parts.estimate_line import EstimateLine
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import Heading, ScrolledRows, ToneLabel
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.theme import GRID, Tone, text_font
from poolwright.ui.state.session import Session

# The card of one role, and what speaks against the present use of the drives, with a button for the better one.

_REASONS = 2
_BESIDE_FROM = 80 * GRID


@dataclass(frozen=True, slots=True, kw_only=True)
class CardState:
    """What a card shows.

    ``planned`` are the devices if the role is (or were) in the design; ``refusal`` says why they cannot carry it,
    ``displaces`` what else the design would lose. ``present`` tells that it is in the design, ``stale`` that it would
    be made differently now.
    """

    judgement: RoleJudgement
    planned: PlannedRole | None
    disks: Sequence[Disk]
    present: bool
    stale: bool = False
    refusal: str = ""
    displaces: str = ""


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
        self.size_line = EstimateLine(tell("Size wanted"), words.size_text, self, told=True)
        self.gain_line = EstimateLine(tell("Expected"), self._amount, self, told=True)
        self.devices = ToneLabel("", Tone.TEXT, self, small=True)
        self.devices.setAccessibleName(self._called(tell("Devices")))
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
        self._state: CardState | None = None

    def add_controls(self, controls: QWidget) -> None:
        self._numbers.insertWidget(self._numbers.count() - 1, controls)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the numbers beside the reasons where there is room."""
        super().resizeEvent(event)
        wide = event.size().width() >= _BESIDE_FROM
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._sides.direction() != direction:
            self._sides.setDirection(direction)

    def show_state(self, state: CardState) -> None:
        self._state = state
        judgement = state.judgement
        name, tone = words.VERDICT_LOOKS[judgement.verdict]
        self._mark.show_mark(name, tone)
        self.verdict.set_tone(tone if tone is not Tone.UNKNOWN else Tone.TEXT)
        self.verdict.setText(words.verdict_text(judgement.verdict))
        self.verdict.setAccessibleName(f"{words.role_title(self.role)}: {words.verdict_text(judgement.verdict)}")
        self.badge.setVisible(state.present)
        self.reasons.show_lines([Line(text=text, tone=self._tone(judgement)) for text in judgement.because])
        self._show_numbers(judgement)
        self._show_devices(state)
        self._show_buttons(state)

    def _show_numbers(self, judgement: RoleJudgement) -> None:
        size, gain = judgement.size, judgement.gain
        self.size_line.setVisible(size is not None)
        if size is not None:
            self.size_line.show_estimate(size, size.high)
        self.gain_line.setVisible(gain is not None)
        if gain is None:
            return
        most = max(gain.after.high, gain.before.high)
        without = tell("without it {value}", value=self._amount(gain.before.typical))
        told = f"{gain.what} · {without} · {self._band(gain.after)}"
        self.gain_line.show_estimate(gain.after, most, without, before=gain.before, told=told)

    def _show_devices(self, state: CardState) -> None:
        lines = [Line(text=text, tone=Tone.WARN) for text in (state.refusal, state.displaces) if text]
        planned = state.planned
        if planned is not None:
            self.devices.setText(tell("Devices: {text}", text=words.devices_text(planned, state.disks)))
            lines += [Line(text=text, tone=Tone.WARN) for text in planned.risks]
            lines += [Line(text=text) for text in planned.notes]
        self.devices.setVisible(planned is not None)
        if planned is not None or state.present:
            lines += [Line(text=text) for text in state.judgement.risks]
        self.risks.show_lines(lines)

    def _show_buttons(self, state: CardState) -> None:
        self.add.setText(tell("Update in design") if state.present else tell("Add to design"))
        self.add.setAccessibleName(self._called(self.add.text()))
        self.add.setVisible(state.stale or not state.present)
        self.add.setEnabled(state.planned is not None)
        self.add.setToolTip(state.refusal)
        self.remove.setVisible(state.present)

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
        gain = self._state.judgement.gain if self._state is not None else None
        return "" if gain is None else words.amount_text(gain, value)

    def _band(self, estimate: Estimate) -> str:
        low, high = self._amount(estimate.low), self._amount(estimate.high)
        return tell("{low} to {high}", low=low, high=high)

    @staticmethod
    def _tone(judgement: RoleJudgement) -> Tone:
        return Tone.UNKNOWN if judgement.verdict is Verdict.CANNOT_TELL else Tone.NOTE

    def _on_add(self) -> None:
        self.wanted.emit(self.role.value)

    def _on_remove(self) -> None:
        self.unwanted.emit(self.role.value)


def wraps(lines: NoteLines) -> None:
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    lines.setSizePolicy(policy)


class CritiqueRows(QWidget):
    """A line for each critique. ``accepted`` carries the role that is criticised when its button is pressed."""

    accepted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = lay.column(of=self)
        self._shown: tuple[Critique, ...] = ()
        self._rows: list[_Row] = []
        self.hide()

    def show_critiques(self, critiques: Sequence[Critique]) -> None:
        self._shown = tuple(critiques)
        while len(self._rows) < len(self._shown):
            row = _Row(self)
            row.button.clicked.connect(self._on_pressed)
            self._rows.append(row)
            self._column.addWidget(row)
        for number, row in enumerate(self._rows):
            row.setVisible(number < len(self._shown))
            if number < len(self._shown):
                row.show_critique(self._shown[number])
        self.setVisible(bool(self._shown))

    def _on_pressed(self) -> None:
        sender = self.sender()
        for row, critique in zip(self._rows, self._shown, strict=False):
            if row.button is sender:
                self.accepted.emit(critique.role.value)
                return


class _Row(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.lines = NoteLines(tell("Against the present use"), self, most=1)
        wraps(self.lines)
        self.button = QPushButton(self)
        icons.give(self.button, "refresh")
        lay.row((self.lines, 1), (self.button, 0, Qt.AlignmentFlag.AlignTop), of=self, gap=2 * GRID)

    def show_critique(self, critique: Critique) -> None:
        self.lines.show_lines((Line(text=critique.text, tone=Tone.WARN),))
        if critique.better:
            better = ", ".join(words.role_title(role) for role in critique.better)
            text = tell("Use as {role} instead", role=better)
        else:
            text = tell("Leave them out")
        self.button.setText(text)
        self.button.setAccessibleName(f"{text}: {words.role_title(critique.role)}")


_TWO_COLUMNS_FROM = 140 * GRID


class RolesPane(QWidget):
    """Shows what the flash drives of the design are worth, and adds or takes out a role as a step to undo."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._known: tuple[Design, RoleChoices, frozenset[str], RoleAdvice] | None = None
        self.setAccessibleName(tell("Support devices"))
        self.intro = ToneLabel("", Tone.MUTED, self)
        self.intro.setAccessibleName(tell("Free flash drives"))
        self.special, self.log = SpecialControls(self), LogControls(self)
        self.cache, self.dedup = CacheControls(self), DedupControls(self)
        self._inside = QWidget(self)
        self.critique = CritiqueRows(self._inside)
        self.critique.accepted.connect(self._on_accepted)
        self._grid = lay.grid(gap=2 * GRID)
        lay.column(self.critique, self._grid, 1, of=self._inside, around=(0, 0, GRID, GRID))
        self.cards = {role: RoleCard(role, self._inside) for role in Role}
        self._columns = 0
        controls = (
            (Role.SPECIAL, self.special),
            (Role.LOG, self.log),
            (Role.CACHE, self.cache),
            (Role.DEDUP, self.dedup),
        )
        for role, control in controls:
            self.cards[role].add_controls(control)
            control.changed.connect(self.refresh)
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
        self.cache.show_working_set(design.workload.working_set_bytes)
        present = chosen_roles(design)
        self.critique.show_critiques(criticise(advice, present))
        for role, card in self.cards.items():
            card.show_state(self._state(design, advice, role, present))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the cards side by side where there is room."""
        super().resizeEvent(event)
        self._arrange(2 if event.size().width() >= _TWO_COLUMNS_FROM else 1)

    def choices(self) -> RoleChoices:
        chosen = RoleChoices()
        for control in (self.special, self.log, self.cache, self.dedup):
            chosen = control.apply(chosen)
        return chosen

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

    def _state(self, design: Design, advice: RoleAdvice, role: Role, present: frozenset[Role]) -> CardState:
        wanted = present | {role}
        plan = plan_roles(advice, wanted)
        lost = [words.role_title(r) for r, _ in plan.refused if r in present and r is not role]
        displaces = ""
        if lost and role not in present:
            displaces = tell("Adding it takes the room of: {roles}.", roles=", ".join(lost))
        judgement = advice.of(role)
        if role is Role.DEDUP:
            itself = judge_deduplication(advice.setting).because
            judgement = replace(judgement, because=tuple(dict.fromkeys((*itself, *judgement.because))))
        return CardState(
            judgement=judgement,
            planned=plan.of(role),
            disks=design.disks,
            present=role in present,
            stale=role in present and apply_roles(design, advice, present) != design,
            refusal=plan.refusal(role) or "",
            displaces=displaces,
        )

    def _on_wanted(self, value: str) -> None:
        self._change(Role(value), add=True)

    def _on_unwanted(self, value: str) -> None:
        self._change(Role(value), add=False)

    def _on_accepted(self, value: str) -> None:
        role = Role(value)
        design = self.session.design
        advice = None if design is None else self._judge(design)
        if design is None or advice is None:
            return
        present = chosen_roles(design)
        better = next((c.better for c in criticise(advice, present) if c.role is role), ())
        made = apply_roles(design, advice, (present - {role}) | frozenset(better))
        self.session.change_design(made, tell("Use flash drives otherwise"))

    def _change(self, role: Role, *, add: bool) -> None:
        design = self.session.design
        advice = None if design is None else self._judge(design)
        if design is None or advice is None:
            return
        present = chosen_roles(design)
        text = tell("Add {role}") if add else tell("Remove {role}")
        made = apply_roles(design, advice, present | {role} if add else present - {role})
        self.session.change_design(made, text.format(role=words.role_title(role)))

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for number, card in enumerate(self.cards.values()):
            self._grid.addWidget(card, number // columns, number % columns)
        for column in range(2):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
