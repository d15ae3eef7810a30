"""The commands of a design line by line, each line with its reason."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt

from poolwright.domain.action import CreateDataset, CreatePool, Creation, Group, PartitionDisk, SetProperty
from poolwright.domain.design import Design, HostAdvice, Setting
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.estimate import OriginKind
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import VdevClass
from poolwright.emit.commands import INDENT, command
from poolwright.emit.names import BY_ID, device_problem, quote
from poolwright.emit.partitions import SplitDisk, split_disks
from poolwright.emit.report import Code, TextTone, paragraph
from poolwright.texts import N_, _, first_of, ngettext
from poolwright.ui.disks.columns import short_name
from poolwright.ui.parts.estimate_line import sentence
from poolwright.ui.parts.note_lines import Message
from poolwright.ui.parts.report_view import Link, Shown
from poolwright.ui.parts.table import Index, RowModel, TableColumn
from poolwright.ui.parts.theme import SMALL_POINTS, Tone, mono_font, text_font, theme

_KIB_ASHIFT = 10
_MONO_POINTS = 9.0  # names of disks are long, and should be read whole


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """One line: shell text, why it is there, the rule that proposed it, whether it cannot be undone or is ``unsure``,
    the name of a disk that nobody read.
    """

    text: str = ""
    reason: str = ""
    rule_id: str | None = None
    irreversible: bool = False
    unsure: bool = False
    head: bool = False


def block_words(ashift: int) -> str:
    return f"{1 << ashift} B" if ashift < _KIB_ASHIFT else f"{1 << ashift - _KIB_ASHIFT} KiB"


def ashift_reason(design: Design, ashift: int) -> str:
    used = [design.disk(key) for key in sorted(design.used_keys())]
    known = [max(d.physical_sector_bytes or 0, d.logical_sector_bytes or 0) for d in used]
    unknown = sum(1 for size in known if not size)
    block = 1 << ashift
    texts = [_("Cannot be changed later: blocks of {size}.", size=block_words(ashift))]
    largest = max(known, default=0)
    if largest == block:
        texts.append(_("The disks’ largest sectors are of this size."))
    elif largest > block:
        texts.append(_("The disks’ sectors have {size} bytes: writing is slow.", size=f"{largest:,}"))
    elif largest:
        texts.append(_("The sectors have {size} bytes; larger ones can follow.", size=f"{largest:,}"))
    if unknown:
        texts.append(
            ngettext(
                "The sector size of {count} disk is unknown; this is safe.",
                "The sector size of {count} disks is unknown; this is safe.",
                unknown,
            )
        )
    return " ".join(texts)


def command_lines(design: Design, actions: Sequence[Creation]) -> tuple[CommandLine, ...]:
    lines: list[CommandLine] = []
    splits = {split.disk_key: split for split in split_disks(design)} if actions else {}
    for action in actions:
        rows = command(action).rows
        reasons = list(
            _partition_reasons(design, action, splits[action.device.disk])
            if isinstance(action, PartitionDisk)
            else _reasons(design, action, rows)
        )
        for number, (row, reason) in enumerate(zip(rows, reasons, strict=True)):
            text = " ".join(quote(word.removeprefix(BY_ID)) for word in row)
            front = INDENT if number else ""
            end = " \\" if number < len(rows) - 1 else ""
            lines.append(replace(reason, text=f"{front}{text}{end}", head=number == 0))
    return tuple(lines)


def _reasons(
    design: Design, action: CreatePool | CreateDataset | SetProperty, rows: tuple[tuple[str, ...], ...]
) -> Iterator[CommandLine]:
    if isinstance(action, SetProperty):
        yield _of_setting(action.setting, action.reason)
        return
    settings = _settings(action)
    groups = action.groups if isinstance(action, CreatePool) else ()
    devices = {d.path or "": _of_disk(design.disk(d.disk)) for group in groups for d in group.devices}
    words = _vdev_reasons(groups)
    for number, row in enumerate(rows):
        last = row[-1]
        if number == 0:
            yield CommandLine(reason=action.reason)
        elif row[0] in ("-o", "-O"):
            if last.startswith("ashift="):
                ashift = action.ashift if isinstance(action, CreatePool) else design.ashift
                yield CommandLine(reason=ashift_reason(design, ashift), irreversible=True)
            else:
                yield _of_setting(settings[last]) if last in settings else CommandLine()
        elif row[0] == "-m":
            yield CommandLine(reason=_("Where the root dataset is mounted"))
        elif row[0] == "-V":
            yield CommandLine(reason=_("The size of the volume in bytes"))
        elif last in devices:
            yield devices[last]
        elif last == _name(action):
            yield CommandLine(reason=_("The name"))
        else:
            yield CommandLine(reason=next(words, ""))


def _partition_reasons(design: Design, action: PartitionDisk, split: SplitDisk) -> Iterator[CommandLine]:
    yield CommandLine(reason=action.reason)
    for partition in split.partitions:
        size = drive_size(partition.size_bytes)
        yield CommandLine(reason=_("{size} for the pool {pool}", size=size, pool=partition.pool))
    yield _of_disk(design.disk(action.device.disk))


def _name(action: CreatePool | CreateDataset) -> str:
    return action.pool if isinstance(action, CreatePool) else action.name


def _settings(action: CreatePool | CreateDataset) -> dict[str, Setting]:
    given = action.settings if isinstance(action, CreateDataset) else (*action.pool_settings, *action.root_settings)
    return {f"{s.name}={s.value}": s for s in given}


def _of_setting(setting: Setting, reason: str = "") -> CommandLine:
    return CommandLine(reason=setting.reason or reason, rule_id=setting.rule_id)


def _of_disk(disk: Disk) -> CommandLine:
    """Return what a name stands for; the serial number is told where the name does not hold it."""
    name, origin = disk.by_id_name, disk.origin_of("by_id")
    derived = name is not None and origin is not None and origin.kind is OriginKind.COMPUTED
    serial = _("serial {serial}", serial=disk.serial) if disk.serial and disk.serial not in (name or "") else ""
    state = _("name missing") if name is None else _("name derived") if derived else ""
    parts = (drive_size(disk.size_bytes), "" if name else disk.model, serial, state)
    return CommandLine(reason=", ".join(part for part in parts if part), unsure=bool(state))


def _vdev_reasons(groups: Sequence[Group]) -> Iterator[str]:
    """Return what the word rows say: one row a vdev with a word, or a class before bare disks."""
    number = 0
    before: VdevClass | None = None
    for vdev in groups:
        changed = vdev.vdev_class is not before and vdev.vdev_class is not VdevClass.DATA
        before = vdev.vdev_class
        if vdev.word is None and not changed:
            continue
        if vdev.vdev_class is VdevClass.DATA:
            number += 1
            count = len(vdev.devices)
            yield ngettext(
                "Data vdev {number}: {count} disk", "Data vdev {number}: {count} disks", count, number=f"{number:,}"
            )
        else:
            yield _(_SUPPORT_WORDS[vdev.vdev_class])


_SUPPORT_WORDS = {
    VdevClass.SPARE: N_("Take over by themselves when a disk fails"),
    VdevClass.LOG: N_("Keeps synchronous writes until they are in the pool"),
    VdevClass.CACHE: N_("Second level of the read cache; may fail without loss"),
    VdevClass.SPECIAL: N_("Holds metadata; the pool is lost without it"),
    VdevClass.DEDUP: N_("Holds the tables of deduplication; the pool is lost without it"),
}


_AT_ONCE = 150  # lines taken in at once: each is wrapped and measured, and thousands of disks make thousands of lines


class CommandTable(RowModel[CommandLine]):
    """Command lines in two columns, the line and why; a view that nears its end asks for more of them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(self._made_columns(), parent)
        self._lines: tuple[CommandLine, ...] = ()
        # Made once: a table with wrapped lines asks for the font of every line whenever it is laid out.
        self._head, self._command = mono_font(_MONO_POINTS), mono_font(_MONO_POINTS)
        self._head.setBold(True)
        self._reason, self._grave = text_font(SMALL_POINTS), text_font(SMALL_POINTS, semibold=True)

    def show_lines(self, lines: Sequence[CommandLine]) -> None:
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            self.show_rows(self._lines[:_AT_ONCE])

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and self.rowCount() < len(self._lines)

    def fetchMore(self, parent: Index) -> None:
        """Take the next lines in; a view asks for them as soon as its end is in sight."""
        if self.canFetchMore(parent):
            shown = self.rowCount()
            self.add_rows(self._lines[shown : shown + _AT_ONCE])

    def _made_columns(self) -> tuple[TableColumn[CommandLine], ...]:
        return (
            TableColumn(
                title=_("Command"),
                text=lambda line: line.text,
                tip=lambda line: line.text.strip(" \\"),
                look=self._look_of_command,
            ),
            TableColumn(title=_("Why"), text=_reason, tip=_why, look=self._look_of_reason),
        )

    def _look_of_command(self, line: CommandLine, role: int) -> object:
        if role == Qt.ItemDataRole.FontRole:
            return self._head if line.head else self._command
        return _look(line, role, Tone.TEXT)

    def _look_of_reason(self, line: CommandLine, role: int) -> object:
        if role == Qt.ItemDataRole.FontRole:
            return self._grave if line.irreversible else self._reason
        return _look(line, role, Tone.MUTED)


def _look(line: CommandLine, role: int, usual: Tone) -> object:
    if role == Qt.ItemDataRole.TextAlignmentRole:
        return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
    if role == Qt.ItemDataRole.BackgroundRole:
        return theme().colour(Tone.SELECTION) if line.unsure else None
    return theme().colour(Tone.TEXT if line.irreversible else usual) if role == Qt.ItemDataRole.ForegroundRole else None


def _reason(line: CommandLine) -> str:
    return f"{line.reason[:1].upper()}{line.reason[1:]}"


def _why(line: CommandLine) -> str:
    return f"{line.reason} [{line.rule_id}]" if line.rule_id else line.reason


# Advice for the machine around the pool, piece by piece: what, the command to copy, why, and where it is from.


def advice_blocks(advice: Sequence[HostAdvice]) -> Iterator[Shown]:
    """Yield the advice; a link is of the rule that is asked “Why?”."""
    words = {"setting": _("Setting"), "timer": _("At intervals"), "command": _("Command"), "note": _("Note")}
    yield paragraph(_("Once the pool exists. The script runs none of it."), TextTone.MUTED)
    for item in advice:
        sources = "; ".join(map(str, item.sources))
        small = (sentence(item.reason), item.why, _("From: {sources}.", sources=sources) if sources else "")
        title = f"{words.get(item.kind, item.kind)}: {item.title}"
        yield paragraph(title, strong=True, small=" ".join(part for part in small if part))
        if item.command:
            yield Code(text=item.command)
        if item.content:
            yield paragraph(_("In {file}:", file=item.file))
            yield Code(text=item.content)
        if item.rule_id:
            yield Link(text=_("Why?"), of=item.rule_id)


# What there is to say about the script: why there is none, that it was saved and how to use it.

_MOST_REASONS = 3
# What is sent for copying the line that checks, and for binding disks; everything else is the name of a page.
COPY, BIND = "copy", "bind"


def no_design() -> Message:
    offers = ((_("Choose a layout"), "recommendation"),)
    return Message(title=_("No design yet: choose a layout first."), offers=offers, bold=True)


def derived() -> Message:
    return Message(title=_("Disk names are derived from serial numbers: the script checks them."))


def refused(error: PoolwrightError, disks: Iterable[Disk]) -> Message:
    """Return why no script can be written of a design with these disks, and what to do: bind them to real ones."""
    there = tuple(disks)
    planned = any(disk.planned for disk in there)
    listed = [disk for disk in there if disk.by_id or disk.origin_of("by_id") is None]  # of others it was looked
    unnamed = {device_problem(disk) or "": short_name(disk) for disk in listed if disk.by_id_name is None}
    why = error.reasons if isinstance(error, Refusal) else (error.text,)
    others = [f"• {reason}" for reason in why if not reason.startswith(tuple(unnamed))]
    title, todo = _("No script can be written for this design yet."), error.todo or ""
    if planned:
        title, todo, others = _("This is a plan: a script needs real disks."), "", []
    elif unnamed:
        title, todo = _("Without a name: {disks}.", disks=first_of(sorted(unnamed.values()))), ""
    return Message(
        title=title,
        tone=Tone.NOTE if planned or (unnamed and not others) else Tone.BLOCK,
        reasons=first_of(others, _MOST_REASONS, between="\n") if others else "",
        todo=todo,
        offers=((_("Bind disks…"), BIND),) if planned or unnamed else ((_("Choose disks"), "disks"),),
        bold=True,
    )


def saved_to(path: Path) -> Message:
    return Message(
        title=_("Saved to {path}", path=path),
        tone=Tone.OK,
        reasons=f"sudo bash {shlex.quote(path.name)} --check",  # for machines
        todo=_("Run this on the machine first: it checks every disk and changes nothing."),
        offers=((_("Copy this line"), COPY),),
        bold=True,
        command=True,
    )
