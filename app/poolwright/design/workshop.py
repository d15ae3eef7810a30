"""vdevs of unequal disks, each worked out once: its space, its place for the rules, what it leaves stranded."""

from dataclasses import dataclass, replace

from poolwright.capacity.device import leaf_bytes
from poolwright.capacity.pool import slop_bytes
from poolwright.capacity.vdev import TopCapacity, TopVdev, top_capacity
from poolwright.design.enumerate import EqualLayout
from poolwright.design.groups import Stock, Taken
from poolwright.design.request import Medium, spare_specs
from poolwright.domain.vdev import Layout, VdevKind, VdevSpec


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Made:
    """A vdev of known kinds of disks. A stripe of N stands for N top-level vdevs: ``tops`` is N, elsewhere 1.

    ``failures_survived`` is how many of its disks may fail; ``stranded_bytes`` is what its members have more than the
    smallest of them. ``kinds`` are the numbers of the kinds of disks in it;
    ``speed_sort`` and ``risk_sort`` are equal of vdevs that are equally fast, and that are lost as easily.
    """

    spec: VdevSpec
    taken: Taken
    layer: int
    slice_bytes: int | None
    top: TopCapacity
    tops: int
    failures_survived: int
    stranded_bytes: int
    kinds: frozenset[int]
    least_bytes: int
    speed_sort: tuple[VdevKind, int, int, int, int]
    risk_sort: tuple[object, ...]


Runs = tuple[tuple[Made, int], ...]  # equal vdevs with their number


class Workshop:
    def __init__(self, medium: Medium) -> None:
        self.medium, self.sizes = medium, tuple([kind.least_bytes for kind in medium.kinds])
        self._version = medium.request.version
        self._leaves = tuple(leaf_bytes(medium.device_bytes(kind)) for kind in range(len(medium.kinds)))
        self._made: dict[tuple[object, ...], Made] = {}

    def runs(self, stock: Stock, shape: EqualLayout) -> tuple[Runs, Taken]:
        """Return ``shape`` made of ``stock``, wider vdevs of larger pieces, and its spares; raises Refusal."""
        if shape.kind is VdevKind.STRIPE:
            spares, ((taken, _),) = stock.dealt(shape.widths, shape.spares)
            return tuple([(self.vdev(shape.kind, 0, (one,), stock), 1) for one in taken]), spares
        spares, dealt = stock.dealt(shape.widths, shape.spares)
        kind, parity, data, distributed = shape.kind, shape.parity, shape.data, shape.distributed
        each = [(self.vdev(kind, parity, taken, stock, data, distributed), count) for taken, count in dealt]
        return tuple(each), spares

    def vdev(
        self, kind: VdevKind, parity: int, taken: Taken, stock: Stock, data: int | None = None, distributed: int = 0
    ) -> Made:
        """Return the vdev of these pieces of ``stock``; raises Refusal for one that OpenZFS refuses."""
        key = (kind, parity, taken, stock.layer, stock.slice_bytes, data, distributed)
        found = self._made.get(key)
        if found is not None:
            return found
        sliced, single, sizes = stock.slice_bytes, kind is VdevKind.STRIPE, list[int]()
        for group, count in taken:
            sizes += (sliced or self.sizes[group],) * count
        spec = VdevSpec(
            kind=kind,
            parity=parity,
            sizes=tuple(sizes),
            draid_data=data,
            draid_spares=distributed,
            disk_bytes=None if sliced is None else min(self.sizes[group] for group, _ in taken),
        )
        width, least = 1 if single else spec.width, min(spec.sizes)
        group = spec.group_data if kind is VdevKind.DRAID else 0
        speed_sort = (kind, parity, width, group, distributed)
        top = TopVdev(
            kind=kind,
            width=width,
            parity=parity,
            least_leaf_bytes=min(self._leaves[group] for group, _ in taken) if sliced is None else leaf_bytes(sliced),
            group_data=group,
            spares=distributed,
        )
        made = self._made[key] = Made(
            spec=spec,
            taken=taken,
            layer=stock.layer,
            slice_bytes=sliced,
            top=top_capacity(top, self.medium.ashift, self._version),
            tops=spec.width if single else 1,
            failures_survived=0 if single else spec.failures_survived,
            stranded_bytes=sum(spec.sizes) - least * spec.width,
            kinds=frozenset(group for group, _ in taken),
            least_bytes=least,
            speed_sort=speed_sort,
            risk_sort=(*speed_sort, spec.width, least, spec.disk_bytes),
        )
        return made

    def refused(self, shape: EqualLayout) -> Layout:
        """Return the vdevs of a shape of equal disks that OpenZFS refuses."""
        bare = VdevSpec(kind=shape.kind, parity=shape.parity, draid_data=shape.data, draid_spares=shape.distributed)
        widths = [width for width, count in shape.widths for _ in range(count)]
        return (
            *(replace(bare, sizes=self.sizes * width) for width in widths),
            *spare_specs(self.medium, ((0, shape.spares),) if shape.spares else ()),
        )

    def usable_bytes(self, runs: Runs) -> int:
        """Return what USED + AVAIL of a new pool of these vdevs will be."""
        normal = embedded = 0
        for made, count in runs:
            number = count * made.tops
            normal += made.top.usable_bytes * number
            embedded += made.top.embedded_usable_bytes * number
        return normal - slop_bytes(normal, embedded, self._version)
