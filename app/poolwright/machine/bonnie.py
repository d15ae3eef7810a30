"""Reads what bonnie++ prints, 1.03 to 2.00: its line of comma-separated values, else its table.

Where both are there, the line is taken: from 1.98 on the table's numbers of files are wrong (0, 1024, 724249376).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Direction, Latency, Measurement, Recorded
from poolwright.machine.json_values import nanoseconds, nothing_of, number, size
from poolwright.shipped import shipped
from poolwright.texts import _

_BY_SIZE = 6  # the first six phases are on one large file, the others on many small ones
_VERSION = re.compile(r"[12]\.[0-9]{1,2}[a-z]{0,3}")
_FILE_SIZE = re.compile(r"([0-9]{1,9}[kKMGT]?)(?::([0-9]{1,9}[kKMGT]?))?")
_FIGURE = re.compile(r"\+*|[0-9]{1,12}(?:\.[0-9]{1,6})?")
_REFUSED = re.compile(r"^(File size should be double RAM.*|You must specify.*|Can't .*|bonnie\+\+: .*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    version: str | None
    host: str
    concurrency: str
    file_size: str
    chunk: str
    figures: Sequence[str]
    latencies: Sequence[str]
    cut: bool = False
    notes: tuple[str, ...] = ()


def read_bonnie(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return each run of bonnie++ in ``data``: rates in bytes/s, operations/s, and the longest wait of each phase.

    ``+++++`` is a phase that ended too soon to be measured: a measurement without numbers. The share of the processor
    stands among the facts, per cent of one core.
    """
    text = data.decode("utf-8", errors="replace")
    lines = [line for line in map(_line, text.splitlines()) if line is not None]
    whole = [line for line in lines if not line.cut]
    if parsed := whole or _tables(text) or lines:
        return tuple(_recorded(line, where) for line in parsed)
    refused = _REFUSED.search(text)
    if refused is not None:
        raise UserError(
            _("bonnie++ did not measure: it says “{message}”", message=refused.group(1).strip()[:200]),
            where=where,
            todo=_("Run it again with what it asks for."),
        )
    raise nothing_of("bonnie++", where, "bonnie++")


def _line(text: str) -> _Line | None:
    fields = [field.strip() for field in text.strip().split(",")]
    if len(fields) > 8 and _VERSION.fullmatch(fields[0]) and _VERSION.fullmatch(fields[1]):
        return _new_line(fields)
    if len(fields) == 27 and _FILE_SIZE.fullmatch(fields[1]) and _are_figures([*fields[2:14], *fields[15:]]):
        file_size, __, chunk = fields[1].partition(":")
        return _Line(
            version="1.03",
            host=fields[0],
            concurrency="1",
            file_size=file_size,
            chunk=chunk,
            figures=[*fields[2:14], *fields[15:]],
            latencies=(),
        )
    return None


def _are_figures(fields: Sequence[str]) -> bool:
    return all(_FIGURE.fullmatch(field) for field in fields)


def _new_line(fields: list[str]) -> _Line | None:
    """Return a line of 1.9x or 2.00; from 1.98 on it also has the numbers of seeks and of seekers."""
    first = 9 if fields[0] >= "1.98" else 7
    expected = first + 12 + 5 + 12 + 12
    cut = len(fields) < expected
    kept = fields[: len(fields) - cut]  # the last of a line that was cut off may be cut itself
    kept += [""] * (expected - len(kept))
    figures = [*kept[first : first + 12], *kept[first + 17 : first + 29]]
    # Without a large file (-s 0) its size is empty; then something must have been done with files.
    sized = _FILE_SIZE.fullmatch(kept[5]) or (not kept[5] and any(figures[2 * _BY_SIZE :]))
    if not sized or not _are_figures(figures):
        return None
    return _Line(
        version=fields[1],
        host=fields[2],
        concurrency=fields[3],
        file_size=kept[5],
        chunk=kept[6],
        figures=figures,
        latencies=kept[first + 29 : first + 41],
        cut=cut,
    )


def _recorded(line: _Line, where: str) -> Recorded:
    measured, facts, too_fast = [], [], []
    for index, phase in enumerate(shipped("bonnie")["phase"]):
        figure, share = line.figures[2 * index : 2 * index + 2]
        if not figure:
            continue
        if figure.startswith("+"):
            too_fast.append(phase["name"])
        measured.append(_measurement(phase, figure, line, index))
        percent = number(share)
        if percent is not None:
            facts.append((f"{phase['name']} cpu_percent", percent))  # for machines
    notes = [*line.notes, *([_("The output is cut off: what is missing is unknown.")] if line.cut else [])]
    if too_fast:
        names = ", ".join(too_fast)
        notes.append(_("Too fast for bonnie++ to measure (less than half a second): {names}.", names=names))
    return Recorded(
        tool=BenchTool.BONNIE,
        where=where,
        version=line.version,
        host=line.host or None,
        measured=tuple(measured),
        facts=tuple(facts),
        notes=tuple(notes),
    )


def _measurement(phase: dict[str, Any], figure: str, line: _Line, index: int) -> Measurement:
    value = size(figure)
    longest = nanoseconds(line.latencies[index]) if index < len(line.latencies) and line.latencies[index] else None
    large, rated = index < _BY_SIZE, phase.get("kib", False)
    jobs = number(line.concurrency)
    return Measurement(
        name=phase["name"],
        direction=Direction(phase["direction"]),
        pattern=phase["pattern"],
        block_bytes=_bytes(line.chunk) if large else None,
        file_bytes=_bytes(line.file_size, plain=1 << 20) if large else None,
        jobs=None if jobs is None else round(jobs),
        rate=value * 1024 if value is not None and rated else None,
        iops=None if rated else value,
        total=None if longest is None else Latency(most_ns=round(longest)),
        host=line.host or None,
    )


def _bytes(text: str, plain: int = 1) -> int | None:
    """Return a size; a number without a unit counts ``plain`` bytes: MiB for files, as its manual page says."""
    value = size(text)
    if value is None:
        return None
    return round(value * (plain if text[-1:].isdigit() else 1)) or None


# The table that bonnie++ prints, where columns touch and empty ones are only blanks.

# Where the table was pasted without the name of the host, the version stands on a line of its own.
_TABLE_VERSION = re.compile(r"^Version\s{1,20}([0-9.]{1,8}[a-z]{0,3})(?:\s.*Sequential Output|\s{0,40}$)")
_CONCURRENCY = re.compile(r"^Concurrency\s{1,20}([0-9]{1,6})\b")
_SIZE = r"[0-9]{1,9}[kKMGT](?::[0-9]{1,9}[kKMGT]?)?"
_ROW = re.compile(rf"^(\S{{0,200}}?)\s{{0,40}}({_SIZE})((?:\s{{1,40}}(?:[0-9.]{{1,12}}[kmg]?|\++))+)\s*$")
_FILES_ROW = re.compile(
    r"^(?:\S{1,200}\s{1,40})?\s*([0-9]{1,9}(?::[0-9:]{1,30})?)((?:\s{1,40}(?:[0-9.]{1,12}|\++)){12})\s*$"
)
_WAITS = re.compile(r"\b[0-9]{1,9}(?:us|ms|s)\b")
_KIB = {"k": 1, "m": 1 << 10, "g": 1 << 20}


def _tables(text: str) -> list[_Line]:
    """Return every table in ``text``, from one line with the version to the next, in the order of the line."""
    lines = text.splitlines()
    heads = [index for index, line in enumerate(lines) if _TABLE_VERSION.match(line)]
    ends = [*heads, len(lines)][1:]
    found = (_table(lines[head:end]) for head, end in zip(heads, ends, strict=True))
    return [table for table in found if table is not None]


def _table(lines: Sequence[str]) -> _Line | None:
    version = _TABLE_VERSION.match(lines[0])
    rates = next((match for match in map(_ROW.match, lines[1:]) if match), None)
    if rates is None or version is None:
        return None
    concurrency = next((match.group(1) for match in map(_CONCURRENCY.match, lines) if match), "1")
    large = _spread(rates.group(3).split())
    begun = next((index for index, line in enumerate(lines) if "Sequential Create" in line), len(lines))
    files = next((match for match in map(_FILES_ROW.match, lines[begun:]) if match), None)
    small = files.group(2).split() if files else [""] * 12
    reliable = version.group(1) < "1.98"
    file_size, __, chunk = rates.group(2).partition(":")
    waits = [_WAITS.findall(line) for line in lines if line.startswith("Latency")]
    return _Line(
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
        else (_("bonnie++ from 1.98 on prints wrong numbers of files in its table: left out."),),
    )


def _spread(printed: Sequence[str]) -> list[str]:
    """Return the figures of the large file, two for each of six phases, in KiB/s.

    Without the phases by character (-f) there are eight; their places are left empty.
    """
    figures = [*printed]
    if len(figures) == 8:
        figures = ["", "", *figures[:4], "", "", *figures[4:]]
    figures = (figures + [""] * 12)[:12]
    # 1.98 and later print ``368m``.
    values = [number(figure[:-1]) if figure[-1:] in _KIB else None for figure in figures]
    return [
        figure if figure[-1:] not in _KIB else "" if value is None else f"{value * _KIB[figure[-1]]:.0f}"
        for figure, value in zip(figures, values, strict=True)
    ]


def _latencies(waits: Sequence[Sequence[str]], large: Sequence[str], *, reliable: bool) -> tuple[str, ...]:
    """Return the longest waits by phase; those of phases left out stand at no place of their own."""
    first = [*waits[0]] if waits else []
    there = [bool(large[2 * index]) for index in range(6)]
    placed = [first.pop(0) if is_there and first else "" for is_there in there]
    second = [*waits[1]] if len(waits) > 1 and reliable and len(waits[1]) == 6 else [""] * 6
    return (*placed, *second)
