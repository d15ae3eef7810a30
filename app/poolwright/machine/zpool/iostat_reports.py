"""`zpool iostat` line by line: its lines of numbers, gathered into reports."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from poolwright.domain.latency import Direction, What
from poolwright.machine.samples import nanoseconds, size

# The columns of `zpool iostat` by the options and the version that printed it, and what they tell.

_READ, _WRITE, _TRIM = Direction.READ, Direction.WRITE, Direction.TRIM


@dataclass(frozen=True, slots=True)
class PoolColumn:
    """One number of a line; ``detail`` is zpool's own word where several are of one kind."""

    what: What
    direction: Direction | None = None
    detail: str = ""

    def value(self, text: str) -> float | None:
        """Return the number in bytes, operations/s, bytes/s or ns; None for ``-``."""
        return nanoseconds(text) if self.what is What.LATENCY else size(text)


_PLAIN = (
    PoolColumn(What.BYTES, None, "alloc"),
    PoolColumn(What.BYTES, None, "free"),
    PoolColumn(What.IOPS, _READ),
    PoolColumn(What.IOPS, _WRITE),
    PoolColumn(What.RATE, _READ),
    PoolColumn(What.RATE, _WRITE),
)
_BOTH = ("total_wait", "disk_wait", "syncq_wait", "asyncq_wait")
_WAITS = (
    *(PoolColumn(What.LATENCY, direction, word) for word in _BOTH for direction in (_READ, _WRITE)),
    PoolColumn(What.LATENCY, _READ, "scrub"),
    PoolColumn(What.LATENCY, _TRIM, "trim"),
    PoolColumn(What.LATENCY, _WRITE, "rebuild"),
)
_QUEUED = (
    ("syncq", _READ),
    ("syncq", _WRITE),
    ("asyncq", _READ),
    ("asyncq", _WRITE),
    ("scrubq", _READ),
    ("trimq", _TRIM),
    ("rebuildq", _WRITE),
)
_QUEUES = tuple(
    PoolColumn(What.QUEUE, direction, f"{word}_{state}") for word, direction in _QUEUED for state in ("pend", "activ")
)
# 0.7 has no trim, 0.8 no rebuild: how many waits and queues each prints.
_SETS = ((9, 10), (10, 12), (11, 14))
# With -H there is no head: the options and the version show in the number of columns, the name among them.
_BY_COUNT = {
    1 + len(_PLAIN): _PLAIN,
    **{1 + len(_PLAIN) + queues: (*_PLAIN, *_QUEUES[:queues]) for _, queues in _SETS},
    **{1 + len(_PLAIN) + waits: (*_PLAIN, *_WAITS[:waits]) for waits, _ in _SETS},  # 17: also -q of 0.7, which is rarer
    **{1 + len(_PLAIN) + w + q: (*_PLAIN, *_WAITS[:w], *_QUEUES[:q]) for w, q in _SETS},
}


def columns_by_count(count: int) -> tuple[PoolColumn, ...] | None:
    """Return the columns of a line of `zpool iostat -H` with ``count`` fields; None where no version prints so many."""
    return _BY_COUNT.get(count)


def columns_by_head(words: Sequence[str]) -> tuple[PoolColumn, ...] | None:
    """Return the columns below a head ``pool alloc free read write ...``; None where it is another head."""
    if [*words[:5]] != ["pool", "alloc", "free", "read", "write"]:  # for machines
        return None
    queues = words.count("activ") * 2
    waits = len(words) - 7 - queues
    return (*_PLAIN, *_WAITS[: max(waits, 0)], *_QUEUES[:queues])


_RULE = re.compile(r"^\s*-{2,}(?:\s+-{2,})*\s*$")
_CTIME = re.compile(
    r"^[A-Z][a-z]{2} (?P<month>[A-Z][a-z]{2}) +(?P<day>[0-9]{1,2}) (?P<time>[0-9:]{8})(?: (?P<zone>[A-Z]{3,5}))?"
    r" (?P<year>[0-9]{4})$"
)
_UNIX = re.compile(r"^[0-9]{9,11}$")
# No name begins with a number and a blank: a listing in a document counts its lines so.
_COUNTED = re.compile(r"^\s?[0-9]{1,4} (?=\s*[A-Za-z])")
_CELL = re.compile(r"-|[0-9]{1,25}(?:[.,][0-9]{1,4})?(?:[KMGTPEZ]|ns|us|ms|s)?")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MOST_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class PoolRow:
    """A line: the name, how far it is indented (None with -H), and its numbers by column. No numbers: a class."""

    name: str
    depth: int | None
    values: tuple[tuple[PoolColumn, float | None], ...]

    @property
    def is_class(self) -> bool:
        """Tell whether this is the head of a class (logs, cache, special, dedup) and no device."""
        return all(value is None for _, value in self.values)

    def bytes(self, word: str) -> float:
        """Return ``alloc`` or ``free``; 0 where it is not told, as -p prints it for disks within a vdev."""
        return next((v or 0.0 for c, v in self.values if c.what is What.BYTES and c.detail == word), 0.0)


@dataclass(slots=True)
class PoolReport:
    """One report, of all pools that were asked for; ``moment`` where -T tells it, ``utc`` whether of that zone."""

    moment: datetime | None = None
    utc: bool = True
    rows: list[PoolRow] = field(default_factory=list)


class ReportReader:
    """Takes lines and returns a report each time that one is whole.

    A report ends with the next head or time, or where the name comes again that it began with; with -H, where nothing
    else tells an end, also after as many lines as the report before had.
    """

    def __init__(self) -> None:
        self.cut = 0
        self._columns: tuple[PoolColumn, ...] | None = None
        self._report = PoolReport()
        self._scripted: int | None = None  # with -H: how many lines the report before had, 0 where that is not known
        self._first: str | None = None  # with -H: the name that each report begins with

    def take(self, line: str) -> PoolReport | None:
        """Take a line without its end; return the report that it ends."""
        if not line.strip():
            if self._scripted is not None and self._report.rows:
                self._report.rows.append(PoolRow("", None, ()))
                return self._early()
            return None
        if _RULE.match(line):
            return None
        moment = _moment(line.strip())
        if moment is not None:
            whole = self.end()
            self._report = PoolReport(moment=moment[0], utc=moment[1])
            return whole
        head = columns_by_head(line.split())
        if head is not None:
            whole = self._finish() if self._report.rows else None
            self._columns = head
            return whole
        row = self._row(line)
        return None if row is None else self._add(row)

    def end(self) -> PoolReport | None:
        """Return the report that has begun: there is nothing more."""
        return self._finish() if self._report.rows else None

    def _finish(self) -> PoolReport:
        whole, self._report = self._report, PoolReport()
        if self._scripted is not None:
            self._scripted = len(whole.rows)
        return whole

    def _add(self, row: PoolRow) -> PoolReport | None:
        rows = self._report.rows
        whole = None
        if row.depth is None:
            self._first = self._first or row.name
            if not rows and row.name != self._first:
                self._scripted = 0  # the pool has more devices than before: wait for the next report
                return None
        if rows and row.name == rows[0].name and row.depth == rows[0].depth:
            whole = self._finish()
        if len(self._report.rows) < _MOST_ROWS:
            self._report.rows.append(row)
        return whole or self._early()

    def _early(self) -> PoolReport | None:
        return self._finish() if self._scripted and len(self._report.rows) >= self._scripted else None

    def _row(self, line: str) -> PoolRow | None:
        if "\t" in line:
            fields = line.split("\t")
            columns = columns_by_count(len(fields))
            if columns is None or not all(_CELL.fullmatch(cell) for cell in fields[1:]):
                self.cut += 1
                return None
            self._scripted = self._scripted or 0
            return _made(fields[0], None, columns, fields[1:])
        line = _COUNTED.sub("", line, count=1)
        words = line.split()
        if self._columns is None:
            return None
        # A name may hold blanks: the numbers are counted from the right.
        cells = words[-len(self._columns) :]
        if len(words) <= len(self._columns) or not all(_CELL.fullmatch(cell) for cell in cells):
            self.cut += bool(self._report.rows) and not line.lstrip().startswith(("capacity", "-"))
            return None
        name = " ".join(words[: -len(self._columns)])
        return _made(name, len(line) - len(line.lstrip()), self._columns, cells)


def _made(name: str, depth: int | None, columns: Sequence[PoolColumn], cells: Sequence[str]) -> PoolRow:
    values = tuple((column, column.value(cell)) for column, cell in zip(columns, cells, strict=True))
    return PoolRow(name, depth, values)


def _moment(line: str) -> tuple[datetime, bool] | None:
    """Return the time that -T prints before a report, and whether it is UTC; another zone's is read as if it were."""
    try:
        if _UNIX.match(line):
            return datetime.fromtimestamp(int(line), UTC), True
        match = _CTIME.match(line)
        if match is None or match["month"] not in _MONTHS:
            return None
        day = f"{match['year']}-{_MONTHS.index(match['month']) + 1:02}-{int(match['day']):02}"
        moment = datetime.fromisoformat(f"{day}T{match['time']}").replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return moment, match["zone"] in ("UTC", "GMT")
