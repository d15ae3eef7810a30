"""Work in slices, done at once by who has no window to keep alive."""

from collections.abc import Callable, Generator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

_T = TypeVar("_T")
_P = ParamSpec("_P")


def at_once(steps: Generator[Any, Any, _T]) -> _T:
    """Return what ``steps`` returns at its end; what it yields on the way is passed over. Raises what it raises."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            found: _T = stop.value
            return found


def in_one_step(in_steps: Callable[_P, Generator[Any, None, _T]]) -> Callable[_P, _T]:
    @wraps(in_steps)
    def whole(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        return at_once(in_steps(*args, **kwargs))

    return whole
