"""Which layout is first once its disks have places, also where there are too many disks to place all that are shown."""

from dataclasses import replace

import pytest
from tests.design.test_recommend import disks, no_rules, request

from poolwright.design import settle
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.errors import Refusal
from poolwright.domain.workload import Goal


def test_that_layouts_with_half_of_the_wished_space_are_an_answer_and_with_less_none_is() -> None:
    plain = recommend(request(Goal.SAFETY, disks(5)), no_rules)
    most = max(candidate.usable_bytes for candidate in plain.candidates if not candidate.below)
    half = recommend(request(Goal.SAFETY, disks(5), least_usable_bytes=2 * most), no_rules)
    assert half.best.usable_bytes == most
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
    monkeypatch.setattr(settle, "_MOST_WORK", work)
    monkeypatch.setattr(settle, "_MOST_FIRST", rounds)
    found = recommend(_in_shelves(Goal.SAFETY), no_rules)
    best = found.best
    assert not best.measures.taking_least
    assert found.answers[0].candidate is best
    assert [c for c in found.candidates if c is best] == [best]
    assert len({id(c) for c in found.candidates}) == len(found.candidates)
    # A layout that is not placed may only be better than it is told to be.
    others = [c for c in found.candidates if c.measures.taking_least]
    assert bool(others) == (work == 0)
