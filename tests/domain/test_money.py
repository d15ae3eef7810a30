"""Exact money: sums, comparisons, how many a purse buys; nothing converted."""

from decimal import Decimal, Inexact

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.errors import UserError
from poolwright.domain.money import MixedCurrenciesError, Money, money, total
from poolwright.domain.workload import Budget

CENTS = st.integers(min_value=1, max_value=10**9)


def eur(amount: str | int | Decimal) -> Money:
    return money(amount, "EUR")


@given(st.lists(CENTS, min_size=1, max_size=40))
def test_that_sums_are_exact(cents: list[int]) -> None:
    assert total(eur(Decimal(c).scaleb(-2)) for c in cents) == eur(Decimal(sum(cents)).scaleb(-2))


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (eur("1234.5"), "1,234.50 EUR"),
        (money("1234.5", "JPY"), "1,234.5 JPY"),
        (money(1200, "JPY"), "1,200 JPY"),
        (money("0.3125", "EUR"), "0.3125 EUR"),
        (money("1E+3"), "1,000.00"),
        (eur("-0.5"), "-0.50 EUR"),
    ],
)
def test_that_every_digit_is_shown(amount: Money, shown: str) -> None:
    assert str(amount) == shown


def test_that_what_is_no_money_is_refused() -> None:
    for amount, currency in (("NaN", None), ("Infinity", None), ("1", "EURO"), ("1", "eur")):
        with pytest.raises(UserError):
            money(amount, currency)


def test_that_prices_are_summed_in_their_own_currency_where_the_budget_has_another() -> None:
    budget = Budget(currency="USD")
    assert budget.sum_of([eur(2), eur(3)]) == eur(5)
    assert budget.sum_of([money(2, "USD"), money(3, "USD")]) == money(5, "USD")
    with pytest.raises(MixedCurrenciesError):
        budget.sum_of([eur(2), money(3, "USD")])


def test_that_a_sum_of_more_digits_than_can_be_kept_is_an_error_and_not_a_rounded_number() -> None:
    with pytest.raises(Inexact):
        eur("1e80") + eur("1e-60")
