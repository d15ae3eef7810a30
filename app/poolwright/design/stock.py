"""What layouts of unequal disks are made of: pieces of several kinds of disks that are taken as equal.

Kinds of disks are numbered from the largest (see `groups.equal_groups`). A stock holds whole disks of neighbouring
kinds, or slices of one size of all disks that are large enough.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, pairwise

from poolwright.domain.reserve import sliceable_bytes, whole_slice
from poolwright.domain.units import GB

# A left-over slice below this is not worth a vdev of its own: names, quotas and a further head movement for nothing.
LEAST_SLICE_BYTES = 50 * GB
# More kinds of disks are not combined in every way: each further one doubles the ways.
MOST_KINDS_CUT = 5

Taken = tuple[tuple[int, int], ...]  # (kind of disk, how many of it), largest disks first


class Way(StrEnum):
    """How disks are packed."""

    EQUAL = "equal"  # disks of one kind
    GROUPED = "grouped"  # one pool, each vdev of disks of one kind
    CUT = "cut"  # whole disks of several kinds in a vdev, which uses of each what the smallest has
    SEPARATE = "separate"  # a pool for each kind, or for neighbouring kinds
    LAYERED = "layered"  # partitions of equal size; what is left over of the larger disks is a further pool
    STACKED = "stacked"  # partitions of equal size; what is left over makes further vdevs of the same pool


@dataclass(frozen=True, slots=True)
class Stock:
    """``counts`` pieces of each of the kinds ``groups``, the largest first. ``layer`` is 0 for whole disks.

    Slices of layer 1, 2, … have ``slice_bytes`` and lie one behind the other on their disks.
    """

    groups: tuple[int, ...]
    counts: tuple[int, ...]
    layer: int = 0
    slice_bytes: int | None = None

    @property
    def total(self) -> int:
        return sum(self.counts)

    def without(self, group: int, count: int) -> "Stock":
        """Return the stock with fewer pieces of one kind."""
        counts = tuple(n - count if g == group else n for g, n in zip(self.groups, self.counts, strict=True))
        return Stock(self.groups, counts, self.layer, self.slice_bytes)

    def dealt(self, widths: Sequence[tuple[int, int]], spares: int = 0) -> tuple[Taken, list[tuple[Taken, int]]]:
        """Return the spares and the vdevs of these widths with their numbers, dealt from the largest piece on.

        Sorted pieces give the largest sum of the smallest members. Spares come first: they must replace any member.
        """
        left, at, dealt = list(self.counts), 0, []
        for width, count in ((spares, 1), *widths):
            waiting = count if width else 0
            while waiting:
                # As many as one kind has enough pieces for, else one of several kinds.
                number = min(waiting, left[at] // width) or 1
                taken, missing = [], width
                while missing:
                    piece = min(missing, left[at])
                    if piece:
                        taken.append((self.groups[at], piece))
                        left[at] -= piece * number
                        missing -= piece
                    if missing:
                        at += 1
                dealt.append((tuple(taken), number))
                waiting -= number
        return (dealt[0][0], dealt[1:]) if spares else ((), dealt)


def blocks(counts: Sequence[int]) -> Iterator[tuple[Stock, ...]]:
    """Yield every way to divide kinds with these numbers of whole disks into runs of neighbouring kinds.

    The first is all kinds together, the last each kind by itself. Of more than five kinds only those two.
    """
    kinds = len(counts)
    inner = range(1, kinds)
    sizes = range(kinds) if kinds <= MOST_KINDS_CUT else (0, kinds - 1)
    for number in sizes:
        for cuts in combinations(inner, number):
            ends = (0, *cuts, kinds)
            yield tuple(Stock(tuple(range(a, b)), tuple(counts[a:b])) for a, b in pairwise(ends))


def layerings(sizes: Sequence[int], counts: Sequence[int]) -> Iterator[tuple[Stock, ...]]:
    """Yield every way to cut disks of these sizes, the largest first, in two or more layers.

    The first layer is as deep as the smallest disk, each further one ends at the size of a larger kind.
    Slices under 50 GB are not made. Of more than five kinds: all layers, and two.
    """
    kinds = len(sizes)
    larger = range(kinds - 2, -1, -1)  # from the second smallest to the largest
    depths = range(1, kinds) if kinds <= MOST_KINDS_CUT else (1, kinds - 1)
    for number in depths:
        for ends in combinations(larger, number):
            layers = _layers(sizes, counts, (kinds - 1, *ends))
            if layers is not None:
                yield layers


def _layers(sizes: Sequence[int], counts: Sequence[int], ends: Sequence[int]) -> tuple[Stock, ...] | None:
    below, layers = 0, []
    for layer, end in enumerate(ends, start=1):
        depth = whole_slice(sliceable_bytes(sizes[end]) - below)
        if depth < LEAST_SLICE_BYTES:
            return None
        layers.append(Stock(tuple(range(end + 1)), tuple(counts[: end + 1]), layer, depth))
        below += depth
    return tuple(layers)
