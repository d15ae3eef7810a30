"""What was understood is told in other units than people are likely to have used."""

import pytest

from poolwright.domain.rates import (
    chance_read,
    drive_read,
    growth_read,
    hours_read,
    link_read,
    members_read,
    rate_read,
    size_read,
)
from poolwright.domain.units import GB, MB, MIB, TB
from poolwright.domain.vdev import parse_spec


@pytest.mark.parametrize(
    ("size", "told"),
    [
        (1023, "1,023 bytes"),
        (1024, "1.00 KiB = 1,024 bytes"),
        (MIB, "1.05 MB = 1.00 MiB"),
        (100 * GB, "100 GB = 93.1 GiB"),
    ],
)
def test_that_an_amount_is_told_both_ways(size: int, told: str) -> None:
    assert size_read(size) == told


def test_that_a_disk_is_told_as_it_is_sold_with_its_bytes() -> None:
    assert drive_read(6001175126016) == "a disk of 6 TB: 6,001,175,126,016 bytes, 5.46 TiB"
    assert drive_read(GB).startswith("a disk of 1 GB: 1,000,000,000 bytes")
    assert drive_read(100 * MB).startswith("a disk of 100 MB: 100,000,000 bytes")


def test_that_members_are_told_by_size_once_each_and_not_too_many() -> None:
    told = members_read(tuple(parse_spec(f"mirror:2x{size}TB", exact=True) for size in (1, 2, 2, 3, 4)))
    assert told.startswith("members of 1 TB (1,000,000,000,000 bytes), 2 TB")
    assert told.endswith("4 TB (4,000,000,000,000 bytes)")
    more = members_read(tuple(parse_spec(f"mirror:2x{size}TB", exact=True) for size in (1, 2, 3, 4, 5, 6)))
    assert more.endswith("4 TB (4,000,000,000,000 bytes), 2 other sizes")


@pytest.mark.parametrize(
    ("rate", "told"),
    [
        (1.25e9, "10 Gbit/s = 1.25 GB/s"),
        (125e6, "1 Gbit/s = 125 MB/s"),
        (12.5e6, "100 Mbit/s = 12.5 MB/s"),
        (125e3, "1 Mbit/s = 125 KB/s"),
        (7e3, "56 kbit/s = 7.00 KB/s"),
    ],
)
def test_that_a_link_is_told_in_bits_and_bytes(rate: float, told: str) -> None:
    assert link_read(rate).replace("kB", "KB") == told


def test_that_rates_are_told_both_ways() -> None:
    assert rate_read(800 * MB) == "800 MB/s = 763 MiB/s"


@pytest.mark.parametrize(
    ("percent", "told"),
    [(0, "no growth"), (-3, "no growth"), (100, "100 % a year: twice as much in 1.0 years"),
     (20, "20 % a year: twice as much in 3.8 years")],
)  # fmt: skip
def test_that_growth_is_told_by_when_there_is_twice_as_much(percent: float, told: str) -> None:
    assert growth_read(percent) == told


@pytest.mark.parametrize(
    ("chance", "told"),
    [
        (0.0, "0 % a year"),
        (0.02, "2 % a year: 1 in 50"),
        (0.1, "10 % a year"),
        (1e-6, "0.0001 % a year: 1 in 1,000,000"),
    ],
)
def test_that_a_chance_is_told_in_per_cent_and_where_small_as_odds(chance: float, told: str) -> None:
    assert chance_read(chance) == told


@pytest.mark.parametrize(
    ("hours", "told"),
    [
        (0.5, "30 minutes"),
        (1, "1 hours"),
        (47.5, "47.5 hours"),
        (48, "48 hours = 2 days"),
        (100, "100 hours = 4.17 days"),
    ],
)
def test_that_long_times_are_told_in_days_too(hours: float, told: str) -> None:
    assert hours_read(hours) == told


def test_that_a_terabyte_is_no_tebibyte() -> None:
    assert size_read(TB) == "1.00 TB = 931 GiB"
