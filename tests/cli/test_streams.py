"""What is printed reaches whoever asked, or the failure to do so is told: the real process with odd streams."""

import json
import os
import signal
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

import pytest
from tests.command_line import poolwright

from poolwright.cli import recommend as recommend_command
from poolwright.design.candidate import Recommendation
from poolwright.design.recommend import recommend
from poolwright.design.request import JudgeMaker, Request
from poolwright.design.search import Progress, Search

MIRROR = ("capacity", "--vdev", "mirror:2x6TB")
PROGRAM = (sys.executable, "-m", "poolwright")


def shell(line: str, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program by a shell ``line`` in which "$@" stands for it with ``args``."""
    command = ["sh", "-c", line, "sh", *PROGRAM, *args]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env={**os.environ, **environment}
    )


@pytest.mark.parametrize(
    "args",
    [MIRROR, (*MIRROR, "--json"), ("rules", "--json"), ("collector",), ("--help",), ("--version",)],
    ids=" ".join,
)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the kernel offers no /dev/full")
def test_that_a_full_disk_is_told_with_status_3(args: tuple[str, ...]) -> None:
    done = shell('"$@" > /dev/full', *args)
    assert done.returncode == 3
    assert "cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_that_a_closed_standard_output_is_told_with_status_3() -> None:
    done = shell('"$@" >&-', *MIRROR)
    assert (done.returncode, done.stdout) == (3, "")
    assert "Standard output is closed" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"])
def test_that_the_status_stands_where_nobody_hears_the_reason(stderr: str) -> None:
    assert shell(f'"$@" {stderr}', "capacity", "--vdev", "foo").returncode == 2


def test_that_a_closed_standard_input_counts_as_empty() -> None:
    done = shell('"$@" <&-', "capacity", "--batch", "-")
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds no request" in done.stderr


@pytest.mark.slow
def test_that_a_reader_who_leaves_early_is_no_failure() -> None:
    done = shell('"$@" | head -n 1', "rules", "--json")
    assert (done.stdout, done.stderr) == ("{\n", "")


@pytest.mark.parametrize(
    "args",
    [
        ("nonsense", "--json"),
        ("capacity", "--colour", "--json"),
        ("capacity", "--ashift", "x", "--json"),
        ("recommend", "--json"),
        ("recommend", "--example", "thesis", "--goal", "fun", "--json"),
        ("capacity", "--json", "--vdev", "mirror:2x1MB"),
    ],
    ids=" ".join,
)
def test_that_every_refusal_is_one_json_document_where_json_is_asked(args: tuple[str, ...]) -> None:
    done = poolwright(*args)
    assert done.returncode in (1, 2)
    answer = json.loads(done.stdout)
    assert answer["error"] in done.stderr


def test_that_an_option_must_be_written_out() -> None:
    assert poolwright("capacity", "--vde", "mirror:2x6TB").returncode == 2


def test_that_json_is_utf_8_whatever_the_locale() -> None:
    done = shell('"$@"', "capacity", "--vdev", "foo", "--json", PYTHONIOENCODING="ascii")
    assert "“foo”" in json.loads(done.stdout)["error"]
    assert "Traceback" not in done.stderr


def test_that_arguments_that_are_no_text_are_told_as_json() -> None:
    command: list[str | bytes] = [*PROGRAM, "capacity", "--json", "--vdev", b"\xff\xfe:8x6TB"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "is not a vdev type" in json.loads(done.stdout)["error"]


@pytest.mark.slow
def test_that_an_interrupt_ends_the_program_without_a_traceback() -> None:
    with subprocess.Popen(
        [*PROGRAM, "capacity", "--batch", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write('{"vdev": ["mirror:2x6TB"]}\n')
        process.stdin.flush()
        assert process.stdout.readline().startswith("{")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read() == ""


def test_that_an_interrupted_search_says_what_it_has_not_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(request: Request, make_judge: JudgeMaker, progress: Progress) -> Recommendation:
        def look(search: Search) -> None:
            progress(search)
            if search.examined == 100:
                raise KeyboardInterrupt

        return recommend(request, make_judge, look)

    monkeypatch.setattr(recommend_command, "recommend", interrupted)
    parser = ArgumentParser()
    recommend_command.configure(parser)
    with pytest.raises(KeyboardInterrupt):
        recommend_command.run(parser.parse_args(["--disks", "12 x 6TB", "--goal", "safety"]))
    said = capsys.readouterr().err
    assert said.startswith("Stopped after ")
    assert "Not tried: " in said
    assert "draid3" in said
