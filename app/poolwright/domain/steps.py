"""Work that yields between its slices, run to its end where no window waits for a turn."""

from collections.abc import Generator
from typing import Any, TypeVar

_T = TypeVar("_T")


def at_once(steps: Generator[Any, Any, _T]) -> _T:
    """Return what ``steps`` returns at its end; raises what it raises."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: _T = stop.value
            return result
