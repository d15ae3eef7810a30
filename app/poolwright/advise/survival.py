"""How a pool stands failures: exact counting, no failure rate assumed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import comb

from poolwright.advise.enumerate import Shape
from poolwright.domain.vdev import VdevKind

MOST_FAILURES = 4


def guaranteed(shape: Shape) -> int:
    """Return how many disks of a pool may fail, whichever they are, without loss of data."""
    if shape.kind is VdevKind.MIRROR:
        return shape.width - 1
    return shape.parity


def survival_shares(shape: Shape) -> tuple[float, ...]:
    """Return, for 1 to 4 disks failing at once, the share of all combinations that the pool survives.

    Counted over the data members of one pool (spares hold no data). Failing more disks than there are counts as loss.
    """
    tolerance = guaranteed(shape)
    if shape.kind is VdevKind.STRIPE:
        return (0.0,) * MOST_FAILURES
    return _shares(shape.width, shape.narrow, shape.wide, tolerance)


def survival_of_sets(vdevs: Sequence[tuple[tuple[str, ...], int]]) -> tuple[float, ...]:
    """Return, for 1 to 4 disks failing at once, the share of all combinations after which no vdev is lost.

    ``vdevs`` holds the disks of each vdev and how many of them may fail; a disk may lie in several vdevs, and fails in
    all of them at once. vdevs that share no disk, directly or through others, are counted apart and multiplied.
    """
    places: dict[str, list[int]] = {}
    for number, (disks, _) in enumerate(vdevs):
        for disk in disks:
            places.setdefault(disk, []).append(number)
    # Disks with the same places are alike: only how many of them fail matters.
    alike = Counter(tuple(numbers) for numbers in places.values())
    ways: tuple[int, ...] = (1,) + (0,) * MOST_FAILURES
    for component in _components(alike):
        ways = _product(ways, _survivable_together(component, alike, [tolerance for _, tolerance in vdevs]))
    totals = [comb(len(places), failures) for failures in range(MOST_FAILURES + 1)]
    return tuple(ways[k] / totals[k] if totals[k] else 0.0 for k in range(1, MOST_FAILURES + 1))


def _components(alike: Iterable[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
    """Return the kinds of places in groups that have no vdev in common."""
    groups: list[tuple[set[int], list[tuple[int, ...]]]] = []
    for numbers in alike:
        joined: tuple[set[int], list[tuple[int, ...]]] = (set(numbers), [numbers])
        apart = []
        for group in groups:
            if group[0].isdisjoint(joined[0]):
                apart.append(group)
            else:
                joined = (joined[0] | group[0], joined[1] + group[1])
        groups = [*apart, joined]
    return [members for _, members in groups]


def _survivable_together(
    component: Sequence[tuple[int, ...]], alike: Mapping[tuple[int, ...], int], tolerances: Sequence[int]
) -> tuple[int, ...]:
    """Return how many sets of 0 to 4 disks of these places may fail: the sets are counted by failures in each vdev."""
    order = {vdev: at for at, vdev in enumerate(sorted({n for numbers in component for n in numbers}))}
    states: dict[tuple[int, ...], list[int]] = {(0,) * len(order): [1] + [0] * MOST_FAILURES}
    for numbers in component:
        hit = [order[n] for n in numbers]
        after: dict[tuple[int, ...], list[int]] = {}
        for failed, ways in states.items():
            room = min([tolerances[n] - failed[order[n]] for n in numbers])
            for more in range(min(room, alike[numbers], MOST_FAILURES) + 1):
                now = list(failed)
                for at in hit:
                    now[at] += more
                if not any(ways[: MOST_FAILURES + 1 - more]):
                    break  # already as many failures as are counted
                target = after.setdefault(tuple(now), [0] * (MOST_FAILURES + 1))
                choices = comb(alike[numbers], more)
                for k in range(MOST_FAILURES + 1 - more):
                    target[k + more] += ways[k] * choices
        states = after
    return tuple(sum(ways[k] for ways in states.values()) for k in range(MOST_FAILURES + 1))


@lru_cache(maxsize=1 << 14)
def _shares(width: int, narrow: int, wide: int, tolerance: int) -> tuple[float, ...]:
    # Coefficient k of the product of each vdev's generating function counts the survivable sets of k disks.
    ways = _product(_power(_survivable(width, tolerance), narrow), _power(_survivable(width + 1, tolerance), wide))
    disks = width * narrow + (width + 1) * wide
    shares = []
    for failures in range(1, MOST_FAILURES + 1):
        total = comb(disks, failures)
        shares.append(ways[failures] / total if total else 0.0)
    return tuple(shares)


def _survivable(width: int, tolerance: int) -> tuple[int, ...]:
    return tuple(comb(width, k) if k <= tolerance else 0 for k in range(MOST_FAILURES + 1))


def _product(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(MOST_FAILURES + 1))


@lru_cache(maxsize=1 << 14)
def _power(base: tuple[int, ...], exponent: int) -> tuple[int, ...]:
    result = (1,) + (0,) * MOST_FAILURES
    square = base
    while exponent:
        if exponent & 1:
            result = _product(result, square)
        square, exponent = _product(square, square), exponent >> 1
    return result
