"""The vdevs of a pool and of a design side by side: their disks under one name, whatever machine they were read on."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from poolwright.capacity.device import MemberKind, device_bytes, leaf_bytes
from poolwright.changes.against.values import Identity, PoolSeat
from poolwright.changes.as_design import PoolDesign, seats_of
from poolwright.design.binding.identity import identified
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.existing_pool import ExistingPool, VdevSizes
from poolwright.domain.pool import Pool, PoolNode
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion

SINGLY = (VdevClass.CACHE, VdevClass.SPARE)  # each device is for itself
_MIRROR_LIKE = (VdevKind.STRIPE, VdevKind.MIRROR)
_LEAF_OF_DRAID = 32 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTop:
    """A top-level vdev of the pool, or one of its spares and caches; ``sizes`` None where they were not read."""

    name: str
    vdev: Vdev
    seats: tuple[PoolSeat, ...]
    sizes: VdevSizes | None = None

    @property
    def identities(self) -> frozenset[Identity]:
        return frozenset(seat.identity for seat in self.seats)


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedTop:
    """A top-level vdev of the design, or one of its spares and caches; ``identities`` run parallel to its members."""

    vdev: Vdev
    identities: tuple[Identity, ...]


def convertible(live: Vdev, wanted: Vdev) -> bool:
    """Tell whether the one can become the other by disks that join, leave or give way to others."""
    if live.vdev_class is not wanted.vdev_class:
        return False
    if live.kind in _MIRROR_LIKE and wanted.kind in _MIRROR_LIKE:
        return True
    return live.kind is wanted.kind and word_of(live) == word_of(wanted)


def word_of(vdev: Vdev) -> str:
    """Return ``raidz2``, ``draid2:8d:1s``, ...; of dRAID with the data disks that zpool takes by itself."""
    spec = vdev.sizeless()
    return replace(spec, draid_data=spec.group_data).word if vdev.kind is VdevKind.DRAID else spec.word


def live_tops(made: PoolDesign, pool: Pool, known: ExistingPool) -> tuple[LiveTop, ...]:
    """Return the vdevs of the pool in the order of `zpool status`."""
    by_node = {id(node): vdev for node, vdev in zip(made.nodes, made.design.vdevs, strict=True)}
    return tuple(_live(node, by_node[id(node)], made.design, known) for node in pool.vdevs if id(node) in by_node)


def _live(node: PoolNode, vdev: Vdev, design: Design, known: ExistingPool) -> LiveTop:
    seats = []
    for leaf, member in zip(seats_of(node), vdev.members, strict=True):
        disk, sizes = design.disk(member.disk_key), known.vdev(leaf.name)
        path = leaf.path or (sizes.path if sizes is not None else None)
        size = member.slice_bytes if member.slice_bytes is not None else disk.size_bytes
        seats.append(
            PoolSeat(name=leaf.name, path=path, identity=_identity(disk.key, member), disk=disk, member=member,
                 state=leaf.state, size=size)
        )  # fmt: skip
    return LiveTop(name=node.name.rpartition("/")[2], vdev=vdev, seats=tuple(seats), sizes=known.vdev(node.name))


def wanted_tops(design: Design, live: Design) -> tuple[WantedTop, ...]:
    """Return the vdevs of the design one by one, with its disks named as the machine names them."""
    keys = {key: f"the design's {key}" for key in design.used_keys()} | found_here(design, live)  # for machines
    found = []
    for vdev in sorted(design.vdevs, key=lambda v: v.rank):
        for one in _apart(vdev):
            identities = tuple(_identity(keys[member.disk_key], member) for member in one.members)
            found.append(WantedTop(vdev=one, identities=identities))
    return tuple(found)


def _apart(vdev: Vdev) -> Iterator[Vdev]:
    if vdev.kind is VdevKind.STRIPE or vdev.vdev_class in SINGLY:
        yield from (replace(vdev, kind=VdevKind.STRIPE, members=(member,)) for member in vdev.members)
    else:
        yield vdev


def _identity(key: str, member: Member) -> Identity:
    return key, member.part or 1


def found_here(design: Design, live: Design) -> dict[str, str]:
    """Return by the key of each disk that the design uses, and that is on the machine, its key there.

    Disks that no tool tells a name of, such as those that are missing, are the same where all that is known is.
    """
    used = design.used_keys()
    mine = [disk for disk in design.disks if disk.key in used]
    by_key = {disk.key: disk for disk in live.disks}
    same = {disk.key: disk.key for disk in mine if by_key.get(disk.key) == disk and not disk.planned}
    taken = set(same.values())
    named = identified(
        [disk for disk in mine if disk.key not in same and not disk.planned],
        [disk for disk in live.disks if disk.key not in taken],
    )
    return {**same, **{key: disk.key for key, (disk, _) in named.items()}}


def too_small(top: LiveTop, design: Design, member: Member, version: ZfsVersion) -> bool | None:
    """Tell whether a disk of the design is too small for a place in the vdev; None where no size is known."""
    disk = design.disk(member.disk_key)
    size = member.slice_bytes if member.slice_bytes is not None else disk.size_bytes
    if size is None:
        return None
    least = _least_leaf(top)
    if least is None:
        sizes = [seat.size for seat in top.seats]
        return None if None in sizes else size < min(s for s in sizes if s is not None)
    try:
        kind = MemberKind.DISK if member.slice_bytes is None else MemberKind.FILE
        return leaf_bytes(device_bytes(size, kind, disk.logical_sector_bytes or 512, version)) < least
    except PoolwrightError:
        return True


def _least_leaf(top: LiveTop) -> int | None:
    """Return the bytes behind the labels that a new device needs, as `vdev_get_min_asize`; None where not known."""
    sizes = top.sizes
    if sizes is None or not sizes.asize_bytes or not sizes.metaslab_shift:
        return None
    whole = sizes.asize_bytes >> sizes.metaslab_shift << sizes.metaslab_shift
    if top.vdev.kind is VdevKind.RAIDZ:
        return -(-whole // len(top.seats))
    if top.vdev.kind is VdevKind.DRAID:
        return _LEAF_OF_DRAID + -(-whole // (len(top.seats) - top.vdev.draid_spares))
    return whole
