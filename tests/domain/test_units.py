"""Sizes as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.errors import UserError
from poolwright.domain.units import binary, decimal, drive_size, parse_size, size_difference


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("6TB", 6 * 10**12),
        ("6 tb", 6 * 10**12),
        ("5.5TiB", 6047313952768),
        ("5,5TiB", 6047313952768),
        ("8K", 8192),
        ("128k", 131072),
        ("1M", 1 << 20),
        ("6 001 175 126 016 bytes", 6001175126016),
        ("6.001.175.126.016", 6001175126016),
        ("1,000.5 kB", 1000500),
        ("100 gigabytes", 10**11),
        ("14,6 TiB", 16052869765529),
        ("512B", 512),
        ("6001175126016", 6001175126016),
        ("1.5GB", 1500000000),
    ],
)
def test_that_a_size_means_what_drive_makers_and_zfs_mean(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text",
    ["", "TB", "-1", "6 XB", "1e3", "0", "9999999PB", "6TB/s", "六TB", "NaN", "1,920 GB", "1.2.3 GB", "1,2,3", "512"],
)
def test_that_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse_size(text)


@given(size=st.integers(64 << 20, (1 << 63) - 1))
def test_that_plain_bytes_are_exact(size: int) -> None:
    assert parse_size(str(size)) == size


def test_that_sizes_are_shown_in_both_units() -> None:
    assert binary(33987955261440) == "30.9 TiB"
    assert decimal(33987955261440) == "34.0 TB"
    assert binary(None) == "unknown"
    assert binary(512) == "512 B"


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (999_400_000, "999 MB"),
        (999_600_000, "1.00 GB"),
        (999_999, "1.00 MB"),
        (99_960_000, "100 MB"),
        (9_999_000_000, "10.0 GB"),
        (999_999_999_999_999_999, "1000 PB"),  # there is no larger unit
        (999, "999 B"),
    ],
)
def test_that_a_number_that_rounds_up_takes_the_next_unit(size: int, text: str) -> None:
    assert decimal(size) == text


def test_that_a_binary_number_that_rounds_up_takes_the_next_unit() -> None:
    assert binary((1 << 30) - (1 << 18)) == "1.00 GiB"
    assert binary((1 << 30) - (1 << 20)) == "1023 MiB"


@pytest.mark.parametrize(
    ("size", "label"),
    [
        (6001175126016, "6 TB"),
        (16000900661248, "16 TB"),
        (960197124096, "960 GB"),
        (500107862016, "500 GB"),
        (1500301910016, "1.5 TB"),
        (250059350016, "250 GB"),
        (30000592982016, "30 TB"),
        (None, "unknown"),
    ],
)
def test_that_a_drive_is_called_what_its_label_says(size: int | None, label: str) -> None:
    assert drive_size(size) == label


def test_that_a_small_difference_is_told_to_the_byte_and_a_large_one_as_disks_are_sold() -> None:
    assert size_difference(1) == "1 byte"
    assert size_difference(999_999_999) == "999,999,999 bytes"
    assert size_difference(2_000_388_096_000) == "2.00 TB"
