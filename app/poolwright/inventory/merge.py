"""One inventory out of everything that was read: each disk once, with the best source for each fact."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from poolwright.domain.disk import Disk, Note, NoteLevel
from poolwright.domain.host import Host
from poolwright.domain.inventory import Inventory
from poolwright.domain.origin import Origin
from poolwright.domain.pool import Pool
from poolwright.inventory.by_id import ById
from poolwright.inventory.identity import contradict, is_second_path, namespace_of, same_serial, with_keys
from poolwright.inventory.lsblk import LsblkReading
from poolwright.inventory.lsblk_node import infer_type, parent_by_name
from poolwright.inventory.overlay import finished, overlay, overlay_controller
from poolwright.inventory.pool_use import with_pools
from poolwright.inventory.smart_facts import canonical_wwn
from poolwright.inventory.smartctl import SmartctlReading


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Everything that was read of one machine, each part as its reader returns it.

    ``pools`` None means that nobody looked for imported pools; an empty tuple that there are none. ``importable``
    likewise. ``listed`` are disks named by `nvme list`, `nvme id-ns` or `smartctl --scan`.
    """

    lsblk: tuple[LsblkReading, ...] = ()
    smart: tuple[SmartctlReading, ...] = ()
    listed: tuple[Disk, ...] = ()
    links: tuple[ById, ...] = ()
    pools: tuple[Pool, ...] | None = None
    importable: tuple[Pool, ...] | None = None
    host: Host = field(default_factory=Host)
    notes: tuple[Note, ...] = ()


def merge(gathered: Gathered, *, name: str, origin: Origin) -> Inventory:
    """Return the inventory: disks matched by path, serial number and world-wide name, never by a redacted one.

    Pure. smartctl's sector sizes win over lsblk's and a disagreement is noted; pools become uses of their disks.
    """
    table = _Table(gathered)
    for disk in gathered.listed:
        table.add(disk, tool="nvme")
    notes = [*gathered.notes, *(note for reading in gathered.lsblk for note in reading.notes)]
    for reading in gathered.smart:
        notes.extend(reading.notes)
        if reading.disk is not None:
            notes.extend(table.add(reading.disk, whole_controller=reading.whole_controller))
    if not table.disks:
        table.disks.extend(_only_linked(gathered.links) or _only_in_pools((gathered.pools, gathered.importable)))
    provisional = _numbered(table.disks)
    linked = tuple(_with_links(disk, gathered.links, table.kernel_name(disk)) for disk in provisional)
    kernel_names = {disk.key: kernel for disk in linked if (kernel := table.kernel_name(disk))}
    used = with_pools(linked, kernel_names, gathered.links, gathered.pools, gathered.importable)
    disks = with_keys([finished(disk) for disk in used])
    pools = (*(gathered.pools or ()), *(gathered.importable or ()))
    return Inventory(
        name=name, host=gathered.host, disks=disks, pools=pools, notes=tuple(dict.fromkeys(notes)), origin=origin
    )


class _Table:
    """The disks known so far, and finding among them the one a further reading speaks of."""

    def __init__(self, gathered: Gathered) -> None:
        self._links = gathered.links
        self._have_kernel = bool(gathered.lsblk)
        self._kernel: dict[str, str] = {}
        self.disks: list[Disk] = []
        for reading in gathered.lsblk:
            for disk in reading.disks:
                kernel = reading.kernel_name(disk.key)
                if kernel and disk.path:
                    self._kernel[disk.path] = kernel
                self.disks.append(disk)

    def kernel_name(self, disk: Disk) -> str | None:
        """Return ``sda`` for a disk: from lsblk, or from its path."""
        path = self._resolved(disk.path)
        if path is None:
            return None
        return self._kernel.get(path) or path.removeprefix("/dev/").replace("/", "!")

    def add(self, partial: Disk, *, tool: str = "smartctl", whole_controller: bool = False) -> list[Note]:
        """Complete the disk that ``partial`` speaks of, or add it; returns notes for the inventory."""
        partial = replace(partial, path=self._resolved(partial.path))
        found = self._find(partial, whole_controller)
        if found is None:
            return self._append(partial)
        target = self.disks[found]
        self.disks[found] = overlay(target, partial, tool=tool)
        if namespace_of(partial.path) and target.path == (namespace_of(partial.path) or ("",))[0]:
            self.disks[found] = replace(self.disks[found], path=partial.path)
        for index, disk in enumerate(self.disks):
            if index == found:
                continue
            twins = is_second_path(disk) or is_second_path(target)
            if twins and (same_serial(disk, target) or (disk.wwn is not None and disk.wwn == target.wwn)):
                self.disks[index] = overlay(disk, partial, tool=tool)
            elif whole_controller and (namespace_of(disk.path) or ("", 0))[0] == partial.path:
                self.disks[index] = overlay_controller(disk, partial)
        return []

    def _append(self, partial: Disk) -> list[Note]:
        empty = partial.model is None and partial.serial is None and partial.size_bytes is None
        if self._have_kernel and partial.path and partial.controller is None:
            if empty:
                return [replace(note, text=_about(partial, note.text)) for note in partial.notes]
            text = "lsblk does not list this disk, or shows another one under its name"
            partial = replace(partial, notes=(*partial.notes, Note(text=text, level=NoteLevel.WARN)))
        self.disks.append(partial)
        return []

    def _resolved(self, path: str | None) -> str | None:
        """Return /dev/sda for a path such as /dev/disk/by-id/…, where a listing tells."""
        if path is None or not path.startswith("/dev/disk/"):
            return path
        for links in self._links:
            kernel = links.kernel_name(path)
            if kernel is not None:
                return "/dev/" + kernel.replace("!", "/")
        name = path.rsplit("/", 1)[-1]
        return next((disk.path for disk in self.disks if name in disk.by_id and disk.path), path)

    def _find(self, partial: Disk, whole_controller: bool) -> int | None:
        by_path = [i for i, disk in enumerate(self.disks) if self._same_path(disk, partial, whole_controller)]
        by_serial = [i for i, disk in enumerate(self.disks) if same_serial(disk, partial)]
        both = [i for i in by_serial if i in by_path]
        if both:
            return both[0]
        if len(by_serial) == 1 and not _other_namespace(self.disks[by_serial[0]], partial):
            return by_serial[0]
        agreeing = [i for i in by_path if not contradict(self.disks[i], partial)]
        if agreeing:
            return agreeing[0]
        wwn = canonical_wwn(partial.wwn)
        by_name = [i for i, d in enumerate(self.disks) if wwn and canonical_wwn(d.wwn) == wwn]
        fitting = [
            i
            for i in by_name
            if not contradict(self.disks[i], partial) and (partial.path is None or self.disks[i].path is None)
        ]
        return fitting[0] if len(fitting) == 1 and len(by_name) == 1 else None

    def _same_path(self, disk: Disk, partial: Disk, whole_controller: bool) -> bool:
        if partial.path is None or disk.path is None:
            return False
        if disk.path == partial.path or self._kernel.get(disk.path) == partial.path.removeprefix("/dev/"):
            return True
        theirs = namespace_of(partial.path)
        if theirs is not None and theirs[0] == disk.path:
            return theirs[1] == 1  # the controller was read first, its namespace comes now
        mine = namespace_of(disk.path)
        if not whole_controller or mine is None or mine[0] != partial.path:
            return False
        first = min((n for d in self.disks if (n := namespace_of(d.path)) and n[0] == mine[0]), default=mine)
        return mine == first


def _other_namespace(disk: Disk, partial: Disk) -> bool:
    """Tell whether both are namespaces of one controller, which share its serial number."""
    mine, theirs = namespace_of(disk.path), namespace_of(partial.path)
    return mine is not None and theirs is not None and mine[0] == theirs[0] and mine != theirs


def _about(disk: Disk, text: str) -> str:
    return text if disk.path and disk.path in text else f"{disk.path or disk.key}: {text}"


def _numbered(disks: Sequence[Disk]) -> list[Disk]:
    """Return the disks with keys that are unique while they are put together."""
    return [replace(disk, key=f"{number}") for number, disk in enumerate(disks)]


def _with_links(disk: Disk, links: Sequence[ById], kernel: str | None) -> Disk:
    """Return the disk with its names under /dev/disk/by-id."""
    if kernel is None:
        return disk
    names = [n for listing in links if listing.directory == "by-id" for n in listing.names_of(kernel)]
    return replace(disk, by_id=tuple(dict.fromkeys((*disk.by_id, *names))))


def _only_linked(links: Sequence[ById]) -> list[Disk]:
    """Return the disks of which nothing but names is known."""
    text = "only its names are known: read lsblk and smartctl too"
    found = dict.fromkeys(kernel for listing in links for kernel in listing.kernel_names())
    return [
        Disk(key=kernel, path=f"/dev/{kernel}", notes=(Note(text=text, level=NoteLevel.WARN),))
        for kernel in found
        if infer_type(kernel) == "disk"
    ]


def _only_in_pools(listings: Sequence[tuple[Pool, ...] | None]) -> list[Disk]:
    """Return the devices of pools of which nothing else was read."""
    text = "only its place in a pool is known: read lsblk and smartctl too"
    found: dict[str, Disk] = {}
    leaves = [leaf for pools in listings for pool in pools or () for leaf in pool.leaves()]
    for leaf in leaves:
        printed = leaf.path or leaf.name
        if leaf.kind == "file" or (printed.startswith("/") and not printed.startswith("/dev/")):
            continue
        name = printed.rsplit("/", 1)[-1]
        whole = re.sub(r"-part\d+\Z", "", name)
        whole = whole if whole != name else parent_by_name(name) or name
        by_id = re.match(r"(?:ata|scsi|nvme|wwn|virtio|usb|mmc|dm|lvm|md)-", whole) is not None
        disk = Disk(
            key=whole,
            path=None if by_id else f"/dev/{whole}",
            by_id=(whole,) if by_id else (),
            notes=(Note(text=text, level=NoteLevel.WARN),),
        )
        found.setdefault(whole, disk)
    return list(found.values())
