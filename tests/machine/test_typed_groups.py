"""What is assumed of typed disks and what is told of it, and where one group ends and the next begins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError
from poolwright.domain.host import Inventory
from poolwright.domain.units import label_bytes
from poolwright.machine.typed.read import read_typed

LABEL = "capacity behind 4TB (IDEMA LBA1-03, SFF-8447)"
TYPED = "typed by hand"


def one(text: str) -> Disk:
    (disk,) = read_typed([text]).disks
    return disk


def groups(inventory: Inventory) -> list[tuple[int | None, int]]:
    """Return how many disks there are of each size in GB, in their order."""
    sizes = [disk.size_bytes for disk in inventory.disks]
    return [(None if size is None else size // 10**9, sizes.count(size)) for size in dict.fromkeys(sizes)]


FLASH = (100, 120, 128, 200, 240, 256, 400, 480, 512, 800, 960, 1024, 1600, 1920, 3200, 3840, 6400, 7680, 15360, 30720)


def test_that_sizes_in_which_only_flash_is_sold_are_flash_and_their_neighbours_are_not() -> None:
    assert {size for size in FLASH if one(f"1x{size}GB").media is not Media.SSD} == set()
    neighbours = {size + step for size in FLASH for step in (-1, 1)} - set(FLASH)
    assert {size for size in neighbours if one(f"1x{size}GB").media is not Media.HDD} == set()


@pytest.mark.parametrize(("text", "media", "assumed", "transport"), cases(__file__, "assumed"))
def test_that_what_nobody_said_is_assumed_and_told(
    text: str, media: str, assumed: list[str], transport: str | None
) -> None:
    disk = one(text)
    assert (disk.media, disk.transport, disk.planned) == (media, transport, True)
    assert [note.text for note in disk.notes] == ([f"planned; assumed {', '.join(assumed)}"] if assumed else [])
    assert disk.smr is (None if media == Media.HDD else False)
    told = [note.text for note in read_typed([text]).notes]
    assert told == ([f"{text}: assumed {', '.join(assumed)}"] if assumed else [])


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("1x4TB", {"size_bytes": LABEL, "media": "assumed", "logical_sector_bytes": "assumed"}),
        ("1x4TiB hdd 4Kn", {"size_bytes": TYPED, "media": f"{TYPED}: hdd", "physical_sector_bytes": f"{TYPED}: 4Kn"}),
        ("1x4TiB SAS CMR", {"transport": "typed by hand: SAS", "smr": "typed by hand: CMR", "rotation_rpm": ""}),
        ("1x4TiB 5400rpm", {"rotation_rpm": "typed by hand: 5400rpm", "media": "typed by hand: 5400rpm", "smr": ""}),
        ("1x4TiB model=M shelf=2 read=100MB/s", dict.fromkeys(("model", "enclosure", "read_bytes_per_second"), TYPED)),
        ("1x4TiB M.2", {"media": "assumed"}),
        ("1x4TiB U.2", {"media": "typed by hand: U.2"}),
    ],
)  # fmt: skip
def test_that_every_fact_has_its_origin(text: str, origins: dict[str, str]) -> None:
    disk = one(text)
    for field, begin in origins.items():
        origin = disk.origin_of(field)
        assert origin is None if not begin else origin is not None and origin.source.startswith(begin), field


_GROUPS = (
    ("2 x 4TB, 3 x 8TB", [(4000, 2), (8001, 3)]), ("2 x 4TB + 3 x 8TB", [(4000, 2), (8001, 3)]),
    ("2 x 4TB; 3 x 8TB", [(4000, 2), (8001, 3)]), ("2 x 4TB\n3 x 8TB", [(4000, 2), (8001, 3)]),
    ("2 x 4TB 3 x 8TB", [(4000, 2), (8001, 3)]), ("4TB x 2, 8TB x 3", [(4000, 2), (8001, 3)]),
    ("4TBx2 8TBx3", [(4000, 2), (8001, 3)]), ("4 TB x 2", [(4000, 2)]), ("2 disks of 4TB", [(4000, 2)]),
    ("2 pcs 4TB", [(4000, 2)]), ("2 4TB", [(4000, 2)]), ("4TB", [(4000, 1)]), ("4 TB", [(4000, 1)]),
    ("2 x SAS 4TB, 3 x ssd 8TB", [(4000, 2), (8001, 3)]), ("2 SAS 7200 4TB", [(4000, 2)]),
    ("2 x 4TB SAS, CMR, 7200", [(4000, 2)]), ("2 x 4TB 7200 rpm 512e, 3 x 8TB 10500 rpm", [(4000, 2), (8001, 3)]),
    ("4096 x 4TB", [(4000, 4096)]),
)  # fmt: skip


@pytest.mark.parametrize(("text", "found"), _GROUPS)
def test_that_groups_are_told_apart(text: str, found: list[tuple[int, int]]) -> None:
    assert groups(read_typed([text])) == found


@pytest.mark.parametrize(("text", "rpm"), [("5640rpm", 5640), ("5640 rpm", 5640), ("10500rpm", 10500), ("15K", 15000)])
def test_that_any_speed_of_four_or_five_digits_is_one(text: str, rpm: int) -> None:
    assert one(f"1 x 4TB {text}").rotation_rpm == rpm


def test_that_disks_are_numbered_through_and_words_belong_to_their_group() -> None:
    inventory = read_typed(["2 x 4TB SAS 7200,", "1 x 1.92TB PLP"], name="plan")
    assert [d.key for d in inventory.disks] == ["planned-4TB-01", "planned-4TB-02", "planned-1.92TB-03"]
    assert [d.transport for d in inventory.disks] == ["sas", "sas", None]
    assert [d.rotation_rpm for d in inventory.disks] == [7200, 7200, None]
    assert [d.power_loss_protection for d in inventory.disks] == [None, None, True]
    assert (inventory.name, inventory.origin.source) == ("plan", "typed: 2 x 4TB SAS 7200, 1 x 1.92TB PLP")
    assert inventory.notes[0].text.startswith("2 x 4TB SAS 7200: assumed ")
    assert inventory.notes[1].text.startswith("1 x 1.92TB PLP: assumed ")


_REFUSED = (
    ("2 x 4TB blue", "“blue” is not understood", "character 9"),
    ("2 x 4TB SAS SATA", "“SATA” contradicts “SAS”", None), ("2 x 4TB hdd ssd", "contradicts", None),
    ("2 x 4TB ssd 7200", "contradicts", None), ("2 x 4TB 5400rpm 7200rpm", "“7200rpm” contradicts “5400rpm”", None),
    ("2 x 4TB 512rpm", "not understood", "character 9"), ("2 x 4TB 123456rpm", "not understood", "character 9"),
    ("2 x 4TB 8TB", "“8TB” is not understood", "character 9"), ("2 x", "names no size", "character 1"),
    ("12 x 16TB and 2 NVMe", "“2 NVMe” names no size", "COUNT x SIZE"), ("x 4TB", "not understood", "character 1"),
    ("2.5 x 4TB", "“2.5” is not understood", "character 1"), ("4097 x 4TB", "“4097” is out of range", "character 1"),
    ("4000 x 4TB, 97 x 8TB", "out of range", "97 x 8TB"),
    ("2 x 4TB shelf=" + "a" * 61, "not understood", "at most 60"),
    ("2 x 4TB read=1MB/s 2MB/s", "second read rate", None), ("4 x 4TB shelf=", "A value is missing", None),
    ("4 x 4TB model=", "A value is missing", None), ("4 x 4TB shelf=1 shelf=2", "shelf 2” contradicts “shelf 1", None),
    ("4 x 4TB model=A model=B", "contradicts", None), ("4 x 4TB read=5", "has no unit", None),
    ("4 x 4TB read=quick", "not understood", None),
    ("4 x 4TB colour=red", "“colour=red” is not understood", "shelf=NAME"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "words", "where"), _REFUSED)
def test_that_what_is_wrong_is_told_with_its_place(text: str, words: str, where: str | None) -> None:
    with pytest.raises(UserError) as refused:
        read_typed([text])
    assert words in refused.value.what
    assert (where or "") in f"{refused.value.where} {refused.value.todo}"


def test_that_a_misspelt_word_is_answered_with_what_it_may_have_been() -> None:
    with pytest.raises(UserError) as refused:
        read_typed(["2 x 4TB SATAA"])
    assert (refused.value.todo or "").casefold().startswith("is “sata”")
    with pytest.raises(UserError, match="not understood") as refused:
        read_typed(["2 x 4TB qqqqqqqq"])
    assert (refused.value.todo or "").startswith("Write what is known, such as CMR, SAS, 7200, 4Kn, PLP. A model is")


@pytest.mark.parametrize(
    ("text", "shelves", "sizes"),
    [
        ("2 x 4TB shelf 2, 3 x 8TB", ["2", "2", None, None, None], [(4000, 2), (8001, 3)]),
        ("2 x 4TB shelf 3 x 8TB", [], []),
        ("1 x 4TB shelf=A, 1 x 8TB enclosure B", ["A", "B"], [(4000, 1), (8001, 1)]),
        ("1 x 4TB shelf=" + "a" * 60, ["a" * 60], [(4000, 1)]),
        ("5 x 4TB in 2 shelves, 1 x 8TB", ["1", "1", "1", "2", "2", None], [(4000, 5), (8001, 1)]),
        ("5 x 4TB shelf=1..2, 1 x 8TB", ["1", "1", "1", "2", "2", None], [(4000, 5), (8001, 1)]),
    ],
)
def test_that_a_shelf_is_no_number_of_the_next_group(
    text: str, shelves: list[str | None], sizes: list[tuple[int, int]]
) -> None:
    if not shelves:
        with pytest.raises(UserError, match="“shelf” is not understood"):
            read_typed([text])
        return
    inventory = read_typed([text])
    assert ([d.enclosure for d in inventory.disks], groups(inventory)) == (shelves, sizes)


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("1 x 4TB read=100MB/s write=90MB/s", (100 * 10**6, 90 * 10**6)),
        ("1 x 4TB rate=100MB/s", (100 * 10**6, 100 * 10**6)),
        ("1 x 4TB 100MB/s write=90MB/s SAS", (100 * 10**6, 90 * 10**6)),
        ("1 x 4TB 100 MB/s SAS", (100 * 10**6, None)),
        ("1 x 4TB writes=90MiB/s", (None, 90 << 20)),
    ],
)
def test_that_measured_rates_are_bytes_a_second(text: str, rates: tuple[int | None, int | None]) -> None:
    disk = one(text)
    assert (disk.read_bytes_per_second, disk.write_bytes_per_second) == rates


@pytest.mark.parametrize(
    "text", ["4 x 16TB shelf=2", "4 x 16TB shelf 2", "4 x 16TB SHELF=2 CMR", "4 x 16TB jbod=2", "4 x enclosure=2 16TB"]
)
def test_that_a_shelf_is_read_in_any_spelling(text: str) -> None:
    assert {disk.enclosure for disk in read_typed([text]).disks} == {"2"}


def test_that_what_was_understood_is_told_back() -> None:
    notes = [note.text for note in read_typed(["2 x 16TB shelf=1 read=250MB/s write=1.2GB/s"]).notes]
    assert notes[-1].endswith(": in shelf 1, reads 250 MB/s, writes 1.20 GB/s")


def test_that_a_model_number_says_what_its_maker_told_of_it() -> None:
    disk = one("1 x 8TB model=ST8000DM004")
    assert (disk.model, disk.smr, disk.media) == ("ST8000DM004", True, Media.HDD)
    assert one("1 x 8TB model=MyOwnName").model == "MyOwnName"


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
        return [disk.media for disk in read_typed([text]).disks]

    assert media("1 x 120GB, 1 x 250GB, 1 x 500GB") == [Media.HDD] * 3
    assert media("1 x 120GB, 1 x 480GB") == [Media.SSD] * 2
    assert media("1 x 1TB, 1 x 120GB, 1 x 480GB") == [Media.HDD, Media.SSD, Media.SSD]
    # What is said of other disks says nothing of these.
    assert media("1 x 4TB hdd, 1 x 120GB") == [Media.HDD, Media.SSD]
