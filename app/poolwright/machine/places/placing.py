"""Putting what was read of places onto the disks: bay, shelf and controller, arrays, several ways to one disk."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from poolwright.domain.command import Command
from poolwright.domain.disk import LOOKS_LIKE_ARRAY, Disk, Note, NoteLevel, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.origin import Origin
from poolwright.domain.shown import shown_text
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


# The command that tells the places of the disks of a machine.


@cache
def looking_script() -> str:
    """Return the text of `look.sh`, which the collector runs as well."""
    return Path(__file__).with_name("look.sh").read_text(encoding="utf-8")


def places_command() -> Command:
    """Return the command; it needs no rights and nothing but a POSIX shell, BusyBox's too."""
    return Command(argv=("sh", "-c", looking_script(), "places"), timeout_seconds=60)


# The state of the ways to multipath disks, from `multipath -ll`.

_MAP = re.compile(r"(\S{1,128}) (?:\(\S{1,128}\) )?(dm-\d{1,6})(?: |\Z)")
_WAY = re.compile(r"[ |`+-]*\d+:\d+:\d+:\d+ +(\S{1,64}) +\d+:\d+ +(\w+) +(\w+) +(\w+)\s*\Z")
_LONGEST = 512
_GOOD = ("active", "ready")  # for machines


def looks_like_multipath(text: str) -> bool:
    """Tell whether a text is what `multipath -ll` prints."""
    lines = [line[:_LONGEST] for line in text.splitlines()[:50]]
    return any(_MAP.match(line) for line in lines) and any(_WAY.match(line) for line in lines)


def read_multipath(text: str) -> tuple[Note, ...]:
    """Return a warning for each multipath disk of which a way is down. Raises UserError for other texts."""
    if not looks_like_multipath(text):
        raise UserError(tell("This is not output of multipath -ll"))
    down: dict[str, list[str]] = {}
    count: dict[str, int] = {}
    current = None
    for raw in text.splitlines():
        line = raw[:_LONGEST]
        head, way = _MAP.match(line), _WAY.match(line)
        if head:
            current = head[1]
        elif way and current:
            count[current] = count.get(current, 0) + 1
            if (way[2], way[3]) != _GOOD:
                down.setdefault(current, []).append(way[1])
    return tuple(_warning(name, names, count[name]) for name, names in down.items())


def _warning(name: str, down: list[str], count: int) -> Note:
    text = tell(
        "multipath disk {name}: {down} of {count} ways are down ({names})",
        name=shown_text(name),
        down=len(down),
        count=count,
        names=shown_text(", ".join(down[:8])),
    )
    return Note(text=text, level=NoteLevel.WARN)
