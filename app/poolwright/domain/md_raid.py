"""Linux software RAID 6 on paper: what a ZFS design is compared with. Poolwright does not design it."""

from dataclasses import dataclass

from poolwright.domain.disk import Disk
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

    def twin_layout(self) -> Layout:
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
