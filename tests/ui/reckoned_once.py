"""What pages work out of the same beginnings is worked out once for all tests of a run: it is frozen and can be shared.

Tests of the waiting itself, of stopping and of how work is shared out ask for ``reckoned_anew``.
"""

from collections.abc import Callable, Generator, Iterator
from functools import wraps
from typing import Any

import pytest

from poolwright import paths, texts
from poolwright.ui.synclog import page as synclog
from poolwright.ui.tables import page as tables

__all__ = ["reckoned_anew", "reckoned_once"]

_Work = Callable[..., Generator[float, None, Any]]
_found: dict[object, object] = {}
_PLACES = ((synclog, "reproduce"), (synclog, "compare"), (tables, "tables_in_steps"))
_REAL: dict[str, _Work] = {name: getattr(room, name) for room, name in _PLACES}


def once(work: _Work) -> _Work:
    """Return the same work, done once for each question, in each language, of each folder of rules."""

    @wraps(work)
    def known(*of: object, **named: object) -> Generator[float, None, Any]:
        asked = (work.__name__, of, tuple(sorted(named.items())), texts.chosen(), paths.rules_folder())
        if asked not in _found:
            _found[asked] = yield from work(*of, **named)
        yield 1.0
        return _found[asked]

    return known


@pytest.fixture(autouse=True, scope="session")
def reckoned_once() -> Iterator[None]:
    """Work out each question of a page but once."""
    with pytest.MonkeyPatch.context() as patch:
        for room, name in _PLACES:
            patch.setattr(room, name, once(_REAL[name]))
        yield


@pytest.fixture
def reckoned_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work out everything as the program does."""
    for room, name in _PLACES:
        monkeypatch.setattr(room, name, _REAL[name])
