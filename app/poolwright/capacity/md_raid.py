"""The space of Linux software RAID 6 with superblocks of version 1.2, as mdadm lays it out.

Source: mdadm 4.2, `super1.c:validate_geometry1` and `choose_bm_space`. Held in the tests to what mdadm 4.2 printed for
disks of 4 GB to 16 TB. A filesystem on the array takes its own share, which is not counted.
"""

from poolwright.domain.errors import Refusal
from poolwright.domain.md_raid import RAID6_PARITY, MdRaid6
from poolwright.texts import _

_SECTOR = 512
_MIB_SECTORS = 2048
_SUPER_SECTORS = 12 * 2  # superblock 8 sectors in, and room for the bad block log
_MOST_HEADROOM_SECTORS = 128 * _MIB_SECTORS


def data_offset_bytes(device_bytes: int, chunk_bytes: int) -> int:
    """Return where mdadm lets the data of a member begin: superblock and room to reshape (0.1 %, 128 MiB)."""
    # It begins on a whole MiB; the bitmap, at most 256 sectors, always fits into what that adds.
    sectors = device_bytes // _SECTOR
    headroom = _MOST_HEADROOM_SECTORS
    # validate_geometry1 halves the headroom until it is a thousandth of the member, or four chunks.
    while headroom << 10 > sectors and headroom > 4 * chunk_bytes // 1024:
        headroom >>= 1
    needed = _SUPER_SECTORS + headroom
    return -(-needed // _MIB_SECTORS) * _MIB_SECTORS * _SECTOR


def raid6_bytes(sizes: tuple[int, ...], chunk_bytes: int) -> int:
    """Return the bytes of a RAID 6 of whole disks of ``sizes``; raises Refusal where nothing is left."""
    used = (min(sizes) - data_offset_bytes(sizes[0], chunk_bytes)) // chunk_bytes * chunk_bytes
    if used <= 0:
        raise Refusal(_("A disk is too small for a RAID 6"), reasons=(_("mdadm keeps more for itself than it has."),))
    return used * (len(sizes) - RAID6_PARITY)


def md_device_bytes(raid: MdRaid6) -> int:
    arrays = [raid6_bytes(tuple(disk.size_bytes or 0 for disk in array), raid.chunk_bytes) for array in raid.arrays]
    if len(arrays) == 1:
        return arrays[0]
    # Several are joined by a RAID 0, which has superblocks of its own.
    chunk = raid.chunk_bytes
    return sum((size - data_offset_bytes(arrays[0], chunk)) // chunk * chunk for size in arrays)
