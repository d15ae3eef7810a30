"""The worker process: what it is asked comes back, whatever is printed, and it goes with who asks."""

import os
import random
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from tests.process import asked
from tests.texts.brackets import told_in

from poolwright.domain.errors import EnvironmentFailure, Refusal
from poolwright.machine.typed.read import read_typed
from poolwright.process import worker as module
from poolwright.process.worker import MOST_BYTES, Kind, Reporter, Worker

ROOT = Path(__file__).parents[2]
CHILD = f"""import sys
sys.path[:0] = [{str(ROOT)!r}]
from poolwright.process.worker import serve
serve('tests.process.asked')"""


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    monkeypatch.setattr(module, "own_program", lambda _word: (sys.executable, "-P", "-c", CHILD))
    made = Worker()
    yield made
    made.end()
    assert is_gone(made.pid)


def is_gone(pid: int) -> bool:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            os.waitpid(pid, os.WNOHANG)
            os.kill(pid, 0)
        except (ChildProcessError, ProcessLookupError):
            return True
        time.sleep(0.005)
    return False


def told(worker: Worker, name: str, *args: object, **named: object) -> list[tuple[Kind, Any]]:
    """Return all that a question brings, its answer last."""
    worker.ask(name, args, named)
    found: list[tuple[Kind, Any]] = []
    while not found or found[-1][0] not in (Kind.ANSWER, Kind.ERROR):
        select.select([worker.reads], [] if worker.write() else [worker.writes], [], 10)
        found += worker.read()
    return found


def answer(worker: Worker, name: str, *args: object, **named: object) -> Any:
    return told(worker, name, *args, **named)[-1][1]


def test_that_questions_are_answered_one_after_another_by_the_same_process(worker: Worker) -> None:
    assert answer(worker, "double", 21) == 42
    assert answer(worker, "double", 21, and_add=1) == 43
    assert answer(worker, "pid") == worker.pid != os.getpid()


def test_that_stray_prints_do_no_harm(worker: Worker) -> None:
    assert answer(worker, "chatter", 20_000) == "done"
    assert answer(worker, "double", 1) == 2


def test_that_shares_come_now_and_then_and_what_was_found_comes_whole(worker: Worker) -> None:
    found = told(worker, "counted", 300)
    assert [value for kind, value in found if kind is Kind.SO_FAR] == list(range(300))
    assert 1 <= sum(kind is Kind.SHARE for kind, _ in found) < 100


def test_that_errors_come_back_as_values(worker: Worker) -> None:
    ((kind, refused),) = told(worker, "refuse")
    assert (kind, type(refused), refused.where, refused.reasons) == (Kind.ERROR, Refusal, "here", ("one", "two"))
    wrong = answer(worker, "stumble")
    assert isinstance(wrong, ZeroDivisionError)
    assert "return 1 // 0" in wrong.__notes__[0]
    assert str(answer(worker, "strange")) == "OnlyHere: odd"
    assert "too many" in str(answer(worker, "too_much"))
    assert answer(worker, "double", 2) == 4


def test_that_a_long_question_is_written_as_it_is_taken(worker: Worker) -> None:
    assert len(answer(worker, "double", 1 << (8 * MOST_BYTES - 999)).to_bytes(MOST_BYTES)) == MOST_BYTES


def test_that_texts_are_told_in_the_language_of_who_asks(worker: Worker) -> None:
    with told_in("de"):
        assert [answer(worker, "disks", count) for count in (1, 2)] == ["1 Platte", "2 Platten"]
    assert answer(worker, "disks", 2) == "2 disks"


def test_that_disks_that_were_sent_come_back_as_the_very_ones_unless_they_are_others_now(worker: Worker) -> None:
    sent = read_typed(["3 x 4TB"])
    back = answer(worker, "without_first", sent)
    assert back == asked.without_first(Reporter(), sent)
    assert [one is other for one, other in zip(back.disks, (*sent.disks[1:], sent.disks[0]), strict=True)] == [
        True, True, False,
    ]  # fmt: skip


def test_that_one_that_dies_is_told_with_its_last_words(worker: Worker) -> None:
    with pytest.raises(EnvironmentFailure, match=r"has ended \(the last straw\)\. Try again"):
        told(worker, "fall")


@pytest.mark.parametrize("seed", range(4))
def test_that_one_killed_at_any_moment_leaves_no_half_answer(worker: Worker, seed: int) -> None:
    worker.ask("counted", (100_000,), {})
    killer = Timer(random.Random(seed).uniform(0, 0.4), os.kill, (worker.pid, 9))
    killer.start()
    heard: list[tuple[Kind, Any]] = []

    def hear() -> None:
        while True:
            select.select([worker.reads], [] if worker.write() else [worker.writes], [], 0.01)
            heard.extend(worker.read())

    with pytest.raises(EnvironmentFailure, match="has ended"):
        hear()
    numbers = [value for kind, value in heard if kind is Kind.SO_FAR]
    assert numbers == list(range(len(numbers)))
    assert is_gone(worker.pid)


def test_that_it_does_not_outlive_who_asks_not_even_in_the_middle_of_its_work() -> None:
    asking = f"""
import os, select
from poolwright.machine.typed.read import read_typed
from poolwright.process import worker as module
module.own_program = lambda word: ({sys.executable!r}, "-P", "-c", {CHILD!r})
worker = module.Worker()
worker.ask("pid", (), {{}})
while not worker.write() or not list(worker.read()):
    select.select([worker.reads], [], [], 0.01)
worker.ask("sleep", (60,), {{}})
worker.write()
print(worker.pid, flush=True)
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True, check=False)
    assert is_gone(int(done.stdout)), done.stderr


def test_that_the_program_itself_is_started_by_a_word_of_its_own_and_none_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Worker()
    try:
        error = answer(made, "nothing_of_the_kind")
        assert isinstance(error, KeyError)
    finally:
        made.end()
    monkeypatch.setattr(module, "own_program", lambda _word: ("/nowhere/poolwright",))
    with pytest.raises(EnvironmentFailure, match="cannot be started"):
        Worker()
