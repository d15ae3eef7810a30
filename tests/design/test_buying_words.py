"""What is said of the purchases that were not tried."""

from dataclasses import replace

import pytest
from tests.design.test_buying import LARGE, MIDDLE, SHOP, SMALL, eur

from poolwright.design.buying import left_out_of_buying, wishes_words
from poolwright.domain.catalogue import Product
from poolwright.domain.units import TIB
from poolwright.domain.workload import Budget, Goal

ALWAYS = "One model was bought at a time: purchases of two models together were not tried."
ALL = ((SMALL, 5), (MIDDLE, 5), (LARGE, 5))


def told(budget: Budget, most: tuple[tuple[Product, int], ...] = ALL, unsold: int = 0) -> tuple[str, ...]:
    first, *rest = left_out_of_buying(budget, SHOP, most, limit=12, unsold=unsold)
    assert first == ALWAYS
    return tuple(rest)


def test_that_nothing_more_is_said_where_all_was_tried() -> None:
    assert told(Budget(money=eur(1000), bays=12)) == ()


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (Budget(money=eur(1000), bays=40), "More than 12 disks of one model."),
        (Budget(money=eur(1000)), "More than 12 disks of one model: say how many bays there are to have more tried."),
    ],
)
def test_that_the_limit_of_disks_is_told_where_a_model_reached_it(budget: Budget, words: str) -> None:
    assert told(budget, ((SMALL, 12), (MIDDLE, 5), (LARGE, 5))) == (words,)
    assert told(budget, ((SMALL, 11), (MIDDLE, 5), (LARGE, 5))) == ()


def test_that_models_without_a_price_not_tried_and_no_longer_sold_are_counted() -> None:
    unpriced = replace(SHOP, products=(*SHOP.products, replace(LARGE, key="none", price=None)))
    found = left_out_of_buying(Budget(money=eur(1000), bays=12), unpriced, ALL[:1], limit=12, unsold=2)
    assert found == (
        ALWAYS,
        "1 model of the catalogue without a price.",
        "2 models that money or bays do not admit, or that cost more for no more.",
        "2 models of the catalogue no longer sold.",
    )


def test_that_old_prices_are_told_with_their_days() -> None:
    budget = Budget(money=eur(1000), bays=12)
    first, last = replace(SMALL, priced_on="2026-03-01"), replace(MIDDLE, priced_on="2026-11-02")
    assert told(budget, ((first, 5), (MIDDLE, 5), (LARGE, 5))) == (
        "Prices that changed since they were entered (2026-03-01).",
    )
    assert told(budget, ((last, 5), (first, 5), (LARGE, 5))) == (
        "Prices that changed since they were entered (2026-03-01 to 2026-11-02).",
    )


def test_that_many_more_disks_than_space_asks_for_are_said_not_to_be_tried_without_a_purse() -> None:
    words = ("Far more disks than the capacity asked for needs.",)
    assert told(Budget(least_usable_bytes=20 * TIB, bays=24)) == words
    assert told(Budget(least_usable_bytes=20 * TIB, bays=24, money=eur(9000))) == ()


def test_that_wishes_are_told_in_one_line() -> None:
    assert wishes_words(Goal.SAFETY, Budget()) == "goal safety"
    assert (
        wishes_words(Goal.CONCURRENT, Budget(money=eur(1000), bays=1, least_usable_bytes=20 * TIB))
        == "goal concurrent, money 1,000.00 EUR, 1 bay, at least 20.0 TiB"
    )
