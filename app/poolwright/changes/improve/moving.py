"""How a change by way of another pool is written for `poolwright migrate`."""

from collections.abc import Sequence

from poolwright.changes.improve.values import PoolMove
from poolwright.domain.design import Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.units import drive_size


def move_to(vdevs: Sequence[Vdev], disks: Sequence[Disk]) -> PoolMove | None:
    """Return the move to a pool of equal vdevs of these disks; None where the disks differ in size."""
    sizes = {_written(disk) for disk in disks}
    if len(sizes) != 1 or not vdevs:
        return None
    size = sizes.pop()
    one = f"{vdevs[0].sizeless().word}:{len(vdevs[0].members)}x{size}"
    bought = sum(disk.planned for disk in disks)
    return PoolMove(
        layout=one if len(vdevs) == 1 else f"{len(vdevs)}*{one}", bought=f"{bought} x {size}" if bought else ""
    )


def _written(disk: Disk) -> str:
    return drive_size(disk.size_bytes or 0).replace(" ", "")
