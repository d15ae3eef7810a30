"""Putting what was read of places onto the disks: bay, shelf and controller, arrays, several ways to one disk."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from poolwright.domain.disk import LOOKS_LIKE_ARRAY, Disk, Note, UseKind
from poolwright.domain.origin import Origin
from poolwright.machine.identity import as_second_path, is_second_path, one_disk
from poolwright.machine.places.read import DiskPlace, Places
from poolwright.texts import says, tell


def with_places(
    disks: Sequence[Disk], kernel_names: Mapping[str, str], places: Places, origin: Origin
) -> tuple[Disk, ...]:
    """Return the disks with their places; ``kernel_names`` gives the kernel's name of each by its key.

    What a disk has already from its own drive stays where the kernel tells nothing. Two ways to one disk of which
    nothing but the kernel's name for it tells become one, as those that lsblk shows.
    """
    known = {place.kernel_name: place for place in places.disks}
    several = _several_ways(disks, kernel_names, known)
    placed = [_placed(disk, known.get(kernel_names.get(disk.key, "")), origin) for disk in disks]
    return _with_second_ways(tuple(_with_ways(disk, several) for disk in placed))


def _placed(disk: Disk, place: DiskPlace | None, origin: Origin) -> Disk:
    if place is None:
        return disk
    values: dict[str, str] = {}
    for field in ("enclosure", "slot", "controller"):
        value = getattr(place, field)
        if value is not None:
            values[field] = value
    if disk.wwn is None and place.wwid is not None and place.wwid.startswith(("0x", "eui.", "uuid.")):
        values["wwn"] = place.wwid
    origins = dict(disk.origins)
    origins.update(dict.fromkeys(values, origin))
    notes = [note for note in disk.notes if place.array is None or not says(note.text, LOOKS_LIKE_ARRAY)]
    notes += [note for note in place.notes if note not in notes]
    return replace(disk, **values, notes=tuple(notes), origins=tuple(origins.items()))  # type: ignore[arg-type]


def _several_ways(
    disks: Sequence[Disk], kernel_names: Mapping[str, str], known: Mapping[str, DiskPlace]
) -> dict[str, frozenset[str]]:
    """Return the controllers of each disk, by its name for the world, of the ways that multipath does not join."""
    found: dict[str, set[str]] = {}
    for disk in disks:
        place = known.get(kernel_names.get(disk.key, ""))
        if place is not None and place.controller and disk.wwn:
            found.setdefault(disk.wwn, set()).add(place.controller)
    return {wwn: frozenset(names) for wwn, names in found.items() if len(names) > 1}


def _with_ways(disk: Disk, several: Mapping[str, frozenset[str]]) -> Disk:
    """Say of a disk that stands for several ways, without multipath, that only one of them is used."""
    names = several.get(disk.wwn or "")
    if not names or is_second_path(disk) or any(use.kind is UseKind.MULTIPATH for use in disk.uses):
        return disk
    if disk.controller is None:
        return disk
    text = tell(
        "{count} controllers lead to it and multipath is not set up: only the way over {name} is used",
        count=len(names),
        name=disk.controller,
    )
    return replace(disk, notes=(*disk.notes, Note(text=text)))


def _with_second_ways(disks: tuple[Disk, ...]) -> tuple[Disk, ...]:
    """Mark the second way to a disk of which lsblk did not tell the world-wide name."""
    first: dict[str, Disk] = {}
    marked: list[Disk] = []
    for disk in disks:
        known = first.get(disk.wwn or "")
        if disk.wwn is None or is_second_path(disk) or (disk.path or "").startswith("/dev/mapper/"):
            marked.append(disk)
        elif known is None:
            first[disk.wwn] = disk
            marked.append(disk)
        else:
            marked.append(as_second_path(disk, known) if one_disk(known, disk) else disk)
    return tuple(marked)
