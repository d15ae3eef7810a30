"""What a search that is stopped says it has not tried."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from tests.design.test_recommend import disks

from poolwright.design.candidate import Recommendation
from poolwright.design.enumerate import FAMILIES
from poolwright.design.recommend import recommend_in_steps
from poolwright.design.request import Request
from poolwright.design.told import told_lines
from poolwright.domain.disk import Disk
from poolwright.domain.workload import Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped


def _told(found: tuple[Disk, ...]) -> Iterator[tuple[str, int, Recommendation | None]]:
    """Yield at each step of a search what it says is untried, what it examined, and what it has found."""
    request = Request(disks=found, workload=Workload(goal=Goal.SAFETY))
    for progress in recommend_in_steps(request, judge_maker(load_shipped())):
        yield progress.untried(), progress.examined, progress.so_far()


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
def test_that_a_search_of_several_sizes_names_what_is_left_of_dividing_and_cutting_them(typed: str) -> None:
    steps = [text for text, _, _ in _told(tuple(read_typed(typed.split(", ")).disks))]
    assert "every layout of 8 TB alone" in steps[0]
    assert "4 TB" in steps[0]
    assert "together, in whole disks and in partitions" in steps[0]
    divided = [text for text in steps if "to divide the sizes" in text]
    cut = [text for text in steps if "to cut the disks into partitions" in text]
    assert divided
    assert len(cut) > len([text for text in divided if text not in cut])
    assert "together, in whole disks" not in cut[-1]
    assert steps[-1].startswith("Every layout was tried")


def test_that_a_search_that_goes_on_does_not_speak_for_the_layouts_it_has_not_tried() -> None:
    found = [found for _, _, found in _told(disks(12)) if found is not None]
    assert all(each.partial for each in found)
    assert found[0].best.below  # mirrors come before raidz2
    told = " ".join(told_lines(found[0]))
    assert "no layout tried up to now keeps to it" in told
    assert "no layout of these disks" not in told
