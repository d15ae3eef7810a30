"""One top-level vdev: its size, its metaslabs, its share of the pool.

Sources: OpenZFS `module/zfs/vdev.c:vdev_metaslab_set_size, vdev_metaslab_init`, `vdev_mirror.c`, `vdev_raidz.c`,
`vdev_draid.c:vdev_draid_open, vdev_draid_metaslab_init`.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from poolwright.capacity.device import round_down, round_up
from poolwright.domain.errors import Refusal
from poolwright.domain.units import MIB
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import DRAID_SINCE, ZfsVersion
from poolwright.texts import N_, _

# vdev_draid.c: VDEV_DRAID_ROWHEIGHT, and VDEV_DRAID_REFLOW_RESERVE, which is kept for an expansion still to come.
DRAID_ROW_BYTES = 16 * MIB
DRAID_RESERVE_BYTES = 32 * MIB
MOST_CHILDREN = 255
MOST_DRAID_SPARES = 100

# vdev.c: zfs_vdev_default_ms_count, zfs_vdev_min_ms_count, zfs_vdev_default_ms_shift; then the least and the largest
# shift (16 MiB and 16 GiB) and zfs_vdev_ms_count_limit, beyond which metaslabs grow again.
_DEFAULT_COUNT, _LEAST_COUNT, _DEFAULT_SHIFT = 200, 16, 29
_LEAST_SHIFT, _MOST_SHIFT, _COUNT_LIMIT = 24, 34, 1 << 17
# zfs_embedded_slog_min_ms: a vdev with so few metaslabs cannot spare one for the log.
_EMBEDDED_LOG_ABOVE = 64
_EMBEDDED_LOG_SINCE = {VdevClass.DATA: ZfsVersion(2, 1, 0), VdevClass.SPECIAL: ZfsVersion(2, 4, 0)}
_BOUNDED_METASLABS_SINCE = ZfsVersion(0, 8, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopVdev:
    """A top-level vdev by what matters for space. ``least_leaf_bytes`` is its smallest member behind the labels."""

    kind: VdevKind
    width: int
    least_leaf_bytes: int
    parity: int = 0
    vdev_class: VdevClass = VdevClass.DATA
    group_data: int = 0
    spares: int = 0


def top_of(spec: VdevSpec, least_leaf_bytes: int) -> TopVdev:
    """Return a top-level vdev; a stripe stands for one of its members."""
    return TopVdev(
        kind=spec.kind,
        width=min(1, spec.width) if spec.kind is VdevKind.STRIPE else spec.width,
        least_leaf_bytes=least_leaf_bytes,
        parity=spec.parity,
        vdev_class=spec.vdev_class,
        group_data=spec.group_data if spec.kind is VdevKind.DRAID else 0,
        spares=spec.draid_spares,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TopCapacity:
    """The space of one top-level vdev, in bytes.

    ``asize_bytes`` is what its members offer together, ``raw_bytes`` the sum of its metaslabs (what `zpool list`
    counts), ``embedded_bytes`` the metaslab set aside for the embedded log, ``usable_bytes`` the deflated rest,
    ``embedded_usable_bytes`` the deflated embedded log, ``ratio`` the deflate ratio in 512ths.
    """

    asize_bytes: int
    metaslab_shift: int
    metaslab_count: int
    raw_bytes: int
    embedded_bytes: int
    ratio: int
    usable_bytes: int
    embedded_usable_bytes: int


def metaslab_shift(asize_bytes: int, version: ZfsVersion) -> int:
    """Return log2 of the metaslab size OpenZFS gives a vdev of ``asize_bytes`` when it is added to a pool."""
    # Up to 0.7 a vdev had at most 200 metaslabs of whatever size (`metaslabs_per_vdev`); since 0.8 they are 16 GiB at
    # most (pull request 8324).
    if version < _BOUNDED_METASLABS_SINCE:
        return max(_LEAST_SHIFT, (asize_bytes // _DEFAULT_COUNT).bit_length())
    count = asize_bytes >> _DEFAULT_SHIFT
    if count < _LEAST_COUNT:
        shift = (asize_bytes // _LEAST_COUNT).bit_length()
    elif count > _DEFAULT_COUNT:
        shift = (asize_bytes // _DEFAULT_COUNT).bit_length()
    else:
        shift = _DEFAULT_SHIFT
    if shift < _LEAST_SHIFT:
        return _LEAST_SHIFT
    if shift > _MOST_SHIFT:
        shift = _MOST_SHIFT
        if asize_bytes >> _MOST_SHIFT > _COUNT_LIMIT:
            shift = (asize_bytes // _COUNT_LIMIT).bit_length()
    return shift


def check_shape(top: TopVdev) -> None:
    """Raise Refusal when `zpool create` would not accept the vdev's number of members."""
    least, word = {VdevKind.STRIPE: (1, "stripe"), VdevKind.MIRROR: (2, "mirror")}.get(
        top.kind, (top.parity + 1, f"{top.kind.value}{top.parity}")
    )
    if top.width < least:
        raise shape_refusal(
            _("{word} needs at least {least} members, this one has {width}", word=word, least=least, width=top.width)
        )
    if top.kind not in (VdevKind.RAIDZ, VdevKind.DRAID):
        return
    if top.parity not in (1, 2, 3):
        raise shape_refusal(_(_AT_MOST, word=top.kind.value, what=_("parity disks"), least=1, most=3, count=top.parity))
    if top.width > MOST_CHILDREN:
        raise shape_refusal(_(_AT_MOST, word=word, what=_("members"), least=least, most=MOST_CHILDREN, count=top.width))
    if top.kind is VdevKind.RAIDZ:
        return
    if not 0 <= top.spares <= MOST_DRAID_SPARES:
        what = _("distributed spares")
        raise shape_refusal(_(_AT_MOST, word=word, what=what, least=0, most=MOST_DRAID_SPARES, count=top.spares))
    if top.group_data < 1 or top.group_data + top.parity > top.width - top.spares:
        raise shape_refusal(
            _(
                "a draid group of {group_data} data and {parity} parity disks does not fit into {width} members "
                "with {spares} spares",
                group_data=top.group_data,
                parity=top.parity,
                width=top.width,
                spares=top.spares,
            )
        )


_AT_MOST = N_("{word} takes {least} to {most} {what}, not {count}")
NOT_YET = N_("OpenZFS {version} has no {role} vdevs: they came with {since}")


def shape_refusal(reason: str) -> Refusal:
    return Refusal(_("OpenZFS does not accept this vdev"), where=reason, reasons=(reason,))


@lru_cache(maxsize=1 << 11)
def top_capacity(top: TopVdev, ashift: int, version: ZfsVersion) -> TopCapacity:
    """Return the space of a new top-level vdev; raises Refusal for a shape OpenZFS does not accept."""
    check_shape(top)
    if top.kind is VdevKind.DRAID and version < DRAID_SINCE:
        raise shape_refusal(_(NOT_YET, version=version, role="dRAID", since=DRAID_SINCE))
    asize = asize_bytes(top)
    # The ratio is fixed at creation from the width then; expansion does not touch it (openzfs/zfs#15022).
    ratio = deflate_ratio(top.kind, top.width, top.parity, top.group_data, ashift)
    return slabbed_capacity(top, ashift, version, asize=asize, shift=metaslab_shift(asize, version), ratio=ratio)


def slabbed_capacity(
    top: TopVdev, ashift: int, version: ZfsVersion, *, asize: int, shift: int, ratio: int
) -> TopCapacity:
    """Return the space of ``asize`` bytes in metaslabs of 2^``shift``; raises Refusal where not one of them fits."""
    # A vdev that has grown keeps the metaslab size and the ratio it began with.
    count = asize >> shift
    if count == 0:
        raise shape_refusal(_("the members are too small for one metaslab of 16 MiB"))
    first, raw = 1 << shift, count << shift
    if top.kind is VdevKind.DRAID:  # which trims each metaslab to whole stripes
        stripe = (top.group_data + top.parity) << ashift
        # The trimming repeats after this many metaslabs, which keeps 131072 of them cheap.
        period = stripe // gcd(stripe, 1 << shift)
        starts = [index << shift for index in range(min(period, count))]
        sizes = [round_down((1 << shift) - (round_up(start, stripe) - start), stripe) for start in starts]
        rounds, rest = divmod(count, len(sizes))
        first, raw = sizes[0], rounds * sum(sizes) + sum(sizes[:rest])
    since = _EMBEDDED_LOG_SINCE.get(top.vdev_class)
    embedded = first if count > _EMBEDDED_LOG_ABOVE and since is not None and version >= since else 0
    return TopCapacity(
        asize_bytes=asize,
        metaslab_shift=shift,
        metaslab_count=count,
        raw_bytes=raw,
        embedded_bytes=embedded,
        ratio=ratio,
        usable_bytes=deflated(raw - embedded, ratio),
        embedded_usable_bytes=deflated(embedded, ratio),
    )


def asize_bytes(top: TopVdev) -> int:
    """Return the bytes the members of a vdev offer together, parity included (one side of a mirror)."""
    # The smallest member counts for all (vdev_raidz.c: vdev_raidz_open).
    if top.kind is VdevKind.RAIDZ:
        return top.least_leaf_bytes * top.width
    if top.kind is VdevKind.DRAID:
        # Every disk also holds its share of the distributed spares, so data have width - spares disks of rows.
        child = round_down(max(0, top.least_leaf_bytes - DRAID_RESERVE_BYTES), DRAID_ROW_BYTES)
        group = (top.group_data + top.parity) * DRAID_ROW_BYTES
        return round_down(child * (top.width - top.spares), group)
    return top.least_leaf_bytes


# What one block costs on a top-level vdev, and the deflate ratio that follows from it.

# vdev_set_deflate_ratio asks for a block of 128 KiB, whatever the recordsize: `zfs list` counts in it.
DEFLATE_BLOCK_BYTES = 128 << 10
SECTOR_SHIFT = 9


@lru_cache(maxsize=1 << 11)
def allocated_bytes(kind: VdevKind, width: int, parity: int, group_data: int, ashift: int, physical_bytes: int) -> int:
    """Return the bytes allocated on the vdev for one block of ``physical_bytes`` (after compression).

    ``group_data`` is the number of data disks of a dRAID group and ignored elsewhere.
    """
    # Parity and padding are included; a mirror counts one side, as OpenZFS does.
    if physical_bytes == 0:
        return 0
    if kind is VdevKind.RAIDZ:
        # A row of parity for each row of data, a short last one too (vdev_raidz.c: vdev_raidz_asize).
        data = ((physical_bytes - 1) >> ashift) + 1
        total = data + parity * -(-data // (width - parity))
        # What is left over must hold the smallest block, a sector and its parity.
        return round_up(total, parity + 1) << ashift
    if kind is VdevKind.DRAID:
        # dRAID fills its rows, so that a resilver can go through them in order (vdev_draid.c: vdev_draid_asize).
        rows = (physical_bytes - 1) // (group_data << ashift) + 1
        return rows * (group_data + parity) << ashift
    return round_up(physical_bytes, 1 << ashift)


def deflate_ratio(kind: VdevKind, width: int, parity: int, group_data: int, ashift: int) -> int:
    """Return the vdev's deflate ratio in 512ths: always that of a 128 KiB block, 512 where nothing is lost."""
    cost = allocated_bytes(kind, width, parity, group_data, ashift, DEFLATE_BLOCK_BYTES)
    return DEFLATE_BLOCK_BYTES // (cost >> SECTOR_SHIFT)


def deflated(raw_bytes: int, ratio: int) -> int:
    """Return the usable bytes that ``raw_bytes`` of a vdev stand for (`vdev_deflated_space`)."""
    # Whole sectors of 512 bytes first, in that order: OpenZFS rounds so too.
    return (raw_bytes >> SECTOR_SHIFT) * ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCost:
    """What one record of ``record_bytes`` costs on one vdev.

    ``allocated_bytes`` is what `zpool list` counts (a mirror: one side), ``disk_bytes`` what is written to all disks,
    ``used_bytes`` what `zfs list` charges, ``padding_bytes`` raidz's and dRAID's filling without data or parity.
    ``efficiency`` is record over disk bytes, ``nominal_efficiency`` data disks over all disks.
    """

    record_bytes: int
    allocated_bytes: int
    disk_bytes: int
    used_bytes: int
    padding_bytes: int
    efficiency: float
    nominal_efficiency: float


def record_cost(spec: VdevSpec, *, ashift: int, record_bytes: int) -> RecordCost:
    """Return the cost of one incompressible record of ``record_bytes`` on the vdev ``spec``."""
    args = (spec.kind, spec.width, spec.parity, spec.group_data, ashift)
    allocated = allocated_bytes(*args, record_bytes)
    sides = spec.width if spec.kind is VdevKind.MIRROR else 1
    sectors = round_up(record_bytes, 1 << ashift)
    rows = -(-sectors // (spec.data_disks << ashift))
    return RecordCost(
        record_bytes=record_bytes,
        allocated_bytes=allocated,
        disk_bytes=allocated * sides,
        used_bytes=deflated(allocated, deflate_ratio(*args)),
        padding_bytes=allocated - sectors - (rows * spec.parity << ashift),
        efficiency=record_bytes / (allocated * sides),
        nominal_efficiency=spec.data_disks / (spec.data_disks + spec.parity) / sides,
    )
