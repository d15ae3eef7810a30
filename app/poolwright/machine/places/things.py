"""The things that `look.sh` tells of, each with its facts, and the tree of devices that their paths make."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.domain.errors import UserError
from poolwright.texts import tell

HEADER = "poolwright-places 1"
_ANY_HEADER = "poolwright-places "
END = "@end"
_LONGEST = 4096  # characters of a line that are looked at; no fact of a kernel is longer
_PCI = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_HCTL = re.compile(r"\d+:(\d+):\d+:\d+")
_DEEPEST = 64  # parts of a path; no tree of devices is deeper


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One thing of a machine: a disk, a bay, a port. ``facts`` are in the order in which they were printed."""

    kind: str
    name: str
    facts: tuple[tuple[str, str], ...] = ()

    def fact(self, *names: str) -> str | None:
        return next((value for name in names for known, value in self.facts if known == name), None)

    def all_of(self, name: str) -> tuple[str, ...]:
        """Return every value of a fact that may be told several times."""
        return tuple(value for known, value in self.facts if known == name)

    @property
    def way(self) -> "DevicePath":
        return DevicePath(parts=tuple((self.fact("path") or "").split("/")[1 : _DEEPEST + 1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePath:
    """A path in the tree of devices, from the root complex to a disk; its parts name what lies on the way."""

    parts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "/".join(self.parts)

    @property
    def pci(self) -> tuple[str, ...]:
        """Return the PCI addresses on the way, bridges first, the adapter last."""
        return tuple(part for part in self.parts if _PCI.fullmatch(part))

    @property
    def channel(self) -> int | None:
        """Return the SCSI channel of a disk: RAID drivers keep arrays and plain drives apart by it."""
        found = _HCTL.fullmatch(self.parts[-1]) if self.parts else None
        return int(found[1]) if found and len(found[1]) < 6 else None

    def named(self, beginning: str) -> tuple[str, ...]:
        """Return the parts that begin so, from the root on: ``expander-`` for the expanders on the way."""
        return tuple(part for part in self.parts if part.startswith(beginning))

    def before(self, part: str) -> str | None:
        place = self.parts.index(part)
        return self.parts[place - 1] if place else None


def is_places(text: str) -> bool:
    """Tell whether a text is what `look.sh` prints."""
    return text.lstrip("\ufeff \r\n").startswith(_ANY_HEADER)


def things_of(text: str) -> tuple[tuple[Thing, ...], bool]:
    """Return every thing that a text tells of, and whether the text is whole.

    Raises UserError for what was printed by a newer program, or is something else.
    """
    lines = text.lstrip("\ufeff \r\n").splitlines()
    if not lines or lines[0].strip() != HEADER:
        newer = bool(lines) and lines[0].startswith(_ANY_HEADER)
        raise UserError(
            tell("The places of the disks have a format this version does not know")
            if newer
            else tell("This does not tell the places of disks"),
            todo=tell("Open it with a newer Poolwright.") if newer else tell("Run the collector again."),
        )
    found: list[Thing] = []
    facts: list[tuple[str, str]] = []
    head: tuple[str, str] | None = None
    for line in [*lines[1:], END]:
        if not line.startswith("@"):
            name, blank, value = line[:_LONGEST].partition(" ")
            if blank and value.strip():
                facts.append((name, value.strip()))
            continue
        if head is not None:
            found.append(Thing(kind=head[0], name=head[1], facts=tuple(facts)))
        facts = []
        kind, blank, name = line[1:_LONGEST].partition(" ")
        head = (kind, name.strip()) if blank else None
    return tuple(found), any(line.strip() == END for line in lines[-3:])


def by_name(things: Sequence[Thing], kind: str) -> dict[str, Thing]:
    found: dict[str, Thing] = {}
    for thing in things:
        if thing.kind == kind:
            found.setdefault(thing.name, thing)
    return found
