"""A way to place unequal disks: pools of vdevs of known kinds, with what it leaves stranded and idle."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from poolwright.design.stock import Taken, Way
from poolwright.design.workshop import Made, Runs


class Purpose(StrEnum):
    MAIN = "main"  # holds the data that the goal is about
    PEER = "peer"  # of equal rank, on other disks
    DATA = "data"  # for data of another kind, on disks that suit them
    REST = "rest"  # holds what else fits into left-over space


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """A pool: ``segments`` are its vdevs, those of one layer of slices together; ``spares`` are whole disks."""

    segments: tuple[Runs, ...]
    spares: Taken = ()
    purpose: Purpose = Purpose.MAIN

    @property
    def runs(self) -> Runs:
        return self.segments[0] if len(self.segments) == 1 else tuple(run for part in self.segments for run in part)

    @property
    def failures_survived(self) -> int:
        """Return how many disks may fail, whichever they are: no disk has two places in one vdev."""
        return min([made.failures_survived for part in self.segments for made, _ in part])

    @property
    def members(self) -> int:
        """Return the number of places in data vdevs."""
        return sum([made.spec.width * count for part in self.segments for made, count in part])

    @property
    def kinds(self) -> frozenset[int]:
        """Return the numbers of the kinds of disks in it, spares included."""
        return self.data_kinds | {group for group, _ in self.spares}

    @property
    def data_kinds(self) -> frozenset[int]:
        """Return the numbers of the kinds of disks that hold data: what is predicted rests on them."""
        return frozenset(group for part in self.segments for made, _ in part for group, _ in made.taken)


@dataclass(frozen=True, slots=True)
class Plan:
    """Pools made of disks of one medium, the main pool first."""

    way: Way
    pools: tuple[PoolPlan, ...]

    def vdevs(self) -> Iterator[tuple[Made, int]]:
        """Yield the data vdevs of all pools with their number."""
        for pool in self.pools:
            for part in pool.segments:
                yield from part

    def disks_used(self, *, spares: bool = True) -> Counter[int]:
        """Return how many disks of each kind have a place; slices of one disk count once."""
        by_layer: dict[int, Counter[int]] = {}
        for made, count in self.vdevs():
            layer = by_layer.setdefault(made.layer, Counter())
            for group, number in made.taken:
                layer[group] += number * count
        # Slices are dealt from the first disk of a kind on, in every layer.
        used: Counter[int] = Counter()
        for layer in by_layer.values():
            used |= layer
        if spares:
            for pool in self.pools:
                used.update(dict(pool.spares))
        return used

    def stranded_bytes(self, sizes: Sequence[int]) -> int:
        """Return the bytes of disks in data vdevs that no vdev can use; ``sizes`` are those of the kinds."""
        if any(made.slice_bytes is not None for made, _ in self.vdevs()):
            held = sum(sizes[group] * number for group, number in self.disks_used(spares=False).items())
            return held - sum(sum(made.spec.sizes) * count for made, count in self.vdevs())
        return sum(made.stranded_bytes * count for made, count in self.vdevs())
