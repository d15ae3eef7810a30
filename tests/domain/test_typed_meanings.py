"""Numbers, money and what is told back: each way of writing, each bound, each reason."""

from dataclasses import replace
from decimal import Decimal

import pytest
from tests.cases import cases

from poolwright.capacity.md_raid import MdRaid6
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money, parse_money
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
from poolwright.domain.units import GB, KIB, MB, MIB, TB, number_of
from poolwright.domain.vdev import VdevClass, parse_spec


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("4500 EUR", "4500", "EUR"), ("€ 1200", "1200", "EUR"), ("USD 50", "50", "USD"),
        ("1.200,50 €", "1200.50", "EUR"), ("2,000 USD", "2000", "USD"), ("2.000", "2000", None),
        ("1,200.50", "1200.50", None), ("1'200.50 CHF", "1200.50", "CHF"), ("1’200 CHF", "1200", "CHF"),
        ("1 200,50", "1200.50", None), ("1.200.000", "1200000", None), ("1,200,000", "1200000", None),
        (".50", "0.50", None),
        ("0,5", "0.5", None), ("1200,-", "1200", None), ("1200,--", "1200", None), ("289.90", "289.90", None),
        ("0.123", "0.123", None), ("1234.567", "1234.567", None), ("0", "0", None), ("9" * 15, "9" * 15, None),
        ("1.123456", "1.123456", None), ("1\u202f200 EUR", "1200", "EUR"),
    ],
)  # fmt: skip
def test_that_an_amount_is_read_however_it_is_written(text: str, amount: str, currency: str | None) -> None:
    assert parse_money(text) == Money(amount=Decimal(amount), currency=currency)
    assert parse_money(text, currency="CHF").currency == (currency or "CHF")


@pytest.mark.parametrize(("text", "words", "todo"), cases(__file__, "amounts"))
def test_that_an_amount_that_may_be_two_or_is_none_is_told(text: str, words: str, todo: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_money(text)
    assert words in refused.value.what
    assert (refused.value.todo or "").startswith(todo)


def test_that_zero_is_an_amount_only_where_it_may_be() -> None:
    assert parse_money("0 EUR").amount == 0
    with pytest.raises(UserError, match="“0 EUR” is out of range"):
        parse_money("0 EUR", positive=True, currency="USD")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5", "1.5"), ("1,5", "1.5"), ("6,001,175,126,016", "6001175126016"), ("6.001.175,5", "6001175.5"),
        ("4 960 000", "4960000"), ("0,192", "0.192"), ("1920,125", "1920.125"), ("16.0001", "16.0001"),
        ("0.500", "0.500"),
        ("16.125", "16.125"), ("1" * 40, "1" * 40), ("1'000'000.5", "1000000.5"),
    ],
)  # fmt: skip
def test_that_a_number_is_read_with_either_decimal_sign(text: str, number: str) -> None:
    assert number_of(text) == Decimal(number)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("16.000", "“16.000” can be 16000 or 16"), ("16.500", "“16.500” can be 16500 or 16.5"),
        ("1,920", "“1,920” can be 1920 or 1.92"), ("1" * 41, "has too many digits"), ("1.2.3", "is not understood"),
        ("1,2,3.4", "is not understood"), ("12.34,56", "is not understood"),
    ],
)  # fmt: skip
def test_that_a_number_that_may_be_two_is_refused(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        number_of(text)


def test_that_times_growth_and_chances_are_told_with_what_people_use() -> None:
    assert [hours_read(hours) for hours in (0.5, 1, 47.9, 48, 72)] == [
        "30 min", "1 h", "47.9 h", "48 h = 2 d", "72 h = 3 d",
    ]  # fmt: skip
    assert [growth_read(percent) for percent in (0, -1, 100, 20)] == [
        "no growth", "no growth", "100 % a year: twice as much in 1.0 years", "20 % a year: twice as much in 3.8 years",
    ]  # fmt: skip
    assert [chance_read(chance) for chance in (0, 0.01, 0.099, 0.1)] == [
        "0 % a year", "1 % a year: 1 in 100", "9.9 % a year: 1 in 10", "10 % a year",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("size", "told"),
    [
        (1023, "1,023 bytes"),
        (1024, "1.00 KiB = 1,024 bytes"),
        (MIB - 1, "1.00 MiB = 1,048,575 bytes"),
        (MIB, "1.05 MB = 1.00 MiB"),
        (TB, "1.00 TB = 931 GiB"),
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
        (124_999, "1000 kbit/s = 125 KB/s"),
        (7e3, "56 kbit/s = 7.00 KB/s"),
    ],
)
def test_that_a_link_is_told_in_bits_and_bytes(rate: float, told: str) -> None:
    assert link_read(rate).replace("kB", "KB") == told


def test_that_rates_are_told_both_ways() -> None:
    assert rate_read(800 * MB) == "800 MB/s = 763 MiB/s"


def disks(count: int, start: int = 0) -> tuple[Disk, ...]:
    return tuple(Disk(key=f"d{start + n}", size_bytes=TB) for n in range(count))


def test_that_a_raid_6_is_told_in_words_and_has_its_twin() -> None:
    one = MdRaid6(name="m", device_name="tank", arrays=(disks(8),))
    assert (one.words, one.chunk_bytes) == ("RAID 6 of 8", 512 * KIB)
    spared = replace(one, spares=disks(1, 50))
    assert spared.words == "RAID 6 of 8, 1 spare"
    two = replace(one, arrays=(disks(8), disks(10, 10)), spares=disks(4, 50))
    assert two.words == "2 × RAID 6 of 10/8, striped, 4 spares"
    assert [d.key for d in two.disks] == [d.key for d in (*disks(8), *disks(10, 10), *disks(4, 50))]
    assert [(spec.word, spec.width, spec.vdev_class) for spec in two.as_raidz2()] == [
        ("raidz2", 8, VdevClass.DATA), ("raidz2", 10, VdevClass.DATA), ("stripe", 4, VdevClass.SPARE),
    ]  # fmt: skip
    assert len(one.as_raidz2()) == 1
