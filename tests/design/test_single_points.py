"""Shelves and controllers that take a pool with them raise its risk, in ranking and design, and that is said."""

from dataclasses import replace
from datetime import date

import pytest
from tests.design.test_recommend import disks, no_rules, request

from poolwright.capacity.pool import predict_design
from poolwright.design import explanations, select
from poolwright.design.assign import Identity, design_of
from poolwright.design.blast import State, unit_outcomes
from poolwright.design.candidate import Candidate
from poolwright.design.choose import DRAID_POINTS, SHELF_SPACE
from poolwright.design.explanations import WORTH_A_SHELF, lines_of_first, shelf_words
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.predict.assessment import assess
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.number_words import units_words
from poolwright.predict.reliability import Risk, joined
from poolwright.rule_library import load_shipped
from poolwright.table_library import load_drive_book

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
    single_points = set()
    for candidate in recommend(request, no_rules).candidates[:60]:
        risk = joined(found := designed(candidate, request))
        single_points.add(len(risk.units))
        assert len(risk.units) == candidate.measures.single_points
        assert risk.probability == pytest.approx(candidate.measures.any_loss, rel=1e-9)
        assert candidate.predictions.risk.probability == pytest.approx(found[0].probability, rel=1e-9)
    assert len(single_points) > 1


@pytest.mark.slow
def test_that_shelves_and_controllers_that_cross_are_placed_to_know() -> None:
    disks = tuple(
        replace(disk, controller=f"hba {number // 6 % 2}")
        for number, disk in enumerate(asked("four", Goal.SAFETY).disks)
    )
    request = replace(asked("four", Goal.SAFETY), disks=disks)
    for candidate in recommend(request, no_rules).candidates[:40]:
        assert joined(designed(candidate, request)).probability == pytest.approx(candidate.measures.any_loss, rel=1e-9)


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
    for candidate in (*found.candidates[:20], *found.as_good, *found.near, *(a.candidate for a in found.answers)):
        risk = joined(of_pools := designed(candidate, request))
        assert not candidate.measures.more_single_points
        assert len(risk.units) == candidate.measures.single_points
        assert risk.probability == pytest.approx(candidate.measures.any_loss, rel=1e-9)
        assert candidate.predictions.risk.probability == pytest.approx(of_pools[0].probability, rel=1e-9)
    # No layout that was not placed would come before those that were: it has at most the points that it shows.
    kept, most = [c for c in found.candidates if not (c.below or c.missed)], found.best.measures.single_points
    assert all(c.score <= found.best.score + DRAID_POINTS for c in kept if c.measures.single_points <= most)


@pytest.mark.parametrize("most_first", [0, pytest.param(5, marks=pytest.mark.slow)])
def test_that_at_least_the_first_of_very_many_disks_is_placed(most_first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "_MOST_WORK", 1)
    monkeypatch.setattr(select, "_MOST_FIRST", most_first)
    request = replace(CROSSING["100 of two sizes"], workload=Workload(goal=Goal.CONCURRENT))
    found = recommend(request, no_rules)
    assert found.best is found.answers[0].candidate is found.candidates[0]
    assert any(candidate.measures.more_single_points for candidate in found.candidates)
    assert not found.best.measures.more_single_points
    assert joined(designed(found.best, request)).probability == pytest.approx(found.best.measures.any_loss, rel=1e-9)


@pytest.mark.slow
def test_that_a_wish_for_safety_is_held_against_the_places_of_the_disks() -> None:
    request = CROSSING["72 of two sizes"]
    first = recommend(request, no_rules).best
    assert first.measures.single_points
    least = first.measures.any_loss - 1e-6
    found = recommend(replace(request, budget=Budget(most_yearly_loss=least)), no_rules)
    assert not found.best.missed
    assert joined(designed(found.best, request)).probability <= least


def test_that_no_shelf_is_outlasted_for_a_third_of_the_room() -> None:
    shelves = ("7 x 8TB hdd shelf=1", "6 x 16TB hdd shelf=2", "7 x 16TB hdd shelf=3", "9 x 8TB hdd shelf=4")
    request = Request(disks=read_typed(shelves).disks, workload=Workload(goal=Goal.SAFETY), drives=BOOK)
    found = recommend(request, no_rules)
    kept = [c for c in found.candidates if not (c.below or c.missed)]
    safe = [c.measures.held_bytes for c in kept if not c.measures.single_points]
    assert found.best.measures.single_points
    assert 0 < max(safe) <= SHELF_SPACE * max(c.measures.held_bytes for c in kept)


def one_raidz(disks: tuple[Disk, ...]) -> Candidate:
    found = recommend(Request(disks=disks, workload=Workload(goal=Goal.SAFETY), drives=BOOK), no_rules)
    return next(c for c in found.candidates if c.words == "raidz2 of 12")


def test_that_a_raidz_over_two_shelves_is_riskier_than_in_one_and_says_so() -> None:
    disks = asked("two shelves", Goal.SAFETY).disks
    one = tuple(replace(disk, enclosure="1") for disk in disks)
    lone, split = one_raidz(one), one_raidz(disks)
    assert lone.measures.single_points == 0
    assert split.measures.single_points == 2
    # Each shelf counts as the first one does, which is part of the floor: 0.002 % of the table.
    more = BOOK.causes.controller.at(1)
    assert split.measures.any_loss == pytest.approx(1 - (1 - lone.measures.any_loss) * (1 - more) ** 2, rel=1e-9)
    assert split.measures.any_disk_loss == lone.measures.any_disk_loss
    (term,) = [term for term in split.terms if "lost" in term.why]
    assert "; lost with any of 2 shelves or controllers" in term.why
    risk = split.predictions.risk
    assert risk.loss.low <= risk.probability <= risk.loss.high
    assert risk.loss.typical == pytest.approx(risk.probability, rel=1e-9)
    assert "any of enclosure 1, enclosure 2 takes the pool" in units_words(risk.units)


def test_that_mirrors_over_two_shelves_lose_nothing_with_one() -> None:
    found = recommend(asked("two shelves", Goal.CONCURRENT), no_rules)
    mirrors = next(c for c in found.candidates if c.words == "6 × mirror of 2")
    assert mirrors.measures.single_points == 0
    assert not mirrors.predictions.risk.units
    assert units_words(()) == ""


# Which layout is first once its disks have places, also where there are too many disks to place all that are shown.


def test_that_layouts_with_half_of_the_wished_space_are_an_answer_and_with_less_none_is() -> None:
    plain = recommend(request(Goal.SAFETY, disks(5)), no_rules)
    most = max(candidate.measures.usable_bytes for candidate in plain.candidates if not candidate.below)
    half = recommend(request(Goal.SAFETY, disks(5), least_usable_bytes=2 * most), no_rules)
    assert half.best.measures.usable_bytes == most
    with pytest.raises(Refusal, match="No layout"):
        recommend(request(Goal.SAFETY, disks(5), least_usable_bytes=2 * most + 1), no_rules)


def _in_shelves(goal: Goal) -> Request:
    """Return six disks in three shelves of which each is behind both of two controllers."""
    placed = (
        replace(disk, enclosure=f"shelf {number % 3}", controller=f"hba {number % 2}", model=f"m{number % 2}")
        for number, disk in enumerate(disks(6))
    )
    return request(goal, tuple(placed))


@pytest.mark.parametrize(("work", "rounds"), [(0, -1), (0, 5), (400_000, 5)])
def test_that_what_is_said_of_the_first_choice_is_known_of_its_places(
    work: int, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(select, "_MOST_WORK", work)
    monkeypatch.setattr(select, "_MOST_FIRST", rounds)
    found = recommend(_in_shelves(Goal.SAFETY), no_rules)
    best = found.best
    assert not best.measures.more_single_points
    assert found.answers[0].candidate is best
    assert [c for c in found.candidates if c is best] == [best]
    assert len({id(c) for c in found.candidates}) == len(found.candidates)
    # A layout that is not placed may only be better than it is told to be.
    others = [c for c in found.candidates if c.measures.more_single_points]
    assert bool(others) == (work == 0)


# Where a shelf takes the first choice with it, the best layout that outlasts each of them is told.


def shelves(number: int, each: str, goal: Goal = Goal.SAFETY) -> Request:
    return Request(
        disks=read_typed([f"{each} hdd shelf={shelf}" for shelf in range(number)]).disks, workload=Workload(goal=goal)
    )


@pytest.mark.parametrize(
    ("number", "each", "against_points"), [(3, "15 x 16TB", True), (3, "12 x 8TB", True), (4, "15 x 20TB", False)]
)
def test_that_the_first_choice_outlasts_every_shelf_once_it_is_placed(
    number: int, each: str, against_points: bool
) -> None:
    asked = shelves(number, each)
    found = recommend(asked, judge_maker(load_shipped()))
    told = any(line.startswith("It survives the loss of any shelf or controller; ") for line in lines_of_first(found))
    assert told == against_points
    assert found.best.survives_words.endswith(", or any one shelf")
    placed = unit_outcomes(design_of(found.best, asked, Identity(key="k", name="n")))
    assert [unit.blast.state for unit in placed] == [State.DEGRADED] * number


def test_that_a_layout_that_outlasts_every_shelf_is_told_where_it_costs_more_than_a_third() -> None:
    found = recommend(shelves(2, "15 x 16TB"), judge_maker(load_shipped()))
    assert found.best.measures.single_points
    (other,) = (c for c in found.candidates if shelf_words(found).startswith(f"{c.words} survives "))
    most = max(c.measures.held_bytes for c in (found.best, *found.as_good) if c.spare_count >= other.spare_count)
    assert WORTH_A_SHELF * found.best.measures.held_bytes <= other.measures.held_bytes <= SHELF_SPACE * most


def test_that_nothing_is_told_of_shelves_that_take_nothing_or_are_one() -> None:
    for asked in (shelves(1, "12 x 16TB"), shelves(3, "4 x 16TB"), shelves(2, "4 x 8TB", Goal.CONCURRENT)):
        found = recommend(asked, judge_maker(load_shipped()))
        assert found.best.measures.single_points == 0
        assert shelf_words(found) == ""


def test_that_a_layout_of_too_little_room_is_no_answer_to_a_shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    found = recommend(shelves(2, "15 x 16TB"), judge_maker(load_shipped()))
    monkeypatch.setattr(explanations, "WORTH_A_SHELF", 0.9)
    assert shelf_words(found) == ""
