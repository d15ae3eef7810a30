"""What hangs where in a machine: adapters, links, shelves and bays, out of what the collector tells of /sys."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from poolwright.domain.estimate import Origin
from poolwright.domain.host import Controller, ControllerKind
from poolwright.domain.shown import shown_text
from poolwright.machine.json_values import too_new
from poolwright.shipped import shipped
from poolwright.texts import _

# The things that the collector tells of, each with its facts, and the tree of devices that their paths make.

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
    return text.lstrip("\ufeff \r\n").startswith(_ANY_HEADER)


def things_of(text: str) -> tuple[tuple[Thing, ...], bool]:
    """Return every thing that a text tells of, and whether the text is whole.

    Raises UserError for what was printed by a newer program, or is something else.
    """
    lines = text.lstrip("\ufeff \r\n").splitlines()
    if not lines or lines[0].strip() != HEADER:
        raise too_new(_("What tells the places of the disks"), lines[0][:60].rpartition(" ")[2] if lines else "?", 1)
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
_MOST_LANES = 32


def lane_gbit(text: str | None) -> float | None:
    """Return the rate of a SAS or SATA link in Gbit/s: `12.0 Gbit`, `6.0 Gbps`; None for what names none."""
    found = _RATE.match(text or "")
    return float(found[1]) or None if found else None


def pcie_bytes(device: Thing | None, which: str = "current") -> int | None:
    """Return the bytes/s that a PCIe device's link carries each way; None where it has none or is made up."""
    if device is None or device.fact("vendor") in shipped("adapters")["made_up"]["vendors"].split():
        return None
    rate = _PCI_RATE.match(device.fact(f"{which}_link_speed") or "")
    lanes = device.fact(f"{which}_link_width") or ""
    if rate is None or not re.fullmatch(r"\d{1,2}", lanes, re.ASCII) or not 0 < int(lanes) <= _MOST_LANES:
        return None
    lane: int | None = shipped("adapters")["pcie_lane"].get(rate[1])
    return lane * int(lanes) if lane else None


def pcie_words(device: Thing, which: str) -> str:
    rate = _PCI_RATE.match(device.fact(f"{which}_link_speed") or "")
    return f"{rate[0] if rate else '?'} x{device.fact(f'{which}_link_width')}"


def narrowest(way: Sequence[str], devices: Mapping[str, Thing]) -> int | None:
    """Return the least that the links above a PCI device carry, its own among them; None where none is known."""
    known = [rate for address in way if (rate := pcie_bytes(devices.get(address))) is not None]
    return min(known, default=None)


class SasLinks:
    def __init__(self, ports: Mapping[str, Thing], phys: Mapping[str, Thing]) -> None:
        self._lanes: dict[str, tuple[float, ...]] = {}
        self._offered: dict[str, float] = {}
        for name, port in ports.items():
            there = [phys[phy] for phy in port.all_of("phy") if phy in phys]
            rates = (lane_gbit(phy.fact("negotiated_linkrate")) for phy in there)
            self._lanes[name] = tuple(rate for rate in rates if rate is not None)
            self._offered[name] = max((lane_gbit(phy.fact("maximum_linkrate")) or 0.0 for phy in there), default=0.0)
        self._of_hosts: dict[str, list[str]] = {}
        for name, port in ports.items():
            parts = port.way.parts
            if len(parts) > 1 and parts[-2].startswith("host"):
                self._of_hosts.setdefault(parts[-2], []).append(name)

    def lanes(self, port: str | None) -> tuple[float, ...]:
        return self._lanes.get(port or "", ())

    def offered(self, port: str | None) -> float | None:
        return self._offered.get(port or "") or None

    def of_host(self, host: str) -> int | None:
        """Return the bytes/s of all lanes of an adapter that are linked; None where none is known."""
        return round(sum(sum(self.lanes(port)) for port in self._of_hosts.get(host, ())) * BYTES_PER_GBIT) or None


def ata_link(way: DevicePath) -> str | None:
    """Return the name of the link of a SATA disk: link3 for the one port of ata3."""
    ports = [part for part in way.parts if re.fullmatch(r"ata\d{1,6}", part)]
    return f"link{ports[0].removeprefix('ata')}" if ports else None


def _drives(driver: str | None, kind: str) -> bool:
    return driver in shipped("adapters")["drivers"][kind].split()


_UNNAMED = re.compile(r"Device [0-9a-f]{4}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """What connects disks to the machine: ``address`` is its PCI address, ``driver`` who drives it."""

    name: str
    address: str
    driver: str | None = None
    bytes_per_second: int | None = None

    @property
    def makes_arrays(self) -> bool:
        return _drives(self.driver, "raid")

    def controller(self, *, arrays: bool, drives: bool, origin: Origin) -> Controller:
        """Return the adapter as a controller of the host; ``arrays`` and ``drives`` tell what was seen behind it."""
        kind = ControllerKind.HBA if _drives(self.driver, "plain") else None
        if arrays or self.makes_arrays:
            kind = ControllerKind.RAID if arrays or not drives else ControllerKind.PASSING
        return Controller(name=self.name, bytes_per_second=self.bytes_per_second, kind=kind, origin=origin)


class Adapters:
    """Every adapter of a machine, found by what lies on the way to a disk."""

    def __init__(self, kinds: Mapping[str, Mapping[str, Thing]], sas: SasLinks) -> None:
        self._pci, self._hosts, self._sas = kinds["pci"], kinds["host"], sas
        self._links = kinds["ata_link"]
        self._known: dict[str, Adapter | None] = {}
        self._hosts_at: dict[str, list[Thing]] = {}
        for host in self._hosts.values():
            if host.way.pci:
                self._hosts_at.setdefault(host.way.pci[-1], []).append(host)
        self._ata_at: dict[str, list[float]] = {}
        for link in self._links.values():
            rate = lane_gbit(link.fact("sata_spd"))
            if link.way.pci and rate:
                self._ata_at.setdefault(link.way.pci[-1], []).append(rate)

    def of(self, way: DevicePath) -> Adapter | None:
        """Return the adapter of a disk; None for NVMe and virtio drives, each of which is an adapter of its own.

        An NVMe drive behind a PCIe switch has that switch: it takes several drives with it.
        """
        if not way.pci:
            return None
        driver = (self._pci[way.pci[-1]].fact("driver") if way.pci[-1] in self._pci else None) or self._driver(way)
        if way.named("nvme"):
            return self._switch(way)
        if driver == "virtio-pci" and not way.named("host"):
            return None
        if way.pci[-1] not in self._known:
            self._known[way.pci[-1]] = self._make(way, driver)
        return self._known[way.pci[-1]]

    def _driver(self, way: DevicePath) -> str | None:
        hosts = way.named("host")
        host = self._hosts.get(hosts[-1]) if hosts else None
        return host.fact("proc_name") if host else None

    def _make(self, way: DevicePath, driver: str | None) -> Adapter:
        address = way.pci[-1]
        inner = self._driver(way)
        own = inner if _drives(inner, "raid") or driver in (None, "virtio-pci") else driver
        name = _name(self._pci.get(address), self._hosts_at.get(address, []), own)
        return Adapter(
            name=f"{name} ({address.removeprefix('0000:')})",
            address=address,
            driver=own,
            bytes_per_second=self._rate(way, address),
        )

    def _rate(self, way: DevicePath, address: str) -> int | None:
        """Return what its PCIe link and its lanes to the disks carry, whichever is less."""
        lanes = [rate for host in self._hosts_at.get(address, ()) if (rate := self._sas.of_host(host.name))]
        lanes += [round(sum(self._ata_at[address]) * BYTES_PER_GBIT)] if address in self._ata_at else []
        sides = [narrowest(way.pci, self._pci), sum(lanes) or None]
        return min((side for side in sides if side is not None), default=None)

    def _switch(self, way: DevicePath) -> Adapter | None:
        """Return the PCIe switch above an NVMe drive: a port up, a port down, below a port of the machine."""
        bridges = way.pci[:-1]
        if len(bridges) < 3:
            return None
        up = bridges[-2]
        if up not in self._known:
            named = _lspci(self._pci.get(up), "Device") or "PCIe switch"  # for machines
            self._known[up] = Adapter(
                name=f"{shown_text(named)} ({up.removeprefix('0000:')})",
                address=up,
                bytes_per_second=narrowest(bridges[:-1], self._pci),
            )
        return self._known[up]


def _lspci(device: Thing | None, field: str) -> str | None:
    found = [] if device is None else [v for v in device.all_of("lspci") if v.startswith(f"{field}:")]
    text = found[0].partition(":")[2].strip() if found else ""
    return text if text and not _UNNAMED.match(text) else None


def _name(device: Thing | None, hosts: list[Thing], driver: str | None) -> str:
    """Return what an adapter is called: as its board says, else as lspci knows it, else driver and PCI numbers."""
    called: dict[str | None, str] = shipped("adapters")["called"]
    if driver in called:
        return called[driver]
    told = next((n for h in hosts if (n := h.fact("board_name", "model_name", "host_fw_model", "model"))), None)
    named = told or _lspci(device, "SDevice") or _lspci(device, "Device")
    if named:
        return shown_text(named)
    ids = ":".join((device.fact(field) or "?").removeprefix("0x") for field in ("vendor", "device")) if device else ""
    return shown_text(" ".join(part for part in (driver, ids) if part) or "?")


# Shelves and bays: what enclosures, SAS devices and RAID drivers tell of where a disk sits.

_NUMBERED = re.compile(
    r"(?:array ?device|device|disk|drive ?bay|drive|bay|slot|hdd|ssd)?[ _#-]*0*(\d{1,4})(?:[ ,].*)?\Z", re.IGNORECASE
)
_CONNECTOR = re.compile(r"PORT: (\w{1,8})\s+BOX: (\d{1,4})\s+BAY: (\d{1,4})\b")
_ADDRESS = re.compile(r"0x[0-9a-f]{1,16}\Z")
_LEAST_TAIL, _MOST_TAIL = 4, 16
_Enclosure = tuple[str, str, str, list[tuple[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """Where a disk sits: the shelf's name, None inside the machine, and the bay in it."""

    shelf: str | None = None
    bay: str | None = None


class Shelves:
    """The shelves of a machine. Two ways to one shelf (its two expanders) are one shelf by its number."""

    def __init__(self, things: Sequence[Thing], sas: Mapping[str, Thing], hosts: Mapping[str, Thing]) -> None:
        self._sas, self._hosts = sas, hosts
        self._places: dict[str, tuple[str, str]] = {}
        makes: dict[str, str] = {}
        found = _bays(things, sas)
        doubtful = _of_several_shelves(found, things)
        for enclosure, number, make, bays in found:
            own = enclosure if number in doubtful else number
            makes.setdefault(own, make)
            for way, bay in bays:
                self._places.setdefault(way, (own, bay))
        for device in sas.values():
            number = _number(device.fact("enclosure_identifier")) or ""
            if number and device.fact("bay_identifier"):
                makes.setdefault(number, "")
        self._names = _names(makes)

    def of(self, disk: Thing, adapter: str) -> Seat | None:
        """Return where a disk sits; ``adapter`` is the name of what it hangs on. None where nothing tells."""
        way = disk.way
        if way.text in self._places:
            shelf, bay = self._places[way.text]
            return Seat(shelf=self._names[shelf], bay=bay)
        told = self._by_sas(way)
        return told or _by_connector(disk, adapter) or _by_port(way)

    def _by_sas(self, way: DevicePath) -> Seat | None:
        ends = way.named("end_device-")
        device = self._sas.get(ends[-1]) if ends else None
        shelf = _number(device.fact("enclosure_identifier")) if device else None
        bay = device.fact("bay_identifier") if device else None
        hosts = [self._hosts[name] for name in way.named("host") if name in self._hosts]
        if shelf is None or bay is None or not re.fullmatch(r"\d{1,5}", bay, re.ASCII):
            return None
        if any(_number(host.fact("host_sas_address")) == shelf for host in hosts) or not way.named("expander-"):
            return None  # the adapter counts its own connectors as a shelf
        return Seat(shelf=self._names[shelf], bay=bay)


def _bays(things: Sequence[Thing], sas: Mapping[str, Thing]) -> list[_Enclosure]:
    """Return each enclosure: its name, the shelf's number, the make, and the disks in its bays by their paths."""
    found: list[_Enclosure] = []
    for thing in things:
        if thing.kind == "enclosure":
            above = [sas[name] for name in thing.way.named("expander-")[-1:] if name in sas]
            own = [_number(device.fact("sas_address")) for device in above]
            number = _number(thing.fact("id")) or next((one for one in own if one), thing.name)
            make = " ".join(part for part in (thing.fact("vendor"), thing.fact("model")) if part)
            found.append((thing.name, number, make, []))
        elif thing.kind == "bay" and found and thing.fact("path"):
            found[-1][3].append((thing.way.text, _bay(thing)))
    return found


def _of_several_shelves(found: Sequence[_Enclosure], things: Sequence[Thing]) -> set[str]:
    """Return the numbers that several shelves share: two different disks are in one bay of them."""
    wwids = {thing.way.text: thing.fact("wwid") for thing in things if thing.kind == "disk"}
    there: dict[tuple[str, str], set[str]] = {}
    for __, number, __, bays in found:
        for way, bay in bays:
            there.setdefault((number, bay), set()).add(wwids.get(way) or way)
    return {number for (number, __), disks in there.items() if len(disks) > 1}


def _number(text: str | None) -> str | None:
    """Return the number of a shelf without its 0x; None for none and for nought."""
    found = (text or "").lower()
    return found.removeprefix("0x") if _ADDRESS.match(found) and int(found, 16) else None


def _bay(bay: Thing) -> str:
    """Return the number that the shelf's own name of a bay has; else the kernel's number, else the name."""
    named = _NUMBERED.match(bay.name)
    slot = bay.fact("slot") or ""
    if named:
        return named[1]
    return slot if re.fullmatch(r"\d{1,5}", slot, re.ASCII) else shown_text(bay.name)


def _names(makes: Mapping[str, str]) -> dict[str, str]:
    """Return what shelves are called: the make, and as many of the last digits as tell them apart."""
    length = next(
        (n for n in range(_LEAST_TAIL, _MOST_TAIL) if len({number[-n:] for number in makes}) == len(makes)), _MOST_TAIL
    )
    # A SCSI address, where there is no number, is short and stays whole.
    tails = {number: number if ":" in number else number[-length:] for number in makes}
    return {
        number: shown_text(f"{make} ({tails[number]})" if make else _("shelf {name}", name=tails[number]))
        for number, make in makes.items()
    }


def _by_connector(disk: Thing, adapter: str) -> Seat | None:
    """Return the bay that drivers of Smart Array controllers tell with each way to a disk."""
    for way in disk.all_of("way"):
        found = _CONNECTOR.search(way)
        if found:
            shelf = _("box {box} at {port} of {adapter}", box=found[2], port=found[1], adapter=adapter)
            return Seat(shelf=shelf, bay=found[3])
    return None


def _by_port(way: DevicePath) -> Seat | None:
    """Return the connector of a disk inside the machine: a phy of the adapter."""
    ends = way.named("end_device-")
    if not ends or way.named("expander-"):
        return None
    number = ends[-1].rpartition(":")[2]
    return Seat(bay=_("port {number}", number=number)) if re.fullmatch(r"\d{1,5}", number, re.ASCII) else None
