"""Reads sysstat: what sadf prints for programs (-j) and sar for people; what their columns tell, by version.

sysstat's kB are 1024 bytes, its sectors and blocks 512 (its manual pages); times are ms, shares per cent.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache

from poolwright.domain.measurement import BenchTool, Observer, Recorded, What
from poolwright.machine.json_values import child, cut_notes, elements, mapping, members, nothing_of, number, size
from poolwright.machine.samples import UNKNOWN, Column, CurveKey, CurveMaker, column_of, sampled
from poolwright.shipped import shipped
from poolwright.texts import _, ngettext


@cache
def _columns(part: Observer) -> dict[str, Column]:
    """Return what columns tell, by all the names that versions give them."""
    return {name: column_of(entry) for entry in shipped("sysstat")[part.value] for name in entry["names"].split()}


@cache
def _keys() -> dict[str, Observer]:
    """Return what rows are about, by the column that names it."""
    return {column: Observer(part) for column, part in shipped("sysstat")["keys"].items()}


_IDLE = ("%idle", "idle")


def figure(text: str) -> float | None:
    """Return a number of sar, with --human one of ``1.4G`` or ``26.7%`` in the kB or per cent of its column."""
    if text[-1:].isdigit() or text.endswith("%"):
        return number(text.removesuffix("%"))
    found = size(text)
    return None if found is None else found / 1024


def _take_row(maker: CurveMaker, ms: int, part: Observer, name: str, values: Mapping[str, float | None]) -> None:
    """Take one row at ``ms``: ``values`` by the names of their columns, as printed."""
    if part is Observer.CPU:
        _take_cpu(maker, ms, name, values)
        return
    for word, value in values.items():
        column = _columns(part).get(word)
        if column is not None:
            # A wait of nothing is printed where there were no operations.
            known = value is not None and not (column.what is What.LATENCY and value == 0)
            scaled = value * column.factor if value is not None and known else UNKNOWN
            maker.add(ms, column.key(name, part), scaled)


def _take_cpu(maker: CurveMaker, ms: int, name: str, values: Mapping[str, float | None]) -> None:
    """Take the shares of a core, or of all; busy is what is neither idle nor waiting for disks."""
    shares = {}
    for detail, words in shipped("sysstat")["shares"].items():
        found = [values[word] for word in words.split() if word in values]
        if found and found[0] is not None:
            shares[detail] = found[0] / 100
            maker.add(ms, CurveKey(name, Observer.CPU, What.SHARE, None, detail), shares[detail])
    idle = [values[word] for word in _IDLE if word in values]
    if idle and idle[0] is not None:
        busy = 1 - idle[0] / 100 - shares.get("iowait", 0.0)
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
            _take_row(maker, round(moment.timestamp()) * 1000, part, name, values)
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


def _rows(entry: object) -> Iterator[tuple[Observer, str, dict[str, float | None]]]:
    for part, key, rows in (
        (Observer.CPU, "cpu", elements(entry, "cpu-load") or elements(entry, "cpu-load-all")),
        (Observer.DISK, "disk-device", elements(entry, "disk")),
        (Observer.NETWORK, "iface", elements(entry, "network", "net-dev")),
    ):
        for row in rows:
            yield part, str(child(row, key)), _numbers_in(row)
    for row in elements(entry, "power-management", "temperature"):
        yield Observer.TEMPERATURE, f"{child(row, 'device')} {child(row, 'number')}", _numbers_in(row)


def _numbers_in(row: object) -> dict[str, float | None]:
    return {key: number(json.dumps(value)) for key, value in members(row) if isinstance(value, int | float)}


# The text of sar: clocks of 12 and 24 hours, several days and sections, restarts, files that were cut off.

_HEAD = re.compile(r"^Linux \S{1,100} \(([^()]{0,200})\)\s{1,20}(\S{6,20})(?:\s.*)?$")
# Three numbers with signs between them ("14:02:09", "14時02分09秒", "14시 02분 09초"), then perhaps two letters for
# the half of the day ("02:02:09 PM", "p. m.", "μμ") and a zone ("PM IST"). Columns are two blanks away
# at least: what stands nearer belongs to the clock.
_TIMED = re.compile(
    r"^([0-9]{1,2})[^\d\s] ?([0-9]{2})[^\d\s] ?([0-9]{2})[^\d\s]?(?:\s?([^\W\d_])\.?\s?[^\W\d_]\.?(?![^\W_]))?"
    r"(?: (?!CPU|DEV|IFACE|COM|TTY|INTR|TEMP)[A-Z]{2,5}(?=  ))?\s+(\S.*)$"
)
_DATES = (
    re.compile(r"(?P<year>[0-9]{4})\D(?P<month>[0-9]{1,2})\D(?P<day>[0-9]{1,2})\D?"),
    re.compile(r"(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{2,4})\.?"),
    re.compile(r"(?P<month>[0-9]{1,2})/(?P<day>[0-9]{1,2})/(?P<year>[0-9]{2,4})"),
    re.compile(r"(?P<day>[0-9]{1,2})/(?P<month>[0-9]{1,2})/(?P<year>[0-9]{2,4})"),
)
_DAY_SECONDS = 86_400
_AFTERNOON = "Pp\u03bc"


class _Sar:
    """Reads line by line. The moments of each section rise by themselves: `sar -A` tells them one after the other."""

    def __init__(self) -> None:
        self.maker = CurveMaker()
        self.host: str | None = None
        self.restarts = 0
        self.cut = 0
        self.passed_over: dict[str, None] = {}
        self._columns: list[str] = []
        self._part: Observer | None = None
        self._first_day: date | None = None
        self._day = 0
        self._last: dict[str, tuple[int, int]] = {}  # section: its last second and its day

    def take(self, line: str) -> None:
        head = _HEAD.match(line)
        if head is not None:
            self._begin(head.group(1), _read_date(head.group(2)))
            return
        timed = _TIMED.match(line)
        if timed is None:
            if not line.strip():
                self._columns = []
            return
        words = timed.group(5).split()
        if "RESTART" in words:
            self.restarts += 1
        elif words[0] == "COM":
            return
        elif all(figure(word) is None for word in words) and not (self._columns and len(words) == 1):
            self._head(words)
        else:
            self._row(_seconds(timed), words)

    def _begin(self, host: str, day: date | None) -> None:
        self.host = self.host or host or None
        self._columns = []
        if day is not None:
            self._first_day = self._first_day or day
            self._day = max((day - self._first_day).days, 0)
            self._last = {}

    def _head(self, words: list[str]) -> None:
        self._columns = words
        self._part = next((_keys()[word] for word in words if word in _keys()), None)
        if self._part is None:
            self.passed_over[words[0]] = None

    def _row(self, second: int, words: Sequence[str]) -> None:
        if self._part is None or not self._columns:
            return
        if len(words) != len(self._columns):
            self.cut += 1
            return
        section = self._columns[0]
        last, day = self._last.get(section, (second, self._day))
        if second < last - _DAY_SECONDS // 2:
            day += 1
        self._last[section] = (second, day)
        cells = dict(zip(self._columns, words, strict=True))
        key = next(word for column, word in cells.items() if column in _keys())
        name = f"{cells['DEVICE']} {key}" if "DEVICE" in cells else key
        values = {column: figure(word) for column, word in cells.items() if column not in _keys() or word == name}
        _take_row(self.maker, (day * _DAY_SECONDS + second) * 1000, self._part, name, values)


def _seconds(timed: "re.Match[str]") -> int:
    hours, minutes, seconds = (int(timed.group(i)) for i in (1, 2, 3))
    half = timed.group(4)
    if half is not None:
        hours = hours % 12 + (12 if half in _AFTERNOON else 0)
    return hours * 3600 + minutes * 60 + seconds


def _read_date(text: str) -> date | None:
    """Return the day in the head of a file; month before day where both could be, as in the C locale."""
    for pattern in _DATES:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        year = int(match["year"])
        try:
            return date(year + 2000 if year < 100 else year, int(match["month"]), int(match["day"]))
        except ValueError:
            continue
    return None


def read_sar_text(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return what sar printed of processors, disks, networks and temperatures, over time.

    Lines with averages are passed over; so are sections about other things, which a note names. A file that was cut
    off is read up to its last whole line. Its times are in the zone of a machine that is not told: there is no start.
    """
    reader = _Sar()
    for line in data.decode("utf-8", errors="replace").splitlines():
        reader.take(line.strip())
    if reader.maker.moments() == 0:
        raise nothing_of("sar", where, "sar -u -P ALL -d -n DEV 1")  # for machines
    notes = cut_notes(reader.cut)
    if count := reader.restarts:
        notes.insert(0, ngettext("The machine was restarted once.", "The machine was restarted {count} times.", count))
    if reader.passed_over:
        notes.append(_("Passed over, as it tells nothing of use here: {names}.", names=", ".join(reader.passed_over)))
    return (sampled(reader.maker, tool=BenchTool.SAR, where=where, host=reader.host, notes=notes),)
