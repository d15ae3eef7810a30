"""A command that a dead disk holds in the kernel: one ending, and the window goes on."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot
from tests.jobs.test_command_job import reading_of
from tests.process.held import frozen_folder
from tests.process.processes import state_of

from poolwright.domain.command import Command, Ending
from poolwright.jobs.command_job import GRACE_SECONDS as SHORT_GRACE_SECONDS
from poolwright.jobs.command_job import CommandJob
from poolwright.jobs.job import JobPhase
from poolwright.process.blocking import run
from poolwright.process.piped import GRACE_SECONDS, LEFT_BEHIND_SECONDS

pytestmark = pytest.mark.slow
BEARABLE_SECONDS = 0.4  # of a busy machine; each stop was felt for 1.15 s


class Pulse(QObject):
    """Measures for how long the event loop did not come round."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.longest = 0.0
        self._last = time.monotonic()
        self.timer = QTimer(self)
        self.timer.setInterval(5)
        self.timer.timeout.connect(self.beat)
        self.timer.start()

    def beat(self) -> None:
        now = time.monotonic()
        self.longest, self._last = max(self.longest, now - self._last), now


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Command]:
    with frozen_folder(tmp_path) as folder:
        note = tmp_path / "pid"
        yield Command(argv=("sh", "-c", f"echo $$ > {note}; echo begun; : > {folder}/x; echo done"))


def pid_of(tmp_path: Path) -> int:
    return int((tmp_path / "pid").read_text())


def test_that_a_reading_goes_on_without_it(qtbot: QtBot, owner: QObject, held: Command, tmp_path: Path) -> None:
    pulse = Pulse(owner)
    command = Command(argv=held.argv, timeout_seconds=0.3)
    job = CommandJob("reading", "here", reading_of(command, Command(argv=("echo", "hello"))), owner)
    with qtbot.waitSignal(job.ended, timeout=10_000):
        job.start()
    assert state_of(pid_of(tmp_path)) == "D"
    assert job.state.phase is JobPhase.SUCCEEDED
    assert isinstance(job.result, tuple)
    assert [c.ending for c in job.result] == [Ending.TIMED_OUT, Ending.EXITED]
    assert job.result[0].stdout == b"begun\n"
    pulse.timer.stop()
    assert pulse.longest < BEARABLE_SECONDS


def test_that_cancelling_ends_the_job_at_once(qtbot: QtBot, held: Command, tmp_path: Path) -> None:
    owner = QObject()
    pulse = Pulse(owner)
    job = CommandJob("reading", "here", reading_of(held), owner)
    job.start()
    qtbot.waitUntil(lambda: (tmp_path / "pid").exists() and state_of(pid_of(tmp_path)) == "D", timeout=5000)
    job.cancel()
    assert job.state.phase is JobPhase.CANCELLED
    owner.deleteLater()
    qtbot.wait(round(1000 * (SHORT_GRACE_SECONDS + LEFT_BEHIND_SECONDS)) + 100)
    assert pulse.longest < BEARABLE_SECONDS
    assert state_of(pid_of(tmp_path)) == "D"


WINDOW = """
import sys
from PySide6.QtCore import QCoreApplication, QObject, QTimer
from poolwright.jobs.command_job import CommandJob
from poolwright.jobs.job import JobQueue
from poolwright.domain.command import Command
def reading():
    yield (Command(argv=tuple(sys.argv[1:])),)
application = QCoreApplication([])
queue = JobQueue(application)
queue.add(CommandJob("reading", "here", reading(), queue))
QTimer.singleShot(700, queue.cancel_all)
QTimer.singleShot(701, application.quit)
application.exec()
"""


def test_that_the_program_ends_although_it_is_held(held: Command, tmp_path: Path) -> None:
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", WINDOW, *held.argv], check=True, timeout=20)
    assert time.monotonic() - started < 5
    assert state_of(pid_of(tmp_path)) == "D"


def test_that_the_command_line_goes_on_without_it(held: Command) -> None:
    started = time.monotonic()
    assert run(Command(argv=held.argv, timeout_seconds=0.2)).ending is Ending.TIMED_OUT
    assert time.monotonic() - started < 2 * GRACE_SECONDS + 1
