"""What `lsblk` says of a machine's disks: any version, JSON or text, any columns."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from poolwright.domain.command import Reading
from poolwright.domain.disk import LOOKS_LIKE_ARRAY, Disk, DiskPart, Media, Note, Unfit
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin
from poolwright.domain.grouping import grouped
from poolwright.machine.identity import with_second_paths
from poolwright.machine.json_values import damaged, decoded, is_json, json_start, nothing_of, with_origins
from poolwright.machine.lsblk.node import (
    RERUN,
    BlockNode,
    column_key,
    make_node,
    parent_by_name,
    read_text_nodes,
    uses_of,
    walk,
)
from poolwright.machine.remarks import state_notes, warning
from poolwright.texts import _, first_of, listed

_MESSAGE = re.compile(r"^(?:\S+: )?(?:line \d+: )?(lsblk: .+|lsblk: command not found)$")
# Volumes of a pool, network block devices, what lies on other disks, boot areas of an eMMC.
_PASSED_OVER = re.compile(r"zd\d|(nbd|rbd|drbd)\d|bcache\d|mmcblk\d+(boot\d|rpmb)")
_NEVER = re.compile(r"(zram|ram|loop|sr|fd|md|dm-)\d|md_")
_FIELDS = (
    "model", "vendor", "serial", "wwn", "firmware", "size_bytes", "logical_sector_bytes", "physical_sector_bytes",
    "media", "smr", "transport", "removable", "slot", "by_id",
)  # fmt: skip
_MOST_NAMED = 6
# The columns without which a disk that looks free may not be.
_FSTYPE, _MOUNTED = "fstype", frozenset({"mountpoint", "mountpoints"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LsblkReading:
    """The disks of one lsblk output, each with its kernel name (``sda``, ``dm-3``) as key, and notes about it all."""

    disks: tuple[Disk, ...]
    notes: tuple[Note, ...] = ()


def read_lsblk(text: str, origin: Origin) -> Reading[LsblkReading]:
    """Return the whole disks that ``text`` shows, each with what uses it.

    Pure: ``text`` is the output of lsblk, ``origin`` the source every value is marked with. Partitions, md arrays,
    LVM volumes and the like become uses of the disks below them; loop, rom, zram, zvols and network block devices
    are not disks for a pool. Each path of a multipath device is in use by it, and the multipath device stands once
    for all of them. A fact whose column is missing is None. Raises UserError where there is no lsblk output to read.
    """
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if not text.strip():
        raise nothing_of("lsblk", "", "lsblk -J -b -O")
    printed = yield from _nodes(text)
    # A list (-l, -r, -P) draws no tree.
    tree, uncertain = (printed, ()) if any(node.children for node in printed) else _nest(printed)
    yield ()
    nodes = merged(tree)
    yield ()
    everything = [node for root in nodes for node in walk(root)]
    candidates = [node for node in nodes if _is_disk(node)]
    found: list[Disk] = []
    for number, node in enumerate(candidates):
        found.append(_disk(node, origin))
        if number % 50 == 0:
            yield ()
    disks = (*with_second_paths(found), *_multipath(candidates, origin))
    yield ()
    notes = (*_passed_over(everything), *_about_columns(everything), *_about_tree(nodes, uncertain))
    return LsblkReading(disks=disks, notes=notes)


def _nodes(text: str) -> Reading[tuple[BlockNode, ...]]:
    if '"blockdevices"' in text or is_json(text):
        return (yield from _json_documents(text))
    messages = [match.group(1) for line in text.splitlines() if (match := _MESSAGE.match(line.strip()))]
    try:
        return read_text_nodes(text)
    except UserError:
        if messages:
            text = _("lsblk printed an error instead of disks: “{message}”", message=messages[0][:200])
            raise UserError(text, todo=_(RERUN)) from None
        raise


def never_a_disk(kernel_name: str) -> bool:
    """Tell whether a device of this name is no disk for a pool: a floppy drive, loop, RAM disk, md array, zvol."""
    return bool(_NEVER.match(kernel_name) or _PASSED_OVER.match(kernel_name))


def _is_disk(node: BlockNode) -> bool:
    return node.type == "disk" and not never_a_disk(node.kname)


def _disk(node: BlockNode, origin: Origin) -> Disk:
    notes = [warning(_(LOOKS_LIKE_ARRAY))] if is_raid(node) and not is_virtual(node) else []
    if node.transport in _REMOTE:
        text = _("reached over {transport}: what is below it is not visible", transport=node.transport)
        notes.append(Note(text=text))
    if node.zoned in {"host-managed", "host-aware"}:
        notes.append(warning(_("zoned (SMR) drive, {zoned}: not for ZFS", zoned=node.zoned)))
    notes.extend(state_notes(node.state))
    if node.size_text is not None:
        text = _("lsblk printed the size rounded ({size}); lsblk -b prints it exactly", size=node.size_text)
        notes.append(Note(text=text))
    if node.size_bytes == 0:
        notes.append(warning(_("reports size 0: no medium in it, or it does not answer")))
    # lsblk before 2.33 prints the world-wide name where the serial number is not known to udev.
    if node.serial and node.wwn and node.serial.lower() == node.wwn.lower().removeprefix("0x"):
        notes.append(Note(text=_("lsblk printed the world-wide name as serial number; smartctl knows the real one")))
    facts: dict[str, Any] = {name: getattr(node, name) for name in _FIELDS if hasattr(node, name)}
    unfit = {
        Unfit.HOST_MANAGED: node.zoned == "host-managed",
        Unfit.NO_SIZE: node.size_bytes == 0,
        Unfit.OFFLINE: node.state in {"offline", "transport-offline", "dead", "deleting"},
    }
    # “ATA” is the translation layer and 0x1af4 a PCI number: neither made the disk.
    facts["vendor"] = None if node.vendor is None or re.match(r"ATA$|0x", node.vendor) else node.vendor
    disk = Disk(
        key=node.kname,
        path=node.path,
        by_id=(node.id_link,) if node.id_link else (),
        media=media_of(node),
        smr=True if node.zoned in {"host-managed", "host-aware"} else None,
        slot=node.hctl,
        use_known=_FSTYPE in node.columns and bool(node.columns & _MOUNTED),
        uses=uses_of(node),
        unfit=tuple(why for why, so in unfit.items() if so),
        parts=tuple(_parts(node)),
        notes=tuple(notes),
        **facts,
    )
    return with_origins(disk, _FIELDS, origin, rounded=node.size_text is not None)


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


_OF_THE_MAP = (
    "kname", "name", "path", "type", "read_only", "state", "fstype", "label", "table", "id_link", "mountpoints",
    "children",
)  # fmt: skip


def _multipath(candidates: list[BlockNode], origin: Origin) -> Iterator[Disk]:
    """Yield each multipath device once, with the facts of its first path."""
    paths: dict[str, list[BlockNode]] = {}
    devices: dict[str, BlockNode] = {}
    for node in candidates:
        for child in node.children:
            if child.type == "mpath":
                devices.setdefault(child.kname, child)
                paths.setdefault(child.kname, []).append(node)
    for kname, device in devices.items():
        first = paths[kname][0]
        sized = first if device.size_bytes is None else device
        own: dict[str, Any] = {name: getattr(device, name) for name in _OF_THE_MAP}
        whole = replace(
            first,
            size_bytes=sized.size_bytes,
            size_text=sized.size_text,
            logical_sector_bytes=device.logical_sector_bytes or first.logical_sector_bytes,
            physical_sector_bytes=device.physical_sector_bytes or first.physical_sector_bytes,
            **own,
        )
        names = ", ".join(path.name for path in paths[kname])
        text = _("multipath device over {names}; OpenZFS uses it as it is, without partitioning it", names=names)
        disk = _disk(whole, origin)
        yield replace(disk, notes=(*disk.notes, Note(text=text)))


def _passed_over(nodes: list[BlockNode]) -> list[Note]:
    passed = {node.name for node in nodes if _PASSED_OVER.match(node.kname) and node.type in {"disk", None}}
    names = first_of(sorted(passed), _MOST_NAMED)
    return [Note(text=_("Left out, not disks for a pool: {names}", names=names))] if names else []


def _about_columns(nodes: list[BlockNode]) -> list[Note]:
    columns = frozenset[str]().union(*(node.columns for node in nodes))
    there = {"FSTYPE": _FSTYPE in columns, "MOUNTPOINT": columns & _MOUNTED}
    missing = [name for name, known in there.items() if not known]
    if not missing or not nodes:
        return []
    text = _(
        "lsblk printed no column {missing}: a disk that looks free may not be. {rerun}",
        missing=listed(missing),
        rerun=_(RERUN),
    )
    return [warning(text)]


def _about_tree(nodes: tuple[BlockNode, ...], uncertain: tuple[str, ...]) -> list[Note]:
    notes: list[Note] = []
    if uncertain:
        names = first_of(uncertain, _MOST_NAMED)
        text = _(
            "It is not said which disks {names} lies on: one that looks free may be part of it. {rerun}",
            names=names,
            rerun=_(RERUN),
        )
        notes.append(warning(text))
    lone = sorted(
        {node.name for node in nodes if node.type is not None and node.type in {"part", "crypt", "lvm", "mpath"}}
    )
    if lone:
        notes.append(warning(_("The disk below {lone} is not in this lsblk output", lone=first_of(lone, _MOST_NAMED))))
    disks = [node for node in nodes if _is_disk(node)]
    if disks and not any(node.children or node.mountpoints for node in nodes):
        text = _("Nothing is partitioned or mounted: if lsblk ran with -d, uses are hidden")
        notes.append(Note(text=text))
    if not disks:
        notes.append(warning(_("This lsblk output shows no disk")))
    return notes


# Which device lies on which, where lsblk did not draw it: lists, inverse trees.

# Types that stand alone in a list, or whose disk their name tells.
_ALONE = frozenset({None, "disk", "loop", "rom", "part"})
_STACKED = ("bcache", "drbd", "zd", "nbd", "rbd")
# Deeper than any real stack; bounds what damaged input can build.
_DEEPEST = 64


def merged(nodes: tuple[BlockNode, ...]) -> tuple[BlockNode, ...]:
    """Return the devices with those named twice made one, as when `lsblk` and `lsblk -f` are kept in one file."""
    found: dict[str, BlockNode] = {}
    for node in nodes:
        known = found.get(node.kname)
        found[node.kname] = node if known is None else _united(known, node)
    return tuple(replace(node, children=merged(node.children)) if node.children else node for node in found.values())


def _united(one: BlockNode, other: BlockNode) -> BlockNode:
    empty = {f.name: getattr(other, f.name) for f in fields(one) if getattr(one, f.name) in (None, ())}
    united = replace(one, **empty)
    if one.size_text is not None and other.size_bytes is not None and other.size_text is None:
        united = replace(united, size_bytes=other.size_bytes, size_text=None)
    elif one.size_bytes is not None:
        united = replace(united, size_text=one.size_text)
    return replace(
        united,
        columns=one.columns | other.columns,
        mountpoints=tuple(dict.fromkeys(one.mountpoints + other.mountpoints)),
        children=one.children + other.children,
    )


def _nest(nodes: tuple[BlockNode, ...]) -> tuple[tuple[BlockNode, ...], tuple[str, ...]]:
    """Return the devices with what lies on them below them, and the names of those whose place is unknown.

    They are nested by the PKNAME column, else by the names of partitions; other devices in such a list are put under
    the disk they follow, because lsblk walks disk by disk, and are reported as uncertain.
    """
    index: dict[str, int] = {}
    for position, node in enumerate(nodes):
        for name in (node.name, node.kname):
            index.setdefault(name, position)
    parents: list[int | None] = []
    uncertain: list[str] = []
    disk: int | None = None
    for position, node in enumerate(nodes):
        parent = _parent(node, index)
        if parent is None and node.type == "disk" and not node.kname.startswith(_STACKED):
            disk = position
        elif parent is None and node.type not in _ALONE and "pkname" not in node.columns:
            uncertain.append(node.name)
            parent = disk
        parents.append(None if _cycle(parents, parent) else parent)
    children = grouped((parent, position) for position, parent in enumerate(parents) if parent is not None)

    def build(position: int, depth: int) -> BlockNode:
        below = tuple(build(child, depth + 1) for child in children.get(position, ()) if depth < _DEEPEST)
        return replace(nodes[position], children=below) if below else nodes[position]

    return tuple(build(p, 0) for p, parent in enumerate(parents) if parent is None), tuple(dict.fromkeys(uncertain))


def _parent(node: BlockNode, index: dict[str, int]) -> int | None:
    if node.parent is not None:
        return index.get(node.parent)
    if node.type == "part":
        above = parent_by_name(node.kname)
        return index.get(above) if above is not None else None
    return None


def _cycle(parents: list[int | None], parent: int | None) -> bool:
    """Tell whether hanging the next node under ``parent`` would close a circle or a chain deeper than any real one."""
    for __ in range(_DEEPEST):
        if parent is None or parent > len(parents):
            return False
        if parent == len(parents):
            return True
        parent = parents[parent]
    return True


# What kind of drive lsblk describes, only as far as it can be believed.

# Disks that a hypervisor or a test driver makes up: their ROTA says nothing of what lies below.
_VIRTUAL = re.compile(
    r"qemu|vbox|vmware|virtual|msft|xen|scsi_debug|persistentdisk|amazon elastic|bhyve|nutanix|blockvolume|opennebula",
    re.IGNORECASE,
)
# Logical drives of RAID controllers: ROTA is what the controller chose to say.
_RAID = re.compile(
    r"perc|logical[ _]volume|megaraid|serveraid|smart[ _]?array|raid|\bmr\d{4}|\blsi\b|avago|areca|adaptec|\bhsv\d",
    re.IGNORECASE,
)
_REMOTE = frozenset({"iscsi", "fc", "fcoe", "aoe"})
_DIRECT = frozenset({"sata", "sas", "ata", "sbp"})


def media_of(node: BlockNode) -> Media | None:
    """Return the media, or None where lsblk does not prove it.

    ROTA 1 is the kernel's default for every device that does not say otherwise, so virtual disks, USB bridges,
    logical drives of RAID controllers and remote LUNs with ROTA 1 stay unknown. ROTA 0 is said by the device.
    """
    if node.kname.startswith("nvme") or node.transport == "nvme":
        return Media.NVME
    if node.kname.startswith("mmcblk"):
        return Media.SSD
    if node.rotational is None or is_virtual(node) or is_raid(node) or node.transport in _REMOTE:
        return None
    if not node.rotational:
        return Media.SSD if node.model or node.transport in _DIRECT | {"usb"} else None
    if node.transport == "usb":
        return None
    return Media.HDD if node.model or node.transport in _DIRECT else None


def is_virtual(node: BlockNode) -> bool:
    if node.transport == "virtio" or re.match(r"(vd|xvd)[a-z]", node.kname):
        return True
    return _VIRTUAL.search(f"{node.vendor or ''} {node.model or ''}") is not None


def is_raid(node: BlockNode) -> bool:
    if node.kname.startswith("cciss!"):
        return True
    return _RAID.search(f"{node.vendor or ''} {node.model or ''}") is not None


# The devices in lsblk -J output of any version, column subset and surroundings.

_START = re.compile(r"\{\s*\"blockdevices\"")
_BAD_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([0-9a-fA-F]{2})")
_DEVICES_PER_STEP = 50


def _json_documents(text: str) -> Reading[tuple[BlockNode, ...]]:
    """Return the devices as printed, nested as printed; yields now and then.

    Text before and after the JSON (a prompt, a log line) is passed over; several documents are read as one.
    Raises UserError when the JSON is cut off, damaged or not from lsblk.
    """
    # Versions before 2.34 wrote \xHH into JSON, which JSON does not know; `make_node` reads the bytes.
    if "\\x" in text:
        text = _BAD_ESCAPE.sub(r"\1\\\\x\2", text)
    nodes: list[BlockNode] = []
    end = -1
    for start in [match.start() for match in _START.finditer(text)] or [json_start(text)]:
        if start >= end:
            document, end = decoded(text, start, tool="lsblk -J -b -O")
            yield ()
            nodes.extend((yield from _devices_of(document)))
    return tuple(nodes)


def _devices_of(document: object) -> Reading[tuple[BlockNode, ...]]:
    devices = document.get("blockdevices") if isinstance(document, dict) else document
    if not isinstance(devices, list) or not all(isinstance(item, dict) for item in devices):
        raise nothing_of("lsblk", "", "lsblk -J -b -O")
    named = any(isinstance(item.get(key), str) for item in devices for key in ("name", "kname", "path"))
    if devices and isinstance(document, list) and not named:
        raise nothing_of("lsblk", "", "lsblk -J -b -O")
    nodes: list[BlockNode] = []
    for first in range(0, len(devices), _DEVICES_PER_STEP):
        nodes.extend(_json_nodes(devices[first : first + _DEVICES_PER_STEP], 0))
        yield ()
    return tuple(nodes)


def _json_nodes(items: list[object], depth: int) -> tuple[BlockNode, ...]:
    if depth > _DEEPEST:
        raise damaged("lsblk -J -b -O")
    nodes: list[BlockNode] = []
    for item in (item for item in items if isinstance(item, dict)):
        below = item.get("children")
        children = _json_nodes(below, depth + 1) if isinstance(below, list) else ()
        columns = {column_key(str(key)): value for key, value in item.items() if key != "children"}
        if (node := make_node(columns, children)) is not None:
            nodes.append(node)
    return tuple(nodes)
