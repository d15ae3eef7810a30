"""The columns of the disk table: what each shows, sorts by and writes into CSV. Unknown is None until it is shown."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from poolwright.domain.burn_in import BurnInVerdict
from poolwright.domain.disk import Disk, Health, Media, plan_only
from poolwright.domain.units import HOURS_PER_YEAR, drive_size
from poolwright.emit.disk_words import (
    all_facts,
    called,
    health_word,
    media_word,
    script_text,
    sectors_text,
    size_in_tb,
    unknown,
    use_is_known,
    use_text,
)
from poolwright.emit.names import device_problem
from poolwright.texts import N_, _, numeral
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


def not_applicable(disk: Disk, column: DiskColumn) -> str:
    """Return a dash where a disk of this kind has no such value: no wear on hard disks."""
    if column is DiskColumn.WEAR and disk.media is Media.HDD:
        return "–"
    if disk.planned and column in {DiskColumn.SERIAL, DiskColumn.HOURS, DiskColumn.TEMPERATURE, DiskColumn.WEAR}:
        return "–"
    return ""


def burn_in_mark(disk: Disk) -> tuple[str, Tone]:
    """Return the icon and the colour of a burn-in's verdict."""
    marks = {BurnInVerdict.GO: ("ok", Tone.OK), BurnInVerdict.WATCH: ("warn", Tone.WARN)}
    marks[BurnInVerdict.NO_GO] = ("block", Tone.BLOCK)
    verdict = disk.burn_in.verdict if disk.burn_in is not None else BurnInVerdict.GO
    return marks[verdict] if verdict is not None else ("unknown", Tone.UNKNOWN)


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
    counts = [f"{found[each]} {_(each.value) if each else unknown()}" for each in worst if found[each]]
    return ", ".join(counts[:-1] if len(counts) > 1 and found[BurnInVerdict.GO] else counts)
