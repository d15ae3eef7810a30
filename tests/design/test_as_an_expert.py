"""Ordinary machines with the layouts an expert would sign, written down before they were run.

Several layouts stand where experts differ. No weight is tuned to them: what is asserted is the kind of pool.
"""

import argparse
from functools import cache

import pytest
from tests.cases import cases

from poolwright.cli.design_source import read_source
from poolwright.cli.own_layout import request_of
from poolwright.cli.recommend import configure
from poolwright.design.candidate import Recommendation
from poolwright.design.explanations import LEAST_TOLD, lines_of
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.workload import Goal
from poolwright.judging import judge_maker
from poolwright.rule_library import load_shipped

MACHINES = cases(__file__, "machines")


@cache
def _asked(machine: str) -> Request:
    disks, options = machine.split("|")
    parser = argparse.ArgumentParser()
    configure(parser)
    args = parser.parse_args(["--disks", disks, *options.split()])
    return request_of(args, read_source(args))


@cache
def _found(machine: str) -> Recommendation:
    request = _asked(machine)
    return recommend(request, judge_maker(load_shipped(), request.host))


@pytest.mark.parametrize(("machine", "signed"), MACHINES)
def test_that_the_first_choice_is_one_that_an_expert_would_sign(machine: str, signed: list[str]) -> None:
    found = _found(machine)
    assert found.best.words.replace(f" ({found.best.main.medium.of_kind})", "") in signed


@pytest.mark.parametrize("machine", [machine for machine, _ in MACHINES])
def test_that_no_family_with_more_points_is_turned_down_without_a_reason(machine: str) -> None:
    found = _found(machine)
    better = [r for r in found.rejected if r.score is not None and r.feasible and r.score >= found.best.score]
    assert all("decided by" in r.reason or "which" in r.reason for r in better)


EQUAL = tuple(f"{count} x {disk}" for count, disk in (
    (4, "4TB"), (5, "8TB"), (6, "12TB"), (7, "10TB"), (8, "16TB"), (10, "18TB"), (11, "8TB"), (12, "16TB"),
    (16, "20TB"), (20, "10TB"), (24, "16TB"), (30, "12TB"), (36, "18TB"), (40, "16TB"), (44, "6TB"), (45, "14TB"),
    (48, "20TB"), (60, "20TB"), (72, "16TB"), (84, "18TB"), (90, "22TB"), (100, "20TB"), (4, "1.92TB ssd"),
    (8, "3.84TB ssd"), (12, "7.68TB ssd"), (24, "3.84TB ssd"), (48, "1.92TB ssd"), (4, "3.84TB nvme"),
    (10, "7.68TB nvme"), (24, "15.36TB nvme"),
))  # fmt: skip


@pytest.mark.parametrize("goal", ["safety", "concurrent", "space"])
@pytest.mark.parametrize(
    "disks",
    [pytest.param(disks, marks=() if number % 10 == 7 else pytest.mark.slow) for number, disks in enumerate(EQUAL)],
)
def test_that_no_first_choice_has_a_warning_or_comes_before_more_points_without_a_reason(disks: str, goal: str) -> None:
    found = _found(f"{disks}|--goal {goal}")
    best = found.best
    warned = [f for f in best.findings if f.outcome is Outcome.VIOLATED and f.severity is Severity.WARN]
    assert not [f.rule_id for f in warned]
    for other in found.candidates:
        if not (other.below or other.missed) and other.score > best.score + LEAST_TOLD:
            assert any(line.startswith("Scores higher") for line in lines_of(other, found))


@pytest.mark.parametrize("machine", [machine for machine, _ in MACHINES])
def test_that_the_goal_of_the_data_is_said_and_the_other_named(machine: str) -> None:
    asked, found = _asked(machine), _found(machine)
    said = [note.text for note in found.notes if note.text.startswith("Goal ")]
    if not asked.goal_told:
        assert bool(said) or asked.workload.goal is Goal.SAFETY
        assert all("goal safety" in text or "goal concurrent" in text or "goal speed" in text for text in said)
