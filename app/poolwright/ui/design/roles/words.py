"""Words of the window for support devices: names, verdicts, devices, numbers."""

from collections.abc import Sequence

from poolwright.design.roles.model import PlannedRole
from poolwright.design.support import Role
from poolwright.domain.design import Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.units import KIB, binary, drive_size
from poolwright.domain.vdev import VdevKind
from poolwright.texts import tell


def role_title(role: Role) -> str:
    return {
        Role.SPECIAL: tell("Special vdev"),
        Role.LOG: tell("Log device (SLOG)"),
        Role.CACHE: tell("Cache device (L2ARC)"),
        Role.DEDUP: tell("Dedup vdev"),
        Role.OWN_POOL: tell("Pool of their own"),
    }[role]


def role_purpose(role: Role) -> str:
    return {
        Role.SPECIAL: tell("Metadata and small blocks"),
        Role.LOG: tell("Synchronous writes, for some seconds"),
        Role.CACHE: tell("Random reads that repeat"),
        Role.DEDUP: tell("The dedup table"),
        Role.OWN_POOL: tell("Whole datasets, beside the other pool"),
    }[role]


def devices_text(planned: PlannedRole, disks: Sequence[Disk]) -> str:
    """Return the devices of a role: mirror of 2: A, B; or their partitions."""
    labels = {disk.key: disk.label for disk in disks}
    return "; ".join(_vdev_text(vdev, labels) for vdev in planned.vdevs) + f" ({binary(planned.capacity_bytes)})"


def _vdev_text(vdev: Vdev, labels: dict[str, str]) -> str:
    names = ", ".join(labels[member.disk_key] for member in vdev.members)
    if vdev.kind is VdevKind.MIRROR:
        names = tell("mirror of {names}", names=names)
    sizes = {member.slice_bytes for member in vdev.members}
    if sizes == {None}:
        return names
    parts = {member.part for member in vdev.members}
    size = binary(max(found or 0 for found in sizes))
    if len(parts) == 1:
        return tell("{names}: partition {part} of {size} on each", names=names, part=parts.pop(), size=size)
    return tell("{names}: a partition of {size} on each", names=names, size=size)


def flash_text(disks: Sequence[Disk]) -> str:
    """Return the free flash drives in a line: 2 × 250 GB NVMe."""
    counts: dict[tuple[int, str], int] = {}
    for disk in disks:
        media = {"nvme": "NVMe", "ssd": "SSD"}.get(disk.media.value if disk.media else "", "")
        key = (disk.size_bytes or 0, media)
        counts[key] = counts.get(key, 0) + 1
    return ", ".join(f"{n} × {drive_size(size)} {media}".rstrip() for (size, media), n in sorted(counts.items()))


def limit_text(limit_bytes: int) -> str:
    if not limit_bytes:
        return tell("off: metadata only")
    return f"{limit_bytes // KIB}K" if limit_bytes < KIB * KIB else f"{limit_bytes // (KIB * KIB)}M"


def seconds_text(seconds: int) -> str:
    return tell("{count} s", count=seconds)
