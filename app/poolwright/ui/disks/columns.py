"""The columns of the disk table: what each shows, sorts by and writes into CSV. Unknown is None until it is shown."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Any

from poolwright.domain.burn_in import BurnInVerdict
from poolwright.domain.disk import Disk, Health, LbaFormat, Media, NoteLevel, plan_only
from poolwright.domain.rates import rate_text
from poolwright.domain.units import HOURS_PER_YEAR, TB, binary, decimal, drive_size
from poolwright.emit.names import device_problem
from poolwright.texts import N_, _, capital, numeral
from poolwright.ui.parts.theme import Tone

Value = str | int | float | None


class DiskColumn(IntEnum):
    DISK = 0
    MODEL = 1
    SERIAL = 2
    SIZE = 3
    MEDIA = 4
    SECTORS = 5
    PLACE = 6
    HOURS = 7
    TEMPERATURE = 8
    WEAR = 9
    TRANSPORT = 10
    HEALTH = 11
    USE = 12
    SCRIPT = 13


# Shown as far as there is room beside whole names, the first ones first, or when they are asked for.
BY_WORTH = (
    DiskColumn.USE, DiskColumn.SCRIPT, DiskColumn.SIZE, DiskColumn.MEDIA, DiskColumn.HEALTH, DiskColumn.HOURS,
    DiskColumn.SERIAL, DiskColumn.SECTORS, DiskColumn.PLACE, DiskColumn.TEMPERATURE, DiskColumn.WEAR,
    DiskColumn.TRANSPORT, DiskColumn.MODEL,
)  # fmt: skip
DECIDE = (DiskColumn.USE, DiskColumn.SCRIPT)  # whether it can be designed with, and whether a script can name it
HEALTH_MARKS: dict[Health | None, tuple[str, Tone]] = {
    Health.GOOD: ("ok", Tone.OK), Health.SUSPECT: ("warn", Tone.WARN), Health.FAILING: ("block", Tone.BLOCK),
    None: ("unknown", Tone.UNKNOWN),
}  # fmt: skip
_HEALTH_ORDER: dict[Health | None, int] = {Health.GOOD: 0, Health.SUSPECT: 1, Health.FAILING: 2}
_LARGEST_SECTOR = 1 << 32


def text(disk: Disk, column: DiskColumn) -> str:
    if (written := COLUMNS[column].text) is not None:
        return written(disk)
    known = COLUMNS[column].value(disk)
    if known is None:
        return not_applicable(disk, column) or unknown()
    return numeral(known) if isinstance(known, float) else str(known)


def csv_value(disk: Disk, column: DiskColumn) -> str:
    known = (COLUMNS[column].plain or COLUMNS[column].value)(disk)
    return "" if known is None else str(known)


def tooltip(disk: Disk, column: DiskColumn) -> str:
    known = COLUMNS[column]
    lines = [text(disk, column) if known.tip is None else known.tip(disk)]
    origin = disk.origin_of(known.field) if known.field else None
    if origin is not None:
        lines.append(_("From: {origin}", origin=origin))
    return "\n".join(lines)


def title(disks: Sequence[Disk], shown: Sequence[Disk]) -> str:
    """Return a line of the table in words: 44 × 6 TB ST6000NM0034; of a group, how many of it are ``shown``."""
    first = disks[0]
    if len(disks) == 1:
        return ", ".join(filter(None, (called(first), first.model)))
    count = str(len(disks)) if len(shown) == len(disks) else _("{count} of {all}", count=len(shown), all=len(disks))
    return " ".join(filter(None, (count, "×", drive_size(first.size_bytes), first.model)))


def short_name(disk: Disk) -> str:
    """Return the name for tables that show model and serial beside it: sda rather than ata-MODEL_SERIAL.

    Where the machine gave no such name, the serial says which disk it is in less room.
    """
    if disk.path:
        return disk.path.rpartition("/")[2]
    return disk.label if disk.planned else (disk.serial or disk.label)


def called(disk: Disk) -> str:
    """Return how a disk is called in its row; planned ones of one model are told apart by their keys."""
    return disk.key if disk.planned and not (disk.by_id or disk.path or disk.serial) else short_name(disk)


def not_applicable(disk: Disk, column: DiskColumn) -> str:
    """Return a dash where a disk of this kind has no such value: no wear on hard disks."""
    if column is DiskColumn.WEAR and disk.media is Media.HDD:
        return "–"
    if disk.planned and column in {DiskColumn.SERIAL, DiskColumn.HOURS, DiskColumn.TEMPERATURE, DiskColumn.WEAR}:
        return "–"
    return ""


def unknown() -> str:
    return _("unknown")


def size_in_tb(size_bytes: int | None) -> str:
    if size_bytes is None:
        return unknown()
    return numeral(size_bytes / TB, ".5f" if 0 < size_bytes < TB / 100 else ".2f")


def health_word(health: Health | None) -> str:
    if health is None:
        return unknown()
    return {Health.GOOD: _("good"), Health.SUSPECT: _("suspect"), Health.FAILING: _("failing")}[health]


def media_word(disk: Disk) -> str | None:
    if disk.media is None:
        return None
    speed = f" {disk.rotation_rpm}" if disk.rotation_rpm else ""
    return f"{disk.media.words}{speed}{', SMR' if disk.smr else ''}"


def use_text(disk: Disk) -> str:
    word = disk.burn_in.word if disk.burn_in is not None else ""
    return "; ".join(filter(None, (*disk.refusals(), word))) or _("yes")


def burn_in_mark(disk: Disk) -> tuple[str, Tone]:
    """Return the icon and the colour of a burn-in's verdict."""
    marks = {BurnInVerdict.GO: ("ok", Tone.OK), BurnInVerdict.WATCH: ("warn", Tone.WARN)}
    marks[BurnInVerdict.NO_GO] = ("block", Tone.BLOCK)
    verdict = disk.burn_in.verdict if disk.burn_in is not None else BurnInVerdict.GO
    return marks[verdict] if verdict is not None else ("unknown", Tone.UNKNOWN)


def script_text(disk: Disk) -> str:
    if disk.planned:
        return plan_only((disk,), short=True)
    if device_problem(disk) is None:
        return _("yes") if use_is_known(disk) else _("in use? not read")
    return _("no") if disk.by_id_name is not None else _("by-id name missing")


def use_is_known(disk: Disk) -> bool:
    """Tell whether somebody looked what uses the disk, or something is known to use it."""
    return disk.use_known or bool(disk.uses)


def sectors_text(disk: Disk) -> str:
    logical, physical = disk.logical_sector_bytes, disk.physical_sector_bytes
    if logical is None and physical is None:
        return unknown()
    both = f"{logical if logical is not None else '?'}/{physical if physical is not None else '?'}"
    return _SECTOR_WORDS.get(both, both)


_SECTOR_WORDS = {"512/512": "512n", "512/4096": "512e", "4096/4096": "4Kn"}  # as makers write it


def _sector_order(disk: Disk) -> Value:
    logical, physical = disk.logical_sector_bytes, disk.physical_sector_bytes
    if physical is None:
        return None
    return physical * _LARGEST_SECTOR + (logical or 0)


def _age(disk: Disk) -> float | None:
    return None if disk.power_on_hours is None else round(disk.power_on_hours / HOURS_PER_YEAR, 1)


def _against(disk: Disk, nothing: str = "") -> Iterator[str]:
    """Yield why it cannot be designed with, else ``nothing``, and what its burn-in said."""
    yield from filter(None, ("; ".join(disk.refusals()) or nothing, disk.burn_in.text if disk.burn_in else ""))


def _script_tip(disk: Disk) -> str:
    unread = "" if use_is_known(disk) else _("The script refuses it where it is not empty.")
    return plan_only((disk,)) or device_problem(disk) or unread or script_text(disk)


@dataclass(frozen=True, slots=True)
class _Known:
    """A column: its heading, what it means and sorts by, and the field of Disk behind it, for its origin.

    ``text`` is what is not written as it is sorted, ``plain`` what stands in CSV in place of what it sorts by.
    """

    title: str
    meaning: str
    value: Callable[[Disk], Value]
    field: str = ""
    number: bool = False
    text: Callable[[Disk], str] | None = None
    plain: Callable[[Disk], Value] | None = None
    tip: Callable[[Disk], str] | None = None


COLUMNS = {
    DiskColumn.DISK: _Known(
        N_("Disk"), "", called, plain=lambda d: d.label,
        tip=lambda d: "\n".join((*dict.fromkeys((d.label, *d.by_id)), *all_facts(d))),
    ),
    DiskColumn.SIZE: _Known(
        N_("Size, TB"), "", lambda d: d.size_bytes, "size_bytes", True, lambda d: size_in_tb(d.size_bytes)
    ),
    DiskColumn.MODEL: _Known(N_("Model"), "", lambda d: d.model, "model"),
    DiskColumn.SERIAL: _Known(N_("Serial"), "", lambda d: d.serial, "serial"),
    DiskColumn.MEDIA: _Known(N_("Media"), "", media_word, "media"),
    DiskColumn.TRANSPORT: _Known(N_("Link"), "", lambda d: d.transport, "transport"),
    DiskColumn.SECTORS: _Known(
        N_("Sectors"), N_("512e: 512 bytes logical, 4096 physical; ashift 12"), _sector_order, "physical_sector_bytes",
        True, sectors_text, lambda d: "/".join(str(b or "") for b in (d.logical_sector_bytes, d.physical_sector_bytes)),
    ),
    DiskColumn.HEALTH: _Known(
        N_("Health"), N_("SMART's verdict, and ours on its counters"), lambda d: _HEALTH_ORDER.get(d.health), "health",
        text=lambda d: health_word(d.health), plain=lambda d: d.health and d.health.value,
    ),
    DiskColumn.HOURS: _Known(N_("Age, years"), N_("By its power-on hours"), _age, "power_on_hours", True),
    DiskColumn.TEMPERATURE: _Known(
        N_("Temp., °C"), "", lambda d: d.temperature_celsius, "temperature_celsius", True
    ),
    DiskColumn.WEAR: _Known(N_("Wear, %"), "", lambda d: d.wear_percent, "wear_percent", True),
    DiskColumn.PLACE: _Known(
        N_("Bay"), N_("Shelf and bay, else the connector or SCSI address"), lambda d: d.place or None, "slot"
    ),
    DiskColumn.USE: _Known(
        N_("Design"), N_("Whether it can be designed with, or why not"),
        lambda d: "" if use_text(d) == _("yes") else use_text(d), text=use_text,
        plain=lambda d: "; ".join(_against(d)), tip=lambda d: "\n".join(_against(d, _("yes"))),
    ),
    DiskColumn.SCRIPT: _Known(
        N_("Script"), N_("Whether a script can name it"), script_text, plain=lambda d: device_problem(d) or "",
        tip=_script_tip,
    ),
}  # fmt: skip


# Everything known of a disk, for its tip.

_SECTOR, _LARGE_SECTOR = 512, 4096


def all_facts(disk: Disk) -> Iterator[str]:
    """Yield what to heed of a disk, what its sectors mean for ashift, then each known fact with where it is from."""
    yield from (_("Cannot be ticked: {why}", why=why) for why in disk.refusals())
    yield from filter(None, (plan_only((disk,)), _sectors(disk)))
    yield from (note.text for note in sorted(disk.notes, key=lambda note: note.level is not NoteLevel.WARN))
    for field, name, written in _FACTS:
        known = getattr(disk, field)
        if known not in (None, (), ""):
            told = {True: _("yes"), False: _("no")}[known] if isinstance(known, bool) else written(known)
            origin = disk.origin_of(field)
            yield f"{capital(_(name))}: {told}" + (f" ({origin})" if origin is not None else "")


def _sectors(disk: Disk) -> str:
    """Return what the sector sizes mean for ashift; nothing where they are plainly 4096."""
    logical, physical = disk.logical_sector_bytes, disk.physical_sector_bytes
    if physical is None:
        return _("The physical sector size cannot be told. ashift 12 is safe for 512 and 4096 bytes alike.")
    if logical == _SECTOR and physical == _LARGE_SECTOR:
        return _("512e: addressed in sectors of 512 bytes, written in sectors of 4096. ashift 12 fits, 9 is slow.")
    if logical == _SECTOR and physical == _SECTOR and disk.media is Media.HDD:
        return _("512n: true 512-byte sectors. ashift 12 still lets a disk of 4096-byte sectors replace it.")
    return ""


def _format(offered: LbaFormat) -> str:
    metadata = f" + {offered.metadata_bytes}" if offered.metadata_bytes else ""
    told = f"{offered.data_bytes}{metadata} B"
    return _("{format} (now)", format=told) if offered.current else told


_FACTS: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("size_bytes", N_("Size"), lambda size: f"{decimal(size)} = {binary(size)} ({numeral(size)} B)"),
    ("model", N_("Model"), str),
    ("vendor", N_("Vendor"), str),
    ("serial", N_("Serial"), str),
    ("firmware", N_("Firmware"), str),
    ("wwn", N_("World-wide name"), str),
    ("path", N_("Device"), str),
    ("media", N_("Media"), lambda media: media.words),
    ("rotation_rpm", N_("Rotation"), partial(numeral, unit="rpm")),
    ("smr", N_("Shingled (SMR)"), str),
    ("transport", N_("Link"), str),
    ("power_loss_protection", N_("power-loss protection"), str),
    ("read_bytes_per_second", N_("Reads, measured"), rate_text),
    ("write_bytes_per_second", N_("Writes, measured"), rate_text),
    ("logical_sector_bytes", N_("Logical sector"), partial(numeral, unit="B")),
    ("physical_sector_bytes", N_("Physical sector"), partial(numeral, unit="B")),
    ("lba_formats", N_("LBA formats"), lambda formats: ", ".join(map(_format, formats))),
    ("health", N_("Health"), health_word),
    ("power_on_hours", N_("Powered on"), partial(numeral, unit="h")),
    ("temperature_celsius", N_("Temperature"), "{} °C".format),
    ("wear_percent", N_("Wear"), "{} %".format),
    ("media_errors", N_("Media errors"), numeral),
    ("burn_in", N_("Burn-in"), lambda burn_in: burn_in.text),
    ("controller", N_("controller"), str),
    ("enclosure", N_("enclosure"), str),
    ("bay", N_("Bay"), str),
)


_WORDS = re.compile(r"\d+|\D+")  # \d is what `str.isdecimal` says


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCell:
    """What a group shows in a column: the value its disks share, or that they differ."""

    text: str
    shared: bool


def group_cell(disks: tuple[Disk, ...], column: DiskColumn) -> GroupCell:
    if column is DiskColumn.USE:
        used = sum(1 for disk in disks if disk.refusals())
        if not used and len({disk.burn_in.word if disk.burn_in else "" for disk in disks}) == 1:
            return GroupCell(text=use_text(disks[0]), shared=True)
        if not used:
            return GroupCell(text=_("burn-in: {verdict}", verdict=_verdicts(disks)), shared=False)
        return GroupCell(text=_("{count:,} of {all:,} not", count=used, all=len(disks)), shared=False)
    if column is DiskColumn.SERIAL:
        return GroupCell(text="", shared=False)
    # One disk stands for all whose texts cannot differ: there may be thousands.
    # A text depends on these too, where the value is unknown.
    alike = {(COLUMNS[column].value(d), d.media, d.planned, d.logical_sector_bytes): d for d in disks}
    texts = {text(disk, column) for disk in alike.values()}
    if len(texts) == 1:
        return GroupCell(text=texts.pop(), shared=True)
    if COLUMNS[column].number and column is not DiskColumn.SECTORS:
        known = [v for disk in disks if isinstance(v := COLUMNS[column].value(disk), int | float)]
        if known and len(known) == len(disks):
            if column is DiskColumn.SIZE:
                least, most = (size_in_tb(int(size)) for size in (min(known), max(known)))
                return GroupCell(text=f"{least}–{most}", shared=False)
            return GroupCell(text=f"{numeral(min(known))}–{numeral(max(known))}", shared=False)
    return GroupCell(text=_("various"), shared=False)


def _verdicts(disks: Sequence[Disk]) -> str:
    """Return how many got which verdict, the worst first; those that are a go only where no others are."""
    found = Counter(disk.burn_in.verdict for disk in disks if disk.burn_in is not None)
    worst = (BurnInVerdict.NO_GO, BurnInVerdict.WATCH, None, BurnInVerdict.GO)
    told = [f"{found[each]} {_(each.value) if each else unknown()}" for each in worst if found[each]]
    return ", ".join(told[:-1] if len(told) > 1 and found[BurnInVerdict.GO] else told)


def natural(shown: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts texts as people do: sda2 before sda10, without regard to case."""
    return tuple([_part(word) for word in _WORDS.findall(shown.casefold())])


def _part(word: str) -> tuple[int, int, str]:
    return (0, int(word), "") if word.isdecimal() else (1, 0, word)
