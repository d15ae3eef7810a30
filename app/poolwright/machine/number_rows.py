"""Rows of whole numbers between commas, read many at once: ten million take half a second instead of half a minute.

Eight letters before a comma are taken as one 64-bit number; what stands before the last sign that is no digit is
masked away, and three multiplications make the digits a number (two, then four, then eight at once). Numbers of one
digit, as directions are, need none of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolwright.domain.latency import Direction, Measurement, Observer, Recorded, TimeCurve, What
from poolwright.machine.fio.words import seconds_in

Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]
Part = tuple[tuple[Numbers, ...], int]

_SLICE = 1 << 20  # stays in the cache of one core
_WORD = 8
_MOST_DIGITS = 2 * _WORD
_COMMA, _LINE, _ZERO, _NINE = 44, 10, 48, 57


def _each(byte: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes([byte]) * _WORD, "little"))


_DIGIT_BIT, _LOW, _ZEROS, _SIX, _HIGH = _each(0x10), _each(0x0F), _each(0x30), _each(6), _each(0xF0)
_ALL, _TENS, _HUNDREDS, _MYRIADS = (np.uint64(number) for number in (0xFF, 10, 100, 10_000))
_PAIRS, _FOURS, _EIGHTS = (np.uint64(mask) for mask in (0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0xFFFFFFFF))
_4, _8, _16, _32 = (np.uint64(bits) for bits in (4, 8, 16, 32))
_STEPS = ((_TENS, _8, _PAIRS), (_HUNDREDS, _16, _FOURS), (_MYRIADS, _32, _EIGHTS))
# No signs, no points, no other letters than those of 0x4001; of these only x has the bit of the digits.
_USUAL, _HEX = b"0123456789, \nabcdefABCDEF", b"x"


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
    first = data.find(b"\n") + 1 or len(data)
    width = data[:first].count(b",") + 1
    if width <= max(wanted):
        return NumberRows(columns=tuple(np.empty(0, np.int64) for _ in wanted), passed_over=len(data.splitlines()))
    columns, filled, passed_over = tuple(np.empty(0, np.int64) for _ in wanted), 0, 0
    for part, odd in _parts(data, first, width, wanted):
        begin, filled = filled, filled + len(part[0])
        if filled > len(columns[0]):
            # Rows grow longer with their times: as many of the length of the first ones are seldom too few.
            room = max(2 * filled, filled * (len(data) // _SLICE + 1) if not begin else 0)
            columns = tuple(_longer(column[:begin], room) for column in columns)
        for column, found in zip(columns, part, strict=True):
            column[begin:filled] = found
        passed_over += odd
    return NumberRows(columns=tuple(column[:filled] for column in columns), passed_over=passed_over)


def _longer(column: Numbers, room: int) -> Numbers:
    made = np.empty(room, np.int64)
    made[: len(column)] = column
    return made


def _parts(data: bytes, first: int, width: int, wanted: tuple[int, ...]) -> Iterator[Part]:
    """Yield the rows slice by slice; ``first`` is where the second row begins."""
    padded = data.rfind(b"\n", 0, first + _SLICE) + 1
    # There is always something before a comma: the first slice is copied behind spaces.
    yield _slice(np.frombuffer(b" " * _MOST_DIGITS + data[:padded], np.uint8), _MOST_DIGITS, width, wanted)
    letters, at = np.frombuffer(data, np.uint8), padded
    while (end := data.rfind(b"\n", at, at + _SLICE) + 1 or data.find(b"\n", at) + 1) > at:
        before = _MOST_DIGITS if at >= _MOST_DIGITS else 0
        yield _slice(letters[at - before : end], before, width, wanted)
        at = end
    yield _one_by_one(data[at:], width, wanted)


def _slice(letters: Bytes, at: int, width: int, wanted: tuple[int, ...]) -> Part:
    """Return the columns of the rows from ``at`` on and how many are no such rows; something stands before ``at``."""
    found = _at_once(letters, at, width, wanted) if at else None
    return (found, 0) if found is not None else _one_by_one(letters[at:].tobytes(), width, wanted)


def _at_once(letters: Bytes, at: int, width: int, wanted: tuple[int, ...]) -> tuple[Numbers, ...] | None:
    """Return the columns of the rows from ``at`` on, None where one of them is not like the others."""
    part = letters[at:]
    lines = part == _LINE
    ends = np.flatnonzero((part == _COMMA) | lines)
    other = part.tobytes().translate(None, _USUAL)
    if not len(ends) or len(ends) % width or other.strip(_HEX):
        return None
    table = ends.reshape(-1, width) + at
    if not lines[table[:, -1] - at].all() or np.count_nonzero(lines) != len(table):
        return None
    found = []
    for column in wanted:
        values = _values(letters, np.ascontiguousarray(table[:, column]), hexes=bool(other))
        if values is None:
            return None
        found.append(values)
    return tuple(found)


def _values(letters: Bytes, ends: Numbers, *, hexes: bool) -> Numbers | None:
    """Return the numbers before ``ends``, None where one is none or is too long; ``hexes`` tells that an x is there."""
    last = letters[ends - 1]
    if not (last >= _ZERO).all():
        return None
    if letters[ends[0] - 2] < _ZERO and (letters[ends - 2] < _ZERO).all():
        return None if (last > _NINE).any() else (last - np.uint8(_ZERO)).astype(np.int64)
    windows = np.lib.stride_tricks.as_strided(
        letters[:_WORD].view(np.uint64), shape=(len(letters) - _WORD + 1,), strides=(1,)
    )
    values, goes_on, wrong = _eight(windows[ends - _WORD], hexes=hexes)
    if wrong:
        return None
    if goes_on.any():
        longer = ends[goes_on]
        more, too_long, wrong = _eight(windows[longer - _MOST_DIGITS], hexes=hexes)
        if wrong or too_long.any():
            return None
        values[goes_on] += more * np.uint64(10**_WORD)
    return values.view(np.int64)


def _eight(words: Words, *, hexes: bool) -> tuple[Words, NDArray[np.bool_], bool]:
    """Return the digits at the end of each word as a number, whether all eight are some, and whether one is wrong.

    Each letter is usual: only an x has the bit of the digits and is none.
    """
    other = ~words
    other &= _DIGIT_BIT
    before = other >> _8
    before |= other
    before |= before >> _16
    before |= before >> _32
    before >>= _4
    before *= _ALL
    keep = np.invert(before, out=before)
    wrong = hexes and bool((((words ^ _ZEROS) + _SIX) & _HIGH & keep).any())
    digits = words & keep
    digits &= _LOW
    for factor, shift, mask in _STEPS:
        upper = digits >> shift
        digits *= factor
        digits += upper
        digits &= mask
    return digits, other == 0, wrong


def _one_by_one(data: bytes, width: int, wanted: tuple[int, ...]) -> Part:
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
