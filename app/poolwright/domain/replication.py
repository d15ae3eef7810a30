"""Which vdevs `zpool` takes beside each other, and which only with -f.

Source: OpenZFS `cmd/zpool/zpool_vdev.c`, `get_replication` (the vdevs of one command) and `check_replication` (a new
vdev beside those of the pool).
"""

from poolwright.domain.units import MIB
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion

# Members of one vdev may differ by this much from their neighbour (ZPOOL_FUZZ).
SIZE_SLACK_BYTES = 16 * MIB
# Classes that are not compared.
NOT_COMPARED = (VdevClass.LOG, VdevClass.CACHE, VdevClass.SPARE)
_WITH_PARITY = (VdevKind.RAIDZ, VdevKind.DRAID)
_WIDTH_FREE_SINCE = ZfsVersion(2, 4, 0)


def created_alike(left: VdevSpec, right: VdevSpec) -> bool:
    """Tell whether one command takes both without -f: raidz and dRAID by their parity, whatever the width."""
    if left.kind in _WITH_PARITY and right.kind in _WITH_PARITY:
        return left.parity == right.parity
    return _alike(left, right)


def added_alike(old: VdevSpec, new: VdevSpec, version: ZfsVersion) -> bool:
    """Tell whether `zpool add` takes the new vdev beside the pool's last one without -f."""
    return created_alike(old, new) if version >= _WIDTH_FREE_SINCE else _alike(old, new)


def _alike(left: VdevSpec, right: VdevSpec) -> bool:
    """Tell it where only a mirror may stand beside another kind: raidz or dRAID that bears as many failures."""
    if VdevKind.MIRROR in (left.kind, right.kind) and (left.kind in _WITH_PARITY or right.kind in _WITH_PARITY):
        return left.failures_survived == right.failures_survived
    if left.kind is not right.kind or left.parity != right.parity:
        return False
    return left.kind is VdevKind.STRIPE or left.width == right.width
