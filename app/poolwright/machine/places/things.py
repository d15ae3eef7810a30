"""The things that `look.sh` tells of, each with its facts, and the tree of devices that their paths make."""

import re
from collections.abc import Mapping, Sequence
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


# What links carry: SAS and SATA lanes, PCIe.

_RATE = re.compile(r"(\d{1,3}(?:\.\d{1,2})?) Gb(?:it|ps)")
_PCI_RATE = re.compile(r"(\d{1,3}(?:\.\d)?) GT/s")
BYTES_PER_GBIT = 100_000_000  # of a SAS or SATA lane up to 12 Gbit/s: ten bits on the wire carry a byte
# Bytes/s of a PCIe lane each way, by its transfers: 8b/10b up to 5 GT/s, then 128b/130b, 242 of 256 bytes from 64 on.
_PCIE_LANE = {
    "2.5": 250_000_000, "5.0": 500_000_000, "5": 500_000_000, "8.0": 984_615_385, "8": 984_615_385,
    "16.0": 1_969_230_769, "32.0": 3_938_461_538, "64.0": 7_562_500_000,
}  # fmt: skip
_MOST_LANES = 32
# Adapters that a hypervisor makes up: their links are no links.
MADE_UP = frozenset({"0x1af4", "0x1b36", "0x15ad", "0x80ee", "0x1414"})


def lane_gbit(text: str | None) -> float | None:
    """Return the rate of a SAS or SATA link in Gbit/s: `12.0 Gbit`, `6.0 Gbps`; None for what names none."""
    found = _RATE.match(text or "")
    return float(found[1]) or None if found else None


def pcie_bytes(device: Thing | None, which: str = "current") -> int | None:
    """Return the bytes/s that a PCIe device's link carries each way; None where it has none or is made up."""
    if device is None or device.fact("vendor") in MADE_UP:
        return None
    rate = _PCI_RATE.match(device.fact(f"{which}_link_speed") or "")
    lanes = device.fact(f"{which}_link_width") or ""
    if rate is None or not re.fullmatch(r"\d{1,2}", lanes, re.ASCII) or not 0 < int(lanes) <= _MOST_LANES:
        return None
    lane = _PCIE_LANE.get(rate[1])
    return lane * int(lanes) if lane else None


def pcie_words(device: Thing, which: str) -> str:
    """Return a link as people write it: 8.0 GT/s x4."""
    rate = _PCI_RATE.match(device.fact(f"{which}_link_speed") or "")
    return f"{rate[0] if rate else '?'} x{device.fact(f'{which}_link_width')}"


def narrowest(way: Sequence[str], devices: Mapping[str, Thing]) -> int | None:
    """Return the least that the links above a PCI device carry, its own among them; None where none is known."""
    known = [rate for address in way if (rate := pcie_bytes(devices.get(address))) is not None]
    return min(known, default=None)


class SasLinks:
    def __init__(self, ports: Mapping[str, Thing], phys: Mapping[str, Thing]) -> None:
        self._lanes = {
            name: tuple(
                rate
                for phy in port.all_of("phy")
                if phy in phys and (rate := lane_gbit(phys[phy].fact("negotiated_linkrate"))) is not None
            )
            for name, port in ports.items()
        }
        self._offered = {
            name: max(
                (lane_gbit(phys[phy].fact("maximum_linkrate")) or 0.0 for phy in port.all_of("phy") if phy in phys),
                default=0.0,
            )
            for name, port in ports.items()
        }
        self._of_hosts: dict[str, list[str]] = {}
        for name, port in ports.items():
            parts = port.way.parts
            if len(parts) > 1 and parts[-2].startswith("host"):
                self._of_hosts.setdefault(parts[-2], []).append(name)

    def lanes(self, port: str | None) -> tuple[float, ...]:
        """Return the rate of each lane of a port in Gbit/s."""
        return self._lanes.get(port or "", ())

    def offered(self, port: str | None) -> float | None:
        """Return the rate that the port's lanes could have, in Gbit/s."""
        return self._offered.get(port or "") or None

    def of_host(self, host: str) -> int | None:
        """Return the bytes/s of all lanes of an adapter that are linked; None where none is known."""
        return round(sum(sum(self.lanes(port)) for port in self._of_hosts.get(host, ())) * BYTES_PER_GBIT) or None


def ata_link(way: DevicePath) -> str | None:
    """Return the name of the link of a SATA disk: link3 for the one port of ata3."""
    ports = [part for part in way.parts if re.fullmatch(r"ata\d{1,6}", part)]
    return f"link{ports[0].removeprefix('ata')}" if ports else None
