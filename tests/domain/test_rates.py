"""Rates as people write them: what a unit means, what lacks one, what no disk or network has."""

import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.rates import parse_disk_rate, parse_link_rate
from poolwright.domain.units import MIB


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("10G", 1.25e9),
        ("10GbE", 1.25e9),
        ("25GBASE-T", 3.125e9),
        ("2.5 Gethernet", 312.5e6),
        ("100Mbe", 12.5e6),
        ("10 Gbit/s", 1.25e9),
        ("10Gbps", 1.25e9),
        ("1.25 GB/s", 1.25e9),
        ("1 GiB/s", 1 << 30),
        ("8 bits/s", 1),
        ("400G", 50e9),
    ],
)
def test_that_a_link_is_read_in_bits_or_bytes(text: str, rate: float) -> None:
    assert parse_link_rate(text) == rate


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("180 MB/s", 180e6),
        ("180MB", 180e6),
        ("180M", 180 * MIB),
        ("1.2GiB/s", 1.2 * (1 << 30)),
        ("2 TB/s", 2e12),
        ("12 Gbit/s", 1.5e9),
        ("6Gb/s", 750e6),
        ("10000000", 1e7),
        ("1.5e8", 1.5e8),
        ("200000000 bytes/sec", 2e8),
        ("100 kB/s", 1e5),
        ("1000 TB/s", 1e15),
    ],
)
def test_that_a_disk_rate_is_read_as_iostat_and_people_write_it(text: str, rate: float) -> None:
    assert parse_disk_rate(text) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("9999999", "no unit"),
        ("99 kB/s", "out of range"),
        ("1001 TB/s", "out of range"),
        ("180 mb/s", "bytes or bits"),
        ("180 knots", "not a unit"),
        ("quick", "is not a rate"),
    ],
)
def test_that_a_disk_rate_that_cannot_be_or_may_be_two_is_refused(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        parse_disk_rate(text)


@pytest.mark.parametrize(("text", "offers"), [("400", "Gbit/s"), ("401", "Mbit/s")])
def test_that_a_bare_link_speed_asks_for_the_unit_that_fits_its_number(text: str, offers: str) -> None:
    with pytest.raises(UserError, match="no unit") as refused:
        parse_link_rate(text)
    assert f"{text} {offers}" in (refused.value.todo or "")
