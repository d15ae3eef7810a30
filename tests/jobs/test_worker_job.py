"""Questions to the worker process from the window's event loop: answered, cancelled, and killed in between."""

import os
import random
import signal
import sys
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QObject
from pytestqt.qtbot import QtBot
from tests.jobs.test_sliced_job import Heart
from tests.process import asked
from tests.process.test_worker import CHILD, is_gone

from poolwright.domain.errors import EnvironmentFailure
from poolwright.jobs.job import JobPhase, JobQueue
from poolwright.jobs.worker_job import BriefJob, WorkerJob, Workers, workers
from poolwright.process import worker as module


@pytest.fixture
def queue(qapp: QCoreApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[JobQueue]:
    monkeypatch.setattr(module, "own_program", lambda _word: (sys.executable, "-P", "-c", CHILD))
    workers().end()
    made = JobQueue()
    yield made
    made.cancel_all()
    workers().end()
    made.deleteLater()


@pytest.fixture
def shared(queue: JobQueue) -> Workers:
    return workers()


def pids(shared: Workers) -> list[int]:
    return [line.worker.pid for line in shared._lines]


def done(job: WorkerJob, queue: JobQueue, qtbot: QtBot) -> object:
    with qtbot.waitSignal(job.ended, timeout=20_000):
        queue.add(job)
    return job.result


def test_that_a_question_is_answered_with_what_was_found_on_the_way(queue: JobQueue, qtbot: QtBot) -> None:
    heard: list[int] = []
    job = WorkerJob("counting", "numbers", queue, asked.counted, 200)
    job.so_far.connect(heard.append)
    assert done(job, queue, qtbot) == 200
    assert heard == list(range(200))
    assert done(WorkerJob("doubling", "numbers", queue, asked.double, 4, and_add=1), queue, qtbot) == 9


def test_that_a_cancelled_question_ends_its_process_and_the_next_one_has_another(
    queue: JobQueue, shared: Workers, qtbot: QtBot
) -> None:
    job = WorkerJob("sleeping", "bed", queue, asked.sleep, 60.0)
    queue.add(job)
    (pid,) = pids(shared)
    job.cancel()
    assert job.state.phase is JobPhase.CANCELLED
    assert is_gone(pid)
    assert done(WorkerJob("doubling", "bed", queue, asked.double, 4), queue, qtbot) == 8


def test_that_a_brief_question_is_let_finish_and_the_next_goes_to_who_knows(
    queue: JobQueue, shared: Workers, qtbot: QtBot
) -> None:
    known = done(WorkerJob("pid", "ranking", queue, asked.pid), queue, qtbot)
    brief = BriefJob("sleeping", "ranking row", queue, asked.sleep, 0.1)
    queue.add(brief)
    brief.cancel()
    assert brief.state.phase is JobPhase.CANCELLED
    assert done(BriefJob("pid", "ranking row", queue, asked.pid), queue, qtbot) == known
    queue.add(WorkerJob("sleeping", "ranking", queue, asked.sleep, 60.0))
    assert done(BriefJob("pid", "ranking row", queue, asked.pid), queue, qtbot) not in (None, known)
    assert len(pids(shared)) == 2


def test_that_no_more_than_two_work_and_others_wait(queue: JobQueue, shared: Workers, qtbot: QtBot) -> None:
    first, second = (WorkerJob("sleeping", f"bed{number}", queue, asked.sleep, 60.0) for number in range(2))
    third = WorkerJob("doubling", "numbers", queue, asked.double, 2)
    for job in (first, second, third):
        queue.add(job)
    assert len(pids(shared)) == 2
    with qtbot.waitSignal(third.ended, timeout=20_000):
        first.cancel()
    assert third.result == 4


def test_that_what_cannot_be_started_or_dies_fails_with_words(
    queue: JobQueue, shared: Workers, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = WorkerJob("falling", "cliff", queue, asked.fall)
    done(job, queue, qtbot)
    assert isinstance(job.state.error, EnvironmentFailure)
    assert "the last straw" in job.state.error_text
    assert pids(shared) == []
    bug = WorkerJob("stumbling", "stone", queue, asked.stumble)
    done(bug, queue, qtbot)
    assert bug.state.error_text.startswith("The program made a mistake: ZeroDivisionError")
    shared.end()
    monkeypatch.setattr(module, "own_program", lambda _word: ("/nowhere/poolwright",))
    never = WorkerJob("doubling", "numbers", queue, asked.double, 2)
    done(never, queue, qtbot)
    assert "cannot be started" in never.state.error_text


@pytest.mark.parametrize("seed", range(3))
def test_that_a_process_killed_at_any_moment_fails_its_job_once(
    queue: JobQueue, shared: Workers, qtbot: QtBot, seed: int
) -> None:
    ended: list[JobPhase] = []
    job = WorkerJob("counting", "numbers", queue, asked.counted, 100_000)
    job.ended.connect(lambda: ended.append(job.state.phase))
    queue.add(job)
    (pid,) = pids(shared)
    qtbot.wait(random.Random(seed).randrange(300))
    os.kill(pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: job.state.ended, timeout=5_000)
    assert ended == [JobPhase.FAILED]
    assert is_gone(pid)
    assert pids(shared) == []


def test_that_other_rules_are_read_by_another_process_once_nothing_runs(
    queue: JobQueue, shared: Workers, qtbot: QtBot
) -> None:
    known = done(WorkerJob("pid", "rules", queue, asked.pid), queue, qtbot)
    job = WorkerJob("sleeping", "rules", queue, asked.sleep, 0.1)
    queue.add(job)
    shared.renew()
    qtbot.waitUntil(lambda: job.state.ended, timeout=5_000)
    assert job.state.phase is JobPhase.SUCCEEDED
    assert pids(shared) == []
    assert done(WorkerJob("pid", "rules", queue, asked.pid), queue, qtbot) != known


def test_that_a_spare_one_waits_once_it_was_asked_for(queue: JobQueue, shared: Workers, qtbot: QtBot) -> None:
    shared.keep_spare()
    qtbot.waitUntil(lambda: len(pids(shared)) == 1, timeout=5_000)
    job = WorkerJob("sleeping", "bed", queue, asked.sleep, 60.0)
    queue.add(job)
    job.cancel()
    assert pids(shared) == []
    qtbot.waitUntil(lambda: len(pids(shared)) == 1, timeout=5_000)
    shared.keep_spare(kept=False)


def test_that_the_window_lives_while_many_messages_come(queue: JobQueue, qtbot: QtBot) -> None:
    owner = QObject()
    heart = Heart(owner)
    assert done(WorkerJob("counting", "numbers", queue, asked.counted, 20_000), queue, qtbot) == 20_000
    heart.stop()
    owner.deleteLater()
    assert heart.longest < 0.05
