"""Where a shelf takes the first choice with it, the best layout that outlasts each of them is told."""

import pytest

from poolwright.advise import told
from poolwright.advise.assign import Identity, design_of
from poolwright.advise.blast import State, unit_outcomes
from poolwright.advise.recommend import Request, recommend
from poolwright.advise.told import WORTH_A_SHELF, shelf_words, told_lines
from poolwright.domain.workload import Goal, Workload
from poolwright.inventory.typed.read import read_typed
from poolwright.judging import judge_maker
from poolwright.rule_library import load_shipped


def shelves(number: int, each: str, goal: Goal = Goal.SAFETY) -> Request:
    return Request(
        disks=read_typed([f"{each} hdd shelf={shelf}" for shelf in range(number)]).disks, workload=Workload(goal=goal)
    )


def test_that_the_layout_told_outlasts_every_shelf_once_it_is_placed() -> None:
    asked = shelves(3, "15 x 16TB")
    found = recommend(asked, judge_maker(load_shipped()))
    assert found.best.measures.taking
    (said,) = (line for line in told_lines(found) if "shelf" in line)
    assert said == "Every shelf and controller may be gone with 7 × raidz2 of 6, 3 spares, which holds 18 % less."
    other = next(c for c in found.candidates if c.words == "7 × raidz2 of 6, 3 spares")
    placed = unit_outcomes(design_of(other, asked, Identity(key="k", name="n")))
    assert [unit.blast.state for unit in placed] == [State.DEGRADED] * 3
    assert other.measures.held_bytes >= WORTH_A_SHELF * found.best.measures.held_bytes


def test_that_nothing_is_told_of_shelves_that_take_nothing_or_are_one() -> None:
    for asked in (shelves(1, "12 x 16TB"), shelves(3, "4 x 16TB"), shelves(2, "4 x 8TB", Goal.CONCURRENT)):
        found = recommend(asked, judge_maker(load_shipped()))
        assert found.best.measures.taking == 0
        assert shelf_words(found) == ""


def test_that_a_layout_of_too_little_room_is_no_answer_to_a_shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    found = recommend(shelves(3, "15 x 16TB"), judge_maker(load_shipped()))
    monkeypatch.setattr(told, "WORTH_A_SHELF", 0.9)
    assert shelf_words(found) == ""
