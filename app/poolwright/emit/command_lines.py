"""The commands of a design line by line, each line with its reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from poolwright.domain.action import CreateDataset, CreatePool, Creation, PartitionDisk, SetProperty
from poolwright.domain.design import Design, Member, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.estimate import OriginKind
from poolwright.domain.shown import shown_text
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import VdevClass
from poolwright.emit.commands import INDENT, command, created, written_path
from poolwright.emit.names import BY_ID, quote
from poolwright.emit.partitions import SplitDisk, split_disks
from poolwright.texts import N_, _, ngettext, numeral

_KIB_ASHIFT = 10


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
    if not design.ashift_read:
        texts.append(_("The ashift of the pool was not read: look with `zdb -C`."))
    largest = max(known, default=0)
    if largest == block:
        texts.append(_("The disks’ largest sectors are of this size."))
    elif largest > block:
        texts.append(_("The disks’ sectors have {size} bytes: writing is slow.", size=numeral(largest)))
    elif largest:
        texts.append(_("The sectors have {size} bytes; larger ones can follow.", size=numeral(largest)))
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
            _partition_reasons(design, action, splits[action.device.disk_key])
            if isinstance(action, PartitionDisk)
            else _reasons(design, action)
        )
        for number, (row, reason) in enumerate(zip(rows, reasons, strict=True)):
            text = " ".join(quote(word.removeprefix(BY_ID)) for word in row)
            front = INDENT if number else ""
            end = " \\" if number < len(rows) - 1 else ""
            lines.append(replace(reason, text=f"{front}{text}{end}", head=number == 0))
    return tuple(lines)


def _reasons(design: Design, action: CreatePool | CreateDataset | SetProperty) -> Iterator[CommandLine]:
    numbers = count(1)
    for __, about in created(action, written_path):
        match about:
            case Setting():
                beside = action.reason if isinstance(action, SetProperty) else ""
                yield CommandLine(reason=about.why or beside, rule_id=about.rule_id)
            case Member():
                yield _of_disk(design.disk(about.disk_key))
            case Vdev(vdev_class=VdevClass.DATA):
                number, width = numeral(next(numbers)), len(about.members)
                reason = ngettext(
                    "Data vdev {number}: {count} disk", "Data vdev {number}: {count} disks", width, number=number
                )
                yield CommandLine(reason=reason)
            case Vdev():
                yield CommandLine(reason=_(SUPPORT_WORDS[about.vdev_class]))
            case "ashift" if isinstance(action, CreatePool):
                yield CommandLine(reason=ashift_reason(design, action.ashift), irreversible=True)
            case "":
                why = action.force if isinstance(action, CreatePool) else None
                forced = _("{what}. With -f, as {why}", what=action.reason, why=why) if why else action.reason
                yield CommandLine(reason=forced)
            case _:
                yield CommandLine(reason=_(_PLAIN_ROWS[about]))


def _partition_reasons(design: Design, action: PartitionDisk, split: SplitDisk) -> Iterator[CommandLine]:
    yield CommandLine(reason=action.reason)
    for partition in split.partitions:
        size = drive_size(partition.size_bytes)
        yield CommandLine(reason=_("{size} for the pool {pool}", size=size, pool=partition.pool))
    yield _of_disk(design.disk(action.device.disk_key))


_PLAIN_ROWS = {
    "mountpoint": N_("Where the root dataset is mounted"), "size": N_("The size of the volume in bytes"),
    "name": N_("Name"),
}  # fmt: skip


def _of_disk(disk: Disk) -> CommandLine:
    """Return what disk a name stands for, with the serial number where the name does not hold it."""
    name, origin = disk.by_id_name, disk.origin_of("by_id")
    derived = name is not None and origin is not None and origin.kind is OriginKind.COMPUTED
    number = disk.telling_serial
    serial = _("serial {serial}", serial=number) if number and number not in (name or "") else ""
    state = _("name missing") if name is None else _("name derived") if derived else ""
    parts = (drive_size(disk.size_bytes), "" if name else disk.model, serial, shown_text(disk.place), state)
    return CommandLine(reason=", ".join(part for part in parts if part), unsure=bool(state))


SUPPORT_WORDS = {
    VdevClass.SPARE: N_("Take over by themselves when a disk fails"),
    VdevClass.LOG: N_("Keeps synchronous writes until they are in the pool"),
    VdevClass.CACHE: N_("Second level of the read cache; may fail without loss"),
    VdevClass.SPECIAL: N_("Holds metadata; the pool is lost without it"),
    VdevClass.DEDUP: N_("Holds the tables of deduplication; the pool is lost without it"),
}
