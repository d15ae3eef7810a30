"""Text of limits.toml -> the numbers that rules share."""

from collections.abc import Collection, Mapping

from poolwright.rules.model import Limit, RuleBasis
from poolwright.rules.reading import Entry, RuleFault, read_entries
from poolwright.texts import tell

_MOST = 10**18
_KEYS = {"key", "value", "unit", "basis", "why", "sources"}


def read_limits(text: str, own: str | None, tables: Collection[str], problems: list[RuleFault]) -> Mapping[str, Limit]:
    """Return the limits by key; ``own`` may change values of known ones. What is wrong goes to ``problems``.

    ``tables`` are the names of those that limits may cite.
    """
    shipped, changed = dict[str, Limit](), dict[str, Limit]()
    files = [("limits.toml", text, shipped)]
    if own is not None:
        files.append((tell("limits.toml (your own)"), own, changed))
    for file, told, limits in files:
        for entry in _entries(file, told, problems):
            limit = _limit(entry, tables, users_own=limits is changed)
            if limit is not None and limit.key in limits:
                entry.fail(tell("the limit “{key}” is given twice", key=limit.key), "key")
            elif limit is not None and limits is changed and limit.key not in shipped:
                entry.fail(tell("there is no limit “{key}” that could be changed", key=limit.key), "key")
            elif limit is not None:
                limits[limit.key] = limit
    return shipped | changed


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
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < _MOST:
        entry.fail(tell("“value” must be a number from 0 to 10^18"), "value")
        return None
    sources = entry.sources(tables)
    if basis is None or len(entry.problems) > before:
        return None
    return Limit(key=key, value=value, unit=unit, basis=basis, why=why, sources=sources, users_own=users_own)
