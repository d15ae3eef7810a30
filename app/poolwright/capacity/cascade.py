"""The way from raw bytes to the bytes to plan with, each loss by its name."""

from typing import NamedTuple

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.texts import marked, tell

# Name, title and reason of each loss; steps without a loss are left out.
_LOSSES = (
    ("reserved", marked("Reserved partitions"), marked("Room beside the data: to start from, or to swap.")),
    ("partitioning", marked("Partition table"), marked("GPT, reserved partition 9 and alignment of a whole disk.")),
    ("labels", marked("Labels and boot area"), marked("Four labels and the boot area, rounded to 256 KiB.")),
    ("unequal-members", marked("Larger members"), marked("A vdev uses of each member what its smallest has.")),
    ("mirror-copies", marked("Mirror copies"), marked("All sides of a mirror hold the same data.")),
    (
        "draid-reserve",
        marked("dRAID spares and rows"),
        marked("Distributed spares, the reserve and whole 16 MiB rows."),
    ),
    ("metaslab-remainder", marked("Metaslab remainder"), marked("Space is handed out in whole metaslabs.")),
    ("embedded-log", marked("Embedded log"), marked("One metaslab a vdev is kept for the intent log.")),
    ("parity", marked("Parity and padding"), marked("Share of parity and padding in a 128 KiB block.")),
    ("slop", marked("Slop space"), marked("Kept back so that deleting works on a full pool.")),
)


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
    change; the step ``usable`` ends at ``available_bytes``. Support vdevs hold no part of it.
    """
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
    for (name, title, why), size in zip(_LOSSES, sizes, strict=True):
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
