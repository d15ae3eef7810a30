"""Wishes that no layout can meet are told at once, with the numbers."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from poolwright.design.changes import WishesWeighed, wishes_weighed
from poolwright.design.recommend import recommend
from poolwright.design.request import JudgeMaker, Request
from poolwright.design.wishes import (
    affordable_disks,
    check_budget,
    impossible_wishes,
    missing_forecast,
    missing_safety,
    most_usable_bytes,
    own_prices,
)
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.money import Money, money
from poolwright.domain.units import TB
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.predict.assessment import Forecast
from poolwright.predict.speed import Typical


def eur(amount: int | str) -> Money:
    return money(amount, "EUR")


SIX = 6_001_175_126_016


def test_that_capacity_is_compared_with_what_redundancy_leaves() -> None:
    budget = Budget(least_usable_bytes=5 * 6 * TB, survive=2)
    assert any(impossible_wishes(budget, [6 * TB] * 6))
    assert not any(impossible_wishes(budget, [6 * TB] * 7))


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


@pytest.mark.parametrize(("disks", "spares", "survive", "possible"), cases(__file__, "disks_wanted"))
def test_that_a_pool_needs_one_disk_more_than_failures_and_spares(
    disks: int, spares: int, survive: int, possible: bool
) -> None:
    assert any(impossible_wishes(Budget(spares=spares, survive=survive), [SIX] * disks)) is not possible


# What is asked of risk, rebuild and speed is held against the forecast of each layout.

_SPEED = Typical(1000e6, 500e6, 100.0, 100.0, 100.0)


def _no_rules() -> JudgeMaker:
    return lambda request, disks, ashift: lambda layout, numbers, places: ()


def _request(count: int = 12, goal: Goal = Goal.SAFETY, **budget: object) -> Request:
    disks = tuple(
        Disk(key=f"d{n}", path=f"/dev/sd{n}", size_bytes=6 * TB, media=Media.HDD, physical_sector_bytes=4096)
        for n in range(count)
    )
    return Request(disks=disks, workload=Workload(goal=goal), budget=Budget(**budget))  # type: ignore[arg-type]


def test_that_no_candidate_is_riskier_slower_or_longer_to_rebuild_than_the_budget_admits() -> None:
    free = recommend(_request(), _no_rules()).candidates
    rate = 700_000_000
    kept = recommend(
        _request(
            most_yearly_loss=1e-4,
            most_rebuild_hours=40,
            least_read_bytes_per_second=rate,
            least_write_bytes_per_second=rate,
        ),
        _no_rules(),
    ).candidates

    def keeps(forecast: Forecast) -> bool:
        hours = forecast.rebuild_hours
        fast = forecast.speed.seq_read >= rate and forecast.speed.seq_write >= rate
        return forecast.yearly_loss <= 1e-4 and hours is not None and hours <= 40 and fast

    expected = {c.main.layout for c in free if keeps(c.measures.forecast)}
    assert {c.main.layout for c in kept} == expected
    assert 0 < len(expected) < len(free)


def test_that_a_rate_beyond_all_disks_is_refused_with_both_rates() -> None:
    with pytest.raises(Refusal) as caught:
        recommend(_request(4, least_write_bytes_per_second=5 * 10**9), _no_rules())
    assert any("writes about" in reason and "5.00 GB/s wanted" in reason for reason in caught.value.reasons)


def test_that_a_pool_without_redundancy_cannot_keep_to_a_time_of_rebuilding() -> None:
    bare = Forecast(speed=_SPEED, yearly_loss=0.1, disk_loss=0.1, rebuild_hours=None)
    (missed,) = missing_forecast(Budget(most_rebuild_hours=1000), bare)
    assert "nothing to rebuild from" in missed.text
    assert missing_forecast(Budget(), bare) == ()


@pytest.mark.parametrize(
    "budget",
    [
        Budget(most_yearly_loss=-0.1),
        Budget(most_yearly_loss=1.5),
        Budget(most_rebuild_hours=float("nan")),
        Budget(least_read_bytes_per_second=-1),
    ],
)
def test_that_senseless_wishes_are_refused(budget: Budget) -> None:
    with pytest.raises(UserError):
        check_budget(budget)


def _disk(number: int, *, price: Money | None = None, planned: bool = False) -> Disk:
    return Disk(key=f"d{number}", size_bytes=TB, price=price, planned=planned)


def test_that_disks_with_prices_of_their_own_are_bought_the_cheap_ones_first() -> None:
    hand = [_disk(number) for number in range(3)]
    dear, cheap = _disk(3, price=money(300), planned=True), _disk(4, price=money("99.99"), planned=True)
    budget = Budget(money=money("399.99"))
    every = [*hand, dear, cheap]
    assert affordable_disks(budget, 5, own_prices(budget, every, every)) == (5, None)
    less = Budget(money=money("399.98"))
    limit, why = affordable_disks(less, 5, own_prices(less, every, every))
    assert limit == 4  # what is at hand costs nothing, and one of the two
    assert why is not None
    assert affordable_disks(less, 3, own_prices(less, hand, every)) == (3, None)


def test_that_a_price_for_all_counts_where_no_disk_has_its_own() -> None:
    disks = [_disk(number) for number in range(4)]
    budget = Budget(money=money("250"), price_per_disk=money("100"))
    assert own_prices(budget, disks, disks) is None
    assert affordable_disks(budget, 4)[0] == 2
    typed = [_disk(5, planned=True), _disk(6, price=money(50), planned=True)]
    unknown = Budget(money=money("250"))
    assert own_prices(unknown, typed, typed) is None
    with pytest.raises(UserError, match="no price"):
        affordable_disks(unknown, 2, own_prices(unknown, typed, typed))


def test_that_a_wish_below_the_floor_of_every_layout_is_told_with_that_floor() -> None:
    def told(most: float | None, loss: float) -> str:
        return "; ".join(broken.text for broken in missing_safety(Budget(most_yearly_loss=most), loss, 1 / 20_000))

    assert told(None, 0.5) == told(0.001, 0.001) == ""
    assert told(0.001, 0.01) == "is lost with 1 % a year, at most 1 in 1,000 a year wanted"
    assert told(1e-9, 0.01).endswith("; no layout is safer than 1 in 20,000 a year, only a backup is")


# What each wish costs: the best layout with it beside the best without it.


def _weighed(request: Request, known: list[WishesWeighed]) -> WishesWeighed:
    return wishes_weighed(request, partial(recommend, request, _no_rules()), _no_rules(), known.append)


def test_that_a_wish_costs_the_difference_to_the_best_layout_without_it() -> None:
    known: list[WishesWeighed] = []
    found = _weighed(_request(8, spares=1, bays=8), known)
    kept, free = (recommend(_request(8, bays=8, spares=spares), _no_rules()) for spares in (1, None))
    spare, bays = found.costs
    mine, others = kept.best.measures, free.best.measures
    assert (spare.wish, spare.usable_bytes) == ("spares", mine.usable_bytes - others.usable_bytes)
    assert spare.loss == mine.any_loss / others.any_loss
    assert (bays.wish, bays.usable_bytes, bays.loss) == ("bays", 0, 1.0)
    assert (found.fit, spare.fit, found.every) == (kept.feasible, free.feasible, free.feasible)
    assert [len(one.costs) for one in known] == [0, 1, 2]


def test_that_of_wishes_that_no_layout_meets_each_says_how_many_would_fit_without_it() -> None:
    known: list[WishesWeighed] = []
    free = _weighed(_request(8), known)
    assert (free.fit, free.costs) == (free.every, ())
    rows = recommend(_request(8), _no_rules()).candidates
    assert free.largest_bytes == max(one.measures.usable_bytes for one in rows)
    for wished in (50 * TB, 100 * TB):  # by little, by far
        none = _weighed(_request(8, least_usable_bytes=wished, bays=8), known)
        assert (none.fit, none.largest_bytes, bool(none.refused)) == (0, None, True)
    assert [(cost.wish, cost.fit, cost.usable_bytes) for cost in none.costs] == [
        ("least_usable_bytes", free.fit, None),
        ("bays", 0, None),
    ]
