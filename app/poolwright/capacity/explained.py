"""Why an existing pool prints the sizes it prints: from its disks to SIZE, USED and AVAIL, each step with its bytes.

Sources: those of `capacity.vdev` and `capacity.pool`, and OpenZFS `module/zfs/dsl_pool.c:dsl_pool_adjustedsize`
(checkpoint, deferred frees), `spa_misc.c:spa_update_dspace` (cloned and deduplicated blocks count as space),
`dsl_dir.c` (reservations count as used).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from poolwright.capacity.expansion import GrownTop
from poolwright.capacity.pool import PoolCapacity, slop_bytes
from poolwright.capacity.vdev import TopCapacity, asize_bytes, deflated
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.shipped import shipped
from poolwright.texts import N_, _

# The way from raw bytes to the bytes to plan with, each loss by its name.

_ROOT = N_("USED + AVAIL of the root dataset")


class Step(NamedTuple):
    """One step of the cascade: ``change_bytes`` (negative: a loss) leads to ``bytes_left``; ``why`` in a sentence.

    A named tuple: a frozen dataclass takes four times as long to make, and every answer of a batch has eleven.
    """

    name: str
    title: str
    change_bytes: int
    bytes_left: int
    why: str


def cascade(capacity: PoolCapacity) -> tuple[Step, ...]:
    """Return the steps from the data vdevs' raw bytes to usable bytes and to 80 % of them.

    The first step's ``bytes_left`` is the sum of all members' sizes; each following one is the previous plus its
    change; the step ``usable`` ends at ``available_bytes``.
    """
    # Support vdevs hold no part of it.
    raw = sum([sum(s.sizes) for s in capacity.layout if s.vdev_class is VdevClass.DATA])
    leaves = behind_labels = used_leaves = mirrored = asize = metaslabs = embedded = 0
    for vdev in capacity.vdevs:
        top, count, space = vdev.top, vdev.count, vdev.capacity
        if top.vdev_class is not VdevClass.DATA:
            continue
        leaves += vdev.device_sum
        behind_labels += vdev.leaf_sum
        used_leaves += top.least_leaf_bytes * top.width * count
        if top.kind is VdevKind.MIRROR:
            mirrored += top.least_leaf_bytes * (top.width - 1) * count
        asize += space.asize_bytes * count
        metaslabs += space.raw_bytes * count
        embedded += space.embedded_bytes * count

    # What is left behind each loss.
    of_disks = (raw - capacity.reserved_bytes, leaves, behind_labels, used_leaves, used_leaves - mirrored)
    sizes = (*of_disks, asize, metaslabs, metaslabs - embedded, capacity.normal_bytes, capacity.available_bytes)
    steps = _Steps("raw", _("All data disks"), raw, _("The sizes of all members of data vdevs."))
    for loss, size in zip(shipped("capacity_steps")["loss"], sizes, strict=True):
        steps.to(loss["name"], size)
    left, plan = steps.left, capacity.plan_bytes
    found = [*steps.found, Step("usable", _("Usable"), 0, left, _(_ROOT))]
    if plan != left:
        title, why = _("Plan for {percent} %", percent=PLAN_FILL_PERCENT), _("Above it writing slows down.")
        found.append(Step("fill-reserve", title, plan - left, plan, why))
    return tuple(found)


_IN_SIZE = (VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingTop:
    """A top-level vdev of a pool that exists: as it is now, the disks it lies on, and ALLOC of it."""

    grown: GrownTop
    ashift: int
    disk_bytes: int
    allocated_bytes: int | None = None

    @property
    def vdev_class(self) -> VdevClass:
        return self.grown.spec.vdev_class

    def capacity(self, version: ZfsVersion, *, width: int | None = None) -> TopCapacity:
        return self.grown.space(self.ashift, version, width=width)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedSizes:
    """What the tools printed, in bytes: SIZE and ALLOC of `zpool list`, USED and AVAIL of the root dataset.

    ``checkpoint`` is what a checkpoint holds, ``cloned`` what cloned blocks save (`bclonesaved`), ``deduplicated`` what
    deduplicated ones do: `dedupsaved` of the newest OpenZFS, None where blocks are and no property tells how many.
    ``freeing`` is what was freed and not given back yet (`spa_deferred_frees`), which none tells: see `just_freed`.
    """

    size: int | None = None
    allocated: int | None = None
    used: int | None = None
    available: int | None = None
    checkpoint: int = 0
    cloned: int = 0
    deduplicated: int | None = 0
    freeing: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeCascade:
    """A printed size, step by step; ``rest_bytes`` is what the steps leave unexplained of ``printed_bytes``."""

    title: str
    steps: tuple[Step, ...]
    printed_bytes: int
    rest_bytes: int


class _Steps:
    def __init__(self, name: str, title: str, start: int, why: str) -> None:
        self.found = [Step(name, title, 0, start, why)]

    @property
    def left(self) -> int:
        return self.found[-1].bytes_left

    def to(self, name: str, left: int, why: str = "") -> None:
        """Go on to the bytes that are left after this step, told where it changes something."""
        if left != self.left:
            known = shipped("capacity_steps")
            step = next(entry for entry in (*known["loss"], *known["existing"]) if entry["name"] == name)
            self.found.append(Step(name, _(step["title"]), left - self.left, left, why or _(step["why"])))

    def without_held(self, printed: PrintedSizes) -> None:
        self.to("checkpoint", self.left - printed.checkpoint)
        self.to("freeing", self.left - printed.freeing)

    def with_shared(self, printed: PrintedSizes, total: int) -> None:
        """Add what is counted as often as it is written; ``total`` is where the steps end."""
        self.to("cloned", self.left + printed.cloned)
        deduplicated, why = printed.deduplicated, ""
        if deduplicated is None:
            deduplicated = max(0, total - self.left)
            why = _(
                "Counted as often as they are written. No property of this OpenZFS tells them: this is what is left."
            )
        self.to("deduplicated", self.left + deduplicated, why)

    def ended(self, printed: int, title: str, name: str) -> SizeCascade:
        rest = printed - self.left
        if rest:
            why = _("What no tool tells of: {count} bytes.", count=rest)
            self.found.append(Step("rest", _("Not explained"), rest, printed, why))
        self.found.append(Step(name, title, 0, printed, _("As it was printed.")))
        return SizeCascade(title=title, steps=tuple(self.found), printed_bytes=printed, rest_bytes=rest)


def explain_size(tops: Sequence[ExistingTop], size: int, version: ZfsVersion) -> SizeCascade:
    """Return how SIZE of `zpool list` comes from the disks of the vdevs that count in it."""
    counted = [top for top in tops if top.vdev_class in _IN_SIZE]
    spaces = [top.capacity(version) for top in counted]
    shapes = [top.grown.shape for top in counted]
    disks = sum(top.disk_bytes for top in counted)
    steps = _Steps("raw", _("All disks"), disks, _("Those of all data and support vdevs."))
    steps.to("partitioning", sum(sum(top.grown.devices) for top in counted))
    steps.to("labels", sum(top.grown.leaf_sum for top in counted))
    steps.to("unequal-members", sum(shape.least_leaf_bytes * shape.width for shape in shapes))
    sides = ((shape, 1 if shape.kind is VdevKind.MIRROR else shape.width) for shape in shapes)
    steps.to("mirror-copies", sum(shape.least_leaf_bytes * width for shape, width in sides))
    steps.to("draid-reserve", sum(map(asize_bytes, shapes)))
    steps.to("not-expanded", sum(space.asize_bytes for space in spaces))
    steps.to("metaslab-remainder", sum(space.raw_bytes for space in spaces))
    return steps.ended(size, _("SIZE of zpool list"), "size")


def explain_available(tops: Sequence[ExistingTop], printed: PrintedSizes, version: ZfsVersion) -> SizeCascade | None:
    """Return how USED + AVAIL of the root dataset come from SIZE; None where one of them was not printed."""
    if printed.size is None or printed.used is None or printed.available is None:
        return None
    data = [top for top in tops if top.vdev_class is VdevClass.DATA]
    spaces = [top.capacity(version) for top in data]
    all_spaces = [(top, top.capacity(version)) for top in tops if top.vdev_class is not VdevClass.CACHE]
    counted = sum(space.raw_bytes for top, space in all_spaces if top.vdev_class in _IN_SIZE)
    raw = sum(space.raw_bytes for space in spaces)
    steps = _Steps("size", _("SIZE of zpool list"), printed.size, _("Parity included, of a mirror one side."))
    steps.to("support", printed.size - (counted - raw))
    embedded = sum(space.embedded_bytes for space in spaces)
    steps.to("embedded-log", steps.left - embedded)
    now = [top.capacity(version, width=top.grown.width) for top in data]
    usable_now = sum(space.usable_bytes for space in now)
    usable = sum(space.usable_bytes for space in spaces)
    rest = steps.left - (raw - embedded)
    steps.to("parity", usable_now + rest)
    # A vdev that was widened keeps the deflate ratio of its first width (vdev.c: vdev_set_deflate_ratio).
    steps.to("old-ratio", usable + rest)
    slop = slop_bytes(usable, sum(space.embedded_usable_bytes for __, space in all_spaces), version)
    steps.to("slop", steps.left - slop)
    steps.without_held(printed)
    total = printed.used + printed.available
    steps.with_shared(printed, total)
    return steps.ended(total, _(_ROOT), "usable")


def just_freed(available: SizeCascade | None, allocated: SizeCascade | None) -> int:
    """Return what was freed and not given back yet: it is missing in AVAIL and, by as much, in USED beside ALLOC."""
    # Two sums that are printed independently leave the same number of bytes where it is that; else 0.
    if available is None or allocated is None or available.rest_bytes != allocated.rest_bytes:
        return 0
    return max(0, -available.rest_bytes)


def explain_allocated(
    tops: Sequence[ExistingTop], printed: PrintedSizes, used_in_blocks: int, version: ZfsVersion
) -> SizeCascade | None:
    """Return how ALLOC of `zpool list` comes to what the datasets hold; None where an ALLOC was not printed.

    ``used_in_blocks`` is USED of the root without what is only reserved.
    """
    counted = [top for top in tops if top.vdev_class in _IN_SIZE]
    if printed.allocated is None or any(top.allocated_bytes is None for top in counted):
        return None
    why = _("Parity included, of a mirror one side.")
    steps = _Steps("allocated", _("ALLOC of zpool list"), printed.allocated, why)
    shares = sum(deflated(top.allocated_bytes or 0, top.capacity(version).ratio) for top in counted)
    steps.to("parity", shares)
    steps.without_held(printed)
    steps.with_shared(printed, used_in_blocks)
    return steps.ended(used_in_blocks, _("USED in blocks"), "used-in-blocks")
