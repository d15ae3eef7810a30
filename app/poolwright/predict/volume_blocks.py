"""What each volblocksize wastes on a layout: parity and padding of raidz, whole stripes of dRAID, whole sectors.

A volume writes blocks of one size for ever. On raidz a block of few sectors carries nearly as much parity as a large
one and is padded to a multiple of parity + 1 sectors (OpenZFS `vdev_raidz.c:vdev_raidz_asize`); on dRAID it fills whole
stripes. `zfs create -V` sets aside what that takes (`zvol_volsize_to_reservation`).
"""

from dataclasses import dataclass

from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.units import KIB, TIB
from poolwright.predict.space import volume_reservation
from poolwright.predict.usage import block_efficiency

VOLUME_BLOCKS = tuple(KIB << shift for shift in range(2, 8))  # 4K to 128K, which OpenZFS takes without a tunable
PROBE_BYTES = TIB


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeBlock:
    """One volblocksize on a pool.

    ``disk_bytes`` is what one incompressible block takes on all disks, ``efficiency`` the share of that which is data,
    ``nominal`` the share without padding and stripes; ``reserved_bytes`` what a volume of 1 TiB that is not sparse
    sets aside.
    """

    block_bytes: int
    disk_bytes: int
    efficiency: float
    nominal: float
    reserved_bytes: int

    @property
    def waste(self) -> float:
        """Return the share of the disks' bytes that is lost beyond the layout's own parity or copies."""
        return max(0.0, 1 - self.efficiency / self.nominal)


def volume_blocks(capacity: PoolCapacity) -> tuple[VolumeBlock, ...]:
    """Return each usual volblocksize on the data vdevs of a pool, the mean over them by their space."""
    found = []
    for block in VOLUME_BLOCKS:
        efficiency, nominal = block_efficiency(capacity, block)
        found.append(
            VolumeBlock(
                block_bytes=block,
                disk_bytes=round(block / efficiency),
                efficiency=efficiency,
                nominal=nominal,
                reserved_bytes=volume_reservation(capacity, PROBE_BYTES, block),
            )
        )
    return tuple(found)
