"""Linux software RAID 6 with its exact space, to compare a ZFS design with."""

from dataclasses import dataclass

from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.units import KIB
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.texts import _, ngettext

LEAST_RAID6_DISKS = 4  # mdadm takes no fewer
RAID6_PARITY = 2
DEFAULT_CHUNK_BYTES = 512 * KIB  # mdadm's default since 3.1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class MdRaid6:
    """One or several RAID 6 arrays of whole disks, striped into one device where there are several.

    ``device_name`` is the name under /dev/md, ``spares`` are shared by all arrays. Every disk has a known size.
    """

    name: str
    device_name: str
    arrays: tuple[tuple[Disk, ...], ...]
    spares: tuple[Disk, ...] = ()
    chunk_bytes: int = DEFAULT_CHUNK_BYTES

    @property
    def disks(self) -> tuple[Disk, ...]:
        return (*(disk for array in self.arrays for disk in array), *self.spares)

    def as_raidz2(self) -> Layout:
        vdevs = tuple(
            VdevSpec(kind=VdevKind.RAIDZ, parity=RAID6_PARITY, sizes=tuple(disk.size_bytes or 0 for disk in array))
            for array in self.arrays
        )
        if not self.spares:
            return vdevs
        sizes = tuple(disk.size_bytes or 0 for disk in self.spares)
        return (*vdevs, VdevSpec(kind=VdevKind.STRIPE, vdev_class=VdevClass.SPARE, sizes=sizes))

    @property
    def words(self) -> str:
        """Return the layout in a few words: 5 × RAID 6 of 8, striped, 4 spares."""
        widths = [len(array) for array in self.arrays]
        sizes = "/".join(str(width) for width in sorted(set(widths), reverse=True))
        text = (
            _("{count} × RAID 6 of {sizes}, striped", count=len(widths), sizes=sizes)
            if len(widths) > 1
            else _("RAID 6 of {sizes}", sizes=sizes)
        )
        if not self.spares:
            return text
        return f"{text}, {ngettext('{count} spare', '{count} spares', len(self.spares))}"


# RAID 6 with superblocks of version 1.2. Source: mdadm 4.2, `super1.c:validate_geometry1` and `choose_bm_space`; held
# in the tests to what it printed for disks of 4 GB to 16 TB. A file system takes its own share of the array.

_SECTOR = 512
_MIB_SECTORS = 2048
_SUPER_SECTORS = 12 * 2  # superblock 8 sectors in, and room for the bad block log
_MOST_HEADROOM_SECTORS = 128 * _MIB_SECTORS


def data_offset_bytes(device_bytes: int, chunk_bytes: int) -> int:
    """Return where the data of a member begin: behind superblock and room to reshape (0.1 %, 128 MiB)."""
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
