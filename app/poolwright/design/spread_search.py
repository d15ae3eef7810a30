"""The search behind `spread`: numbered disks with labels are dealt to rows of seats.

Disks with the same labels are alike, so the search moves kinds of disks, not disks. With the set of units that must
not be deadly fixed, the cost of an assignment is the sum of the costs of its rows; it is improved by exchanges between
two rows until none helps. The sets are tried from the largest down; the first that can be kept decides. Deliveries
weigh least: they are looked at once enclosures and controllers are settled."""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import combinations
from typing import NamedTuple

from poolwright.design.groups import UNKNOWN, Label

# What an assignment of disks to rows of seats costs, and what an exchange of disks changes of it.

LEVELS = 3  # enclosures, controllers, deliveries
DEADLY_LEVELS = 2  # the first two take disks away at one moment, and are searched
# Weights that keep the order of what counts: squares of members of one row stay far below the next weight.
EXCESS, _UNEVEN = 10**12, (10**6, 1)

Unit = tuple[int, int]  # level, number


class Seats(NamedTuple):
    """The members of a vdev, and how many of them may be missing."""

    width: int
    tolerance: int


class DiskCostRow:
    __slots__ = ("cost", "have", "seats")

    def __init__(self, seats: Seats, kinds: int) -> None:
        self.seats = seats
        self.have = [0] * kinds
        self.cost = 0


class Costs:
    """What a row costs: members beyond the tolerance in units to be kept harmless, then unevenness.

    ``_steps[tolerance][unit][count]`` is what ``count`` members of a row in a unit cost. Units of all levels are
    numbered together; ``_units[kind]`` are those of a kind.
    """

    def __init__(self, kinds: Sequence[Label], safe: frozenset[Unit], seats: Sequence[Seats]) -> None:
        found = sorted({(level, unit) for kind in kinds for level, unit in enumerate(kind) if unit != UNKNOWN})
        numbers = {unit: number for number, unit in enumerate(found)}
        self._units = [tuple(numbers[unit] for unit in enumerate(kind) if unit in numbers) for kind in kinds]
        self._kinds = [[kind for kind, own in enumerate(self._units) if unit in own] for unit in range(len(found))]
        # For each kind and each other one, the units that both are in: an exchange of one for the other leaves these.
        self._shared = [
            [(into, tuple(u for u in own if u in theirs)) for into, theirs in enumerate(self._units) if into != out]
            for out, own in enumerate(self._units)
        ]
        self._leftover = len(seats)
        most = max((seat.width for seat in seats), default=0) + 2
        self._steps = {
            allowed: [[_unit_cost(unit, unit in safe, count, allowed) for count in range(most)] for unit in found]
            for allowed in {seat.tolerance for seat in seats}
        }

    def of(self, number: int, row: DiskCostRow) -> int:
        """Return the cost of a row as it is; the row left over costs nothing."""
        if number == self._leftover:
            return 0
        steps = self._steps[row.seats.tolerance]
        return sum([steps[unit][count] for unit, count in enumerate(self._counts(row))])

    def changes(self, number: int, row: DiskCostRow) -> dict[tuple[int, int], int]:
        """Return how the cost changes when one disk of a kind the row has gives way to one of another kind."""
        outs = [out for out, have in enumerate(row.have) if have]
        if number == self._leftover:
            return dict.fromkeys([(out, into) for out in outs for into, _ in self._shared[out]], 0)
        counts, steps = self._counts(row), self._steps[row.seats.tolerance]
        lower = [step[max(0, count - 1)] - step[count] for step, count in zip(steps, counts, strict=True)]
        higher = [step[count + 1] - step[count] for step, count in zip(steps, counts, strict=True)]
        entering = [sum([higher[unit] for unit in own]) for own in self._units]
        changed = {}
        for out in outs:
            leaving = sum([lower[unit] for unit in self._units[out]])
            for into, shared in self._shared[out]:
                changed[out, into] = leaving + entering[into]
                for unit in shared:
                    changed[out, into] -= lower[unit] + higher[unit]
        return changed

    def added(self, number: int, row: DiskCostRow, kind: int) -> int:
        """Return how much the cost grows with one disk of this kind more."""
        if number == self._leftover:
            return 0
        steps, have, cost = self._steps[row.seats.tolerance], row.have, 0
        for unit in self._units[kind]:
            count = sum([have[other] for other in self._kinds[unit]])
            cost += steps[unit][count + 1] - steps[unit][count]
        return cost

    def _counts(self, row: DiskCostRow) -> list[int]:
        counts = [0] * len(next(iter(self._steps.values())))
        for units, have in zip(self._units, row.have, strict=True):
            if have:
                for unit in units:
                    counts[unit] += have
        return counts


def _unit_cost(unit: Unit, must_live: bool, count: int, allowed: int) -> int:
    excess = max(0, count - allowed) if must_live else 0
    return EXCESS * excess + _UNEVEN[unit[0]] * count * count


_MOST_ROUNDS = 300
_MOST_UNITS_TRIED = 8  # sets of more units than that are not gone through; the evenest assignment stands
# With few kinds of disks more sets are tried.
_FEW_KINDS, _MOST_SETS, _FEW_SETS = 8, 40, 2


def deadly_units(rows: Sequence[Sequence[int]], labels: Sequence[Label], seats: Sequence[Seats]) -> set[Unit]:
    """Return the enclosures and controllers that hold more members of a row than it tolerates."""
    return {
        (level, unit)
        for row, seat in zip(rows, seats, strict=True)
        for level in range(DEADLY_LEVELS)
        for unit, count in _counted(labels[number][level] for number in row).items()
        if count > seat.tolerance
    }


def unevenness(rows: Sequence[Sequence[int]], labels: Sequence[Label]) -> tuple[int, ...]:
    """Return for each level the sum of squares of the members a row has in a unit."""
    return tuple(
        sum(count * count for row in rows for count in _counted(labels[number][level] for number in row).values())
        for level in range(LEVELS)
    )


def distribute(labels: Sequence[Label], seats: Sequence[Seats]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the disks in each row; there must be at least as many disks as seats."""
    places = [label[:DEADLY_LEVELS] for label in labels]
    kinds = sorted(set(places))
    return _dealt(labels, kinds, _best_rows(places, kinds, seats)[: len(seats)])


def _best_rows(labels: Sequence[Label], kinds: Sequence[Label], seats: Sequence[Seats]) -> list[DiskCostRow]:
    """Return the rows of the best assignment found: most units kept harmless, then least cost."""
    many = Counter(labels)
    stock = [many[kind] for kind in kinds]
    best: list[DiskCostRow] = []
    best_cost = kept = -1
    for safe in _sets_to_keep(labels, seats, _MOST_SETS if len(kinds) <= _FEW_KINDS else _FEW_SETS):
        if best and len(safe) < kept:
            break
        rows = _search(kinds, stock, seats, safe)
        cost = sum(row.cost for row in rows)
        if cost < EXCESS and (not best or cost < best_cost):
            best, best_cost, kept = rows, cost, len(safe)
    return best


def _counted(units: Iterable[int]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for unit in units:
        if unit != UNKNOWN:
            counts[unit] = counts.get(unit, 0) + 1
    return counts


def _sets_to_keep(labels: Sequence[Label], seats: Sequence[Seats], most: int) -> Iterator[frozenset[Unit]]:
    """Yield up to ``most`` sets of units worth trying to make harmless, the largest first, and the empty one last."""
    over = len(labels) - sum(seat.width for seat in seats)
    bearable = sum(min(seat.tolerance, seat.width) for seat in seats)
    possible = [
        (level, unit)
        for level in range(DEADLY_LEVELS)
        for unit, count in sorted(_counted(label[level] for label in labels).items())
        if count <= bearable + over
    ]
    tried = 0
    if len(possible) <= _MOST_UNITS_TRIED:
        sizes: Iterable[int] = range(len(possible), 0, -1)
    else:
        sizes = (len(possible),)
    for size in sizes:
        for chosen in combinations(possible, size):
            if tried >= most:
                break
            if all(_room(labels, seats, chosen, level) for level in range(DEADLY_LEVELS)):
                tried += 1
                yield frozenset(chosen)
    yield frozenset()


def _room(labels: Sequence[Label], seats: Sequence[Seats], chosen: Sequence[Unit], level: int) -> bool:
    """Tell whether the disks outside of the chosen units of a level can fill what their tolerance leaves empty."""
    units = {unit for at, unit in chosen if at == level}
    outside = sum(1 for label in labels if label[level] not in units)
    return sum(max(0, seat.width - len(units) * seat.tolerance) for seat in seats) <= outside


def _search(
    kinds: Sequence[Label], stock: Sequence[int], seats: Sequence[Seats], safe: frozenset[Unit]
) -> list[DiskCostRow]:
    """Return rows of least cost found from a greedy start, the disks left over in a last row that costs nothing."""
    over = sum(stock) - sum(seat.width for seat in seats)
    rows = [DiskCostRow(seat, len(kinds)) for seat in (*seats, Seats(over, over))]
    costs = Costs(kinds, safe, seats)
    # The rarest freedom first: kinds of which there are most are dealt while every row is still open.
    for kind in sorted(range(len(kinds)), key=lambda k: -stock[k]):
        _deal_kind(kind, stock[kind], rows, costs)
    for number, row in enumerate(rows):
        row.cost = costs.of(number, row)
    _exchange(rows, costs, len(kinds))
    return rows


def _deal_kind(kind: int, count: int, rows: Sequence[DiskCostRow], costs: Costs) -> None:
    """Give each of ``count`` disks of a kind to the row that it costs least; of equals to the emptiest, the first."""
    filled = [sum(row.have) for row in rows]
    # Giving a disk to a row changes what the next one costs there, and nowhere else.
    waiting = [
        (costs.added(number, row, kind), filled[number], number)
        for number, row in enumerate(rows)
        if filled[number] < row.seats.width
    ]
    heapify(waiting)
    for _ in range(count):
        number = waiting[0][2]
        row = rows[number]
        row.have[kind] += 1
        filled[number] += 1
        if filled[number] < row.seats.width:
            heapreplace(waiting, (costs.added(number, row, kind), filled[number], number))
        else:
            heappop(waiting)


def _exchange(rows: list[DiskCostRow], costs: Costs, kinds: int) -> None:
    """Exchange disks between two rows as long as the sum of costs falls."""
    offers = _Offers([costs.changes(number, row) for number, row in enumerate(rows)])
    for _ in range(_MOST_ROUNDS):
        move = _best_move(offers.by_pair, kinds)
        if move is None:
            return
        for number, out, into in move:
            row = rows[number]
            row.have[out] -= 1
            row.have[into] += 1
            row.cost = costs.of(number, row)
            offers.put(number, costs.changes(number, row))


class _Offers:
    """What every row asks for each exchange of a kind for another: (cost, row), the cheapest first."""

    __slots__ = ("_of_row", "by_pair")

    def __init__(self, changes: Sequence[dict[tuple[int, int], int]]) -> None:
        self._of_row = list(changes)
        self.by_pair: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for number, of_row in enumerate(changes):
            for pair, cost in of_row.items():
                self.by_pair.setdefault(pair, []).append((cost, number))
        for offers in self.by_pair.values():
            offers.sort()

    def put(self, number: int, changes: dict[tuple[int, int], int]) -> None:
        before = self._of_row[number]
        self._of_row[number] = changes
        for pair, cost in before.items():
            if changes.get(pair) != cost:
                offers = self.by_pair[pair]
                del offers[bisect_left(offers, (cost, number))]
        for pair, cost in changes.items():
            if before.get(pair) != cost:
                insort(self.by_pair.setdefault(pair, []), (cost, number))


def _best_move(cheapest: dict[tuple[int, int], list[tuple[int, int]]], kinds: int) -> list[tuple[int, int, int]] | None:
    """Return the exchange that lowers the cost most as (row, kind out, kind in), or None."""
    best_cost, best = 0, None
    for one, other in combinations(range(kinds), 2):
        gives, takes = cheapest.get((one, other)), cheapest.get((other, one))
        if not gives or not takes or gives[0][0] + takes[0][0] >= best_cost:
            continue
        # The two rows differ: two offers of each are enough.
        sums = [(a + b, row, to) for a, row in gives[:2] for b, to in takes[:2] if row != to]
        if sums and min(sums)[0] < best_cost:
            best_cost, row, to = min(sums)
            best = [(row, one, other), (to, other, one)]
    return best


def _dealt(labels: Sequence[Label], kinds: Sequence[Label], rows: Sequence[DiskCostRow]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of real disks, each row taking of each kind what its own deliveries have least of."""
    waiting: dict[Label, dict[int, list[int]]] = {kind: {} for kind in kinds}
    for number in range(len(labels) - 1, -1, -1):
        label = labels[number]
        waiting[label[:DEADLY_LEVELS]].setdefault(label[DEADLY_LEVELS], []).append(number)
    dealt: list[list[int]] = [[] for _ in rows]
    taken: list[dict[int, int]] = [{} for _ in rows]
    wanted = [list(row.have) for row in rows]
    # In turn, a disk a row: the last rows would otherwise get what nobody else wanted.
    while any(any(have) for have in wanted):
        for row, have in enumerate(wanted):
            kind = max(range(len(kinds)), key=lambda k: have[k])
            if not have[kind]:
                continue
            have[kind] -= 1
            offered = waiting[kinds[kind]]
            delivery = min(offered, key=lambda d: (d != UNKNOWN and taken[row].get(d, 0), -len(offered[d]), d))
            dealt[row].append(offered[delivery].pop())
            taken[row][delivery] = taken[row].get(delivery, 0) + 1
            if not offered[delivery]:
                del offered[delivery]
    return tuple(tuple(sorted(row)) for row in dealt)
