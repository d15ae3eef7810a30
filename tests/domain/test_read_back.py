"""What was understood is told in other units than people are likely to have used."""

import pytest

from poolwright.domain.rates import drive_read, link_read, members_read, rate_read, size_read
from poolwright.domain.units import GB, MB, MIB, TB
from poolwright.domain.vdev import parse_spec


@pytest.mark.parametrize(
    ("size", "told"),
    [(1023, "1,023 bytes"), (1024, "1.00 KiB = 1,024 bytes"), (MIB, "1.05 MB = 1.00 MiB"), (TB, "1.00 TB = 931 GiB")],
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
