"""Shelves and controllers that take a pool with them raise its risk, in ranking and design, and that is said."""

from dataclasses import replace
from datetime import date

import pytest
from tests.design.test_recommend import no_rules

from poolwright.capacity.of_design import predict_design
from poolwright.design import settle
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate
from poolwright.design.choose import DRAID_POINTS
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.disk import Disk
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.drive_library import load_drive_book
from poolwright.machine.typed.read import read_typed
from poolwright.predict.assessment import assess
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.reliability import Risk, joined
from poolwright.predict.risk_words import units_words

BOOK = load_drive_book()
MACHINES = {
    "two shelves": ("6 x 8TB hdd shelf=1", "6 x 8TB hdd shelf=2"),
    "uneven": ("10 x 8TB hdd shelf=1", "3 x 8TB hdd shelf=2"),
    "four": tuple(f"6 x 8TB hdd shelf={number}" for number in range(4)),
    "sizes": ("3 x 16TB hdd shelf=1", "3 x 16TB hdd shelf=2", "4 x 8TB hdd shelf=1", "2 x 8TB hdd shelf=2"),
}


def asked(machine: str, goal: Goal) -> Request:
    return Request(disks=read_typed(MACHINES[machine]).disks, workload=Workload(goal=goal), drives=BOOK)


def designed(candidate: Candidate, request: Request) -> list[Risk]:
    pools = design_of(candidate, request, Identity(key="x", name="x")).pools()
    today = date(2026, 1, 1)
    return [assess(one, predict_design(one), BOOK, Assumptions(), today=today, among=pools).risk for one in pools]


@pytest.mark.parametrize("goal", [Goal.SAFETY, pytest.param(Goal.CONCURRENT, marks=pytest.mark.slow)])
@pytest.mark.parametrize("machine", MACHINES)
def test_that_a_ranking_counts_the_units_that_take_the_design(machine: str, goal: Goal) -> None:
    request = asked(machine, goal)
    taking = set()
    for candidate in recommend(request, no_rules).leading[:60]:
        risk = joined(found := designed(candidate, request))
        taking.add(len(risk.units))
        assert len(risk.units) == candidate.measures.taking
        assert risk.probability == pytest.approx(candidate.yearly_loss, rel=1e-9)
        assert candidate.predictions.risk.probability == pytest.approx(found[0].probability, rel=1e-9)
    assert len(taking) > 1


@pytest.mark.slow
def test_that_shelves_and_controllers_that_cross_are_placed_to_know() -> None:
    disks = tuple(
        replace(disk, controller=f"hba {number // 6 % 2}")
        for number, disk in enumerate(asked("four", Goal.SAFETY).disks)
    )
    request = replace(asked("four", Goal.SAFETY), disks=disks)
    for candidate in recommend(request, no_rules).leading[:40]:
        assert joined(designed(candidate, request)).probability == pytest.approx(candidate.yearly_loss, rel=1e-9)


def crossing(*groups: tuple[int, str], shelves: int, controllers: int, run: int) -> Request:
    """Return disks of several sizes, each size dealt over all shelves, with controllers that cross them."""
    typed = read_typed([f"{count} x {size} hdd shelf={n}" for count, size in groups for n in range(shelves)]).disks
    disks = tuple(replace(disk, controller=f"hba {n // run % controllers}") for n, disk in enumerate(typed))
    return Request(disks=disks, workload=Workload(goal=Goal.SAFETY), drives=BOOK)


CROSSING = {
    "72 of two sizes": crossing((9, "16TB"), (9, "8TB"), shelves=4, controllers=2, run=3),
    "100 of two sizes": crossing((13, "16TB"), (12, "8TB"), shelves=4, controllers=2, run=5),
    "60 of one size": crossing((15, "8TB"), shelves=4, controllers=3, run=7),
}


@pytest.mark.parametrize(
    ("machine", "goal"),
    [
        pytest.param(
            machine, goal, marks=[] if (machine, goal) == ("60 of one size", Goal.SAFETY) else pytest.mark.slow
        )
        for machine in CROSSING
        for goal in (Goal.SAFETY, Goal.CONCURRENT)
    ],
)
def test_that_what_is_shown_of_a_large_machine_has_the_risk_of_its_design(machine: str, goal: Goal) -> None:
    request = replace(CROSSING[machine], workload=Workload(goal=goal))
    found = recommend(request, no_rules)
    for candidate in (*found.leading[:20], *found.as_good, *found.near, *(a.candidate for a in found.answers)):
        risk = joined(of_pools := designed(candidate, request))
        assert not candidate.measures.taking_least
        assert len(risk.units) == candidate.measures.taking
        assert risk.probability == pytest.approx(candidate.yearly_loss, rel=1e-9)
        assert candidate.predictions.risk.probability == pytest.approx(of_pools[0].probability, rel=1e-9)
    # No layout that was not placed would come before those that were: it has at most the points that it shows.
    rivals = [
        c for c in found.candidates if not (c.below or c.missed) and c.measures.taking <= found.best.measures.taking
    ]
    assert all(c.score <= found.best.score + DRAID_POINTS for c in rivals)


@pytest.mark.parametrize("most_first", [0, pytest.param(5, marks=pytest.mark.slow)])
def test_that_at_least_the_first_of_very_many_disks_is_placed(most_first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settle, "_MOST_WORK", 1)
    monkeypatch.setattr(settle, "_MOST_FIRST", most_first)
    request = replace(CROSSING["100 of two sizes"], workload=Workload(goal=Goal.CONCURRENT))
    found = recommend(request, no_rules)
    assert found.best is found.answers[0].candidate is found.leading[0]
    assert any(candidate.measures.taking_least for candidate in found.leading)
    assert not found.best.measures.taking_least
    assert joined(designed(found.best, request)).probability == pytest.approx(found.best.yearly_loss, rel=1e-9)


@pytest.mark.slow
def test_that_a_wish_for_safety_is_held_against_the_places_of_the_disks() -> None:
    request = CROSSING["72 of two sizes"]
    first = recommend(request, no_rules).best
    assert first.measures.taking
    least = first.yearly_loss - 1e-6
    found = recommend(replace(request, budget=Budget(most_yearly_loss=least)), no_rules)
    assert not found.best.missed
    assert joined(designed(found.best, request)).probability <= least


def one_raidz(disks: tuple[Disk, ...]) -> Candidate:
    found = recommend(Request(disks=disks, workload=Workload(goal=Goal.SAFETY), drives=BOOK), no_rules)
    return next(c for c in found.candidates if c.words == "raidz2 of 12")


def test_that_a_raidz_over_two_shelves_is_riskier_than_in_one_and_says_so() -> None:
    disks = asked("two shelves", Goal.SAFETY).disks
    one = tuple(replace(disk, enclosure="1") for disk in disks)
    lone, split = one_raidz(one), one_raidz(disks)
    assert lone.measures.taking == 0
    assert split.measures.taking == 2
    # Each shelf counts as the first one does, which is part of the floor: 0.002 % of the table.
    more = BOOK.causes.controller.at(1)
    assert split.yearly_loss == pytest.approx(1 - (1 - lone.yearly_loss) * (1 - more) ** 2, rel=1e-9)
    assert split.disk_loss == lone.disk_loss
    (term,) = [term for term in split.terms if "lost" in term.why]
    assert "; 2 shelves or controllers take it" in term.why
    risk = split.predictions.risk
    assert risk.loss.low <= risk.probability <= risk.loss.high
    assert risk.loss.typical == pytest.approx(risk.probability, rel=1e-9)
    assert "any of enclosure 1, enclosure 2 takes the pool" in units_words(risk.units)


def test_that_mirrors_over_two_shelves_lose_nothing_with_one() -> None:
    found = recommend(asked("two shelves", Goal.CONCURRENT), no_rules)
    mirrors = next(c for c in found.candidates if c.words == "6 × mirror of 2")
    assert mirrors.measures.taking == 0
    assert not mirrors.predictions.risk.units
    assert units_words(()) == ""
