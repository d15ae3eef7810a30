"""Sizes as people write them."""

import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.units import parse_size, size_difference


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
