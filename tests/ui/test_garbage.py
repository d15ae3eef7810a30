"""The collector of garbage does not stop the window, however much there is."""

import gc
import time
import weakref
from collections.abc import Iterator

import pytest

from poolwright.ui.shell.garbage import ShortCollections

USUAL = (700, 10, 10)  # of Python 3.11


class Held:
    """Something that may hold itself."""

    def __init__(self) -> None:
        self.held: Held | None = None


@pytest.fixture(autouse=True)
def left_out_as_before() -> Iterator[None]:
    """Collect as often as Python does by itself; a collection of the windows that other tests closed is not asked for.

    Hundreds of them in one have ended the process.
    """
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.fixture
def collections() -> Iterator[ShortCollections]:
    made = ShortCollections()
    made.begin()
    yield made
    made.end()


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


def test_that_a_million_objects_are_never_looked_through_at_once(collections: ShortCollections) -> None:
    short = longest_while_making(1_000_000)
    collections.end()
    gc.unfreeze()
    assert short < longest_while_making(1_000_000) / 3


def test_that_garbage_is_collected_between(collections: ShortCollections) -> None:
    garbage = Held()
    garbage.held = garbage
    gone = weakref.ref(garbage)
    del garbage
    longest_while_making(200_000)
    assert gone() is None


def test_that_collecting_goes_on_as_before_at_the_end() -> None:
    thresholds, callbacks = gc.get_threshold(), list(gc.callbacks)
    collections = ShortCollections()
    collections.begin()
    collections.begin()
    assert gc.get_threshold() != thresholds
    collections.end()
    collections.end()
    assert (gc.get_threshold(), gc.callbacks) == (thresholds, callbacks)
