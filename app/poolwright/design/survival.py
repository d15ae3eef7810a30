"""How a pool stands failures: exact counting, no failure rate assumed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import comb

from poolwright.domain.design import Design
from poolwright.domain.vdev import HOLDS_THE_POOL

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
    places: dict[str, list[int]] = {}
    for number, (disks, _) in enumerate(vdevs):
        for disk in disks:
            places.setdefault(disk, []).append(number)
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
    groups: dict[int, list[Parts]] = {}
    for parts in alike:
        groups.setdefault(root(parts[0][0]), []).append(parts)
    return groups.values()


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
    vdevs = [vdev for vdev in design.all_vdevs() if vdev.vdev_class in HOLDS_THE_POOL]
    held: dict[str, Counter[int]] = {}
    for number, vdev in enumerate(vdevs):
        for member in vdev.members:
            held.setdefault(member.disk_key, Counter())[number] += 1
    if len(held) < failures:
        return None
    # Disks with the same parts of the same vdevs are interchangeable: count classes of them instead of disks.
    alike = Counter(tuple(parts.items()) for parts in held.values())
    return survivable_sets(alike, [vdev.failures_survived for vdev in vdevs])[failures] / comb(len(held), failures)
