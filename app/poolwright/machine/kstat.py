"""The kernel's named counters of OpenZFS (arcstats, a pool's iostats) as they stand in /proc/spl/kstat/zfs."""

import re
from collections.abc import Mapping
from itertools import pairwise

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Recorded
from poolwright.texts import tell

_LINE = re.compile(r"^(\w+) +([0-9]) +(-?[0-9]{1,20})$", re.MULTILINE)
_UNSIGNED = "4"
_ARC = "c_max"
# The table "state" of a pool is one word.
_STATE = re.compile(r"\s*(ONLINE|DEGRADED|FAULTED|OFFLINE|REMOVED|UNAVAIL|SUSPENDED)\s*")
_OF_POOL = frozenset({"nread", "trim_bytes_written", "arc_read_bytes"})  # io before 2.0, iostats since


def counters(text: str) -> dict[str, int]:
    """Return the counters by name; what is no number is passed over."""
    return {name: int(value) for name, kind, value in _LINE.findall(text) if kind in ("1", "2", "3", _UNSIGNED)}


def share(before: Mapping[str, int], after: Mapping[str, int], hits: str, misses: str) -> float | None:
    """Return which share of what was asked between two readings was a hit; None where nothing was asked."""
    if not {hits, misses} <= before.keys() & after.keys():
        return None
    found, missed = after[hits] - before[hits], after[misses] - before[misses]
    return found / (found + missed) if found >= 0 and missed >= 0 and found + missed > 0 else None


def _in_columns(text: str) -> dict[str, int]:
    """Return the counters of the form that has their names in one line and the numbers in the next (a pool's io)."""
    lines = [line.split() for line in text.splitlines()]
    for names, values in pairwise(lines):
        if (
            len(names) == len(values) > 2
            and all(w.isidentifier() for w in names)
            and all(w.isdecimal() for w in values)
        ):
            return {name: int(value) for name, value in zip(names, values, strict=True) if len(value) < 21}
    return {}


def read_kstat(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the counters of arcstats, of a pool's iostats or of another table as facts.

    Of arcstats also the hit share since the module was loaded; of a pool's state the word.
    Raises UserError where there are none.
    """
    text = data.decode("utf-8", errors="replace")
    if state := _STATE.fullmatch(text):
        told = tell("The pool is {state}; more is not told here.", state=state[1])
        return (Recorded(tool=BenchTool.PROC, where=where, notes=(told,)),)
    found = counters(text) or _in_columns(text)
    if not found:
        raise UserError(
            tell("There are no counters of OpenZFS in this text"),
            where=where,
            todo=tell("Save /proc/spl/kstat/zfs/arcstats or the iostats of a pool."),
        )
    arc, of_pool = _ARC in found, not _OF_POOL.isdisjoint(found)
    hit = share(dict.fromkeys(found, 0), found, "hits", "misses") if arc else None
    facts = tuple((name, float(value)) for name, value in found.items())
    return (
        Recorded(
            tool=BenchTool.ARCSTATS if arc else BenchTool.POOL_IOSTATS if of_pool else BenchTool.PROC,
            where=where,
            facts=facts if hit is None else (*facts, ("hit_share", hit)),  # for machines
        ),
    )
