"""Readings driven by the event loop end as they do on the command line."""

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot
from tests.leaks import running_timers
from tests.process.processes import runs

from poolwright.domain.command import Command, Completed, Reading
from poolwright.domain.errors import EnvironmentFailure
from poolwright.jobs.command_job import CommandJob, CommandRun
from poolwright.jobs.job import JobPhase
from poolwright.process.blocking import run


def reading_of(*commands: Command) -> Reading[tuple[Completed, ...]]:
    answers = yield commands
    return answers


def finish(qtbot: QtBot, job: CommandJob) -> None:
    with qtbot.waitSignal(job.ended, timeout=10_000):
        job.start()


def ask(qtbot: QtBot, owner: QObject, *commands: Command) -> tuple[Completed, ...]:
    job = CommandJob("reading", "here", reading_of(*commands), owner)
    finish(qtbot, job)
    assert job.state.phase is JobPhase.SUCCEEDED
    assert isinstance(job.result, tuple)
    return job.result


@pytest.mark.parametrize(
    "command",
    [
        Command(argv=("printf", "a\\nb")),
        Command(argv=("sh", "-c", "echo bad >&2; exit 3")),
        Command(argv=("cat",), stdin=b"x" * 200_000),
        Command(argv=("sh", "-c", "cat; echo $LC_ALL")),
        Command(argv=("no-such-program-anywhere",)),
        Command(argv=("/etc/hostname",)),
        Command(argv=("sh", "-c", "kill -KILL $$")),
        Command(argv=("sleep", "20"), timeout_seconds=0.2),
    ],
    ids=lambda command: command.text[:30],
)
def test_that_the_window_sees_what_the_command_line_sees(qtbot: QtBot, owner: QObject, command: Command) -> None:
    seen = ask(qtbot, owner, command)[0]
    expected = run(command)
    assert (seen.ending, seen.status, seen.stdout, seen.ok, seen.missing) == (
        expected.ending,
        expected.status,
        expected.stdout,
        expected.ok,
        expected.missing,
    )


@pytest.mark.slow
def test_that_answers_come_in_the_order_of_the_commands(qtbot: QtBot, owner: QObject) -> None:
    commands = [Command(argv=("sh", "-c", f"sleep 0.{9 - n % 10}; echo {n}")) for n in range(12)]
    assert [int(c.text) for c in ask(qtbot, owner, *commands)] == list(range(12))


def test_that_a_reading_may_ask_several_times_and_for_nothing(qtbot: QtBot, owner: QObject) -> None:
    def reading() -> Reading[str]:
        first = yield (Command(argv=("echo", "one")),)
        nothing = yield ()
        assert nothing == ()
        second = yield (Command(argv=("echo", first[0].text.strip(), "two")),)
        return second[0].text.strip()

    job = CommandJob("reading", "here", reading(), owner)
    finish(qtbot, job)
    assert job.result == "one two"


def test_that_long_work_on_answers_leaves_turns_to_the_window(qtbot: QtBot, owner: QObject) -> None:
    turns: list[int] = []
    timer = QTimer(owner)
    timer.timeout.connect(lambda: turns.append(1))
    timer.start(0)

    def reading() -> Reading[int]:
        yield (Command(argv=("true",)),)
        turns.clear()
        for _ in range(20):
            time.sleep(0.004)
            yield ()
        return len(turns)

    job = CommandJob("reading", "here", reading(), owner)
    finish(qtbot, job)
    timer.stop()
    assert isinstance(job.result, int)
    assert 3 <= job.result <= 20


def test_that_only_what_runs_has_an_object(qtbot: QtBot, owner: QObject) -> None:
    job = CommandJob("reading", "here", reading_of(*[Command(argv=("true",))] * 30), owner)
    most: list[int] = []
    job.state_changed.connect(lambda: most.append(len(job.findChildren(CommandRun))))
    finish(qtbot, job)
    assert isinstance(job.result, tuple)
    assert len(job.result) == 30
    assert max(most) < 30


def test_that_too_much_output_ends_the_program(qtbot: QtBot, owner: QObject) -> None:
    seen = ask(qtbot, owner, Command(argv=("yes",), most_output_bytes=100_000))[0]
    assert seen.truncated
    assert len(seen.stdout) == 100_000
    assert not seen.ok


def test_that_a_failure_of_the_reading_is_the_end_of_the_job(qtbot: QtBot, owner: QObject) -> None:
    def reading() -> Reading[None]:
        yield (Command(argv=("true",)),)
        raise EnvironmentFailure("lsblk is missing")

    job = CommandJob("reading", "here", reading(), owner)
    finish(qtbot, job)
    assert job.state.phase is JobPhase.FAILED
    assert "lsblk is missing" in job.state.error_text


def test_that_cancelling_ends_the_program_and_all_it_started(qtbot: QtBot, owner: QObject, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    command = Command(argv=("sh", "-c", f"trap '' TERM; sleep 30 & echo $$ $! > {pids}; wait; sleep 30"))
    job = CommandJob("reading", "here", reading_of(command), owner)
    endings: list[JobPhase] = []
    job.ended.connect(lambda: endings.append(job.state.phase))
    job.start()
    qtbot.waitUntil(lambda: pids.exists() and len(pids.read_text().split()) == 2, timeout=5000)
    started = [int(pid) for pid in pids.read_text().split()]
    before = time.monotonic()
    job.cancel()
    assert time.monotonic() - before < 1.5
    assert job.state.phase is JobPhase.CANCELLED
    qtbot.waitUntil(lambda: not any(runs(pid) for pid in started), timeout=5000)
    job.cancel()
    assert endings == [JobPhase.CANCELLED]
    qtbot.waitUntil(lambda: not running_timers())  # the next look finds that it is gone


def test_that_a_job_that_was_never_started_can_be_cancelled(owner: QObject) -> None:
    job = CommandJob("reading", "here", reading_of(Command(argv=("true",))), owner)
    job.cancel()
    job.start()
    assert job.state.phase is JobPhase.CANCELLED
