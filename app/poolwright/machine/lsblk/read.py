"""What `lsblk` says of a machine's disks: any version, JSON or text, any columns."""

import re
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from itertools import chain, count

from poolwright.domain.disk import Disk, DiskPart, Note, NoteLevel, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.origin import Origin
from poolwright.domain.steps import at_once
from poolwright.machine.identity import as_second_path, one_disk
from poolwright.machine.lsblk.as_json import looks_like_json, read_json_nodes_in_steps
from poolwright.machine.lsblk.as_text import read_text_nodes
from poolwright.machine.lsblk.media import media_notes, media_of, unfit_of
from poolwright.machine.lsblk.node import RERUN, BlockNode
from poolwright.machine.lsblk.tree import as_tree, merged
from poolwright.machine.lsblk.uses import uses_of, walk
from poolwright.texts import first_of, listed, marked, tell

_MESSAGE = re.compile(r"^(?:\S+: )?(?:line \d+: )?(lsblk: .+|lsblk: command not found)$")
_UNKNOWN_COLUMN = re.compile(r"unknown column:? *(.*)")
_PASSED_OVER = (
    (re.compile(r"zd\d"), marked("zvols of a pool")),
    (re.compile(r"(nbd|rbd|drbd)\d"), marked("network block devices")),
    (re.compile(r"bcache\d"), marked("bcache devices, which lie on other disks")),
    (re.compile(r"mmcblk\d+(boot\d|rpmb)"), marked("boot areas of an eMMC")),
)
_NEVER = re.compile(r"(zram|ram|loop|sr|fd|md|dm-)\d|md_")
_FIELDS = (
    "model", "vendor", "serial", "wwn", "firmware", "size_bytes", "logical_sector_bytes", "physical_sector_bytes",
    "media", "smr", "transport", "removable", "slot", "by_id",
)  # fmt: skip
# The columns without which a disk that looks free may not be.
_FSTYPE, _MOUNTED = "fstype", frozenset({"mountpoint", "mountpoints"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LsblkReading:
    """The disks of one lsblk output, notes about the whole output, and each disk's kernel name by its key."""

    disks: tuple[Disk, ...]
    notes: tuple[Note, ...] = ()
    kernel_names: tuple[tuple[str, str], ...] = ()

    def kernel_name(self, key: str) -> str | None:
        """Return the kernel name of the disk with this key: ``sda``, ``nvme0n1``, ``dm-3``."""
        return next((kname for known, kname in self.kernel_names if known == key), None)


_DISKS_PER_STEP = 50


def read_lsblk(text: str, origin: Origin) -> LsblkReading:
    """Return the whole disks that ``text`` shows, each with what uses it.

    Pure: ``text`` is the output of lsblk, ``origin`` the source every value is marked with. Partitions, md arrays,
    LVM volumes and the like become uses of the disks below them; loop, rom, zram, zvols and network block devices
    are not disks for a pool. Each path of a multipath device is in use by it, and the multipath device stands once
    for all of them. A fact whose column is missing is None. Raises UserError where there is no lsblk output to read.
    """
    return at_once(read_lsblk_in_steps(text, origin))


def read_lsblk_in_steps(text: str, origin: Origin) -> Generator[None, None, LsblkReading]:
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if not text.strip():
        raise UserError(tell("The lsblk output is empty"), todo=tell(RERUN))
    printed = yield from _nodes(text)
    tree, uncertain = as_tree(printed)
    yield
    nodes = merged(tree)
    yield
    everything = [node for root in nodes for node in walk(root)]
    candidates = [node for node in nodes if _is_disk(node)]
    drafts: list[tuple[BlockNode, Disk]] = []
    for number, node in enumerate(candidates):
        drafts.append((node, _disk(node, origin)))
        if number % _DISKS_PER_STEP == 0:
            yield
    drafts = _with_second_paths(drafts) + _multipath(candidates, origin)
    yield
    drafts = _with_keys(drafts)
    yield
    notes = (*_passed_over(everything), *_about_columns(everything), *_about_tree(nodes, uncertain))
    return LsblkReading(
        disks=tuple(disk for _, disk in drafts),
        notes=notes,
        kernel_names=tuple((disk.key, node.kname) for node, disk in drafts),
    )


def _nodes(text: str) -> Generator[None, None, tuple[BlockNode, ...]]:
    if looks_like_json(text):
        return (yield from read_json_nodes_in_steps(text))
    messages = [match.group(1) for line in text.splitlines() if (match := _MESSAGE.match(line.strip()))]
    try:
        return read_text_nodes(text)
    except UserError:
        if messages:
            raise _refusal(messages[0][:200]) from None
        raise


def _refusal(message: str) -> UserError:
    unknown = _UNKNOWN_COLUMN.search(message)
    if unknown:
        return UserError(
            tell("lsblk did not know the column {group} and printed no disks", group=unknown.group(1) or "?"),
            todo=tell("{rerun}, which prints the columns this version has.", rerun=tell(RERUN)),
        )
    if "command not found" in message:
        return UserError(
            tell("lsblk was not found on that machine"), todo=tell("Install util-linux there, or read it with --from.")
        )
    return UserError(tell("lsblk printed an error instead of disks: “{message}”", message=message), todo=tell(RERUN))


def never_a_disk(kernel_name: str) -> bool:
    """Tell whether a device of this name is no disk for a pool: a floppy drive, loop, RAM disk, md array, zvol."""
    return bool(_NEVER.match(kernel_name)) or any(pattern.match(kernel_name) for pattern, _ in _PASSED_OVER)


def _is_disk(node: BlockNode) -> bool:
    return node.type == "disk" and not never_a_disk(node.kname)


def _disk(node: BlockNode, origin: Origin) -> Disk:
    notes = list(media_notes(node))
    if node.size_text is not None:
        notes.append(
            Note(
                text=tell(
                    "lsblk printed the size rounded ({size_text}); lsblk -b prints it exactly", size_text=node.size_text
                )
            )
        )
    if node.size_bytes == 0:
        notes.append(Note(text=tell("reports size 0: no medium in it, or it does not answer"), level=NoteLevel.WARN))
    # lsblk before 2.33 prints the world-wide name where the serial number is not known to udev.
    if node.serial and node.wwn and node.serial.lower() == node.wwn.lower().removeprefix("0x"):
        notes.append(Note(text=tell("lsblk printed the world-wide name as serial number; smartctl knows the real one")))
    disk = Disk(
        key=node.path,
        path=node.path,
        by_id=(node.id_link,) if node.id_link else (),
        model=node.model,
        # “ATA” is the translation layer and 0x1af4 a PCI number: neither made the disk.
        vendor=None if node.vendor is None or re.match(r"ATA$|0x", node.vendor) else node.vendor,
        serial=node.serial,
        wwn=node.wwn,
        firmware=node.firmware,
        size_bytes=node.size_bytes,
        logical_sector_bytes=node.logical_sector_bytes,
        physical_sector_bytes=node.physical_sector_bytes,
        media=media_of(node),
        smr=True if node.zoned in {"host-managed", "host-aware"} else None,
        transport=node.transport,
        removable=node.removable,
        slot=node.hctl,
        use_known=_FSTYPE in node.columns and bool(node.columns & _MOUNTED),
        uses=uses_of(node),
        unfit=unfit_of(node),
        parts=tuple(_parts(node)),
        notes=tuple(notes),
    )
    rounded = origin.as_rounded() if node.size_text is not None else origin
    origins = [
        (field, rounded if field == "size_bytes" else origin)
        for field in _FIELDS
        if getattr(disk, field) not in (None, ())
    ]
    return replace(disk, origins=tuple(origins))


def _parts(disk: BlockNode) -> Iterator[DiskPart]:
    """Yield the partitions of a disk; one whose size was printed rounded has none."""
    for child in disk.children:
        if child.type == "part" and child.part_number is not None:
            yield DiskPart(
                number=child.part_number,
                size_bytes=child.size_bytes if child.size_text is None else None,
                type_guid=child.part_type.lower() if child.part_type else None,
                signature=child.fstype,
                names=child.part_names,
            )


def _multipath(candidates: list[BlockNode], origin: Origin) -> list[tuple[BlockNode, Disk]]:
    """Return each multipath device once, with the facts of its first path."""
    paths: dict[str, list[BlockNode]] = {}
    devices: dict[str, BlockNode] = {}
    for node in candidates:
        for child in node.children:
            if child.type == "mpath":
                devices.setdefault(child.kname, child)
                paths.setdefault(child.kname, []).append(node)
    made: list[tuple[BlockNode, Disk]] = []
    for kname, device in devices.items():
        first = paths[kname][0]
        whole = replace(
            first,
            kname=device.kname,
            name=device.name,
            path=device.path,
            type="mpath",
            size_bytes=first.size_bytes if device.size_bytes is None else device.size_bytes,
            size_text=first.size_text if device.size_bytes is None else device.size_text,
            logical_sector_bytes=device.logical_sector_bytes or first.logical_sector_bytes,
            physical_sector_bytes=device.physical_sector_bytes or first.physical_sector_bytes,
            read_only=device.read_only,
            state=device.state,
            fstype=device.fstype,
            label=device.label,
            table=device.table,
            id_link=device.id_link,
            mountpoints=device.mountpoints,
            children=device.children,
        )
        names = ", ".join(path.name for path in paths[kname])
        text = tell("multipath device over {names}; OpenZFS uses it as it is, without partitioning it", names=names)
        disk = _disk(whole, origin)
        made.append((whole, replace(disk, notes=(*disk.notes, Note(text=text)))))
    return made


def _with_second_paths(drafts: list[tuple[BlockNode, Disk]]) -> list[tuple[BlockNode, Disk]]:
    """Mark the second path of a disk that is seen twice while multipath is not set up.

    Same world-wide name, size and (where printed) serial number: giving both to a pool would use one disk twice.
    """
    first: dict[tuple[str, int | None], list[Disk]] = {}
    marked: list[tuple[BlockNode, Disk]] = []
    for node, disk in drafts:
        if disk.wwn is None or _is_path(disk):
            marked.append((node, disk))
            continue
        alike = first.setdefault((disk.wwn, disk.size_bytes), [])
        known = next((other for other in alike if one_disk(other, disk)), None)
        if known is None:
            alike.append(disk)
        marked.append((node, disk if known is None else as_second_path(disk, known)))
    return marked


def _is_path(disk: Disk) -> bool:
    return any(use.kind is UseKind.MULTIPATH for use in disk.uses)


def _with_keys(drafts: list[tuple[BlockNode, Disk]]) -> list[tuple[BlockNode, Disk]]:
    """Give each disk a key: its serial number or world-wide name where that is unique here, else its path.

    The paths of a multipath device leave the serial number to the device.
    """
    choices_of = [() if _is_path(disk) else (disk.serial, disk.wwn) for _, disk in drafts]
    names = Counter(name for choices in choices_of for name in set(choices) if name)
    keyed: list[tuple[BlockNode, Disk]] = []
    used: set[str] = set()
    for (node, disk), both in zip(drafts, choices_of, strict=True):
        choices = [name for name in both if name and names[name] == 1]
        numbered = (f"{node.path}#{number}" for number in count(2))
        key = next(name for name in chain(choices, (node.path,), numbered) if name not in used)
        used.add(key)
        keyed.append((node, replace(disk, key=key)))
    return keyed


def _passed_over(nodes: list[BlockNode]) -> list[Note]:
    notes: list[Note] = []
    for pattern, what in _PASSED_OVER:
        names = sorted({node.name for node in nodes if pattern.match(node.kname) and node.type in {"disk", None}})
        if names:
            notes.append(
                Note(
                    text=tell("Left out, not disks for a pool: {names} ({what})", names=_listed(names), what=tell(what))
                )
            )
    return notes


def _about_columns(nodes: list[BlockNode]) -> list[Note]:
    columns = frozenset[str]().union(*(node.columns for node in nodes))
    missing = []
    if _FSTYPE not in columns:
        missing.append(tell("FSTYPE (file systems, RAID, LVM, LUKS and ZFS signatures)"))
    if not columns & _MOUNTED:
        missing.append(tell("MOUNTPOINT (what is mounted)"))
    if not missing or not nodes:
        return []
    text = tell(
        "This lsblk output has no column {missing}: a disk that looks free may not be. {rerun}",
        missing=listed(missing),
        rerun=tell(RERUN),
    )
    return [Note(text=text, level=NoteLevel.WARN)]


def _about_tree(nodes: tuple[BlockNode, ...], uncertain: tuple[str, ...]) -> list[Note]:
    notes: list[Note] = []
    if uncertain:
        names = _listed(list(uncertain))
        text = tell(
            "This list does not say which disks {names} lies on: a disk that looks free may be part of it. {rerun}",
            names=names,
            rerun=tell(RERUN),
        )
        notes.append(Note(text=text, level=NoteLevel.WARN))
    lone = sorted(
        {node.name for node in nodes if node.type is not None and node.type in {"part", "crypt", "lvm", "mpath"}}
    )
    if lone:
        notes.append(
            Note(
                text=tell("The disk below {lone} is not in this lsblk output", lone=_listed(lone)), level=NoteLevel.WARN
            )
        )
    disks = [node for node in nodes if _is_disk(node)]
    if disks and not any(node.children or node.mountpoints for node in nodes):
        text = tell("Nothing here is partitioned or mounted: if lsblk ran with -d, what uses the disks is hidden")
        notes.append(Note(text=text))
    if not disks:
        notes.append(Note(text=tell("This lsblk output shows no disk"), level=NoteLevel.WARN))
    return notes


def _listed(names: list[str]) -> str:
    return first_of(names, 6)
