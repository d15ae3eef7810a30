"""One disk out of what several tools say of it."""

from dataclasses import replace

from poolwright.domain.disk import Disk, LbaFormat, Note, NoteLevel, Unfit, is_placeholder
from poolwright.domain.origin import Origin
from poolwright.machine.smartctl.facts import BRIDGE_BETWEEN, CONTROLLER_SIZE
from poolwright.machine.smr_models import is_host_managed, is_known_smr
from poolwright.texts import marked, says, tell

# What the drive itself says wins over what the kernel or udev derived from it.
_DRIVE_WINS = (
    "model", "vendor", "firmware", "logical_sector_bytes", "physical_sector_bytes", "lba_formats", "media",
    "rotation_rpm", "health", "wear_percent", "power_on_hours", "temperature_celsius", "media_errors", "controller",
    "slot",
)  # fmt: skip
# What belongs to the controller and not to one namespace of it.
_OF_CONTROLLER = (
    "model", "serial", "firmware", "media", "smr", "transport", "health", "wear_percent", "power_on_hours",
    "temperature_celsius", "media_errors",
)  # fmt: skip
_BRIDGE_HIDES = marked("behind a USB bridge that hides the sector size: it cannot be told")
_BRIDGE_REPORTS = marked("behind a USB bridge: the bridge reports 512-byte sectors, the disk may have 4096")
_BRIDGED = (BRIDGE_BETWEEN, _BRIDGE_HIDES, _BRIDGE_REPORTS)
_KERNEL_WINS = ("wwn", "removable", "enclosure", "path")


def overlay(known: Disk, drive: Disk, *, tool: str = "smartctl") -> Disk:
    """Return ``known`` (from lsblk, or read earlier) completed by what ``tool`` read from the drive itself.

    Sector sizes of the drive win, and a disagreement becomes a warning that shows both; the kernel's exact size wins,
    because that is what OpenZFS gets. Behind a USB bridge that hides the physical sector size it becomes unknown.
    """
    notes = [*known.notes, *(n for n in drive.notes if n not in known.notes)]
    origins = dict(known.origins)
    values: dict[str, object] = {}
    for field in _DRIVE_WINS:
        # `nvme list` names only the format in use.
        if field != "lba_formats" or len(drive.lba_formats) >= len(known.lba_formats):
            _take(field, drive, values, origins)
    for field in _KERNEL_WINS:
        if getattr(known, field) is None:
            _take(field, drive, values, origins)
    if drive.serial and (known.serial is None or not is_placeholder(drive.serial)):
        _take("serial", drive, values, origins)
    if drive.smr is not None and not known.smr:
        _take("smr", drive, values, origins)
    if drive.transport is not None and known.transport != "usb":
        _take("transport", drive, values, origins)
    notes += _disagreements(known, drive, tool)
    if _size_from(known, drive):
        _take("size_bytes", drive, values, origins)
    elif known.size_bytes is not None:
        notes = [n for n in notes if not says(n.text, CONTROLLER_SIZE)]
    if tool == "smartctl" and _bridge_hides(known, drive, values):
        values["physical_sector_bytes"] = None
        origins.pop("physical_sector_bytes", None)
    by_id = (*known.by_id, *(name for name in drive.by_id if name not in known.by_id))
    unfit = tuple(dict.fromkeys((*known.unfit, *drive.unfit)))
    return replace(known, **values, by_id=by_id, unfit=unfit, notes=tuple(notes), origins=tuple(origins.items()))  # type: ignore[arg-type]


def overlay_controller(known: Disk, drive: Disk) -> Disk:
    """Return the namespace ``known`` with what is true of its whole NVMe controller."""
    nothing = replace(
        drive,
        size_bytes=None,
        logical_sector_bytes=None,
        physical_sector_bytes=None,
        lba_formats=(),
        wwn=None,
        notes=(),
    )
    kept = replace(nothing, origins=tuple((f, o) for f, o in drive.origins if f in _OF_CONTROLLER))
    return overlay(known, kept)


def _take(field: str, drive: Disk, values: dict[str, object], origins: dict[str, Origin]) -> None:
    value = getattr(drive, field)
    if value is None or value == ():
        return
    values[field] = value
    origin = drive.origin_of(field)
    if origin is not None:
        origins[field] = origin


def _size_from(known: Disk, drive: Disk) -> bool:
    if drive.size_bytes is None:
        return False
    origin = known.origin_of("size_bytes")
    return known.size_bytes in {None, 0} or (origin is not None and origin.rounded)


def _bridge_hides(known: Disk, drive: Disk, values: dict[str, object]) -> bool:
    bridged = "usb" in {known.transport, drive.transport}
    return bridged and "physical_sector_bytes" not in values and (known.physical_sector_bytes or 512) <= 512


def _disagreements(known: Disk, drive: Disk, tool: str) -> list[Note]:
    notes = []
    for field, what in (("logical_sector_bytes", "logical"), ("physical_sector_bytes", "physical")):
        mine, theirs = getattr(known, field), getattr(drive, field)
        if mine is not None and theirs is not None and mine != theirs:
            source = known.origin_of(field)
            other = source.source if source is not None else tell("the other reading")
            text = tell(
                "the {what} sector size is in doubt: {tool} says {theirs} bytes and is believed, {other} says {mine}",
                what=what,
                tool=tool,
                theirs=theirs,
                other=other,
                mine=mine,
            )
            notes.append(Note(text=text, level=NoteLevel.WARN))
    told = drive.origin_of("size_bytes")
    exact = known.size_bytes and drive.size_bytes and not _size_from(known, drive) and not (told and told.rounded)
    whole = any(says(n.text, CONTROLLER_SIZE) for n in drive.notes)
    if exact and not whole and known.size_bytes != drive.size_bytes:
        text = tell(
            "the size is in doubt: {tool} says {size_bytes} bytes, the kernel {size_bytes2}",
            tool=tool,
            size_bytes=drive.size_bytes,
            size_bytes2=known.size_bytes,
        )
        notes.append(Note(text=text, level=NoteLevel.WARN))
    return notes


def finished(disk: Disk) -> Disk:
    """Return the disk with the notes that need all its facts: LBA formats, USB bridge, recording."""
    notes = list(disk.notes)
    better = better_format(disk)
    if better is not None:
        text = tell(
            "formatted with {logical_sector_bytes}-byte blocks and offers {data_bytes}: “nvme "
            "format” can change that while the disk is empty",
            logical_sector_bytes=disk.logical_sector_bytes or 512,
            data_bytes=better.data_bytes,
        )
        notes.append(Note(text=text))
    if disk.transport == "usb" and not any("USB bridge" in n.text or says(n.text, *_BRIDGED) for n in notes):
        if disk.physical_sector_bytes is None:
            text = tell(_BRIDGE_HIDES)
            notes.append(Note(text=text, level=NoteLevel.WARN))
        elif disk.physical_sector_bytes <= 512:
            text = tell(_BRIDGE_REPORTS)
            notes.append(Note(text=text, level=NoteLevel.WARN))
    smr, unfit = disk.smr, disk.unfit
    if is_host_managed(disk.model) and Unfit.HOST_MANAGED not in unfit:
        smr, unfit = True, (*unfit, Unfit.HOST_MANAGED)
    if smr is None and is_known_smr(disk.model):
        smr = True
        text = tell("shingled recording (SMR): writes and rebuilds can be very slow")
        notes.append(Note(text=text, level=NoteLevel.WARN))
    return replace(disk, smr=smr, unfit=unfit, notes=tuple(dict.fromkeys(notes)))


def better_format(disk: Disk) -> LbaFormat | None:
    """Return the 4096-byte format without metadata that a disk formatted smaller offers; None when there is none."""
    current = next((f.data_bytes for f in disk.lba_formats if f.current), disk.logical_sector_bytes)
    if current is None or current >= 4096:
        return None
    return next((f for f in disk.lba_formats if f.data_bytes == 4096 and f.metadata_bytes == 0), None)
