"""What is wrong with a job file, by line."""

from pathlib import Path

import pytest
from tests.bench.running.places import needs_fio

from poolwright.bench.profiles.own import fio_problems, line_of_section, problems_in
from poolwright.domain.command import Completed, Ending
from poolwright.process.blocking import drive

GOOD = "[global]\nsize=1g\n\n; a remark: filename=/x\n[records]\nrw=randwrite\nbs=16k\n"


def test_that_nothing_is_wrong_with_a_good_one() -> None:
    own, problems = problems_in(GOOD, "mail")
    assert problems == ()
    assert own is not None
    assert (own.name, [name for name, _ in own.sections]) == ("mail", ["records"])


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (GOOD + "filename=/dev/sda\nioengine=rbd\n", [8, 9]),
        ("size=1g\n[a]\nrw=read\n", [1]),
        ("[a]\nrw=read\n[global]\nsize=1g\n", [3]),
        ("[global]\nsize=1g\n", [None]),
        ("[global]\nsize=1g\n[a/b]\nrw=read\n", [None]),
        ('[profile]\nname = "x"\n[[job]]\nname = "a"\n[job.fio]\nfilename = "/etc/passwd"\n', [6]),
        ('[profile]\nname = "x"\n[[job]]\nname = \n', [4]),
    ],
)
def test_that_each_mistake_is_told_with_its_line(text: str, lines: list[int | None]) -> None:
    own, problems = problems_in(text, "mail")
    assert own is None
    assert [problem.line for problem in problems] == lines
    assert all(problem.text for problem in problems)


def test_that_a_job_is_found_in_either_form() -> None:
    assert line_of_section(GOOD, "records") == 5
    assert line_of_section('[profile]\n[[job]]\nname = "records"\n', "records") == 3
    assert line_of_section(GOOD, "other") is None


@needs_fio
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (GOOD.replace("bs=16k", "bsz=16k"), 7, "Bad option <bsz=16k>"),
        (GOOD + "rwmixread=300\n", 8, "max value out of range: 300"),
        (GOOD + "numjobs=many\n", 8, "failed parsing numjobs=many"),
        (GOOD + "[reads]\nrw=read\nbs=16k\niodepht=2\n", 11, "Did you mean iodepth?"),
        ('[profile]\nname = "x"\n[fio]\nsize = "1g"\n[[job]]\nname = "a"\n[job.fio]\nrw = "rd"\n', 8, "rw"),
    ],
)
def test_that_fio_itself_is_asked_and_its_words_stand_beside_the_line(text: str, line: int, words: str) -> None:
    own, problems = problems_in(text, "mail")
    assert own is not None
    assert problems == ()
    (problem,) = drive(fio_problems(own, text))
    assert problem.line == line
    assert problem.text.startswith("fio says: ")
    assert words in problem.text
    assert "dropped" not in problem.text


@needs_fio
def test_that_fio_has_nothing_against_a_good_one_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own, _ = problems_in(GOOD, "mail")
    assert own is not None
    assert drive(fio_problems(own, GOOD)) == ()
    assert list(tmp_path.iterdir()) == []


def test_that_nothing_is_said_where_fio_is_not_installed() -> None:
    own, _ = problems_in(GOOD, "mail")
    assert own is not None
    reading = fio_problems(own, GOOD)
    (command,) = next(reading)
    with pytest.raises(StopIteration) as stop:
        reading.send((Completed(command=command, ending=Ending.NOT_FOUND),))
    assert stop.value.value == ()


def test_that_a_directory_is_no_mistake_for_it_is_replaced() -> None:
    own, problems = problems_in("[global]\ndirectory=/ZFS/\nsize=1m\n[a]\nrw=read\n", "listing")
    assert own is not None
    assert own.elsewhere == "/ZFS/"
    assert problems == ()
