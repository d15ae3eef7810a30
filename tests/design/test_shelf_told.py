"""Where a shelf takes the first choice with it, the best layout that outlasts each of them is told."""

import pytest

from poolwright.design import told
from poolwright.design.assign import Identity, design_of
from poolwright.design.blast import State, unit_outcomes
from poolwright.design.choose import SHELF_SPACE
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.design.told import WORTH_A_SHELF, shelf_words, told_lines
from poolwright.domain.workload import Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped


def shelves(number: int, each: str, goal: Goal = Goal.SAFETY) -> Request:
    return Request(
        disks=read_typed([f"{each} hdd shelf={shelf}" for shelf in range(number)]).disks, workload=Workload(goal=goal)
    )


@pytest.mark.parametrize(("number", "each"), [(3, "15 x 16TB"), (3, "12 x 8TB"), (4, "15 x 20TB")])
def test_that_the_first_choice_outlasts_every_shelf_once_it_is_placed(number: int, each: str) -> None:
    asked = shelves(number, each)
    found = recommend(asked, judge_maker(load_shipped()))
    assert any(line.startswith("It outlasts any one shelf or controller; ") for line in told_lines(found))
    assert "any one shelf or controller" in found.best.survives_words
    placed = unit_outcomes(design_of(found.best, asked, Identity(key="k", name="n")))
    assert [unit.blast.state for unit in placed] == [State.DEGRADED] * number


def test_that_a_layout_that_outlasts_every_shelf_is_told_where_it_costs_more_than_a_third() -> None:
    found = recommend(shelves(2, "12 x 16TB"), judge_maker(load_shipped()))
    assert found.best.measures.taking
    (other,) = (c for c in found.candidates if shelf_words(found).split(" with ")[1].startswith(f"{c.words}, which"))
    most = max(c.measures.held_bytes for c in (found.best, *found.as_good) if c.spares >= other.spares)
    assert WORTH_A_SHELF * found.best.measures.held_bytes <= other.measures.held_bytes <= SHELF_SPACE * most


def test_that_nothing_is_told_of_shelves_that_take_nothing_or_are_one() -> None:
    for asked in (shelves(1, "12 x 16TB"), shelves(3, "4 x 16TB"), shelves(2, "4 x 8TB", Goal.CONCURRENT)):
        found = recommend(asked, judge_maker(load_shipped()))
        assert found.best.measures.taking == 0
        assert shelf_words(found) == ""


def test_that_a_layout_of_too_little_room_is_no_answer_to_a_shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    found = recommend(shelves(2, "12 x 16TB"), judge_maker(load_shipped()))
    monkeypatch.setattr(told, "WORTH_A_SHELF", 0.9)
    assert shelf_words(found) == ""
