"""Room beside the data is known before the ranking: layouts are counted without it, and the design carries it."""

from dataclasses import replace

import pytest
from tests.design.pools_by_hand import machine_with

from poolwright.capacity.pool import predict_pools
from poolwright.design.assign import Identity, design_of
from poolwright.design.changes import changes
from poolwright.design.groups import sizes_beside
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.errors import UserError
from poolwright.domain.reserve import ReservedPartition, parse_reserve
from poolwright.domain.units import GIB, MIB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.rules.rulebook import RuleBook
from poolwright.store.design_file import from_json, to_json
from poolwright.table_library import load_drive_book

RESERVE = tuple(parse_reserve(text).partition for text in ("bios=1MiB", "esp=1GiB", "swap=8GiB:last"))


def asked(*reserve: ReservedPartition) -> Request:
    inventory = machine_with(("6 x 4TB CMR SATA 512e", "2 x 960GB NVMe PLP"), ())
    return Request(
        disks=inventory.disks,
        workload=Workload(goal=Goal.SAFETY),
        budget=Budget(reserve=reserve),
        version=ZfsVersion(2, 3, 9),
        host=inventory.host,
        drives=load_drive_book(),
    )


@pytest.mark.slow
def test_that_every_ranked_layout_holds_what_its_design_holds() -> None:
    """To the byte on disks of 512-byte logical sectors: partitions are ranked as OpenZFS will see them."""
    request = asked(*RESERVE)
    for candidate in recommend(request, judge_maker(RuleBook(), request.host)).candidates[:8]:
        design = design_of(candidate, request, Identity(key="a", name="a"))
        assert design.reserve == RESERVE
        held = sum(pool.available_bytes for pool in predict_pools(design))
        assert held == candidate.measures.usable_bytes, candidate.words


def test_that_the_ranking_has_less_room_by_what_is_reserved() -> None:
    plain, less = (recommend(one, judge_maker(RuleBook(), one.host)) for one in (asked(), asked(*RESERVE)))
    assert [one.words for one in plain.candidates[:3]] == [one.words for one in less.candidates[:3]]
    lost = plain.best.measures.usable_bytes - less.best.measures.usable_bytes
    reserved = sum(partition.size_bytes for partition in RESERVE)
    assert 0.9 * 4 * reserved < lost < 1.3 * 4 * reserved  # raidz2 of 6: four data disks
    assert not any("951" in note.text for note in less.notes)  # flash beside the data is told whole


def test_that_a_disk_more_is_counted_without_what_is_reserved_once() -> None:
    request = asked(*RESERVE)
    judge = judge_maker(RuleBook(), request.host)
    (more,) = (
        one for one in changes(request, recommend(request, judge), judge) if "more" in one.said and "disk" in one.said
    )
    assert more.choice is not None
    assert len({disk.size_bytes for disk in more.choice.main.disks}) == 1  # the one that is added as well


def test_that_reserving_all_of_a_disk_is_refused_and_its_size_is_nothing() -> None:
    everything = ReservedPartition(purpose=RESERVE[0].purpose, size_bytes=8192 * GIB)
    request = asked(everything)
    with pytest.raises(UserError, match="leaves nothing of"):
        recommend(request, judge_maker(RuleBook(), request.host))
    assert set(sizes_beside(request.disks, (everything,), request.version)) == {0}
    assert sizes_beside(request.disks, (), request.version) == [disk.size_bytes for disk in request.disks]


def test_that_a_design_file_keeps_what_the_budget_reserves() -> None:
    request = asked(*RESERVE)
    found = recommend(request, judge_maker(RuleBook(), request.host)).best
    design = design_of(found, request, Identity(key="a", name="a"))
    assert from_json(to_json(design)).budget.reserve == RESERVE
    assert replace(design, reserve=()).budget.reserve[0].size_bytes == MIB
