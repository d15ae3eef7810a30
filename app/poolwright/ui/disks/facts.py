"""Everything known of one disk, in the order people read it: facts with their origins, and what to heed."""

from dataclasses import dataclass

from poolwright.domain.disk import FLASH_MEDIA, Disk, Media, NoteLevel
from poolwright.domain.origin import Origin
from poolwright.domain.units import binary, decimal
from poolwright.texts import tell
from poolwright.ui.disks import columns as disk_columns
from poolwright.ui.parts.note_lines import Line
from poolwright.ui.parts.theme import Tone

_SECTOR = 512
_LARGE_SECTOR = 4096
_SELDOM_KNOWN = (
    "enclosure", "slot", "removable", "vendor", "read_bytes_per_second", "write_bytes_per_second",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact of a disk; ``text`` None is unknown."""

    name: str
    text: str | None
    origin: Origin | None = None


def facts(disk: Disk) -> tuple[Fact, ...]:
    """Return every fact, unknown ones as well; those that a disk of this kind cannot have are left out."""
    size = disk.size_bytes
    size_text = None if size is None else f"{decimal(size)} = {binary(size)} ({size:,} B)"
    health = None if disk.health is None else disk_columns.health_word(disk.health)
    rows = [
        ("size_bytes", tell("Size"), size_text),
        ("model", tell("Model"), disk.model),
        ("vendor", tell("Vendor"), disk.vendor),
        ("serial", tell("Serial"), disk.serial),
        ("firmware", tell("Firmware"), disk.firmware),
        ("wwn", tell("World-wide name"), disk.wwn),
        ("path", tell("Device"), disk.path),
        ("media", tell("Media"), disk_columns.media_word(disk)),
        ("rotation_rpm", tell("Rotation"), _with_unit(disk.rotation_rpm, "rpm")),
        ("smr", tell("Shingled (SMR)"), _yes_no(disk.smr)),
        ("transport", tell("Link"), disk.transport),
        ("power_loss_protection", tell("Power-loss protection"), _yes_no(disk.power_loss_protection)),
        ("read_bytes_per_second", tell("Reads, measured"), _rate(disk.read_bytes_per_second)),
        ("write_bytes_per_second", tell("Writes, measured"), _rate(disk.write_bytes_per_second)),
        ("logical_sector_bytes", tell("Logical sector"), _with_unit(disk.logical_sector_bytes, "B")),
        ("physical_sector_bytes", tell("Physical sector"), _with_unit(disk.physical_sector_bytes, "B")),
        ("lba_formats", tell("LBA formats"), _formats(disk)),
        ("health", tell("Health"), health),
        ("power_on_hours", tell("Powered on"), _with_unit(disk.power_on_hours, "h")),
        ("temperature_celsius", tell("Temperature"), _with_unit(disk.temperature_celsius, "°C")),
        ("wear_percent", tell("Wear"), _with_unit(disk.wear_percent, "%")),
        ("media_errors", tell("Media errors"), _with_unit(disk.media_errors, "")),
        ("removable", tell("Removable"), _yes_no(disk.removable)),
        ("controller", tell("Controller"), disk.controller),
        ("enclosure", tell("Enclosure"), disk.enclosure),
        ("slot", tell("Slot"), disk.slot),
    ]
    left_out = _left_out(disk)
    return tuple(
        Fact(name=name, text=text, origin=disk.origin_of(field)) for field, name, text in rows if field not in left_out
    )


def heed(disk: Disk) -> tuple[Line, ...]:
    """Return what to heed: why it cannot be ticked, the notes of the reading, and what its sectors mean."""
    lines = [Line(text=tell("Cannot be ticked: {why}", why=why), tone=Tone.BLOCK) for why in disk.refusals()]
    warnings = [n for n in disk.notes if n.level is NoteLevel.WARN]
    lines += [Line(text=_sentence(note.text), tone=Tone.WARN) for note in warnings]
    sectors = sector_line(disk)
    lines += [sectors] if sectors is not None else []
    lines += [Line(text=_sentence(note.text)) for note in disk.notes if note.level is NoteLevel.NOTE]
    return tuple(lines)


def sector_line(disk: Disk) -> Line | None:
    """Return what the sector sizes mean for ashift; None where they are plainly 4096."""
    logical, physical = disk.logical_sector_bytes, disk.physical_sector_bytes
    if physical is None:
        text = tell("The physical sector size cannot be told. ashift 12 is safe for 512 and 4096 bytes alike.")
        return Line(text=text, tone=Tone.UNKNOWN)
    if logical == _SECTOR and physical == _LARGE_SECTOR:
        text = tell("512e: addressed in sectors of 512 bytes, written in sectors of 4096. ashift 12 fits, 9 is slow.")
        return Line(text=text)
    if logical == _SECTOR and physical == _SECTOR and disk.media is Media.HDD:
        text = tell("512n: true 512-byte sectors. ashift 12 still lets a disk of 4096-byte sectors replace it.")
        return Line(text=text)
    return None


def _left_out(disk: Disk) -> frozenset[str]:
    gone = set()
    flash = disk.media in FLASH_MEDIA
    if flash:
        gone |= {"rotation_rpm", "smr"}
    if disk.media is Media.HDD:
        gone |= {"wear_percent", "power_loss_protection"}
    if disk.media is not Media.NVME and not disk.lba_formats:
        gone.add("lba_formats")
    if disk.planned:
        gone |= {"serial", "firmware", "wwn", "path", "health", "power_on_hours", "temperature_celsius", "wear_percent"}
        gone |= {"media_errors", "removable", "controller"}
    # Most machines tell nothing of these; a row of unknowns would hide what is known.
    gone |= {field for field in _SELDOM_KNOWN if getattr(disk, field) is None}
    return frozenset(gone)


def _rate(bytes_per_second: int | None) -> str | None:
    return None if bytes_per_second is None else f"{decimal(bytes_per_second)}/s"


def _formats(disk: Disk) -> str | None:
    if not disk.lba_formats:
        return None
    parts = []
    for offered in disk.lba_formats:
        metadata = f" + {offered.metadata_bytes}" if offered.metadata_bytes else ""
        told = f"{offered.data_bytes}{metadata} B"
        parts.append(tell("{format} (now)", format=told) if offered.current else told)
    return ", ".join(parts)


def _with_unit(value: int | None, unit: str) -> str | None:
    return None if value is None else f"{value:,} {unit}".strip()


def _yes_no(value: bool | None) -> str | None:
    if value is None:
        return None
    return tell("yes") if value else tell("no")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."
