"""Reads iostat: its table with old and new columns (-x, -m, -t), and its JSON."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Recorded
from poolwright.machine.figures import number
from poolwright.machine.samples import CurveMaker, sampled
from poolwright.machine.sysstat.columns import SysstatPart, take_row
from poolwright.machine.sysstat.entries import entries_of
from poolwright.machine.sysstat.sar_text import SYSSTAT_HEAD, read_date
from poolwright.texts import tell, tell_counted

_HOST = re.compile(r'"nodename"\s{0,20}:\s{0,20}"([^"]{0,200})"')
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
    return any(found is part for found, _, _ in report.rows)


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
    entries = entries_of(text, "timestamp")
    whole = entries.whole if not entries.broken else entries.whole or entries_of(text, "avg-cpu").whole
    reports = []
    for entry in whole:
        stamp = entry.get("timestamp")
        report = _Report(_stamp(stamp.strip()) if isinstance(stamp, str) else None)
        report.rows = list(_json_rows(entry))
        if report.rows:
            reports.append(report)
    host = _HOST.search(text)
    return (_recorded(reports, where=where, host=host.group(1) if host else None, cut=int(entries.broken)),)


def _json_rows(entry: Mapping[str, object]) -> Iterator[tuple[SysstatPart, str, dict[str, float | None]]]:
    cpu, disks = entry.get("avg-cpu"), entry.get("disk")
    if isinstance(cpu, dict):
        yield SysstatPart.CPU, "all", _numbers(cpu)
    for disk in disks if isinstance(disks, list) else []:
        name = str(disk.get("disk_device") or " ") if isinstance(disk, dict) else " "
        if not name[0].isspace():  # totals of groups are indented
            yield SysstatPart.DISK, name, _numbers(disk)


def _numbers(row: Mapping[str, object]) -> dict[str, float | None]:
    return {key: number(json.dumps(value)) for key, value in row.items() if isinstance(value, int | float)}


def _recorded(reports: list[_Report], *, where: str, host: str | None, cut: int) -> Recorded:
    """Return the reports over time; of several the first is left out, which is the mean since the machine began."""
    if not reports:
        raise UserError(
            tell("There is nothing from iostat in this text"),
            where=where,
            todo=tell("Run iostat -x -t 1, or iostat -x -o JSON 1 10."),
        )
    notes = []
    if len(reports) == 1:
        notes.append(tell("One report only: without -y it is the mean since the machine was started."))
    else:
        notes.append(tell("The first report is left out: without -y it is the mean since the machine was started."))
    kept = reports[1:] or reports
    timed = all(report.moment is not None for report in kept)
    if not timed and len(kept) > 1:
        notes.append(tell("No times are told: each report is taken as one second."))
    if cut:
        notes.append(
            tell_counted(
                "One line is cut off and was passed over.", "{count} lines are cut off and were passed over.", cut
            )
        )
    maker = CurveMaker()
    for index, report in enumerate(kept):
        ms = round(report.moment.timestamp()) * 1000 if timed and report.moment else index * _UNTIMED_MS
        for part, name, values in report.rows:
            take_row(maker, ms, part, name, values)
    return sampled(maker, tool=BenchTool.IOSTAT, where=where, host=host, notes=notes)
