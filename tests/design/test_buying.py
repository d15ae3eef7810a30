"""What to buy: compared with a search that tries every purchase by itself."""

from dataclasses import replace

import pytest

from poolwright.catalogue_library import shipped_catalogue
from poolwright.design.assign import Identity, design_of
from poolwright.design.buying import (
    MOST_BOUGHT,
    MOST_WITHOUT_BAYS,
    Buying,
    BuyProgress,
    affordable,
    buy,
    left_out_of_buying,
)
from poolwright.design.floors import FAILURES_WANTED
from poolwright.design.recommend import recommend
from poolwright.design.request import JudgeMaker, Request
from poolwright.domain.catalogue import Catalogue, Product, planned_disks
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.money import Money, money, total
from poolwright.domain.units import TB, TIB
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.judging import judge_maker
from poolwright.rule_library import load_shipped
from poolwright.table_library import load_drive_book


def eur(amount: int | str) -> Money:
    return money(amount, "EUR")


SMALL = Product(key="small", model="S4", media=Media.HDD, size_bytes=4 * TB, price=eur(80))
MIDDLE = Product(key="middle", model="M8", media=Media.HDD, size_bytes=8 * TB, price=eur(140))
LARGE = Product(key="large", model="L16", media=Media.HDD, size_bytes=16 * TB, price=eur(330))
SHOP = Catalogue(products=(LARGE, SMALL, MIDDLE))
MIXED = Catalogue(products=(SMALL, replace(LARGE, price=money(330, "USD"))))


def _ask(budget: Budget, goal: Goal = Goal.SAFETY, hand: tuple[Disk, ...] = ()) -> Request:
    return Request(disks=hand, workload=Workload(goal=goal), budget=budget, drives=load_drive_book())


def _judge() -> JudgeMaker:
    return judge_maker(load_shipped())


def _every_purchase(request: Request, shop: Catalogue) -> dict[tuple[str, int], Money]:
    """Return the cost of every purchase of one model that meets the wishes, each tried by itself."""
    survive = request.budget.survive
    wanted = FAILURES_WANTED[request.workload.goal] if survive is None else survive
    wishes = replace(request.budget, money=None, survive=wanted)
    # Nobody is told to buy three disks that survive two failures: of three at hand one is enough.
    fewest = 4 if request.workload.goal is Goal.SAFETY and survive is None else 1
    found = {}
    for product in shop.products:
        assert product.price is not None
        for count in range(fewest, affordable(product, request.budget, len(request.disks)) + 1):
            disks = (*request.disks, *planned_disks(product, count))
            try:
                answer = recommend(replace(request, disks=disks, budget=wishes), _judge()).best
            except Refusal:
                continue
            if answer.missed or answer.below:
                continue
            found[product.key, count] = product.price * count
    return found


@pytest.mark.slow
@pytest.mark.parametrize("goal", [Goal.SAFETY, Goal.CONCURRENT])
@pytest.mark.parametrize(
    "budget", [Budget(money=eur(1000), bays=8), Budget(money=eur(1500), bays=9, least_usable_bytes=18 * TIB)]
)
def test_that_no_purchase_is_cheaper_than_the_cheapest(goal: Goal, budget: Budget) -> None:
    request = _ask(budget, goal)
    known = _every_purchase(request, SHOP)
    found = buy(request, SHOP, _judge())
    assert found.cheapest.cost == min(known.values())
    assert {(o.product.key, o.count) for o in found.offers if o.product} <= known.keys()
    assert budget.least_usable_bytes or found.best.score >= max(o.score for o in found.front)
    assert budget.money is not None
    assert all(o.cost <= budget.money for o in found.offers)


def test_that_a_dearer_disk_that_holds_no_more_is_never_bought() -> None:
    worse = replace(MIDDLE, key="worse", price=eur(150))
    found = buy(_ask(Budget(money=eur(1000), bays=6)), Catalogue(products=(worse, MIDDLE)), _judge())
    assert {o.product.key for o in found.offers if o.product} == {"middle"}
    failing_less = replace(worse, key="better", afr_percent=0.2)
    found = buy(_ask(Budget(money=eur(1000), bays=6)), Catalogue(products=(failing_less, MIDDLE)), _judge())
    assert {o.product.key for o in found.offers if o.product} == {"middle", "better"}


@pytest.mark.slow
def test_that_six_disks_at_hand_are_joined_by_up_to_four_that_are_bought() -> None:
    hand = tuple(
        Disk(key=f"h{n}", size_bytes=8 * TB, media=Media.HDD, path=f"/dev/sd{n}", by_id=(f"ata-H_{n}",))
        for n in range(6)
    )
    wish = Budget(buy_most=4, survive=2, least_usable_bytes=40 * TIB)
    found = buy(_ask(wish, hand=hand), Catalogue(products=(MIDDLE,)), _judge())
    assert found.cheapest.product is MIDDLE
    # Six give four disks of data, 29 TiB; forty need six.
    assert (found.cheapest.count, found.cheapest.cost) == (2, eur(280))
    keys = {disk.key for disk in found.cheapest.request.disks}
    assert {f"h{n}" for n in range(6)} <= keys
    nothing = buy(_ask(Budget(buy_most=4, survive=2), hand=hand), Catalogue(products=(MIDDLE,)), _judge())
    assert (nothing.cheapest.product, nothing.cheapest.cost) == (None, money(0, "EUR"))


@pytest.mark.slow
def test_that_an_offer_costs_what_its_design_buys_whichever_pool_it_lies_in() -> None:
    hand = tuple(
        Disk(key=f"h{n}", size_bytes=4 * TB, media=Media.HDD, path=f"/dev/sd{n}", by_id=(f"ata-H_{n}",))
        for n in range(3)
    )
    found = buy(_ask(Budget(buy_most=3), Goal.CONCURRENT, hand), Catalogue(products=(MIDDLE,)), _judge())
    for offer in found.offers:
        design = design_of(offer.candidate, offer.request, Identity(key="k", name="n"))
        bought = [disk for disk in design.disks if disk.key in design.used_keys() and disk.price is not None]
        paid = total((disk.price for disk in bought if disk.price is not None), "EUR")
        assert (len(bought), paid) == (offer.count, offer.cost)
    assert {offer.count for offer in found.offers} == {0, 1, 2, 3}


@pytest.mark.slow
def test_that_every_offer_of_the_front_costs_more_and_is_worth_more() -> None:
    found = buy(_ask(Budget(money=eur(4000), bays=12)), SHOP, _judge())
    pairs = [(o.cost.amount, o.score) for o in found.front]
    assert pairs == sorted(pairs)
    assert len({cost for cost, _ in pairs}) == len(pairs)
    assert found.front[0].cost == found.cheapest.cost
    assert found.front[-1].score == found.best.score
    for offer in found.front:
        assert offer.candidate.unassigned == 0


@pytest.mark.slow
def test_that_nothing_is_called_best_that_costs_more_for_less() -> None:
    found = buy(_ask(Budget(money=eur(2000), bays=20)), SHOP, _judge())
    for offer in found.front:
        for other in found.offers:
            more = other.usable_bytes > offer.usable_bytes and other.cost <= offer.cost
            safe = other.candidate.measures.failures_survived >= offer.candidate.measures.failures_survived
            assert not (more and safe and other.candidate.measures.any_loss <= offer.candidate.measures.any_loss)


@pytest.mark.parametrize(("goal", "bought"), [(Goal.SAFETY, ("S4", 8)), (Goal.CONCURRENT, ("M8", 6))])
def test_that_the_best_has_the_room_asked_for_at_the_least_money(goal: Goal, bought: tuple[str, int]) -> None:
    found = buy(_ask(Budget(bays=12, least_usable_bytes=20 * TIB), goal), SHOP, _judge())
    assert found.best.product is not None
    assert (found.best.product.model, found.best.count) == bought
    assert found.front[-1].usable_bytes > 2 * found.best.usable_bytes


def test_that_wishes_beyond_the_money_are_refused_with_what_each_model_lacks() -> None:
    with pytest.raises(Refusal) as caught:
        buy(_ask(Budget(money=eur(400), least_usable_bytes=100 * TIB)), SHOP, _judge())
    assert "M8" in " ".join(caught.value.reasons)
    assert "at most 400.00 EUR" in str(caught.value)


@pytest.mark.parametrize(
    ("budget", "shop", "words"),
    [
        (Budget(), SHOP, "how many disks"),
        (Budget(money=eur(1)), Catalogue(), "no disk of the catalogue that is still sold has a price"),
        (Budget(money=eur(1)), MIXED, "catalogue has prices in USD"),
        (Budget(bays=4), MIXED, "prices in EUR and USD"),
        (Budget(money=money(1000), bays=4), SHOP, "in which currency the amount without one"),
    ],
)
def test_that_a_question_without_an_answer_is_refused(budget: Budget, shop: Catalogue, words: str) -> None:
    with pytest.raises(UserError, match=f"(?i){words}"):
        buy(_ask(budget), shop, _judge())


def test_that_the_search_tells_its_progress() -> None:
    seen: list[BuyProgress] = []
    found = buy(_ask(Budget(money=eur(1000), bays=6)), SHOP, _judge(), progress=seen.append)
    assert [(progress.done, progress.models) for progress in seen] == [(done, 3) for done in range(4)]
    assert seen[0].best is None
    assert seen[-1].cheapest is not None
    assert seen[-1].cheapest.cost == found.cheapest.cost


@pytest.mark.slow
def test_that_the_shipped_catalogue_fills_twelve_bays_within_the_money() -> None:
    found: Buying = buy(_ask(Budget(money=money(3000, "USD"), bays=12)), shipped_catalogue(), _judge())
    assert found.best.cost <= money(3000, "USD")
    assert found.best.count <= 12


@pytest.mark.slow
def test_that_models_that_nobody_sells_are_offered_only_where_asked_for() -> None:
    old = Product(
        key="old", model="OLD", media=Media.HDD, size_bytes=16 * TB, price=money(90, "USD"), sold=False
    )  # fmt: skip
    new, own = (
        replace(old, key=key, model=key, price=money(amount, "USD"), size_bytes=size, sold=sold)
        for key, amount, size, sold in (("new", 250, 16 * TB, True), ("own", 240, 12 * TB, None))
    )
    request, shelf = _ask(Budget(money=money(3000, "USD"), bays=6)), Catalogue(products=(old, new, own))
    usual = buy(request, shelf, _judge())
    bought = {offer.product.model for offer in usual.offers if offer.product is not None}
    assert bought == {"new", "own"}
    assert "1 model of the catalogue no longer sold." in usual.left_out
    every = buy(request, shelf, _judge(), with_old=True)
    assert {offer.product.model for offer in every.offers if offer.product is not None} == {"OLD"}
    with pytest.raises(UserError, match="still sold"):
        buy(request, Catalogue(products=(old,)), _judge())


@pytest.mark.slow
def test_that_models_that_were_not_tried_are_counted_and_those_that_were_are_not() -> None:
    def told(amount: int) -> str:
        return " ".join(buy(_ask(Budget(money=eur(amount), bays=12)), SHOP, _judge()).left_out)

    assert "1 model that money or bays do not admit" in told(300)
    assert "that money or bays do not admit" not in told(3000)


@pytest.mark.parametrize(
    ("bays", "limit", "words"),
    [
        (40, MOST_BOUGHT, "More than 96 disks of one model."),
        (None, MOST_WITHOUT_BAYS, "More than 48 disks of one model: say how many bays there are to have more tried."),
    ],
)
def test_that_the_limit_of_disks_is_told_where_a_model_reached_it(bays: int | None, limit: int, words: str) -> None:
    def told(most: int) -> tuple[str, ...]:
        tried = ((SMALL, most), (MIDDLE, 5), (LARGE, 5))
        return tuple(left_out_of_buying(Budget(money=eur(1000), bays=bays), SHOP, tried, unsold=0))[1:]

    assert told(limit) == (words,)
    assert told(limit - 1) == ()
