"""Disks typed by hand, and the bytes behind the labels drive makers print."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.disk import Disk, Media
from poolwright.domain.units import label_bytes
from poolwright.machine.typed.read import read_typed


def typed(*specs: str) -> tuple[Disk, ...]:
    return read_typed(specs).disks


@pytest.mark.parametrize(
    ("label", "size"),
    [
        (250, 250059350016), (500, 500107862016), (960, 960197124096), (2000, 2000398934016), (3840, 3840755982336),
        (6000, 6001175126016), (8000, 8001563222016), (10000, 10000831348736), (12000, 12000138625024),
        (14000, 14000519643136), (16000, 16000900661248), (18000, 18000207937536),
    ],
)  # fmt: skip
def test_that_labels_mean_the_bytes_real_drives_have(label: int, size: int) -> None:
    assert label_bytes(label) == size


@given(st.integers(min_value=80, max_value=100_000))
def test_that_a_drive_is_never_smaller_than_its_label(gigabytes: int) -> None:
    size = label_bytes(gigabytes)
    assert size >= gigabytes * 10**9
    assert size % 512 == 0


def test_that_a_size_of_both_media_is_what_the_disks_beside_it_are() -> None:
    def media(text: str) -> list[Media | None]:
        return [disk.media for disk in typed(text)]

    assert media("1 x 120GB, 1 x 250GB, 1 x 500GB") == [Media.HDD] * 3
    assert media("1 x 120GB, 1 x 480GB") == [Media.SSD] * 2
    assert media("1 x 1TB, 1 x 120GB, 1 x 480GB") == [Media.HDD, Media.SSD, Media.SSD]
    # What is said of other disks says nothing of these.
    assert media("1 x 4TB hdd, 1 x 120GB") == [Media.HDD, Media.SSD]
