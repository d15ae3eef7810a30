"""The collector of garbage does not stop the window, however much there is.

Each test has a process of its own, in which nobody else leaves garbage.
"""

import gc
import subprocess
import sys
import time
import weakref
from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication

from poolwright.domain.design import Design
from poolwright.ui.shell.warm_up import ShortCollections
from poolwright.ui.state.session import Session


class Held:
    """Something that may hold itself."""

    def __init__(self) -> None:
        self.held: Held | None = None


def longest_while_making(count: int) -> float:
    """Return how long the longest collection takes while ``count`` objects are made and kept, in processor time."""
    took: list[float] = []
    began = 0.0

    def note(phase: str, _info: dict[str, int]) -> None:
        nonlocal began
        if phase == "start":
            began = time.thread_time()
        else:
            took.append(time.thread_time() - began)

    gc.callbacks.append(note)
    kept = [[number] for number in range(count)]
    gc.callbacks.remove(note)
    assert len(kept) == count
    return max(took)


def a_million_objects_are_never_looked_through_at_once() -> None:
    collections = ShortCollections()
    collections.begin()
    short = longest_while_making(1_000_000)
    collections.end()
    gc.unfreeze()
    assert short < longest_while_making(1_000_000) / 3


def garbage_is_collected_between() -> None:
    ShortCollections().begin()
    garbage = Held()
    garbage.held = garbage
    gone = weakref.ref(garbage)
    del garbage
    longest_while_making(200_000)
    assert gone() is None


def collecting_goes_on_as_before_at_the_end() -> None:
    thresholds, callbacks = gc.get_threshold(), list(gc.callbacks)
    collections = ShortCollections()
    collections.begin()
    collections.begin()
    assert gc.get_threshold() != thresholds
    collections.end()
    collections.end()
    assert (gc.get_threshold(), gc.callbacks) == (thresholds, callbacks)


def a_closed_session_may_be_collected_after_its_steps() -> None:
    """The order in which garbage lies: what was left out for good, and is taken in again, comes last."""
    application = QCoreApplication([])
    for _ in range(3):
        session = Session()
        gc.freeze()
        for name in ("tank", "pond"):
            session.change_design(Design(key=name, name=name, pool_name=name), "Rename")
        gc.collect()
        gc.unfreeze()
        session.library.close()
        del session
        gc.collect()
    del application


@pytest.mark.slow
@pytest.mark.parametrize(
    "what",
    [
        a_closed_session_may_be_collected_after_its_steps,
        a_million_objects_are_never_looked_through_at_once,
        garbage_is_collected_between,
        collecting_goes_on_as_before_at_the_end,
    ],
)
def test_that(what: Callable[[], None]) -> None:
    alone = f"from tests.ui.test_garbage import {what.__name__} as what; what()"
    done = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
