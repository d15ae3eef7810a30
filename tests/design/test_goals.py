"""What is told of goals: complete, with its sources, and what it promises is what the floors ask for."""

import pytest

from poolwright.design.floors import failures_wanted
from poolwright.design.goals import GOALS, goal_facts
from poolwright.domain.workload import Budget, Goal


def test_that_each_goal_is_told_once_with_words_and_sources() -> None:
    assert [facts.goal for facts in GOALS] == list(Goal)
    for facts in GOALS:
        assert all((facts.title, facts.meaning, facts.example, facts.promise, facts.price))
        assert len(facts.gains) == len(facts.costs) == 2
        for said in (*facts.gains, *facts.costs):
            assert said.text
            assert (said.source.kind, bool(said.source.ref)) == ("document", True)
            # What was measured says on which machine.
            assert bool(said.source.note) == ("ZFS unter Linux" in said.source.ref)


@pytest.mark.parametrize(
    ("goal", "few", "survives", "words"),
    [
        (Goal.SAFETY, 3, 2, "Any two disks may fail, with three disks or fewer "),
        (Goal.SPACE, 5, 2, "any two disks may fail, with five disks or fewer any one"),
        (Goal.CONCURRENT, 0, 1, "any one disk may fail"),
        (Goal.SPEED, 0, 0, "read and write side by side"),
    ],
)
def test_that_what_a_goal_promises_is_what_its_floors_ask(goal: Goal, few: int, survives: int, words: str) -> None:
    assert words in goal_facts(goal).promise
    assert failures_wanted(goal, Budget(), few + 1) == survives
    assert failures_wanted(goal, Budget(), few or 1) == min(1, survives)
