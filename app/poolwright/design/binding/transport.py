"""Disks of a kind to the vdevs, so that each has as few kinds as can be: a vdev counts all for its smallest."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from poolwright.domain.grouping import grouped

# The cheapest way to give kinds of places kinds of disks, as many places as can be.

Costs = Sequence[Sequence[int | None]]


def transport(wanted: Sequence[int], there: Sequence[int], costs: Costs) -> list[list[int]]:
    """Return how many places of each row get a disk of each column; None in ``costs`` says that none may.

    Serves as many places as possible, at the least sum of costs; among equals the first rows and columns.
    """
    flow = [[0] * len(there) for _ in wanted]
    left, free = list(wanted), list(there)
    while True:
        path = _cheapest_path(left, free, costs, flow)
        if not path:
            return flow
        # Forward steps are the even ones: row to column; between them a row gives back what it had of a column.
        pieces = [left[path[0]], free[path[-1]]]
        pieces += [flow[path[at + 1]][path[at]] for at in range(1, len(path) - 1, 2)]
        amount = min(pieces)
        for at in range(0, len(path) - 1, 2):
            flow[path[at]][path[at + 1]] += amount
        for at in range(1, len(path) - 1, 2):
            flow[path[at + 1]][path[at]] -= amount
        left[path[0]] -= amount
        free[path[-1]] -= amount


def _cheapest_path(left: Sequence[int], free: Sequence[int], costs: Costs, flow: Sequence[Sequence[int]]) -> list[int]:
    """Return rows and columns in turn, from a row that wants to a column that is free; empty where there is no way."""
    to_row: list[int | None] = [0 if amount else None for amount in left]
    to_column: list[int | None] = [None] * len(free)
    from_row: list[int] = [0] * len(free)
    from_column: list[int | None] = [None] * len(left)
    changed = {row for row, cost in enumerate(to_row) if cost is not None}
    while changed:
        columns = set()
        for row in sorted(changed):
            here = to_row[row] or 0
            for column, cost in enumerate(costs[row]):
                before = to_column[column]
                if cost is not None and (before is None or here + cost < before):
                    to_column[column], from_row[column] = here + cost, row
                    columns.add(column)
        changed = set()
        for column in sorted(columns):
            there = to_column[column] or 0
            for row, cost in enumerate(costs[r][column] for r in range(len(left))):
                before = to_row[row]
                if cost is not None and flow[row][column] and (before is None or there - cost < before):
                    to_row[row], from_column[row] = there - cost, column
                    changed.add(row)
    ends = [(cost, column) for column, cost in enumerate(to_column) if cost is not None and free[column]]
    if not ends:
        return []
    path: list[int] = [min(ends)[1]]
    while True:
        row = from_row[path[-1]]
        path.append(row)
        back = from_column[row]
        if back is None:
            return path[::-1]
        path.append(back)


_MOST_PASSES = 50
_FEW = 120  # exchanges that are tried in twos
_SIZE = 1000  # another size in a vdev weighs more than any number of other models

# Change of cost, change of mixing, number of the other unit (-1: what is left), its column, how many.
_Change = tuple[int, int, int, int, int]


class VdevShare(NamedTuple):
    """So many places of one kind (``row``) in one vdev, by the numbers of pool and vdev; None for later growth."""

    vdev: tuple[int, int] | None
    row: int
    places: int


def alike_in_vdevs(
    units: Sequence[VdevShare], flow: Sequence[Sequence[int]], costs: Costs, sizes: Sequence[int], there: Sequence[int]
) -> dict[VdevShare, list[int]]:
    """Return how many disks of each column every unit gets, where ``flow`` says how many each row gets.

    ``sizes`` are the bytes of the columns' disks, ``there`` how many there are. Exchanges that lower the sum of costs,
    or leave it and mix less, are made until there is none.
    """
    dealt = _Dealt(units, costs, sizes, there)
    for row in range(len(flow)):
        dealt.fill(row, list(flow[row]))
    for _ in range(_MOST_PASSES):
        if not dealt.improve():
            break
    return dealt.have


class _Dealt:
    """What every unit has, and what is left; ``have[unit][column]``."""

    def __init__(self, units: Sequence[VdevShare], costs: Costs, sizes: Sequence[int], there: Sequence[int]) -> None:
        self.have = {unit: [0] * len(there) for unit in units}
        self._units, self._costs, self._sizes = list(units), costs, sizes
        self._left = list(there)
        self._of_vdev = grouped((unit.vdev, unit) for unit in units)

    def fill(self, row: int, pool: list[int]) -> None:
        """Give the units of a row what the row has: each what its vdev has already, or what just suffices."""
        own = [unit for unit in self._units if unit.row == row]
        for unit in sorted(own, key=lambda unit: -unit.places):
            need = unit.places
            while need and any(pool):
                column = self._best_for(unit, need, pool)
                taken = min(need, pool[column])
                self.have[unit][column] += taken
                self._left[column] -= taken
                pool[column] -= taken
                need -= taken

    def _best_for(self, unit: VdevShare, need: int, pool: Sequence[int]) -> int:
        beside = self._columns_of(unit.vdev)

        def worse(column: int) -> tuple[bool, bool, int]:
            enough = pool[column] >= need
            return column not in beside, not enough, pool[column] if enough else -pool[column]

        return min((column for column, count in enumerate(pool) if count), key=worse)

    def _columns_of(self, vdev: tuple[int, int] | None) -> set[int]:
        return {column for unit in self._of_vdev[vdev] for column, count in enumerate(self.have[unit]) if count}

    def _mixing(self, vdev: tuple[int, int] | None) -> int:
        columns = self._columns_of(vdev)
        if vdev is None or len(columns) < 2:
            return 0
        return _SIZE * (len({self._sizes[column] for column in columns}) - 1) + len(columns) - 1

    def improve(self) -> bool:
        """Make the best exchange of every mixed unit, or two that help together; tell whether there were any."""
        changed = False
        for unit in self._units:
            for column in range(len(self._left)):
                if self.have[unit][column] and self._mixing(unit.vdev):
                    found = min(self._exchanges(unit, column), default=None)
                    if found is not None and found[:2] < (0, 0):
                        self._make(unit, column, found)
                        changed = True
        return changed or self._improve_by_two()

    def _improve_by_two(self) -> bool:
        """Make two exchanges of which the first alone helps nothing. Only looked for where there are few."""
        if not any(self._mixing(vdev) for vdev in self._of_vdev):
            return False
        firsts = list(islice(self._all_exchanges(), _FEW + 1))
        if len(firsts) > _FEW:
            return False
        for unit, column, first in firsts:
            self._make(unit, column, first)
            for other, into, second in self._all_exchanges():
                if (first[0] + second[0], first[1] + second[1]) < (0, 0):
                    self._make(other, into, second)
                    return True
            self._make(unit, column, first, back=True)
        return False

    def _all_exchanges(self) -> Iterator[tuple[VdevShare, int, _Change]]:
        for unit in self._units:
            for column in range(len(self._left)):
                if self.have[unit][column]:
                    yield from ((unit, column, found) for found in list(self._exchanges(unit, column)))

    def _make(self, unit: VdevShare, column: int, change: _Change, *, back: bool = False) -> None:
        _, _, other, into, amount = change
        here, there = (into, column) if back else (column, into)
        self._exchange(unit, here, None if other < 0 else self._units[other], there, amount)

    def _exchanges(self, unit: VdevShare, column: int) -> Iterator[_Change]:
        """Yield change of cost, change of mixing, number of the other unit (-1: what is left), its column, how many."""
        mine = self._costs[unit.row]
        for into, cost in enumerate(mine):
            if into == column or cost is None:
                continue
            base = cost - (mine[column] or 0)
            for number in range(-1, len(self._units)):
                other = None if number < 0 else self._units[number]
                theirs = self._left[into] if other is None else self.have[other][into]
                back = 0 if other is None else self._change_back(other, into, column)
                if other == unit or not theirs or back is None or base + back > 0:
                    continue
                for amount in {1, min(self.have[unit][column], theirs)}:
                    mixing = self._mixing_after(unit, column, other, into, amount)
                    yield (base + back) * amount, mixing, number, into, amount

    def _change_back(self, other: VdevShare, before: int, after: int) -> int | None:
        cost = self._costs[other.row][after]
        return None if cost is None else cost - (self._costs[other.row][before] or 0)

    def _mixing_after(self, unit: VdevShare, column: int, other: VdevShare | None, into: int, amount: int) -> int:
        vdevs = {unit.vdev} if other is None else {unit.vdev, other.vdev}
        before = sum(self._mixing(vdev) for vdev in vdevs)
        self._exchange(unit, column, other, into, amount)
        after = sum(self._mixing(vdev) for vdev in vdevs)
        self._exchange(unit, into, other, column, amount)
        return after - before

    def _exchange(self, unit: VdevShare, column: int, other: VdevShare | None, into: int, amount: int) -> None:
        theirs = self._left if other is None else self.have[other]
        self.have[unit][column] -= amount
        self.have[unit][into] += amount
        theirs[into] -= amount
        theirs[column] += amount
