"""Wishes that no layout can meet are told at once, with the numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.design.wishes import Fastest, fastest, judge_wishes, most_usable_bytes
from poolwright.domain.disk import Disk, Media
from poolwright.domain.host import Host
from poolwright.domain.money import Money, money
from poolwright.domain.units import TB, TIB
from poolwright.domain.workload import Budget, Goal, Workload


def eur(amount: int | str) -> Money:
    return money(amount, "EUR")


SIX = 6_001_175_126_016


def _impossible(budget: Budget, sizes: list[int]) -> list[str]:
    return [line.text for line in judge_wishes(budget, sizes) if line.possible is False]


def test_that_three_failures_of_two_disks_are_impossible() -> None:
    assert _impossible(Budget(survive=3), [SIX] * 2) == [
        "To survive 3 failures, a pool needs at least 4 disks; there are 2."
    ]


def test_that_spares_are_taken_off_before_failures_are_counted() -> None:
    [text] = _impossible(Budget(survive=2, spares=2), [SIX] * 4)
    assert "needs at least 3 disks; there are 2; 2 of 4 are spares" in text


def test_that_more_capacity_than_the_raw_total_is_impossible_and_names_both() -> None:
    [text] = _impossible(Budget(least_usable_bytes=300 * TIB), [SIX] * 44)
    assert "300 TiB usable is more than there is" in text
    assert "240 TiB" in text


def test_that_capacity_is_compared_with_what_redundancy_leaves() -> None:
    budget = Budget(least_usable_bytes=5 * 6 * TB, survive=2)
    assert _impossible(budget, [6 * TB] * 6)
    assert not _impossible(budget, [6 * TB] * 7)


def test_that_bays_and_money_limit_the_disks() -> None:
    texts = [line.text for line in judge_wishes(Budget(bays=12, money=eur(1000), price_per_disk=eur(100)), [SIX] * 44)]
    assert any("At most 10 of the 44 ticked disks" in text for text in texts)


def test_that_a_risk_below_that_of_the_whole_machine_is_impossible() -> None:
    (told,) = _impossible(Budget(most_yearly_loss=1e-6), [SIX] * 8)
    assert "1 in 20,000" in told
    assert "only a backup helps" in told
    assert _impossible(Budget(most_yearly_loss=1e-4), [SIX] * 8) == []


def test_that_the_price_of_all_disks_that_can_be_used_is_told() -> None:
    texts = [line.text for line in judge_wishes(Budget(price_per_disk=eur("289.90"), bays=10), [SIX] * 44)]
    assert "10 disks at 289.90 EUR each cost 2,899.00 EUR." in texts


def test_that_money_for_no_disk_at_all_is_impossible() -> None:
    assert _impossible(Budget(money=eur(50), price_per_disk=eur(100)), [SIX])


def test_that_money_without_a_price_cannot_be_told() -> None:
    assert [line for line in judge_wishes(Budget(money=eur(50)), [SIX] * 3) if line.possible is None]


def test_that_nothing_can_be_said_without_disks() -> None:
    [line] = judge_wishes(Budget(survive=3), [])
    assert line.possible is None


def test_that_spares_that_leave_no_disk_are_impossible() -> None:
    assert _impossible(Budget(spares=3), [SIX] * 3) == ["3 spares leave none of 3 disks for data."]


def test_that_impossible_wishes_come_first() -> None:
    lines = judge_wishes(Budget(least_usable_bytes=1000 * TIB, bays=4), [SIX] * 8)
    assert [line.possible for line in lines].index(False) == 0
    assert len(lines) > 1


@given(
    sizes=st.lists(st.integers(1, 10**14), min_size=1, max_size=30), spares=st.integers(0, 5), survive=st.integers(0, 3)
)
def test_that_the_bound_never_grows_with_more_wishes(sizes: list[int], spares: int, survive: int) -> None:
    bound = most_usable_bytes(sizes, disks=len(sizes), spares=spares, survive=survive)
    assert 0 <= bound <= sum(sizes)
    assert most_usable_bytes(sizes, disks=len(sizes), spares=spares + 1, survive=survive) <= bound
    assert most_usable_bytes(sizes, disks=len(sizes), spares=spares, survive=survive + 1) <= bound


def _disks(count: int, media: Media = Media.HDD) -> tuple[Disk, ...]:
    return tuple(
        Disk(key=f"d{n}", path=f"/dev/sd{n}", size_bytes=SIX, media=media, physical_sector_bytes=4096)
        for n in range(count)
    )


@pytest.mark.parametrize(("goal", "count"), [(Goal.SAFETY, 12), (Goal.CONCURRENT, 12), (Goal.SPEED, 45)])
def test_that_no_layout_is_expected_to_pass_what_is_called_the_fastest(goal: Goal, count: int) -> None:
    disks, workload = _disks(count), Workload(goal=goal)
    bound = fastest(disks, Budget(), workload, Host())
    assert bound is not None
    request = Request(disks=disks, workload=workload)
    for candidate in recommend(
        request, lambda request, disks, ashift: lambda layout, usable, unassigned, places=(): ()
    ).candidates:
        speed = candidate.measures.forecast.speed
        assert candidate.copies * speed.seq_read <= bound.read * 1.0001
        assert candidate.copies * speed.seq_write <= bound.write * 1.0001


def test_that_a_rate_beyond_the_network_is_told_but_not_refused() -> None:
    bound = Fastest(read=2e9, write=2e9, network=125e6)
    texts = judge_wishes(Budget(least_read_bytes_per_second=10**9), [SIX] * 12, bound)
    assert all(line.possible for line in texts)
    assert any("the network passes 125 MB/s" in line.text for line in texts)


def test_that_bays_and_spares_slow_the_fastest_down() -> None:
    workload = Workload(goal=Goal.SPEED)
    all_of_them = fastest(_disks(12), Budget(), workload, Host())
    fewer = fastest(_disks(12), Budget(bays=6, spares=1), workload, Host())
    assert all_of_them is not None
    assert fewer is not None
    assert fewer.read < all_of_them.read
    assert fastest(_disks(2), Budget(spares=2), workload, Host()) is None


@pytest.mark.parametrize(
    ("disks", "spares", "survive", "possible"),
    [
        (2, 0, 1, True),
        (1, 0, 1, False),
        (2, 1, 0, True),
        (2, 1, 1, False),
        (3, 1, 1, True),
        (4, 0, 3, True),
        (3, 0, 3, False),
    ],
)
def test_that_a_pool_needs_one_disk_more_than_failures_and_spares(
    disks: int, spares: int, survive: int, possible: bool
) -> None:
    assert (_impossible(Budget(spares=spares, survive=survive), [SIX] * disks) == []) is possible
