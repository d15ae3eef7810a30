"""Which vdevs `zpool` takes beside each other, and which only with -f.

Source: OpenZFS `cmd/zpool/zpool_vdev.c`, `get_replication` (the vdevs of one command) and `check_replication` (a new
vdev beside those of the pool). Up to 0.6 all vdevs of a pool had to be the same; 0.7 lets a mirror stand beside raidz
that bears as many failures (pull request 5915), 2.1 raidz and dRAID beside each other (`is_raidz_draid`, with dRAID).
"""

from collections.abc import Iterable
from itertools import pairwise

from poolwright.domain.units import MIB
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import DRAID_SINCE, ZfsVersion

# Members of one vdev may differ by this much from their neighbour (ZPOOL_FUZZ).
SIZE_SLACK_BYTES = 16 * MIB
# Classes that are not compared.
NOT_COMPARED = (VdevClass.LOG, VdevClass.CACHE, VdevClass.SPARE)
_WITH_PARITY = (VdevKind.RAIDZ, VdevKind.DRAID)
_MIRROR_BESIDE_PARITY_SINCE = ZfsVersion(0, 7, 0)
_CREATED_BY_PARITY_SINCE = DRAID_SINCE
_ADDED_BY_PARITY_SINCE = ZfsVersion(2, 4, 0)


def created_alike(left: VdevSpec, right: VdevSpec, version: ZfsVersion) -> bool:
    """Tell whether one command of ``version`` takes both without -f: raidz and dRAID by their parity since 2.1."""
    return _alike(left, right, version, by_parity_since=_CREATED_BY_PARITY_SINCE)


def added_alike(old: VdevSpec, new: VdevSpec, version: ZfsVersion) -> bool:
    """Tell whether `zpool add` of ``version`` takes the new vdev beside the pool's last one without -f."""
    return _alike(old, new, version, by_parity_since=_ADDED_BY_PARITY_SINCE)


def mixed(specs: Iterable[VdevSpec], version: ZfsVersion) -> bool:
    """Tell whether vdevs differ from the one before them so that one command with all of them wants -f."""
    return any(not created_alike(one, other, version) for one, other in pairwise(compared(specs)))


def sizes_alike(spec: VdevSpec) -> bool:
    neighbours = pairwise(spec.sizes)
    return spec.kind is VdevKind.STRIPE or all(abs(a - b) <= SIZE_SLACK_BYTES for a, b in neighbours)


def add_wants_force(pool: Iterable[VdevSpec], new: VdevSpec, version: ZfsVersion) -> bool:
    """Tell whether `zpool add` of ``version`` wants -f for a new vdev.

    It is held against the last vdev, and against none where those of the pool differ already: check_replication
    returns where get_replication finds no common level.
    """
    old = compared(pool)
    if new.vdev_class in NOT_COMPARED or not old or mixed(old, version) or not all(map(sizes_alike, old)):
        return False
    return not added_alike(old[-1], new, version)


def compared(specs: Iterable[VdevSpec]) -> list[VdevSpec]:
    return [spec for spec in specs if spec.vdev_class not in NOT_COMPARED]


def _alike(left: VdevSpec, right: VdevSpec, version: ZfsVersion, *, by_parity_since: ZfsVersion) -> bool:
    parities = (left.kind in _WITH_PARITY) + (right.kind in _WITH_PARITY)
    if parities == 2 and version >= by_parity_since:
        return left.parity == right.parity
    mirror_beside = parities == 1 and VdevKind.MIRROR in (left.kind, right.kind)
    if mirror_beside and version >= _MIRROR_BESIDE_PARITY_SINCE:
        return left.failures_survived == right.failures_survived
    if left.kind is not right.kind or left.parity != right.parity:
        return False
    return left.kind is VdevKind.STRIPE or left.width == right.width
