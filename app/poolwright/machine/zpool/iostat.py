"""`zpool iostat`, while it runs and afterwards, and `zpool list`: what was done, how long it waited, what is used."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from poolwright.domain.measurement import BenchTool, Observer, Recorded, What
from poolwright.machine.json_values import (
    CTIME,
    MEAN_NOTE,
    ROUNDED,
    ctime,
    cut_notes,
    nanoseconds,
    nothing_of,
    number,
    size,
)
from poolwright.machine.samples import UNKNOWN, ClockStep, Column, CurveMaker, Sample, SteadyClock, column_of, sampled
from poolwright.machine.zpool.listed import ListedPool, reports
from poolwright.shipped import shipped
from poolwright.texts import _

# `zpool iostat` line by line: its lines of numbers, gathered into reports.

# The columns of `zpool iostat` by the options and the version that printed it, and what they tell.
_PLAIN, _WAITS, _QUEUES = (tuple(map(column_of, shipped("zpool")[kind])) for kind in ("plain", "waits", "queues"))
# 0.7 has no trim, 0.8 no rebuild: how many waits and queues each prints.
_SETS = ((9, 10), (10, 12), (11, 14))
# With -H there is no head: the options and the version show in the number of columns, the name among them.
_BY_COUNT = {
    1 + len(_PLAIN): _PLAIN,
    **{1 + len(_PLAIN) + queues: (*_PLAIN, *_QUEUES[:queues]) for __, queues in _SETS},
    **{1 + len(_PLAIN) + waits: (*_PLAIN, *_WAITS[:waits]) for waits, __ in _SETS},  # 17: also -q of 0.7, rarer
    **{1 + len(_PLAIN) + w + q: (*_PLAIN, *_WAITS[:w], *_QUEUES[:q]) for w, q in _SETS},
}


_RULE = re.compile(r"^\s*-{2,}(?:\s+-{2,})*\s*$")
_CTIME = re.compile(CTIME)
_UNIX = re.compile(r"^[0-9]{9,11}$")
# No name begins with a number and a blank: a listing in a document counts its lines so.
_COUNTED = re.compile(r"^\s?[0-9]{1,4} (?=\s*[A-Za-z])")
_CELL = re.compile(r"-|[0-9]{1,25}(?:[.,][0-9]{1,4})?(?:[KMGTPEZ]|ns|us|ms|s)?")
_MOST_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class PoolRow:
    """A line: the name, how far it is indented (None with -H), and its numbers by column. No numbers: a class."""

    name: str
    depth: int | None
    values: tuple[tuple[Column, float | None], ...]

    @property
    def is_class(self) -> bool:
        """Tell whether this is the head of a class (logs, cache, special, dedup) and no device."""
        return all(value is None for __, value in self.values)

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
        self._columns: tuple[Column, ...] | None = None
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
        words = line.split()
        if words[:5] == ["pool", "alloc", "free", "read", "write"]:  # for machines
            queues = words.count("activ") * 2
            waits = max(len(words) - 7 - queues, 0)
            self._columns = (*_PLAIN, *_WAITS[:waits], *_QUEUES[:queues])
            return self.end()
        row = self._row(line)
        return None if row is None else self._add(row)

    def end(self) -> PoolReport | None:
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
            columns = _BY_COUNT.get(len(fields))
            if columns is None or not all(_CELL.fullmatch(cell) for cell in fields[1:]):
                self.cut += 1
                return None
            self._scripted = self._scripted or 0
            return _row_of(fields[0], None, columns, fields[1:])
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
        return _row_of(name, len(line) - len(line.lstrip()), self._columns, cells)


def _row_of(name: str, depth: int | None, columns: Sequence[Column], cells: Sequence[str]) -> PoolRow:
    """Return a line with its numbers in bytes, operations/s, bytes/s or ns; None for ``-``."""
    read = (nanoseconds if column.what is What.LATENCY else size for column in columns)
    return PoolRow(name, depth, tuple((c, one(cell)) for c, one, cell in zip(columns, read, cells, strict=True)))


def _moment(line: str) -> tuple[datetime, bool] | None:
    """Return the time that -T prints before a report, and whether it is UTC; another zone's is read as if it were."""
    if _UNIX.match(line):
        return datetime.fromtimestamp(int(line), UTC), True
    match = _CTIME.fullmatch(line)
    moment = ctime(match) if match else None
    return (moment.replace(tzinfo=UTC), match[4] in ("UTC", "GMT")) if moment and match else None


_MOST_LINE_BYTES = 1 << 16
_LONGEST_GAP_SECONDS = 15.0  # zpool tells each second, or waits for a pool that is suspended


class PoolWatch:
    """Takes what `zpool iostat -y -v -l -p -H [-T u] POOL 1` prints, as it comes.

    ``pools`` are the names asked for. With -T u (which is better) samples are in ms since 1970, else since the first
    report; where somebody sets the clock, they go on where they were.
    """

    def __init__(self, *, pools: Iterable[str] = ()) -> None:
        self._pools = frozenset(pools)
        self._reader = ReportReader()
        self._clock = SteadyClock(longest=_LONGEST_GAP_SECONDS)
        self._rest = b""
        self._count = 0

    def feed(self, chunk: bytes) -> tuple[Sample, ...]:
        """Take the next bytes, wherever they are cut; return what of it is whole."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._rest = self._rest[-_MOST_LINE_BYTES:]
        found: list[Sample] = []
        for line in lines:
            report = self._reader.take(line.decode("utf-8", errors="replace").rstrip("\r"))
            found += self._samples(report) if report is not None else ()
        return tuple(found)

    def end(self) -> tuple[Sample, ...]:
        report = self._reader.end()
        return self._samples(report) if report is not None else ()

    def _samples(self, report: PoolReport) -> tuple[Sample, ...]:
        moment = None if report.moment is None else self._clock.moment(report.moment.timestamp())
        ms = 1000 * (self._count if moment is None else round(moment))
        self._count += 1
        return report_samples(report, ms, self._pools)


def report_samples(report: PoolReport, ms: int, pools: frozenset[str] = frozenset()) -> tuple[Sample, ...]:
    """Return each number of a report; ``-`` is unknown, as are the bytes of disks within a vdev."""
    return tuple(
        Sample(ms, column.key(name, observer), UNKNOWN if value is None else value)
        for row, observer, name in placed(report.rows, pools)
        for column, value in row.values
        if column.what is not What.BYTES or value
    )


def read_zpool_iostat(
    data: bytes, *, where: str, since_boot: bool | None = None, steps: Sequence[ClockStep] = ()
) -> tuple[Recorded, ...]:
    """Return what `zpool iostat` printed in any of its forms: with -v, -l, -q, -H, -p, -T.

    Of several reports the first is the mean since boot unless -y was given, which the text does not tell: where
    ``since_boot`` does not say it, it is left out if every pool in it did something, and that is noted. ``steps`` are
    those of the clock that told the times, as far as somebody knows of them.
    """
    reader = ReportReader()
    found = [reader.take(line) for line in data.decode("utf-8", errors="replace").splitlines()]
    reports = [report for report in (*found, reader.end()) if report is not None]
    if not reports:
        raise nothing_of("zpool iostat", where, "zpool iostat -v -l 1")  # for machines
    kept, notes = (reports, []) if since_boot is False else _without_first(reports)
    timed = all(report.moment is not None for report in kept)
    if not timed and len(kept) > 1:
        notes.append(_("No times are given: each report counts as one second."))
    notes += cut_notes(reader.cut)
    maker, clock = CurveMaker(), SteadyClock(known=steps)
    for index, report in enumerate(kept):
        timed_ms = round(clock.moment(report.moment.timestamp())) * 1000 if report.moment is not None else 0
        maker.take(report_samples(report, timed_ms if timed else index * 1000))
    started = kept[0].moment if timed and kept[0].utc else None
    return (sampled(maker, tool=BenchTool.ZPOOL_IOSTAT, where=where, started=started, notes=notes),)


def _without_first(reports: Sequence[PoolReport]) -> tuple[Sequence[PoolReport], list[str]]:
    if len(reports) == 1:
        return reports, [_(MEAN_NOTE)]
    idle = [
        row.name
        for row, observer, __ in placed(reports[0].rows)
        if observer is Observer.POOL and not any(v for c, v in row.values if c.what in (What.RATE, What.IOPS))
    ]
    if idle:
        return reports, []
    return reports[1:], [_(MEAN_NOTE)]


# Which lines of a report of `zpool iostat` are pools, vdevs and disks, and names by which to tell them apart.

# "raidz2" without its number was printed before 2.0.
_VDEV = re.compile(r"(?:mirror|raidz[123]?|draid[123]?(?::\S+)?|spare|replacing|indirect|missing|hole)(?:-[0-9]+)?")

Placed = tuple[PoolRow, Observer, str]


def placed(rows: Sequence[PoolRow], pools: frozenset[str] = frozenset()) -> tuple[Placed, ...]:
    """Return the lines that tell of something, with what it is and a name that no other line has.

    ``pools`` are the names that zpool was asked for; without, they are found: by the indent, or, with -H, by that a
    pool has exactly the bytes of the vdevs that follow it.
    """
    if rows and rows[0].depth is not None:
        least = min(row.depth or 0 for row in rows)
        heads = {index for index, row in enumerate(rows) if row.depth == least and not row.is_class}
    elif pools:
        heads = {index for index, row in enumerate(rows) if row.name in pools}
    else:
        heads = _pools_by_bytes(rows)
    found: list[tuple[PoolRow, Observer, str]] = []
    pool = ""
    for index, row in enumerate(rows):
        if index in heads:
            pool = row.name
            found.append((row, Observer.POOL, pool))
        elif not row.is_class:
            found.append((row, Observer.VDEV if _VDEV.fullmatch(row.name) else Observer.DISK, pool))
    count = Counter((observer, row.name) for row, observer, __ in found)
    seen: Counter[tuple[Observer, str]] = Counter()
    result = []
    for row, observer, of in found:
        name = row.name
        if count[observer, name] > 1 and observer is not Observer.POOL:
            name = f"{of} {name}"
        seen[observer, name] += 1
        if seen[observer, name] > 1:
            name = f"{name} #{seen[observer, name]}"
        result.append((row, observer, name))
    return tuple(result)


def _pools_by_bytes(rows: Sequence[PoolRow]) -> set[int]:
    """Return which lines are pools where nothing but their numbers tells; the first always is one."""
    # Only pools are listed (no -v) where each has bytes, and none is the sum of what follows.
    flat = len(rows) == 1 or all(_end_of_pool(rows, index) is None for index in range(len(rows)))
    if flat and all(row.bytes("alloc") or row.bytes("free") for row in rows):
        return set(range(len(rows)))
    heads, index = set(), 0
    while index < len(rows):
        end = _end_of_pool(rows, index)
        if end is not None or index == 0:
            heads.add(index)
        index = end if end is not None else index + 1
    return heads


def _end_of_pool(rows: Sequence[PoolRow], start: int) -> int | None:
    """Return the line behind the vdevs that together hold the bytes of the line ``start``; None where none do.

    Disks within a vdev have no bytes of their own; logs and caches, which follow, do not count.
    """
    whole = (rows[start].bytes("alloc"), rows[start].bytes("free"))
    if not whole[0]:
        return None
    allocated = free = 0.0
    for index in range(start + 1, len(rows)):
        allocated += rows[index].bytes("alloc")
        free += rows[index].bytes("free")
        if (allocated, free) == whole:
            end = index + 1
            while end < len(rows) and not rows[end].is_class and rows[end].bytes("free") == 0:
                end += 1
            return end
        if allocated > whole[0] or free > whole[1]:
            return None
    return None


# The numbers of `zpool list` as facts of a measurement.

_FACTS: dict[str, str] = {one["property"]: one["fact"] for one in shipped("zpool")["list"] if "fact" in one}


def measured_list(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the numbers of each pool as facts, named ``POOL size_bytes``; of several reports the last one's.

    Vdevs and disks are passed over. Raises UserError where no pool tells a number.
    """
    pools, cut = reports(data.decode("utf-8", errors="replace"))
    figures = {pool.name: {f"{pool.name} {name}": value for name, value in _numbers(pool)} for pool in pools}
    facts = {name: value for mine in figures.values() for name, value in mine.items()}
    if not facts:
        raise nothing_of("zpool list", where, "zpool list -p")
    notes = [_("Pool {pool} shows no figures.", pool=name) for name, mine in figures.items() if not mine]
    if any(pool.rounded for pool in pools):
        notes.append(_(ROUNDED))
    if len(figures) < len(pools):
        notes.append(_("There are several reports: the numbers are those of the last one."))
    notes += cut_notes(cut)
    return (Recorded(tool=BenchTool.ZPOOL_LIST, where=where, facts=tuple(facts.items()), notes=tuple(notes)),)


def _numbers(pool: ListedPool) -> Iterator[tuple[str, float]]:
    for one in pool.properties:
        name = _FACTS.get(one.name, "")
        value = size(one.value) if name.endswith("_bytes") else number(one.value.rstrip("%x")) if name else None
        if value is not None:
            yield name, float(round(value)) if name.endswith("_bytes") else value
