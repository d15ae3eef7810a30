"""The table that bonnie++ prints, where columns touch and empty ones are only blanks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.machine.figures import number
from poolwright.texts import tell

# Where the table was pasted without the name of the host, the version stands on a line of its own.
_VERSION = re.compile(r"^Version\s{1,20}([0-9.]{1,8}[a-z]{0,3})(?:\s.*Sequential Output|\s{0,40}$)")
_CONCURRENCY = re.compile(r"^Concurrency\s{1,20}([0-9]{1,6})\b")
_SIZE = r"[0-9]{1,9}[kKMGT](?::[0-9]{1,9}[kKMGT]?)?"
_ROW = re.compile(rf"^(\S{{0,200}}?)\s{{0,40}}({_SIZE})((?:\s{{1,40}}(?:[0-9.]{{1,12}}[kmg]?|\++))+)\s*$")
_FILES_ROW = re.compile(
    r"^(?:\S{1,200}\s{1,40})?\s*([0-9]{1,9}(?::[0-9:]{1,30})?)((?:\s{1,40}(?:[0-9.]{1,12}|\++)){12})\s*$"
)
_WAITS = re.compile(r"\b[0-9]{1,9}(?:us|ms|s)\b")
_KIB = {"k": 1, "m": 1 << 10, "g": 1 << 20}


@dataclass(frozen=True, slots=True, kw_only=True)
class BonnieTable:
    """One table in the order of the line of values: two figures a phase, KiB/s and operations/s; "" is empty."""

    version: str | None
    host: str
    concurrency: str
    file_size: str
    chunk: str
    figures: tuple[str, ...]
    latencies: tuple[str, ...]
    cut: bool
    notes: tuple[str, ...] = ()


def read_tables(text: str) -> tuple[BonnieTable, ...]:
    """Return every table in ``text``: from one line with the version to the next."""
    lines = text.splitlines()
    heads = [index for index, line in enumerate(lines) if _VERSION.match(line)]
    ends = [*heads, len(lines)][1:]
    found = (_table(lines[head:end]) for head, end in zip(heads, ends, strict=True))
    return tuple(table for table in found if table is not None)


def _table(lines: Sequence[str]) -> BonnieTable | None:
    version = _VERSION.match(lines[0])
    rates = next((match for match in map(_ROW.match, lines[1:]) if match), None)
    if rates is None or version is None:
        return None
    concurrency = next((match.group(1) for match in map(_CONCURRENCY.match, lines) if match), "1")
    large = _spread(rates.group(3).split())
    begun = next((index for index, line in enumerate(lines) if "Sequential Create" in line), len(lines))
    files = next((match for match in map(_FILES_ROW.match, lines[begun:]) if match), None)
    small = files.group(2).split() if files else [""] * 12
    reliable = version.group(1) < "1.98"
    file_size, _, chunk = rates.group(2).partition(":")
    waits = [_WAITS.findall(line) for line in lines if line.startswith("Latency")]
    return BonnieTable(
        version=version.group(1),
        host=rates.group(1),
        concurrency=concurrency,
        file_size=file_size,
        chunk=chunk,
        figures=(*large, *(small if reliable else [""] * 12)),
        latencies=_latencies(waits, large, reliable=reliable),
        cut=begun < len(lines) and files is None,
        notes=()
        if reliable or files is None
        else (tell("The table of bonnie++ 1.98 and later has wrong numbers of files: they are left out."),),
    )


def _spread(told: Sequence[str]) -> list[str]:
    """Return the figures of the large file, two for each of six phases, in KiB/s.

    Without the phases by character (-f) there are eight; their places are left empty.
    """
    figures = [*told]
    if len(figures) == 8:
        figures = ["", "", *figures[:4], "", "", *figures[4:]]
    figures = (figures + [""] * 12)[:12]
    return [_plain(figure) for figure in figures]


def _plain(figure: str) -> str:
    """Return ``368m``, which 1.98 and later print, as KiB/s."""
    if figure[-1:] not in _KIB:
        return figure
    value = number(figure[:-1])
    return "" if value is None else f"{value * _KIB[figure[-1]]:.0f}"


def _latencies(waits: Sequence[Sequence[str]], large: Sequence[str], *, reliable: bool) -> tuple[str, ...]:
    """Return the longest waits by phase; those of phases left out stand at no place of their own."""
    first = [*waits[0]] if waits else []
    there = [bool(large[2 * index]) for index in range(6)]
    placed = [first.pop(0) if is_there and first else "" for is_there in there]
    second = [*waits[1]] if len(waits) > 1 and reliable and len(waits[1]) == 6 else [""] * 6
    return (*placed, *second)
