"""What OpenZFS keeps back of a pool so that deleting works when it is full: its slop space, by version.

Sources: OpenZFS `module/zfs/spa_misc.c:spa_get_slop_space`, before 0.6.5 `dsl_pool.c:dsl_pool_adjustedsize`; 1/64 up to
0.6.4 and 1/32 since: pull request 3727; the upper limit: pull request 11023 (2.1.0), taken over into 2.0.6 by 12512;
the embedded log: pull request 11389 (2.1.0).
"""

from poolwright.domain.units import GIB, MIB
from poolwright.domain.version import ZfsVersion

MOST_SLOP_BYTES = 128 * GIB
LEAST_SLOP_BYTES = 128 * MIB
_LEAST_BYTES_BEFORE_0_7 = 32 * MIB
_SHIFT, _SHIFT_BEFORE_0_6_5 = 5, 6
_THIRTY_SECOND_SINCE = ZfsVersion(0, 6, 5)
_LEAST_OF_HALF_SINCE = ZfsVersion(0, 7, 0)
_LIMITED_SINCE = ZfsVersion(2, 0, 6)


def slop_bytes(normal_bytes: int, embedded_usable_bytes: int, version: ZfsVersion) -> int:
    """Return what OpenZFS keeps back of ``normal_bytes`` of deflated data space.

    Since 2.0.6 a 32nd, at most 128 GiB, less the embedded log (of 2.1 and newer), at least 128 MiB or half. Before
    that without the upper limit; up to 0.6.4 a 64th.
    """
    if version < _LEAST_OF_HALF_SINCE:
        shift = _SHIFT if version >= _THIRTY_SECOND_SINCE else _SHIFT_BEFORE_0_6_5
        return min(normal_bytes, max(normal_bytes >> shift, _LEAST_BYTES_BEFORE_0_7))
    slop = normal_bytes >> _SHIFT
    if version >= _LIMITED_SINCE:
        slop = min(slop, MOST_SLOP_BYTES)
    slop -= min(embedded_usable_bytes, slop >> 1)
    return max(slop, min(normal_bytes >> 1, LEAST_SLOP_BYTES))
