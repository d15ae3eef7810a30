"""The commands of a design line by line, each line with its reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.domain.action import CreateDataset, CreatePool, Creation, PartitionDisk, SetProperty
from poolwright.domain.design import Design, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.estimate import OriginKind
from poolwright.domain.shown import shown_text
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import VdevClass
from poolwright.emit.commands import INDENT, command
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
    vdevs = action.vdevs if isinstance(action, CreatePool) else ()
    devices = {m.path or "": _of_disk(design.disk(m.disk_key)) for vdev in vdevs for m in vdev.members}
    words = _vdev_reasons(vdevs)
    for number, row in enumerate(rows):
        last = row[-1]
        if number == 0:
            why = action.force if isinstance(action, CreatePool) else None
            forced = _("{what}. With -f, as {why}", what=action.reason, why=why) if why else action.reason
            yield CommandLine(reason=forced)
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
        elif last == (action.pool if isinstance(action, CreatePool) else action.name):
            yield CommandLine(reason=_("Name"))
        else:
            yield CommandLine(reason=next(words, ""))


def _partition_reasons(design: Design, action: PartitionDisk, split: SplitDisk) -> Iterator[CommandLine]:
    yield CommandLine(reason=action.reason)
    for partition in split.partitions:
        size = drive_size(partition.size_bytes)
        yield CommandLine(reason=_("{size} for the pool {pool}", size=size, pool=partition.pool))
    yield _of_disk(design.disk(action.device.disk_key))


def _settings(action: CreatePool | CreateDataset) -> dict[str, Setting]:
    given = action.settings if isinstance(action, CreateDataset) else (*action.pool_settings, *action.root_settings)
    return {f"{s.name}={s.value}": s for s in given}


def _of_setting(setting: Setting, reason: str = "") -> CommandLine:
    return CommandLine(reason=setting.why or reason, rule_id=setting.rule_id)


def _of_disk(disk: Disk) -> CommandLine:
    """Return what disk a name stands for, with the serial number where the name does not hold it."""
    name, origin = disk.by_id_name, disk.origin_of("by_id")
    derived = name is not None and origin is not None and origin.kind is OriginKind.COMPUTED
    number = disk.telling_serial
    serial = _("serial {serial}", serial=number) if number and number not in (name or "") else ""
    state = _("name missing") if name is None else _("name derived") if derived else ""
    parts = (drive_size(disk.size_bytes), "" if name else disk.model, serial, shown_text(disk.place), state)
    return CommandLine(reason=", ".join(part for part in parts if part), unsure=bool(state))


def _vdev_reasons(vdevs: Sequence[Vdev]) -> Iterator[str]:
    """Yield the reasons of the rows that hold a vdev's word or class; bare data disks have no such row."""
    number = 0
    last: VdevClass | None = None
    for vdev in vdevs:
        changed = vdev.vdev_class is not last and vdev.vdev_class is not VdevClass.DATA
        last = vdev.vdev_class
        if vdev.zpool_word is None and not changed:
            continue
        if vdev.vdev_class is VdevClass.DATA:
            number += 1
            count = len(vdev.members)
            yield ngettext(
                "Data vdev {number}: {count} disk", "Data vdev {number}: {count} disks", count, number=numeral(number)
            )
        else:
            yield _(SUPPORT_WORDS[vdev.vdev_class])


SUPPORT_WORDS = {
    VdevClass.SPARE: N_("Take over by themselves when a disk fails"),
    VdevClass.LOG: N_("Keeps synchronous writes until they are in the pool"),
    VdevClass.CACHE: N_("Second level of the read cache; may fail without loss"),
    VdevClass.SPECIAL: N_("Holds metadata; the pool is lost without it"),
    VdevClass.DEDUP: N_("Holds the tables of deduplication; the pool is lost without it"),
}
