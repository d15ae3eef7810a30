"""The disks known so far, and finding among them the one a further reading speaks of."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from poolwright.domain.disk import Disk, Note, NoteLevel
from poolwright.machine.by_id import ById
from poolwright.machine.identity import contradict, is_second_path, namespace_of, other_part, telling_serial
from poolwright.machine.lsblk.read import LsblkReading, never_a_disk
from poolwright.machine.overlay import overlay, overlay_controller
from poolwright.machine.remarks import OddFact, about
from poolwright.machine.smartctl.facts import canonical_wwn
from poolwright.texts import tell

_Key = tuple[str, Hashable]


class KnownDisks:
    """Disks in the order they were read, found by path, serial number and world-wide name without a search."""

    def __init__(self, readings: Sequence[LsblkReading], links: Sequence[ById]) -> None:
        self._linked = _kernel_names(links)
        self._have_kernel = bool(readings)
        self._kernel: dict[str, str] = {}
        self._disks: list[Disk] = []
        self._found: dict[_Key, set[int]] = {}
        for reading in readings:
            kernel_names = dict(reading.kernel_names)
            for disk in reading.disks:
                kernel = kernel_names.get(disk.key)
                if kernel and disk.path:
                    self._kernel[disk.path] = kernel
                self._insert(disk)
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
                text = tell("names no device, and fits {count} disks: left out", count=len(fitting))
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
        if self._have_kernel and partial.path and partial.controller is None:
            if empty:
                return _without_a_disk(partial)
            text = tell("lsblk does not list this disk, or shows another one under its name")
            partial = replace(partial, notes=(*partial.notes, Note(text=text, level=NoteLevel.WARN)))
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
            first = min((number for _, number in numbers.values()), default=0)
            found |= {i for i, (_, number) in numbers.items() if number == first}
        return sorted(found)


def _same_size(one: Disk, other: Disk) -> bool:
    """Tell whether two sizes are one, of which one may have been printed rounded."""
    sizes = (one.size_bytes or 0, other.size_bytes or 0)
    rounded = any(origin is not None and origin.rounded for origin in (d.origin_of("size_bytes") for d in (one, other)))
    return abs(sizes[0] - sizes[1]) <= (max(sizes) // 50 if rounded else 0)


def _kernel_names(links: Sequence[ById]) -> Mapping[str, str]:
    """Return the kernel device behind each name; of a name in several listings the first counts."""
    names: dict[str, str] = {}
    for listing in links:
        for link in listing.links:
            names.setdefault(link.name, link.kernel_name)
    return names


def _without_a_disk(partial: Disk) -> list[OddFact]:
    """Return what was said of a device that lsblk does not list; nothing of floppy drives, loops and the like."""
    subject = partial.path or partial.key
    if never_a_disk(subject.removeprefix("/dev/")):
        return []
    return [about(subject, note.text, level=note.level) for note in partial.notes]
