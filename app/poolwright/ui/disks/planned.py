"""Disks typed by hand beside those of a machine: added to an inventory, and taken out again."""

from collections.abc import Iterable
from dataclasses import replace

from poolwright.domain.disk import Disk
from poolwright.domain.inventory import Inventory


def with_planned(inventory: Inventory, typed: Inventory) -> tuple[Inventory, frozenset[str]]:
    """Return the inventory with the typed disks behind its own, and the keys they got."""
    taken = {disk.key for disk in inventory.disks}
    added: list[Disk] = []
    for disk in typed.disks:
        key = _free_key(disk.key, taken)
        taken.add(key)
        added.append(replace(disk, key=key))
    notes = inventory.notes + tuple(note for note in typed.notes if note not in inventory.notes)
    made = replace(inventory, disks=(*inventory.disks, *added), notes=notes)
    return made, frozenset(disk.key for disk in added)


def without_planned(inventory: Inventory, keys: Iterable[str]) -> Inventory:
    """Return the inventory without those of its planned disks; what was read of a machine always stays."""
    gone = frozenset(keys)
    return replace(inventory, disks=tuple(d for d in inventory.disks if not (d.planned and d.key in gone)))


def _free_key(wanted: str, taken: set[str]) -> str:
    if wanted not in taken:
        return wanted
    stem, dash, number = wanted.rpartition("-")
    at = int(number) if dash and number.isdecimal() else 1
    stem = stem if dash and number.isdecimal() else wanted
    while f"{stem}-{at:02d}" in taken:
        at += 1
    return f"{stem}-{at:02d}"
