"""Objects out of a JSON text that need not be whole: each that is whole itself is read."""

import json
import re
from dataclasses import dataclass

_NO_COMMA = re.compile(r'([\]}])(\s*")')
_MOST_OBJECT_CHARACTERS = 1 << 22


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonEntries:
    """The objects in order; ``broken`` where the text around them is no JSON."""

    whole: tuple[dict[str, object], ...]
    broken: bool


def entries_of(text: str, mark: str) -> JsonEntries:
    """Return the objects of the lists called "statistics"; of a broken text, those that begin with the key ``mark``."""
    start = text.find("{")
    try:
        value, end = json.JSONDecoder().raw_decode(text, max(start, 0))
    except (ValueError, RecursionError):
        return JsonEntries(whole=_pieces(text, mark), broken=True)
    rest = text[end:].strip()
    if rest:
        return JsonEntries(whole=_pieces(text, mark), broken=True)
    return JsonEntries(whole=tuple(_statistics(value)), broken=False)


def _statistics(value: object) -> list[dict[str, object]]:
    sysstat = value.get("sysstat") if isinstance(value, dict) else None
    hosts = sysstat.get("hosts") if isinstance(sysstat, dict) else None
    found = []
    for host in hosts if isinstance(hosts, list) else []:
        entries = host.get("statistics") if isinstance(host, dict) else None
        found += [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return found


def _pieces(text: str, mark: str) -> tuple[dict[str, object], ...]:
    """Return each object that begins with ``mark`` and ends, with the commas that sadf 11.2 forgets."""
    found: list[dict[str, object]] = []
    begin = re.compile(rf'\{{\s{{0,200}}"{mark}"')
    position = 0
    while (match := begin.search(text, position)) is not None:
        following = begin.search(text, match.end())
        end = _end(text, match.start(), following.start() if following else len(text))
        position = match.end() if end is None else end
        if end is None:
            continue
        try:
            value = json.loads(_NO_COMMA.sub(r"\1,\2", text[match.start() : end]))
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found.append(value)
    return tuple(found)


def _end(text: str, start: int, most: int) -> int | None:
    """Return where the object that begins at ``start`` ends, before ``most``; None where it does not."""
    depth, quoted = 0, False
    for index in range(start, min(most, start + _MOST_OBJECT_CHARACTERS)):
        character = text[index]
        if character == '"':
            quoted = not quoted  # sysstat prints no quotes within names
        elif not quoted and character == "{":
            depth += 1
        elif not quoted and character == "}":
            depth -= 1
            if depth == 0:
                return index + 1
    return None
