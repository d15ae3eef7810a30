"""The space of a layout of which each data disk has partitions reserved beside the data."""

from collections.abc import Sequence
from dataclasses import replace

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.pool import PoolCapacity, VdevDevices, predict_devices
from poolwright.domain.as_built import total_bytes
from poolwright.domain.reserve import ReservedPartition
from poolwright.domain.slices import sliceable_bytes
from poolwright.domain.vdev import Layout, VdevClass
from poolwright.domain.version import ZfsVersion


def predict_beside(
    layout: Layout,
    reserve: Sequence[ReservedPartition],
    *,
    ashift: int,
    version: ZfsVersion,
    logical_sector_bytes: int = 512,
) -> PoolCapacity:
    """Return the space of a new pool of whole disks; those of data vdevs give up what is reserved.

    Raises Refusal as `predict_pool`, also where less than 64 MiB are left of a disk.
    """
    taken = total_bytes(tuple(reserve))
    placed = []
    reserved = 0
    for spec in layout:
        data = spec.vdev_class is VdevClass.DATA and taken > 0
        devices = tuple(
            max(0, sliceable_bytes(size) - taken)
            if data
            else device_bytes(size, MemberKind.DISK, logical_sector_bytes, version)
            for size in spec.sizes
        )
        reserved += taken * spec.width if data else 0
        placed.append(VdevDevices(spec=spec, devices=devices))
    return replace(predict_devices(tuple(placed), ashift=ashift, version=version), reserved_bytes=reserved)
