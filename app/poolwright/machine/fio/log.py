"""Logs of fio: ``write_bw_log``, ``write_iops_log`` and ``write_lat_log``, per operation or averaged.

A row is time in ms, value, direction (0 read, 1 write, 2 trim) and block size; then, by version and option, offset,
priority and the moment of issue; with ``log_window_value=both`` a second value stands after the first. What the values
are stands only in the file's name: KiB/s, operations/s or ns (fio's documentation, "Log File Formats").
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Direction, Measurement, Observer, Recorded, TimeCurve, What
from poolwright.machine.fio.jobs import seconds_in
from poolwright.machine.json_values import cut_notes, nothing_of
from poolwright.texts import _

Numbers = NDArray[np.int64]
_SLICE = 1 << 24
_MOST_DIGITS = 16
_PLAIN = b"0123456789 "
_LAST_HEX = re.compile(rb"0x[0-9a-f]+ *\n")


def number_rows(data: bytes, wanted: tuple[int, ...]) -> tuple[tuple[Numbers, ...], int]:
    """Return the columns ``wanted``, one array each, and how many rows are not like the first and were passed over.

    Numbers have at most 16 digits. There is nothing else to raise: what is no such row is counted.
    """
    data = data.lstrip() if data[:1].isspace() else data
    width = data.partition(b"\n")[0].count(b",") + 1
    if width <= max(wanted):
        return tuple(np.empty(0, np.int64) for __ in wanted), len(data.splitlines())
    tables, passed_over = [], 0
    for part in _slices(data):
        table = _at_once(part, width, wanted)
        if table is None:
            table, odd = _one_by_one(part, width, wanted)
            passed_over += odd
        tables.append(table)
    return tuple(np.concatenate([table[place] for table in tables]) for place in range(len(wanted))), passed_over


def _slices(data: bytes) -> Iterator[bytes]:
    at = 0
    while (end := data.rfind(b"\n", at, at + _SLICE) + 1 or data.find(b"\n", at) + 1) > at:
        yield data[at:end]
        at = end
    yield data[at:]


def _at_once(part: bytes, width: int, wanted: tuple[int, ...]) -> tuple[Numbers, ...] | None:
    """Return the columns of whole rows; None where one of them is not like the others."""
    if b"x" in part and width > max(wanted) + 1:
        part = _LAST_HEX.sub(b"0\n", part)  # the priority, which fio writes in hexadecimal
    between = part.translate(None, _PLAIN)
    rows = len(between) // width
    if between != (b"," * (width - 1) + b"\n") * rows:
        return None
    fields = part.replace(b"\n", b",")
    if b",," in fields.translate(None, b" ") or fields.lstrip(b" ").startswith(b","):
        return None  # numpy passes an empty field over, and a number of the next row takes its place
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            table = np.fromstring(fields, np.int64, sep=",")
        except (ValueError, DeprecationWarning):  # two numbers in a field
            return None
    if table.size != rows * width or (rows and int(table.max()) >= 10**_MOST_DIGITS):
        return None
    return tuple(np.ascontiguousarray(table[column::width]) for column in wanted)


def _one_by_one(data: bytes, width: int, wanted: tuple[int, ...]) -> tuple[tuple[Numbers, ...], int]:
    rows, odd = [], 0
    for line in data.splitlines():
        fields = [field.strip() for field in line.split(b",")]
        picked = [fields[column] for column in wanted] if len(fields) == width > max(wanted) else [b""]
        if all(field.isdigit() and len(field) <= _MOST_DIGITS for field in picked):
            rows.append([int(field) for field in picked])
        elif line.strip():
            odd += 1
    table = np.array(rows, np.int64).reshape(-1, len(wanted))
    return tuple(np.ascontiguousarray(table[:, place]) for place in range(len(wanted))), odd


# The logs of all jobs of a test as the curves of one application.


def together(recorded: Iterable[Recorded], step_ms: int, results: Sequence[Measurement] = ()) -> tuple[TimeCurve, ...]:
    """Return the curves of the logs of all jobs as those of one application, on steps of ``step_ms``.

    Rates and operations are summed, latencies averaged; of latencies the whole one (lat) counts where it is there.
    What no log tells, for a run may be shorter than a step, is one value at its end, from what the jobs told in all.
    """
    curves = [curve for one in recorded for curve in one.curves]
    found = []
    for what in (What.RATE, What.IOPS, What.LATENCY):
        for direction in Direction:
            mine = [curve for curve in curves if curve.what is what and curve.direction is direction]
            whole = [curve for curve in mine if curve.detail == "lat"]
            known = whole or mine or list(_in_all(results, what, direction, step_ms))
            if known:
                found.append(_one(known, what, direction, step_ms))
    return tuple(found)


def begins_ms(results: Iterable[Measurement]) -> dict[str, int]:
    """Return by its name when each job began, counted from the first: fio's logs count from the job's own beginning.

    A job that says ``stonewall`` waits for those before it, and each for its ``startdelay``; how long fio takes to
    start one is not told.
    """
    jobs: dict[str, tuple[bool, float, float]] = {}
    for one in results:
        options = dict(one.options)
        __, delay, seconds = jobs.get(one.name, (False, seconds_in(options, "startdelay"), 0.0))
        jobs[one.name] = ("stonewall" in options, delay, max(seconds, one.seconds or 0.0))
    found: dict[str, int] = {}
    at = longest = 0.0
    for name, (waits, delay, seconds) in jobs.items():
        if waits:
            at, longest = at + longest, 0.0
        longest = max(longest, delay + seconds)
        found[name] = round((at + delay) * 1000)
    first = min(found.values(), default=0)
    return {name: ms - first for name, ms in found.items()}


def _in_all(results: Iterable[Measurement], what: What, direction: Direction, step_ms: int) -> Iterator[TimeCurve]:
    results = tuple(results)
    begins = begins_ms(results)
    for job in results:
        value = {What.RATE: job.rate, What.IOPS: job.iops}.get(what)
        if value and job.seconds and job.direction is direction:
            end = begins[job.name] + job.seconds * 1000
            ms = np.array([max(1, round(end / step_ms)) * step_ms], np.int64)
            yield TimeCurve(name="fio", source=Observer.APPLICATION, what=what, ms=ms, values=np.array([value]))


def _one(curves: list[TimeCurve], what: What, direction: Direction, step_ms: int) -> TimeCurve:
    steps = np.concatenate([np.rint(curve.ms / step_ms).astype(np.int64) for curve in curves])
    values = np.concatenate([curve.values for curve in curves])
    of = np.concatenate([np.full(len(curve.ms), number) for number, curve in enumerate(curves)])
    # A job may tell a step twice: their mean is what it did in it.
    pairs, place = np.unique(np.stack((steps, of)), axis=1, return_inverse=True)
    place = place.reshape(-1)
    means = np.bincount(place, values) / np.bincount(place)
    moments, at = np.unique(pairs[0], return_inverse=True)
    sums = np.bincount(at, means)
    done = sums / np.bincount(at) if what is What.LATENCY else sums
    return TimeCurve(
        name="fio",
        source=Observer.APPLICATION,
        what=what,
        ms=moments * step_ms,
        values=np.asarray(done, np.float64),
        direction=direction,
    )


# The curves of one log.

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
    note = _("It is empty: with a synchronous engine only the logs clat and lat tell latency.")
    return Recorded(tool=BenchTool.FIO, where=where, notes=(note,))


def read_fio_log(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the curves of a log, one for each direction and job. Raises UserError where it has no rows."""
    named = _NAME.search(where)
    if named is None:
        raise UserError(
            _("A log of fio tells what was measured only by its name, which this one does not"),
            where=where,
            todo=_("Let its name end in _bw.log, _iops.log, _lat.log, _clat.log or _slat.log."),
        )
    if b"\r" in data[:4096]:
        data = data.replace(b"\r\n", b"\n")
    (ms, values, directions), passed_over = number_rows(data, (0, _VALUE, _direction_column(data)))
    odd = int(np.count_nonzero(directions >= len(_DIRECTIONS)))
    if odd == len(ms):
        raise nothing_of("fio", where)
    first, last = int(ms.min()), int(ms.max())
    since = first if first > _SINCE_1970_MS else 0
    notes = [*cut_notes(passed_over + odd)]
    if int(values.max()) <= (last - since) * 1000:  # else it would have taken longer than the run
        # fio 2 wrote microseconds, which a log cannot tell; a fifth column came with fio 3.18 (2020).
        few = len(data[:_FIRST_ROW].partition(b"\n")[0].split(b",")) < _LEAST_OF_BOTH
        if few and _KINDS[named[2]][0] is What.LATENCY:
            notes.append(
                _("Read as nanoseconds, the unit of fio 3. Of a log of fio 2 all times are a thousand times as long.")
            )
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
