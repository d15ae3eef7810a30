"""A design as its disks are cut: where partitions are reserved beside the data, ZFS gets what they leave."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from poolwright.domain import reserve
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, DiskPart
from poolwright.domain.grouping import grouped
from poolwright.domain.units import DEFAULT_LOGICAL_SECTOR_BYTES, GIB, MIB, binary
from poolwright.domain.vdev import VdevClass
from poolwright.texts import N_, _, first_of

LEAST_LEFT_BYTES = 64 * MIB  # the least OpenZFS takes
_MOST_NAMED = 4
_TWICE = N_("{disk}: {purpose} is there twice")
_SMALL_ESP = N_("an EFI system partition on {disk} has at least {least}, the least FAT32 with its sectors")
_NO_ROOM = N_("{reserved} are reserved on {disk}, which leaves no room for data")
Reserved = dict[str, tuple[reserve.ReservedPartition, ...]]


def reserved_by_disk(design: Design) -> Reserved:
    """Return for each used disk that has any its reserved partitions: those before the data, then those behind.

    ``design`` is the whole design, or one of its pools.
    """
    if not design.reserve:
        return {}
    data, used = data_keys(design), design.used_keys()
    ordered = sorted(design.reserve, key=lambda p: (p.at_end, p.purpose is reserve.ReservePurpose.BARE))
    found = grouped((key, part) for part in ordered for key in part.disk_keys or data if key in used)
    return {key: tuple(partitions) for key, partitions in found.items()}


def data_keys(design: Design) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            member.disk_key
            for vdev in design.all_vdevs()
            if vdev.vdev_class is VdevClass.DATA
            for member in vdev.members
        )
    )


def total_bytes(partitions: tuple[reserve.ReservedPartition, ...]) -> int:
    return sum(partition.size_bytes for partition in partitions)


def left_beside(disk: Disk, partitions: tuple[reserve.ReservedPartition, ...]) -> int | None:
    """Return the bytes of the partition that ZFS gets of a whole disk beside these; None for an unknown size.

    They are whole MiB, at least 0. The partition table needs the first and the last MiB of the disk.
    """
    if disk.size_bytes is None:
        return None
    return max(0, reserve.sliceable_bytes(disk.size_bytes) - total_bytes(partitions))


def as_built(design: Design) -> Design:
    """Return the design with a partition in place of each whole disk that has others reserved beside it.

    Partitions are numbered as they lie on the disk; those that a disk was cut into before keep their numbers where
    none is taken. A disk of unknown size stays whole. The result of it is as built already.
    """
    reserved = reserved_by_disk(design)
    if not reserved:
        return design
    numbers = {key: _numbers(design, key, partitions) for key, partitions in reserved.items()}

    def built(member: Member) -> Member:
        partitions = reserved.get(member.disk_key)
        if partitions is None:
            return member
        if member.slice_bytes is not None:
            return replace(member, part=numbers[member.disk_key].get(member.part, member.part))
        left = left_beside(design.disk(member.disk_key), partitions)
        return member if left is None else replace(member, slice_bytes=left, part=_made_before(partitions) + 1)

    def cut(vdevs: tuple[Vdev, ...]) -> tuple[Vdev, ...]:
        return tuple(replace(vdev, members=tuple(map(built, vdev.members))) for vdev in vdevs)

    further = tuple(replace(pool, vdevs=cut(pool.vdevs)) for pool in design.further_pools)
    return replace(design, vdevs=cut(design.vdevs), further_pools=further)


def _made_before(partitions: tuple[reserve.ReservedPartition, ...]) -> int:
    return sum(not partition.at_end for partition in partitions)


def _numbers(design: Design, key: str, partitions: tuple[reserve.ReservedPartition, ...]) -> dict[int | None, int]:
    """Return new numbers for the partitions of a disk that was cut before, where reserved ones take theirs."""
    before = _made_before(partitions)
    parts = sorted(m.part for m in design.members() if m.disk_key == key and m.part is not None)
    if not parts or parts[0] > before:
        return {}
    return {part: before + place for place, part in enumerate(dict.fromkeys(parts), 1)}


def reserve_problems(design: Design) -> list[str]:
    """Return every reason why the reserved partitions cannot be as the design says, each once."""
    problems: list[str] = []
    used = design.used_keys()
    for partition in design.reserve:
        if partition.size_bytes <= 0 or partition.size_bytes % reserve.SLICE_STEP_BYTES:
            problems.append(
                _(
                    "the reserved partition for {purpose} has {bytes} bytes, which are not whole MiB",
                    purpose=partition.words,
                    bytes=partition.size_bytes,
                )
            )
        problems.extend(
            _("{purpose} is reserved on {disk}, which has no place in the design", purpose=partition.words, disk=key)
            for key in partition.disk_keys
            if key not in used
        )
    alike = grouped(
        (problem, design.disk(key).label)
        for key, partitions in reserved_by_disk(design).items()
        for problem in _disk_problems(design.disk(key), partitions)
    )
    for (text, values), labels in alike.items():
        problems.append(_(text, disk=first_of(list(dict.fromkeys(labels)), _MOST_NAMED), **dict(values)))
    return list(dict.fromkeys(problems))


def _disk_problems(
    disk: Disk, partitions: tuple[reserve.ReservedPartition, ...]
) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Yield what is wrong on one disk: the text and its values without the disk, for it is said once of all alike."""
    for partition in partitions:
        alike = sum(other.purpose is partition.purpose for other in partitions)
        if partition.purpose in reserve.ONE_EACH and alike > 1:
            yield _TWICE, (("purpose", partition.words),)
        least = reserve.LEAST_ESP_BYTES.get(disk.logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES, 0)
        if partition.purpose is reserve.ReservePurpose.ESP and partition.size_bytes < least:
            yield _SMALL_ESP, (("least", binary(least)),)
    left = left_beside(disk, partitions)
    if left is not None and left < LEAST_LEFT_BYTES:
        yield _NO_ROOM, (("reserved", binary(total_bytes(partitions))),)


# What lies beside the data on the disks of an existing pool: an ESP of an installer, swap that TrueNAS made.

# TrueNAS makes 2 GiB in front of the data, SCALE a sector more.
_TRUENAS_BYTES = range(2 * GIB, 2 * GIB + MIB)


def reserved_on_disks(vdevs: Sequence[Vdev], disks: Mapping[str, Disk]) -> tuple[reserve.ReservedPartition, ...]:
    """Return the partitions beside those of the pool on its disks, as a design would reserve them, in whole MiB.

    Partitions of ZFS, of unknown size, or of no purpose that is known are left out. What all data disks have is said
    of all of them.
    """
    found: dict[reserve.ReservedPartition, list[str]] = {}
    for vdev in vdevs:
        for member in vdev.members:
            disk = disks.get(member.disk_key)
            if disk is None or member.part is None:
                continue
            for part in disk.parts:
                kept = _reserved(part, member.part)
                if kept is not None and disk.key not in found.setdefault(kept, []):
                    found[kept].append(disk.key)
    every = {key for vdev in vdevs if vdev.vdev_class is VdevClass.DATA for key in vdev.keys}
    return tuple(replace(one, disk_keys=() if {*keys} == every else tuple(keys)) for one, keys in found.items())


def _reserved(part: DiskPart, of_pool: int) -> reserve.ReservedPartition | None:
    # What lies there says more than the type: TrueNAS made its mirrored swap of partitions of the type of swap.
    mirrored = part.signature == "linux_raid_member"
    known = None if mirrored else reserve.purpose_found("guids", part.type_guid)
    purpose = known or reserve.purpose_found("signatures", part.signature)
    if purpose is None or not part.size_bytes or part.number == of_pool or part.signature == "zfs_member":
        return None
    last = part.number > of_pool
    if purpose is reserve.ReservePurpose.SWAP and not last and part.size_bytes in _TRUENAS_BYTES:
        return reserve.ReservedPartition(purpose=reserve.ReservePurpose.TRUENAS, size_bytes=2 * GIB)
    return reserve.ReservedPartition(purpose=purpose, size_bytes=reserve.whole_mib(part.size_bytes), last=last)
