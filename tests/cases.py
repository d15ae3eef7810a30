"""Tables of inputs and of what is expected of them: they lie as TOML beside the test that goes through them."""

import tomllib
from pathlib import Path
from typing import Any


def table(test: str, name: str) -> Any:
    """Return the table of this name from the TOML beside this test."""
    return tomllib.loads(Path(test).with_suffix(".toml").read_text(encoding="utf-8"))[name]


def cases(test: str, name: str) -> list[list[Any]]:
    """Return the rows of a table; a row that ends early has None for what it leaves out."""
    rows: list[list[Any]] = table(test, name)
    longest = max(map(len, rows))
    return [row + [None] * (longest - len(row)) for row in rows]
