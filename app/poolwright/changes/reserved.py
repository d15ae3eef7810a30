"""What lies beside the data on the disks of an existing pool: an ESP of an installer, swap that TrueNAS made."""

from collections.abc import Mapping, Sequence

from poolwright.domain.design import Vdev
from poolwright.domain.disk import Disk, DiskPart
from poolwright.domain.reserve import ReservedPartition, ReservePurpose, whole_mib
from poolwright.domain.units import GIB, MIB
from poolwright.domain.vdev import VdevClass

_BY_TYPE = {
    "c12a7328-f81f-11d2-ba4b-00a0c93ec93b": ReservePurpose.ESP,
    "21686148-6449-6e6f-744e-656564454649": ReservePurpose.BIOS,
    "0fc63daf-8483-4772-8e79-3d69d8477de4": ReservePurpose.BOOT,
    "bc13c2ff-59e6-4262-a352-b275fd6f7172": ReservePurpose.BOOT,
    "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f": ReservePurpose.SWAP,
    "516e7cb5-6ecf-11d6-8ff8-00022d09712b": ReservePurpose.SWAP,  # of FreeBSD, as TrueNAS CORE
    "a19d880f-05fc-4d3b-a006-743f0f84911e": ReservePurpose.RAID,
}
_BY_SIGNATURE = {
    "vfat": ReservePurpose.ESP,
    "ext4": ReservePurpose.BOOT,
    "ext2": ReservePurpose.BOOT,
    "swap": ReservePurpose.SWAP,
    "linux_raid_member": ReservePurpose.RAID,
}
# TrueNAS makes 2 GiB in front of the data, SCALE a sector more.
_TRUENAS_BYTES = range(2 * GIB, 2 * GIB + MIB)


def reserved_on_disks(vdevs: Sequence[Vdev], disks: Mapping[str, Disk]) -> tuple[ReservedPartition, ...]:
    """Return the partitions beside those of the pool on its disks, as a design would reserve them, in whole MiB.

    Partitions of ZFS, of unknown size, or of no purpose that is known are left out. What all data disks have is said
    of all of them.
    """
    found: dict[ReservedPartition, list[str]] = {}
    data: dict[str, None] = {}
    for vdev in vdevs:
        for member in vdev.members:
            if vdev.vdev_class is VdevClass.DATA:
                data[member.disk_key] = None
            disk = disks.get(member.disk_key)
            if disk is None or member.part is None:
                continue
            for part in disk.parts:
                reserved = _reserved(part, member.part)
                if reserved is not None and disk.key not in found.setdefault(reserved, []):
                    found[reserved].append(disk.key)
    every = set(data)
    return tuple(
        ReservedPartition(
            purpose=one.purpose,
            size_bytes=one.size_bytes,
            last=one.last,
            disk_keys=() if set(keys) == every else tuple(keys),
        )
        for one, keys in found.items()
    )


def _reserved(part: DiskPart, of_pool: int) -> ReservedPartition | None:
    # What lies there says more than the type: TrueNAS made its mirrored swap of partitions of the type of swap.
    mirrored = part.signature == "linux_raid_member"
    purpose = ReservePurpose.RAID if mirrored else _BY_TYPE.get(part.type_guid or "")
    purpose = purpose or _BY_SIGNATURE.get(part.signature or "")
    if purpose is None or not part.size_bytes or part.number == of_pool or part.signature == "zfs_member":
        return None
    last = part.number > of_pool
    if purpose is ReservePurpose.SWAP and not last and part.size_bytes in _TRUENAS_BYTES:
        return ReservedPartition(purpose=ReservePurpose.TRUENAS, size_bytes=2 * GIB)
    return ReservedPartition(purpose=purpose, size_bytes=whole_mib(part.size_bytes), last=last)
