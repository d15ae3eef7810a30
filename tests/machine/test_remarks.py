"""Remarks of one kind become one note."""

from poolwright.domain.disk import Note, NoteLevel
from poolwright.machine.remarks import OddFact, about, joined


def quiet(name: str) -> OddFact:
    return OddFact(before="smartctl told nothing of ", subject=name, after=": it printed no facts")


def texts(*remarks: OddFact) -> list[str]:
    return [note.text for note in joined(remarks)]


def test_that_one_remark_stays_as_it_is() -> None:
    assert texts(quiet("/dev/sda")) == ["smartctl told nothing of /dev/sda: it printed no facts"]


def test_that_a_few_subjects_are_all_named() -> None:
    names = [f"/dev/sd{letter}" for letter in "abcd"]
    assert texts(*map(quiet, names)) == ["smartctl told nothing of 4 disks (sda, sdb, sdc, sdd): it printed no facts"]


def test_that_many_subjects_are_counted_and_shortened() -> None:
    names = [f"/dev/sd{letter}" for letter in "abcdefghijklmnop"]
    assert texts(*map(quiet, names)) == [
        "smartctl told nothing of 16 disks (sda, sdb, sdc, … sdp): it printed no facts"
    ]


def test_that_a_remark_said_twice_of_one_subject_counts_once() -> None:
    assert texts(quiet("/dev/sda"), quiet("/dev/sda")) == ["smartctl told nothing of /dev/sda: it printed no facts"]


def test_that_other_reasons_and_other_levels_stay_apart() -> None:
    calm = OddFact(before="", subject="/dev/sr0", after=": left out", level=NoteLevel.NOTE)
    loud = OddFact(before="", subject="/dev/sr1", after=": left out")
    assert joined([calm, loud, quiet("/dev/sda")]) == (
        Note(text="/dev/sr0: left out"),
        Note(text="/dev/sr1: left out", level=NoteLevel.WARN),
        Note(text="smartctl told nothing of /dev/sda: it printed no facts", level=NoteLevel.WARN),
    )


def test_that_words_which_name_their_device_are_joined_too() -> None:
    said = [about(f"/dev/sd{x}", f"smartctl: /dev/sd{x}: Unable to detect device type") for x in "ab"]
    assert texts(*said) == ["smartctl: 2 disks (sda, sdb): Unable to detect device type"]


def test_that_a_longer_name_is_not_taken_for_the_subject() -> None:
    assert texts(about("/dev/sda", "/dev/sdaa is odd")) == ["/dev/sda: /dev/sdaa is odd"]
