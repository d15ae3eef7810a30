"""A single disk, and few of very unequal sizes: to survive two failures must not cost too much of their space."""

import pytest
from tests.cases import cases
from tests.command_line import answer_of, refused

from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.floors import (
    FEW_UNEQUAL,
    WIDEST,
    allowance_sentence,
    allowance_title,
    allowed_titles,
    allowed_words,
    parse_allowances,
    two_cost_too_much,
)
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.units import TB
from poolwright.domain.workload import Allowance, Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped


def found(*typed: str, survive: int | None = None, goal: Goal = Goal.SAFETY) -> Recommendation:
    asked = Request(disks=read_typed(list(typed)).disks, workload=Workload(goal=goal), budget=Budget(survive=survive))
    return recommend(asked, judge_maker(load_shipped()))


def told(recommendation: Recommendation) -> str:
    return "\n".join(note.text for note in recommendation.notes)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (("2 x 12TB hdd", "2 x 4TB hdd"), "mirror of 2 (4 TB), mirror of 2 (12 TB)"),
        # Two mirrors hold half as much again as a raidz2, and are not raidz1: one disk is read to rebuild.
        (("2 x 8TB hdd", "2 x 4TB hdd"), "mirror of 2 (4 TB), mirror of 2 (8 TB)"),
        (("2 x 16TB hdd", "4 x 4TB hdd"), "2 × mirror of 2 (4 TB), mirror of 2 (16 TB)"),
        (("2 x 20TB hdd", "4 x 3TB hdd"), "2 × mirror of 2 (3 TB), mirror of 2 (20 TB)"),
        (("3 x 18TB hdd", "1 x 3TB hdd"), "raidz1 of 3 (18 TB)"),
        (("3 x 12TB hdd", "2 x 4TB hdd"), "raidz1 of 3 (12 TB); pool 2: mirror of 2 (4 TB)"),
    ],
)
def test_that_very_unequal_disks_are_no_raidz2_of_the_smallest(typed: tuple[str, ...], words: str) -> None:
    recommendation = found(*typed)
    assert recommendation.best.words == words
    assert recommendation.survives == 1
    assert "Their sizes differ so much" in told(recommendation)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (("2 x 10TB hdd", "2 x 6TB hdd"), "raidz2 of 4 (2 × 10 TB, 2 × 6 TB)"),
        (("1 x 8TB hdd", "3 x 4TB hdd"), "raidz2 of 4 (1 × 8 TB, 3 × 4 TB)"),
        (("4 x 4TB hdd", "2 x 8TB hdd"), "raidz2 of 6 (2 × 8 TB, 4 × 4 TB)"),
    ],
)
def test_that_a_third_of_the_space_is_still_given_for_a_second_failure(typed: tuple[str, ...], words: str) -> None:
    recommendation = found(*typed)
    assert recommendation.best.words == words
    assert "Their sizes differ so much" not in told(recommendation)


def test_that_two_failures_that_somebody_wishes_are_survived_by_whatever_sizes() -> None:
    recommendation = found("2 x 12TB hdd", "2 x 4TB hdd", survive=2)
    assert recommendation.best.words == "raidz2 of 4 (2 × 12 TB, 2 × 4 TB)"
    assert "Their sizes differ so much" not in told(recommendation)


def test_that_nothing_is_said_where_the_goal_asks_for_one_failure_anyway() -> None:
    assert "Their sizes differ so much" not in told(found("2 x 12TB hdd", "2 x 4TB hdd", goal=Goal.CONCURRENT))


@pytest.mark.parametrize("disks", range(1, FEW_UNEQUAL + 3))
def test_that_equal_disks_never_lose_so_much(disks: int) -> None:
    assert not two_cost_too_much([4 * TB] * disks)


def test_that_many_disks_are_not_asked() -> None:
    assert two_cost_too_much([20 * TB] * 2 + [TB] * (FEW_UNEQUAL - 2))
    assert not two_cost_too_much([20 * TB] * 2 + [TB] * (FEW_UNEQUAL - 1))


@pytest.mark.parametrize("budget", [Budget(), Budget(survive=0), Budget(spares=0)])
def test_that_a_single_disk_that_shall_be_safe_is_told_of_a_mirror_and_of_other_goals(budget: Budget) -> None:
    alone = Request(disks=read_typed(["1TB nvme"]).disks, workload=Workload(goal=Goal.SAFETY), budget=budget)
    with pytest.raises(Refusal) as caught:
        recommend(alone, judge_maker(load_shipped()))
    told = caught.value.todo or ""
    assert "makes a mirror of the two" in told
    assert "such as space" in told
    assert "fewer" not in told


# What a recommendation has only where it is wished by name.


def test_that_shingled_disks_are_mirrored_unless_parity_is_allowed_by_name() -> None:
    asked = ("recommend", "--goal", "safety", "--disks", "12 x 18TB SMR")
    plain = answer_of(*asked)["candidates"]
    assert not any("raid" in spec for candidate in plain for spec in candidate["layout"])
    allowed = answer_of(*asked, "--allow", "smr-parity")["candidates"]
    assert allowed[0]["layout"][0].startswith("raidz2")
    told = {finding["rule"] for finding in allowed[0]["findings"]}
    assert "disks.smr-parity-allowed" in told
    assert "disks.smr-in-raidz" not in told


def test_that_only_what_there_is_can_be_allowed() -> None:
    words = ("--goal", "safety", "--disks", "6 x 4TB", "--allow", "everything")
    assert "smr-parity" in refused("recommend", *words)


def first_of(typed: str, *allow: Allowance) -> Candidate:
    asked = Request(
        disks=read_typed([typed]).disks, workload=Workload(goal=Goal.SAFETY), budget=Budget(allow=tuple(allow))
    )
    return recommend(asked, judge_maker(load_shipped())).best


@pytest.mark.parametrize(("typed", "words"), cases(__file__, "shingled"))
def test_that_few_shingled_disks_become_mirrors_of_two(typed: str, words: str) -> None:
    assert first_of(typed).words == words


def test_that_shingled_disks_that_may_lie_behind_parity_survive_two() -> None:
    assert first_of("4 x 8TB smr", Allowance.SHINGLED).words == "raidz2 of 4"


def test_that_what_is_said_of_very_wide_raidz_names_the_widths_of_the_floors() -> None:
    told = allowance_sentence(Allowance.WIDE)
    assert f"More than {WIDEST[1]} disks in a raidz1, {WIDEST[2]} in a raidz2 or {WIDEST[3]} in a raidz3" in told
    assert all(allowance_sentence(one) and allowance_title(one) for one in Allowance)


def test_that_what_is_allowed_is_read_with_commas_and_spaces_and_told_in_the_order_of_the_list() -> None:
    every = " ".join(one.value for one in reversed(Allowance))
    assert parse_allowances(every.upper()) == tuple(Allowance)
    assert parse_allowances(f"{Allowance.KINDS.value},{Allowance.KINDS.value}") == (Allowance.KINDS,)
    assert allowed_titles((Allowance.PARTITIONS, Allowance.WIDE)) == "partitions, very wide raidz"
    assert allowed_words((Allowance.KINDS,)) == "allowed: several kinds of vdevs in a pool"
    for wrong, word in (("", "“”"), ("everything", "everything"), (f"{Allowance.WIDE.value} x", "“x”")):
        with pytest.raises(UserError, match="does not exist") as caught:
            parse_allowances(wrong)
        assert word in caught.value.text
        assert Allowance.SHINGLED.value in (caught.value.todo or "")
