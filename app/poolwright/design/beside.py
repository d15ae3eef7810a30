"""Disks as a ranking sees them where room is reserved on each: smaller by it, to the byte that OpenZFS sees."""

from collections.abc import Sequence
from dataclasses import replace

from poolwright.capacity.device import whole_disk_for
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.import_targets import left_beside
from poolwright.domain.reserve import ReservedPartition
from poolwright.domain.version import ZfsVersion
from poolwright.texts import tell

_SECTOR = 512


def offered_beside(
    disks: Sequence[Disk], reserve: Sequence[ReservedPartition], version: ZfsVersion
) -> tuple[Disk, ...]:
    """Return the disks with the sizes of which `zpool create` would make the partitions that are left to it.

    Of disks with sectors of 4096 bytes up to 8 MiB less are told: it cuts whole ones in larger steps. Raises UserError
    where nothing is left of a disk.
    """
    partitions = tuple(reserve)
    return tuple(_offered(disk, partitions, version) for disk in disks) if partitions else tuple(disks)


def sizes_beside(disks: Sequence[Disk], reserve: Sequence[ReservedPartition], version: ZfsVersion) -> list[int]:
    """Return the sizes that are left of the disks whose size is known; 0 of one of which nothing is."""
    partitions, found = tuple(reserve), []
    for disk in disks:
        left = left_beside(disk, partitions) if partitions else disk.size_bytes
        if left is not None:
            sector = disk.logical_sector_bytes or _SECTOR
            found.append(whole_disk_for(left, sector, version) if partitions and left else left)
    return found


def _offered(disk: Disk, partitions: tuple[ReservedPartition, ...], version: ZfsVersion) -> Disk:
    left = left_beside(disk, partitions)
    if left is None:
        return disk
    if left == 0:
        raise UserError(
            tell("What is to be reserved leaves nothing of {disk}", disk=disk.label), todo=tell("Reserve less.")
        )
    return replace(disk, size_bytes=whole_disk_for(left, disk.logical_sector_bytes or _SECTOR, version))
