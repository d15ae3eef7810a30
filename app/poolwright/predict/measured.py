"""What people measured of single disks, for a group of disks of which one speed counts."""

from collections.abc import Iterable

from poolwright.domain.disk import Disk


def measured_rates(disks: Iterable[Disk]) -> tuple[float | None, float | None]:
    """Return the sequential read and write rate in bytes/s that were told of ``disks``: of several the slowest.

    None where nobody told one.
    """
    known = tuple(disks)
    reads = [disk.read_bytes_per_second for disk in known if disk.read_bytes_per_second is not None]
    writes = [disk.write_bytes_per_second for disk in known if disk.write_bytes_per_second is not None]
    return (float(min(reads)) if reads else None, float(min(writes)) if writes else None)
