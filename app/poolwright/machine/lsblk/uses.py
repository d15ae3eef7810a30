"""What a disk is used for, read from everything that lies on it."""

from collections.abc import Iterator

from poolwright.domain.disk import Use, UseKind
from poolwright.machine.lsblk.node import BlockNode
from poolwright.texts import tell, tell_counted

_BOOT_MOUNTS = frozenset({"/", "/boot", "/boot/efi", "/efi", "/boot/firmware", "/sysroot"})
_SIGNATURES = {
    "LVM1_member": UseKind.LVM, "LVM2_member": UseKind.LVM, "crypto_LUKS": UseKind.LUKS,
    "mpath_member": UseKind.MULTIPATH, "bcache": UseKind.CACHE_LAYER, "bcachefs": UseKind.CACHE_LAYER,
    "DM_snapshot_cow": UseKind.HOLDER, "drbd": UseKind.HOLDER, "vdo": UseKind.HOLDER, "ceph_bluestore": UseKind.HOLDER,
}  # fmt: skip
_CUTTABLE = ("zfs_member", "linux_raid_member", "isw_raid_member", *_SIGNATURES)
_SHORTEST_CUT = 4
_TYPES = {"lvm": UseKind.LVM, "crypt": UseKind.LUKS, "mpath": UseKind.MULTIPATH, "md": UseKind.MD, "linear": UseKind.MD}
# The order in which reasons are shown: what would be lost first.
_ORDER = (
    UseKind.BOOT, UseKind.MOUNTED, UseKind.SWAP, UseKind.MULTIPATH, UseKind.POOL, UseKind.FOREIGN_POOL, UseKind.MD,
    UseKind.LVM, UseKind.LUKS, UseKind.CACHE_LAYER, UseKind.HOLDER, UseKind.FILESYSTEM, UseKind.PARTITIONED,
    UseKind.READ_ONLY,
)  # fmt: skip


def uses_of(disk: BlockNode) -> tuple[Use, ...]:
    """Return every reason why ``disk`` is not free, the weightiest first.

    A path of a multipath device says only that: the rest is said of the multipath device. A `zfs_member` signature
    gives ``UseKind.POOL`` with the pool's name as far as lsblk shows it (LABEL); whether that pool is imported is
    not known here.
    """
    if any(child.type == "mpath" for child in disk.children) or disk.fstype == "mpath_member":
        names = sorted({child.name for child in disk.children if child.type == "mpath"})
        return (Use(kind=UseKind.MULTIPATH, detail=", ".join(names)),)
    uses = [use for node in walk(disk) for use in _uses_of_node(node)]
    uses.extend(_partitioned(disk))
    if disk.read_only:
        uses.append(Use(kind=UseKind.READ_ONLY, detail=tell("the kernel refuses writes")))
    return tuple(sorted(_merged(uses), key=lambda use: _ORDER.index(use.kind)))


def walk(node: BlockNode) -> Iterator[BlockNode]:
    """Yield ``node`` and everything below it."""
    yield node
    for child in node.children:
        yield from walk(child)


def _uses_of_node(node: BlockNode) -> Iterator[Use]:
    for mount in node.mountpoints:
        if mount == "[SWAP]":
            yield Use(kind=UseKind.SWAP, detail=node.name)
        else:
            yield Use(kind=UseKind.BOOT if mount in _BOOT_MOUNTS else UseKind.MOUNTED, detail=mount)
    signature = _signature(node)
    if signature is not None:
        yield signature
    for child in node.children:
        held = _held_by(child, node)
        if held is not None:
            yield held


def _full_name(fstype: str | None) -> str | None:
    """Return a signature's whole name: `lsblk -f` cuts it (``zfs_me``) in a narrow terminal."""
    if fstype is None or fstype in _SIGNATURES or len(fstype) < _SHORTEST_CUT:
        return fstype
    return next((name for name in _CUTTABLE if name.startswith(fstype)), fstype)


def _signature(node: BlockNode) -> Use | None:
    fstype = _full_name(node.fstype)
    if fstype is None:
        return None
    if fstype == "zfs_member":
        return Use(kind=UseKind.POOL, detail=node.label or "")
    if fstype.endswith("_raid_member"):
        return Use(kind=UseKind.MD, detail="" if node.children else node.label or fstype)
    kind = _SIGNATURES.get(fstype)
    if kind is not None:
        detail = "" if node.children else node.label or (fstype if kind is UseKind.CACHE_LAYER else node.name)
        return Use(kind=kind, detail=detail if kind is not UseKind.HOLDER else fstype)
    if node.mountpoints:
        return None
    if fstype == "swap":
        return Use(kind=UseKind.SWAP, detail=tell("{name}, not active", name=node.name))
    named = f" “{node.label}”" if node.label else ""
    return Use(kind=UseKind.FILESYSTEM, detail=f"{fstype}{named} on {node.name}")


def _held_by(child: BlockNode, node: BlockNode) -> Use | None:
    kind = child.type
    if kind == "part":
        return None
    if kind is None:
        # Without the TYPE column, the signature below tells what the device above is.
        signature = _signature(node)
        return Use(kind=UseKind.HOLDER if signature is None else signature.kind, detail=child.name)
    if kind in _TYPES:
        return Use(kind=_TYPES[kind], detail=child.name)
    if kind.startswith("raid"):
        return Use(kind=UseKind.MD, detail=child.name)
    if child.kname.startswith("bcache"):
        return Use(kind=UseKind.CACHE_LAYER, detail=child.name)
    return Use(kind=UseKind.HOLDER, detail=child.name)


def _partitioned(disk: BlockNode) -> Iterator[Use]:
    count = sum(child.type == "part" for child in disk.children)
    if count:
        parts = tell_counted("{count} partition", "{count} partitions", count)
        yield Use(kind=UseKind.PARTITIONED, detail=f"{parts}, {disk.table}" if disk.table else parts)
    elif disk.table:
        yield Use(kind=UseKind.PARTITIONED, detail=tell("empty {table} partition table", table=disk.table))


def _merged(uses: list[Use]) -> list[Use]:
    """Drop repeats, and a reason without detail where the same reason with detail is there."""
    detailed = {use.kind for use in uses if use.detail}
    return [use for use in dict.fromkeys(uses) if use.detail or use.kind not in detailed]
