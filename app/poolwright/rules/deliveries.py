"""Disks that look like one delivery: the same model and serials that differ in their last characters only."""

from collections import Counter
from collections.abc import Iterable

from poolwright.domain.disk import Disk

# Makers count up the end of a serial; a pallet spans a few thousand numbers in base 36.
_COUNTED = 3
_LEAST_SERIAL = 6
_PLACEHOLDER = "EXAMPLE"


def largest_delivery(disks: Iterable[Disk]) -> int:
    """Return how many of ``disks`` look like one delivery, at most; 1 where none do, 0 for no disks.

    A disk without model or serial counts by itself.
    """
    disks = tuple(disks)
    if not disks:
        return 0
    known = Counter(key for disk in disks if (key := delivery(disk)) is not None)
    return max(known.values(), default=1)


def delivery(disk: Disk) -> tuple[str, str] | None:
    """Return what disks of one delivery have in common, model and front of the serial; None where nothing is known."""
    serial = (disk.serial or "").strip().upper()
    if not disk.model or len(serial) < _LEAST_SERIAL or serial.startswith(_PLACEHOLDER):
        return None
    return disk.model, serial[:-_COUNTED]
