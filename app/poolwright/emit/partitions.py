"""Which partitions the disks shared by several vdevs get, with marks by which a script recognises its own again."""

from dataclasses import dataclass
from uuid import NAMESPACE_URL, UUID, uuid5

from poolwright.domain.design import SHARED_SPARE, Design
from poolwright.domain.disk import Disk
from poolwright.domain.slices import SLICE_STEP_BYTES, sliceable_bytes
from poolwright.domain.units import MIB
from poolwright.texts import tell

# Solaris /usr & Apple ZFS: what every ZFS calls its partitions (sgdisk's BF01).
TYPE_CODE = "BF01"
LONGEST_NAME = 36  # UTF-16 units of a GPT name
MOST_PARTITIONS = 128
_POOL_LETTERS = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """A partition to be made: its number, first byte, bytes, GPT name and unique GUID, and the pool it is for."""

    number: int
    start_bytes: int
    size_bytes: int
    name: str
    guid: UUID
    pool: str

    @property
    def sgdisk_words(self) -> tuple[str, ...]:
        """Return what `sgdisk` is told to make it; sizes in MiB, so the same on disks of 512 and 4096-byte sectors."""
        number, start, size = self.number, self.start_bytes // MIB, self.size_bytes // MIB
        return (
            *("-n", f"{number}:{start}M:+{size}M", "-t", f"{number}:{TYPE_CODE}"),
            *("-c", f"{number}:{self.name}", "-u", f"{number}:{self.guid}"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitDisk:
    """A disk that is used in partitions. ``table_guid`` marks its partition table as the script's own."""

    disk_key: str
    table_guid: UUID
    partitions: tuple[Partition, ...]


def split_disks(design: Design) -> tuple[SplitDisk, ...]:
    """Return the disks that ``design`` partitions, in the order in which its pools use them.

    Partitions lie side by side from the first MiB, in the order of their numbers. The GUIDs follow from design, disk
    and place, so that the same design gives the same marks again and another design others. Expects a design whose
    partitions are in order (`partition_problems`).
    """
    uses: dict[str, list[tuple[int, int, str, str]]] = {}
    for pool in design.pools():
        counts: dict[str, int] = {}
        for vdev in pool.vdevs:
            index = counts[vdev.vdev_class] = counts.get(vdev.vdev_class, -1) + 1
            for place, member in enumerate(vdev.members):
                if member.part is not None and member.slice_bytes is not None:
                    word = f"{pool.pool_name[:_POOL_LETTERS]}-{vdev.vdev_class.value}{index}-{place}"
                    use = (member.part, member.slice_bytes, word[:LONGEST_NAME], pool.pool_name)
                    uses.setdefault(member.disk_key, []).append(use)
    return tuple(_split_disk(design, key, sorted(parts)) for key, parts in uses.items())


def _split_disk(design: Design, key: str, parts: list[tuple[int, int, str, str]]) -> SplitDisk:
    disk = design.disk(key)
    made: list[Partition] = []
    start = SLICE_STEP_BYTES
    for number, size, name, pool in parts:
        guid = _guid(design, disk, f"{pool} {number} {start} {size}")
        made.append(Partition(number=number, start_bytes=start, size_bytes=size, name=name, guid=guid, pool=pool))
        start += size
    return SplitDisk(disk_key=key, table_guid=_guid(design, disk, "table"), partitions=tuple(made))


def _guid(design: Design, disk: Disk, what: str) -> UUID:
    return uuid5(NAMESPACE_URL, "\n".join((design.key, disk.by_id_name or disk.key, disk.serial or "", what)))


def partition_problems(design: Design) -> list[str]:
    """Return every reason why the design's disks cannot be partitioned as it says."""
    problems: list[str] = []
    whole: set[str] = set()
    parts: dict[str, list[tuple[int, int]]] = {}
    shared = design.shared_spare()
    for member in (m for vdev in design.all_vdevs() for m in vdev.members):
        disk = design.disk(member.disk_key)
        if member.slice_bytes is None:
            if member.disk_key in whole:
                problems.append(
                    tell("{disk} {shared_spare}", disk=disk.label, shared_spare=tell(SHARED_SPARE))
                    if member.disk_key == shared
                    else tell("{disk} is used twice", disk=disk.label)
                )
            whole.add(member.disk_key)
            continue
        if member.part is None:
            problems.append(tell("{disk} is to be partitioned, but a partition of it has no number", disk=disk.label))
            continue
        parts.setdefault(member.disk_key, []).append((member.part, member.slice_bytes))
    for key, used in parts.items():
        disk = design.disk(key)
        if key in whole:
            problems.append(tell("{disk} is used whole and in partitions", disk=disk.label))
        problems.extend(f"{disk.label}: {problem}" for problem in _table_problems(used, disk.size_bytes))
    return problems


def _table_problems(parts: list[tuple[int, int]], disk_bytes: int | None) -> list[str]:
    problems: list[str] = []
    numbers = [number for number, _ in parts]
    if len(set(numbers)) != len(numbers):
        problems.append(tell("two partitions have the same number"))
    if not all(1 <= number <= MOST_PARTITIONS for number in numbers):
        problems.append(tell("partitions are numbered 1 to {last}", last=MOST_PARTITIONS))
    for number, size in parts:
        if size % SLICE_STEP_BYTES:
            problems.append(
                tell("partition {number} has {bytes} bytes, which are not whole MiB", number=number, bytes=size)
            )
        elif size < 64 * MIB:
            problems.append(tell("partition {number} is smaller than 64 MiB, the least OpenZFS takes", number=number))
    total = sum(size for _, size in parts)
    if disk_bytes is not None and total > sliceable_bytes(disk_bytes):
        room = sliceable_bytes(disk_bytes)
        problems.append(
            tell("its partitions have {bytes} bytes together, there is room for {room}", bytes=total, room=room)
        )
    return problems
