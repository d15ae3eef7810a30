"""Facts of a layout: of its vdevs and of the pool they form. Fast, for thousands of layouts of the same disks."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, pairwise

from poolwright.capacity.device import LEAST_BYTES
from poolwright.capacity.vdev import allocated_bytes, metaslab_shift
from poolwright.domain.host import Host
from poolwright.domain.reserve import sliceable_bytes, whole_slice
from poolwright.domain.units import label_bytes
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, mixed
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Workload
from poolwright.rules.facts import Facts, only_known
from poolwright.rules.profile import DiskProfile
from poolwright.shipped import shipped
from poolwright.texts import _, ngettext


@dataclass(frozen=True, slots=True, kw_only=True)
class Premises:
    """What is given before any layout: the disks, the OpenZFS, what the pool is for and must keep to, the machine."""

    profile: DiskProfile
    version: ZfsVersion
    workload: Workload
    budget: Budget = field(default_factory=Budget)
    host: Host = field(default_factory=Host)


# The hours that rebuilding one failed member of a vdev takes, where a model can tell.
RebuildTime = Callable[[VdevSpec], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevDetails:
    """What is known of the disks of a vdev once each has its place; of a layout's vdevs, nothing."""

    partitioned: bool = False
    shares_disk: bool = False
    repeated_disks: int = 0
    batch_disks: int | None = None


_NOTHING_PLACED = VdevDetails()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VdevPosition:
    """Which disks a vdev of a layout has (``profile`` None: like all). Compared by identity: one object a kind."""

    profile: DiskProfile | None = None
    details: VdevDetails = _NOTHING_PLACED


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutNumbers:
    """What rules need to know of a layout beyond its vdevs.

    ``usable_bytes`` is what the root dataset of the new pool can hold (None: not computed), ``together_bytes`` what all
    pools of the design can, where it has several, ``unassigned_disks`` how many of the disks offered have no place in
    it, ``predicted`` the facts that the models give, where they were asked.
    """

    usable_bytes: int | None = None
    together_bytes: int | None = None
    unassigned_disks: int = 0
    predicted: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LayoutGroup:
    """Equal neighbouring vdevs of a layout. A stripe of N is N vdevs of one disk: ``width`` 1, ``count`` N."""

    spec: VdevSpec
    count: int
    kind: str
    width: int
    parity: int
    redundancy: int
    least_bytes: int
    sum_bytes: int
    role: VdevClass


def groups_of(layout: Layout) -> list[LayoutGroup]:
    return [group_of(spec, len(tuple(same))) for spec, same in groupby(layout)]


def group_of(spec: VdevSpec, count: int) -> LayoutGroup:
    sizes, bare = spec.sizes, spec.kind is VdevKind.STRIPE
    return LayoutGroup(
        spec=spec,
        count=count * len(sizes) if bare else count,
        kind="disk" if bare else spec.kind.value,
        width=1 if bare else len(sizes),
        parity=0 if bare else spec.parity,
        redundancy=0 if bare else spec.failures_survived,
        # A vdev without members exists while somebody edits a design; the rules of creation then refuse it.
        least_bytes=min(sizes, default=0),
        sum_bytes=sum(sizes) * count,
        role=spec.vdev_class,
    )


def group_label(group: LayoutGroup) -> str:
    """Return what a person calls the group: ``5 × raidz2 of 8``, ``20 single disks``, ``4 spares``."""
    spec, count = group.spec, group.count
    if spec.vdev_class is VdevClass.SPARE:
        return ngettext("{count} spare", "{count} spares", count)
    front = "" if spec.vdev_class is VdevClass.DATA else f"{spec.vdev_class.value} "
    if group.kind == "disk":
        return front + (_("single disk") if count == 1 else _("{count} single disks", count=count))
    times = f"{count} × " if count > 1 else ""
    return front + times + _("{word} of {width}", word=spec.word, width=group.width)


def vdev_facts(
    group: LayoutGroup,
    *,
    label: str,
    profile: DiskProfile,
    ashift: int | None,
    version: ZfsVersion,
    io_bytes: int | None,
    volume_block_bytes: int | None = None,
    details: VdevDetails = _NOTHING_PLACED,
    rebuild: RebuildTime | None = None,
) -> Facts:
    """Return the facts of the vdevs of a group, whose disks ``profile`` describes.

    ``io_bytes`` is a typical I/O, ``volume_block_bytes`` the block of a new volume where there are to be volumes.
    """
    spec = group.spec
    grouped = group.kind != "disk"
    sizes = spec.sizes
    uneven = grouped and group.least_bytes != max(sizes, default=0)
    data = spec.data_disks if grouped else 1
    sought = (io_bytes, volume_block_bytes)
    stored = [stored_percent(spec, ashift, block) if ashift and block else None for block in sought]
    return only_known({
        "vdev.label": label,
        "vdev.role": spec.vdev_class.value,
        "vdev.kind": group.kind,
        "vdev.word": spec.word if grouped else "disk",
        "vdev.width": group.width,
        "vdev.parity": group.parity,
        "vdev.redundancy": group.redundancy,
        "vdev.data_disks": data,
        "vdev.least_bytes": group.least_bytes,
        # The largest difference to the member before, as `zpool create` compares sizes.
        "vdev.size_step_bytes": max(abs(b - a) for a, b in pairwise(sizes)) if uneven else 0,
        "vdev.wasted_bytes": sum(sizes) - group.least_bytes * len(sizes) if uneven else 0,
        "vdev.logical_sectors_mixed": profile.logical_sectors_mixed if grouped else False,
        "vdev.physical_sectors_mixed": profile.physical_sectors_mixed if grouped else False,
        "vdev.media": profile.media,
        "vdev.media_mixed": profile.media_mixed if grouped else False,
        "vdev.shingled_disks": profile.shingled_disks,
        "vdev.draid_spares": spec.draid_spares,
        "vdev.data_power_of_two": data > 0 and data.bit_count() == 1,
        "vdev.nominal_percent": nominal_percent(spec),
        "vdev.io_stored_percent": stored[0],
        "vdev.volume_stored_percent": stored[1],
        "vdev.total_bytes": group.sum_bytes,
        "vdev.beyond_standard_bytes": group.least_bytes - trade_bytes(group.least_bytes),
        "vdev.slack_bytes": replacement_slack(spec, version) if grouped else None,
        "vdev.power_loss_protected": profile.power_loss_protected,
        "vdev.partitioned": details.partitioned,
        "vdev.shares_disk": details.shares_disk,
        "vdev.repeated_disks": details.repeated_disks,
        "vdev.batch_disks": details.batch_disks,
        "vdev.rebuild_hours": rebuild(spec) if rebuild is not None and group.redundancy else None,
    })  # fmt: skip


def replacement_slack(spec: VdevSpec, version: ZfsVersion) -> int | None:
    """Return how many bytes smaller than the smallest member a replacement may be; None for dRAID and no vdev.

    A replacement must hold the whole metaslabs of the vdev, so what is left behind the last one is free to miss
    (`vdev_get_min_asize`).
    """
    if spec.kind not in (VdevKind.MIRROR, VdevKind.RAIDZ) or not spec.sizes or min(spec.sizes) < LEAST_BYTES:
        return None
    share = spec.width if spec.kind is VdevKind.RAIDZ else 1
    # Labels and the partition table are the same on both disks; they matter little beside a metaslab.
    asize = min(spec.sizes) * share
    return (asize & ((1 << metaslab_shift(asize, version)) - 1)) // share


def nominal_percent(spec: VdevSpec) -> int:
    """Return the share of the raw space that is neither parity nor a further side of a mirror, in per cent."""
    if spec.kind is VdevKind.STRIPE:
        return 100
    if spec.kind is VdevKind.MIRROR:
        return 100 // max(1, spec.width)
    whole = spec.group_data + spec.parity if spec.kind is VdevKind.DRAID else spec.width
    return 100 * max(0, whole - spec.parity) // max(1, whole)


def stored_percent(spec: VdevSpec, ashift: int, block_bytes: int) -> int:
    """Return how much of the space that one block of ``block_bytes`` allocates holds its data, in per cent.

    Parity, padding and rounding to sectors are counted (OpenZFS `vdev_raidz_asize`, `vdev_draid_asize`); a mirror
    counts all its sides.
    """
    if spec.kind is VdevKind.STRIPE or not spec.data_disks > 0:
        total = allocated_bytes(VdevKind.STRIPE, 1, 0, 1, ashift, block_bytes)
    else:
        total = allocated_bytes(spec.kind, spec.width, spec.parity, spec.group_data, ashift, block_bytes)
        total *= spec.width if spec.kind is VdevKind.MIRROR else 1
    return 100 * block_bytes // total if total else 0


def common_facts(profile: DiskProfile, ashift: int | None, of_data: DiskProfile | None = None) -> Facts:
    """Return the facts of the pool that are the same in every layout of these disks.

    ``of_data`` describes those that hold data, where others have a place as well: their media count.
    """
    of_data = of_data or profile
    return only_known({
        "pool.ashift": ashift,
        "pool.ashift_bytes": None if ashift is None else 1 << ashift if 0 <= ashift < 64 else 0,
        "pool.logical_sector_bytes": profile.logical_sector_bytes,
        "pool.physical_sector_bytes": profile.physical_sector_bytes,
        "pool.media": of_data.media,
        "pool.flash": of_data.flash,
        "pool.power_loss_protected": of_data.power_loss_protected,
        "pool.planned": profile.planned,
    })  # fmt: skip


def pool_facts(
    groups: Sequence[LayoutGroup], *, version: ZfsVersion, numbers: LayoutNumbers, repeated_disks: int = 0
) -> Facts:
    """Return the facts of the pool that these vdevs form, besides those that follow from its disks."""
    number = dict.fromkeys(VdevClass, 0)
    redundancies: list[int] = []
    beside: list[int] = []
    kinds: set[str] = set()
    widths: set[int] = set()
    disks = data_disks = raw_bytes = special_bytes = bare = redundant = distributed = largest = parity = 0
    largest_spare: int | None = None
    for group in groups:  # once over all, for thousands of layouts ask
        role = group.role
        number[role] += group.count
        disks += group.count * group.width
        if role is VdevClass.DATA:
            redundancies.append(group.redundancy)
            kinds.add(group.kind)
            widths.add(group.width)
            largest, parity = max(largest, group.least_bytes), max(parity, group.parity)
            data_disks += group.count * group.width
            raw_bytes += group.sum_bytes
            bare += group.count if group.kind == "disk" else 0
            redundant += group.count if group.redundancy else 0
            distributed += group.count * group.spec.draid_spares
        elif role is VdevClass.SPARE:
            largest_spare = max(*group.spec.sizes, largest_spare or 0)
        elif role in (VdevClass.SPECIAL, VdevClass.DEDUP):
            beside.append(group.redundancy)
            special_bytes += group.least_bytes * group.count if role is VdevClass.SPECIAL else 0
    uniform = len(redundancies) < 2 and not beside
    together = numbers.usable_bytes if numbers.together_bytes is None else numbers.together_bytes
    return only_known({
        "pool.data_vdevs": number[VdevClass.DATA],
        "pool.data_disks": data_disks,
        "pool.disks": disks,
        "pool.special_vdevs": number[VdevClass.SPECIAL],
        "pool.dedup_vdevs": number[VdevClass.DEDUP],
        "pool.log_vdevs": number[VdevClass.LOG],
        "pool.cache_devices": number[VdevClass.CACHE],
        "pool.spares": number[VdevClass.SPARE],
        "pool.distributed_spares": distributed,
        "pool.unassigned_disks": numbers.unassigned_disks,
        "pool.redundancy": min(beside + redundancies, default=0),
        "pool.least_data_redundancy": min(redundancies, default=0),
        "pool.most_data_redundancy": max(redundancies, default=0),
        "pool.bare_disks": bare,
        "pool.redundant_vdevs": redundant,
        "pool.mixed_kinds": len(kinds) > 1,
        "pool.mixed_widths": len(widths) > 1,
        "pool.replication_mismatch": not uniform and mixed([group.spec for group in groups], version),
        "pool.repeated_disks": repeated_disks,
        "pool.spare_needs_bytes": largest,
        "pool.raw_bytes": raw_bytes,
        "pool.parity_data": parity > 0,
        "pool.raidz_data": VdevKind.RAIDZ in kinds,
        "pool.special_bytes": special_bytes,
        "pool.largest_spare_bytes": largest_spare,
        "pool.usable_bytes": numbers.usable_bytes,
        "pool.together_bytes": together,
        **numbers.predicted,
    })  # fmt: skip


# Trade sizes: what a disk sold as 6 TB holds at least, whoever made it.

# A disk larger than its trade size by more than this is no disk of that label: a virtual one, or cut to size.
_MOST_PERCENT = 2
# Flash of 60 and 64 GB follows the rule of larger disks.
_AGREED = tuple(
    label_bytes(gb) if gb >= 80 else label_bytes(80) - 512 * 1_953_504 * (80 - gb)
    for gb in shipped("trade_sizes")["gb"]
)


@lru_cache(maxsize=1024)
def trade_bytes(size_bytes: int) -> int:
    """Return the agreed size of the largest trade size that ``size_bytes`` reaches; itself where it is none."""
    place = bisect_right(_AGREED, size_bytes)
    best = _AGREED[place - 1] if place else size_bytes
    return size_bytes if (size_bytes - best) * 100 > best * _MOST_PERCENT else best


# What the pool manager of TrueNAS leaves at the end of a disk for the same reason; of small disks a hundredth.
REPLACEMENT_SLACK_BYTES = 2 << 30
_LEAST_SHARE = 100


def slack_slice(size_bytes: int) -> int:
    """Return the bytes of the partition that leaves room for a slightly smaller replacement of a disk.

    It ends 2 GiB (of small disks a hundredth) before the agreed size of the disk's label, or before the disk's own end
    where it has none, in whole MiB.
    """
    agreed = trade_bytes(size_bytes)
    return min(whole_slice(agreed - min(REPLACEMENT_SLACK_BYTES, agreed // _LEAST_SHARE)), sliceable_bytes(size_bytes))
