"""Very many disks: not every layout is looked at, and what is left out would not have been chosen."""

from collections import Counter
from dataclasses import replace
from functools import partial

import pytest
from tests.cases import cases
from tests.design.test_recommend import no_rules

from poolwright.design import equal_layouts
from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.choose import _draid_or_raidz
from poolwright.design.equal_layouts import EVERY_NUMBER_TO, EVERY_WIDTH_TO, shapes
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.design.select import MOST_WHOLE
from poolwright.design.survival import Parts, survivable_sets
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped


def request(count: int, goal: Goal, **budget: object) -> Request:
    disks = read_typed([f"{count} x 12TB"]).disks
    return Request(disks=disks, workload=Workload(goal=goal), budget=Budget(**budget))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def twelve() -> Candidate:
    return recommend(request(12, Goal.SAFETY), no_rules).best


def test_that_the_number_of_layouts_stays_bounded() -> None:
    assert sum(1 for _ in shapes(EVERY_NUMBER_TO)) < 1_000
    assert sum(1 for _ in shapes(EVERY_WIDTH_TO)) < sum(1 for _ in shapes(EVERY_WIDTH_TO, every_number=True)) < 20_000
    assert len(set(shapes(2000))) == sum(1 for _ in shapes(2000)) < 20_000
    assert all(shape.disks <= 300 for shape in shapes(300))


@pytest.mark.parametrize(("most", "every_number"), [(EVERY_NUMBER_TO, False), (EVERY_WIDTH_TO, True)])
def test_that_up_to_so_many_disks_every_number_is_looked_at_and_of_one_more_some_are_left_out(
    most: int, every_number: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = partial(shapes, every_number=every_number)
    found, more = list(asked(most)), Counter((s.kind, s.parity) for s in asked(most + 1))
    for name in ("EVERY_NUMBER_TO", "EVERY_WIDTH_TO"):
        monkeypatch.setattr(equal_layouts, name, 1000)
    assert found == list(asked(most))
    whole = Counter((shape.kind, shape.parity) for shape in asked(most + 1))
    assert more.keys() == whole.keys()
    # Of 241 disks there are no more than 24 dRAIDs, and of so few every number is tried.
    assert {kind for (kind, parity), count in whole.items() if more[kind, parity] >= count} == {VdevKind.DRAID}


def test_that_alike_vdevs_are_counted_once() -> None:
    mirrors: dict[Parts, int] = {((number, 1),): 2 for number in range(1000)}
    # Of 2,000 disks in mirrors of two any two may fail but the two of one mirror.
    assert survivable_sets(mirrors, [1] * 1000)[:3] == (1, 2000, 2000 * 1999 // 2 - 1000)


# What a wish asks of the risk or the speed may hold for some number in between alone.
def every_number(asked: Request, monkeypatch: pytest.MonkeyPatch) -> Recommendation:
    with monkeypatch.context() as patched:
        for name in ("EVERY_NUMBER_TO", "EVERY_WIDTH_TO"):
            patched.setattr(equal_layouts, name, 1000)
        return recommend(asked, judge_maker(load_shipped()))


@pytest.mark.slow
@pytest.mark.parametrize("goal", list(Goal))
@pytest.mark.parametrize("count", [25, 47, 71, 120, 242])
def test_that_what_is_left_out_would_not_have_been_chosen(
    count: int, goal: Goal, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = request(count, goal)
    thinned, whole = recommend(asked, judge_maker(load_shipped())), every_number(asked, monkeypatch)
    assert thinned.examined < whole.examined
    assert thinned.best.words == whole.best.words
    named = [[(a.name, a.candidate.words) for a in found.answers] for found in (thinned, whole)]
    assert named[0] == named[1]
    assert {c.family for c in thinned.candidates} == {c.family for c in whole.candidates}


@pytest.mark.slow
@pytest.mark.parametrize("count", [60, 242])
def test_that_the_fewest_disks_with_the_space_asked_for_are_found(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = request(count, Goal.SAFETY, least_usable_bytes=count * 2 * TB)
    thinned, whole = recommend(asked, judge_maker(load_shipped())), every_number(asked, monkeypatch)
    assert min(c.used_count for c in thinned.candidates) == min(c.used_count for c in whole.candidates)


@pytest.mark.slow
def test_that_a_wish_of_the_risk_is_kept_by_as_large_a_layout_as_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = request(60, Goal.SPACE, most_rebuild_hours=9.0)
    assert recommend(asked, judge_maker(load_shipped())).best.words == every_number(asked, monkeypatch).best.words


def test_that_of_very_many_layouts_the_best_of_each_family_and_the_leaders_are_judged_and_listed() -> None:
    few, many = (recommend(request(count, Goal.SAFETY), judge_maker(load_shipped())) for count in (16, 80))
    assert few.feasible == len(few.candidates)
    assert len(many.candidates) < 2 * MOST_WHOLE < many.feasible
    assert {c.family for c in many.candidates} == {c.family for c in few.candidates}
    assert "raidz2 of 80" in {c.words for c in many.candidates}  # holds most


@pytest.mark.parametrize(("data_disks", "behind", "is_raidz"), cases(__file__, "draid_given_up"))
def test_that_draid_is_given_up_for_points_that_fade_out_towards_100_data_disks(
    twelve: Candidate, data_disks: int, behind: float, is_raidz: bool
) -> None:
    ideal = replace(twelve.measures.ideal, most_disks=data_disks)
    measures = replace(twelve.measures, draid=True, ideal=ideal)
    draid = replace(twelve, measures=measures, score=50.0)
    raidz = replace(twelve, measures=replace(measures, draid=False), score=50.0 - behind)
    assert _draid_or_raidz([draid, raidz], draid) is (raidz if is_raidz else draid)
    assert _draid_or_raidz([raidz, draid], raidz) is (raidz if data_disks < 100 else draid)
