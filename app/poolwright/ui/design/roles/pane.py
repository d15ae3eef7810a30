"""The tab on support devices: for each role of the flash drives a card with its verdict, numbers and devices."""

from dataclasses import replace

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from poolwright.design.roles.advice import apply_roles, chosen_roles, free_flash, judge_roles, setting_of
from poolwright.design.roles.critique import criticise
from poolwright.design.roles.dedup_verdict import judge_deduplication
from poolwright.design.roles.model import Role, RoleAdvice, RoleChoices
from poolwright.design.roles.share import plan_roles
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.texts import tell
from poolwright.ui.design.roles import words
from poolwright.ui.design.roles.card import CardState, CritiqueRows, RoleCard
from poolwright.ui.design.roles.controls import CacheControls, DedupControls, LogControls, SpecialControls
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.scrolled_rows import ScrolledRows
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.session import Session

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
