"""A run driven by the event loop ends as it does on the command line; cancelled, it returns what it has."""

import time
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.bench.running.places import needs_fio, order, small
from tests.leaks import nothing_leaks, running_timers

from poolwright.bench.record import Ended, RunRecord
from poolwright.bench.running.run import RunProgress, run_profile
from poolwright.jobs.command_job import WatchedJob
from poolwright.jobs.job import JobPhase, JobQueue

__all__ = ["nothing_leaks"]
pytestmark = needs_fio


@pytest.fixture
def jobs(qtbot: QtBot) -> JobQueue:
    return JobQueue()


def begun(jobs: JobQueue, directory: Path, seconds: float | None = None) -> tuple[WatchedJob, list[object]]:
    told: list[object] = []
    asked = order(directory, small(repeats=1), small("second", seconds=seconds, repeats=1))
    job = WatchedJob("Run", "here", partial(run_profile, asked), jobs)
    job.told.connect(told.append)
    jobs.add(job)
    return job, told


@pytest.mark.slow
def test_that_the_window_gets_the_record_and_hears_how_far_it_is(qtbot: QtBot, jobs: JobQueue, tmp_path: Path) -> None:
    job, told = begun(jobs, tmp_path)
    with qtbot.waitSignal(job.ended, timeout=20_000):
        pass
    assert job.state.phase is JobPhase.SUCCEEDED
    assert isinstance(job.result, RunRecord)
    assert (job.result.ended, len(job.result.tests)) == (Ended.WHOLE, 2)
    assert [value for value in told if isinstance(value, RunProgress)]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_that_a_cancelled_run_gives_its_record_within_two_seconds(qtbot: QtBot, jobs: JobQueue, tmp_path: Path) -> None:
    job, told = begun(jobs, tmp_path, seconds=30)
    qtbot.waitUntil(
        lambda: any(isinstance(v, RunProgress) and v.test == "second" and v.fraction > 0 for v in told), timeout=20_000
    )
    began = time.monotonic()
    with qtbot.waitSignal(job.ended, timeout=5000):
        jobs.cancel_all()
    assert time.monotonic() - began < 2
    assert isinstance(job.result, RunRecord)
    assert job.result.ended is Ended.CANCELLED
    assert [run.repeats[0].ended for run in job.result.tests] == [Ended.WHOLE, Ended.CANCELLED]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_that_a_run_that_is_given_up_leaves_nothing(qtbot: QtBot, jobs: JobQueue, tmp_path: Path) -> None:
    job, told = begun(jobs, tmp_path, seconds=30)
    qtbot.waitUntil(lambda: any(isinstance(v, RunProgress) and v.test == "second" for v in told), timeout=20_000)
    job.cancel()
    job.cancel()
    assert job.state.phase is JobPhase.CANCELLED
    qtbot.waitUntil(lambda: list(tmp_path.iterdir()) == [], timeout=3000)
    qtbot.waitUntil(lambda: not running_timers())
