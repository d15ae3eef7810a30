"""The grammar that `zpool status` and `zpool import` share, from 0.6 to 2.4: headed paragraphs and a config tree."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby

from poolwright.domain.pool import STANDING_IN, USABLE, Pool, PoolNode, printed_number
from poolwright.machine.json_values import nested

_KEY = re.compile(
    r"^\s{0,12}(pool|id|state|status|action|see|comment|scan|scrub|remove|expand|checkpoint|config|errors|dedup|msgid|"
    r"hostid|hostname|compatibility|prune|trim):(?:\s++(.*))?$"
)
_ROW = re.compile(r"^(\s*+)(\S++)(?:\s++(\S.*))?$")
_PROMPT = re.compile(r"^\[?[\w.-]+@[\w.-]+[: ~].*[#$%](\s|$)|^[#$%>](\s|$)")
_STATE = re.compile(r"[A-Z]{4,}$")
_BEHIND_SPACES = re.compile(r"(?<=\S)  ++(?=[A-Z]{4,}(?: |$))")
_COUNT = re.compile(r"(\d+(?:[.,]\d+)?)([KMGTPE]?)$")
_GROUP = re.compile(r"(mirror|raidz[1-3]?|spare|replacing|indirect|missing|hole|root)(?:-\d+)?$")
_DRAID = re.compile(r"(draid[1-3]?(?::\d+[dcs])*)(?:-\d+)?$")
_DRAID_SPARE = re.compile(r"draid[1-3]-\d+-\d+$")
SECTIONS = {
    "logs": "logs", "log": "logs", "cache": "cache", "spares": "spares", "spare": "spares", "special": "special",
    "dedup": "dedup",
}  # fmt: skip
_MESSAGE = re.compile(r"\b(ZFS-8000-[0-9A-Z]{2})\b")
# Messages of a pool that waits for devices or for another host, with the state that old releases print beside them.
_STOPPED = frozenset({"ZFS-8000-HC", "ZFS-8000-JQ", "ZFS-8000-MM"})
_IO_FAILURES = "One or more devices are faulted in response to IO failures"  # for machines


@dataclass(slots=True)
class _Paragraphs:
    """The texts of one pool, by key, in order of appearance."""

    name: str
    parts: list[tuple[str, list[str]]] = field(default_factory=list)

    def first(self, key: str) -> str | None:
        return next((_join(lines) for found, lines in self.parts if found == key), None)

    def all(self, *keys: str) -> tuple[str, ...]:
        return tuple(_join(lines) for found, lines in self.parts if found in keys and _join(lines))


@dataclass(frozen=True, slots=True)
class _Row:
    indent: int
    name: str
    rest: str


def kind_of(name: str, *, has_children: bool) -> str:
    """Return the vdev word of a line: ``raidz2`` for raidz2-0, ``dspare`` for draid1-0-0, ``disk`` or ``file``."""
    if _DRAID_SPARE.match(name):
        return "dspare"
    group = _DRAID.match(name) or _GROUP.match(name)
    if group is not None:
        return "raidz1" if group.group(1) == "raidz" else group.group(1)
    if has_children:
        return name
    return "file" if name.startswith("/") and not name.startswith("/dev/") else "disk"


def read_pools(text: str, *, importable: bool) -> tuple[Pool, ...]:
    """Return the pools that the paragraphs describe; text before the first ``pool:`` is passed over."""
    found: list[_Paragraphs] = []
    for line in text.splitlines():
        match = _KEY.match(line)
        if match is not None and match.group(1) == "pool":
            found.append(_Paragraphs(name=(match.group(2) or "").strip()))
        elif found and match is not None:
            found[-1].parts.append((match.group(1), [match.group(2) or ""]))
        elif found and _PROMPT.match(line):
            found[-1].parts.append(("", []))
        elif found and found[-1].parts:
            found[-1].parts[-1][1].append(line)
    return tuple(_pool(paragraphs, importable=importable) for paragraphs in found)


def _join(lines: Sequence[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())


def _pool(paragraphs: _Paragraphs, *, importable: bool) -> Pool:
    config = next((lines for key, lines in paragraphs.parts if key == "config"), [])
    errors, status = paragraphs.all("errors"), paragraphs.first("status")
    message = message_id(paragraphs.first("see") or paragraphs.first("msgid"))
    operations = tuple(
        f"{key}: {_join(lines)}"
        for key, lines in paragraphs.parts
        if key in {"remove", "expand", "checkpoint"} and _join(lines)
    )
    return Pool(
        name=paragraphs.name,
        state=state_now(paragraphs.first("state"), message, status),
        guid=paragraphs.first("id"),
        status=status,
        action=paragraphs.first("action"),
        scans=paragraphs.all("scan", "scrub"),
        operations=operations,
        errors=" ".join(errors) or None,
        message=message,
        damaged_files=tuple(_damaged_files(paragraphs)),
        importable=importable,
        vdevs=_vdevs(config),
    )


def message_id(text: str | None) -> str | None:
    found = _MESSAGE.search(text or "")
    return found.group(1) if found is not None else None


def state_now(state: str | None, message: str | None, status: str | None) -> str | None:
    """Return the state of a pool; SUSPENDED where releases before 0.8 print ONLINE of one that does no more work."""
    stopped = message in _STOPPED or (status or "").startswith(_IO_FAILURES)
    return "SUSPENDED" if stopped and state in USABLE else state


def _damaged_files(paragraphs: _Paragraphs) -> Iterator[str]:
    """Yield the files that `zpool status -v` lists: a name may have blanks, so each is a line."""
    for key, lines in paragraphs.parts:
        if key == "errors" and "following files" in lines[0]:
            yield from (line.strip() for line in lines[1:] if line.strip())


def _vdevs(lines: Sequence[str]) -> tuple[PoolNode, ...]:
    """Return the top-level vdevs of a config tree; the pool's own line is left out."""
    extra = 0
    rows: list[_Row] = []
    for line in lines:
        match = _ROW.match(line.expandtabs().rstrip())
        if match is None:
            continue
        row = _whole_name(_Row(len(match.group(1)), match.group(2), match.group(3) or ""))
        words = row.rest.split()
        if row.name == "NAME" and words[:1] == ["STATE"]:
            # SLOW, POWER and the columns of -c stand behind the three error counts.
            extra = max(0, len(words) - 4)
        elif not words or _STATE.match(words[0]):
            rows.append(row)
    if not rows:
        return ()
    if len(rows) > 1 and len({row.indent for row in rows}) == 1:
        rows = [rows[0], *(replace(row, indent=rows[0].indent + _guessed_depth(row.name)) for row in rows[1:])]
    root, section = rows[0].indent, "data"
    kept: list[tuple[str, _Row]] = []
    for row in rows[1:]:
        if row.indent <= root and row.name in SECTIONS:
            section = SECTIONS[row.name]
        elif row.rest:
            kept.append((section, replace(row, indent=max(row.indent, root + 1))))
    found: list[PoolNode] = []
    for section, mine in groupby(_indented(kept), lambda row: row[0]):
        found += nested(((row.indent, row) for _, row in mine), partial(_node, section=section, extra=extra))
    return tuple(found)


def _indented(rows: list[tuple[str, _Row]]) -> list[tuple[str, _Row]]:
    """Return the rows, in pasted text that lost its indentation with the two devices of a group that stands in.

    Two devices belong into such a group: the old one and the new one.
    """
    found = [*rows]
    for place, (section, row) in enumerate(rows):
        two = rows[place + 1 : place + 3]
        alike = all(of == section and other.indent == row.indent and not _GROUP.match(other.name) for of, other in two)
        if len(two) == 2 and alike and kind_of(row.name, has_children=True) in STANDING_IN:
            found[place + 1 : place + 3] = [(of, replace(other, indent=other.indent + 1)) for of, other in two]
    return found


def _whole_name(row: _Row) -> _Row:
    """Return a row with its whole name: a pool's and the path of a file may have spaces. Two stand behind a name."""
    if not row.rest or row.name == "NAME" or _STATE.match(row.rest.partition(" ")[0]):
        return row
    found = _BEHIND_SPACES.search(row.rest)
    if found is None:
        return row
    return replace(row, name=f"{row.name} {row.rest[: found.start()]}", rest=row.rest[found.end() :])


def _guessed_depth(name: str) -> int:
    """Return how deep a row belongs where the indentation is lost, as on web pages: devices follow their group."""
    if name in SECTIONS:
        return 0
    return 1 if _DRAID.match(name) or re.match(r"(?:mirror|raidz[1-3]?)-\d+$", name) else 2


def _node(row: _Row, children: list[PoolNode], section: str, extra: int) -> PoolNode:
    words = row.rest.split()
    counts = [error_count(word) for word in words[1:4]]
    counted = len(counts) == 3 and all(word == "-" or _COUNT.match(word) for word in words[1:4])
    note = " ".join(words[4 + extra :] if counted else words[1:])
    return PoolNode(
        name=row.name,
        kind=kind_of(row.name, has_children=bool(children)),
        section=section,
        state=words[0],
        read_errors=counts[0] if counted else None,
        write_errors=counts[1] if counted else None,
        checksum_errors=counts[2] if counted else None,
        note=note or None,
        path=row.name if row.name.startswith("/") else None,
        children=tuple(children),
    )


def error_count(text: str) -> int | None:
    """Return a count as zpool prints it: ``226``, or ``13.2K`` in 1024s; None for ``-``."""
    return printed_number(text) if _COUNT.match(text) and len(text) <= 24 and text.isascii() else None
