"""The cheapest way to give kinds of places kinds of disks, as many places as can be.

Successive cheapest paths from a common source: for each number of places served the cost is the least there is, and
the number is the largest there is (Ahuja, Magnanti, Orlin: Network Flows, section 9.7).
"""

from collections.abc import Sequence

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
