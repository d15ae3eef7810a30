"""Work in slices: done at once by who has no window to keep alive, or told step by step in other words."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

_T = TypeVar("_T")
_Step = TypeVar("_Step")
_Told = TypeVar("_Told")


def at_once(steps: Generator[Any, None, _T]) -> _T:
    """Return what ``steps`` returns at its end; what it yields on the way is passed over. Raises what it raises."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            found: _T = stop.value
            return found


def at_each(steps: Generator[_Step, Any, _T], tell: Callable[[_Step], _Told]) -> Generator[_Told, Any, _T]:
    """Yield what ``tell`` makes of each step of ``steps``, and return what that returns. Raises what it raises."""
    while True:
        try:
            step = next(steps)
        except StopIteration as stop:
            found: _T = stop.value
            return found
        yield tell(step)
