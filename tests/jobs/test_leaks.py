"""The search for what a test leaves behind finds it."""

import subprocess
import threading

import pytest
from PySide6.QtCore import QObject, QTimer
from tests.leaks import look_for_leaks, running_children, running_timers


class Clock(QTimer):
    """A timer of the program's own kind."""


def look() -> None:
    look_for_leaks(set(threading.enumerate()), set())


@pytest.mark.slow
@pytest.mark.parametrize("kind", [QTimer, Clock])
@pytest.mark.parametrize("owned", [True, False])
def test_that_a_timer_left_running_is_found_with_its_owner(owner: QObject, kind: type[QTimer], *, owned: bool) -> None:
    timer = kind(owner if owned else None)
    timer.setInterval(60_000)
    look()
    timer.start()
    with pytest.raises(AssertionError, match="60000 ms, of QObject" if owned else "60000 ms, of nobody"):
        look()
    timer.stop()
    look()


@pytest.mark.slow
def test_that_a_timer_that_nobody_holds_any_more_is_none() -> None:
    class Held(QObject):
        def __init__(self) -> None:
            super().__init__()
            self.timer, self.itself = QTimer(self), self
            self.timer.start(60_000)

    Held()
    assert running_timers() == ["60000 ms, of Held"]
    look()
    assert running_timers() == []


def test_that_a_process_left_running_is_found() -> None:
    before = running_children()
    with subprocess.Popen(["sleep", "60"]) as child:
        try:
            assert running_children() - before == {child.pid}
            with pytest.raises(AssertionError, match=str(child.pid)):
                look()
        finally:
            child.kill()
    assert running_children() == before


def test_that_a_thread_left_running_is_found() -> None:
    before, over = set(threading.enumerate()), threading.Event()
    thread = threading.Thread(target=over.wait, name="left behind")
    thread.start()
    try:
        with pytest.raises(AssertionError, match="left behind"):
            look_for_leaks(before, running_children())
    finally:
        over.set()
        thread.join()
