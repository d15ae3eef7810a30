"""Values that are typed of disks: shelf, model, measured rates. They are kept with their origin, and used."""

import pytest

from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError
from poolwright.machine.typed.read import read_typed


def typed(text: str) -> tuple[Disk, ...]:
    return read_typed([text]).disks


@pytest.mark.parametrize(
    "text", ["4 x 16TB shelf=2", "4 x 16TB shelf 2", "4 x 16TB SHELF=2 CMR", "4 x 16TB jbod=2", "4 x enclosure=2 16TB"]
)
def test_that_a_shelf_is_read_in_any_spelling(text: str) -> None:
    assert {disk.enclosure for disk in typed(text)} == {"2"}


def test_that_what_was_understood_is_told_back() -> None:
    notes = [note.text for note in read_typed(["2 x 16TB shelf=1 read=250MB/s write=1.2GB/s"]).notes]
    assert notes[-1].endswith(": in shelf 1, reads 250 MB/s, writes 1.20 GB/s")


def test_that_a_model_number_says_what_its_maker_told_of_it() -> None:
    disk = typed("4 x 8TB model=ST8000DM004")[0]
    assert (disk.model, disk.smr, disk.media) == ("ST8000DM004", True, Media.HDD)
    assert typed("4 x 8TB model=MyOwnName")[0].model == "MyOwnName"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("4 x 4TB shelf=", "no name of a shelf"),
        ("4 x 4TB model=", "no name of a model"),
        ("4 x 4TB shelf=1 shelf=2", "shelf 2” contradicts “shelf 1"),
        ("4 x 4TB model=A model=B", "contradicts"),
        ("4 x 4TB read=5", "has no unit"),
        ("4 x 4TB read=quick", "is not a read rate"),
        ("4 x 4TB read=1MB/s rate=2MB/s", "second read rate"),
        ("4 x 4TB colour=red", "shelf=NAME"),
        ("4 x 4TB shelf=" + "x" * 61, "at most 60"),
    ],
)
def test_that_a_value_that_makes_no_sense_is_refused_in_words_that_help(text: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        read_typed([text])
    assert words in caught.value.text
