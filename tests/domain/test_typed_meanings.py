"""Numbers, money and what is told back: each way of writing, each bound, each reason."""

from dataclasses import replace
from decimal import Decimal

import pytest

from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.md_raid import MdRaid6
from poolwright.domain.money import Money, money, money_typed, number_typed, parse_money
from poolwright.domain.rates import chance_read, growth_read, hours_read, link_read, size_read
from poolwright.domain.units import KIB, MIB, TB, number_of, shortened, split_number, with_article
from poolwright.domain.vdev import VdevClass


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("4500 EUR", "4500", "EUR"), ("€ 1200", "1200", "EUR"), ("USD 50", "50", "USD"),
        ("1.200,50 €", "1200.50", "EUR"),
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


@pytest.mark.parametrize(
    ("text", "words", "todo"),
    [
        ("1.200", "“1.200” may be 1200 or 1.200", "Write 1200, or 1.2000 with another digit."),
        ("1,200", "“1,200” may be 1200 or 1.200", "Write 1200, or 1.2000 with another digit."),
        ("5k", "“5k” may be 5000", "Write 5000 if that is meant."),
        ("5 m", "“5 m” may be 5000000", "Write 5000000 if that is meant."),
        ("-5", "The amount of money “-5” has a sign", "Write it without plus or minus: 0 or more."),
        ("– 5", "has a sign", "Write it without plus or minus: 0 or more."),
        ("EUR 5 USD", "“EUR 5 USD” names two currencies", "Write a number such as 4500 or 289.90,"),
        ("much", "“much” is not an amount of money", "Write a number such as 4500"),
        ("", "“” is not an amount of money", "Write a number such as 4500"),
        ("1.2.3", "is not an amount", "Write a number"),
        ("1.20.000", "is not an amount", "Write a number"),
        ("1'20", "is not an amount", "Write a number"),
        ("12 3", "is not an amount", "Write a number"),
        ("1" * 16, "has too many digits for an amount of money", "Write a number"),
        ("1.1234567", "has too many digits for an amount of money", "Write a number"),
        ("1" * 81, f"“{'1' * 20}…” is too long for an amount of money", "Write a number"),
    ],
)  # fmt: skip
def test_that_an_amount_that_may_be_two_or_is_none_is_told(text: str, words: str, todo: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_money(text)
    assert words in refused.value.what
    assert (refused.value.todo or "").startswith(todo)


def test_that_zero_is_an_amount_only_where_it_may_be() -> None:
    assert parse_money("0 EUR").amount == 0
    with pytest.raises(UserError, match="The price must be more than 0") as refused:
        parse_money("0 EUR", what="price", positive=True, currency="USD")
    assert (refused.value.where, refused.value.todo) == (
        "0 EUR", "Write a number such as 4500 or 289.90, with its currency: 4500 USD.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("amount", "typed", "number"),
    [
        (money("1200", "EUR"), "1200 EUR", "1200.00"), (money("50.10"), "50.10", "50.10"),
        (money("1.234"), "1.2340", "1.2340"),
        (money("1234.567"), "1234.567", "1234.567"), (money("0.123"), "0.123", "0.123"),
        (money("1200", "JPY"), "1200 JPY", "1200"),
    ],
)  # fmt: skip
def test_that_what_is_typed_back_is_read_as_the_same(amount: Money, typed: str, number: str) -> None:
    assert (money_typed(amount), number_typed(amount)) == (typed, number)
    assert parse_money(typed) == amount


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
        ("1,920", "“1,920” can be 1920 or 1.92"), ("1" * 41, "has too many digits"), ("1.2.3", "is not a number"),
        ("1,2,3.4", "is not a number"), ("12.34,56", "is not a number"),
    ],
)  # fmt: skip
def test_that_a_number_that_may_be_two_is_refused(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        number_of(text)


def test_that_a_number_is_split_from_its_unit_and_long_text_shortened() -> None:
    assert split_number(" 5,5 TB ") == ("5,5", "TB")
    assert split_number("4 960 000 B") == ("4 960 000", "B")
    assert split_number("4 960") == ("4", "960")
    assert split_number("TB") == ("", "TB")
    assert (shortened(" " + "a" * 40), shortened("a" * 41)) == (f"“{'a' * 40}”", f"“{'a' * 39}…”")
    assert [with_article(noun) for noun in ("amount", "size", "Inch", "unit")] == [
        "an amount",
        "a size",
        "an Inch",
        "a unit",
    ]


def test_that_times_growth_and_chances_are_told_with_what_people_use() -> None:
    assert [hours_read(hours) for hours in (0.5, 1, 47.9, 48, 72)] == [
        "30 minutes", "1 hours", "47.9 hours", "48 hours = 2 days", "72 hours = 3 days",
    ]  # fmt: skip
    assert [growth_read(percent) for percent in (0, -1, 100, 20)] == [
        "no growth", "no growth", "100 % a year: twice as much in 1.0 years", "20 % a year: twice as much in 3.8 years",
    ]  # fmt: skip
    assert [chance_read(chance) for chance in (0, 0.01, 0.099, 0.1)] == [
        "0 % a year", "1 % a year: 1 in 100", "9.9 % a year: 1 in 10", "10 % a year",
    ]  # fmt: skip
    assert [size_read(size) for size in (1023, MIB - 1, MIB)] == [
        "1,023 bytes", "1.00 MiB = 1,048,575 bytes", "1.05 MB = 1.00 MiB",
    ]  # fmt: skip
    assert link_read(124_999) == "1000 kbit/s = 125 kB/s"


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
    assert [(spec.word, spec.width, spec.vdev_class) for spec in two.twin_layout()] == [
        ("raidz2", 8, VdevClass.DATA), ("raidz2", 10, VdevClass.DATA), ("stripe", 4, VdevClass.SPARE),
    ]  # fmt: skip
    assert len(one.twin_layout()) == 1
