"""A layout on the disks of the pool that it is held against: those of the pool first, each where it is already."""

from collections.abc import Iterator
from dataclasses import replace

from poolwright.changes.as_design import PoolDesign
from poolwright.design.own_layout import ALIKE
from poolwright.design.request import Request
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, UseKind
from poolwright.domain.inventory import Inventory
from poolwright.domain.vdev import Layout, VdevClass

# What a member of a pool is called by the tools beside the pool: the table that zpool makes on a whole disk.
_OF_THE_POOL = frozenset({UseKind.POOL, UseKind.PARTITIONED})


def without_pool(inventory: Inventory, made: PoolDesign) -> tuple[Inventory, tuple[Disk, ...]]:
    """Return the machine as it is without the pool, and the disks that this frees: those that hold nothing else."""
    own = made.design
    whole = {m.disk_key for v in own.all_vdevs() for m in v.members if m.part is None}
    disks = tuple(_freed(disk, own.pool_name) if disk.key in whole else disk for disk in inventory.disks)
    return replace(inventory, disks=disks), tuple(d for d in disks if d.key in whole and not d.refusals())


def _freed(disk: Disk, pool_name: str) -> Disk:
    others = [u for u in disk.uses if u.kind not in _OF_THE_POOL or (u.kind is UseKind.POOL and u.detail != pool_name)]
    return disk if others else replace(disk, uses=())


def offered_after(own: tuple[Disk, ...], made: PoolDesign, layout: Layout, request: Request) -> tuple[Request, ...]:
    """Return the request with the disks of the pool alone, then with one free disk more each, the last with all.

    A spare of the pool comes last where the layout has none, so that no disk has to leave for another to come.
    """
    spares = {m.disk_key for v in made.design.all_vdevs() if v.vdev_class is VdevClass.SPARE for m in v.members}
    if any(spec.vdev_class is VdevClass.SPARE for spec in layout):
        spares = set()
    first = [disk for disk in own if disk.key not in spares]
    keys = {disk.key for disk in own}
    others = [disk for disk in request.disks if disk.key not in keys]
    others += [disk for disk in own if disk.key in spares]
    return tuple(replace(request, disks=(*first, *others[:count])) for count in range(len(others) + 1))


def seated_like(design: Design, made: PoolDesign) -> Design:
    """Return the design with its disks where the pool has them, vdev by vdev; as it is where they differ in size."""
    free = {key: design.disk(key) for key in _keys(design)}
    live = list(made.design.vdevs)
    seats: list[list[str | None]] = []
    for vdev in design.vdevs:
        like = min((one for one in live if _same_kind(one, vdev)), key=lambda one: _apart(one, vdev), default=None)
        if like is not None:
            live.remove(like)
        own = [member.disk_key for member in like.members] if like is not None else []
        seats.append([_taken(own, design.disk(member.disk_key), free) for member in vdev.members])
    vdevs = []
    for vdev, keys in zip(design.vdevs, seats, strict=True):
        rest = [
            key or _taken(list(free), design.disk(m.disk_key), free) for key, m in zip(keys, vdev.members, strict=True)
        ]
        if None in rest:
            return design
        vdevs.append(replace(vdev, members=tuple(Member(disk_key=key) for key in rest if key is not None)))
    return replace(design, vdevs=tuple(vdevs))


def _keys(design: Design) -> Iterator[str]:
    return (member.disk_key for vdev in design.vdevs for member in vdev.members)


def _same_kind(one: Vdev, other: Vdev) -> bool:
    return (one.vdev_class, one.kind, one.parity) == (other.vdev_class, other.kind, other.parity)


def _apart(one: Vdev, other: Vdev) -> int:
    return abs(len(one.members) - len(other.members))


def _taken(keys: list[str], like: Disk, free: dict[str, Disk]) -> str | None:
    """Take the first of the disks that is free and as large as another; None where none is."""
    for key in keys:
        size = free[key].size_bytes if key in free else None
        if size is not None and like.size_bytes is not None and abs(size - like.size_bytes) <= ALIKE * like.size_bytes:
            del free[key]
            return key
    return None
