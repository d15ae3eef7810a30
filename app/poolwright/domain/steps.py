"""Work in slices, done at once by who has no window to keep alive."""

from collections.abc import Generator
from typing import Any, TypeVar

_T = TypeVar("_T")


def at_once(steps: Generator[Any, Any, _T]) -> _T:
    """Return what ``steps`` returns at its end; what it yields on the way is passed over. Raises what it raises."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            found: _T = stop.value
            return found
