"""The cheapest way to serve as many as can be, against every way there is."""

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from poolwright.design.binding.transport import transport

_COSTS = st.lists(st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=3, max_size=3), min_size=3, max_size=3)


def test_that_the_first_come_gives_way_where_that_serves_both() -> None:
    assert transport([1, 1], [1, 1], [[1, 2], [1, None]]) == [[0, 1], [1, 0]]
    assert transport([2, 3], [3, 2], [[0, 5], [1, 1]]) == [[2, 0], [1, 2]]
    assert transport([1], [0, 0], [[1, 1]]) == [[0, 0]]
    assert transport([], [], []) == []


@given(_COSTS)
@settings(max_examples=200, deadline=None)
def test_that_nothing_serves_more_or_costs_less(costs: list[list[int | None]]) -> None:
    flow = transport([1, 1, 1], [1, 1, 1], costs)
    served = [(row, column) for row in range(3) for column in range(3) if flow[row][column]]
    assert all(costs[row][column] is not None for row, column in served)
    mine = -len(served), sum(costs[row][column] or 0 for row, column in served)
    ways = [[costs[row][column] for row, column in enumerate(order)] for order in permutations(range(3))]
    paid = [[cost for cost in way if cost is not None] for way in ways]
    assert mine == min((-len(way), sum(way)) for way in paid)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=3), st.lists(st.integers(0, 4), min_size=3, max_size=3))
@settings(max_examples=100, deadline=None)
def test_that_no_more_is_given_than_wanted_or_there(wanted: list[int], there: list[int]) -> None:
    flow = transport(wanted, there, [[abs(row - column) for column in range(3)] for row in range(len(wanted))])
    assert all(sum(row) <= want for row, want in zip(flow, wanted, strict=True))
    assert all(sum(row[column] for row in flow) <= there[column] for column in range(3))
    assert sum(map(sum, flow)) == min(sum(wanted), sum(there))
