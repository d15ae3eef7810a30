"""The tab on support devices: the verdict on each role of the flash drives, its numbers and its devices."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from poolwright.design.roles.advice import apply_roles, judge_roles, setting_of
from poolwright.design.roles.dedup_verdict import judge_deduplication
from poolwright.design.roles.model import (
    DEFAULT_INGEST_SECONDS,
    FileSizes,
    PlannedRole,
    RoleAdvice,
    RoleChoices,
    SmallBlocks,
    Verdict,
    counted_sizes,
    estimate_words,
    gain_words,
)
from poolwright.design.roles.share import criticise, plan_roles
from poolwright.design.support import Role, chosen_roles, free_flash
from poolwright.domain.block_counts import BlockCount, DedupCount
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.units import KIB, MIB, binary, drive_size
from poolwright.domain.vdev import VdevKind
from poolwright.emit.report import Bullets, TextTone, Words, paragraph
from poolwright.machine.zdb import read_block_count
from poolwright.machine.zdb_dedup import read_dedup_count
from poolwright.texts import _
from poolwright.ui.disks.columns import media_word
from poolwright.ui.parts import lay
from poolwright.ui.parts.form import ValueSlider
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.paste_field import PasteField
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
        self.setAccessibleName(_("Support devices"))
        self.intro = lay.named(ToneLabel("", Tone.MUTED, self), _("Free flash drives"))
        self.special = SpecialControls(self)
        self.seconds = ValueSlider(_("Seconds of ingest to hold"), _SECONDS, lambda s: _("{count} s", count=s), self)
        self.seconds.set_value(DEFAULT_INGEST_SECONDS)
        what, hint = _("Output of zdb -S or zdb -DD"), _("The output of: zdb -S POOL")
        self.dedup = PasteField(_("Paste zdb -S"), what, hint, read_dedup_count, self)
        self.dedup.given.connect(self._on_counted)
        self._counted: DedupCount | None = None
        self.roles = ReportView(_("Roles of flash drives"), self)
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
            text = _("Flash drives that are free or support {name}: {drives}.")
            self.intro.setText(text.format(name=design.pool_name, drives=flash_text(flash)))
        else:
            self.intro.setText(_("No flash drive is free: the verdicts say whether to buy some."))
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
        better = ", ".join(role_title(role) for role in critique.better)
        use = _("Use as {role} instead", role=better)
        text = use if better else _("Leave out: {role}", role=role_title(critique.role))
        roles = (present - {critique.role}) | frozenset(critique.better)
        yield paragraph(critique.text, TextTone.WARN)
        yield Link(text=text, of=UseOf(roles=roles, step=_("Use flash drives otherwise")))
    for role in Role:
        yield from _role(design, advice, role, present)


def _role(design: Design, advice: RoleAdvice, role: Role, present: frozenset[Role]) -> Iterator[Shown]:
    judgement, plan, there = advice.of(role), plan_roles(advice, present | {role}), role in present
    title, planned, refusal = role_title(role), plan.of(role), plan.refusal(role) or ""
    itself = judge_deduplication(advice.setting).because if role is Role.DEDUP else ()
    lost = [role_title(r) for r, __ in plan.refused if r in present and r is not role]
    displaces = _("Adding it takes the room of: {roles}.", roles=", ".join(lost)) if lost and not there else ""
    yield subheading(f"{title}: {_(judgement.verdict.value)}")
    yield paragraph(role_purpose(role), TextTone.MUTED)
    size, gain = judgement.size, judgement.gain
    told = (
        *(Words(text=text) for text in dict.fromkeys((*itself, *judgement.because))),
        Words(text="" if size is None else _("Size wanted: {size}", size=estimate_words(size))),
        Words(text="" if gain is None else gain_words(gain), tone=_TONES[judgement.verdict]),
        Words(text="" if planned is None else _("Devices: {text}", text=devices_text(planned, design.disks))),
        *(Words(text=text, tone=TextTone.WARN) for text in (refusal, displaces)),
        *(Words(text=text, tone=TextTone.WARN) for text in (planned.risks if planned is not None else ())),
        *(Words(text=text) for text in (planned.notes if planned is not None else ())),
        *(Words(text=text) for text in (judgement.risks if planned is not None or there else ())),
    )
    yield Bullets(items=tuple(line for line in told if line.text))
    added = UseOf(roles=present | {role}, step=_("Add {role}", role=title))
    if there:
        yield Link(text=_("Remove"), of=UseOf(roles=present - {role}, step=_("Remove {role}", role=title)))
        if apply_roles(design, advice, present) != design:
            yield Link(text=_("Update in design"), of=added)
    elif planned is not None:
        yield Link(text=_("Add to design"), of=added)


_TONES = {Verdict.HELPS: TextTone.OK, Verdict.DOES_NOT_HELP: TextTone.MUTED, Verdict.CANNOT_TELL: TextTone.MUTED}


# Words of the window for support devices: names, verdicts, devices, numbers.


def role_title(role: Role) -> str:
    return {
        Role.SPECIAL: _("Special vdev"),
        Role.LOG: _("Log device (SLOG)"),
        Role.CACHE: _("Cache device (L2ARC)"),
        Role.DEDUP: _("Dedup vdev"),
        Role.OWN_POOL: _("Pool of their own"),
    }[role]


def role_purpose(role: Role) -> str:
    return {
        Role.SPECIAL: _("Metadata and small blocks"),
        Role.LOG: _("Synchronous writes, for some seconds"),
        Role.CACHE: _("Random reads that repeat"),
        Role.DEDUP: _("The dedup table"),
        Role.OWN_POOL: _("Whole datasets, beside the other pool"),
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
    parts = {member.part for member in vdev.members}
    size = binary(max(found or 0 for found in sizes))
    if len(parts) == 1:
        return _("{names}: partition {part} of {size} on each", names=names, part=parts.pop(), size=size)
    return _("{names}: a partition of {size} on each", names=names, size=size)


def flash_text(disks: Sequence[Disk]) -> str:
    """Return the free flash drives in a line: 2 × 250 GB NVMe."""
    counts = Counter((disk.size_bytes or 0, media_word(disk) or "") for disk in disks)
    return ", ".join(f"{n} × {drive_size(size)} {media}".rstrip() for (size, media), n in sorted(counts.items()))


def limit_text(limit_bytes: int) -> str:
    if not limit_bytes:
        return _("off: metadata only")
    return f"{limit_bytes // KIB}K" if limit_bytes < KIB * KIB else f"{limit_bytes // (KIB * KIB)}M"


# What a person may vary on the cards of support devices: working set, small blocks, counts of real data.

LIMITS = (0, 4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, MIB)


class SpecialControls(QWidget):
    """The limit of each dataset, and the sizes of files somebody counted."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.dataset = lay.named(QComboBox(self), _("Dataset of the limit"))
        self.dataset.setMinimumHeight(4 * GRID)
        self.limit = ValueSlider(_("special_small_blocks"), LIMITS, limit_text, self)
        self.paste = PasteField(
            _("Paste zdb -Lbbbs or file sizes"),
            _("Blocks or sizes of existing files"),
            _("The output of zdb -Lbbbs POOL, or of find DIRECTORY -type f -printf '%s\\n'"),
            _read_counts,
            self,
        )
        lay.column(lay.row(self.dataset, (self.limit, 1)), self.paste, of=self, gap=GRID // 2)
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
        if names != [self.dataset.itemData(n) for n in range(self.dataset.count())]:
            with QSignalBlocker(self.dataset):
                self.dataset.clear()
                for name in names:
                    self.dataset.addItem(name or _("root dataset"), name)
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
