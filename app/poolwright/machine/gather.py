"""One inventory out of pieces of tool output: each disk once, with the best source for each fact."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from poolwright.domain.command import Reading
from poolwright.domain.disk import Disk, Media, Note, NoteLevel, UseNote, is_masked, short_name, without_partition
from poolwright.domain.estimate import Origin
from poolwright.domain.grouping import grouped
from poolwright.domain.host import Host, Inventory
from poolwright.domain.pool import Pool
from poolwright.domain.steps import at_once
from poolwright.machine.bays.read import Places, read_multipath, read_places_in_steps, with_places
from poolwright.machine.burn_in import read_burn_in, with_siblings
from poolwright.machine.by_id import READ_AT_ONCE, ById, KnownDisks, read_by_id, with_derived_names, with_pools
from poolwright.machine.drive_words import said_by_word
from poolwright.machine.host_facts import HOST_FACTS
from poolwright.machine.identity import finished, is_second_path, links_of, with_bodies, with_keys, without_placeholders
from poolwright.machine.lsblk.node import infer_type
from poolwright.machine.lsblk.read import LsblkReading, read_lsblk
from poolwright.machine.nvme import read_id_ns, read_nvme_list, read_smart_log
from poolwright.machine.recognition import PieceKind, controller_note, read_controller_drives
from poolwright.machine.remarks import OddFact, about, joined, warning
from poolwright.machine.smartctl.read import SmartctlReading, read_scan, read_smartctl
from poolwright.machine.zpool.configured import read_zdb_config
from poolwright.machine.zpool.existing import PoolReadings, existing_pools
from poolwright.machine.zpool.listed import read_zfs_get, read_zfs_list, read_zpool_get, read_zpool_list
from poolwright.machine.zpool.status import lists_every_pool, read_zpool_import, read_zpool_status
from poolwright.texts import N_, _, first_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    kind: PieceKind
    text: str
    origin: Origin
    device: str | None = None


@dataclass(slots=True, kw_only=True)
class Gatherer:
    """Everything that was read of one machine, each part as its reader returns it.

    ``pools`` None means that nobody looked for imported pools; an empty tuple that there are none. ``importable``
    likewise. ``behind`` are drives that a RAID controller lists and the system need not see. ``of_pools`` is what other
    tools told of pools; ``listed`` are disks named by `nvme list`, `nvme id-ns` or `smartctl --scan`.
    """

    lsblk: list[LsblkReading] = field(default_factory=list)
    smart: list[SmartctlReading] = field(default_factory=list)
    listed: list[Disk] = field(default_factory=list)
    behind: list[Disk] = field(default_factory=list)
    links: list[ById] = field(default_factory=list)
    pools: tuple[Pool, ...] | None = None
    importable: tuple[Pool, ...] | None = None
    of_pools: PoolReadings = field(default_factory=PoolReadings)
    host: Host = field(default_factory=Host)
    notes: list[Note] = field(default_factory=list)
    remarks: list[OddFact] = field(default_factory=list)
    places: Places | None = None
    places_origin: Origin | None = None

    def add(self, piece: ToolOutput) -> None:
        """Read one piece; raises UserError when it is damaged, and nothing is kept of it then."""
        at_once(self.add_in_steps(piece))

    def add_in_steps(self, piece: ToolOutput) -> Reading[None]:
        if piece.kind is PieceKind.LSBLK:
            self.lsblk.append((yield from read_lsblk(piece.text, piece.origin)))
        elif piece.kind is PieceKind.PLACES:
            yield from self._add_places(piece)
        elif piece.kind in _SMALL:
            _SMALL[piece.kind](self, piece)
        else:
            self._add_host_fact(piece)

    def _add_importable(self, piece: ToolOutput) -> None:
        self.importable = tuple(dict.fromkeys((*(self.importable or ()), *read_zpool_import(piece.text))))

    def _add_pools(self, piece: ToolOutput) -> None:
        pools = read_zpool_status(piece.text)
        if pools or lists_every_pool(piece.text):
            newest = {pool.name: pool for pool in (*(self.pools or ()), *pools)}
            self.pools = tuple(newest.values())
        else:
            self.notes.append(Note(text=_("zpool status -x names no healthy pools: run zpool status -P without -x")))

    def _add_places(self, piece: ToolOutput) -> Reading[None]:
        """Take where the disks are; what is read first of a machine stays."""
        if self.places is not None:
            return
        self.places = yield from read_places_in_steps(piece.text, piece.origin)
        self.places_origin = piece.origin
        self.notes.extend(self.places.notes)
        controllers = (*self.host.controllers, *self.places.controllers)
        self.host = replace(self.host, controllers=controllers)

    def _add_host_fact(self, piece: ToolOutput) -> None:
        fact, read = HOST_FACTS[piece.kind]
        value = read(piece.text)
        if value is not None and getattr(self.host, fact) is None:
            origins = (*self.host.origins, (fact, piece.origin))
            self.host = replace(self.host, **{fact: value, "origins": origins})  # type: ignore[arg-type]

    def _add_controller(self, piece: ToolOutput) -> None:
        drives = read_controller_drives(piece.text, piece.origin)
        self.behind.extend(drives)
        self.notes.append(controller_note(drives))

    def warn(self, text: str) -> None:
        self.notes.append(warning(text))

    def all_notes(self) -> tuple[Note, ...]:
        """Return what is to be said of the whole, with a note for each whole source that is missing."""
        notes = list(self.notes)
        if self.lsblk and not self.smart:
            text = _("No smartctl output (package smartmontools): health and hours are unknown, sizes are the kernel's")
            notes.append(Note(text=text))
        if not self.lsblk and (self.smart or self.listed or self.links):
            text = _("No lsblk output: whether something uses these disks is not known")
            notes.append(UseNote(text=text, level=NoteLevel.WARN))
        if self.lsblk and self.pools is None:
            text = _("No zpool status: whether a ZFS label is of an imported pool is not known")
            notes.append(Note(text=text))
        return (*notes, *joined(self.remarks))

    def telling(self) -> Iterator[SmartctlReading]:
        """Yield what smartctl told, without the failures of devices that answered when asked as another type."""
        read = {reading.path for reading in self.smart if reading.path and not reading.silent}
        for reading in self.smart:
            if not reading.silent or reading.path not in read:
                yield reading
            elif reading.disk is not None:
                yield replace(reading, disk=replace(reading.disk, notes=()))


# Who takes what is read at once, without a pause.
_SMALL: dict[PieceKind, Callable[[Gatherer, ToolOutput], None]] = {
    PieceKind.SMARTCTL: lambda g, p: g.smart.append(read_smartctl(p.text, p.origin, path_hint=p.device)),
    PieceKind.BURN_IN: lambda g, p: g.smart.append(read_burn_in(p.text, p.origin)),
    PieceKind.SMARTCTL_SCAN: lambda g, p: g.listed.extend(read_scan(p.text, p.origin)),
    PieceKind.NVME_LIST: lambda g, p: g.listed.extend(read_nvme_list(p.text, p.origin)),
    PieceKind.NVME_NAMESPACE: lambda g, p: g.listed.append(read_id_ns(p.text, p.origin, path_hint=p.device)),
    PieceKind.NVME_SMART_LOG: lambda g, p: g.smart.append(read_smart_log(p.text, p.origin, path_hint=p.device)),
    PieceKind.BY_ID: lambda g, p: g.links.append(read_by_id(p.text)),
    PieceKind.ZPOOL_STATUS: Gatherer._add_pools,
    PieceKind.ZPOOL_IMPORT: Gatherer._add_importable,
    PieceKind.ZPOOL_LIST: lambda g, p: g.of_pools.add_listed(read_zpool_list(p.text)),
    PieceKind.ZPOOL_GET: lambda g, p: g.of_pools.add_properties(read_zpool_get(p.text)),
    PieceKind.ZDB_CONFIG: lambda g, p: g.of_pools.configured.update(read_zdb_config(p.text)),
    PieceKind.ZFS_GET: lambda g, p: g.of_pools.add_datasets(read_zfs_get(p.text)),
    PieceKind.ZFS_LIST: lambda g, p: g.of_pools.add_datasets(read_zfs_list(p.text)),
    PieceKind.DATE: lambda g, p: g.of_pools.add_date(p.text),
    PieceKind.CONTROLLER: Gatherer._add_controller,
    PieceKind.MULTIPATH: lambda g, p: g.notes.extend(read_multipath(p.text)),
}


# The parts put together.

_MOST_NAMED = 3
_ASTRAY = N_("{path}: another disk in /dev/disk/by-id, whose links are left out: {todo}")
_MODEL_IN_NAME = re.compile(r"(?P<link>ata|nvme)-(?P<model>.+?)_(?=[^_]*\d)[^_]{6,}(?:_\d{1,3})?\Z")
_NAMED_ONLY = N_("only its name is known: read lsblk and smartctl too")


def merge_in_steps(gathered: Gatherer, *, name: str, origin: Origin) -> Reading[Inventory]:
    """Return the inventory: disks matched by path, serial number and world-wide name, never by a redacted one."""
    remarks: list[OddFact] = []
    table = KnownDisks(gathered.lsblk, gathered.links)
    beside = gathered.of_pools.pools_beside(gathered.pools or ())
    yield ()
    # What names no device is held against all that do.
    for disk in sorted(gathered.listed, key=lambda disk: disk.path is None):
        remarks.extend(table.add(disk, tool="nvme"))
        yield ()
    notes = [*gathered.all_notes(), *(note for reading in gathered.lsblk for note in reading.notes)]
    for reading in sorted(gathered.telling(), key=lambda reading: reading.path is None):
        remarks.extend(reading.remarks)
        if reading.disk is not None:
            remarks.extend(table.add(reading.disk, whole_controller=reading.whole_controller))
        yield ()
    if not table.disks:
        in_pools = (gathered.pools, beside, gathered.importable)
        table.extend(gathered.behind or _only_linked(gathered.links) or _only_in_pools(in_pools))
    notes.extend(joined(remarks))
    linked, astray = _linked(gathered, table)
    notes.extend(joined(about(path, _(_ASTRAY, path=path, todo=_(READ_AT_ONCE))) for path in astray))
    yield ()
    kernel_names = {disk.key: kernel for disk in linked if (kernel := table.kernel_name(disk))}
    if gathered.places is not None:
        linked = with_places(linked, kernel_names, gathered.places, gathered.places_origin or origin)
        yield ()
    linked = _with_names(_with_names_of_ways(linked), gathered, origin)
    used = with_pools(linked, kernel_names, gathered.links, gathered.pools, gathered.importable, also_imported=beside)
    yield ()
    complete = [finished(disk) for disk in used]
    # So that nobody looks for a drive with “�” on its label.
    odd = [(d.path or d.key, value) for d in complete for value in (d.model, d.serial) if value and "\ufffd" in value]
    what = N_("{disk} calls itself “{value}”: “�” is not text")
    notes.extend(joined(about(disk, _(what, disk=disk, value=value)) for disk, value in odd))
    yield ()
    disks = with_siblings(with_keys(with_bodies(complete)))
    notes.extend(_nameless(disks))
    yield ()
    read = (*(gathered.pools or ()), *beside)
    return Inventory(
        name=name,
        host=gathered.host,
        disks=disks,
        pools=(*read, *(gathered.importable or ())),
        existing=existing_pools(read if gathered.pools is not None or read else None, gathered.of_pools, origin),
        pools_unread=gathered.pools is None and not gathered.of_pools.looked,
        notes=tuple(dict.fromkeys(notes)),
        origin=origin,
    )


def _linked(gathered: Gatherer, table: KnownDisks) -> tuple[tuple[Disk, ...], Iterable[str]]:
    provisional = [replace(disk, key=f"{number}") for number, disk in enumerate(without_placeholders(table.disks))]
    kernels = {disk.key: table.kernel_name(disk) or "" for disk in provisional}
    named = ById(
        links=tuple(link for listing in gathered.links if listing.directory == "by-id" for link in listing.links)
    )
    own, astray = links_of(provisional, kernels, named.names())
    linked = tuple(_with_links(disk, own.get(disk.key, ())) for disk in provisional)
    return tuple(_with_names_of_parts(linked, table, _names_of_parts(gathered.links))), astray


def _with_names(disks: Sequence[Disk], gathered: Gatherer, origin: Origin) -> tuple[Disk, ...]:
    """Return the disks with the names that udev makes, where nobody listed those that are there."""
    if any(listing.directory == "by-id" for listing in gathered.links):
        # A disk to which no link leads has the origin of that: "none was read" is not "none is".
        return tuple(d if d.by_id else replace(d, origins=(*d.origins, ("by_id", origin))) for d in disks)
    return with_derived_names(disks)


def _names_of_parts(links: Sequence[ById]) -> dict[tuple[str, int], list[str]]:
    """Return the aliases, labels and PARTUUIDs that other directories give a partition; of a whole disk its first."""
    other = (link for each in links if each.directory not in {"by-id", "by-path"} for link in each.links)
    parts = ((*without_partition(link.kernel_name), link) for link in other)
    return grouped(((whole, number or link.partition or 1), link.name) for whole, number, link in parts)


def _with_names_of_parts(
    disks: Sequence[Disk], table: KnownDisks, names: Mapping[tuple[str, int], Sequence[str]]
) -> Iterator[Disk]:
    for disk in disks:
        kernel = table.kernel_name(disk) or ""
        more = (dict.fromkeys((*part.names, *names.get((kernel, part.number), ()))) for part in disk.parts)
        parts = (replace(part, names=tuple(own)) for part, own in zip(disk.parts, more, strict=True))
        yield replace(disk, parts=tuple(parts))


def _with_links(disk: Disk, names: Sequence[str]) -> Disk:
    return replace(disk, by_id=tuple(dict.fromkeys((*disk.by_id, *names))))


def _nameless(disks: Sequence[Disk]) -> list[Note]:
    """Return which free disks no script could name, for nobody read their links, and the line that shows them."""
    paths = [d.path for d in disks if not d.by_id and d.path and not d.uses and d.origin_of("by_id") is None]
    if not paths:
        return []
    text = _(
        "no /dev/disk/by-id name is known for {disks}, and a script needs one: run `ls -l /dev/disk/by-id` and "
        "open its output together with this",
        disks=first_of(paths, _MOST_NAMED),
    )
    return [Note(text=text)]


def _with_names_of_ways(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """Give the disk the names that udev let lead to a second way to it: they are its own, whichever way they lead."""
    ways = [disk for disk in disks if is_second_path(disk) and disk.wwn and disk.by_id]
    names: dict[str | None, tuple[str, ...]] = {}
    for way in ways:
        names[way.wwn] = (*names.get(way.wwn, ()), *way.by_id)
    mapped = {disk.wwn for disk in disks if (disk.path or "").startswith("/dev/mapper/")}
    heirs = {disk.wwn for disk in disks if disk.wwn in names and not is_second_path(disk)} - mapped
    return tuple(
        disk
        if disk.wwn not in heirs
        else replace(disk, by_id=())
        if is_second_path(disk)
        else _with_links(disk, names[disk.wwn])
        for disk in disks
    )


def _only_linked(links: Sequence[ById]) -> list[Disk]:
    text = _(_NAMED_ONLY)
    named = (sorted({link.kernel_name for link in listing.links if link.partition is None}) for listing in links)
    found = dict.fromkeys(kernel for kernels in named for kernel in kernels)
    return [
        Disk(key=kernel, path=f"/dev/{kernel}", use_known=False, notes=(warning(text),))
        for kernel in found
        if infer_type(kernel) == "disk"
    ]


def _only_in_pools(listings: Sequence[tuple[Pool, ...] | None]) -> list[Disk]:
    text = _(_NAMED_ONLY)
    found: dict[str, Disk] = {}
    leaves = [leaf for pools in listings for pool in pools or () for leaf in pool.leaves()]
    for leaf in leaves:
        printed = leaf.device
        # A device that is gone is printed by its number; one that serves may have an alias of digits.
        gone = printed.isdecimal() and leaf.state not in {"ONLINE", "DEGRADED"}
        if leaf.kind == "file" or gone or (printed.startswith("/") and not printed.startswith("/dev/")):
            continue
        place = without_partition(printed)[0]
        whole = short_name(place)
        by_id = re.match(r"(?:ata|scsi|nvme|wwn|virtio|usb|mmc|(?:dm|md)-(?:name|uuid)|lvm)-", whole) is not None
        path, names = (None, (whole,)) if by_id else (place if place.startswith("/") else f"/dev/{whole}", ())
        disk = Disk(key=whole, path=path, by_id=names, use_known=False, notes=(warning(text),))
        found.setdefault(whole, _with_model(disk, _MODEL_IN_NAME.match(whole)))
    return list(found.values())


# What udev's name of a drive says of its model, and that of the medium.
def _with_model(disk: Disk, named: re.Match[str] | None) -> Disk:
    if named is None or is_masked(named[0]):
        return disk
    said = [one for word in re.split("[_-]", named["model"]) if (one := said_by_word(word))]
    media_of = (one.media or (Media.SSD if one.flash else None) for one in said)
    media = Media.NVME if named["link"] == "nvme" else next(filter(None, media_of), None)
    return replace(disk, model=named["model"].replace("_", " "), media=media)
