"""Reads what sadf prints for programs: JSON (-j), also broken or cut off, and values between semicolons (-d)."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from poolwright.domain.errors import UserError
from poolwright.domain.latency import BenchTool, Recorded
from poolwright.machine.samples import CurveMaker, number, sampled
from poolwright.machine.sysstat.columns import MACHINE, SysstatPart, entries_of, part_of, take_row
from poolwright.texts import tell, tell_counted

_HOST = re.compile(r'"nodename"\s{0,20}:\s{0,20}"([^"]{0,200})"')
_STAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}:[0-9]{2}:[0-9]{2})(?: (\S{1,40}))?")
_ALL_CORES = "-1"


def read_sadf_json(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return what `sadf -j` tells of processors, disks, networks, load and temperatures, over time.

    sadf 11.2 forgets a comma, and a file may be cut off: each moment that is whole is read.
    """
    text = data.decode("utf-8", errors="replace")
    maker, started = CurveMaker(), None
    entries = entries_of(text, "timestamp")
    for entry in entries.whole:
        moment, zoned = _moment(entry.get("timestamp"))
        if moment is None:
            continue
        started = started or (moment if zoned else None)
        for part, name, values in _rows(entry):
            take_row(maker, _ms(moment), part, name, values)
    if maker.moments() == 0:
        raise UserError(
            tell("There is nothing of processors, disks or networks from sadf in this file"),
            where=where,
            todo=tell("Run sadf -j FILE -- -u -P ALL -d -n DEV."),
        )
    host = _HOST.search(text)
    notes = []
    if entries.broken:
        notes.append(tell("The JSON is broken or cut off: what is whole in it was read."))
    return (
        sampled(
            maker, tool=BenchTool.SAR, where=where, host=host.group(1) if host else None, started=started, notes=notes
        ),
    )


def _ms(moment: datetime) -> int:
    return round(moment.replace(tzinfo=UTC).timestamp()) * 1000


def _moment(stamp: object) -> tuple[datetime | None, bool]:
    """Return the moment of an entry, and whether it is known to be UTC; else it is some zone's, read as if."""
    if not isinstance(stamp, dict):
        return None, False
    try:
        moment = datetime.fromisoformat(f"{stamp.get('date')}T{stamp.get('time')}").replace(tzinfo=UTC)
    except ValueError:
        return None, False
    return moment, bool(stamp.get("utc")) or stamp.get("tz") in ("UTC", "GMT")


def _rows(entry: Mapping[str, object]) -> Iterator[tuple[SysstatPart, str, dict[str, float | None]]]:
    network, power = _mapping(entry.get("network")), _mapping(entry.get("power-management"))
    for part, key, rows in (
        (SysstatPart.CPU, "cpu", entry.get("cpu-load", entry.get("cpu-load-all"))),
        (SysstatPart.DISK, "disk-device", entry.get("disk")),
        (SysstatPart.NETWORK, "iface", network.get("net-dev")),
    ):
        for row in _mappings(rows):
            yield part, str(row.get(key)), _numbers(row)
    for row in _mappings(power.get("temperature")):
        yield SysstatPart.TEMPERATURE, f"{row.get('device')} {row.get('number')}", _numbers(row)
    queue = _mapping(entry.get("queue"))
    if queue:
        yield SysstatPart.LOAD, MACHINE, _numbers(queue)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _mappings(value: object) -> Iterator[Mapping[str, object]]:
    return (row for row in value if isinstance(row, dict)) if isinstance(value, list) else iter(())


def _numbers(row: Mapping[str, object]) -> dict[str, float | None]:
    return {key: number(json.dumps(value)) for key, value in row.items() if isinstance(value, int | float)}


def read_sadf_values(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return what `sadf -d` tells: a head that begins with ``# hostname`` for each section, then its lines."""
    maker, host, started = CurveMaker(), None, None
    columns: list[str] = []
    part: SysstatPart | None = None
    cut = restarts = 0
    for line in data.decode("utf-8", errors="replace").splitlines():
        words = line.strip().split(";")
        if words[0].startswith("# host"):
            columns, part = words, part_of(words)
            continue
        if part is None or len(words) < 4:
            continue
        if "RESTART" in words[3]:
            restarts += 1
            continue
        moment, zoned = _stamp(words[2])
        if moment is None or len(words) != len(columns):
            cut += 1
            continue
        host = host or words[0] or None
        started = started or (moment if zoned else None)
        first = 3 if part is SysstatPart.LOAD else 4
        values = {column: number(word) for column, word in zip(columns[first:], words[first:], strict=True)}
        take_row(maker, _ms(moment), part, _name(part, words[3]), values)
    if maker.moments() == 0:
        raise UserError(
            tell("There is nothing of processors, disks or networks from sadf in this file"),
            where=where,
            todo=tell("Run sadf -d FILE -- -u -P ALL -d -n DEV."),
        )
    return (
        sampled(maker, tool=BenchTool.SAR, where=where, host=host, started=started, notes=_value_notes(restarts, cut)),
    )


def _value_notes(restarts: int, cut: int) -> list[str]:
    notes = []
    if restarts:
        notes.append(
            tell_counted("The machine was restarted once.", "The machine was restarted {count} times.", restarts)
        )
    if cut:
        notes.append(
            tell_counted(
                "One line is cut off and was passed over.", "{count} lines are cut off and were passed over.", cut
            )
        )
    return notes


def _name(part: SysstatPart, word: str) -> str:
    if part is SysstatPart.LOAD:
        return MACHINE
    return "all" if part is SysstatPart.CPU and word == _ALL_CORES else word


def _stamp(text: str) -> tuple[datetime | None, bool]:
    """Return a moment, and whether it is UTC: seconds since 1970 are, times of a zone that is not told are not."""
    seconds = number(text)
    try:
        if seconds is not None:
            return datetime.fromtimestamp(seconds, UTC), True
        match = _STAMP.fullmatch(text)
        if match is None:
            return None, False
        moment = datetime.fromisoformat(f"{match.group(1)}T{match.group(2)}").replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None, False
    return moment, match.group(3) == "UTC"
