"""What a test of the window or of a job leaves behind fails it: a running timer, a process, a thread."""

import gc
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from poolwright.process import child as child_module

MOST_SECONDS = 5


@pytest.fixture(autouse=True)
def nothing_leaks(qtbot: QtBot) -> Iterator[None]:
    """Fail when a timer, process or thread outlives the test."""
    threads, children = set(threading.enumerate()), running_children()
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.unfreeze()  # what the program keeps for good would not be seen
    if running_timers():
        gc.collect()  # what nobody holds any more is gone only once a circle of references was collected
    await_commands()
    left = running_timers()
    assert left == [], left
    assert running_children() - children == set()
    assert set(threading.enumerate()) == threads


def await_commands() -> None:
    """Wait until commands whose job is gone have ended: a command that is given up is ended beside the window."""
    until = time.monotonic() + MOST_SECONDS
    while any("CommandRun in QApplication" in timer for timer in running_timers()) and time.monotonic() < until:
        QCoreApplication.processEvents()
        time.sleep(0.01)


def running_timers() -> list[str]:
    """Return whose timers run yet, each with its owners from near to far: a bare address would tell nobody."""
    found = (o for o in gc.get_objects() if isinstance(o, QTimer) and isValid(o) and o.isActive())
    return [f"{timer.interval()} ms, of {' in '.join(owners(timer)) or 'nobody'}" for timer in found]


def owners(of: QObject) -> list[str]:
    """Return the classes that an object belongs to, from near to far."""
    above = of.parent()
    return [] if above is None else [type(above).__name__, *owners(above)]


def running_children() -> set[int]:
    """Return the numbers of the processes that were begun here and still run, but for those left behind on purpose."""
    found = {o.pid for o in gc.get_objects() if isinstance(o, subprocess.Popen) and o.poll() is None}
    return found - {child.pid for child in child_module._left_behind}
