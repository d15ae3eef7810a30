"""The program's own data beside the rules: words, facts and settings, a TOML file of each kind.

The core sees no disk, and so nothing here but this reads a file: what the data mean is said where they are used.
"""

import tomllib
from functools import cache
from typing import Any

_HERE = __file__.rpartition("/")[0]


@cache
def shipped(kind: str) -> dict[str, Any]:
    """Return what `rules/data` holds of this kind: that of the installed or frozen program, else of the sources."""
    for root in (f"{_HERE}/_data", f"{_HERE}/../.."):
        try:
            with open(f"{root}/rules/data/{kind}.toml", "rb") as file:  # noqa: PTH123 - pathlib is not for the core
                return tomllib.load(file)
        except FileNotFoundError:
            continue
    raise FileNotFoundError(f"rules/data/{kind}.toml")  # for machines
