"""What one block costs on a top-level vdev, and the deflate ratio that follows from it.

Sources: OpenZFS `module/zfs/vdev.c:vdev_default_asize, vdev_set_deflate_ratio`, `vdev_raidz.c:vdev_raidz_asize`,
`vdev_draid.c:vdev_draid_asize`.
"""

from dataclasses import dataclass
from functools import lru_cache

from poolwright.capacity.device import round_up
from poolwright.domain.vdev import VdevKind, VdevSpec

DEFLATE_BLOCK_BYTES = 128 << 10
SECTOR_SHIFT = 9


@lru_cache(maxsize=1 << 11)
def allocated_bytes(kind: VdevKind, width: int, parity: int, group_data: int, ashift: int, physical_bytes: int) -> int:
    """Return the bytes allocated on the vdev for one block of ``physical_bytes`` (after compression).

    Parity and padding are included; a mirror counts one side, as OpenZFS does. ``group_data`` is the number of data
    disks of a dRAID group and ignored elsewhere.
    """
    if physical_bytes == 0:
        return 0
    if kind is VdevKind.RAIDZ:
        data = ((physical_bytes - 1) >> ashift) + 1
        total = data + parity * -(-data // (width - parity))
        return round_up(total, parity + 1) << ashift
    if kind is VdevKind.DRAID:
        rows = (physical_bytes - 1) // (group_data << ashift) + 1
        return rows * (group_data + parity) << ashift
    return round_up(physical_bytes, 1 << ashift)


def deflate_ratio(kind: VdevKind, width: int, parity: int, group_data: int, ashift: int) -> int:
    """Return the vdev's deflate ratio in 512ths: always that of a 128 KiB block, 512 where nothing is lost."""
    cost = allocated_bytes(kind, width, parity, group_data, ashift, DEFLATE_BLOCK_BYTES)
    return DEFLATE_BLOCK_BYTES // (cost >> SECTOR_SHIFT)


def deflated(raw_bytes: int, ratio: int) -> int:
    """Return the usable bytes that ``raw_bytes`` of a vdev stand for (`vdev_deflated_space`)."""
    return (raw_bytes >> SECTOR_SHIFT) * ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCost:
    """What one record of ``record_bytes`` costs on one vdev.

    ``allocated_bytes`` is what `zpool list` counts (a mirror: one side), ``disk_bytes`` what is written to all disks,
    ``used_bytes`` what `zfs list` charges, ``padding_bytes`` raidz's and dRAID's filling without data or parity.
    ``efficiency`` is record over disk bytes, ``nominal_efficiency`` data disks over all disks.
    """

    record_bytes: int
    allocated_bytes: int
    disk_bytes: int
    used_bytes: int
    padding_bytes: int
    efficiency: float
    nominal_efficiency: float


def record_cost(spec: VdevSpec, *, ashift: int, record_bytes: int) -> RecordCost:
    """Return the cost of one incompressible record of ``record_bytes`` on the vdev ``spec``."""
    args = (spec.kind, spec.width, spec.parity, spec.group_data, ashift)
    allocated = allocated_bytes(*args, record_bytes)
    sides = spec.width if spec.kind is VdevKind.MIRROR else 1
    sectors = round_up(record_bytes, 1 << ashift)
    rows = -(-sectors // (spec.data_disks << ashift))
    return RecordCost(
        record_bytes=record_bytes,
        allocated_bytes=allocated,
        disk_bytes=allocated * sides,
        used_bytes=deflated(allocated, deflate_ratio(*args)),
        padding_bytes=allocated - sectors - (rows * spec.parity << ashift),
        efficiency=record_bytes / (allocated * sides),
        nominal_efficiency=spec.data_disks / (spec.data_disks + spec.parity) / sides,
    )
