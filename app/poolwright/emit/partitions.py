"""The partitions of disks that ZFS does not have whole, with GUIDs by which a script recognises its own again."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import NAMESPACE_URL, UUID, uuid5

from poolwright.domain.as_built import as_built, reserve_problems, reserved_by_disk, total_bytes
from poolwright.domain.design import SHARED_SPARE, Design
from poolwright.domain.disk import Disk
from poolwright.domain.grouping import grouped
from poolwright.domain.reserve import SLICE_STEP_BYTES, ReservedPartition, ReservePurpose, sliceable_bytes
from poolwright.domain.units import MIB, binary
from poolwright.emit.names import BY_ID, comment, device_problem, quote
from poolwright.texts import N_, _, ngettext

# Solaris /usr & Apple ZFS: what every ZFS calls its partitions (sgdisk's BF01).
TYPE_CODE = "BF01"
LONGEST_NAME = 36  # UTF-16 units of a GPT name
MOST_PARTITIONS = 128
_POOL_LETTERS = 18
_Use = tuple[int, int, str, str, ReservedPartition | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """A partition to be made: its number, first byte, bytes, GPT name and unique GUID, and the pool it is for.

    ``reserved`` says what else it is for; ``pool`` is empty then.
    """

    number: int
    start_bytes: int
    size_bytes: int
    name: str
    guid: UUID
    pool: str
    reserved: ReservedPartition | None = None

    @property
    def type_code(self) -> str:
        return (self.reserved.type_code if self.reserved is not None else None) or TYPE_CODE

    @property
    def sgdisk_words(self) -> tuple[str, ...]:
        """Return what `sgdisk` is told to make it; sizes in MiB, so the same on disks of 512 and 4096-byte sectors."""
        number, start, size = self.number, self.start_bytes // MIB, self.size_bytes // MIB
        return (
            *("-n", f"{number}:{start}M:+{size}M", "-t", f"{number}:{self.type_code}"),
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
    design = as_built(design)
    uses: dict[str, list[_Use]] = {}
    for pool in design.pools():
        counts: dict[str, int] = {}
        for vdev in pool.vdevs:
            index = counts[vdev.vdev_class] = counts.get(vdev.vdev_class, -1) + 1
            for place, member in enumerate(vdev.members):
                if member.part is not None and member.slice_bytes is not None:
                    word = f"{pool.pool_name[:_POOL_LETTERS]}-{vdev.vdev_class.value}{index}-{place}"
                    use = (member.part, member.slice_bytes, word[:LONGEST_NAME], pool.pool_name, None)
                    uses.setdefault(member.disk_key, []).append(use)
    reserved = reserved_by_disk(design)
    return tuple(_split_disk(design, key, _with_reserved(parts, reserved.get(key, ()))) for key, parts in uses.items())


# The partitions of ZFS with those reserved before and behind them; empty room is no partition.
def _with_reserved(parts: list[_Use], reserved: tuple[ReservedPartition, ...]) -> list[_Use]:
    partitions = [p for p in reserved if p.type_code is not None]
    before, behind = [p for p in partitions if not p.at_end], [p for p in partitions if p.at_end]
    first_behind = max((number for number, *__ in parts), default=len(before)) + 1
    numbered = (*enumerate(before, 1), *enumerate(behind, first_behind))
    named = [(number, p.size_bytes, f"reserved-{p.purpose.value}-{number}", "", p) for number, p in numbered]
    return sorted([*parts, *named], key=lambda use: use[0])


def _split_disk(design: Design, key: str, parts: list[_Use]) -> SplitDisk:
    disk = design.disk(key)
    partitions: list[Partition] = []
    # The first MiB is left to the table and its alignment, as every partitioner leaves it.
    start = SLICE_STEP_BYTES
    for number, size, name, pool, reserved in parts:
        guid = _guid(design, disk, f"{pool or name} {number} {start} {size}")
        partitions.append(
            Partition(
                number=number, start_bytes=start, size_bytes=size, name=name, guid=guid, pool=pool, reserved=reserved
            )
        )
        start += size
    return SplitDisk(disk_key=key, table_guid=_guid(design, disk, "table"), partitions=tuple(partitions))


def _guid(design: Design, disk: Disk, what: str) -> UUID:
    return uuid5(NAMESPACE_URL, "\n".join((design.key, disk.by_id_name or disk.key, disk.serial or "", what)))


def partition_problems(design: Design) -> list[str]:
    problems = reserve_problems(design)
    reserved = reserved_by_disk(design)
    whole: set[str] = set()
    parts: dict[str, list[tuple[int, int]]] = {}
    shared = design.shared_spare()
    for member, built in zip(design.members(), as_built(design).members(), strict=True):
        disk = design.disk(member.disk_key)
        if member.slice_bytes is None:
            if member.disk_key in whole:
                problems.append(
                    _("{disk} {shared_spare}", disk=disk.label, shared_spare=_(SHARED_SPARE))
                    if member.disk_key == shared
                    else _("{disk} is used twice", disk=disk.label)
                )
            whole.add(member.disk_key)
            continue
        if built.part is None:
            problems.append(_("{disk} is to be partitioned, but a partition of it has no number", disk=disk.label))
            continue
        parts.setdefault(member.disk_key, []).append((built.part, member.slice_bytes))
    for key, used in parts.items():
        disk = design.disk(key)
        if key in whole:
            problems.append(_("{disk} is used whole and in partitions", disk=disk.label))
        in_table = _table_problems(used, disk.size_bytes, reserved.get(key, ()))
        problems.extend(f"{disk.label}: {problem}" for problem in in_table)
    return problems


def _table_problems(
    parts: list[tuple[int, int]], disk_bytes: int | None, reserved: tuple[ReservedPartition, ...]
) -> Iterator[str]:
    numbers, beside = [number for number, __ in parts], sum(p.type_code is not None for p in reserved)
    if len(set(numbers)) != len(numbers):
        yield _("two partitions have the same number")
    if not all(1 <= number <= MOST_PARTITIONS for number in numbers) or len(numbers) + beside > MOST_PARTITIONS:
        yield _("partitions are numbered 1 to {last}", last=MOST_PARTITIONS)
    for number, size in parts:
        if size % SLICE_STEP_BYTES:
            yield _("partition {number} has {bytes} bytes, which are not whole MiB", number=number, bytes=size)
        elif size < 64 * MIB:  # SPA_MINDEVSIZE
            yield _("partition {number} is smaller than 64 MiB, the least OpenZFS takes", number=number)
    # The last MiB holds the second table of a GPT.
    total, room = sum(size for __, size in parts), sliceable_bytes(disk_bytes or 0) - total_bytes(reserved)
    if disk_bytes is not None and total > room:
        yield _("its partitions have {bytes} bytes together, there is room for {room}", bytes=total, room=max(0, room))


# The commands that fill reserved partitions: once after the creation, and again on each new disk.

_SWAPPED_ON = N_("then swapon, and name its UUID in /etc/fstab")
_FILLED = {
    ReservePurpose.ESP: (
        "mkfs.vfat -F 32 -n EFI {device}",  # for machines
        N_("then fill it: proxmox-boot-tool init on Proxmox, else grub-install, or copy the files of a healthy one"),
    ),
    ReservePurpose.BOOT: (
        "mkfs.ext4 {device}", N_("then copy the files of a healthy one, and name its UUID in /etc/fstab"),
    ),
    ReservePurpose.SWAP: ("mkswap {device}", _SWAPPED_ON),
    ReservePurpose.TRUENAS: ("mkswap {device}", _SWAPPED_ON),
}  # fmt: skip


def reserved_words(design: Design) -> tuple[str, ...]:
    """Return each kind of reserved partition with its size, place and on how many disks, in words."""
    counts = Counter(partition for partitions in reserved_by_disk(design).values() for partition in partitions)
    return tuple(_words(partition, count) for partition, count in counts.items())


def _words(partition: ReservedPartition, count: int) -> str:
    purpose = f"{partition.words}, {binary(partition.size_bytes)}"
    if partition.at_end:
        return ngettext(
            "{purpose} at the end of {count} disk", "{purpose} at the end of each of {count} disks", count,
            purpose=purpose,
        )  # fmt: skip
    return ngettext(
        "{purpose} at the beginning of {count} disk", "{purpose} at the beginning of each of {count} disks", count,
        purpose=purpose,
    )  # fmt: skip


def noted(command: str, note: str) -> str:
    return f"{command}   # {comment(note)}"


def new_disk_steps(split: SplitDisk, device: str) -> Iterator[tuple[str, str]]:
    """Yield the commands, each with a note, that partition a new, empty disk and fill its reserved partitions.

    Numbers, places, sizes, types and names are those of the design, so that a larger disk takes them as well; the
    GUIDs are its own.
    """
    for part in split.partitions:
        words = " ".join(part.sgdisk_words[:-2])  # without its GUID
        use = part.reserved.words if part.reserved is not None else _("for {pool}", pool=part.pool)
        yield f"sgdisk {words} {quote(device)}", use
    reserved = [(part, part.reserved.purpose) for part in split.partitions if part.reserved is not None]
    if reserved:
        yield "udevadm settle", _("until the partitions are there")  # for machines
    for part, purpose in reserved:
        yield _fill(part, purpose, device)


def _fill(part: Partition, purpose: ReservePurpose, disk: str) -> tuple[str, str]:
    device = quote(f"{disk}-part{part.number}")
    if purpose is ReservePurpose.BIOS:
        command = f"grub-install --target=i386-pc {quote(disk)}"  # for machines
        return command, _("where the machine starts from BIOS")
    if purpose is ReservePurpose.RAID:
        command = f"mdadm --manage /dev/md/reserved --add {device}"  # for machines
        return command, _("to the array that its sisters form; cat /proc/mdstat tells it")
    command, note = _FILLED[purpose]
    return command.format(device=device), _(note)


def first_commands(design: Design) -> tuple[str, ...]:
    """Return what is run once after the creation, for each kind of partition on all of its disks."""
    disks_by_use = grouped(
        ((part.reserved.purpose, part.number), _name_by_id(design.disk(split.disk_key)))
        for split in split_disks(design)
        for part in split.partitions
        if part.reserved is not None
    )
    return tuple(line for (purpose, number), disks in disks_by_use.items() for line in _first(purpose, number, disks))


def _name_by_id(disk: Disk) -> str:
    return BY_ID + (disk.by_id_name or "") if device_problem(disk) is None else f"{BY_ID}<{comment(disk.label)}>"


def _first(purpose: ReservePurpose, number: int, disks: list[str]) -> Iterator[str]:
    devices = [f"{disk}-part{number}" for disk in disks]
    if purpose is ReservePurpose.BIOS:
        yield from (f"grub-install --target=i386-pc {disk}" for disk in disks)  # for machines
    elif purpose is ReservePurpose.RAID:
        command = f"mdadm --create /dev/md/reserved --level=1 --metadata=1.0 --raid-devices={len(devices)}"
        yield noted(f"{command} {' '.join(devices)}", _("1.0 lies at the end, so that firmware can read an ESP in it"))
    else:
        yield from (_FILLED[purpose][0].format(device=device) for device in devices)
