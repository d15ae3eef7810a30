"""Rows of whole numbers between commas, read many at once, and the logs of all jobs of a test as one."""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolwright.domain.latency import Direction, Measurement, Observer, Recorded, TimeCurve, What
from poolwright.machine.fio.words import seconds_in

Numbers = NDArray[np.int64]
_SLICE = 1 << 24
_MOST_DIGITS = 16
_PLAIN = b"0123456789 "
_LAST_HEX = re.compile(rb"0x[0-9a-f]+ *\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRows:
    """The wanted columns, one array each, and how many rows were not like the first and were passed over."""

    columns: tuple[Numbers, ...]
    passed_over: int


def number_rows(data: bytes, wanted: tuple[int, ...]) -> NumberRows:
    """Return the columns ``wanted`` of rows that have as many as the first; a cut last row is passed over.

    Numbers have at most 16 digits. There is nothing else to raise: what is no such row is counted.
    """
    data = data.lstrip() if data[:1].isspace() else data
    width = data.partition(b"\n")[0].count(b",") + 1
    if width <= max(wanted):
        return NumberRows(columns=tuple(np.empty(0, np.int64) for _ in wanted), passed_over=len(data.splitlines()))
    tables, passed_over = [], 0
    for part in _slices(data):
        table = _at_once(part, width, wanted)
        if table is None:
            table, odd = _one_by_one(part, width, wanted)
            passed_over += odd
        tables.append(table)
    columns = tuple(np.concatenate([table[place] for table in tables]) for place in range(len(wanted)))
    return NumberRows(columns=columns, passed_over=passed_over)


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
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            table = np.fromstring(part.replace(b"\n", b","), np.int64, sep=",")
        except (ValueError, DeprecationWarning):  # a field is empty, or two numbers
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
        _, delay, seconds = jobs.get(one.name, (False, seconds_in(options, "startdelay"), 0.0))
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
