"""What is weighed for a goal: by what the clients do, and by the disks that the data lie on."""

from dataclasses import replace
from itertools import pairwise

import pytest
from tests.design.test_recommend import disks, no_rules

from poolwright.design.groups import data_disks
from poolwright.design.rank import WEIGHTS, weighings
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.disk import Media
from poolwright.domain.units import GB, TB
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.drive_library import load_drive_book
from poolwright.judging import judge_maker
from poolwright.rule_library import load_shipped


@pytest.mark.parametrize("goal", list(Goal))
@pytest.mark.parametrize("percent", [None, 0, 50, 75, 95, 100])
def test_that_the_weights_of_a_goal_add_up_to_100(goal: Goal, percent: int | None) -> None:
    assert sum(weighing.weight for weighing in weighings(goal, percent)) == pytest.approx(100)


def test_that_what_clients_do_in_order_passes_over_smoothly_from_random_reads_to_streams() -> None:
    assert weighings(Goal.CONCURRENT, 50) == weighings(Goal.CONCURRENT, None) == WEIGHTS[Goal.CONCURRENT]
    steps = [{w.name: w.step for w in weighings(Goal.CONCURRENT, percent)} for percent in range(50, 101)]
    for before, after in pairwise(steps):
        assert 0 < before["reads"] - after["reads"] < 0.5
        assert 0 < after["risk"] - before["risk"] < 0.5
    assert weighings(Goal.SAFETY, 100) == WEIGHTS[Goal.SAFETY]


def test_that_films_for_many_clients_do_not_lie_behind_one_parity_of_large_disks() -> None:
    request = Request(
        disks=disks(12, size_bytes=14 * TB),
        workload=Workload(goal=Goal.CONCURRENT, sequential_percent=95, io_size_bytes=1 << 20),
        budget=Budget(least_usable_bytes=100 * TB),
        drives=load_drive_book(),
    )
    assert recommend(request, judge_maker(load_shipped(), request.host)).best.words == "2 × raidz2 of 6"


def test_that_flash_beside_hard_disks_asks_for_no_more_protection_of_them() -> None:
    alone = disks(3, size_bytes=4 * TB)
    beside = (*alone, replace(disks(1, size_bytes=500 * GB)[0], key="nvme0n1", media=Media.NVME))
    assert len(data_disks(beside)) == 3
    for of in (alone, beside):
        request = Request(disks=of, workload=Workload(goal=Goal.SAFETY), budget=Budget())
        assert recommend(request, no_rules).best.words.startswith("raidz1 of 3")
