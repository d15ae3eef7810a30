"""The tab on support devices: the verdict on each role of the flash drives, its numbers and its devices."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from poolwright.design.roles.advice import apply_roles, judge_roles, setting_of
from poolwright.design.roles.dedup_verdict import judge_deduplication
from poolwright.design.roles.share import criticise, plan_roles
from poolwright.design.roles.verdicts import (
    DEFAULT_INGEST_SECONDS,
    FileSizes,
    PlannedRole,
    RoleAdvice,
    RoleChoices,
    RolePlan,
    SmallBlocks,
    Verdict,
    counted_sizes,
    estimate_words,
    gain_words,
)
from poolwright.design.support import Role, chosen_roles, free_flash
from poolwright.domain.block_counts import BlockCount, DedupCount
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.units import KIB, MIB, binary, drive_size
from poolwright.domain.vdev import VdevKind
from poolwright.emit.disk_words import media_word
from poolwright.emit.report import Bullets, TextTone, Words
from poolwright.machine.zdb import read_block_count, read_dedup_count
from poolwright.predict.number_words import block_text
from poolwright.texts import _
from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import FoldCard
from poolwright.ui.parts.form import ValueSlider
from poolwright.ui.parts.report_view import Link, ReportView, Shown
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ChoiceBox, ToneLabel
from poolwright.ui.state.session import Session

_MOST_CHARACTERS = 4_000_000
_SECONDS = (5, 10, 15, 20, 30, 45, 60)
_OPTION = re.compile(r" \(--[a-z-]+\)")  # that tells it to the command line; here the page Workload does


@dataclass(frozen=True, slots=True, kw_only=True)
class UseOf:
    """What a link does: the roles that the drives have then, and the name of the step."""

    roles: frozenset[Role]
    step: str


class RolesPane(QWidget):
    """Says of each role of flash drives whether it is worth it; adds it or takes it out as a step to undo."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._known: tuple[Design, RoleChoices, frozenset[str], RoleAdvice] | None = None
        self.setAccessibleName(_("Support devices"))
        self.intro = widgets.named(ToneLabel("", Tone.MUTED, self), _("Free flash drives"))
        self.critique = ReportView(_("Objections to the current use"), self, least=0, grows=True)
        self.critique.pressed.connect(self._use)
        self.special = SpecialControls(self)
        self.seconds = ValueSlider(_("Seconds of ingest to hold"), _SECONDS, lambda s: _("{count} s", count=s), self)
        self.seconds.set_value(DEFAULT_INGEST_SECONDS)
        what, hint = _("Output of zdb -S or zdb -DD"), _("Paste what `zdb -S POOL` prints")
        self.dedup = PasteField(what, hint, read_dedup_count, self)
        self.dedup.given.connect(self._on_counted)
        self._counted: DedupCount | None = None
        varied = {Role.SPECIAL: self.special, Role.LOG: self.seconds, Role.DEDUP: self.dedup}
        self.cards = {role: RoleCard(role, varied.get(role), self) for role in Role}
        for card in self.cards.values():
            card.asked.connect(self._use)
        for signal in (self.special.changed, self.seconds.changed):
            signal.connect(self.refresh)
        widgets.column(self.intro, self.critique, *self.cards.values(), 1, of=self)

    def refresh(self) -> None:
        design = self.session.design
        if design is None:
            return
        advice = self._judge(design)
        for card in self.cards.values():
            card.setVisible(advice is not None)
        critique = () if advice is None else tuple(_critique(design, advice))
        self.critique.setVisible(bool(critique))
        self.critique.show_blocks(critique)
        if advice is not None:
            self.special.show_blocks(advice.of(Role.SPECIAL).small_blocks)
            for card in self.cards.values():
                card.show_advice(design, advice)

    def choices(self) -> RoleChoices:
        return self.special.apply(RoleChoices(ingest_seconds=float(self.seconds.value()), dedup=self._counted))

    def _on_counted(self, count: object) -> None:
        self._counted = count if isinstance(count, DedupCount) else None
        self.refresh()

    def _judge(self, design: Design) -> RoleAdvice | None:
        """Return the advice for this design, remembered while nothing changed; None and the reason shown else."""
        choices, ticked = self.choices(), self.session.ticked
        if self._known is not None and self._known[:3] == (design, choices, ticked):
            return self._known[3]
        flash = [disk for disk in free_flash(design, ticked) if disk.key not in design.used_keys()]
        counts = sorted(Counter((disk.size_bytes or 0, media_word(disk) or "") for disk in flash).items())
        drives = ", ".join(f"{n} × {drive_size(size)} {media}".rstrip() for (size, media), n in counts)
        free = _("Free flash drives: {drives}.", drives=drives)
        self.intro.setText(free if flash else _("No flash drive is free: this shows whether one is worth buying."))
        try:
            assumed = self.session.expectations.assumed
            advice = judge_roles(setting_of(design, choices, assumed=assumed, allowed=ticked))
        except PoolwrightError as error:
            self.intro.setText(error.text)
            return None
        self._known = (design, choices, ticked, advice)
        return advice

    def _use(self, use: UseOf) -> None:
        design = self.session.design
        advice = None if design is None else self._judge(design)
        if design is not None and advice is not None:
            self.session.change_design(apply_roles(design, advice, use.roles), use.step)


def _critique(design: Design, advice: RoleAdvice) -> Iterator[Shown]:
    """Yield what speaks against the present use of the drives, with a link to a better one."""
    present = chosen_roles(design)
    for critique in criticise(advice, present):
        better = ", ".join(role_title(role) for role in critique.better)
        use = _("Use as {role} instead", role=better)
        text = use if better else _("Leave out: {role}", role=role_title(critique.role))
        roles = (present - {critique.role}) | frozenset(critique.better)
        title = f"{role_title(critique.role)}: {verdict_word(advice.of(critique.role).verdict)}"
        yield Words(title, TextTone.WARN, strong=True, small=_OPTION.sub("", critique.text))
        yield Link(text=text, of=UseOf(roles=roles, step=_("Use flash drives otherwise")))


class RoleCard(FoldCard):
    """The verdict on a role in a line, with what adds it or takes it out; its reasons and what may be ``varied`` below.

    ``asked`` sends the use that a button stands for.
    """

    asked = Signal(object)

    def __init__(self, role: Role, varied: QWidget | None, parent: QWidget) -> None:
        inner = QWidget(parent)
        self.role = role
        self.reasons = ReportView(role_title(role), inner, least=0, grows=True)
        widgets.column(self.reasons, *([] if varied is None else [varied]), of=inner)
        super().__init__(role_title(role), inner, parent)
        self.reasons.pressed.connect(self.asked)
        widgets.room(inner, around=(5 * GRID, 0, 2 * GRID, GRID))
        self.because = ToneLabel("", Tone.MUTED, self, small=True)
        self.head.setMinimumHeight(5 * GRID)
        widgets.room(self.because, around=(5 * GRID, 0, 2 * GRID, GRID))
        self.body.insertWidget(1, self.because)
        self.add, self.remove = (widgets.button(text, self) for text in (_("Add"), _("Remove")))
        for button in (self.add, self.remove):
            self.head.row.addWidget(button)
            button.clicked.connect(self._on_pressed)
        self._uses: dict[object, UseOf] = {}

    def show_advice(self, design: Design, advice: RoleAdvice) -> None:
        role, title, present = self.role, role_title(self.role), chosen_roles(design)
        judgement, plan, there = advice.of(role), plan_roles(advice, present | {role}), role in present
        reasons = _reasons(design, advice, role, plan)
        self._uses = {
            self.add: UseOf(roles=present | {role}, step=_("Add {role}", role=title)),
            self.remove: UseOf(roles=present - {role}, step=_("Remove {role}", role=title)),
        }
        self.head.show_title(f"{title}: {verdict_word(judgement.verdict)}")
        self.because.setText(reasons[0].text)
        self.head.setAccessibleDescription(reasons[0].text)
        changes = there and apply_roles(design, advice, present) != design
        possible, helps = not there and plan.of(role) is not None, judgement.verdict is not Verdict.DOES_NOT_HELP
        anyway = (Link(text=_("Add anyway"), of=self._uses[self.add]),) if possible and not helps else ()
        blocks = Words(role_purpose(role), TextTone.MUTED), Bullets(items=reasons[1:])
        self.reasons.show_blocks((*blocks, *anyway))
        pressed = self.add.hasFocus() or self.remove.hasFocus()
        self.remove.setVisible(there)
        self.add.setVisible(changes or (possible and helps))
        self.add.setText(_("Update") if there else _("Add"))
        for button in (self.add, self.remove):
            button.setAccessibleName(f"{button.text()} {title}")
        if pressed:  # Qt would give the keyboard to the top of the page
            (self.remove if there else self.add).setFocus()

    def _on_pressed(self) -> None:
        self.asked.emit(self._uses[self.sender()])


def _reasons(design: Design, advice: RoleAdvice, role: Role, plan: RolePlan) -> tuple[Words, ...]:
    """Return all that is to be said of a role, what decides first."""
    judgement, planned, present = advice.of(role), plan.of(role), chosen_roles(design)
    itself = judge_deduplication(advice.setting).because if role is Role.DEDUP else ()
    lost = [role_title(r) for r, __ in plan.refused if r in present and r is not role]
    displaces = _("There is no room for it beside {roles}.", roles=", ".join(lost)) if lost else ""
    size, gain = judgement.size, "" if judgement.gain is None else gain_words(judgement.gain)
    first = gain if judgement.verdict is Verdict.HELPS and not itself else ""
    risks = judgement.risks if planned is not None or role in present else ()
    lines = (
        *(Words(text=text) for text in dict.fromkeys((first, *itself, *judgement.because, gain))),
        Words(text="" if size is None else _("Size wanted: {size}", size=estimate_words(size))),
        Words(text="" if planned is None else _("Devices: {text}", text=devices_text(planned, design.disks))),
        *(Words(text=text, tone=TextTone.WARN) for text in (plan.refusal(role) or "", displaces)),
        *(Words(text=text, tone=TextTone.WARN) for text in (planned.risks if planned is not None else ())),
        *(Words(text=text) for text in (*(planned.notes if planned is not None else ()), *risks)),
    )
    return tuple(line for line in lines if line.text)


# Words of the window for support devices: names, verdicts, devices, numbers.


def role_title(role: Role) -> str:
    return {
        Role.SPECIAL: _("Special"),
        Role.LOG: _("Log (SLOG)"),
        Role.CACHE: _("Cache (L2ARC)"),
        Role.DEDUP: _("Dedup"),
        Role.OWN_POOL: _("Separate pool"),
    }[role]


def verdict_word(verdict: Verdict) -> str:
    return {
        Verdict.HELPS: _("worth it"),
        Verdict.DOES_NOT_HELP: _("not worth it"),
        Verdict.CANNOT_TELL: _("it depends"),
    }[verdict]


def role_purpose(role: Role) -> str:
    return {
        Role.SPECIAL: _("Metadata and small blocks"),
        Role.LOG: _("Synchronous writes, for a few seconds"),
        Role.CACHE: _("Repeated random reads"),
        Role.DEDUP: _("The dedup table"),
        Role.OWN_POOL: _("Whole datasets, in a second pool"),
    }[role]


def devices_text(planned: PlannedRole, disks: Sequence[Disk]) -> str:
    """Return the devices of a role: mirror of 2: A, B; or their partitions."""
    labels = {disk.key: disk.label for disk in disks}
    return "; ".join(_vdev_text(vdev, labels) for vdev in planned.vdevs) + f" ({binary(planned.capacity_bytes)})"


def _vdev_text(vdev: Vdev, labels: dict[str, str]) -> str:
    names = ", ".join(labels[member.disk_key] for member in vdev.members)
    if vdev.kind is VdevKind.MIRROR:
        names = _("mirror of {names}", names=names)
    sizes = {member.slice_bytes for member in vdev.members}
    if sizes == {None}:
        return names
    return _("{names}: a partition of {size} on each", names=names, size=binary(max(found or 0 for found in sizes)))


def limit_text(limit_bytes: int) -> str:
    return block_text(limit_bytes) if limit_bytes else _("off: metadata only")


# What a person may vary on the cards of support devices: working set, small blocks, counts of real data.

LIMITS = (0, 4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, MIB)


class SpecialControls(QWidget):
    """The limit of each dataset, and the sizes of files somebody counted."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.dataset = ChoiceBox(self, _("Dataset of the limit"))
        self.dataset.setMinimumHeight(4 * GRID)
        self.limit = ValueSlider(_("special_small_blocks"), LIMITS, limit_text, self)
        hint = _("Paste what `zdb -Lbbbs POOL` or `find DIRECTORY -type f -printf '%s\\n'` prints")
        self.paste = PasteField(_("Blocks or sizes of existing files"), hint, _read_counts, self)
        widgets.column(widgets.row(self.dataset, (self.limit, 1)), self.paste, of=self, gap=GRID // 2)
        self._chosen: dict[str, int] = {}
        self._proposed: dict[str, int] = {}
        self._counted: FileSizes | BlockCount | None = None
        self.limit.changed.connect(self._on_limit)
        self.dataset.currentIndexChanged.connect(self._show_limit)
        self.paste.given.connect(self._on_counted)

    def show_blocks(self, blocks: tuple[SmallBlocks, ...]) -> None:
        """Show the datasets and the limits in force for them."""
        names = [block.dataset for block in blocks]
        self._proposed = {block.dataset: block.limit_bytes for block in blocks}
        self._chosen = {name: limit for name, limit in self._chosen.items() if name in self._proposed}
        self.dataset.offer(((name or _("root dataset"), name) for name in names), self.dataset.currentData())
        self.setVisible(bool(names))
        self.dataset.setVisible(len(names) > 1)
        self._show_limit()

    def apply(self, choices: RoleChoices) -> RoleChoices:
        counted = self._counted
        return replace(
            choices,
            small_blocks=tuple(sorted(self._chosen.items())),
            files=counted if isinstance(counted, FileSizes) else None,
            blocks=counted if isinstance(counted, BlockCount) else None,
        )

    def _show_limit(self) -> None:
        name = self.dataset.currentData()
        if name is not None:
            with QSignalBlocker(self.limit):
                self.limit.set_value(self._chosen.get(name, self._proposed.get(name, 0)))

    def _on_limit(self) -> None:
        name = self.dataset.currentData()
        if name is not None:
            self._chosen[name] = self.limit.value()
            self.changed.emit()

    def _on_counted(self, counted: object) -> None:
        self._counted = counted if isinstance(counted, FileSizes | BlockCount) else None
        self._chosen.clear()
        self.changed.emit()


def _read_counts(text: str) -> FileSizes | BlockCount:
    if "Block Size Histogram" in text:
        return read_block_count(text)
    sizes = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            if not line.strip().isdigit():
                raise UserError(
                    _("Line {number} is no size of a file", number=number), todo=_("Paste one number of bytes a line.")
                )
            sizes.append(int(line))
    return counted_sizes(
        sizes, Origin(kind=OriginKind.READ, source=_("{count} files that were pasted", count=len(sizes)))
    )


# A place to paste the output of a tool, which is read while it is there.


class PasteField(QWidget):
    """``given`` carries what ``read`` made of the text, None while there is none or it cannot be read."""

    given = Signal(object)

    def __init__(self, name: str, hint: str, read: Callable[[str], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._read = read
        self._value: object = None
        self.text = widgets.named(QPlainTextEdit(self), name)
        self.text.setPlaceholderText(hint.replace("`", ""))
        self.text.setFixedHeight(4 * GRID)
        self.text.setTabChangesFocus(True)
        self.said = widgets.named(ToneLabel("", Tone.MUTED, self, small=True), _("What was read: {name}", name=name))
        self.said.hide()
        widgets.column(self.text, self.said, of=self, gap=GRID // 2)
        self.text.textChanged.connect(self._on_text)

    def _on_text(self) -> None:
        text, problem = self.text.toPlainText(), ""
        value: object = None
        try:
            if len(text) > _MOST_CHARACTERS:
                raise UserError(_("This is too long: paste a part of it."))
            value = self._read(text) if text.strip() else None
        except PoolwrightError as error:
            problem = error.text
        message = _("Read.") if value is not None else problem
        self.said.set_tone(Tone.WARN if problem else Tone.MUTED)
        self.said.setText(message)
        self.said.setVisible(bool(message))
        if value != self._value:
            self._value = value
            self.given.emit(value)
