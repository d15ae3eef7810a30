"""One inventory out of everything that was read: each disk once, with the best source for each fact."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from poolwright.domain.command import Reading
from poolwright.domain.disk import Disk, Note, short_name, without_partition
from poolwright.domain.estimate import Origin
from poolwright.domain.host import Inventory
from poolwright.domain.pool import Pool
from poolwright.machine.bays.read import with_places
from poolwright.machine.burn_in import with_siblings
from poolwright.machine.by_id import READ_AT_ONCE, ById, KnownDisks, with_derived_names, with_pools
from poolwright.machine.gather import Gatherer
from poolwright.machine.identity import finished, is_second_path, links_of, with_bodies, with_keys, without_placeholders
from poolwright.machine.lsblk.node import infer_type
from poolwright.machine.remarks import OddFact, about, joined, warning
from poolwright.machine.zpool.existing import existing_pools
from poolwright.texts import N_, _, first_of

_MOST_NAMED = 3
_ASTRAY = N_("{path}: another disk in /dev/disk/by-id, whose links are left out: {todo}")
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
    own, astray = links_of(provisional, kernels, _names_by_kernel(gathered.links))
    linked = tuple(_with_links(disk, own.get(disk.key, ())) for disk in provisional)
    return tuple(_with_names_of_parts(linked, table, _names_of_parts(gathered.links))), astray


def _with_names(disks: Sequence[Disk], gathered: Gatherer, origin: Origin) -> tuple[Disk, ...]:
    """Return the disks with the names that udev makes, where nobody listed those that are there."""
    if any(listing.directory == "by-id" for listing in gathered.links):
        # A disk to which no link leads has the origin of that: "none was read" is not "none is".
        return tuple(d if d.by_id else replace(d, origins=(*d.origins, ("by_id", origin))) for d in disks)
    return with_derived_names(disks)


def _names_by_kernel(links: Sequence[ById]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for listing in links:
        if listing.directory == "by-id":
            for kernel, names in listing.names().items():
                found.setdefault(kernel, {}).update(dict.fromkeys(names))
    return {kernel: tuple(names) for kernel, names in found.items()}


def _names_of_parts(links: Sequence[ById]) -> dict[tuple[str, int], list[str]]:
    """Return the aliases, labels and PARTUUIDs that other directories give a partition; of a whole disk its first."""
    found: dict[tuple[str, int], list[str]] = {}
    for link in (link for listing in links if listing.directory not in {"by-id", "by-path"} for link in listing.links):
        whole, number = without_partition(link.kernel_name)
        found.setdefault((whole, number or link.partition or 1), []).append(link.name)
    return found


def _with_names_of_parts(
    disks: Sequence[Disk], table: KnownDisks, names: Mapping[tuple[str, int], Sequence[str]]
) -> Iterator[Disk]:
    for disk in disks:
        kernel = table.kernel_name(disk) or ""
        more = (dict.fromkeys((*part.names, *names.get((kernel, part.number), ()))) for part in disk.parts)
        parts = (replace(part, names=tuple(told)) for part, told in zip(disk.parts, more, strict=True))
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
    names = {disk.wwn: disk.by_id for disk in ways}
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
        whole = short_name(without_partition(printed)[0])
        by_id = re.match(r"(?:ata|scsi|nvme|wwn|virtio|usb|mmc|dm|lvm|md)-", whole) is not None
        disk = Disk(
            key=whole,
            path=None if by_id else f"/dev/{whole}",
            by_id=(whole,) if by_id else (),
            use_known=False,
            notes=(warning(text),),
        )
        found.setdefault(whole, disk)
    return list(found.values())
