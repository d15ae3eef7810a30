"""How a pool stands failures: exact counting, no failure rate assumed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import comb

from poolwright.design.plan import CandidatePool, Plan
from poolwright.design.rank import Measures
from poolwright.design.slots import placed_vdevs
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.grouping import grouped
from poolwright.domain.outage import single_points
from poolwright.domain.vdev import HOLDS_THE_POOL
from poolwright.predict.drives import OtherCauses
from poolwright.predict.reliability import loss_with_units

MOST_FAILURES = 4


def survival_shares(vdevs: Iterable[tuple[int, int, int]]) -> tuple[float, ...]:
    """Return, for 1 to 4 disks failing at once, the share of all combinations that a pool of whole disks survives.

    ``vdevs`` are numbers of vdevs with their width and tolerance. Counted over data members (spares hold no data).
    Failing more disks than there are counts as loss.
    """
    ways: tuple[int, ...] = (1,) + (0,) * MOST_FAILURES
    disks = 0
    for number, width, tolerance in vdevs:
        alone = tuple(comb(width, k) if k <= tolerance else 0 for k in range(MOST_FAILURES + 1))
        # Coefficient k of the product of each vdev's generating function counts the survivable sets of k disks.
        ways, disks = _product(ways, _power(alone, number)), disks + number * width
    return tuple(ways[k] / comb(disks, k) if disks >= k else 0.0 for k in range(1, MOST_FAILURES + 1))


# Where a disk has its parts: vdevs by number, and how many members of each it holds.
Parts = tuple[tuple[int, int], ...]


def survival_of_sets(vdevs: Sequence[tuple[tuple[str, ...], int]]) -> tuple[float, ...]:
    """Return, for 1 to 4 disks failing at once, the share of all combinations after which no vdev is lost.

    ``vdevs`` holds the disks of each vdev and how many of them may fail; a disk may lie in several vdevs, and fails in
    all of them at once.
    """
    places = grouped((disk, number) for number, (disks, _) in enumerate(vdevs) for disk in disks)
    # Disks with the same parts of the same vdevs are interchangeable: classes of them are counted instead of disks.
    parts = Counter(tuple(Counter(numbers).items()) for numbers in places.values())
    ways = survivable_sets(parts, [tolerance for _, tolerance in vdevs])
    totals = [comb(len(places), failures) for failures in range(MOST_FAILURES + 1)]
    return tuple(ways[k] / totals[k] if totals[k] else 0.0 for k in range(1, MOST_FAILURES + 1))


def survivable_sets(alike: Mapping[Parts, int], tolerances: Sequence[int]) -> tuple[int, ...]:
    """Return how many sets of 0 to 4 disks may fail at once without loss of a vdev.

    ``alike`` counts the disks that have the same parts: only how many of them fail matters. Vdevs that share no disk,
    directly or through others, are counted apart and multiplied; those that are alike are counted once.
    """
    like: Counter[_Component] = Counter(_component(found, alike, tolerances) for found in _components(alike))
    ways: tuple[int, ...] = (1,) + (0,) * MOST_FAILURES
    for component, times in like.items():
        ways = _product(ways, _power(_survivable_together(component), times))
    return ways


# The parts of some kinds of disks and how many there are of each, and the tolerances of the vdevs they lie in.
_Component = tuple[tuple[tuple[Parts, int], ...], tuple[int, ...]]


def _component(found: Sequence[Parts], alike: Mapping[Parts, int], tolerances: Sequence[int]) -> _Component:
    """Return kinds of disks with their vdevs numbered from 0, so that components that are alike are equal."""
    order = {vdev: at for at, vdev in enumerate(dict.fromkeys(vdev for parts in found for vdev, _ in parts))}
    kinds = ((tuple((order[vdev], members) for vdev, members in parts), alike[parts]) for parts in found)
    return tuple(kinds), tuple(tolerances[vdev] for vdev in order)


def _components(alike: Iterable[Parts]) -> Iterable[Sequence[Parts]]:
    """Return the kinds of disks in groups that have no vdev in common."""
    above: dict[int, int] = {}

    def root(vdev: int) -> int:
        while above.setdefault(vdev, vdev) != vdev:
            above[vdev] = vdev = above[above[vdev]]
        return vdev

    for parts in alike:
        for vdev, _ in parts[1:]:
            above[root(vdev)] = root(parts[0][0])
    return grouped((root(parts[0][0]), parts) for parts in alike).values()


def _survivable_together(component: _Component) -> tuple[int, ...]:
    """Return how many sets of 0 to 4 disks of a component may fail: the sets are counted by failures in each vdev."""
    kinds, tolerances = component
    states: dict[tuple[int, ...], list[int]] = {(0,) * len(tolerances): [1] + [0] * MOST_FAILURES}
    for parts, disks in kinds:
        after: dict[tuple[int, ...], list[int]] = {}
        for failed, ways in states.items():
            room = min([(tolerances[at] - failed[at]) // members for at, members in parts])
            for more in range(min(room, disks, MOST_FAILURES) + 1):
                now = list(failed)
                for at, members in parts:
                    now[at] += more * members
                if not any(ways[: MOST_FAILURES + 1 - more]):
                    break  # already as many failures as are counted
                target = after.setdefault(tuple(now), [0] * (MOST_FAILURES + 1))
                choices = comb(disks, more)
                for k in range(MOST_FAILURES + 1 - more):
                    target[k + more] += ways[k] * choices
        states = after
    return tuple(sum(ways[k] for ways in states.values()) for k in range(MOST_FAILURES + 1))


def _product(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(MOST_FAILURES + 1))


@lru_cache(maxsize=1 << 11)
def _power(base: tuple[int, ...], exponent: int) -> tuple[int, ...]:
    result = (1,) + (0,) * MOST_FAILURES
    square = base
    while exponent:
        if exponent & 1:
            result = _product(result, square)
        square, exponent = _product(square, square), exponent >> 1
    return result


# How vdevs of any kind stand random failures: exact counting over the disks themselves, partitions included.


def failures_survived(design: Design) -> int | None:
    """Return how many disks may fail, whichever they are, without loss of a pool; None without a data vdev.

    Tolerance of the weakest vdev, less where one disk holds several of its members.
    """
    least: int | None = None
    for vdev in design.all_vdevs():
        if vdev.vdev_class not in HOLDS_THE_POOL:
            continue
        worst = sorted(Counter(member.disk_key for member in vdev.members).values(), reverse=True)
        gone = survived = 0
        for members in worst:
            gone += members
            if gone > vdev.failures_survived:
                break
            survived += 1
        least = survived if least is None else min(least, survived)
    return least


def survival_share(design: Design, failures: int) -> float | None:
    """Return the share of all sets of ``failures`` (up to 4) disks whose failing at once loses no pool of the design.

    Counted over the disks that hold data, special or dedup vdevs; None when there are fewer of them than that.
    A dRAID counts as lost where more disks fail than it has parity.
    """
    holding = [vdev for vdev in design.all_vdevs() if vdev.vdev_class in HOLDS_THE_POOL]
    vdevs = [(vdev.keys, vdev.failures_survived) for vdev in holding]
    if len({key for keys, _ in vdevs for key in keys}) < failures:
        return None
    return survival_of_sets(vdevs)[failures - 1]


# How many shelves and controllers take a pool with them where its disks are spread as well as can be.


def units_of_pools(pools: Sequence[CandidatePool]) -> tuple[frozenset[str], ...]:
    """Return the names of the shelves and controllers that take each of the pools with them once they are placed."""
    known = {disk.key: disk for pool in pools for disk in pool.disks}
    placed = placed_vdevs(pools)
    return tuple(frozenset(str(unit) for unit in single_points(vdevs, known.values())) for vdevs in placed)


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

    def doubtful(self, least: int) -> bool:
        """Tell whether more of them may take a pool than the ``least`` that was reckoned.

        Shelves and controllers together can rule out what each would allow, and so can sizes, and models of which the
        first ones hold the data.
        """
        return (self._several > 1 or not self._alike) and least < self._units

    def of_plan(self, plan: Plan, measures: Measures, causes: OtherCauses) -> Measures:
        """Return the measures of a plan with the least that take one of its pools: of any layer of slices by itself."""
        if not self._several:  # then it does not matter where a disk stands
            return measures
        least = 0
        for pool in plan.pools:
            for part in pool.segments:
                parts = tuple([(count, made.spec.width, made.failures_survived) for made, count in part])
                if parts not in self._known:
                    self._known[parts] = self._least(parts)
                least = max(least, self._known[parts])
        lost = loss_with_units(measures.any_loss, least, causes)
        return replace(measures, any_loss=lost, single_points=least, more_single_points=self.doubtful(least))

    def _least(self, parts: Sequence[tuple[int, int, int]]) -> int:
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
        return sum(_of_level(counts, free, needs) for counts, free in self._levels if len(counts) > 1)


def _of_level(counts: Sequence[int], free: int, needs: Sequence[tuple[int, int]]) -> int:
    """Return the least number of units, the largest first, that hold more of a vdev than it bears.

    ``counts`` are the disks of each, ``free`` those of which nobody knows where they are; ``needs`` are, for the widest
    vdevs and for all, the members that they bear the loss of and those that they have.
    """
    for number in range(len(counts)):
        full, spread = sum(counts[:number]) + free, counts[number:]
        if all(full + sum(min(disks, bears) for disks in spread) >= members for bears, members in needs):
            return number
    return len(counts)
