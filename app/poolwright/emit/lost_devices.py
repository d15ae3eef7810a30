"""The commands for devices of an existing pool that are gone, count errors, or have another standing in for them."""

import re
from collections.abc import Iterator

from poolwright.changes.against.vdevs import REMOVAL_SINCE
from poolwright.changes.as_design import seats_of
from poolwright.changes.audit import PoolAudit
from poolwright.domain.disk import Disk, Health, without_partition
from poolwright.domain.existing_pool import ScanKind
from poolwright.domain.origin import OriginKind
from poolwright.domain.pool import SERVING, STANDING_IN, WELL, PoolNode
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.names import quote
from poolwright.rules.existing_tree import last_copies, name_of_another

# What installers call the pool that is booted from, and that of the system: FreeNAS and TrueNAS, Debian and Ubuntu on
# ZFS, Proxmox VE, FreeBSD.
BOOT_POOLS = frozenset({"bpool", "boot-pool", "freenas-boot"})
_OF_SYSTEMS = BOOT_POOLS | {"rpool", "zroot"}
# What FreeBSD calls devices, which it has no /dev/disk/by-id for.
_OF_FREEBSD = re.compile(r"(?:/dev/)?(?:(?:gpt|gptid|diskid|label)/.|(?:a?da|nda|nvd)\d+(?:p\d+)?\Z)")
# Taken out by a person or a hand: what is on them is theirs still, and little of it is old.
_COMES_BACK = frozenset({"OFFLINE", "REMOVED"})
_DISTRIBUTED = re.compile(r"draid[123]-(\d{1,9})-\d{1,9}\Z")


def line_of(*words: str) -> str:
    return " ".join(quote(word) for word in words)


def device_of(node: PoolNode) -> str:
    return node.path or node.name


def online_name(audit: PoolAudit, node: PoolNode) -> str:
    """Return what `zpool online` takes: the disk itself where zpool made the partition.

    With -e or autoexpand=on it writes such a table anew, and fails on the path that `zpool status -P` prints: "cannot
    relabel …-part1: unable to read disk capacity" (https://github.com/openzfs/zfs/issues/8449).
    """
    name = device_of(node)
    if not name.startswith("/dev/") or without_partition(name)[1] != 1:
        return name
    _, part = _place_of(audit, node)
    return without_partition(name)[0] if part is None else name


def of_freebsd(audit: PoolAudit) -> bool:
    """Tell whether the pool is on FreeBSD: its system says so, or the names of its devices do."""
    system = audit.made.design.machine.os_name if audit.made is not None else None
    named = any(_OF_FREEBSD.match(device_of(leaf)) for leaf in audit.pool.leaves())
    return "freebsd" in (system or "").lower() or named


def new_disk(audit: PoolAudit, number: int | None = None) -> str:
    """Return what stands for a disk that is put in."""
    name = "NEW-DISK" if number is None else f"NEW-DISK-{number}"
    return f"/dev/{name}" if of_freebsd(audit) else f"/dev/disk/by-id/{name}"


def by_id_names(audit: PoolAudit) -> list[str]:
    """Return how the names become stable ones; nothing for a pool that runs the system, which no command exports."""
    pool = audit.pool.name
    if audit.known.value("bootfs") is not None or pool in _OF_SYSTEMS:
        return []
    place = () if of_freebsd(audit) else ("-d", "/dev/disk/by-id")
    return [line_of("zpool", "export", pool), line_of("zpool", "import", *place, pool)]


def replacing(audit: PoolAudit) -> list[str]:
    """Return how each device that is gone comes back or is replaced; a spare that waits needs no shopping.

    Nothing for a device in whose place another one is already.
    """
    pool = audit.pool.name
    waiting = _waiting(audit)
    lines: list[str] = []
    last: list[str] = []
    for top in audit.pool.vdevs:
        for leaf in _lost(top):
            if top.section == "spares" or (top.section == "cache" and leaf.state not in _COMES_BACK):
                lines.extend(_exchanged(audit, leaf))
                continue
            if leaf.state in _COMES_BACK:
                lines.append(line_of("zpool", "online", pool, online_name(audit, leaf)))
                continue
            # Where the kernel gave its name to another disk, it may be there under a new one.
            moved = by_id_names(audit) if name_of_another(leaf, audit.pool.vdevs) else []
            lines.extend(() if moved else _by_spare_or_new(audit, top, leaf, waiting))
            last = moved or last
    return [*lines, *last]


def replacing_worn(audit: PoolAudit) -> list[str]:
    """Return how devices give way that serve on with too many errors: one, for each resilver is awaited."""
    worn = [(top, leaf) for top in audit.pool.vdevs for leaf in top.leaves() if leaf.state == "DEGRADED"]
    return [line for top, leaf in worn[:1] for line in _by_spare_or_new(audit, top, leaf, _waiting(audit))]


def rescuing(audit: PoolAudit) -> list[str]:
    """Return how the data leave a pool before a device is touched that nothing else protects, and what comes then."""
    pool, version = audit.pool.name, audit.made.design.version if audit.made is not None else DEFAULT_VERSION
    copy = [
        line_of("zfs", "snapshot", "-r", f"{pool}@rescue"),
        f"{line_of('zfs', 'send', '-R', f'{pool}@rescue')} | {line_of('zfs', 'receive', '-u', f'OTHER-POOL/{pool}')}",
    ]
    failing = frozenset(_failing(audit))
    last = list(last_copies(audit.pool, resilvering=audit.known.runs(ScanKind.RESILVER), failing=failing))
    for top in audit.pool.vdevs:
        for leaf in (leaf for leaf in top.leaves() if leaf in last):
            if leaf is top and version >= REMOVAL_SINCE and _has_room_beside(audit, top):
                copy.append(line_of("zpool", "remove", pool, device_of(leaf)))
            else:
                copy.extend(_by_spare_or_new(audit, top, leaf, _waiting(audit)))
    return copy


def _failing(audit: PoolAudit) -> Iterator[str]:
    for node, vdev in zip(audit.made.nodes, audit.made.design.vdevs, strict=True) if audit.made is not None else ():
        for seat, member in zip(seats_of(node), vdev.members, strict=True):
            if audit.made is not None and audit.made.design.disk(member.disk_key).health is Health.FAILING:
                yield seat.name


def _has_room_beside(audit: PoolAudit, top: PoolNode) -> bool:
    """Tell whether `zpool remove` would take a vdev: no raidz in the pool, one ashift, room in the others."""
    others = [node for node in audit.pool.vdevs if node.section == "data" and node is not top]
    if top.section != "data" or not others or any(n.kind.startswith(("raidz", "draid")) for n in audit.pool.vdevs):
        return False
    own, beside = audit.known.vdev(top.name), [audit.known.vdev(node.name) for node in others]
    free = [one.free_bytes for one in beside if one is not None and one.free_bytes is not None]
    ashifts = {one.ashift for one in (own, *beside) if one is not None and one.ashift}
    held = own.allocated_bytes if own is not None else None
    return held is not None and len(free) == len(others) and held < sum(free) and len(ashifts) <= 1


def _waiting(audit: PoolAudit) -> list[PoolNode]:
    """Return the spares that wait, the smallest first: a larger one is kept for a larger disk."""
    spares = [leaf for leaf in audit.pool.leaves() if leaf.section == "spares" and leaf.state == "AVAIL"]
    return sorted(spares, key=lambda leaf: _size_of(audit, leaf) or 0)


def _by_spare_or_new(audit: PoolAudit, top: PoolNode, leaf: PoolNode, waiting: list[PoolNode]) -> list[str]:
    """Return the replacement of a device by a spare that fits, which is taken out of ``waiting``, or by a new disk."""
    largest = max(_logical_sector(audit, seat) for seat in top.leaves())
    fitting = [one for one in waiting if _serves(audit, one, top, leaf)]
    # One of larger sectors than the vdev has is refused where its ashift is small, which nobody may have read.
    spare = min(fitting, key=lambda one: _logical_sector(audit, one) > largest, default=None)
    if spare is None:
        return _replaced(audit, leaf)
    waiting.remove(spare)
    option = _small_blocks(audit, spare, top)
    return [line_of("zpool", "replace", *option, audit.pool.name, device_of(leaf), device_of(spare))]


def _logical_sector(audit: PoolAudit, leaf: PoolNode) -> int:
    disk = _place_of(audit, leaf)[0]
    return disk.logical_sector_bytes or 0 if disk is not None else 0


def _exchanged(audit: PoolAudit, leaf: PoolNode) -> list[str]:
    """Return how a spare or a cache that is gone gives way to another one.

    zpool replaces neither, and brings no spare online (`libzfs_pool.c`: EZFS_ISSPARE, EZFS_ISL2CACHE). A distributed
    spare belongs to its dRAID.
    """
    if leaf.kind == "dspare":
        return []
    pool, role = audit.pool.name, "spare" if leaf.section == "spares" else leaf.section
    return [line_of("zpool", "remove", pool, device_of(leaf)), line_of("zpool", "add", pool, role, new_disk(audit))]


def _lost(node: PoolNode, *, covered: bool = False) -> Iterator[PoolNode]:
    if not node.children:
        if not covered and node.state is not None and node.state not in SERVING:
            yield node
        return
    taken = covered or (node.kind in STANDING_IN and any(leaf.state == "ONLINE" for leaf in node.leaves()))
    for child in node.children:
        yield from _lost(child, covered=taken)


def _serves(audit: PoolAudit, spare: PoolNode, top: PoolNode, leaf: PoolNode) -> bool:
    """Tell whether a spare can take the place of a device that holds data; of unknown sizes the operator knows."""
    if top.section != "data":
        return False
    distributed = _DISTRIBUTED.match(spare.name)
    if distributed is not None:
        return top.kind.startswith("draid") and top.name.rpartition("-")[2] == distributed.group(1)
    ashift = _ashift_of(audit, top)
    if ashift is not None and _logical_sector(audit, spare) > 1 << ashift:
        return False
    own, other = _size_of(audit, leaf), _size_of(audit, spare)
    return own is None or other is None or other >= own


def _size_of(audit: PoolAudit, leaf: PoolNode) -> int | None:
    """Return the bytes of a device as the pool or its disk tells them; None where neither does."""
    sizes = audit.known.vdev(leaf.name)
    if sizes is not None and sizes.size_bytes is not None:
        return sizes.size_bytes
    disk, part = _place_of(audit, leaf)
    told = disk is not None and not any(o.kind is OriginKind.ASSUMED for _, o in disk.origins) and part is None
    return disk.size_bytes if disk is not None and told else None


def _ashift_of(audit: PoolAudit, top: PoolNode) -> int | None:
    sizes = audit.known.vdev(top.name)
    return sizes.ashift if sizes is not None else None


def _small_blocks(audit: PoolAudit, spare: PoolNode, top: PoolNode) -> tuple[str, ...]:
    """Return the option without which zpool refuses a disk of larger sectors than those of the vdev.

    Where the vdev's ashift was not read, its disks tell what it was made with.
    """
    disk = _place_of(audit, spare)[0]
    physical = disk.physical_sector_bytes if disk is not None else None
    there = [one.physical_sector_bytes for seat in top.leaves() if (one := _place_of(audit, seat)[0]) is not None]
    known = [size for size in there if size]
    block = 1 << ashift if (ashift := _ashift_of(audit, top)) is not None else max(known, default=0)
    if physical is None or not block or physical <= block:
        return ()
    return ("-o", f"ashift={block.bit_length() - 1}")


def _replaced(audit: PoolAudit, leaf: PoolNode) -> list[str]:
    """Return the replacement of one device; where others lie beside it on its disk, the new disk gets its table first.

    The table is that of a disk of the same vdev that is well: `sgdisk` copies it and gives the copy GUIDs of its own.
    """
    made = audit.made
    if made is None or not made.design.reserve:
        return [line_of("zpool", "replace", audit.pool.name, device_of(leaf), new_disk(audit))]
    for node, vdev in zip(made.nodes, made.design.vdevs, strict=True):
        seats = list(zip(seats_of(node), vdev.members, strict=True))
        if any(seat is leaf for seat, _ in seats):
            well = (seat for seat, member in seats if seat is not leaf and member.part and seat.state in WELL)
            return on_new_disk(audit, "replace", leaf, next(well, None))
    return [line_of("zpool", "replace", audit.pool.name, device_of(leaf), new_disk(audit))]


def on_new_disk(
    audit: PoolAudit, verb: str, leaf: PoolNode, like: PoolNode | None, *, number: int | None = None
) -> list[str]:
    """Return how a new disk is attached to a device, or replaces it, after it got the table of the disk of ``like``.

    Where nothing lies beside the pool on that disk, zpool makes the table.
    """
    new = new_disk(audit, number)
    disk, part = _place_of(audit, like)
    source = None if disk is None else f"/dev/disk/by-id/{disk.by_id_name}" if disk.by_id_name else disk.path
    if part is None or source is None or not _has_others(audit, disk):
        return [line_of("zpool", verb, audit.pool.name, device_of(leaf), new)]
    if of_freebsd(audit):
        copied = f"{line_of('gpart', 'backup', source)} | {line_of('gpart', 'restore', '-F', new)}"
        return [copied, line_of("zpool", verb, audit.pool.name, device_of(leaf), f"{new}p{part}")]
    return [
        line_of("sgdisk", f"--replicate={new}", source),
        line_of("sgdisk", "--randomize-guids", new),
        line_of("zpool", verb, audit.pool.name, device_of(leaf), f"{new}-part{part}"),
    ]


def _place_of(audit: PoolAudit, leaf: PoolNode | None) -> tuple[Disk | None, int | None]:
    """Return the disk that a device lies on, and the number of its partition where a person made that."""
    if audit.made is None or leaf is None:
        return None, None
    for node, vdev in zip(audit.made.nodes, audit.made.design.vdevs, strict=True):
        for seat, member in zip(seats_of(node), vdev.members, strict=True):
            if seat is leaf or any(one is leaf for one in seat.leaves()):  # a spare stands in beside it
                return audit.made.design.disk(member.disk_key), member.part
    return None, None


def _has_others(audit: PoolAudit, disk: Disk | None) -> bool:
    reserve = audit.made.design.reserve if audit.made is not None else ()
    return disk is not None and any(not one.disk_keys or disk.key in one.disk_keys for one in reserve)


def erring(audit: PoolAudit) -> list[str]:
    """Return how to look at the devices that count errors, and how to count anew those that work.

    `zpool clear` would put a device to work again that was given up, and a vdev that lacks one is not worked harder.
    """
    pool = audit.pool.name
    found = [leaf for leaf in audit.pool.leaves() if leaf.read_errors or leaf.write_errors or leaf.checksum_errors]
    names = [device_of(leaf) for leaf in found]
    looks = [line_of("smartctl", "-x", without_partition(name)[0]) for name in names if name.startswith("/dev/")]
    if all(leaf.state is None or leaf.state in WELL for leaf in audit.pool.leaves()):
        return [*looks, line_of("zpool", "clear", pool), line_of("zpool", "scrub", pool)]
    return [*looks, *(line_of("zpool", "clear", pool, device_of(leaf)) for leaf in found if leaf.state in WELL)]


def standing_in(audit: PoolAudit) -> list[str]:
    """Return how each spare that stands in goes back: its disk is replaced, or works again; not while it is filled."""
    pool = audit.pool.name
    if audit.known.runs(ScanKind.RESILVER):
        return []
    groups = [node for vdev in audit.pool.vdevs for node in (vdev, *vdev.children) if node.kind == "spare"]
    lines: list[str] = []
    for first, *others in (group.children for group in groups if group.children):
        if first.children:  # its replacement is on the way
            continue
        if first.state == "ONLINE":
            lines.extend(line_of("zpool", "detach", pool, device_of(other)) for other in others)
        elif first.state in _COMES_BACK:
            lines.append(line_of("zpool", "online", pool, online_name(audit, first)))
        else:
            lines.append(line_of("zpool", "replace", pool, device_of(first), new_disk(audit)))
    return lines
