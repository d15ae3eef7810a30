"""The way from raw bytes to the bytes to plan with, each loss by its name."""

from dataclasses import dataclass

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.domain.vdev import VdevClass, VdevKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the cascade: ``change_bytes`` (negative: a loss) leads to ``bytes_left``; ``why`` in a sentence."""

    name: str
    title: str
    change_bytes: int
    bytes_left: int
    why: str


def cascade(capacity: PoolCapacity) -> tuple[Step, ...]:
    """Return the steps from the data vdevs' raw bytes to usable bytes and to 80 % of them.

    The first step's ``bytes_left`` is the sum of all members' sizes; each following one is the previous plus its
    change; the step ``usable`` ends at ``available_bytes``. Support vdevs hold no part of it.
    """
    walk = _Walk()
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

    walk.start(raw, "All data disks", "The sizes of all members of data vdevs.")
    walk.to("partitioning", "Partition table", leaves, "GPT, reserved partition 9 and alignment of a whole disk.")
    walk.to("labels", "Labels and boot area", behind_labels, "Four labels and the boot area, rounded to 256 KiB.")
    walk.to("unequal-members", "Larger members", used_leaves, "A vdev uses of each member what its smallest has.")
    walk.to("mirror-copies", "Mirror copies", used_leaves - mirrored, "All sides of a mirror hold the same data.")
    walk.to("draid-reserve", "dRAID spares and rows", asize, "Distributed spares, the reserve and whole 16 MiB rows.")
    walk.to("metaslab-remainder", "Metaslab remainder", metaslabs, "Space is handed out in whole metaslabs.")
    walk.to("embedded-log", "Embedded log", metaslabs - embedded, "One metaslab a vdev is kept for the intent log.")
    walk.to("parity", "Parity and padding", capacity.normal_bytes, "Share of parity and padding in a 128 KiB block.")
    walk.to("slop", "Slop space", capacity.available_bytes, "Kept back so that deleting works on a full pool.")
    walk.mark("usable", "Usable", "USED + AVAIL of the root dataset in `zfs list`.")
    walk.to("fill-reserve", f"Plan for {PLAN_FILL_PERCENT} %", capacity.plan_bytes, "Above it writing slows down.")
    return tuple(walk.steps)


class _Walk:
    """Collects the steps; leaves out those where nothing is lost."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._left = 0

    def start(self, size: int, title: str, why: str) -> None:
        self._left = size
        self.steps.append(Step(name="raw", title=title, change_bytes=0, bytes_left=size, why=why))

    def to(self, name: str, title: str, size: int, why: str) -> None:
        if size != self._left:
            change, self._left = size - self._left, size
            self.steps.append(Step(name=name, title=title, change_bytes=change, bytes_left=size, why=why))

    def mark(self, name: str, title: str, why: str) -> None:
        self.steps.append(Step(name=name, title=title, change_bytes=0, bytes_left=self._left, why=why))
