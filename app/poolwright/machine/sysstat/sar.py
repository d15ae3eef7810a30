"""Reads the text of sar: clocks of 12 and 24 hours, several days and sections, restarts, files that were cut off."""

import re
from collections.abc import Sequence
from datetime import date

from poolwright.domain.measurement import BenchTool, Recorded
from poolwright.machine.picking import nothing_of
from poolwright.machine.samples import CurveMaker, sampled
from poolwright.machine.sysstat.sadf import SysstatPart, figure, key_columns, line_notes, part_of, take_row
from poolwright.texts import _

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
        self._part: SysstatPart | None = None
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
    return (sampled(reader.maker, tool=BenchTool.SAR, where=where, host=reader.host, notes=_notes(reader)),)


def _notes(reader: _Sar) -> list[str]:
    notes = line_notes(reader.restarts, reader.cut)
    if reader.passed_over:
        notes.append(_("Passed over, as it tells nothing of use here: {names}.", names=", ".join(reader.passed_over)))
    return notes
