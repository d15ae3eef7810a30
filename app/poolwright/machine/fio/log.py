"""Logs of fio: ``write_bw_log``, ``write_iops_log`` and ``write_lat_log``, per operation or averaged.

A row is time in ms, value, direction (0 read, 1 write, 2 trim) and block size; then, by version and option, offset,
priority and the moment of issue; with ``log_window_value=both`` a second value stands after the first. What the values
are stands only in the file's name: KiB/s, operations/s or ns (fio's documentation, "Log File Formats").
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from poolwright.domain.errors import UserError
from poolwright.domain.latency import BenchTool, Direction, Observer, Recorded, TimeCurve, What
from poolwright.machine.number_rows import number_rows
from poolwright.texts import tell, tell_counted

_NAME = re.compile(r"(?:^|[/\\])([^/\\]*?)[_.-]?(?<![a-z])(bw|iops|clat|slat|lat)(?:\.(\d+))?\.log(?:\.[\w.-]+)?$")
_ROW = re.compile(rb"\s*\d+, *\d+, *\d+(?:, *(?:\d+|0x[0-9a-f]+))* *(?:\r?\n|$)")
_KINDS = {
    "bw": (What.RATE, 1024, ""),
    "iops": (What.IOPS, 1, ""),
    "lat": (What.LATENCY, 1, "lat"),
    "clat": (What.LATENCY, 1, "clat"),
    "slat": (What.LATENCY, 1, "slat"),
}
_DIRECTIONS = (Direction.READ, Direction.WRITE, Direction.TRIM)
_SINCE_1970_MS = 10**11  # three years of running; with log_unix_epoch times are since 1970
_OUT_OF_ORDER_MS = 100
_HEAD_ROWS = 64
_LEAST_OF_BOTH = 5
_VALUE, _DIRECTION = 1, 2
_FIRST_ROW = 256  # bytes, more than any row takes


def looks_like_fio_log(head: bytes, name: str) -> bool:
    """Tell whether a file is a log of fio: rows of numbers, and a name that ends like one or another's."""
    return _ROW.match(head) is not None and (_NAME.search(name) is not None or name.endswith(".log"))


def without_submissions(name: str) -> bool:
    """Tell whether a file that is empty may be so: synchronous engines submit nothing, and fio makes the log anyway."""
    named = _NAME.search(name)
    return named is not None and named[2] == "slat"


def nothing_submitted(where: str) -> Recorded:
    told = tell("It is empty: a synchronous engine submits nothing that waits. The logs clat and lat tell its latency.")
    return Recorded(tool=BenchTool.FIO, where=where, notes=(told,))


def read_fio_log(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the curves of a log, one for each direction and job. Raises UserError where it has no rows."""
    named = _NAME.search(where)
    if "_hist." in where:
        raise UserError(
            tell("fio's logs of histograms are not read, its JSON is"),
            where=where,
            todo=tell("Run: fio --output-format=json+"),
        )
    if named is None:
        raise UserError(
            tell("A log of fio tells only by its name what was measured, and this one does not tell it"),
            where=where,
            todo=tell("Let its name end in _bw.log, _iops.log, _lat.log, _clat.log or _slat.log."),
        )
    if b"\r" in data[:4096]:
        data = data.replace(b"\r\n", b"\n")
    found = number_rows(data, (0, _VALUE, _direction_column(data)))
    ms, values, directions = found.columns
    odd = int(np.count_nonzero(directions >= len(_DIRECTIONS)))
    if odd == len(ms):
        raise UserError(
            tell("There is no row of a log in it"), where=where, todo=tell("Copy the file again, as fio wrote it.")
        )
    first, last = int(ms.min()), int(ms.max())
    since = first if first > _SINCE_1970_MS else 0
    notes = [*_notes(found.passed_over + odd)]
    if int(values.max()) <= (last - since) * 1000:  # else it would have taken longer than the run
        notes += _unit_in_doubt(named, data)
    if since:
        ms = ms - since
    curves: list[TimeCurve] = []
    for place, direction in enumerate(_DIRECTIONS):
        mine = directions == place
        if mine.all():
            curves += _curves(named, direction, ms, values)
        elif mine.any():
            curves += _curves(named, direction, ms[mine], values[mine])
    started = datetime.fromtimestamp(since / 1000, UTC) if 0 < since < _SINCE_1970_MS * 100 else None
    return (Recorded(tool=BenchTool.FIO, where=where, started=started, curves=tuple(curves), notes=tuple(notes)),)


def _direction_column(data: bytes) -> int:
    """Return where the direction stands: after the value, or after two where the log has average and most."""
    rows = [row.split(b",") for row in data[: 1 << 14].splitlines()[:_HEAD_ROWS]]
    thirds = {row[_DIRECTION].strip() for row in rows if len(row) > _DIRECTION}
    fourths = {row[_DIRECTION + 1].strip() for row in rows if len(row) >= _LEAST_OF_BOTH}
    usual = thirds <= {b"0", b"1", b"2"}
    return _DIRECTION + 1 if not usual and fourths and fourths <= {b"0", b"1", b"2"} else _DIRECTION


def _notes(passed_over: int) -> Iterator[str]:
    if passed_over:
        yield tell_counted(
            "One row was not like the others and was passed over",
            "{count} rows were not like the others and were passed over",
            passed_over,
        )


def _unit_in_doubt(named: "re.Match[str]", data: bytes) -> Iterator[str]:
    """Yield what a latency log cannot tell: fio 2 wrote microseconds; a fifth column came with fio 3.18 (2020)."""
    few = len(data[:_FIRST_ROW].partition(b"\n")[0].split(b",")) < _LEAST_OF_BOTH
    if few and _KINDS[named[2]][0] is What.LATENCY:
        yield tell(
            "Read as nanoseconds, as fio 3 writes them. A log of fio 2 looks the same and counts microseconds: then "
            "every latency is a thousand times as long."
        )


def _curves(
    named: "re.Match[str]", direction: Direction, ms: NDArray[np.int64], values: NDArray[np.int64]
) -> Iterator[TimeCurve]:
    """Yield a curve for each job: where all write into one file, time begins again with each of them."""
    what, unit, detail = _KINDS[named[2]]
    name = " ".join(part for part in (named[1], named[3]) if part) or named[2]
    pieces = [(ms, values)]
    if not _rises(ms):
        fallen = ms[:-1] - ms[1:]
        falls = np.flatnonzero((fallen > _OUT_OF_ORDER_MS) & (2 * fallen >= ms[:-1])) + 1
        pieces = list(zip(np.split(ms, falls), np.split(values, falls), strict=True))
    for number, (moments, found) in enumerate(pieces, 1):
        # Operations may end in another order than they are written down.
        order = slice(None) if _rises(moments) else np.argsort(moments, kind="stable")
        yield TimeCurve(
            name=name if len(pieces) == 1 else f"{name} #{number}",
            source=Observer.APPLICATION,
            what=what,
            ms=moments[order],
            values=np.multiply(found[order], unit, dtype=np.float64),
            direction=direction,
            detail=detail,
        )


def _rises(ms: NDArray[np.int64]) -> bool:
    return bool((ms[1:] >= ms[:-1]).all())
