"""What the collector tells of /sys, made into the place of every disk and the controllers of the host."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from poolwright.domain.command import Reading
from poolwright.domain.disk import IS_ARRAY, LOOKS_LIKE_ARRAY, Disk, Note, NoteLevel
from poolwright.domain.estimate import Origin
from poolwright.domain.grouping import grouped
from poolwright.domain.host import Controller
from poolwright.domain.rates import rate_text
from poolwright.domain.shown import shown_text
from poolwright.machine.bays.adapters import (
    BYTES_PER_GBIT,
    Adapter,
    Adapters,
    SasLinks,
    Seat,
    Shelves,
    Thing,
    ata_number,
    lane_gbit,
    pcie_bytes,
    pcie_words,
    things_of,
)
from poolwright.machine.identity import is_second_path, with_second_paths
from poolwright.machine.json_values import nothing_of
from poolwright.machine.remarks import SHARES_DRIVE, state_notes, warning
from poolwright.shipped import shipped
from poolwright.texts import _, ngettext, says

_HCTL = re.compile(r"\d+:(\d+):\d+:\d+")
_HEAD = re.compile(r"nvme(\d{1,6})n(\d{1,6})\Z")
_PATH = re.compile(r"nvme(\d{1,6})c\d{1,6}n(\d{1,6})\Z")
_DISKS_PER_STEP = 50
_SLOW_GBIT, _SLOWEST_GBIT = 3.0, 1.5
_MADE_UP_DISK = re.compile(r"qemu|vbox|vmware|virtual", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskPlace:
    """Where one disk is, by its kernel name. None is unknown; ``array`` tells that a RAID controller made it.

    ``wwid`` names the disk itself, the same on every way to it; ``drive`` the drive of which this is one disk of
    several: a namespace of NVMe, or what one actuator of a SAS drive serves.
    """

    kernel_name: str
    enclosure: str | None = None
    slot: str | None = None
    controller: str | None = None
    array: bool | None = None
    wwid: str | None = None
    drive: str | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    disks: tuple[DiskPlace, ...] = ()
    controllers: tuple[Controller, ...] = ()
    notes: tuple[Note, ...] = ()


def read_places_in_steps(text: str, origin: Origin) -> Reading[Places]:
    things, whole = things_of(text)
    yield ()
    reader = _Reader(things, origin)
    yield ()
    places = yield from reader.result()
    cut = warning(_("The list of bays was cut off: some are not known"))
    return places if whole else replace(places, notes=(*places.notes, cut))


class _Reader:
    def __init__(self, things: Sequence[Thing], origin: Origin) -> None:
        self._origin = origin
        self._kinds: dict[str, dict[str, Thing]] = defaultdict(dict)
        for thing in things:
            self._kinds[thing.kind].setdefault(thing.name, thing)
        self._sas = SasLinks(self._kinds["port"], self._kinds["phy"])
        self._adapters = Adapters(self._kinds, self._sas)
        self._shelves = Shelves(things, self._kinds["sas_device"], self._kinds["host"])
        self._seen: dict[str, tuple[Adapter, bool, bool]] = {}
        self._nvme_paths: dict[tuple[str, str], list[Thing]] = {}
        self._namespaces: dict[str, set[str]] = {}
        # The bay of each PCI device that sits in a slot of its own; the kernel's counted-up doubles are none.
        slots = (slot for slot in self._kinds["slot"].values() if re.fullmatch(r"[1-9]\d{0,5}", slot.name, re.ASCII))
        self._slots = {slot.fact("address"): slot.name for slot in reversed([*slots])}
        self._units: Counter[str] = Counter()  # disks of each SAS drive: some show two, one for each actuator
        for disk in self._kinds["disk"].values():
            part, head = _PATH.match(disk.name), _HEAD.match(disk.name)
            if part:
                self._nvme_paths.setdefault((part[1], part[2]), []).append(disk)
            elif head and disk.fact("hidden") != "1":
                self._namespaces.setdefault(head[1], set()).add(head[2])
            self._units.update(disk.named("end_device-")[-1:])

    def result(self) -> Reading[Places]:
        shown = [disk for disk in self._kinds["disk"].values() if disk.fact("hidden") != "1"]
        singles: dict[str, DiskPlace] = {}
        for number, disk in enumerate(shown):
            singles[disk.name] = self._place(disk)
            if number % _DISKS_PER_STEP == 0:
                yield ()
        maps = [self._of_map(device, singles) for device in self._kinds["map"].values()]
        controllers = tuple(
            adapter.controller(arrays=arrays, drives=drives, origin=self._origin)
            for adapter, arrays, drives in self._seen.values()
        )
        return Places(
            disks=(*singles.values(), *maps),
            controllers=controllers,
            notes=(*self._about_expanders(shown, singles), *self._about_shelves()),
        )

    def _place(self, disk: Thing) -> DiskPlace:
        head = _HEAD.match(disk.name)
        if head:
            return self._nvme(disk, head[1], head[2])
        adapter = self._adapters.of(disk)
        array = is_array(disk, adapter.driver) if adapter else None
        self._see(adapter, array)
        seat = self._shelves.of(disk, adapter.name if adapter else "") or self._by_ata(disk)
        (drive, shared), state = self._unit(disk), state_notes(disk.fact("state"))
        return DiskPlace(
            kernel_name=disk.name,
            enclosure=seat[0],
            slot=seat[1],
            controller=drive or (adapter.name if adapter else None),
            drive=drive,
            array=array,
            wwid=_wwid(disk),
            notes=(*_about_array(disk, adapter, array), *shared, *self._about_link(disk), *state),
        )

    def _unit(self, disk: Thing) -> tuple[str | None, list[Note]]:
        """Return the SAS drive of which this disk is one of several, and what that means; None for a whole drive."""
        end = next(iter(disk.named("end_device-")[-1:]), "")
        if self._units[end] < 2:
            return None, []
        device = self._kinds["sas_device"].get(end)
        drive = _("SAS device {name}", name=shown_text((device.fact("sas_address") if device else None) or end))
        return drive, [warning(_(SHARES_DRIVE, body=drive))]

    def _see(self, adapter: Adapter | None, array: bool | None) -> None:
        if adapter is not None:
            __, arrays, drives = self._seen.get(adapter.name, (adapter, False, False))
            self._seen[adapter.name] = (adapter, arrays or array is True, drives or array is False)

    def _nvme(self, disk: Thing, number: str, namespace: str) -> DiskPlace:
        """Return the place of a namespace: that of its drive, which may be reached over several ways."""
        ways = self._nvme_paths.get((number, namespace)) or [disk]
        adapters = {adapter.name: adapter for way in ways if (adapter := self._adapters.of(way)) is not None}
        one = next(iter(adapters.values())) if len(adapters) == 1 else None
        self._see(one, None)
        functions = sorted({way.pci[-1] for way in ways if way.pci})
        slot = self._slots.get(functions[0].rpartition(".")[0]) if len(functions) == 1 else None
        several = self._namespaces.get(number, set())
        notes: list[Note] = []
        drive = None
        if len(several) > 1:
            kinds = self._kinds["nvme"]
            known = kinds.get(disk.way[-1] if disk.way else "") or kinds.get(f"nvme{number}")
            serial = known.fact("serial") if known else None
            drive = _("NVMe drive {name}", name=shown_text(serial or f"nvme{number}"))
            notes.append(warning(_(SHARES_DRIVE, body=drive)))
        if len(functions) > 1:
            listed = ", ".join(address.removeprefix("0000:") for address in functions)
            notes.append(Note(text=_("one drive on {count} ways ({ways})", count=len(functions), ways=listed)))
        elif functions:
            notes += self._about_pcie(functions[0])
        return DiskPlace(
            kernel_name=disk.name,
            slot=slot,
            controller=drive or (one.name if one else None),
            wwid=disk.fact("wwid"),
            drive=drive,
            notes=tuple(notes),
        )

    def _about_pcie(self, address: str) -> list[Note]:
        device = self._kinds["pci"].get(address)
        now, most = pcie_bytes(device), pcie_bytes(device, "max")
        if device is None or now is None or most is None or now >= most:
            return []
        text = _(
            "its PCIe link runs at {now}, the drive can {most}",
            now=pcie_words(device, "current"),
            most=pcie_words(device, "max"),
        )
        return [Note(text=text)]

    def _by_ata(self, disk: Thing) -> Seat:
        port = self._kinds["ata_port"].get(f"ata{ata_number(disk)}")
        number = port.fact("port_no") if port else None
        return None, _("port {number}", number=shown_text(number)) if number else None

    def _about_link(self, disk: Thing) -> list[Note]:
        """Return that the link of a disk is slow; nothing of links that a hypervisor makes up."""
        port = _above(disk, next(iter(disk.named("end_device-")[-1:]), ""))
        lanes = self._sas.lanes(port)
        link = self._kinds["ata_link"].get(f"link{ata_number(disk)}")
        rate = max(lanes, default=None) or (lane_gbit(link.fact("sata_spd")) if link else None)
        made_up = _MADE_UP_DISK.search(f"{disk.fact('vendor') or ''} {disk.fact('model') or ''}")
        if rate is None or rate > _SLOW_GBIT or made_up:
            return []
        most = rate_text(round(rate * BYTES_PER_GBIT))
        offered = max(self._sas.lanes(port, "maximum_linkrate"), default=0.0)
        if offered > rate:
            text = _(
                "its link runs at {rate:g} Gbit/s ({most}) on a port for {offered:g}: old drive, bad cable",
                rate=rate, most=most, offered=offered,
            )  # fmt: skip
        else:
            text = _("its link runs at {rate:g} Gbit/s: {most} at most", rate=rate, most=most)
        return [Note(text=text, level=NoteLevel.WARN if rate <= _SLOWEST_GBIT else NoteLevel.NOTE)]

    def _of_map(self, device: Thing, singles: Mapping[str, DiskPlace]) -> DiskPlace:
        """Return the place of a multipath disk: its bay is one, the controllers may be several."""
        ways = [singles[name] for name in device.all_of("slave") if name in singles]
        bays = {(way.enclosure, way.slot) for way in ways if way.enclosure}
        controllers = sorted({way.controller for way in ways if way.controller})
        shelf, slot = next(iter(bays)) if len(bays) == 1 else (None, None)
        notes = []
        if len(controllers) > 1:
            text = _(
                "reached over {count} controllers ({names}): it survives the loss of one",
                count=len(controllers),
                names=", ".join(controllers),
            )
            notes.append(Note(text=text))
        elif len(ways) == 1:
            text = _("only one way leads to this multipath disk")
            notes.append(warning(text))
        return DiskPlace(
            kernel_name=device.name,
            enclosure=shelf,
            slot=slot,
            controller=controllers[0] if len(controllers) == 1 else None,
            wwid=next((way.wwid for way in ways if way.wwid), None),
            notes=tuple(notes),
        )

    def _about_expanders(self, disks: Sequence[Thing], places: Mapping[str, DiskPlace]) -> list[Note]:
        behind = grouped((name, places[disk.name]) for disk in disks for name in disk.named("expander-"))
        notes = []
        for name, below in behind.items():
            expander = self._kinds["expander"].get(name)
            if expander is None:
                continue
            make = [part for part in (expander.fact("vendor_id"), expander.fact("product_id")) if part]
            called = shown_text(" ".join(make) or name)
            shelves = {place.enclosure for place in below}
            if len(shelves) == 1 and None not in shelves:
                called = _("{part} of {whole}", part=called, whole=", ".join(map(str, shelves)))
            lanes = self._sas.lanes(_above(expander, name))
            notes.append(Note(text=_expander_words(called, len(below), lanes)))
        return notes

    def _about_shelves(self) -> list[Note]:
        """Return that shelves answer of which no bay is known, because the kernel's driver for them is not there."""
        silent = [ses for name, ses in self._kinds["ses"].items() if name not in self._kinds["enclosure"]]
        if not silent:
            return []
        make = " ".join(part for part in (silent[0].fact("vendor"), silent[0].fact("model")) if part)
        text = ngettext(
            "{count} shelf ({make}) answers, but its bays are not known: load the kernel module ses and read again",
            "{count} shelves ({make}) answer, but their bays are not known: load the kernel module ses and read again",
            len(silent),
            make=shown_text(make),
        )
        return [Note(text=text)]


def _above(thing: Thing, part: str) -> str | None:
    place = thing.way.index(part) if part in thing.way else 0
    return thing.way[place - 1] if place else None


def _expander_words(name: str, count: int, lanes: Sequence[float]) -> str:
    disks = ngettext("{count} disk", "{count} disks", count)
    if not lanes:
        return _("{disks} on the SAS expander {name}", disks=disks, name=name)
    total = round(sum(lanes) * BYTES_PER_GBIT)
    return _(
        "{disks} on the SAS expander {name} share {lanes} of {rate:g} Gbit/s: {total} in all, {each} a disk when all "
        "are busy",
        disks=disks,
        name=name,
        lanes=ngettext("{count} lane", "{count} lanes", len(lanes)),
        rate=max(lanes),
        total=rate_text(total),
        each=rate_text(total // count),
    )


def _about_array(disk: Thing, adapter: Adapter | None, array: bool | None) -> list[Note]:
    if adapter is None or array is None:
        return []
    if array:
        level = disk.fact("raid_level", "level") or ""
        known = re.fullmatch(r"[\w+ ()-]{1,32}", level)
        called = _("{one}, {other}", one=adapter.name, other=level) if known else adapter.name
        return [warning(_(IS_ARRAY, name=called))]
    if not adapter.makes_arrays:
        return []
    text = _("behind the RAID controller {name}, which passes the drive through (JBOD or HBA mode)", name=adapter.name)
    return [Note(text=text)]


def _wwid(disk: Thing) -> str | None:
    """Return the name that a SCSI disk has for the whole world; None for what is none (t10 names repeat the model)."""
    found = re.fullmatch(r"(?:naa|eui)\.([0-9a-f]{16}(?:[0-9a-f]{16})?)", disk.fact("wwid") or "")
    return f"0x{found[1]}" if found and found[1].strip("0") else None


# Whether a disk is an array that a RAID controller made, or a drive that it passes through.


def is_array(disk: Thing, driver: str | None) -> bool | None:
    """Tell whether a disk is an array; None where the driver does not say.

    Drivers of Smart Array and Adaptec controllers tell the level of each disk; those of LSI keep arrays on SCSI
    channels of their own (drivers/scsi/megaraid, mpt3sas, aacraid of Linux).
    """
    level = disk.fact("raid_level", "level")
    if level is not None:
        return level.lower() not in shipped("adapters")["arrays"]["none"].split()
    if driver == "cciss":
        return True
    found = _HCTL.fullmatch(disk.way[-1]) if disk.way else None
    channels = shipped("adapters")["array_channels"].get(driver)
    if channels is None or found is None or len(found[1]) > 5:
        return None
    first, behind = map(int, channels.split())
    return first <= int(found[1]) < behind


# Putting what was read of places onto the disks: bay, shelf and controller, arrays, several ways to one disk.


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
    return with_second_paths(_with_ways(disk, several) for disk in placed)


def _placed(disk: Disk, place: DiskPlace | None, origin: Origin) -> Disk:
    if place is None:
        return disk
    fields = ("enclosure", "slot", "controller")
    values: dict[str, str] = {name: value for name in fields if (value := getattr(place, name)) is not None}
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
    if not names or is_second_path(disk) or disk.controller is None:
        return disk
    text = _(
        "{count} controllers lead to it without multipath: only the way over {name} is used",
        count=len(names),
        name=disk.controller,
    )
    return replace(disk, notes=(*disk.notes, Note(text=text)))


# The state of the ways to multipath disks, from `multipath -ll`.

_MAP = re.compile(r"(\S{1,128}) (?:\(\S{1,128}\) )?(dm-\d{1,6})(?: |\Z)")
_WAY = re.compile(r"[ |`+-]*\d+:\d+:\d+:\d+ +(\S{1,64}) +\d+:\d+ +(\w+) +(\w+) +(\w+)\s*\Z")
_LONGEST = 512
_GOOD = ("active", "ready")  # for machines


def looks_like_multipath(text: str) -> bool:
    lines = [line[:_LONGEST] for line in text.splitlines()[:50]]
    return any(_MAP.match(line) for line in lines) and any(_WAY.match(line) for line in lines)


def read_multipath(text: str) -> tuple[Note, ...]:
    """Return a warning for each multipath disk of which a way is down. Raises UserError for other texts."""
    if not looks_like_multipath(text):
        raise nothing_of("multipath -ll", "", "multipath -ll")
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
    return tuple(
        warning(
            _(
                "multipath disk {name}: {down} of {count} ways are down ({names})",
                name=shown_text(name),
                down=len(ways),
                count=count[name],
                names=shown_text(", ".join(ways[:8])),
            )
        )
        for name, ways in down.items()
    )
