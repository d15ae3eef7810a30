"""What an assignment of disks to rows of seats costs, and what an exchange of disks changes of it."""

from collections.abc import Sequence
from typing import NamedTuple

UNKNOWN = -1
LEVELS = 3  # enclosures, controllers, deliveries
DEADLY_LEVELS = 2  # the first two take disks away at one moment
# Weights that keep the order of what counts: squares of members of one row stay far below the next weight.
EXCESS, _UNEVEN = 10**18, (10**12, 10**6, 1)

Label = tuple[int, ...]
Unit = tuple[int, int]  # level, number


class Seats(NamedTuple):
    """The members of a vdev, and how many of them may be missing."""

    width: int
    tolerance: int


class DiskCostRow:
    """How many disks of each kind a row has, and what that costs."""

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
        found = sorted({(level, kind[level]) for kind in kinds for level in range(LEVELS) if kind[level] != UNKNOWN})
        numbers = {unit: number for number, unit in enumerate(found)}
        self._units = [
            tuple(numbers[level, kind[level]] for level in range(LEVELS) if kind[level] != UNKNOWN) for kind in kinds
        ]
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
