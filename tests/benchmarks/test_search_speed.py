"""How fast many disks of several sizes are packed: run by `make bench`. The machine should be quiet."""

import time
from contextlib import suppress
from typing import Any

import pytest
from tests.pace import slowness

from poolwright.design.candidate import Recommendation
from poolwright.design.groups import Packing
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.design.search import Search
from poolwright.domain.workload import Goal, Workload
from poolwright.judging import judge_maker
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped

pytestmark = pytest.mark.bench

DISKS = read_typed(["40 x 18TB hdd 512e, 36 x 12TB hdd 512e, 24 x 6TB hdd 512e, 4 x 1.92TB ssd 512e"]).disks


@pytest.mark.parametrize("goal", list(Goal))
def test_that_100_disks_of_three_sizes_and_four_ssds_are_packed_in_under_2_s(benchmark: Any, goal: Goal) -> None:
    request, book = Request(disks=DISKS, workload=Workload(goal=goal)), load_shipped()
    spent: list[float] = []

    def search() -> Recommendation:
        began = time.process_time()
        found = recommend(request, judge_maker(book))
        spent.append(time.process_time() - began)
        return found

    found = benchmark.pedantic(search, rounds=3, warmup_rounds=1)
    # Slices of one disk wait for one another, so that under many clients none may be worth keeping.
    assert {c.way for c in found.candidates} >= set(Packing) - {Packing.LAYERED}
    # Processor time: one thread does it all, and other work of the machine does not count.
    benchmark.extra_info["processor_seconds"] = sorted(spent)[len(spent) // 2]
    assert min(spent) < 2.0 * slowness()


@pytest.mark.parametrize("goal", list(Goal))
def test_that_first_layouts_are_there_within_100_ms(benchmark: Any, goal: Goal) -> None:
    request, book = Request(disks=DISKS, workload=Workload(goal=goal)), load_shipped()
    waited: list[float] = []

    def search() -> None:
        began = time.process_time()

        def look(search: Search) -> None:
            if search.so_far() is not None:
                waited.append(time.process_time() - began)
                raise InterruptedError

        with suppress(InterruptedError):
            recommend(request, judge_maker(book), look)

    benchmark.pedantic(search, rounds=5, warmup_rounds=1)
    assert sorted(waited)[len(waited) // 2] < 0.1 * slowness()
