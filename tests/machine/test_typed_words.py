"""What people write of their disks: brands, families, classes, speeds. No word is dropped."""

import time

import pytest
from tests.cases import cases

from poolwright.domain.disk import Disk, Media, NoteLevel
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import OriginKind
from poolwright.machine.typed.read import read_typed
from poolwright.rules.profile import keeps_writes


def one(text: str) -> Disk:
    return read_typed([text]).disks[0]


@pytest.mark.parametrize(("words", "media", "known"), cases(__file__, "brands"))
def test_that_brand_and_class_words_are_understood(words: str, media: str, known: dict[str, object]) -> None:
    disk = one(f"2 x 4TB {words}")
    told = {"transport": disk.transport, "smr": disk.smr, "kept": keeps_writes(disk)}
    assert (disk.media, {fact: said for fact, said in told.items() if said is not None}) == (media, known)


def test_that_each_fact_tells_the_word_it_comes_from() -> None:
    origin = one("2 x 960GB Samsung PM883").origin_of("power_loss_protection")
    assert origin is not None
    assert (origin.kind, origin.source) == (OriginKind.TYPED, "typed by hand: PM883")
    supposed = one("4 x 4TB WD Red").origin_of("smr")
    assert supposed is not None
    assert supposed.kind is OriginKind.ASSUMED


@pytest.mark.parametrize("words", ["HA-SMR", "Ultrastar", "Exos", "enterprise"])
def test_that_a_word_that_settles_nothing_or_too_much_is_remarked_upon(words: str) -> None:
    assert any(note.level is NoteLevel.WARN for note in one(f"2 x 4TB {words}").notes)


def test_that_words_may_stand_in_front_of_the_size() -> None:
    front, behind = one("2 x Optane 400GB 4Kn"), one("2 x 400GB Optane 4Kn")
    assert (front.model, front.media, front.logical_sector_bytes) == ("Optane", Media.NVME, 4096)
    assert front == behind
    assert "2 x Optane 400GB 4Kn: assumed" in read_typed(["2 x Optane 400GB 4Kn"]).notes[0].text


@pytest.mark.parametrize(("text", "words"), cases(__file__, "refused"))
def test_that_what_may_mean_something_else_is_refused_with_what_to_write(text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        read_typed([text])


@pytest.mark.parametrize("part", [" ", "1,", "1x", "x", "12x16TB ", "a ", "1TB,", "4kn ", "2x ssd ", "2xssd 4TB "])
def test_that_long_lists_take_time_in_proportion(part: str) -> None:
    def seconds(length: int) -> float:
        text = "1x1TB" + part * (length // len(part)) + "!"
        begin = time.process_time()
        with pytest.raises(UserError):
            read_typed([text])
        return time.process_time() - begin

    small, large = (min(seconds(length) for _ in range(3)) for length in (2_000, 8_000))
    assert large < 12 * small + 0.02


@pytest.mark.parametrize("word", ["SSD", "SSDs", "flash", "M.2", "SLC", "MLC", "TLC", "QLC"])
def test_that_words_of_flash_tell_no_hard_disk(word: str) -> None:
    assert one(f"2 x 8TB {word}").media is Media.SSD
    assert one(f"2 x 8TB {word} NVMe").media is Media.NVME
    with pytest.raises(UserError, match="contradicts"):
        one(f"2 x 8TB {word} 7200rpm")


@pytest.mark.parametrize("word", ["NVMe", "PCIe", "U.2", "U.3", "E1.S", "E3.S"])
def test_that_words_of_nvme_tell_medium_and_transport(word: str) -> None:
    disk = one(f"2 x 8TB {word}")
    assert (disk.media, disk.transport, disk.rotation_rpm) == (Media.NVME, "nvme", None)


@pytest.mark.parametrize(("word", "sectors"), [("512n", (512, 512)), ("512e", (512, 4096)), ("4Kn", (4096, 4096))])
def test_that_sectors_are_told_in_the_makers_words(word: str, sectors: tuple[int, int]) -> None:
    disk = one(f"2 x 8TB {word}")
    assert (disk.logical_sector_bytes, disk.physical_sector_bytes) == sectors


@pytest.mark.parametrize(("words", "shingled"), [("WD Red", (2, 3, 4, 6)), ("Barracuda", (2, 3, 4, 6, 8))])
def test_that_families_are_taken_for_shingled_in_the_sizes_that_mostly_are(
    words: str, shingled: tuple[int, ...]
) -> None:
    for size in (1, 2, 3, 4, 6, 8, 10):
        disk = one(f"2 x {size}TB {words}")
        assert disk.smr is (True if size in shingled else None)
