"""Logs of fio's histograms (``write_hist_log``): how many operations took how long, window after window.

A row is time in ms, direction, block size, and a count for each bin. The number of bins tells their unit and width:
29 groups of 64 in ns since fio 3.0, 19 in µs before, halved as often as ``log_hist_coarseness`` says (fio's
documentation, "write_hist_log"; bins as in its stat.c, `plat_idx_to_val`).
"""

from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from poolwright.domain.errors import UserError
from poolwright.domain.latency import BenchTool, Direction, Measurement, Recorded, of_histogram
from poolwright.texts import tell, tell_counted

_GROUP_BITS = 6
_IN_GROUP = 1 << _GROUP_BITS
_NS_BINS, _US_BINS = 29 * _IN_GROUP, 19 * _IN_GROUP
_HEAD = 3  # time, direction, block size
_DIRECTIONS = (Direction.READ, Direction.WRITE, Direction.TRIM)
_MOST_COUNT = (1 << 53) - 1


@dataclass(slots=True)
class _Sum:
    counts: NDArray[np.int64]
    blocks: set[int]
    ms: int = 0


def read_fio_hist(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the latencies of a log, one for each direction. Raises UserError where it has no row that can be read."""
    edges: NDArray[np.int64] | None = None
    sums: dict[int, _Sum] = {}
    passed_over = 0
    for line in data.splitlines():
        row = _row(line)
        known = None if row is None else _edges(len(row) - _HEAD)
        if row is None or known is None or (edges is not None and len(known) != len(edges)):
            passed_over += bool(line.strip())
            continue
        edges = known
        mine = sums.setdefault(int(row[1]), _Sum(np.zeros(len(known), dtype=np.int64), set()))
        mine.counts += row[_HEAD:]
        mine.blocks.add(int(row[2]))
        mine.ms = max(mine.ms, int(row[0]))
    if edges is None:
        raise UserError(
            tell("There is no row of a log of histograms in it"),
            where=where,
            todo=tell("Copy the file again, as fio wrote it."),
        )
    name = PurePath(where).name.partition("_clat_hist")[0]
    measured = tuple(_measured(name, _DIRECTIONS[place], sums[place], edges) for place in sorted(sums))
    notes = [tell("From submission to completion, all windows together; the last one fio leaves out")]
    if passed_over:
        notes.append(
            tell_counted(
                "One row was not like the others and was passed over",
                "{count} rows were not like the others and were passed over",
                passed_over,
            )
        )
    return (Recorded(tool=BenchTool.FIO, where=where, measured=measured, notes=tuple(notes)),)


def _row(line: bytes) -> NDArray[np.int64] | None:
    try:
        row = np.array(line.split(b","), dtype=np.int64)
    except (ValueError, OverflowError):
        return None
    fits = len(row) > _HEAD and 0 <= row[1] < len(_DIRECTIONS) and row.min() >= 0 and row.max() <= _MOST_COUNT
    return row if fits else None


def _edges(bins: int) -> NDArray[np.int64] | None:
    """Return the time of the last value in each bin, ns; None where fio makes no such number of bins."""
    for all_bins, unit in ((_NS_BINS, 1), (_US_BINS, 1000)):
        if bins and all_bins % bins == 0 and (step := all_bins // bins).bit_count() == 1 and step <= _IN_GROUP:
            return np.array([_value(place) * unit for place in range(step - 1, all_bins, step)], dtype=np.int64)
    return None


def _value(place: int) -> int:
    """Return what fio says of a bin: its value, or the middle of its values where it has several."""
    if place < 2 * _IN_GROUP:
        return place
    shift = (place >> _GROUP_BITS) - 1
    return (1 << (shift + _GROUP_BITS)) + ((2 * (place % _IN_GROUP) + 1) << shift >> 1)


def _measured(name: str, direction: Direction, found: _Sum, edges: NDArray[np.int64]) -> Measurement:
    seen = np.flatnonzero(found.counts)
    histogram = tuple((int(edges[place]), int(found.counts[place])) for place in seen)
    block = found.blocks.pop() if len(found.blocks) == 1 else None
    return Measurement(name=name, direction=direction, block_bytes=block or None, completion=of_histogram(histogram))
