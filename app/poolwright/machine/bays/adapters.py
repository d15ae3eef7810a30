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
    def way(self) -> tuple[str, ...]:
        """Return its path in the tree of devices from the root complex on; the parts name what lies on the way."""
        return tuple((self.fact("path") or "").split("/")[1 : _DEEPEST + 1])

    @property
    def pci(self) -> tuple[str, ...]:
        """Return the PCI addresses on the way, bridges first, the adapter last."""
        return tuple(part for part in self.way if _PCI.fullmatch(part))

    def named(self, beginning: str) -> tuple[str, ...]:
        """Return the parts that begin so, from the root on: ``expander-`` for the expanders on the way."""
        return tuple(part for part in self.way if part.startswith(beginning))


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


@dataclass(frozen=True, slots=True)
class SasLinks:
    ports: Mapping[str, Thing]
    phys: Mapping[str, Thing]

    def lanes(self, port: str | None, rate: str = "negotiated_linkrate") -> tuple[float, ...]:
        """Return the rates of the lanes of a port that tell theirs, in Gbit/s."""
        thing = self.ports.get(port or "")
        phys = (self.phys.get(phy) for phy in (thing.all_of("phy") if thing else ()))
        return tuple(found for phy in phys if phy is not None and (found := lane_gbit(phy.fact(rate))) is not None)

    def of_host(self, host: str) -> int:
        """Return the bytes/s of all lanes of an adapter that are linked; 0 where none is known."""
        ports = (name for name, port in self.ports.items() if port.way[-2:-1] == (host,))
        return round(sum(sum(self.lanes(port)) for port in ports) * BYTES_PER_GBIT)


def ata_number(disk: Thing) -> str | None:
    """Return the number of the one port and the link of a SATA disk: 3 of ata3."""
    return next((part[3:] for part in disk.named("ata") if re.fullmatch(r"ata\d{1,6}", part)), None)


def _drives(driver: str | None, kind: str) -> bool:
    return driver in shipped("adapters")["drivers"][kind].split()


_UNNAMED = re.compile(r"Device [0-9a-f]{4}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """What connects disks to the machine; ``driver`` is who drives it."""

    name: str
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
        self._pci, self._hosts, self._links, self._sas = kinds["pci"], kinds["host"], kinds["ata_link"], sas
        self._known: dict[str, Adapter] = {}

    def of(self, disk: Thing) -> Adapter | None:
        """Return the adapter of a disk; None for NVMe and virtio drives, each of which is an adapter of its own.

        An NVMe drive behind a PCIe switch has that switch: it takes several drives with it.
        """
        way, hosts = disk.pci, disk.named("host")
        if not way:
            return None
        inner = self._hosts[hosts[-1]].fact("proc_name") if hosts and hosts[-1] in self._hosts else None
        driver = (self._pci[way[-1]].fact("driver") if way[-1] in self._pci else None) or inner
        if disk.named("nvme"):
            return self._switch(way[:-2]) if len(way) > 3 else None
        if driver == "virtio-pci" and not hosts:
            return None
        if way[-1] not in self._known:
            own = inner if _drives(inner, "raid") or driver in (None, "virtio-pci") else driver
            here = [host for host in self._hosts.values() if host.pci[-1:] == way[-1:]]
            links = [link for link in self._links.values() if link.pci[-1:] == way[-1:]]
            ata = sum(lane_gbit(link.fact("sata_spd")) or 0.0 for link in links)
            lanes = sum(self._sas.of_host(host.name) for host in here) + round(ata * BYTES_PER_GBIT)
            self._add(way, _name(self._pci.get(way[-1]), here, own), own, lanes)
        return self._known[way[-1]]

    def _switch(self, way: tuple[str, ...]) -> Adapter:
        """Return the PCIe switch above an NVMe drive: a port up, a port down, below a port of the machine."""
        if way[-1] not in self._known:
            named = _lspci(self._pci.get(way[-1]), "Device") or "PCIe switch"  # for machines
            self._add(way, shown_text(named))
        return self._known[way[-1]]

    def _add(self, way: tuple[str, ...], name: str, driver: str | None = None, lanes: int = 0) -> None:
        """Keep the adapter that ends a way: its PCIe links or its lanes to the disks carry less, as far as known."""
        links = [rate for address in way if (rate := pcie_bytes(self._pci.get(address))) is not None]
        most = min([*links, lanes] if lanes else links, default=None)
        self._known[way[-1]] = Adapter(
            name=f"{name} ({way[-1].removeprefix('0000:')})", driver=driver, bytes_per_second=most
        )


def _lspci(device: Thing | None, field: str) -> str | None:
    found = [] if device is None else [v for v in device.all_of("lspci") if v.startswith(f"{field}:")]
    text = found[0].partition(":")[2].strip() if found else ""
    return text if text and not _UNNAMED.match(text) else None


def _name(device: Thing | None, hosts: list[Thing], driver: str | None) -> str:
    """Return what an adapter is called: as its board says, else as lspci knows it, else driver and PCI numbers."""
    called: dict[str | None, str] = shipped("adapters")["called"]
    if driver in called:
        return called[driver]
    model = next((n for h in hosts if (n := h.fact("board_name", "model_name", "host_fw_model", "model"))), None)
    named = model or _lspci(device, "SDevice") or _lspci(device, "Device")
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
_Enclosure = tuple[str, str, str, list[tuple[tuple[str, ...], str]]]
Seat = tuple[str | None, str | None]  # where a disk sits: the shelf's name, None inside the machine, and the bay in it


class Shelves:
    """The shelves of a machine. Two ways to one shelf (its two expanders) are one shelf by its number."""

    def __init__(self, things: Sequence[Thing], sas: Mapping[str, Thing], hosts: Mapping[str, Thing]) -> None:
        self._sas, self._hosts = sas, hosts
        self._places: dict[tuple[str, ...], tuple[str, str]] = {}
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
        if disk.way in self._places:
            shelf, bay = self._places[disk.way]
            return self._names[shelf], bay
        return self._by_sas(disk) or _by_connector(disk, adapter) or _by_port(disk)

    def _by_sas(self, disk: Thing) -> Seat | None:
        ends = disk.named("end_device-")
        device = self._sas.get(ends[-1]) if ends else None
        shelf = _number(device.fact("enclosure_identifier")) if device else None
        bay = device.fact("bay_identifier") if device else None
        hosts = [self._hosts[name] for name in disk.named("host") if name in self._hosts]
        if shelf is None or bay is None or not re.fullmatch(r"\d{1,5}", bay, re.ASCII):
            return None
        if any(_number(host.fact("host_sas_address")) == shelf for host in hosts) or not disk.named("expander-"):
            return None  # the adapter counts its own connectors as a shelf
        return self._names[shelf], bay


def _bays(things: Sequence[Thing], sas: Mapping[str, Thing]) -> list[_Enclosure]:
    """Return each enclosure: its name, the shelf's number, the make, and the disks in its bays by their paths."""
    found: list[_Enclosure] = []
    for thing in things:
        if thing.kind == "enclosure":
            above = [sas[name] for name in thing.named("expander-")[-1:] if name in sas]
            own = [_number(device.fact("sas_address")) for device in above]
            number = _number(thing.fact("id")) or next((one for one in own if one), thing.name)
            make = " ".join(part for part in (thing.fact("vendor"), thing.fact("model")) if part)
            found.append((thing.name, number, make, []))
        elif thing.kind == "bay" and found and thing.fact("path"):
            found[-1][3].append((thing.way, _bay(thing)))
    return found


def _of_several_shelves(found: Sequence[_Enclosure], things: Sequence[Thing]) -> set[str]:
    """Return the numbers that several shelves share: two different disks are in one bay of them."""
    wwids = {thing.way: thing.fact("wwid") for thing in things if thing.kind == "disk"}
    there: dict[tuple[str, str], set[object]] = {}
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
            return shelf, found[3]
    return None


def _by_port(disk: Thing) -> Seat | None:
    """Return the connector of a disk inside the machine: a phy of the adapter."""
    ends = disk.named("end_device-")
    if not ends or disk.named("expander-"):
        return None
    number = ends[-1].rpartition(":")[2]
    return (None, _("port {number}", number=number)) if re.fullmatch(r"\d{1,5}", number, re.ASCII) else None
