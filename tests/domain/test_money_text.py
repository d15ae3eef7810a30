"""What people type for money."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.errors import UserError
from poolwright.domain.money import CURRENCIES, money, money_typed, parse_currency, parse_money


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
    st.sampled_from([None, *sorted(CURRENCIES)]),
)
def test_that_what_is_written_for_a_field_is_read_back(number: int, places: int, currency: str | None) -> None:
    amount = money(Decimal(number).scaleb(-places), currency)
    assert parse_money(money_typed(amount)) == amount


@given(st.integers(min_value=0, max_value=10**14), st.sampled_from(["EUR", "USD", "JPY", None]))
def test_that_what_is_shown_is_read_back_unless_it_may_mean_two(cents: int, currency: str | None) -> None:
    amount = money(Decimal(cents).scaleb(-2), currency)
    if currency == "JPY" and 1000 <= amount.amount < 10**6 and cents % 100 == 0:
        with pytest.raises(UserError, match="may be"):
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
