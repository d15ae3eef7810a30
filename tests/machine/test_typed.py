"""Disks typed by hand, and the bytes behind the labels drive makers print."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError
from poolwright.domain.origin import OriginKind
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


@pytest.mark.parametrize("text", ["12 x 16TB", "12x16TB", "12×16 TB", "12*16tb", "12X16TB CMR SATA"])
def test_that_count_and_size_are_read_in_any_spelling(text: str) -> None:
    disks = typed(text)
    assert len(disks) == 12
    assert {d.size_bytes for d in disks} == {16000900661248}
    assert all(d.planned and not d.in_use for d in disks)
    assert len({d.key for d in disks}) == 12


def test_that_every_word_counts() -> None:
    (disk, *_) = typed("12x16TB CMR SATA 7200rpm 4kn")
    assert (disk.smr, disk.transport, disk.rotation_rpm) == (False, "sata", 7200)
    assert (disk.logical_sector_bytes, disk.physical_sector_bytes) == (4096, 4096)


def test_that_a_large_disk_is_assumed_to_be_a_512e_hard_disk_and_says_so() -> None:
    inventory = read_typed(["4 x 6TB"])
    disk = inventory.disks[0]
    assert (disk.media, disk.logical_sector_bytes, disk.physical_sector_bytes) == (Media.HDD, 512, 4096)
    origin = disk.origin_of("physical_sector_bytes")
    assert origin is not None
    assert origin.kind is OriginKind.ASSUMED
    assert "512e" in disk.notes[0].text
    assert "512e" in inventory.notes[0].text


def test_that_flash_is_recognised_by_word_or_by_its_size() -> None:
    assert [d.media for d in typed("2 x 960GB nvme", "1x4TB ssd", "1x1.92TB")] == [
        Media.NVME, Media.NVME, Media.SSD, Media.SSD,
    ]  # fmt: skip


def test_that_a_size_of_both_media_is_what_the_disks_beside_it_are() -> None:
    def media(text: str) -> list[Media | None]:
        return [disk.media for disk in typed(text)]

    assert media("1 x 120GB, 1 x 250GB, 1 x 500GB") == [Media.HDD] * 3
    assert media("1 x 120GB, 1 x 480GB") == [Media.SSD] * 2
    assert media("1 x 1TB, 1 x 120GB, 1 x 480GB") == [Media.HDD, Media.SSD, Media.SSD]
    # What is said of other disks says nothing of these.
    assert media("1 x 4TB hdd, 1 x 120GB") == [Media.HDD, Media.SSD]


def test_that_exact_bytes_and_binary_sizes_are_taken_as_given() -> None:
    assert typed("2x6001175126016")[0].size_bytes == 6001175126016
    assert typed("5.5TiB")[0].size_bytes == int(5.5 * 2**40)
    assert typed("2x32GB")[0].size_bytes == 32 * 10**9


def test_that_several_groups_stand_in_one_text_or_in_unquoted_words() -> None:
    assert len(typed("12 x 16TB, 2 x 960GB nvme")) == 14
    assert len(typed("12", "x", "16TB", "2x960GB", "nvme")) == 14


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "No disks"), ("foo", "names no size"), ("0x6TB", "“0” is not a possible"),
     ("9999999x1TB", "not a possible number"),
     ("12 x 16TB 960GB", "second size"), ("12 x 16TB blue", "“blue” is not understood"), ("3x1e5TB", "not a unit"),
     ("4096x1TB 1x1TB", "More than 4096")],
)  # fmt: skip
def test_that_what_is_not_understood_is_named(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        typed(text)


@given(st.text(max_size=60))
def test_that_any_text_gives_disks_or_a_reason(text: str) -> None:
    try:
        disks = typed(text)
    except UserError:
        return
    assert all(d.size_bytes and d.size_bytes > 0 for d in disks)
