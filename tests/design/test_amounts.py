"""What people type into the fields of workload and budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from poolwright.design.amounts import rate_text, size_text
from poolwright.domain.errors import UserError
from poolwright.domain.rates import parse_link_rate
from poolwright.domain.units import parse_size


@pytest.mark.parametrize(("text", "rate"), cases(__file__, "rates"))
def test_that_a_rate_is_read_in_bits_or_bytes(text: str, rate: int) -> None:
    assert parse_link_rate(text) == rate


@pytest.mark.parametrize("text", ["", "10", "1000", "fast", "-1 Gbit/s", "0 Gbit/s", "10 gb/s", "1e9 GB/s"])
def test_that_a_rate_without_unit_or_sense_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse_link_rate(text)


@given(st.integers(1, 1 << 62))
def test_that_a_size_is_read_back_as_it_was_shown(size: int) -> None:
    assert parse_size(size_text(size)) == size


@given(st.integers(1, 10**13))
def test_that_a_rate_is_read_back_as_it_was_shown(rate: int) -> None:
    assert parse_link_rate(rate_text(rate)) == rate


@pytest.mark.parametrize(("rate", "text"), cases(__file__, "told"))
def test_that_a_rate_of_a_network_is_told_in_the_largest_unit_that_is_exact(rate: int, text: str) -> None:
    assert rate_text(rate) == text
