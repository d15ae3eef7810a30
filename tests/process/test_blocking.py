"""Commands run with real programs: endings, limits, sessions, order, environment."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.process.processes import runs

from poolwright.domain.command import Batch, Command, Completed, Ending, Reading
from poolwright.process.blocking import drive, run, run_batch
from poolwright.process.piped import child_environment


def shell(script: str, **options: object) -> Command:
    return Command(argv=("sh", "-c", script), **options)  # type: ignore[arg-type]


def ends(pid: int) -> bool:
    """Tell whether a process that was told to end does so: what was signalled needs a moment of a busy machine."""
    deadline = time.monotonic() + 5
    while runs(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not runs(pid)


def test_that_both_streams_and_the_status_come_back() -> None:
    done = run(shell("echo out; echo err >&2; exit 3"))
    assert (done.ending, done.status, done.stdout, done.stderr) == (Ending.EXITED, 3, b"out\n", b"err\n")
    assert not done.ok
    assert done.complaint == "err"


def test_that_any_status_is_ok_where_all_are_accepted() -> None:
    assert run(shell("exit 68", accepted=None)).ok
    assert run(shell("exit 0")).ok


def test_that_a_missing_program_is_an_ending_and_not_an_exception() -> None:
    done = run(Command(argv=("no-such-program-here", "--version")))
    assert done.ending is Ending.NOT_FOUND
    assert done.missing
    assert not done.ok
    assert done.complaint == "no-such-program-here: program not found"


def test_that_a_file_without_execute_permission_is_told_apart_from_a_missing_one(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o644)
    done = run(Command(argv=(str(tool),)))
    assert done.ending is Ending.NOT_PERMITTED
    assert not done.missing


@pytest.mark.slow
def test_that_a_timeout_ends_the_child_and_what_it_started(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    done = run(shell(f"sleep 60 & echo $! > {note}; echo begun; wait", timeout_seconds=0.5))
    assert done.ending is Ending.TIMED_OUT
    assert done.status is None
    assert done.stdout == b"begun\n"
    assert "0.5 s" in done.complaint
    assert ends(int(note.read_text()))


@pytest.mark.slow
def test_that_a_child_deaf_to_the_polite_signal_is_killed() -> None:
    started = time.monotonic()
    done = run(shell("trap '' TERM; while :; do sleep 0.1; done", timeout_seconds=0.2))
    assert done.ending is Ending.TIMED_OUT
    assert time.monotonic() - started < 10


def test_that_a_grandchild_left_behind_does_not_outlive_the_command(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    done = run(shell(f"sleep 60 >/dev/null 2>&1 & echo $! > {note}"))
    assert done.ok
    assert ends(int(note.read_text()))


def test_that_endless_output_is_cut_at_the_limit_and_the_child_ended() -> None:
    started = time.monotonic()
    done = run(shell("yes", most_output_bytes=100_000, timeout_seconds=20))
    assert len(done.stdout) == 100_000
    assert done.truncated
    assert not done.ok
    assert time.monotonic() - started < 10


def test_that_a_signal_is_told_apart_from_an_exit() -> None:
    done = run(shell("kill -9 $$"))
    assert done.ending is Ending.KILLED
    assert done.status is None


def test_that_standard_input_is_fed_whole_and_otherwise_empty() -> None:
    data = os.urandom(300_000)
    assert run(Command(argv=("cat",), stdin=data)).stdout == data
    assert run(Command(argv=("cat",))).stdout == b""


def test_that_a_program_which_does_not_read_its_input_is_no_error() -> None:
    assert run(Command(argv=("true",), stdin=b"x" * 1_000_000)).ok


def test_that_the_child_speaks_english_and_has_its_own_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_NUMERIC", "de_DE.UTF-8")
    done = run(shell("echo $LC_ALL/$LC_NUMERIC; cut -d' ' -f6 /proc/$$/stat; echo $$"))
    locale, session, pid = done.text.split()
    assert locale == "C/"
    assert session == pid != str(os.getsid(0))


def test_that_no_shell_sees_the_arguments() -> None:
    assert run(Command(argv=("printf", "%s", "$(id); a'b"))).text == "$(id); a'b"


def test_that_wrapping_keeps_everything_but_the_program() -> None:
    plain = Command(argv=("printf", "%s", "a b"), needs_root=True, timeout_seconds=7)
    wrapped = plain.wrapped("env", "X=1")
    assert wrapped.argv == ("env", "X=1", "printf", "%s", "a b")
    assert (wrapped.needs_root, wrapped.timeout_seconds) == (True, 7)
    assert run(wrapped).text == "a b"


@pytest.mark.slow
def test_that_a_batch_runs_side_by_side_and_answers_in_order() -> None:
    started = time.monotonic()
    answers = run_batch(tuple(shell(f"sleep 0.5; echo {i}") for i in range(6)))
    assert [a.text.strip() for a in answers] == list("012345")
    assert time.monotonic() - started < 2.5


def asking() -> Reading[str]:
    (first,) = yield (shell("echo one"),)
    second, third = yield (shell("echo two"), Command(argv=("no-such-program-here",)))
    return f"{first.text.strip()} {second.text.strip()} {third.ending.value}"


def test_that_a_reading_is_driven_to_its_value() -> None:
    assert drive(asking()) == "one two program not found"


def test_that_a_reading_can_be_driven_by_a_recording() -> None:
    def recorded(batch: Batch) -> tuple[Completed, ...]:
        return tuple(Completed(command=c, ending=Ending.EXITED, status=0, stdout=b"tape") for c in batch)

    assert drive(asking(), recorded) == "tape tape exited"


def test_that_a_reading_is_closed_when_running_fails() -> None:
    closed = []

    def reading() -> Reading[None]:
        try:
            yield (shell("true"),)
        finally:
            closed.append(True)

    def failing(batch: Batch) -> tuple[Completed, ...]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drive(reading(), failing)
    assert closed == [True]


def test_that_an_interruption_ends_every_child_of_a_batch_at_once_and_starts_no_other(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from poolwright.process.blocking import run_batch\n"
        "from poolwright.domain.command import Command\n"
        f"script = 'echo $$ >> {tmp_path}/pids; sleep 60 & wait'\n"
        "run_batch(tuple(Command(argv=('sh', '-c', script), timeout_seconds=60) for _ in range(20)))\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    pids = tmp_path / "pids"
    while not pids.exists() or len(pids.read_text().split()) < 8:
        time.sleep(0.02)
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=20)
    assert time.monotonic() - started < 5
    assert b"KeyboardInterrupt" in said
    begun = [int(word) for word in pids.read_text().split()]
    assert len(begun) == 8
    assert [pid for pid in begun if not ends(pid)] == []


def test_that_the_frozen_programs_library_path_is_not_passed_on() -> None:
    frozen = {"LD_LIBRARY_PATH": "/opt/poolwright/_internal", "LD_LIBRARY_PATH_ORIG": "/usr/lib/mine", "PATH": "/bin"}
    made = child_environment(frozen)
    assert made["LD_LIBRARY_PATH"] == "/usr/lib/mine"
    assert "LD_LIBRARY_PATH_ORIG" not in made


def test_that_the_locale_is_c_whatever_the_user_has() -> None:
    made = child_environment({"LANG": "de_DE.UTF-8", "LC_TIME": "zh_CN.UTF-8", "LANGUAGE": "de", "PATH": "/bin"})
    assert {k: v for k, v in made.items() if k.startswith(("LC_", "LANG"))} == {"LC_ALL": "C", "LANG": "C"}


def test_that_sbin_is_searched_last_and_once() -> None:
    path = child_environment({"PATH": "/home/me/bin:/usr/sbin"})["PATH"].split(":")
    assert path[:2] == ["/home/me/bin", "/usr/sbin"]
    assert path.count("/usr/sbin") == 1
    assert "/sbin" in path


def test_that_no_program_is_looked_for_in_the_current_folder() -> None:
    assert child_environment({"PATH": ".:/bin::bin:./x"})["PATH"].split(":")[0] == "/bin"
    assert all(folder.startswith("/") for folder in child_environment({"PATH": ".:"})["PATH"].split(":"))


def test_that_extra_variables_win() -> None:
    assert child_environment({"PATH": "/bin", "A": "1"}, (("A", "2"), ("LC_ALL", "C.UTF-8")))["LC_ALL"] == "C.UTF-8"
