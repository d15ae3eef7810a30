"""Text of limits.toml -> the numbers that rules share."""

from collections.abc import Collection, Mapping
from math import isfinite

from poolwright.rules.model import Limit, RuleBasis
from poolwright.rules.reading import Entry, RuleFault, read_entries
from poolwright.texts import tell

_KEYS = {"key", "value", "unit", "basis", "why", "sources"}


def read_limits(text: str, own: str | None, tables: Collection[str], problems: list[RuleFault]) -> Mapping[str, Limit]:
    """Return the limits by key; ``own`` may change values of known ones. What is wrong goes to ``problems``.

    ``tables`` are the names of those that limits may cite.
    """
    limits: dict[str, Limit] = {}
    for entry in _entries("limits.toml", text, problems):
        limit = _limit(entry, tables)
        if limit is not None and limit.key in limits:
            entry.fail(tell("the limit “{key}” is given twice", key=limit.key), "key")
        elif limit is not None:
            limits[limit.key] = limit
    for entry in _entries(tell("limits.toml (your own)"), own, problems) if own is not None else ():
        limit = _limit(entry, tables, users_own=True)
        if limit is not None and limit.key not in limits:
            entry.fail(tell("there is no limit “{key}” that could be changed", key=limit.key), "key")
        elif limit is not None:
            limits[limit.key] = limit
    return limits


def _entries(file: str, text: str, problems: list[RuleFault]) -> list[Entry]:
    entries = read_entries(file, text, problems)
    for name in entries.keys() - {"limit"}:
        entries[name][0].fail(tell("“[[{name}]]” is not known; there is [[limit]]", name=name))
    return entries.get("limit", [])


def _limit(entry: Entry, tables: Collection[str], *, users_own: bool = False) -> Limit | None:
    before = len(entry.problems)
    entry.refuse_unknown(_KEYS)
    key, unit, why = entry.text("key"), tell(entry.text("unit")), tell(entry.text("why"))
    basis = entry.choice("basis", RuleBasis)
    value = entry.table.get("value")
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        entry.fail(tell("“value” must be a number"), "value")
        return None
    sources = entry.sources(tables)
    if basis is None or len(entry.problems) > before:
        return None
    return Limit(key=key, value=value, unit=unit, basis=basis, why=why, sources=sources, users_own=users_own)
