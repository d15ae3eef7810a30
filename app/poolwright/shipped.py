"""The program's own data beside the rules: words, facts and settings, a TOML document of each kind.

The core sees no disk: `poolwright` hands in what reads a document, and what the data mean is said where they are used.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

_readers: list[Callable[[str], str]] = []


def read_by(reader: Callable[[str], str]) -> None:
    """Take what returns the text of a document by its kind; before the first is asked for."""
    _readers[:] = [reader]


@cache
def shipped(kind: str) -> dict[str, Any]:
    """Return what `rules/data` holds of this kind; ``../tables/NAME`` is what describes a table of measurements."""
    import tomllib  # noqa: PLC0415 - the first page, and a command that answers at once, do not wait for it

    return tomllib.loads(_readers[0](kind))
