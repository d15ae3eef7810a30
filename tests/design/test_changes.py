"""What would change the answer: each change named is tried anew, and nothing nearer does it."""

from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import pairwise

import pytest
from tests.design.test_recommend import disk, disks, no_rules, request

from poolwright.design.candidate import Recommendation
from poolwright.design.changes import Change, changes
from poolwright.design.equal_layouts import FAMILIES
from poolwright.design.explanations import lines_of_first
from poolwright.design.recommend import recommend
from poolwright.design.request import JudgeMaker, Request
from poolwright.domain.disk import Disk, Media
from poolwright.domain.money import Money
from poolwright.domain.units import TB
from poolwright.domain.workload import Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped

# What is said of each input that may change.
MORE, FEWER, ROOM, FAILURES, CLIENTS, PRICE = "disk more", "disk fewer", "wished", "to survive", "at once", "or less"
INPUTS = (MORE, FEWER, ROOM, FAILURES, CLIENTS, PRICE)


def first(asked: Request) -> str:
    return recommend(asked, judge_maker(load_shipped())).best.words


@cache
def told(goal: Goal, count: int) -> dict[str, Change]:
    return answers(request(goal, disks(count)))


def answers(asked: Request, make_judge: JudgeMaker | None = None) -> dict[str, Change]:
    judge = make_judge or judge_maker(load_shipped())
    told = changes(asked, recommend(asked, judge), judge)
    return {next(one for one in INPUTS if one in change.said.replace("disks", "disk")): change for change in told}


@pytest.mark.parametrize(
    ("goal", "count"),
    [
        (Goal.SPEED, 4),
        pytest.param(Goal.SAFETY, 6, marks=pytest.mark.slow),
        pytest.param(Goal.CONCURRENT, 6, marks=pytest.mark.slow),
    ],
)
def test_that_each_change_leads_to_another_first_choice(goal: Goal, count: int) -> None:
    usual = first(request(goal, disks(count)))
    found = told(goal, count)
    assert {MORE, FEWER, FAILURES} <= found.keys()
    assert all(change.choice is None or change.choice.words != usual for change in found.values())


@pytest.mark.slow
def test_that_a_larger_wish_is_named_with_what_meets_it() -> None:
    found = told(Goal.CONCURRENT, 6)[ROOM]
    usual = recommend(request(Goal.CONCURRENT, disks(6)), judge_maker(load_shipped())).best
    assert found.choice is not None
    assert found.choice.measures.usable_bytes > usual.measures.usable_bytes
    asked = request(Goal.CONCURRENT, disks(6), least_usable_bytes=int(usual.measures.usable_bytes * 1.001))
    assert first(asked) == found.choice.words
    nearer = replace(asked, budget=replace(asked.budget, least_usable_bytes=usual.measures.usable_bytes))
    assert first(nearer) == usual.words


def test_that_where_nothing_holds_more_this_is_said() -> None:
    found = told(Goal.SPEED, 4)[ROOM]
    assert found.choice is None
    assert "no other layout reaches it" in found.said


@pytest.mark.slow
def test_that_disks_are_left_out_until_the_kind_of_layout_is_another() -> None:
    fewer = told(Goal.SAFETY, 6)[FEWER]
    assert fewer.said == "3 disks fewer"
    assert fewer.choice is not None
    assert fewer.choice.family != "raidz2"
    assert [first(request(Goal.SAFETY, disks(count))) for count in (5, 4)] == ["raidz2 of 5", "raidz2 of 4"]


@pytest.mark.slow
def test_that_the_price_is_named_at_which_the_money_buys_one_disk_more() -> None:
    money, price = Money(amount=Decimal(1000), currency="EUR"), Money(amount=Decimal(190), currency="EUR")
    asked = request(Goal.SAFETY, disks(6), money=money, price_per_disk=price)
    found = answers(asked)[PRICE]
    assert "166.66" in found.said
    assert found.choice is not None
    assert found.choice.used_count == 6


@pytest.mark.slow
def test_that_no_disk_is_added_where_no_bay_is_left() -> None:
    assert MORE not in answers(request(Goal.SAFETY, disks(4), bays=4))


@pytest.mark.slow
def test_that_no_disk_is_added_where_the_money_buys_none() -> None:
    price = Money(amount=Decimal(190), currency="EUR")
    for amount, told in ((700, False), (5000, True)):
        money = Money(amount=Decimal(amount), currency="EUR")
        asked = request(Goal.SAFETY, disks(4), money=money, price_per_disk=price)
        assert (MORE in answers(asked, no_rules)) is told


@pytest.mark.slow
def test_that_a_layout_below_the_floors_that_holds_more_is_named_with_what_it_does() -> None:
    sizes = (4, 4, 4, 8, 8)
    asked = request(Goal.SAFETY, tuple(disk(number, size_bytes=size * TB) for number, size in enumerate(sizes)))
    found = recommend(asked, no_rules)
    said = answers(asked, no_rules)[ROOM]
    room = int(found.best.measures.usable_bytes * 1.001)
    wished = recommend(replace(asked, budget=replace(asked.budget, least_usable_bytes=room)), no_rules)
    lower = next(candidate for candidate in wished.candidates if candidate.below and not candidate.missed)
    assert wished.best.missed
    assert said.choice is None
    assert f"only {lower.words}, which " in said.said
    assert "no other layout" not in said.said


@pytest.mark.slow
def test_that_disks_of_another_kind_are_not_what_is_left_out() -> None:
    flash = tuple(disk(100 + number, size_bytes=TB, media=Media.NVME) for number in range(2))
    asked = request(Goal.CONCURRENT, (*disks(6), *flash))
    fewer = answers(asked)[FEWER]
    assert fewer.said == "1 disk fewer"
    assert fewer.choice is not None
    assert fewer.choice.words == first(request(Goal.CONCURRENT, (*disks(5), *flash)))


@pytest.mark.slow
def test_that_one_disk_more_is_told_where_further_ones_lead_to_no_other_kind_of_layout() -> None:
    asked = request(Goal.SAFETY, disks(4))
    found = recommend(asked, no_rules)
    told = answers(asked, no_rules)[MORE]
    assert told.said == "1 disk more"
    assert told.choice is not None
    assert (found.best.words, told.choice.words) == ("raidz2 of 4", "raidz2 of 5")


# What a search that is stopped says it has not tried.


def _told(found: tuple[Disk, ...]) -> list[tuple[str, int, Recommendation | None]]:
    """Return what a search says now and then: what is untried, what it examined, and what it has found."""
    told: list[tuple[str, int, Recommendation | None]] = []
    request = Request(disks=found, workload=Workload(goal=Goal.SAFETY))
    recommend(request, judge_maker(load_shipped()), lambda s: told.append((s.untried(), s.examined, s.so_far())))
    return told


def _families(text: str) -> list[str]:
    words = text.removeprefix("Not tried: ").removesuffix(".").split(", ")
    return [word.removesuffix(" in part") for word in words if word.removesuffix(" in part") in FAMILIES]


def test_that_a_search_of_equal_disks_names_the_families_that_are_left_in_their_order() -> None:
    steps = list(_told(disks(12)))
    assert steps[0][0] == "Not tried: every layout."
    named = [_families(text) for text, _, _ in steps]
    assert all(left == sorted(left, key=FAMILIES.index) for left in named)
    begun = [left for left in named if left]
    assert all(set(later) <= set(earlier) for earlier, later in pairwise(begun))
    assert {"raidz2", "raidz3", "draid1"} <= set(begun[0])
    assert any(text.endswith(" in part, draid1, draid2, draid3.") for text, _, _ in steps)
    assert steps[-1][0].startswith("Every layout was tried")


def test_that_what_is_named_untried_was_not_found_yet() -> None:
    for text, _, found in _told(disks(12)):
        tried = {candidate.family for candidate in found.candidates} if found is not None else set()
        untried = {word for word in text.removeprefix("Not tried: ").removesuffix(".").split(", ") if word in FAMILIES}
        assert not tried & untried


@pytest.mark.parametrize(
    "typed", ["3 x 8TB, 3 x 4TB", pytest.param("5 x 8TB, 6 x 4TB, 4 x 2TB", marks=pytest.mark.slow)]
)
def test_that_a_search_of_several_sizes_says_whether_dividing_and_cutting_them_has_begun(typed: str) -> None:
    steps = [text for text, _, _ in _told(tuple(read_typed(typed.split(", ")).disks))]
    assert "every layout of 8 TB alone" in steps[0]
    assert "4 TB" in steps[0]
    assert "together, in whole disks and in partitions" in steps[0]
    begun = [text.endswith("together, in whole disks and in partitions in part.") for text in steps[:-1]]
    assert any(begun)
    assert begun == sorted(begun)
    assert steps[-1].startswith("Every layout was tried")


def test_that_a_search_that_goes_on_does_not_speak_for_the_layouts_it_has_not_tried() -> None:
    found = [found for _, _, found in _told(disks(12)) if found is not None]
    assert all(each.partial for each in found)
    assert found[0].best.below  # mirrors come before raidz2
    told = " ".join(lines_of_first(found[0]))
    assert "no layout found meets it" in told
