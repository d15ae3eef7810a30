"""Which disks of a design and of a machine are one and the same, whatever they are called now."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum

from poolwright.domain.disk import Disk, UseKind
from poolwright.domain.inventory import Inventory
from poolwright.texts import marked

_SIZES_AGREE = 1000  # sizes that differ by less than a thousandth are one size, printed with fewer digits
# Names that a mapping has, not the disk below it.
_MAPPED = ("dm-", "md-", "lvm-", "raid-", "usb-")


class PairedBy(StrEnum):
    HAND = marked("by hand")
    NAME = marked("same by-id name")
    SERIAL = marked("same serial number")
    WWN = marked("same world-wide name")
    FACTS = marked("what it is")


def identified(planned: Sequence[Disk], real: Iterable[Disk]) -> dict[str, tuple[Disk, PairedBy]]:
    """Return by the key of each design's disk the one that it is on the machine, and by what it is known.

    Nothing that two disks share on either side tells them apart: serial numbers that a bridge fills in, or both
    namespaces of a drive have. Paths below a multipath disk do not count.
    """
    there = [disk for disk in real if not any(use.kind is UseKind.MULTIPATH for use in disk.uses)]
    found: dict[str, tuple[Disk, PairedBy]] = {}
    taken: set[str] = set()
    for how, names_of in _WAYS:
        mine, theirs = _owners(planned, names_of), _owners(there, names_of)
        for name, disk in mine.items():
            other = theirs.get(name)
            if disk is None or other is None or disk.key in found or other.key in taken:
                continue
            if how is not PairedBy.SERIAL or _sizes_agree(disk, other):
                found[disk.key] = other, how
                taken.add(other.key)
    return found


def completed(inventory: Inventory, planned: Sequence[Disk]) -> Inventory:
    """Return the machine with the facts that were read before of disks of which a listing tells nothing but names."""
    seen = [disk for disk in planned if not disk.planned]
    bare = [disk for disk in inventory.disks if disk.size_bytes is None and disk.model is None and disk.by_id]
    before = {}
    for disk in bare:
        known = [other for other in seen if _is_listed(other, disk.by_id)]
        if len(known) == 1:
            origins = tuple(told for told in known[0].origins if told[0] != "by_id")
            now = replace(known[0], key=disk.key, path=disk.path, by_id=disk.by_id, origins=origins)
            before[disk.key] = now
    return replace(inventory, disks=tuple(before.get(disk.key, disk) for disk in inventory.disks))


def _is_listed(disk: Disk, names: Collection[str]) -> bool:
    """Tell whether names of udev's are of this disk: they end in its serial number, or are its world-wide name."""
    serial, wide = disk.telling_serial, _world_wide_names(disk)
    ending = "_" + re.sub(r"\s+", "_", serial) if serial else None
    return any(
        name in disk.by_id or (ending is not None and name.endswith(ending)) or name.removeprefix("wwn-0x") in wide
        for name in names
    )


def _owners(disks: Iterable[Disk], names_of: Callable[[Disk], Collection[str]]) -> dict[str, Disk | None]:
    """Return the disk of each name; None where two have it."""
    owners: dict[str, Disk | None] = {}
    for disk in disks:
        for name in dict.fromkeys(names_of(disk)):
            owners[name] = None if name in owners else disk
    return owners


def _by_id_names(disk: Disk) -> tuple[str, ...]:
    return tuple(sorted(name for name in disk.by_id if not name.startswith(_MAPPED) and "-part" not in name))


def _serials(disk: Disk) -> tuple[str, ...]:
    serial = re.sub(r"[\s_-]", "", disk.telling_serial or "").upper()
    return (serial,) if serial else ()


def _world_wide_names(disk: Disk) -> tuple[str, ...]:
    bare = re.sub(r"^(0x|naa\.|wwn-)", "", (disk.wwn or "").strip().lower()).removeprefix("0x")
    return (bare,) if bare.strip("0") else ()


def _sizes_agree(one: Disk, other: Disk) -> bool:
    if one.size_bytes is None or other.size_bytes is None:
        return True
    return abs(one.size_bytes - other.size_bytes) <= max(one.size_bytes, other.size_bytes) // _SIZES_AGREE


_WAYS: tuple[tuple[PairedBy, Callable[[Disk], Collection[str]]], ...] = (
    (PairedBy.WWN, _world_wide_names),
    (PairedBy.NAME, _by_id_names),
    (PairedBy.SERIAL, _serials),
)
