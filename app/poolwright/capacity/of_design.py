"""The space of a design: each member with its own disk's sector size."""

from dataclasses import replace

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.pool import PoolCapacity, VdevDevices, predict_devices
from poolwright.domain.as_built import as_built, reserved_by_disk, total_bytes
from poolwright.domain.design import Design, Vdev
from poolwright.domain.vdev import VdevClass

DEFAULT_LOGICAL_SECTOR_BYTES = 512


def predict_design(design: Design) -> PoolCapacity:
    """Return the space of the (main) pool that the design's script creates.

    Raises Refusal as `predict_pool`.
    """
    # Whole disks are partitioned as `zpool create` does; a slice is a partition, used as it is, and so is what reserved
    # partitions leave of a disk. A disk whose logical sector size is unknown counts as one of 512 bytes.
    built = as_built(design)
    pairs = zip(design.vdevs, built.vdevs, strict=True)
    vdevs = tuple(replace(devices_of(built, cut), spec=design.spec(v)) for v, cut in pairs)
    capacity = predict_devices(vdevs, ashift=design.ashift, version=design.version)
    reserved = _reserved_bytes(design)
    return replace(capacity, reserved_bytes=reserved) if reserved else capacity


def _reserved_bytes(design: Design) -> int:
    """Return what is reserved on the whole disks of data vdevs; of a disk in slices it is no part of their sizes."""
    reserved = reserved_by_disk(design)
    whole = (
        m.disk_key
        for v in design.vdevs
        if v.vdev_class is VdevClass.DATA
        for m in v.members
        if m.slice_bytes is None and m.disk_key in reserved
    )
    return sum(total_bytes(reserved[key]) for key in whole)


def predict_pools(design: Design) -> tuple[PoolCapacity, ...]:
    """Return the space of each pool of a design, the main pool first; raises Refusal as `predict_design`."""
    return tuple(predict_design(pool) for pool in design.pools())


def devices_of(design: Design, vdev: Vdev) -> VdevDevices:
    """Return a vdev of a design as it is built, with what OpenZFS opens of each member."""
    spec = design.spec(vdev)
    found = []
    for member, size in zip(vdev.members, spec.sizes, strict=True):
        if member.slice_bytes is not None:
            found.append(size)
            continue
        sector = design.disk(member.disk_key).logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES
        found.append(device_bytes(size, MemberKind.DISK, sector, design.version))
    return VdevDevices(spec=spec, devices=tuple(found), members=vdev.members)
