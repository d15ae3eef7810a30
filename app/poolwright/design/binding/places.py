"""What a design asks of each disk that it names: the room, the blocks, the vdevs that wait for it."""

from collections.abc import Iterator
from dataclasses import dataclass

from poolwright.design.blast import pool_outcome
from poolwright.domain.design import Design, Member
from poolwright.domain.disk import Disk
from poolwright.domain.import_targets import reserved_by_disk, total_bytes
from poolwright.domain.reserve import SLICE_STEP_BYTES
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.texts import tell

# Which places are filled first where there are too few disks: what holds the pool, then what can be added later.
_LATER = {VdevClass.SPARE: 1, VdevClass.CACHE: 2}
GROWTH_RANK = 3
_TABLE_STEPS = 2  # the first MiB holds the partition table, the last its copy


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSeat:
    """A disk of a design and all places it has there; ``vdevs`` are numbers of pool and vdev, ``names`` their words.

    ``least_bytes`` is the size from which on a disk has the room (of a whole disk its own size; None where that is
    unknown), ``block_bytes`` the smallest block that is written to it. ``rank`` is 0 where the pool needs it, higher
    for spares, caches and, last, what is kept for a step of growth: that has no vdev yet.
    """

    disk: Disk
    names: tuple[str, ...]
    vdevs: tuple[tuple[int, int], ...] = ()
    classes: frozenset[VdevClass] = frozenset()
    whole: bool = True
    least_bytes: int | None
    block_bytes: int = 0
    rank: int = 0

    @property
    def needed(self) -> bool:
        """Tell whether a script of the design names this disk."""
        return self.rank < GROWTH_RANK

    @property
    def words(self) -> str:
        """Return where the disk belongs: raidz2-0, or its vdevs one after the other."""
        return ", ".join(self.names)


def seats_of(design: Design) -> tuple[DiskSeat, ...]:
    """Return each disk that the design names with its places, the main pool's first, disks for later growth last.

    Raises UserError for a disk that the design does not describe.
    """
    held: dict[str, list[tuple[int, int, Member]]] = {}
    pools = design.pools()
    for number, pool in enumerate(pools):
        for index, vdev in enumerate(pool.vdevs):
            for member in vdev.members:
                held.setdefault(member.disk_key, []).append((number, index, member))
    words = [vdev_words(pool, alone=len(pools) == 1) for pool in pools]
    beside = {key: total_bytes(partitions) for key, partitions in reserved_by_disk(design).items()}
    found = [_seat(design.disk(key), places, pools, words, beside.get(key, 0)) for key, places in held.items()]
    return (*found, *_growth_seats(design, set(held)))


def _seat(
    disk: Disk,
    places: list[tuple[int, int, Member]],
    pools: tuple[Design, ...],
    words: list[dict[int, str]],
    beside_bytes: int,
) -> DiskSeat:
    sizes = [member.slice_bytes for _, _, member in places]
    whole = None in sizes
    classes = frozenset(pools[pool].vdevs[index].vdev_class for pool, index, _ in places)
    vdevs = tuple(dict.fromkeys((pool, index) for pool, index, _ in places))
    return DiskSeat(
        disk=disk,
        names=tuple(words[pool][index] for pool, index in vdevs),
        vdevs=vdevs,
        classes=classes,
        whole=whole,
        least_bytes=disk.size_bytes if whole else _least_for(sum(size or 0 for size in sizes) + beside_bytes),
        block_bytes=min(1 << pools[pool].ashift for pool, _ in vdevs),
        rank=min(_LATER.get(vdev_class, 0) for vdev_class in classes),
    )


def _least_for(partitions_bytes: int) -> int:
    """Return the size of the smallest disk that has room for partitions of so many bytes together."""
    steps = -(-partitions_bytes // SLICE_STEP_BYTES)
    return (steps + _TABLE_STEPS) * SLICE_STEP_BYTES


def _growth_seats(design: Design, held: set[str]) -> Iterator[DiskSeat]:
    for number, step in enumerate(design.growth, 1):
        for key in step.disk_keys:
            if key not in held:
                held.add(key)
                disk = design.disk(key)
                names = (tell("step {number} of growth", number=number),)
                yield DiskSeat(disk=disk, names=names, least_bytes=disk.size_bytes, rank=GROWTH_RANK)


def vdev_words(pool: Design, *, alone: bool = True) -> dict[int, str]:
    """Return for each vdev of one pool what a person calls it: by its class, and by the pool unless it is ``alone``."""
    names = {blast.index: blast.name for blast in reversed(pool_outcome(pool, ()).pools[0].vdevs)}
    made = {}
    for index, vdev in enumerate(pool.vdevs):
        bare = vdev.kind is VdevKind.STRIPE
        name = vdev.vdev_class.value if bare else names.get(index, vdev.kind.value)
        if bare and vdev.vdev_class is VdevClass.DATA:
            name = tell("single disk") if len(vdev.members) == 1 else "stripe"
        elif not bare and vdev.vdev_class is not VdevClass.DATA:
            name = f"{vdev.vdev_class.value} {name}"
        made[index] = name if alone else f"{pool.pool_name}: {name}"
    return made
