"""Exact money: sums, comparisons, how many a purse buys; nothing converted without a rate."""

from decimal import Decimal, Inexact
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.errors import UserError
from poolwright.domain.money import (
    ExchangeRate,
    MixedCurrenciesError,
    Money,
    converted,
    how_many,
    how_many_of,
    money,
    rates_used,
    total,
)
from poolwright.domain.workload import Budget

CENTS = st.integers(min_value=1, max_value=10**9)
DOLLAR = ExchangeRate(base="USD", quote="EUR", rate=Decimal("0.92"), on="2026-11-20")


def eur(amount: str | int | Decimal) -> Money:
    return money(amount, "EUR")


def test_that_money_that_is_exactly_enough_buys_all_disks() -> None:
    assert how_many(eur("501.00"), eur("50.10")) == 10
    assert how_many(eur("0.30"), eur("0.10")) == 3
    assert how_many(eur("500.99"), eur("50.10")) == 9
    assert how_many(eur("5"), eur("0")) is None


def test_that_thousands_of_random_purses_buy_what_whole_cents_say() -> None:
    random = Random(8)
    for _ in range(5000):
        price, count, over = random.randint(1, 99_999), random.randint(0, 500), random.randint(-1, 1)
        purse = max(0, price * count + over)
        bought = how_many(eur(Decimal(purse).scaleb(-2)), eur(Decimal(price).scaleb(-2)))
        assert bought == purse // price


@given(CENTS, st.integers(min_value=0, max_value=10**6))
def test_that_n_times_the_price_buys_n_and_a_cent_less_one_less(cents: int, count: int) -> None:
    price = eur(Decimal(cents).scaleb(-2))
    assert how_many(price * count, price) == count
    assert how_many(price * (count + 1) - eur("0.01"), price) == (count if cents > 0 else 0)


@given(CENTS, st.integers(min_value=1, max_value=10**4), st.integers(min_value=1, max_value=10**7))
def test_that_a_rate_loses_no_disk_in_either_direction(cents: int, count: int, rate: int) -> None:
    price = Decimal(cents).scaleb(-2)
    there = ExchangeRate(base="USD", quote="EUR", rate=Decimal(rate).scaleb(-6))
    back = ExchangeRate(base="EUR", quote="USD", rate=Decimal(rate).scaleb(-6))
    assert how_many(eur(price * count * there.rate), money(price, "USD"), (there,)) == count
    assert how_many(eur(price * count), money(price * back.rate, "USD"), (back,)) == count


def test_that_three_disks_are_not_lost_where_one_costs_no_whole_number_of_cents() -> None:
    rate = ExchangeRate(base="EUR", quote="USD", rate=Decimal("1.08"))
    assert how_many(eur(200), money(72, "USD"), (rate,)) == 3
    assert how_many_of(eur(200), [money(72, "USD")] * 5, (rate,)) == 3


@given(st.lists(CENTS, max_size=40), CENTS)
def test_that_of_different_prices_the_cheapest_are_bought_to_the_cent(cents: list[int], purse: int) -> None:
    left, wanted = purse, 0
    for price in sorted(cents):
        if price > left:
            break
        left, wanted = left - price, wanted + 1
    prices = [eur(Decimal(price).scaleb(-2)) for price in cents]
    assert how_many_of(eur(Decimal(purse).scaleb(-2)), prices) == wanted


@given(st.lists(CENTS, min_size=1, max_size=40))
def test_that_sums_are_exact(cents: list[int]) -> None:
    assert total(eur(Decimal(c).scaleb(-2)) for c in cents) == eur(Decimal(sum(cents)).scaleb(-2))


def test_that_a_tenth_and_two_tenths_are_three_tenths() -> None:
    assert eur("0.1") + eur("0.2") == eur("0.3")
    assert eur("50.10") * 10 == eur(501)


def test_that_currencies_do_not_mix_without_a_rate() -> None:
    for one, other in ((eur(1), money(1, "USD")), (eur(1), money(1))):
        with pytest.raises(MixedCurrenciesError):
            _ = one + other
        with pytest.raises(MixedCurrenciesError):
            _ = one < other
        with pytest.raises(MixedCurrenciesError):
            total([one, other])
        with pytest.raises(MixedCurrenciesError):
            how_many(one, other)
    assert money(1) + money(2) == money(3)
    with pytest.raises(UserError, match="1 USD is worth in EUR"):
        total([money(1, "USD")], "EUR")


def test_that_a_sum_is_converted_once_and_rounded_to_cents() -> None:
    assert total([money("10.01", "USD")] * 3 + [eur(1)], "EUR", (DOLLAR,)) == eur("28.63")
    assert converted(eur("9.20"), "USD", (DOLLAR,)) == money(10, "USD")
    assert rates_used([money(1, "USD"), eur(1)], "EUR", (DOLLAR,)) == (DOLLAR,)
    assert rates_used([eur(1)], "EUR", (DOLLAR,)) == ()


@given(st.lists(st.tuples(CENTS, st.booleans()), max_size=20))
def test_that_mixed_sums_agree_with_fractions(cents: list[tuple[int, bool]]) -> None:
    amounts = [money(Decimal(c).scaleb(-2), "USD" if dollars else "EUR") for c, dollars in cents]
    wanted = sum((Fraction(c, 100) * (Fraction(92, 100) if dollars else 1) for c, dollars in cents), Fraction(0))
    assert abs(Fraction(total(amounts, "EUR", (DOLLAR,)).amount) - wanted) <= Fraction(1, 200)


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
    for rate in ("0", "-1", "NaN"):
        with pytest.raises(UserError):
            ExchangeRate(base="USD", quote="EUR", rate=Decimal(rate))
    with pytest.raises(UserError):
        ExchangeRate(base="EUR", quote="EUR", rate=Decimal(1))


def test_that_prices_are_summed_in_their_own_currency_where_the_budgets_has_no_rate() -> None:
    budget = Budget(currency="USD")
    assert budget.sum_of([eur(2), eur(3)]) == eur(5)
    assert budget.sum_of([money(2, "USD"), money(3, "USD")]) == money(5, "USD")
    with pytest.raises(MixedCurrenciesError):
        budget.sum_of([eur(2), money(3, "USD")])


def test_that_a_sum_of_more_digits_than_can_be_kept_is_an_error_and_not_a_rounded_number() -> None:
    with pytest.raises(Inexact):
        eur("1e80") + eur("1e-60")
