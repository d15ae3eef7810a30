"""Programs run on another machine through OpenSSH's client as they would run here."""

import time
from pathlib import Path

import pytest
from tests.bench.running.places import needs_fio, order, small
from tests.process.far_side import FarSide, far_side

from poolwright.bench.record import Ended, RunRecord
from poolwright.bench.running import run as commands
from poolwright.bench.running.run import RunProgress, run_profile
from poolwright.domain.command import Command, Completed, Ending
from poolwright.domain.errors import UserError
from poolwright.process import piped
from poolwright.process.blocking import converse
from poolwright.process.on_host import SshHost, command_on, on_host
from poolwright.process.piped import Conversation

__all__ = ["far_side"]
FAR = SshHost(name="far")


def told(command: Command) -> Conversation[Completed]:
    (answer,) = yield (command,)
    return answer


def there(command: Command, host: SshHost = FAR) -> Completed:
    return converse(on_host(told(command), host))


@pytest.mark.usefixtures("far_side")
def test_that_each_word_arrives_as_it_was_whatever_it_holds() -> None:
    words = ("a b", "it's", '"$HOME"', "`id`", "two\nlines", "\\n", "", "-x", "*", "ü", "\u202e", "a;b", "!1", "~")
    answer = there(Command(argv=("printf", "%s\\0", *words)))
    assert answer.stdout.split(b"\0")[:-1] == [word.encode() for word in words]
    assert answer.command.argv[0] == "printf"


@pytest.mark.usefixtures("far_side")
def test_that_input_variables_locale_and_administration_tools_are_there() -> None:
    script = 'cat; printf "%s " "$LC_ALL" "$NAME"; case :$PATH: in *:/usr/sbin:*) echo sbin; esac; exit 3'
    answer = there(Command(argv=("sh", "-c", script), stdin=b"fed ", environment=(("NAME", "it's me"),)))
    assert (answer.ending, answer.status, answer.text) == (Ending.EXITED, 3, "fed C it's me sbin\n")


@pytest.mark.usefixtures("far_side")
def test_that_a_program_that_is_killed_there_and_one_that_is_missing_are_no_lost_connection() -> None:
    assert there(Command(argv=("sh", "-c", "kill -9 $$"))).status == 128 + 9
    assert there(Command(argv=("no-such-program",))).missing


def test_that_a_failed_connection_is_no_answer_even_where_every_status_is_one(far_side: FarSide) -> None:
    command = Command(argv=("true",), accepted=None)
    assert there(command).ok
    far_side.lose()
    answer = there(command)
    assert (answer.ok, answer.ending, answer.status) == (False, Ending.LOST, None)
    assert "Network is unreachable" in answer.complaint


def test_that_a_missing_client_is_not_taken_for_a_missing_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("poolwright.process.piped._SBIN", ())
    answer = there(Command(argv=("true",)))
    assert (answer.ending, answer.missing) == (Ending.LOST, False)
    assert "ssh" in answer.complaint


@pytest.mark.parametrize("name", ["", "-oProxyCommand=id", "a\nb"])
def test_that_no_option_passes_as_a_host(name: str) -> None:
    with pytest.raises(UserError):
        command_on(Command(argv=("true",)), SshHost(name=name))


def test_that_the_options_of_a_host_come_before_ours() -> None:
    argv = command_on(Command(argv=("true",)), SshHost(name="far", options=("-F", "config"))).argv
    assert argv[:3] == ("ssh", "-F", "config")
    assert argv[-3:-1] == ("--", "far")


def test_that_giving_up_a_conversation_gives_up_the_one_inside() -> None:
    ended: list[str] = []

    def inside() -> Conversation[None]:
        try:
            yield (Command(argv=("true",)),)
        finally:
            ended.append("closed")

    outside = on_host(inside(), FAR)
    next(outside)
    outside.close()
    assert ended == ["closed"]


@needs_fio
@pytest.mark.usefixtures("far_side")
def test_that_a_profile_runs_on_a_host_and_leaves_nothing_there(tmp_path: Path) -> None:
    record = converse(on_host(run_profile(order(tmp_path, small(mib=1), small("read", rw="randread", mib=1))), FAR))
    assert (record.ended, record.why) == (Ended.WHOLE, "")
    assert [len(test.repeats) for test in record.tests] == [2, 2]
    assert all(
        dict(repeat.files).keys() >= {"fio.json", "samples.txt"} for test in record.tests for repeat in test.repeats
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@needs_fio
def test_that_a_lost_connection_ends_a_run_and_the_far_side_cleans_up_by_itself(
    far_side: FarSide, tmp_path: Path
) -> None:
    seen: list[bool] = []

    def lose(_doing: str, _fraction: float | None, value: object) -> None:
        if isinstance(value, RunProgress) and value.test and value.seconds > 1 and not seen:
            seen.append(any(tmp_path.iterdir()))
            far_side.lose()

    record = converse(on_host(run_profile(order(tmp_path, small(seconds=60)), lose), FAR))
    assert seen == [True]
    assert record.ended is Ended.FAILED
    assert "connection" in record.why
    deadline = time.monotonic() + 10
    while any(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@needs_fio
def test_that_a_cable_that_is_pulled_ends_a_run_on_both_sides(
    far_side: FarSide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The far side hears no beat any more and cleans up; here ssh gives a silent network up, which the test does."""
    monkeypatch.setattr(commands, "SILENCE_SECONDS", 3.0)
    monkeypatch.setattr(piped, "BEAT_SECONDS", 0.5)
    seen: list[float] = []
    gone: list[float] = []

    def pull(_doing: str, _fraction: float | None, value: object) -> None:
        if not isinstance(value, RunProgress) or not value.test:
            return
        if value.seconds > 5 and not seen:  # longer than the silence that is borne: beats kept it alive
            assert any(tmp_path.iterdir())
            seen.append(time.monotonic())
            far_side.silence()
        elif seen and not gone and not any(tmp_path.iterdir()):
            gone.append(time.monotonic() - seen[0])
            far_side.lose()

    record = converse(on_host(run_profile(order(tmp_path, small(seconds=60)), pull), FAR))
    assert gone
    assert gone[0] < 10
    assert record.ended is Ended.FAILED
    assert "connection" in record.why
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@needs_fio
@pytest.mark.usefixtures("far_side")
def test_that_a_cancel_reaches_the_far_side_and_keeps_what_it_had_to_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[float] = []

    def interrupt(_doing: str, _fraction: float | None, value: object) -> None:
        if isinstance(value, RunProgress) and value.test and value.written_bytes and not began:
            began.append(time.monotonic())
            raise KeyboardInterrupt

    record: RunRecord = converse(on_host(run_profile(order(tmp_path, small(seconds=60)), interrupt), FAR))
    assert record.ended is Ended.CANCELLED
    assert time.monotonic() - began[0] < 4  # 2 s for what runs, then the files are taken away
    (repeat,) = record.tests[0].repeats
    assert dict(repeat.files).keys() >= {"fio.json", "test_bw.1.log"}  # the log comes after the end
    assert list(tmp_path.iterdir()) == []
