"""Disks of a change as people count them."""

from collections.abc import Sequence

from poolwright.domain.disk import Disk
from poolwright.domain.units import drive_size
from poolwright.texts import tell


def counted_disks(disks: Sequence[Disk]) -> str:
    """Return disks as people count them: ``2 × ST16000NM001G (16 TB)``."""
    groups: dict[tuple[str, int | None, bool], int] = {}
    for disk in disks:
        key = (disk.model or tell("disk"), disk.size_bytes, disk.planned)
        groups[key] = groups.get(key, 0) + 1
    return ", ".join(
        tell("{count} × {model} ({size})", count=count, model=model, size=drive_size(size))
        if planned
        else tell("{count} × {model} ({size}) at hand", count=count, model=model, size=drive_size(size))
        for (model, size, planned), count in groups.items()
    )
