"""Exact money: sums, what is shown, what people type for it; nothing converted."""

from decimal import Decimal, Inexact

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.errors import UserError
from poolwright.domain.money import Money, money, money_typed, parse_currency, parse_money, total
from poolwright.shipped import shipped

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


def test_that_a_sum_of_more_digits_than_can_be_kept_is_an_error_and_not_a_rounded_number() -> None:
    with pytest.raises(Inexact):
        eur("1e80") + eur("1e-60")


def test_that_a_sign_of_several_currencies_follows_the_one_that_is_reckoned_in() -> None:
    assert parse_money("$5", currency="CAD").currency == "CAD"
    assert parse_money("$5", currency="EUR").currency == "USD"
    assert parse_money("5 kr", currency="SEK").currency == "SEK"
    assert parse_money("5", currency="EUR").currency == "EUR"
    assert parse_money("5 USD", currency="EUR").currency == "USD"
    with pytest.raises(UserError, match="SEK, NOK, DKK or ISK"):
        parse_money("5 kr")


@given(
    st.integers(min_value=0, max_value=10**15 - 1),
    st.integers(min_value=0, max_value=6),
    st.sampled_from([None, *sorted(shipped("currencies")["places"])]),
)
def test_that_what_is_written_for_a_field_is_read_back(number: int, places: int, currency: str | None) -> None:
    amount = money(Decimal(number).scaleb(-places), currency)
    assert parse_money(money_typed(amount)) == amount


@given(st.integers(min_value=0, max_value=10**14), st.sampled_from(["EUR", "USD", "JPY", None]))
def test_that_what_is_shown_is_read_back_unless_it_may_mean_two(cents: int, currency: str | None) -> None:
    amount = money(Decimal(cents).scaleb(-2), currency)
    if currency == "JPY" and 1000 <= amount.amount < 10**6 and cents % 100 == 0:
        with pytest.raises(UserError, match="can be"):
            parse_money(str(amount))
    else:
        assert parse_money(str(amount)) == amount


def test_that_currencies_are_known_by_code_and_sign() -> None:
    assert parse_currency(" eur ") == "EUR"
    assert parse_currency("€") == "EUR"
    assert parse_currency("") is None
    for bad in ("gold", "kr", "EURO€", "X" * 9000):
        with pytest.raises(UserError):
            parse_currency(bad)
