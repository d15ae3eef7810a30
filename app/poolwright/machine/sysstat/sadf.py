"""What sadf prints for programs (-j), and what the columns of sar and sadf tell, by version and format.

sysstat's kB are 1024 bytes, its sectors and blocks 512 (its manual pages); times are ms, shares per cent.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache

from poolwright.domain.measurement import BenchTool, Direction, Observer, Recorded, What
from poolwright.machine.figures import number
from poolwright.machine.picking import child, cut_notes, elements, mapping, members, nothing_of
from poolwright.machine.samples import UNKNOWN, CurveKey, CurveMaker, sampled
from poolwright.shipped import shipped
from poolwright.texts import _, ngettext


@dataclass(frozen=True, slots=True)
class _Column:
    """What a column tells, and what one of its units is in ours."""

    what: What
    direction: Direction | None = None
    factor: float = 1.0
    detail: str = ""


class SysstatPart(Enum):
    CPU = Observer.CPU
    DISK = Observer.DISK
    NETWORK = Observer.NETWORK
    TEMPERATURE = Observer.TEMPERATURE


@cache
def _columns(part: SysstatPart) -> dict[str, _Column]:
    """Return what columns tell, by all the names that versions give them."""
    found = {}
    for entry in shipped("sysstat")[part.value]:
        way = Direction(entry["direction"]) if "direction" in entry else None
        column = _Column(What(entry["what"]), way, entry.get("factor", 1.0), entry.get("detail", ""))
        found.update(dict.fromkeys(entry["names"].split(), column))
    return found


def part_of(columns: Iterable[str]) -> SysstatPart | None:
    """Return what the rows below these columns are about; None where no column names it."""
    found = (SysstatPart(key_columns()[word]) for word in columns if word in key_columns())
    return next(found, None)


def key_columns() -> Mapping[str, str]:
    keys: dict[str, str] = shipped("sysstat")["keys"]
    return keys


_IDLE = ("%idle", "idle")
_HUMAN = re.compile(r"([0-9]{1,12}(?:[.,][0-9]{1,3})?)([%BkMGTP])")
_KILO = {"%": 1.0, "B": 1 / 1024, "k": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3, "P": 1024.0**4}


def figure(text: str) -> float | None:
    """Return a number of sar, with --human one of ``1.4G`` or ``26.7%`` in the kB or per cent of its column."""
    human = _HUMAN.fullmatch(text)
    plain = number(human[1] if human else text)
    return plain if plain is None or human is None else plain * _KILO[human[2]]


def take_row(maker: CurveMaker, ms: int, part: SysstatPart, name: str, values: Mapping[str, float | None]) -> None:
    """Take one row at ``ms``: ``values`` by the names of their columns, as printed."""
    if part is SysstatPart.CPU:
        _take_cpu(maker, ms, name, values)
        return
    for word, value in values.items():
        column = _columns(part).get(word)
        if column is not None:
            key = CurveKey(name, part.value, column.what, column.direction, column.detail)
            # A wait of nothing is printed where there were no operations.
            known = value is not None and not (column.what is What.LATENCY and value == 0)
            maker.add(ms, key, value * column.factor if value is not None and known else UNKNOWN)


def _take_cpu(maker: CurveMaker, ms: int, name: str, values: Mapping[str, float | None]) -> None:
    """Take the shares of a core, or of all; busy is what is neither idle nor waiting for disks."""
    told = {}
    for detail, words in shipped("sysstat")["shares"].items():
        found = [values[word] for word in words.split() if word in values]
        if found and found[0] is not None:
            told[detail] = found[0] / 100
            maker.add(ms, CurveKey(name, Observer.CPU, What.SHARE, None, detail), told[detail])
    idle = [values[word] for word in _IDLE if word in values]
    if idle and idle[0] is not None:
        busy = 1 - idle[0] / 100 - told.get("iowait", 0.0)
        maker.add(ms, CurveKey(name, Observer.CPU, What.BUSY), min(max(busy, 0.0), 1.0))


# Objects out of a JSON text that need not be whole.

_NO_COMMA = re.compile(r'([\]}])(\s*")')


def _entries_of(text: str) -> tuple[Sequence[object], bool]:
    """Return the objects of the lists called "statistics", and whether the text around them is broken.

    Of a broken text they are those that begin with their time and are whole themselves.
    """
    try:
        value, end = json.JSONDecoder().raw_decode(text, max(text.find("{"), 0))
    except (ValueError, RecursionError):
        return list(_pieces(text)), True
    if text[end:].strip():
        return list(_pieces(text)), True
    return [entry for host in elements(value, "sysstat", "hosts") for entry in elements(host, "statistics")], False


def _pieces(text: str) -> Iterator[object]:
    """Yield each object that begins with its time and ends, with the commas that sadf 11.2 forgets."""
    text = _NO_COMMA.sub(r"\1,\2", text)
    begin, position = re.compile(r'\{\s{0,200}"timestamp"'), 0
    while (match := begin.search(text, position)) is not None:
        following = begin.search(text, match.end())
        try:
            value, position = json.JSONDecoder().raw_decode(
                text[: following.start()] if following else text, match.start()
            )
            yield value
        except (ValueError, RecursionError):
            position = match.end()


# Reads what sadf prints for programs: JSON (-j), also broken or cut off.

_HOST = re.compile(r'"nodename"\s{0,20}:\s{0,20}"([^"]{0,200})"')


def read_sadf_json(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return what `sadf -j` tells of processors, disks, networks and temperatures, over time.

    sadf 11.2 forgets a comma, and a file may be cut off: each moment that is whole is read.
    """
    text = data.decode("utf-8", errors="replace")
    maker, started = CurveMaker(), None
    entries, broken = _entries_of(text)
    for entry in entries:
        moment, zoned = _moment(mapping(child(entry, "timestamp")))
        if moment is None:
            continue
        started = started or (moment if zoned else None)
        for part, name, values in _rows(entry):
            take_row(maker, round(moment.timestamp()) * 1000, part, name, values)
    if maker.moments() == 0:
        raise nothing_of("sadf", where, "sadf -j FILE -- -u -P ALL -d -n DEV")  # for machines
    named = _HOST.search(text)
    host = named[1] if named else None
    notes = [_("The JSON is broken or cut off: what is whole in it was read.")] if broken else []
    return (sampled(maker, tool=BenchTool.SAR, where=where, host=host, started=started, notes=notes),)


def _moment(stamp: Mapping[str, object]) -> tuple[datetime | None, bool]:
    """Return the moment of an entry, and whether it is known to be UTC; else it is some zone's, read as if."""
    try:
        moment = datetime.fromisoformat(f"{stamp.get('date')}T{stamp.get('time')}").replace(tzinfo=UTC)
    except ValueError:
        return None, False
    return moment, bool(stamp.get("utc")) or stamp.get("tz") in ("UTC", "GMT")


def _rows(entry: object) -> Iterator[tuple[SysstatPart, str, dict[str, float | None]]]:
    for part, key, rows in (
        (SysstatPart.CPU, "cpu", elements(entry, "cpu-load") or elements(entry, "cpu-load-all")),
        (SysstatPart.DISK, "disk-device", elements(entry, "disk")),
        (SysstatPart.NETWORK, "iface", elements(entry, "network", "net-dev")),
    ):
        for row in rows:
            yield part, str(child(row, key)), _numbers_in(row)
    for row in elements(entry, "power-management", "temperature"):
        yield SysstatPart.TEMPERATURE, f"{child(row, 'device')} {child(row, 'number')}", _numbers_in(row)


def _numbers_in(row: object) -> dict[str, float | None]:
    return {key: number(json.dumps(value)) for key, value in members(row) if isinstance(value, int | float)}


def line_notes(restarts: int, cut: int) -> list[str]:
    if not restarts:
        return cut_notes(cut)
    told = ngettext("The machine was restarted once.", "The machine was restarted {count} times.", restarts)
    return [told, *cut_notes(cut)]
