"""Reads the histograms of `zpool iostat`: of waits (-w) and of the sizes of requests (-r)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.domain.measurement import BenchTool, Direction, Latency, Measurement, Recorded
from poolwright.machine.figures import nanoseconds, size
from poolwright.texts import tell

_HEAD = re.compile(r"^(latency|req_size)\s")  # for machines
_BOTH = {"read": Direction.READ, "write": Direction.WRITE}
_ALONE = {"scrub": Direction.READ, "trim": Direction.TRIM, "rebuild": Direction.WRITE}


@dataclass(slots=True)
class _Table:
    """A histogram of one pool, vdev or disk: a column has its words, a row its edge and its counts."""

    name: str
    groups: list[str]
    kind: str
    columns: list[str]
    rows: list[tuple[str, list[float | None]]]


def read_histograms(text: str, *, where: str) -> Recorded | None:
    """Return the histograms in ``text``; None where there are none.

    Waits are measurements, one for each column, with the upper edges 2^n - 1 ns that zpool rounds for people. Sizes
    of requests are facts: how many of a size, alone ("ind") or put together ("agg").
    """
    tables = _tables(text.splitlines())
    if not tables:
        return None
    measured: list[Measurement] = []
    facts: list[tuple[str, float]] = []
    for table in tables:
        if table.kind == "latency":
            measured += _waits(table)
        else:
            facts += _sizes(table)
    return Recorded(
        tool=BenchTool.ZPOOL_IOSTAT,
        where=where,
        measured=tuple(measured),
        facts=tuple(facts),
        notes=(tell("A histogram counts since the pool was imported, unless -y was given."),),
    )


def _tables(lines: Sequence[str]) -> list[_Table]:
    found: list[_Table] = []
    for before, line in zip(["", *lines], lines, strict=False):
        head = _HEAD.match(line)
        if head is not None and len(before.split()) > 1:
            groups = re.findall(
                r"(?:total_wait|disk_wait|syncq?_wait|asyncq_wait|a?sync_read|a?sync_write|scrub|trim|rebuild)", before
            )
            name = re.split(r"\s+(?:total_wait|sync_read)", before)[0].strip()
            found.append(_Table(name, groups, head.group(1), line.split()[1:], []))
        elif found and (words := line.split()) and len(words) == len(found[-1].columns) + 1:
            edge = nanoseconds(words[0]) if found[-1].kind == "latency" else size(words[0])
            if edge is not None:
                found[-1].rows.append((words[0], [size(word) for word in words[1:]]))
    return [table for table in found if table.rows]


def _columns(table: _Table) -> list[tuple[str, str]]:
    """Return (group, column) for each column: a group has two, but waits of scrub, trim and rebuild stand alone."""
    groups, result, left = iter(table.groups), list[tuple[str, str]](), 0
    group = ""
    for word in table.columns:
        if word in _ALONE:
            result.append((word, word))
            continue
        if left == 0:
            group, left = next(groups, ""), 2
        result.append((group, word))
        left -= 1
    return result


def _waits(table: _Table) -> list[Measurement]:
    measured = []
    for index, (group, word) in enumerate(_columns(table)):
        counts = [(_edge(edge), round(values[index] or 0)) for edge, values in table.rows]
        histogram = tuple((edge, count) for edge, count in counts if count)
        measured.append(
            Measurement(
                name=table.name,
                direction=_BOTH.get(word) or _ALONE.get(word, Direction.READ),
                pattern=group,
                total=Latency(count=sum(count for _, count in histogram), histogram=histogram),
            )
        )
    return measured


def _edge(text: str) -> int:
    """Return the exact upper edge of what is printed rounded: ``65us`` is 2^16 - 1 ns."""
    value = max(round(nanoseconds(text) or 0), 1)
    below = (1 << value.bit_length() - 1) - 1
    above = (1 << value.bit_length()) - 1
    return above if above - value <= value - below else below


def _sizes(table: _Table) -> list[tuple[str, float]]:
    return [
        (f"{table.name} {group} {word} {edge}", values[index] or 0.0)  # for machines
        for edge, values in table.rows
        for index, (group, word) in enumerate(_columns(table))
        if values[index]
    ]
