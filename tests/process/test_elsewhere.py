"""Work that another process does, as if it were done here."""

import os
from dataclasses import replace

import pytest
from tests.texts.brackets import told_in

from poolwright import texts
from poolwright.domain.command import Completed, Ending
from poolwright.domain.errors import UserError
from poolwright.domain.version import ZfsVersion
from poolwright.process.blocking import drive
from poolwright.process.worker import LARGE_BYTES, done_beside, done_elsewhere

DISKS = ("{count} disk", "{count} disks")


def test_that_another_process_does_it_and_its_answer_comes_back() -> None:
    assert drive(done_elsewhere(os.getpid)) != os.getpid()
    assert drive(done_elsewhere(sorted, [3, 1, 2], reverse=True)) == [3, 2, 1]


@pytest.mark.slow
def test_that_what_it_refuses_is_raised_here() -> None:
    with pytest.raises(UserError, match="no such thing"):
        drive(done_elsewhere(ZfsVersion.parse, "no such thing"))


def test_that_it_is_done_here_where_no_process_answers() -> None:
    reading = done_elsewhere(os.getpid)
    (command,) = next(reading)
    with pytest.raises(StopIteration) as stop:
        reading.send((Completed(command=command, ending=Ending.NOT_FOUND),))
    assert stop.value.value == os.getpid()


def test_that_a_process_that_prints_something_else_is_not_believed() -> None:
    reading = done_elsewhere(os.getpid)
    (command,) = next(reading)
    odd = Completed(command=replace(command), ending=Ending.EXITED, status=0, stdout=b"usage: poolwright")
    with pytest.raises(StopIteration) as stop:
        reading.send((odd,))
    assert stop.value.value == os.getpid()


def test_that_what_is_short_is_done_without_a_process() -> None:
    assert drive(done_beside(LARGE_BYTES - 1, os.getpid)) == os.getpid()
    assert drive(done_beside(LARGE_BYTES, os.getpid)) != os.getpid()


@pytest.mark.slow
def test_that_another_process_tells_its_texts_in_our_language() -> None:
    with told_in("de"):
        told = [drive(done_elsewhere(texts.ngettext, *DISKS, count)) for count in (1, 2)]
    assert told == ["1 Platte", "2 Platten"]
    assert drive(done_elsewhere(texts.ngettext, *DISKS, 2)) == "2 disks"
