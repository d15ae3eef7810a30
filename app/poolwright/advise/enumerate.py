"""Every layout of a number of equal disks, by shape: kind, widths, spares. Exhaustive for what it says."""

from collections.abc import Iterator
from dataclasses import dataclass

from poolwright.capacity.vdev import MOST_CHILDREN
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec

MIRROR_WIDTHS = (2, 3, 4)
RAIDZ_PARITIES = (1, 2, 3)
MOST_STRIPE = 20  # vdevs up to which speed grows about linearly (thesis, chapter 7.3)
MOST_SPARES = 4  # more are only tried where they are asked for


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """A layout of equal disks: ``narrow`` vdevs of ``width`` and ``wide`` vdevs of ``width + 1``, and hot spares.

    A stripe has ``narrow`` vdevs of width 1. ``pools`` such pools are made of the disks.
    """

    kind: VdevKind
    parity: int
    width: int
    narrow: int
    wide: int = 0
    spares: int = 0
    pools: int = 1

    @property
    def vdevs(self) -> int:
        """Return the number of top-level data vdevs of one pool."""
        return self.narrow + self.wide

    @property
    def data_members(self) -> int:
        """Return the disks in data vdevs of one pool."""
        return self.narrow * self.width + self.wide * (self.width + 1)

    @property
    def disks(self) -> int:
        """Return the disks of one pool, spares included."""
        return self.data_members + self.spares

    @property
    def family(self) -> str:
        """Return what people call the family: stripe, mirror of 3, raidz2."""
        if self.kind is VdevKind.MIRROR:
            return f"mirror of {self.width}"
        return f"raidz{self.parity}" if self.kind is VdevKind.RAIDZ else self.kind.value


FAMILIES = ("stripe", *(f"mirror of {w}" for w in MIRROR_WIDTHS), *(f"raidz{p}" for p in RAIDZ_PARITIES))


def shapes(disks: int, *, spares: int | None = None, split_stripes: bool = False) -> Iterator[Shape]:
    """Yield every shape of at most ``disks`` equal disks.

    Stripes; mirrors of 2 to 4; raidz1-3 of every width OpenZFS takes, any number of equal vdevs, and vdevs whose widths
    differ by one where that uses every disk. ``spares`` fixes the hot spares; otherwise 0 to 4 are tried. With
    ``split_stripes`` more than 20 disks are also split into as few pools as keep each stripe within 20.
    """
    tried = range(MOST_SPARES + 1) if spares is None else range(spares, spares + 1)
    yield from _stripes(disks, spares or 0, split_stripes)
    for width in MIRROR_WIDTHS:
        yield from _uniform(disks, tried, VdevKind.MIRROR, 0, width)
    for parity in RAIDZ_PARITIES:
        for width in range(parity + 1, min(disks, MOST_CHILDREN) + 1):
            yield from _uniform(disks, tried, VdevKind.RAIDZ, parity, width)
        yield from _uneven(disks, tried, parity)


def _stripes(disks: int, spares: int, split: bool) -> Iterator[Shape]:
    for count in range(1, disks - spares + 1):
        yield Shape(kind=VdevKind.STRIPE, parity=0, width=1, narrow=count, spares=spares)
        pools = disks // (count + spares)
        if (
            split
            and count <= MOST_STRIPE < disks
            and pools in (disks // MOST_STRIPE, -(-disks // MOST_STRIPE))
            and pools > 1
        ):
            yield Shape(kind=VdevKind.STRIPE, parity=0, width=1, narrow=count, spares=spares, pools=pools)


def _uniform(disks: int, tried: range, kind: VdevKind, parity: int, width: int) -> Iterator[Shape]:
    for count in range(1, disks // width + 1):
        for spares in tried:
            if count * width + spares > disks:
                break
            yield Shape(kind=kind, parity=parity, width=width, narrow=count, spares=spares)


def _uneven(disks: int, tried: range, parity: int) -> Iterator[Shape]:
    for spares in tried:
        members = disks - spares
        for vdevs in range(2, max(2, members // (parity + 1) + 1)):
            width, wide = divmod(members, vdevs)
            if wide and parity < width < MOST_CHILDREN:
                yield Shape(
                    kind=VdevKind.RAIDZ, parity=parity, width=width, narrow=vdevs - wide, wide=wide, spares=spares
                )


class LayoutMaker:
    """Turns shapes into layouts of disks of ``size_bytes``; equal vdevs share one object."""

    def __init__(self, size_bytes: int) -> None:
        self._size = size_bytes
        self._known: dict[tuple[VdevKind, int, int, VdevClass], VdevSpec] = {}

    def layout(self, shape: Shape) -> Layout:
        """Return the layout of one pool: wide vdevs, narrow vdevs, spares."""
        if shape.kind is VdevKind.STRIPE:
            data: Layout = (self._spec(VdevKind.STRIPE, 0, shape.narrow),)
        else:
            narrow = self._spec(shape.kind, shape.parity, shape.width)
            data = (narrow,) * shape.narrow
            if shape.wide:
                data = (self._spec(shape.kind, shape.parity, shape.width + 1),) * shape.wide + data
        if shape.spares:
            return (*data, self._spec(VdevKind.STRIPE, 0, shape.spares, VdevClass.SPARE))
        return data

    def _spec(self, kind: VdevKind, parity: int, width: int, vdev_class: VdevClass = VdevClass.DATA) -> VdevSpec:
        key = (kind, parity, width, vdev_class)
        found = self._known.get(key)
        if found is None:
            found = VdevSpec(kind=kind, parity=parity, sizes=(self._size,) * width, vdev_class=vdev_class)
            self._known[key] = found
        return found
