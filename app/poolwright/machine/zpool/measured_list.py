"""Reads `zpool list`, with and without -v, -H, -p, -o and -j: each pool's size, what is used of it, how it lies."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from poolwright.domain.errors import UserError
from poolwright.domain.latency import BenchTool, Recorded
from poolwright.machine.picking import mapping
from poolwright.machine.samples import number, size
from poolwright.texts import tell

# The heads of the columns (USED and AVAIL are the oldest ones) and the facts that they tell.
_FACTS = {
    "SIZE": "size_bytes",
    "ALLOC": "alloc_bytes",
    "USED": "alloc_bytes",
    "FREE": "free_bytes",
    "AVAIL": "free_bytes",
    "CKPOINT": "checkpoint_bytes",
    "EXPANDSZ": "expandable_bytes",
    "FRAG": "frag_percent",
    "CAP": "cap_percent",
    "DEDUP": "dedup_ratio",
}  # for machines
_NEW = ("NAME", "SIZE", "ALLOC", "FREE", "CKPOINT", "EXPANDSZ", "FRAG", "CAP", "DEDUP", "HEALTH", "ALTROOT")
_OLD = tuple(head for head in _NEW if head != "CKPOINT")
_OLDEST = tuple(head for head in _OLD if head not in ("EXPANDSZ", "FRAG"))
# With -H there is no head: the number of columns tells the release (0.8 on, 0.6.4 to 0.7, before).
_BY_COUNT = {len(columns): columns for columns in (_NEW, _OLD, _OLDEST)}
# The properties of -j (2.3 on) that stand for them.
_IN_JSON = {
    "size": "SIZE",
    "allocated": "ALLOC",
    "free": "FREE",
    "checkpoint": "CKPOINT",
    "expandsize": "EXPANDSZ",
    "fragmentation": "FRAG",
    "capacity": "CAP",
    "dedupratio": "DEDUP",
    "health": "HEALTH",
}  # for machines
_HEALTH = ("ONLINE", "DEGRADED", "FAULTED", "OFFLINE", "REMOVED", "UNAVAIL", "SUSPENDED")
_ROUNDED = re.compile(r"[0-9.,]+[KMGTPEZ]")


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    words: dict[str, str]


def read_zpool_list(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the numbers of each pool as facts, named ``POOL size_bytes``; of several reports the last one's.

    Vdevs, disks and the heads of log, cache and spare that -v prints are no pools and are passed over. Raises
    UserError where no pool tells a number.
    """
    text = data.decode("utf-8", errors="replace")
    rows, cut = _rows_of_json(text) if text.lstrip().startswith("{") else _rows(text.splitlines(keepends=True))
    facts: dict[str, float] = {}
    silent: list[str] = []
    for row in rows:
        told = {f"{row.name} {_FACTS[head]}": value for head, value in _numbers(row)}
        facts |= told
        if not told:
            silent.append(row.name)
    if not facts:
        raise UserError(
            tell("There are no numbers of a pool from zpool list in this text"),
            where=where,
            todo=tell("Run zpool list -p while the pool is imported."),
        )
    notes = [tell("Pool {pool} tells no numbers.", pool=name) for name in dict.fromkeys(silent)]
    if any(_ROUNDED.fullmatch(word) for row in rows for word in row.words.values()):
        notes.append(tell("Sizes are rounded to three digits; with -p they are told in bytes."))
    if len({row.name for row in rows}) < len(rows):
        notes.append(tell("There are several reports: the numbers are those of the last one."))
    if cut:
        notes.append(tell("One line is cut off and was passed over."))
    return (Recorded(tool=BenchTool.ZPOOL_LIST, where=where, facts=tuple(facts.items()), notes=tuple(notes)),)


def _rows(lines: Sequence[str]) -> tuple[list[_Row], bool]:
    """Return the lines of pools and whether the last one is cut off; heads of vdev classes have fewer columns, too."""
    found: list[_Row] = []
    heads: Sequence[str] = ()
    cut = False
    for whole in lines:
        line = whole.rstrip("\r\n")
        if not line.strip() or line[0].isspace():
            continue
        words = line.split("\t") if "\t" in line else line.split()
        if words[0] == "NAME":
            heads = line.split()
            continue
        columns = heads or (_BY_COUNT.get(len(words), ()) if "\t" in line else ())
        if not columns:
            continue
        if "\t" not in line:
            words = line.rsplit(None, len(columns) - 1)  # a pool's name may have blanks
        if len(words) < len(columns):
            cut = line == whole
        elif len(words) == len(columns) and _is_pool(row := _Row(words[0], dict(zip(columns, words, strict=True)))):
            found.append(row)
    return found, cut


def _rows_of_json(text: str) -> tuple[list[_Row], bool]:
    """Return the pools of each report (an interval makes several documents), and whether the last one is cut off."""
    found: list[_Row] = []
    rest = text.lstrip()
    while rest:
        try:
            document, end = json.JSONDecoder().raw_decode(rest)
        except (ValueError, RecursionError):
            return found, True
        for key, pool in mapping(mapping(document).get("pools")).items():
            told = mapping(mapping(pool).get("properties"))
            words = {head: str(mapping(told.get(name)).get("value", "-")) for name, head in _IN_JSON.items()}
            found.append(_Row(str(mapping(pool).get("name") or key), words))
        rest = rest[end:].lstrip()
    return found, False


def _is_pool(row: _Row) -> bool:
    """Tell whether a line is a pool's: heads of vdev classes have no number and no health."""
    health = row.words.get("HEALTH")
    return health in _HEALTH if health is not None else any(_numbers(row))


def _numbers(row: _Row) -> Iterator[tuple[str, float]]:
    for head, word in row.words.items():
        if head in _FACTS:
            in_bytes = _FACTS[head].endswith("_bytes")
            value = size(word) if in_bytes else number(word.rstrip("%x"))
            if value is not None:
                yield head, float(round(value)) if in_bytes else value
