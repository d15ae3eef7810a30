"""Whether two readings speak of the same disk, and the key each disk gets."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Any

from poolwright.domain.disk import Disk, Note, Unfit, Use, UseKind, is_placeholder, names_of_wwn
from poolwright.domain.estimate import Origin
from poolwright.domain.grouping import grouped
from poolwright.domain.units import DEFAULT_LOGICAL_SECTOR_BYTES
from poolwright.machine.drive_words import is_host_managed, recording_of
from poolwright.machine.remarks import SHARES_DRIVE, warning
from poolwright.machine.smartctl.facts import BRIDGE_HIDES, CONTROLLER_SIZE, canonical_wwn
from poolwright.texts import N_, _, says

_HEX_SERIAL = re.compile(r"(?:0x)?[0-9a-f]{16}(?:[0-9a-f]{16})?\Z")
_MAKER = re.compile(r"(0x[0-9a-f]{7}|eui\.[0-9a-f]{6})([0-9a-f]{9,10})")
_WITH_SERIAL = re.compile(r"(?:ata|nvme|scsi-S|virtio)(?!-(?:eui|nvme)\.).*_")
_TELLING_END = 6  # characters of a serial number
_NAMESPACE = re.compile(r"(/dev/nvme\d+)(?:c\d+)?n(\d+)")


def telling_serial(disk: Disk) -> str | None:
    """Return the serial number in one spelling, when it can tell disks apart.

    Blacked-out numbers cannot; neither can a world-wide name in its place, which older lsblk prints there. Where
    smartctl prints a blank, udev (and lsblk after it) prints “_”.
    """
    serial = re.sub(r"[\s_-]", "", disk.serial or "").upper()
    if not serial or is_placeholder(disk.serial or ""):
        return None
    if _HEX_SERIAL.match(serial.lower()) and (canonical_wwn(serial) == canonical_wwn(disk.wwn) or serial[0] in "356"):
        return None
    return serial


def contradict(first: Disk, second: Disk) -> bool:
    """Tell whether two readings cannot be of one disk, although something (a path) says so."""
    a, b = telling_serial(first), telling_serial(second)
    bridged = "usb" in {first.transport, second.transport}
    if a and b and not bridged:
        # Tools cut serial numbers at different lengths and ends.
        return not (a in b or b in a)
    if first.size_bytes and second.size_bytes:
        smaller, larger = sorted((first.size_bytes, second.size_bytes))
        if larger - smaller > larger // 1000 and not rounded(first) and not rounded(second):
            return True
    return not bridged and _models_differ(first.model, second.model)


def rounded(disk: Disk) -> bool:
    """Tell whether the size was printed rounded."""
    origin = disk.origin_of("size_bytes")
    return origin is not None and origin.rounded


def _models_differ(first: str | None, second: str | None) -> bool:
    a, b = (re.sub(r"[^a-z0-9]", "", (m or "").lower()) for m in (first, second))
    return a not in b and b not in a and "redacted" not in a + b


def namespace_of(path: str | None) -> tuple[str, int] | None:
    """Return controller path and namespace number of an NVMe disk: (/dev/nvme0, 1) for /dev/nvme0n1."""
    match = _NAMESPACE.fullmatch(path or "")
    return (match.group(1), int(match.group(2))) if match else None


def without_placeholders(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """Return the disks without serial numbers and world-wide names that several have and that are none.

    A drive has one model and size; people write many words in the place of a serial number, a true one has digits.
    World-wide names that differ in the maker alone are what redaction leaves.
    """
    alike: dict[str, list[Disk]] = {}
    makers: dict[str, set[str]] = {}
    for disk in disks:
        if not is_second_path(disk) and not is_placeholder(disk.serial or ""):
            alike.setdefault(disk.serial or "", []).append(disk)
        if (wide := _MAKER.fullmatch(disk.wwn or "")) is not None:
            makers.setdefault(wide[2], set()).add(wide[1])
    false = {
        serial
        for serial, (first, *others) in alike.items()
        if others and (not re.search(r"\d", serial) or any(_unlike(first, other) for other in others))
    }
    filled = {f"{maker}{rest}" for rest, several in makers.items() if len(several) > 1 for maker in several}
    note = Note(text=_("several disks have its serial number or WWN: it is none"))
    cleared = (replace(d, serial=None, notes=(*d.notes, note)) if d.serial in false else d for d in disks)
    return tuple(replace(d, wwn=None, notes=(*d.notes, note)) if d.wwn in filled else d for d in cleared)


def _unlike(first: Disk, second: Disk) -> bool:
    sizes = {disk.size_bytes for disk in (first, second) if not rounded(disk)} - {None}
    return len(sizes) > 1 or _models_differ(first.model, second.model)


def is_second_path(disk: Disk) -> bool:
    """Tell whether this is one of several paths to a disk that stands in the inventory itself."""
    return any(use.kind is UseKind.MULTIPATH for use in disk.uses)


def one_disk(first: Disk, second: Disk) -> bool:
    """Tell whether two devices of one world-wide name are two ways to one disk.

    Not where sizes or serial numbers differ, and not two namespaces: some NVMe drives give all of theirs one name.
    """
    if first.size_bytes != second.size_bytes or (first.serial and second.serial and first.serial != second.serial):
        return False
    mine, theirs = namespace_of(first.path), namespace_of(second.path)
    return mine is None or theirs is None or mine[1] == theirs[1]


def with_second_paths(disks: Iterable[Disk]) -> tuple[Disk, ...]:
    """Mark the second path of a disk that is seen twice while multipath is not set up, as in use.

    Same world-wide name, size and (where printed) serial number: giving both to a pool would use one disk twice.
    """
    first: dict[str, list[Disk]] = {}
    marked: list[Disk] = []
    for disk in disks:
        alone = disk.wwn is None or is_second_path(disk) or (disk.path or "").startswith("/dev/mapper/")
        alike = [] if alone else first.setdefault(disk.wwn or "", [])
        known = next((other for other in alike if one_disk(other, disk)), None)
        if known is None:
            alike.append(disk)
            marked.append(disk)
            continue
        use = Use(kind=UseKind.MULTIPATH, detail=_("the same disk as {path}", path=known.path))
        note = warning(_("a second path to {path} (same world-wide name); multipath is not set up", path=known.path))
        marked.append(replace(disk, uses=(use, *disk.uses), notes=(*disk.notes, note)))
    return tuple(marked)


def with_bodies(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """Mark the block devices that are parts of one drive: LUNs of one with two actuators, namespaces of an NVMe one.

    They share a serial number and differ in their names or numbers; two ways to one disk have one name.
    """
    alike: dict[str, list[Disk]] = {}
    for disk in disks:
        namespace, serial = namespace_of(disk.path), telling_serial(disk)
        body = serial or (namespace[0] if namespace is not None else None)
        if body is not None and not is_second_path(disk) and disk.transport != "usb":
            alike.setdefault(body, []).append(disk)
    bodies: dict[int, str] = {}
    for body, parts in alike.items():
        # Which part of the drive each is; None where nothing tells it from a second way to the same part.
        units = {(namespace_of(disk.path) or (None, disk.wwn))[1] for disk in parts}
        if len(parts) > 1 and None not in units and len(units) == len(parts):
            bodies.update((id(disk), parts[0].serial or body) for disk in parts)
    return tuple(_part_of(disk, bodies[id(disk)]) if id(disk) in bodies else disk for disk in disks)


def _part_of(disk: Disk, body: str) -> Disk:
    """Return the disk as a part of a drive, without the names that end in its serial number: all parts claim them."""
    shared = re.sub(r"\s", "_", disk.serial or "\n")
    names = tuple(name for name in disk.by_id if not name.endswith(f"_{shared}"))
    kept = tuple(one for one in disk.origins if names or one[0] != "by_id")
    return replace(disk, body=body, by_id=names, origins=kept)


def other_part(known: Disk, partial: Disk) -> bool:
    """Tell whether both are parts of one drive, which share its serial number: other namespaces or other LUNs."""
    mine, theirs = namespace_of(known.path), namespace_of(partial.path)
    if mine is not None and theirs is not None:
        return mine[0] == theirs[0] and mine != theirs
    apart = known.path is not None and partial.path is not None and known.path != partial.path
    return apart and bool(known.wwn and partial.wwn) and known.wwn != partial.wwn and "usb" not in {
        known.transport, partial.transport,
    }  # fmt: skip


def links_of(
    disks: Sequence[Disk], kernels: Mapping[str, str], names: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Sequence[str]], tuple[str, ...]]:
    """Return the by-id names of each disk by its key, and the paths under which the listing has another disk.

    ``names`` are those that lead to each kernel device. Where serial number or world-wide name say that the listing was
    made of another machine or before a restart, a disk has the names that hold its own, else none.
    """
    found = {disk.key: names.get(kernels[disk.key], ()) for disk in disks}
    astray = [disk for disk in disks if _named(disk, found[disk.key]) is False]
    moved = {disk.key: next((links for links in names.values() if _named(disk, links)), ()) for disk in astray}
    taken = {name for links in moved.values() for name in links}
    kept = {key: () if taken & {*links} else links for key, links in found.items()}
    return kept | moved, tuple(disk.path or disk.key for disk in astray if not moved[disk.key])


def _named(disk: Disk, names: Sequence[str]) -> bool | None:
    """Tell whether names of udev's are those of this disk; None where they do not tell, or nothing is known of it."""
    serial, wide = telling_serial(disk), names_of_wwn(disk.wwn)
    plain = [_bare(name) for name in names]
    ends = [_bare(name.rpartition("_")[2]) for name in names if _WITH_SERIAL.match(name)]
    # Old versions of lsblk print the first half of a long world-wide name.
    if any(name.startswith(wide) for name in names if wide) or (serial and any(_bare(serial) in n for n in plain)):
        return True
    if disk.transport == "usb" or any(name.startswith("usb-") for name in names):
        return None  # a bridge has a number of its own
    if serial and ends:
        return any(len(end) >= _TELLING_END and end in _bare(serial) for end in ends)
    if wide and any(name.startswith(wide[0][:8]) for name in names):
        return False
    model = "" if is_placeholder(disk.model or "") else _bare(disk.model or "")[:8]
    return False if model and ends and not any(model in name for name in plain) else None


def _bare(text: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", text.upper())


def with_keys(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """Give each disk its key (serial number, wwn or path, whichever is unique) and warn of shared serial numbers."""
    owners = [disk for disk in disks if not is_second_path(disk)]
    alike = grouped((telling_serial(disk) or "", disk) for disk in owners)
    names = Counter(disk.wwn for disk in owners if disk.wwn)
    keyed: list[Disk] = []
    used: set[str] = set()
    for disk in disks:
        serial, owner = telling_serial(disk), not is_second_path(disk)
        choices = [disk.serial] if owner and serial and disk.serial and len(alike[serial]) == 1 else []
        if owner and disk.wwn and names[disk.wwn] == 1:
            choices.append(disk.wwn)
        stem = disk.path or disk.slot or disk.key  # of a drive behind a controller only the slot is known
        numbered = (f"{stem}#{number}" for number in count(2))
        key = next(name for name in chain(choices, (stem,), numbered) if name not in used)
        used.add(key)
        keyed.append(replace(disk, key=key, notes=(*disk.notes, *_shared_serial(disk, alike))))
    return tuple(keyed)


def _shared_serial(disk: Disk, alike: Mapping[str, Sequence[Disk]]) -> tuple[Note, ...]:
    serial = telling_serial(disk)
    if is_second_path(disk) or serial is None:
        return ()
    if disk.body is not None:
        return (Note(text=_(SHARES_DRIVE, body=disk.body)),)
    mine = namespace_of(disk.path)
    twins = [other for other in alike.get(serial, ()) if other is not disk]
    others = [t for t in twins if mine is None or (namespace_of(t.path) or ("", 0))[0] != mine[0]]
    if not others:
        return ()
    listed = ", ".join(sorted(other.path or other.key for other in others)[:5])
    text = _("the same serial number {serial} is reported by {listed}: one disk on two paths, or a faulty adapter",
             serial=disk.serial, listed=listed)  # fmt: skip
    return (warning(text),)


# One disk out of what several tools say of it.

# What the drive itself says wins over what the kernel or udev derived from it.
_DRIVE_WINS = (
    "model", "vendor", "firmware", "logical_sector_bytes", "physical_sector_bytes", "lba_formats", "media",
    "rotation_rpm", "health", "wear_percent", "power_on_hours", "temperature_celsius", "media_errors", "burn_in",
    "controller", "slot",
)  # fmt: skip
# What belongs to the controller and not to one namespace of it.
_OF_CONTROLLER = (
    "model", "serial", "firmware", "media", "smr", "transport", "health", "wear_percent", "power_on_hours",
    "temperature_celsius", "media_errors",
)  # fmt: skip
_BRIDGE_REPORTS = N_("behind a USB bridge: the bridge reports 512-byte sectors, the disk may have 4096")
_BRIDGED = (BRIDGE_HIDES, _BRIDGE_REPORTS)
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
    bridged = tool == "smartctl" and "usb" in {known.transport, drive.transport}
    if bridged and "physical_sector_bytes" not in values and (known.physical_sector_bytes or 512) <= 512:
        values["physical_sector_bytes"] = None
        origins.pop("physical_sector_bytes", None)
    by_id = (*known.by_id, *(name for name in drive.by_id if name not in known.by_id))
    unfit = tuple(dict.fromkeys((*known.unfit, *drive.unfit)))
    return replace(known, **values, by_id=by_id, unfit=unfit, notes=tuple(notes), origins=tuple(origins.items()))  # type: ignore[arg-type]


def overlay_controller(known: Disk, drive: Disk) -> Disk:
    """Return the namespace ``known`` with what is true of its whole NVMe controller."""
    facts: dict[str, Any] = {field: getattr(drive, field) for field in _OF_CONTROLLER}
    origins = tuple((field, origin) for field, origin in drive.origins if field in _OF_CONTROLLER)
    return overlay(known, Disk(key=drive.key, origins=origins, unfit=drive.unfit, by_id=drive.by_id, **facts))


def _take(field: str, drive: Disk, values: dict[str, object], origins: dict[str, Origin]) -> None:
    value = getattr(drive, field)
    if value is None or value == ():
        return
    values[field] = value
    origin = drive.origin_of(field)
    if origin is not None:
        origins[field] = origin


def _size_from(known: Disk, drive: Disk) -> bool:
    return drive.size_bytes is not None and (known.size_bytes in {None, 0} or rounded(known))


def _disagreements(known: Disk, drive: Disk, tool: str) -> list[Note]:
    notes = []
    for field, what in (("logical_sector_bytes", N_("logical")), ("physical_sector_bytes", N_("physical"))):
        mine, theirs = getattr(known, field), getattr(drive, field)
        if mine is not None and theirs is not None and mine != theirs:
            source = known.origin_of(field)
            other = source.source if source is not None else _("the other reading")
            text = _(
                "the {what} sector size is in doubt: {tool} says {theirs} bytes and is believed, {other} says {mine}",
                what=_(what),
                tool=tool,
                theirs=theirs,
                other=other,
                mine=mine,
            )
            notes.append(warning(text))
    exact = known.size_bytes and drive.size_bytes and not _size_from(known, drive) and not rounded(drive)
    whole = any(says(n.text, CONTROLLER_SIZE) for n in drive.notes)
    if exact and not whole and known.size_bytes != drive.size_bytes:
        text = _(
            "the size is in doubt: {tool} says {size_bytes} bytes, the kernel {size_bytes2}",
            tool=tool,
            size_bytes=drive.size_bytes,
            size_bytes2=known.size_bytes,
        )
        notes.append(warning(text))
    return notes


def finished(disk: Disk) -> Disk:
    """Return the disk with the notes that need all its facts: LBA formats, USB bridge, recording."""
    notes = list(disk.notes)
    # The 4096-byte format without metadata that a disk formatted smaller offers.
    current = next((f.data_bytes for f in disk.lba_formats if f.current), disk.logical_sector_bytes)
    better = next((f for f in disk.lba_formats if f.data_bytes == 4096 and f.metadata_bytes == 0), None)
    if better is not None and current is not None and current < 4096:
        text = _(
            "formatted with {logical_sector_bytes}-byte blocks and offers {data_bytes}: “nvme "
            "format” can change that while the disk is empty",
            logical_sector_bytes=disk.logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES,
            data_bytes=better.data_bytes,
        )
        notes.append(Note(text=text))
    if disk.transport == "usb" and not any("USB bridge" in n.text or says(n.text, *_BRIDGED) for n in notes):
        if disk.physical_sector_bytes is None:
            notes.append(warning(_(BRIDGE_HIDES)))
        elif disk.physical_sector_bytes <= 512:
            notes.append(warning(_(_BRIDGE_REPORTS)))
    smr, unfit = disk.smr, disk.unfit
    if is_host_managed(disk.model) and Unfit.HOST_MANAGED not in unfit:
        smr, unfit = True, (*unfit, Unfit.HOST_MANAGED)
    if smr is None and (smr := recording_of(disk.model)):
        notes.append(warning(_("shingled recording (SMR): writes and rebuilds can be very slow")))
    return replace(disk, smr=smr, unfit=unfit, notes=tuple(dict.fromkeys(notes)))
