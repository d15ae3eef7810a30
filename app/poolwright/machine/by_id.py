"""Which names under /dev/disk/by-id (or by-path) lead to which kernel device, from a directory listing."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from poolwright.domain.disk import Disk, Note, NoteLevel, Use, UseKind, is_placeholder, names_of_wwn, without_partition
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.pool import MemberFinder, Pool, import_words
from poolwright.domain.shown import shown_text
from poolwright.machine.identity import (
    contradict,
    is_second_path,
    namespace_of,
    other_part,
    overlay,
    overlay_controller,
    rounded,
    telling_serial,
)
from poolwright.machine.json_values import nothing_of
from poolwright.machine.lsblk.read import LsblkReading, never_a_disk
from poolwright.machine.remarks import OddFact, about, warning
from poolwright.machine.smartctl.facts import canonical_wwn
from poolwright.texts import N_, _, capital

_LISTS = "ls -l /dev/disk/by-id"
_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
_DIRECTORY = re.compile(r"^(?:\S+\s+)?['\"]?(/dev/disk/[\w-]+)/?['\"]?:?$")
_UPWARDS = re.compile(r"\A(?:\.\./)*+(?:/dev/)*+")
_BY_PATH = re.compile(r"^(pci|platform|virtio-pci|acpi|ip|vmbus|ccw|xen|fc|ap|usbv?\d)-")
_OF_UDEV = re.compile(r"(?:ata|scsi|wwn|nvme|virtio|usb|mmc|md|dm|lvm|raid|ieee1394|memstick|google|cciss)-")
# These name what is on a disk at the moment, or an alias somebody chose, not the disk.
_CONTENT = ("lvm-pv-uuid-", "lvm-vg-", "md-name-", "md-uuid-", "dm-name-")

READ_AT_ONCE = N_("these files come from different machines or boots.")
_DERIVED = N_("derived, checked by the script")
# The SCSI inquiry has 16 characters for the model: of that length it may be the beginning of a longer one.
_CUT_MODEL = 16


def mixed_words(disks: Iterable[Disk]) -> str:
    """Return what to say where two of these have one kernel name, which one machine gives one disk at a time."""
    paths = [disk.path for disk in disks if disk.path]
    return capital(_(READ_AT_ONCE)) if len(set(paths)) < len(paths) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByIdLink:
    """One link: its name, the kernel device it leads to, and the partition number when the name is a partition's."""

    name: str
    kernel_name: str
    partition: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ById:
    """The links of one directory; ``directory`` is ``by-id``, ``by-path`` or another name under /dev/disk."""

    directory: str = "by-id"
    links: tuple[ByIdLink, ...] = ()

    def names(self) -> dict[str, tuple[str, ...]]:
        """Return, by kernel name, the names that identify each whole disk, sorted."""
        found: dict[str, set[str]] = {}
        for link in self.links:
            if link.partition is None and not link.name.startswith(_CONTENT):
                found.setdefault(link.kernel_name, set()).add(link.name)
        return {kernel: tuple(sorted(names)) for kernel, names in found.items()}

    def kernel_name(self, name: str) -> str | None:
        """Return the kernel device a name (or its path under /dev) leads to: ``sda1`` for a partition's name."""
        wanted = name.rpartition("/")[2]
        return next((link.kernel_name for link in self.links if link.name == wanted), None)

    def disk_of(self, name: str) -> str | None:
        """Return the kernel name of the disk behind a disk's or a partition's name; None when it is not listed."""
        return self.kernel_name(without_partition(name)[0]) or self.kernel_name(name)


def read_by_id(text: str) -> ById:
    """Return the links in ``text``: `ls -l /dev/disk/by-id`, or lines ``name -> ../../sda``.

    Pure. Where the listing has several directories (`ls -lR /dev/disk`), only by-id is kept. An empty directory
    gives no links; text without any link raises UserError.
    """
    text = _COLOUR.sub("", text.lstrip("\ufeff").replace("\0", ""))
    found: dict[str, list[ByIdLink]] = {}
    directory = ""
    listed = False
    for raw in text.splitlines():
        line = raw.strip()
        heading = _DIRECTORY.match(line)
        if heading is not None:
            directory = heading.group(1).rpartition("/")[2]
        listed = listed or heading is not None or re.match(r"^total \d", line) is not None
        link = _link(line)
        if link is not None:
            found.setdefault(directory, []).append(link)
    if not found and not listed:
        raise nothing_of(_LISTS, "", _LISTS)
    chosen = "by-id" if "by-id" in found else next(iter(found), "")
    links = tuple(dict.fromkeys(found.get(chosen, ())))
    if not chosen:
        by_path = sum(_BY_PATH.match(link.name) is not None for link in links)
        by_id = any(_OF_UDEV.match(link.name) for link in links)
        chosen = "by-path" if links and 2 * by_path > len(links) else "by-id" if by_id else "by-vdev"
    return ById(directory=chosen, links=links)


def _link(line: str) -> ByIdLink | None:
    left, arrow, right = line.partition(" -> ")
    quoted = _quoted(left.rstrip())
    words, targets = left.split(), _UPWARDS.sub("", right.strip().strip("'\"")).split()
    if not arrow or not words or len(targets) != 1:
        return None
    name = (quoted or words[-1]).rpartition("/")[2]
    return ByIdLink(name=name, kernel_name=targets[0].replace("/", "!"), partition=without_partition(name)[1])


def _quoted(text: str) -> str | None:
    """Return what stands between the first and the last quote of the kind that ``text`` ends with; None without."""
    mark = text[-1:]
    start = text.find(mark) if mark in {"'", '"'} else -1
    return text[start + 1 : -1] or None if 0 <= start < len(text) - 1 else None


def with_derived_names(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """Return the disks, those without a name under by-id with such as udev makes of what is known of them.

    Only names that no second disk would have, and only of what udev itself reads: a disk behind a RAID controller, a
    mapping, or a second way to a disk keeps none.
    """
    made = {disk.key: tuple(_derived(disk)) for disk in disks}
    owners = Counter(name for disk in disks for name in {*disk.by_id, *made[disk.key]})
    origin = ("by_id", Origin(kind=OriginKind.COMPUTED, source=_(_DERIVED)))
    note = Note(text=_("its name under /dev/disk/by-id is derived; the script checks it before it writes"))
    own = {disk.key: tuple(n for n in made[disk.key] if owners[n] == 1) for disk in disks}
    return tuple(
        replace(disk, by_id=own[disk.key], notes=(*disk.notes, note), origins=(*disk.origins, origin))
        if own[disk.key]
        else disk
        for disk in disks
    )


def _derived(disk: Disk) -> Iterator[str]:
    """Yield the names that 60-persistent-storage.rules gives the whole disk."""
    kernel = (disk.path or "").removeprefix("/dev/")
    if disk.by_id or disk.planned or disk.controller is not None or is_second_path(disk):
        return
    wide = names_of_wwn(disk.wwn)
    serial = "" if is_placeholder(disk.serial or "") else disk.telling_serial or ""
    if re.fullmatch(r"sd[a-z]+", kernel):
        yield from wide[:1]
        model = disk.model or ""
        if disk.transport == "sata" and serial and len(model) > _CUT_MODEL:
            yield f"ata-{_as_udev(model, 40)}_{_as_udev(serial, 20)}"
    elif re.fullmatch(r"nvme\d+(n\d+)?", kernel):
        if not re.search(r"n(?!1\Z)\d+\Z", kernel) and serial and disk.model:
            yield f"nvme-{_as_udev(disk.model, 40)}_{_as_udev(serial, 20)}"
        yield from wide
    elif re.fullmatch(r"vd[a-z]+", kernel) and serial:
        yield f"virtio-{_as_udev(serial, 20)}"


def _as_udev(text: str, longest: int) -> str:
    """Return a value as udev writes it: runs of blanks as one underscore, what is not safe as an underscore."""
    return re.sub(r"[^0-9A-Za-z#+.:=@_-]", "_", re.sub(r"\s+", "_", text.strip()))[:longest]


# The disks known so far, and finding among them the one a further reading speaks of.

_Key = tuple[str, Hashable]


class KnownDisks:
    """Disks in the order they were read, found by path, serial number and world-wide name without a search."""

    def __init__(self, readings: Sequence[LsblkReading], links: Sequence[ById]) -> None:
        # Of a name in several listings the first counts.
        self._linked = {link.name: link.kernel_name for listing in links[::-1] for link in listing.links[::-1]}
        self._have_kernel = bool(readings)
        self._kernel: dict[str, str] = {}
        self._disks: list[Disk] = []
        self._found: dict[_Key, set[int]] = {}
        for reading in readings:
            for disk in reading.disks:
                if disk.path:
                    self._kernel[disk.path] = disk.key
                before = min(self._under("path", disk.path), default=None)
                if before is None:
                    self._insert(disk)
                else:
                    self._put(before, read_again(self._disks[before], disk))
        # A path that was read twice may have got its kernel name later.
        for index, disk in enumerate(self._disks):
            self._put(index, disk)

    @property
    def disks(self) -> tuple[Disk, ...]:
        return tuple(self._disks)

    def _insert(self, disk: Disk) -> None:
        self._disks.append(disk)
        for key in self._keys(disk):
            self._found.setdefault(key, set()).add(len(self._disks) - 1)

    def _put(self, index: int, disk: Disk) -> None:
        for key in self._keys(self._disks[index]):
            self._found.get(key, set()).discard(index)
        self._disks[index] = disk
        for key in self._keys(disk):
            self._found.setdefault(key, set()).add(index)

    def _keys(self, disk: Disk) -> Iterable[_Key]:
        yield "serial", telling_serial(disk)
        yield "wwn", disk.wwn
        yield "name", canonical_wwn(disk.wwn)
        for name in disk.by_id:
            yield "by-id", name
        if disk.path is not None:
            yield "path", disk.path
            yield "kernel", self._kernel.get(disk.path)
            yield "controller", (namespace_of(disk.path) or (None,))[0]

    def _under(self, kind: str, value: Hashable) -> set[int]:
        return self._found.get((kind, value), set()) if value is not None else set()

    def kernel_name(self, disk: Disk) -> str | None:
        """Return ``sda`` for a disk: from lsblk, or from its path."""
        path = self._resolved(disk.path)
        if path is None:
            return None
        return self._kernel.get(path) or path.removeprefix("/dev/").replace("/", "!")

    def add(self, partial: Disk, *, tool: str = "smartctl", whole_controller: bool = False) -> list[OddFact]:
        """Complete the disk that ``partial`` speaks of, or add it; returns remarks for the inventory."""
        partial = replace(partial, path=self._resolved(partial.path))
        found = self._find(partial, whole_controller)
        if found is None:
            fitting = self._fitting(partial)
            nameless = not (partial.path or partial.serial or partial.wwn or partial.model or partial.controller)
            if len(fitting) > 1 or (nameless and not fitting and self._have_kernel):
                text = _("names no device, and fits {count} disks: left out", count=len(fitting))
                source = partial.origins[0][1].source if partial.origins else tool
                return [about(source, f"{source}: {text}", kind="readings", level=NoteLevel.WARN)]
            if not fitting:
                return self._append(partial)
            found = fitting[0]
        target = self._disks[found]
        completed = overlay(target, partial, tool=tool)
        namespace = namespace_of(partial.path)
        if namespace and target.path == namespace[0]:
            completed = replace(completed, path=partial.path)
        self._put(found, completed)
        self._complete_others(found, target, partial, tool=tool, whole_controller=whole_controller)
        return []

    def _complete_others(self, found: int, target: Disk, partial: Disk, *, tool: str, whole_controller: bool) -> None:
        """Complete the other paths to the same disk, and the other namespaces of the same controller."""
        twins = self._under("serial", telling_serial(target)) | self._under("wwn", target.wwn)
        siblings = self._under("controller", partial.path) if whole_controller else set()
        for index in sorted((twins | siblings) - {found}):
            disk = self._disks[index]
            if index in twins and (is_second_path(disk) or is_second_path(target)):
                self._put(index, overlay(disk, partial, tool=tool))
            elif index in siblings:
                self._put(index, overlay_controller(disk, partial))

    def extend(self, disks: Iterable[Disk]) -> None:
        for disk in disks:
            self._insert(disk)

    def _append(self, partial: Disk) -> list[OddFact]:
        empty = partial.model is None and partial.serial is None and partial.size_bytes is None
        other = min(self._under("path", partial.path), default=None) if partial.controller is None else None
        if other is not None:
            text = f"{two_disks(self._disks[other], partial)}: {_(READ_AT_ONCE)}"
            if self._have_kernel:  # which has it right
                return [about(partial.path or "", text)]
            partial = replace(partial, notes=(*partial.notes, warning(text)))
        if self._have_kernel and partial.path and partial.controller is None:
            if empty:  # nothing is said of floppy drives, loops and the like
                notes = () if never_a_disk(partial.path.removeprefix("/dev/")) else partial.notes
                return [about(partial.path, note.text, level=note.level) for note in notes]
            text = _("lsblk does not list this disk")
            partial = replace(partial, notes=(*partial.notes, warning(text)))
        self._insert(replace(partial, use_known=False))
        return []

    def _resolved(self, path: str | None) -> str | None:
        """Return /dev/sda for a path such as /dev/disk/by-id/…, where a listing tells."""
        if path is None or not path.startswith("/dev/disk/"):
            return path
        name = path.rpartition("/")[2]
        kernel = self._linked.get(name)
        if kernel is not None:
            return "/dev/" + kernel.replace("!", "/")
        named = (self._disks[index].path for index in sorted(self._under("by-id", name)))
        return next((known for known in named if known), path)

    def _find(self, partial: Disk, whole_controller: bool) -> int | None:
        by_path = self._by_path(partial, whole_controller)
        by_serial = sorted(self._under("serial", telling_serial(partial)))
        both = [i for i in by_serial if i in by_path]
        if both:
            return both[0]
        certain = partial.path is not None or any(c.isdigit() for c in partial.serial or "")
        if len(by_serial) == 1 and certain and not other_part(self._disks[by_serial[0]], partial):
            return by_serial[0]
        agreeing = [i for i in by_path if not contradict(self._disks[i], partial)]
        if agreeing:
            return agreeing[0]
        by_name = self._under("name", canonical_wwn(partial.wwn))
        fitting = [
            i
            for i in sorted(by_name)
            if not contradict(self._disks[i], partial) and (partial.path is None or self._disks[i].path is None)
        ]
        return fitting[0] if len(fitting) == 1 and len(by_name) == 1 else None

    def _fitting(self, partial: Disk) -> list[int]:
        """Return the disks with a path that a reading without path, number and name can be of: it is of one of them."""
        if partial.path or telling_serial(partial) or partial.by_id or partial.controller:
            return []
        return [
            index
            for index, disk in enumerate(self._disks)
            if disk.path is not None
            and None in {partial.wwn, disk.wwn}
            and (not partial.size_bytes or not disk.size_bytes or _same_size(partial, disk))
            and (partial.media is disk.media or None in {partial.media, disk.media})
            and not contradict(disk, partial)
        ]

    def _by_path(self, partial: Disk, whole_controller: bool) -> list[int]:
        if partial.path is None:
            return []
        found = set(self._under("path", partial.path) | self._under("kernel", partial.path.removeprefix("/dev/")))
        theirs = namespace_of(partial.path)
        if theirs is not None and theirs[1] == 1:
            found |= self._under("path", theirs[0])  # the controller was read first, its namespace comes now
        if whole_controller:
            numbers = {i: namespace_of(self._disks[i].path) or ("", 0) for i in self._under("controller", partial.path)}
            first = min((number for __, number in numbers.values()), default=0)
            found |= {i for i, (__, number) in numbers.items() if number == first}
        return sorted(found)


def read_again(known: Disk, disk: Disk) -> Disk:
    """Return a disk that two listings of the kernel have; raises UserError where they have two under one name."""
    if contradict(known, disk):
        raise UserError(two_disks(known, disk), todo=capital(_(READ_AT_ONCE)))
    uses, use_known = dict.fromkeys((*known.uses, *disk.uses)), known.use_known or disk.use_known
    made = overlay(known, disk, tool="lsblk")
    return replace(made, uses=tuple(uses), parts=known.parts or disk.parts, use_known=use_known)


def two_disks(known: Disk, read: Disk) -> str:
    one, other = (shown_text(" ".join(filter(None, (disk.model, disk.serial)))) for disk in (known, read))
    return _("{path} is “{one}” in one reading and “{other}” in another", path=known.path, one=one, other=other)


def _same_size(one: Disk, other: Disk) -> bool:
    """Tell whether two sizes are one, of which one may have been printed rounded."""
    sizes = (one.size_bytes or 0, other.size_bytes or 0)
    return abs(sizes[0] - sizes[1]) <= (max(sizes) // 50 if rounded(one) or rounded(other) else 0)


# Which disks belong to which pool: imported, importable, or only left behind as a signature.


def with_pools(
    disks: Sequence[Disk],
    kernel_names: Mapping[str, str],
    links: Sequence[ById],
    imported: tuple[Pool, ...] | None,
    importable: tuple[Pool, ...] | None,
    *,
    also_imported: Sequence[Pool] = (),
) -> tuple[Disk, ...]:
    """Return the disks with their pools among the uses.

    ``kernel_names`` maps a disk's key to ``sda``. ``imported`` None means that nobody looked: a ZFS signature then
    stays a plain pool member. Where it was looked, a signature of no imported pool is an exported or foreign pool.
    ``also_imported`` are pools that others than `zpool status` told of, with or without their devices.
    """
    finder = MemberFinder(disks, kernel_names, tuple(listing.disk_of for listing in links))
    here = _by_member(finder, (*(imported or ()), *also_imported))
    waiting = _by_member(finder, importable or ())
    names = {pool.name for pool in (*(imported or ()), *also_imported)}
    hidden = {pool.name for pool in imported or () if _has_unknown_leaf(finder, pool)}
    hidden |= {pool.name for pool in also_imported if not pool.vdevs or _has_unknown_leaf(finder, pool)}
    result = []
    for disk in disks:
        labels = [use.detail for use in disk.uses if use.kind is UseKind.POOL]
        uses: list[Use] = []
        if disk.key in here:
            uses = [Use(kind=UseKind.POOL, detail=pool.name) for pool in here[disk.key]]
        elif labels and imported is None and disk.key not in waiting:
            uses = [Use(kind=UseKind.POOL, detail=label) for label in labels]
        elif disk.key in waiting:
            uses = [
                Use(kind=UseKind.FOREIGN_POOL, detail=f"{pool.name}, {import_words(pool)}")
                for pool in waiting[disk.key]
            ]
        elif labels:
            # Members of a pool that hides some are listed under names that could not be resolved: it may be one.
            kinds = [UseKind.POOL if label in names & hidden else UseKind.FOREIGN_POOL for label in labels]
            uses = [Use(kind=kind, detail=label) for kind, label in zip(kinds, labels, strict=True)]
        rest = [use for use in disk.uses if use.kind not in {UseKind.POOL, UseKind.FOREIGN_POOL}]
        kept = [use for use in disk.uses if use.kind is UseKind.FOREIGN_POOL] if not uses else []
        result.append(replace(disk, uses=(*uses, *kept, *rest)) if uses else disk)
    return tuple(result)


def _by_member(finder: MemberFinder, pools: Sequence[Pool]) -> dict[str, list[Pool]]:
    """Return the pools by disk key; those that `zpool import` lists may share a name."""
    found: dict[str, list[Pool]] = {}
    for pool in pools:
        for disk in (finder.of(leaf).disk for leaf in pool.leaves() if leaf.kind != "file"):
            if disk is not None and pool not in found.setdefault(disk.key, []):
                found[disk.key].append(pool)
    return found


def _has_unknown_leaf(finder: MemberFinder, pool: Pool) -> bool:
    return any(leaf.kind != "file" and finder.of(leaf).disk is None for leaf in pool.leaves())
