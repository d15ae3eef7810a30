"""What people type into the fields of workload and budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.design.amounts import rate_text, size_text
from poolwright.domain.errors import UserError
from poolwright.domain.rates import parse_link_rate
from poolwright.domain.units import parse_size


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("10 Gbit/s", 1_250_000_000),
        ("10GbE", 1_250_000_000),
        ("2.5 GbE", 312_500_000),
        ("1Gb/s", 125_000_000),
        ("10G", 1_250_000_000),
        ("10gbps", 1_250_000_000),
        ("25 GBASE-T", 3_125_000_000),
        ("1 Gbit", 125_000_000),
        ("100 Mbps", 12_500_000),
        ("110 MB/s", 110_000_000),
        ("100 MiB/s", 104_857_600),
    ],
)
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


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (1_250_000_000, "10 Gbit/s"),
        (312_500_000, "2.5 Gbit/s"),
        (187_500_000, "1.5 Gbit/s"),
        (12_500_000, "100 Mbit/s"),
        (62_500, "500 kbit/s"),
        (1, "8 bit/s"),
        (125_000_000_001, "1000000000008 bit/s"),
    ],
)
def test_that_a_rate_of_a_network_is_told_in_the_largest_unit_that_is_exact(rate: int, text: str) -> None:
    assert rate_text(rate) == text
