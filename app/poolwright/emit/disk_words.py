"""A disk in words: how it is called, what it is, whether it can be used, and everything known of it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from poolwright.domain.disk import Disk, Health, LbaFormat, Media, NoteLevel, plan_only
from poolwright.domain.rates import rate_text
from poolwright.domain.units import TB, binary, decimal
from poolwright.emit.names import device_problem
from poolwright.texts import N_, _, capital, numeral


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


# Everything known of a disk.

_SECTOR, _LARGE_SECTOR = 512, 4096


def all_facts(disk: Disk) -> Iterator[str]:
    """Yield what to heed of a disk, what its sectors mean for ashift, then each known fact with where it is from."""
    yield from (_("Cannot be ticked: {why}", why=why) for why in disk.refusals())
    yield from filter(None, (plan_only((disk,)), _sectors(disk)))
    yield from (note.text for note in sorted(disk.notes, key=lambda note: note.level is not NoteLevel.WARN))
    for field, name, written in _FACTS:
        known = getattr(disk, field)
        if known not in (None, (), ""):
            text = {True: _("yes"), False: _("no")}[known] if isinstance(known, bool) else written(known)
            origin = disk.origin_of(field)
            yield f"{capital(_(name))}: {text}" + (f" ({origin})" if origin is not None else "")


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
    text = f"{offered.data_bytes}{metadata} B"
    return _("{format} (now)", format=text) if offered.current else text


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
