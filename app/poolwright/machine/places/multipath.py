"""The state of the ways to multipath disks, from `multipath -ll`."""

import re

from poolwright.domain.disk import Note, NoteLevel
from poolwright.domain.errors import UserError
from poolwright.domain.shown import shown_text
from poolwright.texts import tell

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
