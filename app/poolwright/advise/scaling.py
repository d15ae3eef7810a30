"""How speed grows with a pool, relative to one disk: the little that the ranking needs.

Fitted to the measured table of the Wikibook chapter “Die richtige Poolkonfiguration” (table 2, 44-disk machine of the
thesis): stripes of 8 to 40 disks, raidz2 of 5 to 26, 20 mirrors. Relative numbers only; they carry no unit.
"""

from functools import lru_cache

from poolwright.advise.enumerate import Shape
from poolwright.domain.vdev import VdevKind

# Stripes: 1339 MB/s with 8 disks falls to 90 MB/s a disk with 40. disks / (1 + disks / 30) follows within 9 %.
HALF_SPEED_DISKS = 30.0
# raidz2 keeps the speed of its data disks up to 8 wide (4 x 8: 2924 against 2882 of 24 disks) and loses about
# 2 % with each further disk (2 x 14: 84 %, 1 x 22: 77 %, 1 x 26: 65 %, mean of read and write).
FULL_SPEED_WIDTH = 8
LOSS_PER_DISK = 0.02
LEAST_WIDTH_FACTOR = 0.3
# 20 mirrors read 37 % faster than 20 disks and write 18 % slower.
MIRROR_FACTOR = 1.10
MOST_VDEVS_AT_FULL_SPEED = 20


def aggregate(disks: float) -> float:
    """Return the speed of a stripe of ``disks``, in speeds of one disk."""
    return disks / (1.0 + disks / HALF_SPEED_DISKS)


@lru_cache(maxsize=1 << 14)
def streaming(kind: VdevKind, parity: int, width: int, narrow: int, wide: int) -> float:
    """Return the sequential speed of one pool, mean of read and write, in speeds of one disk."""
    if kind is VdevKind.STRIPE:
        return aggregate(narrow)
    if kind is VdevKind.MIRROR:
        return aggregate(narrow) * MIRROR_FACTOR
    data = narrow * (width - parity) * _width_factor(width) + wide * (width + 1 - parity) * _width_factor(width + 1)
    return aggregate(data)


def _width_factor(width: int) -> float:
    return max(LEAST_WIDTH_FACTOR, 1.0 - LOSS_PER_DISK * max(0, width - FULL_SPEED_WIDTH))


def shape_streaming(shape: Shape) -> float:
    """Return the sequential speed of all pools of a shape together, in speeds of one disk."""
    return shape.pools * streaming(shape.kind, shape.parity, shape.width, shape.narrow, shape.wide)


def random_reads(shape: Shape) -> int:
    """Return how many small random reads are served at a time: every mirror side, but a raidz vdev as a whole."""
    if shape.kind is VdevKind.RAIDZ:
        return shape.vdevs * shape.pools
    return shape.data_members * shape.pools


def random_writes(shape: Shape) -> int:
    """Return how many small random writes are taken at a time: one a vdev."""
    return shape.vdevs * shape.pools
