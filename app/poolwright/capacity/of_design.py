"""The space of a design: each member with its own disk's sector size."""

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.pool import PoolCapacity, VdevDevices, predict_devices
from poolwright.domain.design import Design, Vdev

DEFAULT_LOGICAL_SECTOR_BYTES = 512


def predict_design(design: Design) -> PoolCapacity:
    """Return the space of the (main) pool that the design's script creates.

    Whole disks are partitioned as `zpool create` does; a slice is a partition, used as it is. A disk whose logical
    sector size is unknown counts as one of 512 bytes. Raises Refusal as `predict_pool`.
    """
    vdevs = tuple(VdevDevices(spec=design.spec(v), devices=_devices(design, v)) for v in design.vdevs)
    return predict_devices(vdevs, ashift=design.ashift, version=design.version)


def predict_pools(design: Design) -> tuple[PoolCapacity, ...]:
    """Return the space of each pool of a design, the main pool first; raises Refusal as `predict_design`."""
    return tuple(predict_design(pool) for pool in design.pools())


def _devices(design: Design, vdev: Vdev) -> tuple[int, ...]:
    sizes = design.spec(vdev).sizes
    found = []
    for member, size in zip(vdev.members, sizes, strict=True):
        if member.slice_bytes is not None:
            found.append(size)
            continue
        sector = design.disk(member.disk_key).logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES
        found.append(device_bytes(size, MemberKind.DISK, sector, design.version))
    return tuple(found)
