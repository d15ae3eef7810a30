"""Reads iostat: its table with old and new columns (-x, -m, -t), and its JSON."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime

from poolwright.domain.measurement import BenchTool, Recorded
from poolwright.machine.figures import number
from poolwright.machine.picking import MEAN_NOTE, child, cut_notes, elements, nothing_of, string
from poolwright.machine.samples import CurveMaker, sampled
from poolwright.machine.sysstat.sadf import (
    SysstatPart,
    entries_of,
    figure,
    host_in,
    key_columns,
    line_notes,
    numbers_in,
    part_of,
    take_row,
)
from poolwright.texts import _

_DEVICE = re.compile(r"^Device:?\s")
_STAMP = re.compile(
    r"^(?P<day>\S{6,12})[ T](?P<time>[0-9]{2}:[0-9]{2}:[0-9]{2})(?: (?P<half>[AP])M)?(?P<zone>[+-][0-9]{2}:?[0-9]{2})?$"
)
_UNTIMED_MS = 1000

_Rows = list[tuple[SysstatPart, str, dict[str, float | None]]]


class _Report:
    def __init__(self, moment: datetime | None) -> None:
        self.moment = moment
        self.rows: _Rows = []


def read_iostat_text(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return what iostat printed, over time where there are several reports; a line that is cut off is passed over."""
    reports: list[_Report] = []
    host, columns, cut = None, list[str](), 0
    moment: datetime | None = None
    for line in data.decode("utf-8", errors="replace").splitlines():
        words = line.split()
        head, stamp = SYSSTAT_HEAD.match(line.strip()), _stamp(line.strip())
        if head is not None:
            host = host or head.group(1) or None
            columns = []
        elif stamp is not None:
            moment, columns = stamp, []
            reports.append(_Report(moment))
        elif line.startswith("avg-cpu:") or _DEVICE.match(line):
            if not reports or columns[:1] == words[:1] or _has(reports[-1], words[0]):
                reports.append(_Report(moment))
            columns = words
        elif not words or not columns:
            columns = [] if columns and _has(reports[-1], columns[0]) else columns
        else:
            row = _row(columns, words, plain=line[:1].isspace())
            cut += row is None
            reports[-1].rows += [row] if row is not None else []
    return (_recorded([report for report in reports if report.rows], where=where, host=host, cut=cut),)


def _has(report: _Report, first: str) -> bool:
    part = SysstatPart.CPU if first == "avg-cpu:" else SysstatPart.DISK
    return any(found is part for found, *__ in report.rows)


def _row(
    columns: list[str], words: list[str], *, plain: bool
) -> tuple[SysstatPart, str, dict[str, float | None]] | None:
    """Return a line of values; None where it is cut off, or the total of a group, which begins with a blank."""
    if columns[0] == "avg-cpu:":
        names, name, part = columns[1:], "all", SysstatPart.CPU
        values = words
    else:
        if plain:
            return None
        names, part = columns[1:], SysstatPart.DISK
        name, values = words[0], words[1:]
    if len(values) != len(names):
        return None
    return part, name, {column: number(word) for column, word in zip(names, values, strict=True)}


def _stamp(line: str) -> datetime | None:
    """Return the moment that a line of `iostat -t` tells; its zone is the machine's, read as if it were UTC."""
    match = _STAMP.match(line)
    day = read_date(match["day"]) if match else None
    if match is None or day is None:
        return None
    try:
        time = datetime.fromisoformat(f"{day.isoformat()}T{match['time']}").replace(tzinfo=UTC)
    except ValueError:
        return None
    if match["half"]:
        time = time.replace(hour=time.hour % 12 + (12 if match["half"] == "P" else 0))
    return time


def read_iostat_json(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    text = data.decode("utf-8", errors="replace")
    entries, broken = entries_of(text, "timestamp")
    if broken and not entries:
        entries, __ = entries_of(text, "avg-cpu")
    reports = []
    for entry in entries:
        stamp = string(entry, "timestamp")
        report = _Report(_stamp(stamp) if stamp is not None else None)
        report.rows = list(_json_rows(entry))
        if report.rows:
            reports.append(report)
    return (_recorded(reports, where=where, host=host_in(text), cut=int(broken)),)


def _json_rows(entry: object) -> Iterator[tuple[SysstatPart, str, dict[str, float | None]]]:
    if isinstance(child(entry, "avg-cpu"), dict):
        yield SysstatPart.CPU, "all", numbers_in(child(entry, "avg-cpu"))
    for disk in elements(entry, "disk"):
        name = str(child(disk, "disk_device") or " ")
        if not name[0].isspace():  # totals of groups are indented
            yield SysstatPart.DISK, name, numbers_in(disk)


def _recorded(reports: list[_Report], *, where: str, host: str | None, cut: int) -> Recorded:
    """Return the reports over time; of several the first is left out, which is the mean since the machine began."""
    if not reports:
        raise nothing_of("iostat", where, "iostat -x -t 1")
    notes = [_(MEAN_NOTE)]
    kept = reports[1:] or reports
    timed = all(report.moment is not None for report in kept)
    if not timed and len(kept) > 1:
        notes.append(_("No times are told: each report counts as one second."))
    notes += cut_notes(cut)
    maker = CurveMaker()
    for index, report in enumerate(kept):
        ms = round(report.moment.timestamp()) * 1000 if timed and report.moment else index * _UNTIMED_MS
        for part, name, values in report.rows:
            take_row(maker, ms, part, name, values)
    return sampled(maker, tool=BenchTool.IOSTAT, where=where, host=host, notes=notes)


# Reads the text of sar: clocks of 12 and 24 hours, several days and sections, restarts, files that were cut off.

SYSSTAT_HEAD = re.compile(r"^Linux \S{1,100} \(([^()]{0,200})\)\s{1,20}(\S{6,20})(?:\s.*)?$")
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
        self._part: SysstatPart | None = None
        self._first_day: date | None = None
        self._day = 0
        self._last: dict[str, tuple[int, int]] = {}  # section: its last second and its day

    def take(self, line: str) -> None:
        head = SYSSTAT_HEAD.match(line)
        if head is not None:
            self._begin(head.group(1), read_date(head.group(2)))
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
        self._part = part_of(words)
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
        told = dict(zip(self._columns, words, strict=True))
        name = _name(told)
        values = {column: figure(word) for column, word in told.items() if column not in key_columns() or word == name}
        take_row(self.maker, (day * _DAY_SECONDS + second) * 1000, self._part, name, values)


def _name(told: dict[str, str]) -> str:
    name = next(word for column, word in told.items() if column in key_columns())
    return f"{told['DEVICE']} {name}" if "DEVICE" in told else name


def _seconds(timed: "re.Match[str]") -> int:
    hours, minutes, seconds = (int(timed.group(i)) for i in (1, 2, 3))
    half = timed.group(4)
    if half is not None:
        hours = hours % 12 + (12 if half in _AFTERNOON else 0)
    return hours * 3600 + minutes * 60 + seconds


def read_date(text: str) -> date | None:
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
    return (sampled(reader.maker, tool=BenchTool.SAR, where=where, host=reader.host, notes=_notes(reader)),)


def _notes(reader: _Sar) -> list[str]:
    notes = line_notes(reader.restarts, reader.cut)
    if reader.passed_over:
        notes.append(_("Passed over, as it tells nothing of use here: {names}.", names=", ".join(reader.passed_over)))
    return notes
