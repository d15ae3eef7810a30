"""What would change the answer: each change named is tried anew, and nothing nearer does it."""

from dataclasses import replace
from decimal import Decimal
from functools import cache

import pytest
from tests.design.test_recommend import disk, disks, no_rules, request

from poolwright.design.changes import Change, Input, changes
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.disk import Media
from poolwright.domain.money import Money
from poolwright.domain.units import TB
from poolwright.domain.workload import Goal
from poolwright.judging import judge_maker
from poolwright.rule_library import load_shipped


def first(asked: Request) -> str:
    return recommend(asked, judge_maker(load_shipped())).best.words


@cache
def told(goal: Goal, count: int) -> dict[Input, Change]:
    asked = request(goal, disks(count))
    return answers(asked)


def answers(asked: Request) -> dict[Input, Change]:
    make_judge = judge_maker(load_shipped())
    return {change.input: change for change in changes(asked, recommend(asked, make_judge), make_judge)}


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
    assert {Input.MORE_DISKS, Input.FEWER_DISKS, Input.MORE_FAILURES} <= found.keys()
    assert all(change.choice is None or change.choice.words != usual for change in found.values())


@pytest.mark.slow
def test_that_a_larger_wish_is_named_with_what_meets_it() -> None:
    found = told(Goal.CONCURRENT, 6)[Input.CAPACITY]
    usual = recommend(request(Goal.CONCURRENT, disks(6)), judge_maker(load_shipped())).best
    assert found.choice is not None
    assert found.choice.usable_bytes > usual.usable_bytes
    asked = request(Goal.CONCURRENT, disks(6), least_usable_bytes=int(usual.usable_bytes * 1.001))
    assert first(asked) == found.choice.words
    nearer = replace(asked, budget=replace(asked.budget, least_usable_bytes=usual.usable_bytes))
    assert first(nearer) == usual.words


def test_that_where_nothing_holds_more_this_is_said() -> None:
    found = told(Goal.SPEED, 4)[Input.CAPACITY]
    assert found.choice is None
    assert "no other layout reaches it" in found.said


def test_that_one_disk_more_or_fewer_is_tried_as_it_is_said() -> None:
    fewer = told(Goal.CONCURRENT, 6)[Input.FEWER_DISKS]
    assert fewer.said == "1 disk fewer"
    assert fewer.choice is not None
    assert fewer.choice.words == first(request(Goal.CONCURRENT, disks(5)))


@pytest.mark.slow
def test_that_disks_are_left_out_until_the_kind_of_layout_is_another() -> None:
    fewer = told(Goal.SAFETY, 6)[Input.FEWER_DISKS]
    assert fewer.said == "3 disks fewer"
    assert fewer.choice is not None
    assert fewer.choice.family != "raidz2"
    assert [first(request(Goal.SAFETY, disks(count))) for count in (5, 4)] == ["raidz2 of 5", "raidz2 of 4"]


@pytest.mark.slow
def test_that_failures_are_asked_for_in_both_directions() -> None:
    found = told(Goal.SAFETY, 4)
    more, fewer = found[Input.MORE_FAILURES].choice, found[Input.FEWER_FAILURES].choice
    assert more is not None
    assert fewer is not None
    assert more.failures_survived == 3
    assert fewer.failures_survived == 1
    assert fewer.usable_bytes > more.usable_bytes


@pytest.mark.slow
def test_that_the_price_is_named_at_which_the_money_buys_one_disk_more() -> None:
    money, price = Money(amount=Decimal(1000), currency="EUR"), Money(amount=Decimal(190), currency="EUR")
    asked = request(Goal.SAFETY, disks(6), money=money, price_per_disk=price)
    found = answers(asked)[Input.PRICE]
    assert "166.66" in found.said
    assert found.choice is not None
    assert found.choice.used == 6


@pytest.mark.slow
def test_that_no_disk_is_added_where_no_bay_is_left() -> None:
    assert Input.MORE_DISKS not in answers(request(Goal.SAFETY, disks(4), bays=4))


@pytest.mark.slow
def test_that_no_disk_is_added_where_the_money_buys_none() -> None:
    price = Money(amount=Decimal(190), currency="EUR")
    for amount, told in ((700, False), (5000, True)):
        money = Money(amount=Decimal(amount), currency="EUR")
        asked = request(Goal.SAFETY, disks(4), money=money, price_per_disk=price)
        found = recommend(asked, no_rules)
        assert (Input.MORE_DISKS in {change.input for change in changes(asked, found, no_rules)}) is told


@pytest.mark.slow
def test_that_a_layout_below_the_floors_that_holds_more_is_named_with_what_it_does() -> None:
    sizes = (4, 4, 4, 8, 8)
    asked = request(Goal.SAFETY, tuple(disk(number, size_bytes=size * TB) for number, size in enumerate(sizes)))
    found = recommend(asked, no_rules)
    said = {change.input: change for change in changes(asked, found, no_rules)}[Input.CAPACITY]
    room = int(found.best.usable_bytes * 1.001)
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
    fewer = answers(asked)[Input.FEWER_DISKS]
    assert fewer.said == "1 disk fewer"
    assert fewer.choice is not None
    assert fewer.choice.words == first(request(Goal.CONCURRENT, (*disks(5), *flash)))


@pytest.mark.slow
def test_that_one_disk_more_is_told_where_further_ones_lead_to_no_other_kind_of_layout() -> None:
    asked = request(Goal.SAFETY, disks(4))
    found = recommend(asked, no_rules)
    told = {change.input: change for change in changes(asked, found, no_rules)}[Input.MORE_DISKS]
    assert told.said == "1 disk more"
    assert told.choice is not None
    assert (found.best.words, told.choice.words) == ("raidz2 of 4", "raidz2 of 5")
