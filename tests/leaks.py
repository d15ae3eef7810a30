"""What a test of the window or of a job leaves behind fails it: a running timer, a process, a thread."""

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QProcess, QTimer
from pytestqt.qtbot import QtBot
from shiboken6 import isValid


@pytest.fixture(autouse=True)
def nothing_leaks(qtbot: QtBot) -> Iterator[None]:
    """Fail when a timer, process or thread outlives the test."""
    before = set(threading.enumerate())
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    alive = [o for o in gc.get_objects() if isinstance(o, QTimer | QProcess) and isValid(o)]
    assert [o for o in alive if isinstance(o, QTimer) and o.isActive()] == []
    assert [o for o in alive if isinstance(o, QProcess) and o.state() is not QProcess.ProcessState.NotRunning] == []
    assert set(threading.enumerate()) == before
