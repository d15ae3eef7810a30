"""What small parts of the domain hand on: every field, every bound of a size, every comparison of money."""

from dataclasses import fields
from fractions import Fraction

import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.money import ask_one_currency, how_many, how_many_of, money, rounded, total
from poolwright.domain.units import (
    GB,
    GIB,
    MIB,
    TB,
    binary,
    decimal,
    drive_size,
    drive_text,
    is_disk_unit,
    label_bytes,
    parse_drive_size,
    parse_record_size,
    parse_size,
    size_difference,
    written_bytes,
)
from poolwright.domain.workload import Budget, Goal, Workload

OF_MONEY = {"money", "price_per_disk", "price_on", "currency", "ram_bytes", "ups"}


def test_that_a_budget_takes_over_all_that_is_said_of_money_and_machine_and_nothing_else() -> None:
    mine = Budget(
        least_usable_bytes=TB, survive=1, spares=2, bays=3, money=money(1, "EUR"), price_per_disk=money(2, "EUR"),
        price_on="2026-01-01", currency="EUR", ram_bytes=GIB, ups=False, import_on="2.1",
        most_yearly_loss=0.1, most_rebuild_hours=5.0, least_read_bytes_per_second=6, least_write_bytes_per_second=7,
        buy_most=8,
    )  # fmt: skip
    other = Budget(
        money=money(9, "USD"), price_per_disk=money(10, "USD"), price_on="2026-02-02", currency="USD",
        ram_bytes=2 * GIB, ups=True,
    )  # fmt: skip
    both = mine.with_money_of(other)
    for name in (field.name for field in fields(Budget)):
        assert getattr(both, name) == getattr(other if name in OF_MONEY else mine, name), name


def test_that_zero_is_no_wish_where_nobody_can_mean_it() -> None:
    wishes = ("ram_bytes", "least_usable_bytes", "least_read_bytes_per_second", "least_write_bytes_per_second")
    empty = Budget(**dict.fromkeys((*wishes, "survive", "bays", "buy_most"), 0))  # type: ignore[arg-type]
    assert [getattr(empty, name) for name in wishes] == [None] * 4
    assert (empty.survive, empty.bays, empty.buy_most) == (0, 0, 0)
    sizes = ("io_size_bytes", "clients", "typical_file_bytes", "duplicate_factor", "network_bytes_per_second")
    nothing = Workload(goal=Goal.SAFETY, **dict.fromkeys((*sizes, "read_percent"), 0))  # type: ignore[arg-type]
    assert [getattr(nothing, name) for name in (*sizes, "read_percent")] == [None] * 5 + [0]


def test_that_sums_are_told_in_the_currency_that_was_chosen_or_that_the_amounts_have() -> None:
    assert Budget().reckoned_in is None
    assert Budget(price_per_disk=money(1, "USD")).reckoned_in == "USD"
    assert Budget(money=money(1, "EUR"), price_per_disk=money(1, "USD")).reckoned_in == "EUR"
    assert Budget(money=money(1), price_per_disk=money(1, "USD")).reckoned_in == "USD"
    assert Budget(money=money(1, "EUR"), currency="CHF").reckoned_in == "CHF"
    assert Budget(currency="CHF").sum_of([money(1, "EUR"), money(2, "EUR")]) == money(3, "EUR")
    with pytest.raises(UserError, match="do not add up"):
        Budget(currency="CHF").sum_of([money(1, "EUR"), money(2, "USD")])


def test_that_a_sum_of_nothing_is_nothing_and_a_missing_currency_is_asked_for() -> None:
    assert (total([]), total([], "EUR")) == (money(0), money(0, "EUR"))
    usd, chf = "such as 100 USD.", "such as 100 CHF."
    asked = {(None, None): "such as 100 EUR.", ("USD", None): usd, (None, "CHF"): chf, ("USD", "CHF"): "one currency."}
    assert all(ask_one_currency(*pair).endswith(told) for pair, told in asked.items())


def test_that_amounts_compare_and_add_up_only_with_their_like() -> None:
    one, same, two = money("1.00", "EUR"), money(1, "EUR"), money(2, "EUR")
    assert (one < two, one < same, two < one) == (True, False, False)
    assert (one <= two, one <= same, two <= one) == (True, True, False)
    assert (one > two, one > same, two > one) == (False, False, True)
    assert (one >= two, one >= same, two >= one) == (False, True, True)
    assert (two + one, two - one, two * 3) == (money(3, "EUR"), same, money(6, "EUR"))
    for other in (money(1, "USD"), money(1)):
        for compared in (one.__lt__, one.__le__, one.__gt__, one.__ge__, one.__add__, one.__sub__):
            with pytest.raises(UserError, match="do not add up"):
                compared(other)


def test_that_a_purse_buys_what_it_pays_to_the_last_cent() -> None:
    purse = money(100, "EUR")
    assert how_many(purse, money("33.33", "EUR")) == 3
    assert how_many(purse, money("33.34", "EUR")) == 2
    assert how_many(purse, money(100, "EUR")) == 1
    assert how_many(purse, money(0, "EUR")) is None
    assert how_many(money(-1, "EUR"), money(1, "EUR")) == 0
    assert how_many_of(purse, [money(60, "EUR"), money(40, "EUR"), money("0.01", "EUR")]) == 2
    assert how_many_of(purse, [money(60, "EUR"), money(40, "EUR")]) == 2
    # Half a cent is rounded up.
    assert rounded(Fraction("1.005"), "EUR") == money("1.01", "EUR")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("6TB", 6 * 10**12), ("6 tb", 6 * 10**12), ("5.5TiB", 6047313952768), ("5,5TiB", 6047313952768), ("8K", 8192),
        ("128k", 131072), ("1M", 1 << 20), ("6 001 175 126 016 bytes", 6001175126016),
        ("6.001.175.126.016", 6001175126016), ("1,000.5 kB", 1000500), ("100 gigabytes", 10**11),
        ("14,6 TiB", 16052869765529), ("512B", 512), ("6001175126016", 6001175126016), ("1.5GB", 1500000000),
    ],
)  # fmt: skip
def test_that_a_size_means_what_drive_makers_and_zfs_mean(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text",
    ["", "TB", "-1", "6 XB", "1e3", "0", "9999999PB", "6TB/s", "六TB", "NaN", "1,920 GB", "1.2.3 GB", "1,2,3", "512"],
)
def test_that_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse_size(text)


def test_that_a_small_difference_is_told_to_the_byte_and_a_large_one_as_disks_are_sold() -> None:
    assert size_difference(1) == "1 byte"
    assert size_difference(999_999_999) == "999,999,999 bytes"
    assert size_difference(2_000_388_096_000) == "2.00 TB"


# IDEMA LBA1-03 and SFF-8447, and what is printed on drives of these sizes (sectors of 512 bytes).
@pytest.mark.parametrize(
    ("gigabytes", "size"),
    [
        (79, 79 * GB), (80, 156301488 * 512), (500, 976773168 * 512), (1000, 1953525168 * 512),
        (4000, 7814037168 * 512), (8000, 15628053168 * 512), (8001, 7452 << 30), (10000, 9314 << 30),
        (12000, 11176 << 30), (16000, 14902 << 30), (18000, 16764 << 30),
    ],
)  # fmt: skip
def test_that_a_label_stands_for_the_bytes_that_drives_have(gigabytes: int, size: int) -> None:
    assert label_bytes(gigabytes) == size
    assert parse_drive_size(f"{gigabytes}GB") == size
    assert parse_drive_size(drive_text(size)) == size


@pytest.mark.parametrize(
    ("size", "in_1024s", "in_1000s", "label"),
    [
        (None, "unknown", "unknown", "unknown"), (0, "0 B", "0 B", "0 B"), (999, "999 B", "999 B", "999 B"),
        (1000, "1000 B", "1.00 kB", "1000 B"), (1023, "1023 B", "1.02 kB", "1023 B"),
        (1024, "1.00 KiB", "1.02 kB", "1024 B"),
        (999_499, "976 KiB", "999 kB", "1 MB"), (999_500, "976 KiB", "1.00 MB", "1 MB"),
        (1_048_100, "1.00 MiB", "1.05 MB", "1 MB"), (9_994_000, "9.53 MiB", "9.99 MB", "10 MB"),
        (9_996_000, "9.53 MiB", "10.0 MB", "10 MB"),
        (6001175126016, "5.46 TiB", "6.00 TB", "6 TB"), (960197124096, "894 GiB", "960 GB", "960 GB"),
        (99_960_000_000, "93.1 GiB", "100 GB", "100 GB"), (5 * 10**18, "4441 PiB", "5000 PB", "5000 PB"),
    ],
)  # fmt: skip
def test_that_a_size_has_three_digits_and_the_unit_that_fits(
    size: int | None, in_1024s: str, in_1000s: str, label: str
) -> None:
    assert (binary(size), decimal(size), drive_size(size)) == (in_1024s, in_1000s, label)


@pytest.mark.parametrize(("size", "text"), [(32 * MIB, "33554432"), (32 * MIB - 1, "33554431B"), (1, "1B")])
def test_that_a_written_size_is_read_back_by_every_parser(size: int, text: str) -> None:
    assert written_bytes(size) == text
    assert parse_size(text) == parse_drive_size(text) == size


@pytest.mark.parametrize(
    ("text", "offer"),
    [("60", "Write 60 TB, 60 TiB or 60 GB"), ("61", "Write 61 GB or 61 GiB"), ("33554431", "Write 33554431 GB or")],
)
def test_that_a_bare_number_is_asked_for_its_unit(text: str, offer: str) -> None:
    with pytest.raises(UserError, match="has no unit") as refused:
        parse_drive_size(text)
    assert str(refused.value.todo).startswith(offer)
    with pytest.raises(UserError, match="has no unit"):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "good"), [("0.4B", False), ("1B", True), ("9223372036854775807", True), ("8EiB", False), ("0TB", False)]
)
def test_that_sizes_lie_between_a_byte_and_8_eib(text: str, good: bool) -> None:
    if good:
        assert 0 < parse_size(text) < 1 << 63
    else:
        with pytest.raises(UserError, match="out of range"):
            parse_size(text)


@pytest.mark.parametrize(
    ("text", "good"), [("512", True), ("16M", True), ("32M", False), ("1000B", False), ("256B", False), ("128K", True)]
)
def test_that_a_record_is_a_power_of_two_up_to_16_mib(text: str, good: bool) -> None:
    if good:
        assert parse_record_size(text) > 0
    else:
        with pytest.raises(UserError, match="not possible"):
            parse_record_size(text)


def test_that_disks_are_written_in_no_kilobytes_and_a_lone_e_is_none() -> None:
    words = ("TB", "tib", "GB", "B", "kB", "KiB", "k", "e", "EB", "apples")
    assert [word for word in words if is_disk_unit(word)] == ["TB", "tib", "GB", "B", "EB"]
