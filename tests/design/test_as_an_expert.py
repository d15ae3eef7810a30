"""Ordinary machines with the layouts an expert would sign, written down before they were run.

Several layouts stand where experts differ. No weight is tuned to them: what is asserted is the kind of pool.
"""

import argparse
from functools import cache

import pytest

from poolwright.cli.design_source import read_source
from poolwright.cli.own_layout import request_of
from poolwright.cli.recommend import configure
from poolwright.design.candidate import Recommendation
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.design.told import LEAST_TOLD, lines_of
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.workload import Goal
from poolwright.judging import judge_maker
from poolwright.rule_library import load_shipped

# Options as they are typed, and the layouts that an expert would take.
MACHINES: tuple[tuple[str, set[str]], ...] = (
    # Random I/O of many, nobody names a goal.
    ("8 x 4TB|--preset vm-images", {"4 × mirror of 2"}),
    ("8 x 1.92TB nvme|--preset vm-images", {"4 × mirror of 2"}),
    ("24 x 960GB ssd|--preset vm-images", {"12 × mirror of 2", "11 × mirror of 2, 2 spares"}),
    ("4 x 3.84TB nvme|--preset database", {"2 × mirror of 2"}),
    ("8 x 4TB|--preset iscsi", {"4 × mirror of 2"}),
    ("6 x 8TB|--preset iscsi", {"3 × mirror of 2"}),
    ("12 x 10TB|--preset vm-images --preset database", {"6 × mirror of 2"}),
    ("36 x 4TB|--preset vm-images", {"18 × mirror of 2", "17 × mirror of 2, 2 spares"}),
    ("6 x 1TB ssd|--preset database", {"3 × mirror of 2"}),
    ("2 x 1TB nvme|--preset vm-images", {"mirror of 2"}),
    ("8 x 4TB|--clients 50", {"4 × mirror of 2"}),
    ("8 x 4TB|--sharing iscsi", {"4 × mirror of 2"}),
    ("8 x 4TB|--volumes", {"4 × mirror of 2"}),
    ("8 x 4TB|--preset home-directories --clients 60", {"4 × mirror of 2"}),
    ("3 x 4TB|--preset vm-images", {"mirror of 3", "mirror of 2, 1 spare"}),
    ("8 x 4TB|--preset vm-images --survive 2", {"2 × raidz2 of 4"}),
    # Long streams and files, nobody names a goal.
    ("8 x 4TB|--preset media-archive", {"raidz2 of 8"}),
    ("12 x 16TB|--preset media-archive", {"raidz2 of 12", "2 × raidz2 of 6"}),
    ("6 x 8TB|--preset backup-target", {"raidz2 of 6"}),
    ("24 x 12TB|--preset backup-target", {
        "3 × raidz2 of 8", "2 × raidz2 of 12", "2 × raidz2 of 11, 2 spares", "2 × raidz3 of 11, 2 spares",
    }),
    ("4 x 4TB|--preset media-archive", {"raidz2 of 4", "2 × mirror of 2"}),
    ("8 x 2TB|--preset scratch", {"raidz2 of 8"}),
    ("8 x 4TB|--preset home-directories", {"raidz2 of 8", "4 × mirror of 2"}),
    ("6 x 4TB|--preset smb", {"raidz2 of 6", "3 × mirror of 2"}),
    ("8 x 4TB|--preset media-archive --clients 50", {"raidz2 of 8"}),
    # Few and odd disks.
    ("2 x 4TB|", {"mirror of 2"}),
    ("3 x 4TB|", {"raidz1 of 3"}),
    ("5 x 4TB|", {"raidz2 of 5"}),
    ("8 x 4TB|", {"raidz2 of 8"}),
    ("7 x 12TB|", {"raidz2 of 7"}),
    ("6 x 4TB, 1 x 120GB|", {"raidz2 of 6"}),
    ("4 x 4TB, 1 x 120GB|--goal space", {"raidz1 of 4"}),
    ("40GB, 80GB, 250GB, 500GB, 500GB, 1TB, 1TB, 2TB, 3TB|", {
        "raidz2 of 6 (1 × 3 TB, 1 × 2 TB, 2 × 1 TB, 2 × 500 GB)",
    }),
    # Flash beside.
    ("8 x 16TB, 2 x 1TB nvme|", {"raidz2 of 8"}),
    ("8 x 16TB, 2 x 400GB nvme PLP|--preset vm-images", {"4 × mirror of 2"}),
    # Shelves.
    ("15 x 20TB shelf=1, 15 x 20TB shelf=2, 15 x 20TB shelf=3, 15 x 20TB shelf=4|", {"6 × raidz3 of 10"}),
    ("12 x 8TB shelf=1, 12 x 8TB shelf=2, 12 x 8TB shelf=3|", {"6 × raidz2 of 6", "4 × raidz3 of 9"}),
    ("12 x 8TB shelf=1, 12 x 8TB shelf=2|", {"6 × raidz2 of 4"}),
    ("12 x 8TB shelf=1, 12 x 8TB shelf=2|--preset vm-images", {"12 × mirror of 2", "11 × mirror of 2, 2 spares"}),
    # Spares where safety comes first.
    ("24 x 16TB|", {"3 × raidz2 of 8", "2 × raidz2 of 11, 2 spares", "2 × raidz3 of 11, 2 spares"}),
    ("44 x 6TB|", {"4 × raidz3 of 11", "4 × raidz2 of 10, 4 spares", "5 × raidz2 of 8, 4 spares"}),
    ("100 x 20TB|--preset backup-target", {"draid2:8d:2s of 100", "2 × draid2:8d:1s of 50"}),
    ("100 x 4TB|", {"11 × raidz2 of 9, 1 spare", "9 × raidz3 of 11, 1 spare", "10 × raidz2 of 10"}),
    ("60 x 20TB|", {
        "6 × raidz2 of 10", "6 × raidz3 of 10", "7 × raidz2 of 8, 4 spares", "5 × raidz2 of 11, 5 spares",
    }),
    ("45 x 14TB|--preset backup-target", {
        "4 × raidz2 of 11, 1 spare", "4 × raidz3 of 11, 1 spare", "4 × raidz2 of 10, 5 spares",
        "7 × raidz2 of 6, 3 spares", "5 × raidz2 of 9",
    }),
)  # fmt: skip


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
def test_that_the_first_choice_is_one_that_an_expert_would_sign(machine: str, signed: set[str]) -> None:
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
            assert any("decided by" in line for line in lines_of(other, found))


@pytest.mark.parametrize("machine", [machine for machine, _ in MACHINES])
def test_that_the_goal_of_the_data_is_said_and_the_other_named(machine: str) -> None:
    asked, found = _asked(machine), _found(machine)
    said = [note.text for note in found.notes if note.text.startswith("Goal ")]
    if not asked.goal_told:
        assert bool(said) or asked.workload.goal is Goal.SAFETY
        assert all("goal safety" in text or "goal concurrent" in text or "goal speed" in text for text in said)
