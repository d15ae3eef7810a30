"""The answers side by side: each really is what its name says, and none is told twice."""

from dataclasses import replace
from datetime import date
from functools import cache

import pytest
from tests.design.binding.at_hand import machine
from tests.design.test_packing import mixed
from tests.design.test_recommend import disks, no_rules
from tests.domain.test_reserve import ESP, LAST, SIZE, mirror

from poolwright.capacity.pool import predict_design
from poolwright.changes.growth.plan import GrowthPlan, GrowthQuestion, evaluate
from poolwright.design.answers import AT_WORK, LEAST_SHARE, cards, rivals, speed
from poolwright.design.binding.applying import bound_design
from poolwright.design.binding.binding import bind_disks
from poolwright.design.binding.judging import seats_of
from poolwright.design.candidate import AnswerName, Candidate, NamedAnswer, Recommendation
from poolwright.design.explanations import lines_of_first, missing_words, spare_words
from poolwright.design.floors import Floor
from poolwright.design.more_disks import one_more
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.as_built import as_built
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import Refusal
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.units import MIB, TB
from poolwright.domain.workload import Allowance, Budget, Goal, Workload
from poolwright.emit.difference_script import step_commands
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped

GOALS = tuple(Goal)


@cache
def asked(goal: Goal, of: tuple[Disk, ...], budget: Budget | None = None) -> Recommendation:
    """Return what is recommended; the many sentences about one machine are held against one answer."""
    request = Request(disks=of, workload=Workload(goal=goal), budget=budget or Budget())
    return recommend(request, no_rules)


def named(found: Recommendation, name: AnswerName) -> NamedAnswer:
    return next(answer for answer in found.answers if answer.name is name)


MACHINES = {
    "equal": disks(12),
    "sizes": mixed((4, 8 * TB), (4, 4 * TB)),
    "odd": mixed((5, 16 * TB), (3, 12 * TB), (2, 8 * TB)),
    "many": disks(36),
    "shelves": read_typed(["45 x 16TB in 3 shelves"]).disks,
}
ASKED = [pytest.param(name, marks=pytest.mark.slow if name in ("odd", "many", "shelves") else ()) for name in MACHINES]


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("machine", ASKED)
def test_that_more_space_is_the_largest_of_all_above_the_floors(machine: str, goal: Goal) -> None:
    found = asked(goal, MACHINES[machine])
    assert not found.best.below
    above = [c for c in found.candidates if set(c.below) <= {Floor.PARTITIONS}]
    most = max(candidate.measures.held_bytes for candidate in above)
    spacious = [a.candidate for a in found.answers if a.name is AnswerName.SPACE]
    assert max(c.measures.held_bytes for c in (*spacious, found.best)) >= 0.99 * most
    assert all(candidate.measures.held_bytes == most for candidate in spacious)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("machine", ASKED)
def test_that_no_answer_is_shown_twice_and_each_says_what_it_costs(machine: str, goal: Goal) -> None:
    found = asked(goal, MACHINES[machine])
    assert found.answers[0] == NamedAnswer(name=AnswerName.BALANCED, candidate=found.best)
    assert len({id(answer.candidate) for answer in found.answers}) == len(found.answers)
    assert all(answer.trade_off and not answer.trade_off.endswith(".") for answer in found.answers[1:])
    assert all(any(c is answer.candidate for c in found.candidates) for answer in found.answers)
    fastest = [answer.candidate for answer in found.answers if answer.name is AnswerName.FASTEST]
    assert all(speed(candidate) >= 1.1 * speed(found.best) for candidate in fastest)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("machine", ASKED)
def test_that_more_protection_survives_more_or_has_clearly_less_risk(machine: str, goal: Goal) -> None:
    found = asked(goal, MACHINES[machine])
    for answer in found.answers:
        if answer.name is AnswerName.PROTECTION:
            other = answer.candidate
            assert not other.below
            assert other.measures.held_bytes >= LEAST_SHARE * found.best.measures.held_bytes
            more = other.measures.failures_survived > found.best.measures.failures_survived
            assert other.measures.any_loss <= found.best.measures.any_loss / (1 if more else 2)
            assert other.unit_survived == found.best.unit_survived


@pytest.mark.parametrize(
    ("count", "goal", "others"),
    [
        (3, Goal.SAFETY, ["mirror of 3"]),
        (4, Goal.SAFETY, ["raidz1 of 4", "2 × mirror of 2"]),
        (4, Goal.CONCURRENT, ["raidz1 of 4", "raidz2 of 4"]),
        (4, Goal.SPACE, ["2 × mirror of 2", "raidz2 of 4"]),
        (5, Goal.SAFETY, ["raidz1 of 5", "2 × mirror of 2, 1 spare"]),
        (8, Goal.SAFETY, ["4 × mirror of 2", "raidz3 of 8"]),
        (8, Goal.CONCURRENT, ["raidz2 of 8", "2 × raidz2 of 4"]),
    ],
)
def test_that_of_few_disks_the_cards_are_what_everybody_weighs(count: int, goal: Goal, others: list[str]) -> None:
    shown = cards(asked(goal, disks(count)))
    assert [card.candidate.short_words for card in shown[1:]] == others
    assert len({card.title for card in shown}) == len(shown)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("machine", ASKED)
def test_that_no_card_is_beaten_in_all_figures_and_no_rival_leaves_a_third_of_the_disks(
    machine: str, goal: Goal
) -> None:
    found = asked(goal, MACHINES[machine])

    def figures(c: Candidate) -> tuple[float, ...]:
        measures, hours = c.measures, c.measures.forecast.rebuild_hours or 0
        return measures.held_bytes, measures.failures_survived, -measures.any_loss, -hours, measures.speed.seq_read

    shown = [figures(card.candidate) for card in cards(found)]
    for mine in shown[1:] if goal is not Goal.CONCURRENT else ():
        assert not any(all(a >= b for a, b in zip(other, mine, strict=True)) for other in shown if other != mine)
    named = {id(answer.candidate) for answer in found.answers}
    for rival in (*rivals(found)[0], *rivals(found)[1]):
        held = sum(pool.plan.members * (rival.main.copies if n == 0 else 1) for n, pool in enumerate(rival.pools))
        assert id(rival) in named or held >= AT_WORK * rival.measures.ideal.most_disks


def test_that_partitions_are_the_price_of_more_space_from_mixed_sizes() -> None:
    answer = named(asked(Goal.SAFETY, MACHINES["sizes"]), AnswerName.SPACE)
    assert answer.candidate.partitioned
    assert "more; disks are cut into partitions that share their heads" in answer.trade_off


@pytest.mark.slow
def test_that_whole_disks_stand_beside_a_first_choice_of_partitions() -> None:
    budget = Budget(allow=(Allowance.PARTITIONS,), least_usable_bytes=24 * TB)
    found = asked(Goal.SAFETY, MACHINES["sizes"], budget)
    assert found.best.partitioned
    assert all(a.name is not AnswerName.WHOLE or not a.candidate.partitioned for a in found.answers)


def test_that_a_wish_below_the_floors_is_answered_with_what_is_missing_and_what_would_reach_it() -> None:
    found = asked(Goal.SAFETY, disks(8), Budget(least_usable_bytes=37 * TB))
    assert found.best.measures.failures_survived == 2
    told = missing_words(found)
    assert told.startswith("raidz2 of 8: ")
    assert "% short; one more disk (raidz2 of 9), or raidz1 of 8, which survives fewer than 2 failures" in told


def test_that_no_very_wide_raidz_is_named_as_a_way_to_a_wish() -> None:
    found = asked(Goal.SAFETY, disks(24), Budget(least_usable_bytes=118 * TB))
    assert missing_words(found).endswith(
        "with these disks only a layout that has a wider raidz than a rebuild should read does."
    )


@pytest.mark.parametrize(("wanted", "more"), [(80, 1), pytest.param(90, 2, marks=pytest.mark.slow)])
def test_that_of_several_sizes_one_is_named_of_which_so_many_more_disks_reach_the_wish(wanted: int, more: int) -> None:
    budget, flash = Budget(least_usable_bytes=wanted * TB), replace(disks(1)[0], key="flash", media=Media.NVME)
    found = asked(Goal.SAFETY, (*MACHINES["odd"], flash), budget)
    assert found.best.missed
    assert found.reach is not None
    assert (found.reach.disks, found.reach.size_bytes) == (more, 16 * TB)
    told = missing_words(found)
    assert ("one more 16 TB disk (" if more == 1 else "2 more 16 TB disks (") in told
    like = MACHINES["odd"][0]
    for count in range(more + 1):
        grown = asked(Goal.SAFETY, (*MACHINES["odd"], *(one_more(like, n) for n in range(count))), budget)
        assert bool(grown.best.missed) == (count < more)


def test_that_flash_beside_equal_disks_does_not_hide_what_reaches_the_wish() -> None:
    flash = replace(disks(1)[0], key="flash", media=Media.NVME)
    found = asked(Goal.SAFETY, (*disks(8), flash), Budget(least_usable_bytes=37 * TB))
    assert found.reach is not None
    assert (found.reach.disks, found.reach.words) == (1, "raidz2 of 9")


@pytest.mark.parametrize("wanted", [36, *(pytest.param(wanted, marks=pytest.mark.slow) for wanted in (42, 50, 60))])
@pytest.mark.parametrize("goal", [Goal.SAFETY, Goal.CONCURRENT])
def test_that_so_many_more_disks_reach_the_wish_and_one_fewer_does_not(wanted: int, goal: Goal) -> None:
    budget = Budget(least_usable_bytes=wanted * TB)
    try:
        found = asked(goal, disks(8), budget)
    except Refusal:
        return  # no layout at all meets it
    if found.reach is None:
        assert not found.best.missed
        return
    more = asked(goal, disks(8 + found.reach.disks), budget)
    assert not more.best.missed
    assert not more.best.below
    if found.reach.disks > 1:
        fewer = asked(goal, disks(8 + found.reach.disks - 1), budget)
        assert fewer.best.missed


def test_that_a_near_miss_is_told_with_the_share_that_is_missing() -> None:
    found = asked(Goal.CONCURRENT, disks(8), Budget(least_usable_bytes=24 * TB))
    misses: tuple[Candidate, ...] = found.near
    assert misses
    assert all(0 < candidate.missing_share <= 0.1 for candidate in misses)
    (near,) = (text for text in lines_of_first(found) if text.startswith(f"{misses[0].words} is "))
    assert "% short of your wish" in near


def test_that_a_first_choice_below_the_floors_says_so() -> None:
    found = asked(Goal.CONCURRENT, disks(1), Budget(least_usable_bytes=TB))
    assert found.best.below == (Floor.SURVIVES,)
    assert lines_of_first(found)[0].startswith("Below the usual minimum: it survives no failure")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "first", "told"),
    [
        (((15, 8 * TB),), "2 × raidz2 of 7, 1 spare", "As good: raidz2 of 8, raidz2 of 7; decided by equal widths."),
        (
            ((8, 16 * TB), (4, 8 * TB)),
            "raidz2 of 8 (16 TB), raidz2 of 4 (8 TB)",
            "As good: raidz2 of 6 (16 TB), raidz2 of 6 (2 × 16 TB, 4 × 8 TB); decided by fewer warnings.",
        ),
    ],
)
def test_that_what_is_as_good_in_points_is_told_though_it_holds_more(
    groups: tuple[tuple[int, int], ...], first: str, told: str
) -> None:
    request = Request(disks=mixed(*groups), workload=Workload(goal=Goal.SAFETY))
    found = recommend(request, judge_maker(load_shipped(), request.host))
    assert found.best.words == first
    assert lines_of_first(found)[0] == told


# A pool beside reserved partitions, as it grows and on other disks: each new disk has them, the words say so first.


def grown(*steps: str) -> GrowthPlan:
    asked = [parse_growth_step(step) for step in steps]
    plan = evaluate(mirror(ESP, LAST), asked, GrowthQuestion(today=date(2026, 11, 20)))
    assert plan.problem is None
    return plan


def test_that_a_new_pool_has_the_space_of_its_design_and_a_replaced_one_that_of_larger_disks() -> None:
    plan = grown("replace:12TB@1")
    assert plan.stages[0].capacity.available_bytes == predict_design(mirror(ESP, LAST)).available_bytes
    larger = plan.stages[1].grown.design
    sizes = {member.slice_bytes for member in larger.vdevs[0].members}
    (size,) = {larger.disk(member.disk_key).size_bytes for member in larger.vdevs[0].members}
    assert sizes == {((size or 0) // MIB - 2 - 512 - 2048) * MIB}
    assert as_built(larger) == larger


def test_that_a_new_disk_gets_its_table_before_the_pool_gets_the_rest() -> None:
    plan = grown("attach:4TB@1")
    lines = [command.text for command in step_commands(plan, 1)]
    at = next(number for number, line in enumerate(lines) if line.startswith("zpool attach"))
    assert [line.split()[4] for line in lines[:at] if line.startswith("sgdisk")] == ["1:EF00", "2:BF01", "3:8200"]
    assert lines[at].startswith(
        "zpool attach tank /dev/disk/by-id/ata-a-part2 '/dev/disk/by-id/<new disk 1>-part2' && "
    )
    replaced = [command.text.split()[0:2] for command in step_commands(grown("replace:12TB@1"), 1)]
    assert [words[1] for words in replaced if words[0] == "zpool" and words[1] in ("replace", "attach")] == [
        "replace"
    ] * 2
    tables = [number for number, words in enumerate(replaced) if words[0] == "sgdisk"]
    first = replaced.index(["zpool", "replace"])
    assert len([number for number in tables if number < first]) == len([number for number in tables if number > first])
    assert any(line.startswith("mkfs.vfat") and line.endswith("<new disk 1>-part1'") for line in lines[:at])


def test_that_what_is_reserved_on_named_disks_goes_with_them_to_the_real_ones() -> None:
    named = mirror(replace(ESP, disk_keys=("b",)))
    real = tuple(replace(disk, key=f"real {disk.key}", serial=f"S{disk.key}") for disk in named.disks)
    bound = bound_design(bind_disks(named, machine(real)))
    assert bound.reserve[0].disk_keys == (bound.vdevs[0].members[1].disk_key,)
    assert predict_design(bound) == predict_design(named)


def test_that_a_disk_in_partitions_needs_room_for_what_is_reserved_too() -> None:
    cut = as_built(mirror(ESP, LAST))
    seat = next(seat for seat in seats_of(cut) if seat.disk.key == "a")
    assert seat.least_bytes == SIZE // MIB * MIB


def test_that_a_first_choice_without_a_hot_spare_says_what_serves_instead_and_what_keeps_one() -> None:
    found = asked(Goal.SAFETY, disks(24))
    kept = next(c for c in found.as_good if c.spare_count)
    assert not found.best.spare_count
    assert spare_words(found).startswith(
        f"No hot spare: any 2 disks may fail, so keep a tested one in a drawer. {kept.words} holds "
    )
    assert not spare_words(asked(Goal.SAFETY, disks(12)))
