"""A whole new pool: what `zpool list` and `zfs list` will print.

Sources: OpenZFS `module/zfs/spa_misc.c:spa_update_dspace, spa_get_slop_space`, `spa.c:spa_prop_get_config`,
`dsl_pool.c:dsl_pool_adjustedsize`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from poolwright.capacity.device import LEAST_ASHIFT, MOST_ASHIFT, MemberKind, device_bytes, leaf_bytes
from poolwright.capacity.vdev import NOT_YET, TopCapacity, TopVdev, shape_refusal, top_capacity, top_of
from poolwright.domain.as_built import as_built, reserved_by_disk, total_bytes
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.reserve import ReservedPartition, sliceable_bytes
from poolwright.domain.units import DEFAULT_LOGICAL_SECTOR_BYTES, GIB, MIB, PLAN_FILL_PERCENT, out_of_range
from poolwright.domain.vdev import ALLOCATION_CLASSES, Layout, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ALLOCATION_CLASSES_SINCE, OLDEST_MODELLED, ZfsVersion, not_modelled
from poolwright.texts import N_, _

# What OpenZFS keeps back of a pool so that deleting works when it is full: its slop space, by version.

MOST_SLOP_BYTES = 128 * GIB
LEAST_SLOP_BYTES = 128 * MIB
_LEAST_BYTES_BEFORE_0_7 = 32 * MIB
_SHIFT, _SHIFT_BEFORE_0_6_5 = 5, 6
_ONE_IN_32_SINCE = ZfsVersion(0, 6, 5)
_LEAST_OF_HALF_SINCE = ZfsVersion(0, 7, 0)
_LIMITED_SINCE = ZfsVersion(2, 0, 6)


def slop_bytes(normal_bytes: int, embedded_usable_bytes: int, version: ZfsVersion) -> int:
    """Return what OpenZFS keeps back of ``normal_bytes`` of deflated data space."""
    # Up to 0.6.4 a 64th (spa_slop_shift 6), and no more than all of a tiny pool.
    if version < _LEAST_OF_HALF_SINCE:
        shift = _SHIFT if version >= _ONE_IN_32_SINCE else _SHIFT_BEFORE_0_6_5
        return min(normal_bytes, max(normal_bytes >> shift, _LEAST_BYTES_BEFORE_0_7))
    slop = normal_bytes >> _SHIFT
    # spa_max_slop: so much is enough to delete with, however large the pool.
    if version >= _LIMITED_SINCE:
        slop = min(slop, MOST_SLOP_BYTES)
    # The embedded log (2.1 and newer) was set aside already and counts towards it, for half of it at most.
    slop -= min(embedded_usable_bytes, slop >> 1)
    # spa_min_slop, which must not eat more than half of a small pool.
    return max(slop, min(normal_bytes >> 1, LEAST_SLOP_BYTES))


_RAIDZ_SPECIAL_SINCE = ZfsVersion(2, 4, 0)
_IN_SIZE = (VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualTopVdevs:
    """``count`` equal top-level vdevs that stem from the vdev number ``index`` of the layout.

    ``device_sum`` and ``leaf_sum`` are the bytes of all their members before and behind the labels.
    """

    index: int
    top: TopVdev
    count: int
    device_sum: int
    leaf_sum: int
    capacity: TopCapacity


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolCapacity:
    """The space of a new, empty pool in bytes.

    ``pool_size_bytes`` is SIZE of `zpool list`. ``available_bytes`` is USED + AVAIL of the root dataset: exact
    together, while USED alone (the pool's own metadata) varies by some blocks. ``normal_bytes`` is the deflated data
    space before ``slop_bytes`` are kept back; ``embedded_usable_bytes`` the deflated embedded logs. ``reserved_bytes``
    lie beside the data on the disks of data vdevs.
    """

    layout: Layout
    ashift: int
    version: ZfsVersion
    members: MemberKind
    vdevs: tuple[EqualTopVdevs, ...]
    pool_size_bytes: int
    normal_bytes: int
    embedded_usable_bytes: int
    slop_bytes: int
    available_bytes: int
    reserved_bytes: int = 0

    @property
    def plan_bytes(self) -> int:
        return self.available_bytes * PLAN_FILL_PERCENT // 100  # writes collapse above it (thesis 5.7)

    @property
    def metaslab_count(self) -> int:
        return sum(v.capacity.metaslab_count * v.count for v in self.vdevs if v.top.vdev_class is VdevClass.DATA)

    @property
    def metaslab_shift(self) -> int | None:
        """Return log2 of the metaslab size; None when the data vdevs differ."""
        shifts = {v.capacity.metaslab_shift for v in self.vdevs if v.top.vdev_class is VdevClass.DATA}
        return shifts.pop() if len(shifts) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevDevices:
    """A vdev with the bytes of each member's device as OpenZFS opens it (partition 1 of a whole disk).

    ``count`` stands for that many equal vdevs in a row; ``members`` are its disks where somebody named them.
    """

    spec: VdevSpec
    devices: tuple[int, ...]
    count: int = 1
    members: tuple[Member, ...] = ()


def predict_pool(
    layout: Layout,
    *,
    ashift: int,
    version: ZfsVersion,
    members: MemberKind = MemberKind.DISK,
    logical_sector_bytes: int = DEFAULT_LOGICAL_SECTOR_BYTES,
) -> PoolCapacity:
    """Return the space of a new pool of ``layout`` whose members all have the same logical sector size.

    Raises Refusal where OpenZFS would refuse (a member under 64 MiB, too few members, no data vdev) and UserError
    for an ashift outside 9-16 or a version before 0.6.
    """
    placed = []
    # Candidates repeat one spec object; a run of it is computed once.
    for __, run in groupby(layout, key=id):
        same = tuple(run)
        spec = same[0]
        known = {size: device_bytes(size, members, logical_sector_bytes, version) for size in set(spec.sizes)}
        devices = tuple([known[size] for size in spec.sizes])  # a list: in a search a generator takes longer
        placed.append(VdevDevices(spec=spec, devices=devices, count=len(same)))
    return predict_devices(tuple(placed), ashift=ashift, version=version, members=members)


def predict_devices(
    vdevs: tuple[VdevDevices, ...], *, ashift: int, version: ZfsVersion, members: MemberKind = MemberKind.DISK
) -> PoolCapacity:
    """Return the space of a new pool whose members' devices are known one by one; errors as `predict_pool`."""
    if not LEAST_ASHIFT <= ashift <= MOST_ASHIFT:
        raise out_of_range(ashift, LEAST_ASHIFT, MOST_ASHIFT, of="ashift")
    if version < OLDEST_MODELLED:
        raise not_modelled(version)
    if not any(v.spec.vdev_class is VdevClass.DATA for v in vdevs):
        raise Refusal(_("A pool needs a data vdev"))
    placed: list[EqualTopVdevs] = []
    index = 0
    for vdev in vdevs:
        check_class(vdev.spec, version)
        parts: list[tuple[tuple[int, ...], int]] = [(vdev.devices, vdev.count)]
        if vdev.spec.kind is VdevKind.STRIPE:  # every member is a top-level vdev of its own
            parts = [((device,), count * vdev.count) for device, count in Counter(vdev.devices).items()]
        for devices, count in parts:
            leaves = {device: leaf_bytes(device) for device in set(devices)}
            top = top_of(vdev.spec, min(leaves.values()))
            placed.append(
                EqualTopVdevs(
                    index=index,
                    top=top,
                    count=count,
                    device_sum=sum(devices) * count,
                    leaf_sum=sum([leaves[device] for device in devices]) * count,
                    capacity=top_capacity(top, ashift, version),
                )
            )
        index += vdev.count
    layout = tuple([v.spec for v in vdevs for __ in range(v.count)])
    return pool_capacity(layout, placed, ashift=ashift, version=version, members=members)


def pool_capacity(
    layout: Layout, placed: Sequence[EqualTopVdevs], *, ashift: int, version: ZfsVersion, members: MemberKind
) -> PoolCapacity:
    # spa_update_dspace: space is that of the normal class alone; SIZE counts every class that holds blocks for good.
    normal = embedded = size = 0
    for part in placed:
        capacity, count = part.capacity, part.count
        if part.top.vdev_class in _IN_SIZE:
            size += capacity.raw_bytes * count
        if part.top.vdev_class is VdevClass.DATA:
            normal += capacity.usable_bytes * count
        # Those of special vdevs (since 2.4) count as well: spa_get_slop_space adds both classes.
        embedded += capacity.embedded_usable_bytes * count
    slop = slop_bytes(normal, embedded, version)
    return PoolCapacity(
        layout=layout,
        ashift=ashift,
        version=version,
        members=members,
        vdevs=tuple(placed),
        pool_size_bytes=size,
        normal_bytes=normal,
        embedded_usable_bytes=embedded,
        slop_bytes=slop,
        available_bytes=normal - slop,
    )


def check_class(spec: VdevSpec, version: ZfsVersion) -> None:
    """Raise Refusal where OpenZFS does not take a vdev of this kind for its class."""
    if spec.vdev_class is VdevClass.DATA:
        return
    special = spec.vdev_class in ALLOCATION_CLASSES
    if special and version < ALLOCATION_CLASSES_SINCE:
        text = NOT_YET
    elif spec.kind is VdevKind.STRIPE or (special and version >= _RAIDZ_SPECIAL_SINCE):
        return
    elif not special and spec.vdev_class is not VdevClass.LOG:
        text = N_("{role} vdevs of OpenZFS {version} are plain devices, not {word}")
    elif spec.kind is VdevKind.MIRROR:
        return
    else:
        text = N_("{role} vdevs of OpenZFS {version} are plain devices or mirrors, not {word}")
    role, since = spec.vdev_class.value, ALLOCATION_CLASSES_SINCE
    raise shape_refusal(_(text, version=version, role=role, word=spec.word, since=since))


# The space of a layout whose data disks have reserved partitions.


def predict_reserved(
    layout: Layout,
    reserve: Sequence[ReservedPartition],
    *,
    ashift: int,
    version: ZfsVersion,
    logical_sector_bytes: int = DEFAULT_LOGICAL_SECTOR_BYTES,
) -> PoolCapacity:
    """Return the space of a new pool of whole disks; those of data vdevs give up what is reserved.

    Raises Refusal as `predict_pool`, also where less than 64 MiB are left of a disk.
    """
    taken = total_bytes(tuple(reserve))
    placed = []
    reserved = 0
    for spec in layout:
        data = spec.vdev_class is VdevClass.DATA and taken > 0
        devices = tuple(
            max(0, sliceable_bytes(size) - taken)
            if data
            else device_bytes(size, MemberKind.DISK, logical_sector_bytes, version)
            for size in spec.sizes
        )
        reserved += taken * spec.width if data else 0
        placed.append(VdevDevices(spec=spec, devices=devices))
    return replace(predict_devices(tuple(placed), ashift=ashift, version=version), reserved_bytes=reserved)


# The space of a design: each member with its own disk's sector size.


def predict_design(design: Design) -> PoolCapacity:
    """Return the space of the (main) pool that the script creates. Raises Refusal as `predict_pool`."""
    # Whole disks are partitioned as `zpool create` does; a slice is a partition, used as it is, and so is what reserved
    # partitions leave of a disk. A disk whose logical sector size is unknown counts as one of 512 bytes.
    built = as_built(design)
    vdevs = tuple([devices_of(built, cut) for cut in built.vdevs])
    if not design.reserve:
        return predict_devices(vdevs, ashift=design.ashift, version=design.version)
    vdevs = tuple(replace(v, spec=design.spec(named)) for v, named in zip(vdevs, design.vdevs, strict=True))
    capacity = predict_devices(vdevs, ashift=design.ashift, version=design.version)
    # Of a disk in slices what is reserved is no part of their sizes.
    reserved = reserved_by_disk(design)
    members = [m for v in design.vdevs if v.vdev_class is VdevClass.DATA for m in v.members if m.slice_bytes is None]
    beside = sum([total_bytes(reserved[m.disk_key]) for m in members if m.disk_key in reserved])
    return replace(capacity, reserved_bytes=beside)


def known_capacity(design: Design) -> PoolCapacity | None:
    """Return the space of the (main) pool of a design; None where it is unknown."""
    try:
        return predict_design(design)
    except PoolwrightError:
        return None


def room_of(design: Design) -> int | None:
    return None if (capacity := known_capacity(design)) is None else capacity.available_bytes


def predict_pools(design: Design) -> tuple[PoolCapacity, ...]:
    """Return the space of each pool of a design, the main pool first; raises Refusal as `predict_design`."""
    return tuple(predict_design(pool) for pool in design.pools())


def devices_of(design: Design, vdev: Vdev) -> VdevDevices:
    """Return a vdev of a design as it is built, with what OpenZFS opens of each member."""
    spec = design.spec(vdev)
    devices: list[int] = []
    known: dict[tuple[int, int], int] = {}  # the members of a vdev are of a few kinds
    for member, size in zip(vdev.members, spec.sizes, strict=True):
        if member.slice_bytes is not None:
            devices.append(size)
            continue
        kind = size, design.disk(member.disk_key).logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES
        if kind not in known:
            known[kind] = device_bytes(size, MemberKind.DISK, kind[1], design.version)
        devices.append(known[kind])
    return VdevDevices(spec=spec, devices=tuple(devices), members=vdev.members)
