"""How many shelves and controllers take a pool with them where its disks are spread as well as can be.

What `spread` reaches is reckoned here without looking for the places: a shelf that is to be survived gives each vdev no
more members than it tolerates, so ``min(disks in it, what the vdevs tolerate)`` at most. Vdevs get all their members
if and only if these sums are enough for any number of the widest of them (a cut of the flow from shelves to vdevs).

Where shelves and controllers cross, or disks differ, that is the least that it can be; `placed` says how many they are.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from poolwright.design.places import placed_vdevs
from poolwright.design.plan import CandidatePool, Plan
from poolwright.design.rank import Measures
from poolwright.domain.disk import Disk
from poolwright.domain.outage import taking_units
from poolwright.predict.drives import OtherCauses
from poolwright.predict.reliability import loss_with_units


def units_of_pools(pools: Sequence[CandidatePool]) -> tuple[frozenset[str], ...]:
    """Return the names of the shelves and controllers that take each of the pools with them once they are placed."""
    known = {disk.key: disk for pool in pools for disk in pool.disks}
    placed = placed_vdevs(pools)
    return tuple(frozenset(str(unit) for unit in taking_units(vdevs, known.values())) for vdevs in placed)


class Units:
    """The shelves and the controllers that are known of disks, each with its number of disks."""

    def __init__(self, disks: Sequence[Disk]) -> None:
        levels = (Counter(disk.enclosure for disk in disks), Counter(disk.controller for disk in disks))
        self._levels = tuple(
            (sorted((count for name, count in level.items() if name), reverse=True), level[None] + level[""])
            for level in levels
        )
        several = [len(counts) for counts, _ in self._levels if len(counts) > 1]
        self._several, self._units = len(several), sum(several)
        self._alike = len({(disk.model, disk.size_bytes) for disk in disks}) < 2
        self._known: dict[tuple[tuple[int, int, int], ...], int] = {}

    @property
    def known(self) -> bool:
        """Tell whether there are several of a kind, so that it matters where a disk stands."""
        return self._several > 0

    def doubtful(self, taking: int) -> bool:
        """Tell whether more of them may take a pool than ``taking``, which was reckoned.

        Shelves and controllers together can rule out what each would allow, and so can sizes, and models of which the
        first ones hold the data.
        """
        return (self._several > 1 or not self._alike) and taking < self._units

    def of_plan(self, plan: Plan, measures: Measures, causes: OtherCauses) -> Measures:
        """Return the measures of a plan with the least that take one of its pools: of any layer of slices by itself."""
        if not self.known:
            return measures
        taking = 0
        for pool in plan.pools:
            for part in pool.segments:
                parts = tuple([(count, made.spec.width, made.failures_survived) for made, count in part])
                if parts not in self._known:
                    self._known[parts] = self._taking(parts)
                taking = max(taking, self._known[parts])
        lost = loss_with_units(measures.any_loss, taking, causes)
        return replace(measures, any_loss=lost, taking=taking, taking_least=self.doubtful(taking))

    def _taking(self, parts: Sequence[tuple[int, int, int]]) -> int:
        """Return the sum over shelves and controllers, each as if there were nothing else.

        ``parts`` are numbers of vdevs with their width and how many disks each may lose.
        """
        needs: list[tuple[int, int]] = []
        bears = members = 0
        for count, width, each in sorted(parts, key=lambda part: -part[1]):
            if not each:
                return 0
            bears, members = bears + count * each, members + count * width
            needs.append((bears, members))
        return sum(_least(counts, free, needs) for counts, free in self._levels if len(counts) > 1)


def _least(counts: Sequence[int], free: int, needs: Sequence[tuple[int, int]]) -> int:
    """Return the least number of units, the largest first, that hold more of a vdev than it bears.

    ``counts`` are the disks of each, ``free`` those of which nobody knows where they are; ``needs`` are, for the widest
    vdevs and for all, the members that they bear the loss of and those that they have.
    """
    for taking in range(len(counts)):
        full, spread = sum(counts[:taking]) + free, counts[taking:]
        if all(full + sum(min(disks, bears) for disks in spread) >= members for bears, members in needs):
            return taking
    return len(counts)
