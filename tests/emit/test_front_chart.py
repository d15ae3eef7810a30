"""Where layouts and the designs of a comparison stand in the chart of the front."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.design.side_by_side import column, concurrent, one_vdev, safety
from tests.design.test_recommend import disks, no_rules

from poolwright.design.comparison_columns import ComparedDesign
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.units import TIB
from poolwright.domain.workload import Goal, Workload
from poolwright.emit.chart import ChartMark, TickForm
from poolwright.emit.comparison_charts import Against, front_chart, pareto
from poolwright.emit.drawing import Marker

points = st.lists(st.tuples(st.integers(0, 3), st.floats(0, 300, allow_nan=False)), max_size=200)


@given(points)
def test_that_nothing_beats_a_point_of_the_front(at: list[tuple[int, float]]) -> None:
    front = pareto([x for x, _ in at], [y for _, y in at])
    for number in front:
        x, y = at[number]
        assert not any((a >= x and b > y) or (a > x and b >= y) for a, b in at)
    assert [at[n][0] for n in front] == sorted({at[n][0] for n in front})
    assert bool(front) == bool(at)


def marks(columns: tuple[ComparedDesign, ...], against: Against) -> dict[str, ChartMark]:
    return {mark.label: mark for series in front_chart((), None, against, columns).series for mark in series.marks}


def test_that_a_mark_stands_at_the_values_of_the_table() -> None:
    columns = (column(safety()), column(concurrent()))
    for against, name, scale in ((Against.SURVIVED, "survived", 1), (Against.READ, "itself_read", 1e9)):
        found = marks(columns, against)
        assert list(found) == ["A", "B"]
        for mark, one in zip(found.values(), columns, strict=True):
            value, usable = one.cell(name).value, one.cell("usable").value
            assert value is not None
            assert usable is not None
            assert (mark.x, mark.y) == (value / scale, usable / TIB)


def test_that_losses_of_all_causes_stand_where_the_table_has_them_the_rarer_to_the_right() -> None:
    columns = (column(safety()), column(concurrent()))
    found = marks(columns, Against.RISK)
    assert [1 / mark.x for mark in found.values()] == [one.cell("loss").value for one in columns]
    assert found["A"].x > found["B"].x > 1


def test_that_designs_at_one_place_share_a_mark_and_unknown_ones_have_none() -> None:
    same = replace(safety(), key="copy")
    unknown = replace(one_vdev(), disks=tuple(replace(d, size_bytes=None) for d in one_vdev().disks))
    columns = (column(safety()), column(unknown), column(same))
    (series,) = front_chart((), None, Against.RISK, columns).series
    (mark,) = series.marks
    assert mark.label == "AC"
    assert mark.told.startswith("A ")
    assert "C " in mark.told


@pytest.mark.parametrize(
    ("against", "title", "unit"),
    [
        (Against.SURVIVED, "Failures survived", "count"),
        (Against.RISK, "Loss a year of one pool, predicted", "rarer to the right"),
        (Against.READ, "Sequential read of one pool, predicted", "GB/s"),
        (Against.WRITE, "Sequential write of one pool, predicted", "GB/s"),
        (Against.RANDOM_READ, "Random reads of one pool, predicted", "operations/s"),
    ],
)
def test_that_every_axis_has_its_row_and_room_for_it(against: Against, title: str, unit: str) -> None:
    chart = front_chart((), None, against, (column(safety()),))
    assert (chart.x.title, chart.x.unit, chart.x.log) == (title, unit, against is Against.RISK)
    assert chart.x.form is (TickForm.ONE_IN if chart.x.log else TickForm.NUMBER)
    assert (chart.y.title, chart.y.unit) == ("Usable capacity", "TiB")
    (mark,) = chart.series[0].marks
    assert chart.x.low <= mark.x <= chart.x.high
    assert 0 == chart.y.low < mark.y < chart.y.high
    assert front_chart((), None, against).series == ()


def test_that_layouts_stand_as_dots_with_the_first_choice_as_a_star_and_the_best_as_a_line() -> None:
    ranking = recommend(Request(disks=disks(6), workload=Workload(goal=Goal.SAFETY)), no_rules)
    chart = front_chart(ranking.candidates, ranking.best, Against.SURVIVED)
    dots, line, star = chart.series
    survived = [candidate.measures.failures_survived for candidate in ranking.candidates]
    assert [mark.of for mark in dots.marks] == list(ranking.candidates)
    assert [mark.x for mark in dots.marks] == survived
    assert [mark.y for mark in dots.marks] == [c.measures.usable_bytes / TIB for c in ranking.candidates]
    assert ([mark.of for mark in star.marks], star.name) == ([ranking.best], "First choice")
    assert (dots.size, star.size, star.marker) == (5.0, 14.0, Marker.STAR)
    assert {(mark.x, mark.y) for mark in line.marks} <= {(mark.x, mark.y) for mark in dots.marks}
    # Room on both sides, but none for a neighbour.
    assert chart.x.ticks == tuple((float(x), str(x)) for x in range(min(survived), max(survived) + 1))
    assert min(survived) - 1 < chart.x.low < min(survived)
    assert max(survived) < chart.x.high < max(survived) + 1
    highest = max(mark.y for mark in dots.marks)
    assert 1.1 * highest < chart.y.high < 1.6 * highest
