"""Which disks belong to which pool: imported, importable, or only left behind as a signature."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from poolwright.domain.disk import Disk, Use, UseKind, parts_by_name, short_name, without_partition
from poolwright.domain.pool import Pool, PoolNode
from poolwright.domain.pool_state import import_words
from poolwright.machine.by_id import ById
from poolwright.machine.smartctl.facts import canonical_wwn


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
    finder = _Finder(disks, kernel_names, links)
    here = finder.members((*(imported or ()), *also_imported))
    waiting = finder.members(importable or ())
    names = {pool.name for pool in (*(imported or ()), *also_imported)}
    hidden = {pool.name for pool in imported or () if finder.has_unknown_leaf(pool)}
    hidden |= {pool.name for pool in also_imported if not pool.vdevs or finder.has_unknown_leaf(pool)}
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
            uses = [_unclaimed(label, names, hidden) for label in labels]
        rest = [use for use in disk.uses if use.kind not in {UseKind.POOL, UseKind.FOREIGN_POOL}]
        kept = [use for use in disk.uses if use.kind is UseKind.FOREIGN_POOL] if not uses else []
        result.append(replace(disk, uses=(*uses, *kept, *rest)) if uses else disk)
    return tuple(result)


def _unclaimed(label: str, names: set[str], hidden: set[str]) -> Use:
    if label in names and label in hidden:
        # Members of this pool are listed under names that could not be resolved: this disk may be one of them.
        return Use(kind=UseKind.POOL, detail=label)
    return Use(kind=UseKind.FOREIGN_POOL, detail=label)


class _Finder:
    """Finds the disk behind a name that zpool printed."""

    def __init__(self, disks: Sequence[Disk], kernel_names: Mapping[str, str], links: Sequence[ById]) -> None:
        self._links = links
        self._by_name = {name: disk.key for name, (disk, _) in parts_by_name(disks).items()}
        self._serials: list[tuple[str, str]] = []
        for disk in disks:
            names = [*disk.by_id, kernel_names.get(disk.key), short_name(disk.path or ""), canonical_wwn(disk.wwn)]
            for name in names:
                if name:
                    self._by_name.setdefault(name, disk.key)
            if disk.serial and len(disk.serial) >= 4:
                self._serials.append((disk.serial.replace(" ", "_"), disk.key))

    def members(self, pools: Sequence[Pool]) -> dict[str, list[Pool]]:
        """Return the pools by disk key; those that `zpool import` lists may share a name."""
        found: dict[str, list[Pool]] = {}
        for pool in pools:
            for leaf in pool.leaves():
                key = self.find(leaf)
                if key is not None and pool not in found.setdefault(key, []):
                    found[key].append(pool)
        return found

    def has_unknown_leaf(self, pool: Pool) -> bool:
        """Tell whether a device of the pool could not be found among the disks."""
        return any(leaf.kind != "file" and self.find(leaf) is None for leaf in pool.leaves())

    def find(self, leaf: PoolNode) -> str | None:
        """Return the key of the disk a leaf of a pool lies on; None when it is none of these disks."""
        if leaf.kind == "file":
            return None
        for text in (leaf.path, leaf.name):
            if text:
                key = self._find_name(short_name(text))
                if key is not None:
                    return key
        return None

    def _find_name(self, name: str) -> str | None:
        for links in self._links:
            kernel = links.disk_of(name)
            if kernel is not None:
                key = self._of_kernel(kernel)
                if key is not None:
                    return key
        whole = re.sub(r"-part\d+\Z", "", name)
        if whole in self._by_name:
            return self._by_name[whole]
        key = self._of_kernel(name)
        if key is not None:
            return key
        wwn = canonical_wwn(re.sub(r"^(?:wwn-|scsi-3|nvme-(?=eui))", "", whole))
        if wwn is not None and wwn in self._by_name:
            return self._by_name[wwn]
        owners = {key for serial, key in self._serials if whole.endswith((f"_{serial}", f"_{serial}_1"))}
        return owners.pop() if len(owners) == 1 else None

    def _of_kernel(self, kernel: str) -> str | None:
        if kernel in self._by_name:
            return self._by_name[kernel]
        return self._by_name.get(without_partition(kernel)[0])
