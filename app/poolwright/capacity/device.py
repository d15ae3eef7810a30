"""From a disk's size to what one leaf of a vdev offers (OpenZFS on Linux).

Sources: OpenZFS `lib/libzfs/os/linux/libzfs_pool_os.c:zpool_label_disk`, `lib/libefi/rdwr_efi.c`,
`module/zfs/vdev.c:vdev_open`, `vdev_ashift_optimize`.
"""

from enum import StrEnum

from poolwright.domain.errors import Refusal
from poolwright.domain.units import MIB
from poolwright.domain.version import ZfsVersion
from poolwright.texts import _

LABEL_BYTES = 256 << 10
FRONT_BYTES = 4 * MIB  # two labels and the boot area
BACK_BYTES = 2 * LABEL_BYTES
LEAST_BYTES = 64 * MIB  # SPA_MINDEVSIZE
LEAST_ASHIFT, MOST_ASHIFT = 9, 16
SAFE_ASHIFT = 12  # where nothing else is known: 4096-byte blocks fit every disk, and every replacement

_GPT_ENTRIES_BYTES = 128 * 128  # which is also the least that libefi keeps for them
_START_SECTORS = 2048  # libefi: NEW_START_BLOCK, 1 MiB of 512-byte sectors
_RESERVED_SECTORS = 16384  # partition 9: EFI_MIN_RESV_SIZE, 8 MiB
_END_ALIGNMENT = 2048  # the end of partition 1, for whatever alignment the disk wants
# Releases up to 2.4 count start and reserve in logical sectors; development after 2.4 counts 512-byte units.
_SECTOR_SCALED_GPT = ZfsVersion(2, 4, 99)


class MemberKind(StrEnum):
    DISK = "disk"  # a whole disk: OpenZFS writes a GPT and uses partition 1
    FILE = "file"  # a file, partition or loop device: used as it is


def round_down(value: int, unit: int) -> int:
    return value - value % unit


def round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _beside_sectors(sector: int, version: ZfsVersion) -> int:
    """Return the sectors that `zpool create` needs beside partition 1: GPT, its copy, the start and partition 9."""
    gpt = 1 + -(-_GPT_ENTRIES_BYTES // sector)
    scale = max(1, sector // 512) if version >= _SECTOR_SCALED_GPT else 1
    return gpt + _START_SECTORS // scale + _RESERVED_SECTORS // scale


def whole_disk_for(partition: int, logical_sector_bytes: int, version: ZfsVersion) -> int:
    """Return the bytes of the smallest whole disk whose partition 1 has at most ``partition`` bytes, and nearly so."""
    # It has exactly so many where they are whole steps of `zpool create`: of 1 MiB with sectors of 512 bytes.
    sectors = partition // logical_sector_bytes + _beside_sectors(logical_sector_bytes, version)
    return sectors * logical_sector_bytes


def device_bytes(size_bytes: int, members: MemberKind, logical_sector_bytes: int, version: ZfsVersion) -> int:
    """Return what `zpool create` opens: the file, or partition 1 of a whole disk. Raises Refusal for a tiny disk."""
    if members is MemberKind.FILE:
        return size_bytes
    sector = logical_sector_bytes
    # zpool_label_disk gives ZFS all but GPT, its copy and partition 9, which Solaris kept for itself.
    part = round_down(size_bytes // sector - _beside_sectors(sector, version), _END_ALIGNMENT)
    if part * sector < LEAST_BYTES:
        raise too_small(size_bytes)
    return part * sector


def leaf_bytes(device: int) -> int:
    """Return the bytes a leaf of ``device`` bytes offers behind its labels; raises Refusal below 64 MiB."""
    # Two labels and the boot area in front, two labels behind.
    # vdev_open cuts to whole labels first: the two at the end must lie on a 256 KiB boundary.
    usable = round_down(device, LABEL_BYTES)
    if usable < LEAST_BYTES:
        raise too_small(device)
    return usable - FRONT_BYTES - BACK_BYTES


def device_for(leaf: int) -> int:
    """Return the bytes of the smallest device that offers ``leaf`` bytes behind its labels."""
    return round_up(leaf + FRONT_BYTES + BACK_BYTES, LABEL_BYTES)


def too_small(size_bytes: int) -> Refusal:
    what, size = _("A member is too small"), f"{size_bytes} B"
    return Refusal(
        what,
        where=size,
        reasons=(f"{what}: {size}",),
        todo=_("OpenZFS needs at least 64 MiB on each device, after partitioning."),
    )
