"""The measured tables that rules cite: each `.csv` has a `.toml` beside it that describes its columns."""

import tomllib
from collections.abc import Mapping

from poolwright.domain.cells import csv_rows
from poolwright.domain.errors import UserError
from poolwright.rules.reading import RuleFault

_NEEDED = ("title", "source", "date", "method", "sample_size", "columns")


def check_tables(texts: Mapping[str, str], problems: list[RuleFault]) -> frozenset[str]:
    """Return the names of the tables among ``texts`` (file name to text); what is wrong goes to ``problems``."""
    names = frozenset(name for name in texts if name.endswith(".csv"))
    for name in sorted(names):
        described = name.removesuffix(".csv") + ".toml"
        if described not in texts:
            problems.append(RuleFault(name, 1, f"{described} is missing, which describes its columns"))
            continue
        try:
            document = tomllib.loads(texts[described])
        except tomllib.TOMLDecodeError as error:
            problems.append(RuleFault(described, 1, f"no valid TOML: {error}"))
            continue
        problems.extend(RuleFault(described, 1, f"“{key}” is missing") for key in _NEEDED if key not in document)
        columns = document.get("columns", {})
        try:
            rows = [cells for _, cells in csv_rows(texts[name])]
        except UserError as error:
            problems.append(RuleFault(name, 1, f"{error.what} ({error.where})"))
            continue
        if not rows or rows[0] != list(columns):
            problems.append(RuleFault(name, 1, f"the columns are not those that {described} describes"))
        for number, row in enumerate(rows[1:], start=2):
            if len(row) != len(rows[0]):
                problems.append(RuleFault(name, number, f"{len(row)} values for {len(rows[0])} columns"))
    return names
