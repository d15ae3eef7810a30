"""Sliced work leaves the event loop alive, and jobs on one target wait for each other."""

import time
from collections.abc import Generator

from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from poolwright.domain.errors import Refusal
from poolwright.jobs.job import Job, JobPhase, JobQueue, SlicedJob


def busy(steps: int, seconds: float = 0.001) -> Generator[float, None, int]:
    for step in range(steps):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            pass
        yield step / steps
    return steps


class Heart(QObject):
    """Notes the most processor time between two turns of the event loop: other programs do not count."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.longest = 0.0
        self._last = time.thread_time()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.beat)
        self._timer.start()

    def beat(self) -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._last)
        self._last = now

    def stop(self) -> None:
        self._timer.stop()


def test_that_sliced_work_returns_its_result(qtbot: QtBot, owner: QObject) -> None:
    job = SlicedJob("counting", "core", busy(30), owner)
    with qtbot.waitSignal(job.ended):
        job.start()
    assert (job.state.phase, job.result, job.state.fraction) == (JobPhase.SUCCEEDED, 30, 1.0)


def test_that_the_event_loop_turns_between_slices(qtbot: QtBot, owner: QObject) -> None:
    heart = Heart(owner)
    job = SlicedJob("counting", "core", busy(200), owner)
    with qtbot.waitSignal(job.ended, timeout=10_000):
        job.start()
    heart.stop()
    # 200 ms of work; a slice is 8 ms, the rest is what the loop itself and a collection of garbage may add.
    assert heart.longest < 0.1


def test_that_cancelling_closes_the_work(qtbot: QtBot, owner: QObject) -> None:
    closed: list[bool] = []

    def work() -> Generator[float, None, None]:
        try:
            while True:
                yield 0.5
        finally:
            closed.append(True)

    job = SlicedJob("endless", "core", work(), owner)
    job.start()
    qtbot.waitUntil(lambda: job.state.fraction == 0.5)
    job.cancel()
    assert (job.state.phase, closed) == (JobPhase.CANCELLED, [True])


def test_that_an_error_in_the_work_is_the_end_of_the_job(qtbot: QtBot, owner: QObject) -> None:
    def work() -> Generator[float, None, None]:
        yield 0.0
        raise Refusal("No layout fits")

    job = SlicedJob("ranking", "core", work(), owner)
    with qtbot.waitSignal(job.ended):
        job.start()
    assert job.state.phase is JobPhase.FAILED
    assert job.state.error_text == "No layout fits."


def test_that_jobs_on_one_target_run_one_after_another(qtbot: QtBot) -> None:
    queue = JobQueue()
    order: list[str] = []

    def work(name: str) -> Generator[float, None, None]:
        order.append(f"{name} begins")
        yield 0.5
        order.append(f"{name} ends")

    jobs: list[Job] = [SlicedJob(name, "sda", work(name), queue) for name in ("first", "second")]
    last = jobs[-1]
    with qtbot.waitSignal(last.ended):
        for job in jobs:
            queue.add(job)
    assert order == ["first begins", "first ends", "second begins", "second ends"]
    assert queue.jobs == ()
    queue.deleteLater()


def test_that_jobs_on_different_targets_run_side_by_side(qtbot: QtBot) -> None:
    queue = JobQueue()
    for target in ("sda", "sdb"):
        queue.add(SlicedJob("reading", target, busy(10_000), queue))
    assert [job.state.phase for job in queue.jobs] == [JobPhase.RUNNING, JobPhase.RUNNING]
    queue.cancel_all()
    assert queue.jobs == ()
    queue.deleteLater()


def test_that_cancelling_all_starts_nothing_new(qtbot: QtBot) -> None:
    queue = JobQueue()
    started: list[str] = []

    def work(name: str) -> Generator[float, None, None]:
        started.append(name)
        while True:
            yield 0.0

    for name in ("first", "second", "third"):
        queue.add(SlicedJob(name, "sda", work(name), queue))
    qtbot.waitUntil(lambda: started == ["first"])
    queue.cancel_all()
    assert started == ["first"]
    assert queue.jobs == ()
    queue.deleteLater()


def test_that_jobs_beside_each_other_share_the_time_between_two_events(owner: QObject, qtbot: QtBot) -> None:
    steps = [0] * 8

    def counted(number: int) -> Generator[float, None, None]:
        for _ in busy(10_000, seconds=0.0005):
            steps[number] += 1
            yield 0.0

    jobs = [SlicedJob("count", "here", counted(number), owner) for number in range(len(steps))]
    for job in jobs:
        job.start()
    for job in jobs:
        job._slice()
    # Alone each of them takes 16 steps of half a millisecond, and together they took 128.
    assert len(steps) <= sum(steps) <= 32
    for job in jobs:
        job.cancel()
    jobs[0] = SlicedJob("count", "here", counted(0), owner)
    jobs[0].start()
    alone = []
    for _ in range(5):  # the processor may be somebody else's for a moment
        steps[0] = 0
        jobs[0]._slice()
        alone.append(steps[0])
    assert max(alone) > 2
    jobs[0].cancel()
