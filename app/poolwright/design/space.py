"""The space of shapes of equal disks, fast: each vdev is computed once, a pool is a sum. `predict_pool` in short."""

from poolwright.capacity.device import MemberKind, device_bytes, leaf_bytes
from poolwright.capacity.slop import slop_bytes
from poolwright.capacity.vdev import TopCapacity, TopVdev, top_capacity
from poolwright.design.enumerate import EqualLayout
from poolwright.domain.vdev import VdevKind
from poolwright.domain.version import ZfsVersion

_Key = tuple[VdevKind, int, int, int | None, int]


class ShapeSpace:
    """Knows the usable bytes of every shape of whole disks of ``size_bytes``.

    Raises Refusal where OpenZFS would not take such a disk at all.
    """

    def __init__(self, size_bytes: int, *, ashift: int, version: ZfsVersion, logical_sector_bytes: int) -> None:
        self._leaf = leaf_bytes(device_bytes(size_bytes, MemberKind.DISK, logical_sector_bytes, version))
        self._ashift, self._version = ashift, version
        self._known: dict[_Key, TopCapacity] = {}

    def available_bytes(self, shape: EqualLayout) -> int:
        """Return what USED + AVAIL of one pool of this shape will be; raises Refusal for a vdev OpenZFS refuses."""
        top = self._top(shape, shape.width)
        normal, embedded = top.usable_bytes * shape.narrow, top.embedded_usable_bytes * shape.narrow
        if shape.wide:
            wide = self._top(shape, shape.width + 1)
            normal += wide.usable_bytes * shape.wide
            embedded += wide.embedded_usable_bytes * shape.wide
        return normal - slop_bytes(normal, embedded, self._version)

    def _top(self, shape: EqualLayout, width: int) -> TopCapacity:
        key = (shape.kind, shape.parity, width, shape.data, shape.distributed)
        found = self._known.get(key)
        if found is None:
            top = TopVdev(
                kind=shape.kind,
                width=width,
                parity=shape.parity,
                least_leaf_bytes=self._leaf,
                group_data=shape.data or 0,
                spares=shape.distributed,
            )
            found = self._known[key] = top_capacity(top, self._ashift, self._version)
        return found
