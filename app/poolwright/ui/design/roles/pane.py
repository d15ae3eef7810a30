"""The tab on support devices: the verdict on each role of the flash drives, its numbers and its devices."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from poolwright.design.roles.advice import apply_roles, judge_roles, setting_of
from poolwright.design.roles.dedup_verdict import judge_deduplication
from poolwright.design.roles.model import (
    DEFAULT_INGEST_SECONDS,
    RoleAdvice,
    RoleChoices,
    Verdict,
    estimate_words,
    gain_words,
)
from poolwright.design.roles.share import criticise, plan_roles
from poolwright.design.support import Role, chosen_roles, free_flash
from poolwright.domain.block_counts import DedupCount
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.emit.report import Bullets, TextTone, Words, paragraph
from poolwright.machine.zdb_dedup import read_dedup_count
from poolwright.texts import tell
from poolwright.ui.design.roles import words
from poolwright.ui.design.roles.controls import SpecialControls
from poolwright.ui.parts import lay
from poolwright.ui.parts.drop_ground import PasteField
from poolwright.ui.parts.form import ValueSlider
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.report_view import Link, ReportView, Shown, subheading
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.session import Session

_SECONDS = (5, 10, 15, 20, 30, 45, 60)


@dataclass(frozen=True, slots=True, kw_only=True)
class UseOf:
    """What a link does: the roles that the drives have then, and the name of the step."""

    roles: frozenset[Role]
    step: str


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
        self.roles = ReportView(tell("Roles of flash drives"), self)
        self.roles.pressed.connect(self._on_pressed)
        for signal in (self.special.changed, self.seconds.changed):
            signal.connect(self.refresh)
        side = lay.column(self.seconds, self.dedup, 1, gap=GRID // 2)
        lay.column(self.intro, lay.row((self.special, 1), (side, 1), gap=3 * GRID), (self.roles, 1), of=self)

    def refresh(self) -> None:
        design = self.session.design
        advice = None if design is None else self._judge(design)
        for part in (self.roles, self.seconds, self.dedup):
            part.setVisible(advice is not None)
        self.special.show_blocks(() if advice is None else advice.of(Role.SPECIAL).small_blocks)
        if design is not None and advice is not None:
            self.roles.show_blocks(_shown(design, advice))

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

    def _on_pressed(self, use: UseOf) -> None:
        design = self.session.design
        advice = None if design is None else self._judge(design)
        if design is not None and advice is not None:
            self.session.change_design(apply_roles(design, advice, use.roles), use.step)


def _shown(design: Design, advice: RoleAdvice) -> Iterator[Shown]:
    """Yield what speaks against the present use, then each role with its links."""
    present = chosen_roles(design)
    for critique in criticise(advice, present):
        better = ", ".join(words.role_title(role) for role in critique.better)
        use = tell("Use as {role} instead", role=better)
        text = use if better else tell("Leave out: {role}", role=words.role_title(critique.role))
        roles = (present - {critique.role}) | frozenset(critique.better)
        yield paragraph(critique.text, TextTone.WARN)
        yield Link(text=text, of=UseOf(roles=roles, step=tell("Use flash drives otherwise")))
    for role in Role:
        yield from _role(design, advice, role, present)


def _role(design: Design, advice: RoleAdvice, role: Role, present: frozenset[Role]) -> Iterator[Shown]:
    judgement, plan, there = advice.of(role), plan_roles(advice, present | {role}), role in present
    title, planned, refusal = words.role_title(role), plan.of(role), plan.refusal(role) or ""
    itself = judge_deduplication(advice.setting).because if role is Role.DEDUP else ()
    lost = [words.role_title(r) for r, _ in plan.refused if r in present and r is not role]
    displaces = tell("Adding it takes the room of: {roles}.", roles=", ".join(lost)) if lost and not there else ""
    yield subheading(f"{title}: {tell(judgement.verdict.value)}")
    yield paragraph(words.role_purpose(role), TextTone.MUTED)
    size, gain = judgement.size, judgement.gain
    told = (
        *(Words(text=text) for text in dict.fromkeys((*itself, *judgement.because))),
        Words(text="" if size is None else tell("Size wanted: {size}", size=estimate_words(size))),
        Words(text="" if gain is None else gain_words(gain), tone=_TONES[judgement.verdict]),
        Words(text="" if planned is None else tell("Devices: {text}", text=words.devices_text(planned, design.disks))),
        *(Words(text=text, tone=TextTone.WARN) for text in (refusal, displaces)),
        *(Words(text=text, tone=TextTone.WARN) for text in (planned.risks if planned is not None else ())),
        *(Words(text=text) for text in (planned.notes if planned is not None else ())),
        *(Words(text=text) for text in (judgement.risks if planned is not None or there else ())),
    )
    yield Bullets(items=tuple(line for line in told if line.text))
    added = UseOf(roles=present | {role}, step=tell("Add {role}", role=title))
    if there:
        yield Link(text=tell("Remove"), of=UseOf(roles=present - {role}, step=tell("Remove {role}", role=title)))
        if apply_roles(design, advice, present) != design:
            yield Link(text=tell("Update in design"), of=added)
    elif planned is not None:
        yield Link(text=tell("Add to design"), of=added)


_TONES = {Verdict.HELPS: TextTone.OK, Verdict.DOES_NOT_HELP: TextTone.MUTED, Verdict.CANNOT_TELL: TextTone.MUTED}
