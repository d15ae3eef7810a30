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
from poolwright.texts import marked, tell

# The way from raw bytes to the bytes to plan with, each loss by its name.

# Title and reason of each step by its name; steps without a change are left out.
_LOSSES = {
    "reserved": (marked("Reserved partitions"), marked("Room beside the data: to start from, or to swap.")),
    "partitioning": (marked("Partition table"), marked("GPT, reserved partition 9 and alignment of a whole disk.")),
    "labels": (marked("Labels and boot area"), marked("Four labels and the boot area, rounded to 256 KiB.")),
    "unequal-members": (marked("Larger members"), marked("A vdev uses of each member what its smallest has.")),
    "mirror-copies": (marked("Mirror copies"), marked("All sides of a mirror hold the same data.")),
    "draid-reserve": (
        marked("dRAID spares and rows"),
        marked("Distributed spares, the reserve and whole 16 MiB rows."),
    ),
    "metaslab-remainder": (marked("Metaslab remainder"), marked("Space is handed out in whole metaslabs.")),
    "embedded-log": (marked("Embedded log"), marked("One metaslab a vdev is kept for the intent log.")),
    "parity": (marked("Parity and padding"), marked("Share of parity and padding in a 128 KiB block.")),
    "slop": (marked("Slop space"), marked("Kept back so that deleting works on a full pool.")),
}
_SHARED = marked("Files that share blocks are counted whole, and the pool is counted larger by what they share.")
_OF_EXISTING = {
    "not-expanded": (
        marked("Not taken yet"),
        marked("What larger devices offer and the pool does not use: `zpool online -e` takes it."),
    ),
    "support": (
        marked("Special and dedup vdevs"),
        marked("They count in SIZE; `zfs list` counts the data vdevs alone."),
    ),
    "old-ratio": (
        marked("Old share of parity"),
        marked("After an expansion all space is still counted as if it had the parity of the narrower vdev."),
    ),
    "checkpoint": (
        marked("Checkpoint"),
        marked("What the checkpoint holds is in no dataset: discarding it gives it back."),
    ),
    "freeing": (
        marked("Freed a moment ago"),
        marked("Blocks of the last seconds that are free again and given back in the next ones."),
    ),
    "cloned": (marked("Cloned blocks"), _SHARED),
    "deduplicated": (marked("Deduplicated blocks"), _SHARED),
}


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
    steps = [Step("raw", tell("All data disks"), 0, raw, tell("The sizes of all members of data vdevs."))]
    left = raw
    for (name, (title, why)), size in zip(_LOSSES.items(), sizes, strict=True):
        if size != left:
            steps.append(Step(name, tell(title), size - left, size, tell(why)))
            left = size
    steps.append(Step("usable", tell("Usable"), 0, left, tell("USED + AVAIL of the root dataset in `zfs list`.")))
    plan = capacity.plan_bytes
    if plan != left:
        steps.append(
            Step(
                "fill-reserve",
                tell("Plan for {percent} %", percent=PLAN_FILL_PERCENT),
                plan - left,
                plan,
                tell("Above it writing slows down."),
            )
        )
    return tuple(steps)


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
        if left != self.left:
            title, usual = (_LOSSES | _OF_EXISTING)[name]
            self.found.append(Step(name, tell(title), left - self.left, left, why or tell(usual)))

    def without_held(self, printed: PrintedSizes) -> None:
        self.to("checkpoint", self.left - printed.checkpoint)
        self.to("freeing", self.left - printed.freeing)

    def with_shared(self, printed: PrintedSizes, total: int) -> None:
        """Add what is counted as often as it is written; ``total`` is where the steps end."""
        self.to("cloned", self.left + printed.cloned)
        deduplicated, why = printed.deduplicated, ""
        if deduplicated is None:
            deduplicated = max(0, total - self.left)
            why = tell(
                "Counted as often as they are written. No property of this OpenZFS tells them: this is what is left."
            )
        self.to("deduplicated", self.left + deduplicated, why)

    def ended(self, printed: int, title: str, name: str, last: str = "") -> SizeCascade:
        rest = printed - self.left
        if rest:
            why = tell("What no tool tells of: {count} bytes.", count=rest)
            self.found.append(Step("rest", tell("Not explained"), rest, printed, why))
        self.found.append(Step(name, last or title, 0, printed, tell("As it was printed.")))
        return SizeCascade(title=title, steps=tuple(self.found), printed_bytes=printed, rest_bytes=rest)


def explain_size(tops: Sequence[ExistingTop], size: int, version: ZfsVersion) -> SizeCascade:
    """Return how SIZE of `zpool list` comes from the disks of the vdevs that count in it."""
    counted = [top for top in tops if top.vdev_class in _IN_SIZE]
    spaces = [top.capacity(version) for top in counted]
    shapes = [top.grown.shape for top in counted]
    disks = sum(top.disk_bytes for top in counted)
    steps = _Steps("raw", tell("All disks"), disks, tell("The disks of data and support vdevs."))
    steps.to(
        "partitioning",
        sum(sum(top.grown.devices) for top in counted),
        tell("GPT, reserved partition 9 and alignment of a whole disk, or room left for other partitions."),
    )
    steps.to("labels", sum(top.grown.leaf_sum for top in counted))
    least = sum(shape.least_leaf_bytes * shape.width for shape in shapes)
    steps.to("unequal-members", least)
    mirrors = (shape for shape in shapes if shape.kind is VdevKind.MIRROR)
    steps.to("mirror-copies", least - sum(shape.least_leaf_bytes * (shape.width - 1) for shape in mirrors))
    steps.to("draid-reserve", sum(map(asize_bytes, shapes)))
    steps.to("not-expanded", sum(space.asize_bytes for space in spaces))
    steps.to("metaslab-remainder", sum(space.raw_bytes for space in spaces))
    return steps.ended(size, tell("SIZE of zpool list"), "size")


def explain_available(tops: Sequence[ExistingTop], printed: PrintedSizes, version: ZfsVersion) -> SizeCascade | None:
    """Return how USED + AVAIL of the root dataset come from SIZE; None where one of them was not printed."""
    if printed.size is None or printed.used is None or printed.available is None:
        return None
    data = [top for top in tops if top.vdev_class is VdevClass.DATA]
    spaces = [top.capacity(version) for top in data]
    all_spaces = [(top, top.capacity(version)) for top in tops if top.vdev_class is not VdevClass.CACHE]
    counted = sum(space.raw_bytes for top, space in all_spaces if top.vdev_class in _IN_SIZE)
    raw = sum(space.raw_bytes for space in spaces)
    steps = _Steps("size", tell("SIZE of zpool list"), printed.size, tell("Parity included, of a mirror one side."))
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
    slop = slop_bytes(usable, sum(space.embedded_usable_bytes for _, space in all_spaces), version)
    steps.to("slop", steps.left - slop)
    steps.without_held(printed)
    total = printed.used + printed.available
    steps.with_shared(printed, total)
    return steps.ended(total, tell("USED + AVAIL of the root dataset"), "usable", tell("USED + AVAIL"))


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
    why = tell("Parity included, of a mirror one side.")
    steps = _Steps("allocated", tell("ALLOC of zpool list"), printed.allocated, why)
    shares = sum(deflated(top.allocated_bytes or 0, top.capacity(version).ratio) for top in counted)
    steps.to("parity", shares, tell("Share of parity and padding in a 128 KiB block, on each vdev."))
    steps.without_held(printed)
    steps.with_shared(printed, used_in_blocks)
    return steps.ended(used_in_blocks, tell("USED in blocks"), "used-in-blocks")
