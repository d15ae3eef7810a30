"""What a test of the window or of a job leaves behind fails it: a running timer, a process, a thread.

Timers and processes are remembered as they start: to look for them among all objects takes longer than most tests.
"""

import gc
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import count
from typing import Any
from weakref import WeakSet

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from poolwright.jobs.worker_job import workers
from poolwright.process import piped

MOST_SECONDS = 5
# So many tests leave their closed windows to one collection; the more lie there, the longer it takes.
_COLLECTED_TOGETHER = 20
_looks = count(1)
_timers: WeakSet[QTimer] = WeakSet()
_children: WeakSet[subprocess.Popen[Any]] = WeakSet()


def _remembered(start: Callable[..., None], among: WeakSet[Any]) -> Callable[..., None]:
    @wraps(start)
    def started(self: object, *args: Any, **named: Any) -> None:
        start(self, *args, **named)
        among.add(self)

    return started


QTimer.start = _remembered(QTimer.start, _timers)  # type: ignore[method-assign]
subprocess.Popen.__init__ = _remembered(subprocess.Popen.__init__, _children)  # type: ignore[method-assign]


@pytest.fixture(autouse=True, scope="module")
def worker_of_module(qapp: QCoreApplication) -> Iterator[None]:
    """Let the tests of a module ask the same worker process: it takes 0.4 s to begin."""
    children = running_children()
    yield
    workers().end()
    assert running_children() == children


@pytest.fixture(autouse=True)
def nothing_leaks(qtbot: QtBot) -> Iterator[None]:
    """Fail when a timer, process or thread outlives the test."""
    threads, children = set(threading.enumerate()), running_children()
    yield
    look_for_leaks(threads, children)


def look_for_leaks(threads: set[threading.Thread], children: set[int]) -> None:
    """Fail when more runs than these threads and children."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.unfreeze()  # what the program keeps for good, closed windows among it, would pile up over many tests
    if running_timers() or next(_looks) % _COLLECTED_TOGETHER == 0:
        gc.collect()  # what nobody holds any more is gone only once a circle of references was collected
    await_commands()
    left = running_timers()
    assert left == [], left
    begun, at_work = running_children() - children, set(threading.enumerate()) - threads
    assert begun == set(), begun
    assert at_work == set(), at_work


def await_commands() -> None:
    """Wait until commands whose job is gone have ended: a command that is given up is ended beside the window."""
    until = time.monotonic() + MOST_SECONDS
    while any("CommandRun in QApplication" in timer for timer in running_timers()) and time.monotonic() < until:
        QCoreApplication.processEvents()
        time.sleep(0.01)


def running_timers() -> list[str]:
    """Return whose timers run yet, each with its owners from near to far: a bare address would tell nobody."""
    found = (timer for timer in list(_timers) if isValid(timer) and timer.isActive())
    return [f"{timer.interval()} ms, of {' in '.join(owners(timer)) or 'nobody'}" for timer in found]


def owners(of: QObject) -> list[str]:
    """Return the classes that an object belongs to, from near to far."""
    above = of.parent()
    return [] if above is None else [type(above).__name__, *owners(above)]


def running_children() -> set[int]:
    """Return the numbers of the processes that were begun here and still run.

    But for those left behind on purpose, and for the worker processes, which tests share: `worker_of_module` ends them.
    """
    found = {child.pid for child in list(_children) if child.poll() is None}
    return found - {child.pid for child in piped._left_behind} - {line.worker.pid for line in workers()._lines}
