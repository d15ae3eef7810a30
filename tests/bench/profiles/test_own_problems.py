"""What is wrong with a job file, by line."""

import pytest

from poolwright.bench.profiles.own import line_of_section, problems_in

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


def test_that_a_directory_is_no_mistake_for_it_is_replaced() -> None:
    own, problems = problems_in("[global]\ndirectory=/ZFS/\nsize=1m\n[a]\nrw=read\n", "listing")
    assert own is not None
    assert own.elsewhere == "/ZFS/"
    assert problems == ()
