"""Shelves and bays: what enclosures, SAS devices and RAID drivers tell of where a disk sits."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from poolwright.domain.shown import shown_text
from poolwright.machine.places.things import DevicePath, Thing
from poolwright.texts import tell

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
    for _, number, _, bays in found:
        for way, bay in bays:
            there.setdefault((number, bay), set()).add(wwids.get(way) or way)
    return {number for (number, _), disks in there.items() if len(disks) > 1}


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
        number: shown_text(f"{make} ({tails[number]})" if make else tell("shelf {number}", number=tails[number]))
        for number, make in makes.items()
    }


def _by_connector(disk: Thing, adapter: str) -> Seat | None:
    """Return the bay that drivers of Smart Array controllers tell with each way to a disk."""
    for way in disk.all_of("way"):
        found = _CONNECTOR.search(way)
        if found:
            shelf = tell("box {box} at {port} of {adapter}", box=found[2], port=found[1], adapter=adapter)
            return Seat(shelf=shelf, bay=found[3])
    return None


def _by_port(way: DevicePath) -> Seat | None:
    """Return the connector of a disk inside the machine: a phy of the adapter."""
    ends = way.named("end_device-")
    if not ends or way.named("expander-"):
        return None
    number = ends[-1].rpartition(":")[2]
    return Seat(bay=tell("port {number}", number=number)) if re.fullmatch(r"\d{1,5}", number, re.ASCII) else None
