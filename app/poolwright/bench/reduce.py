"""Folds a long curve into what a screen can show: each pixel keeps the least and the most, so that no peak is lost."""

import weakref

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_BLOCK = 128  # values of a curve that are looked at as one, where it is long
_LONG = 1 << 18  # from here on the blocks of a curve are kept: it is drawn many times a second while one moves it
_kept: dict[int, tuple["weakref.ref[Numbers]", Numbers, Numbers]] = {}


def reduced(xs: Numbers, ys: Numbers, pixels: int, left: float, right: float) -> tuple[Numbers, Numbers]:
    """Return the part of a curve from ``left`` to ``right`` in about two points a pixel.

    ``xs`` rises; one point beyond each side is kept, so that lines go on there. NaN is a gap and stays one where a
    pixel holds nothing else. Of each pixel the least and the most stand at its first and its last x. Neither array may
    be changed afterwards: what is known of a long one is kept.
    """
    first = max(0, int(np.searchsorted(xs, left, side="left")) - 1)
    last = min(len(xs), int(np.searchsorted(xs, right, side="right")) + 1)
    count, wanted = last - first, max(2, pixels)
    if count <= 2 * wanted:
        return xs[first:last], ys[first:last]
    if count > 2 * wanted * _BLOCK and len(ys) >= _LONG:
        return _of_blocks(xs, ys, first, last, wanted)
    begins = first + np.linspace(0, count, wanted, endpoint=False).astype(np.int64)
    ends = np.append(begins[1:], last) - 1
    part, at = ys[first:last], begins - first
    return _pairs(xs, begins, ends, np.fmin.reduceat(part, at), np.fmax.reduceat(part, at))


def alone(ys: Numbers) -> NDArray[np.bool_]:
    """Tell of each value whether it is known and none beside it is: no line reaches it."""
    known = np.concatenate(([False], ~np.isnan(ys), [False]))
    return known[1:-1] & ~known[:-2] & ~known[2:]


def _of_blocks(xs: Numbers, ys: Numbers, first: int, last: int, wanted: int) -> tuple[Numbers, Numbers]:
    """Reduce what is known of whole blocks; the part begins and ends with a block, which is less than a pixel more."""
    lows, highs = _blocks(ys)
    begin, end = first // _BLOCK, min(len(lows), -(-last // _BLOCK))
    at = np.linspace(0, end - begin, wanted, endpoint=False).astype(np.int64)
    begins = (begin + at) * _BLOCK
    ends = np.minimum(np.append(begins[1:], end * _BLOCK), len(ys)) - 1
    return _pairs(xs, begins, ends, np.fmin.reduceat(lows[begin:end], at), np.fmax.reduceat(highs[begin:end], at))


def _pairs(
    xs: Numbers, begins: NDArray[np.int64], ends: NDArray[np.int64], low: Numbers, high: Numbers
) -> tuple[Numbers, Numbers]:
    made = np.empty(2 * len(low)), np.empty(2 * len(low))
    made[0][::2], made[0][1::2] = xs[begins], xs[ends]
    made[1][::2], made[1][1::2] = low, high
    return made


def _blocks(ys: Numbers) -> tuple[Numbers, Numbers]:
    """Return the least and the most of each block of a curve, reckoned once for as long as the curve is there."""
    found = _kept.get(id(ys))
    if found is not None and found[0]() is ys:
        return found[1], found[2]
    key = id(ys)
    begins = np.arange(0, len(ys), _BLOCK)
    lows, highs = np.fmin.reduceat(ys, begins), np.fmax.reduceat(ys, begins)

    def forget(_gone: object) -> None:
        _kept.pop(key, None)

    _kept[key] = (weakref.ref(ys, forget), lows, highs)
    return lows, highs
