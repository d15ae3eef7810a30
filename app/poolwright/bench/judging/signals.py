"""Curves of a repeat, found by what they tell, and put on one grid of time.

Names are those of the tools: disks and vdevs as `zpool iostat` names them or by the kernel's name, cores "cpu0" and so
on. Nothing here judges.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from poolwright.bench.record import Repeat
from poolwright.domain.measurement import Direction, Observer, Recorded, TimeCurve, What

Numbers = NDArray[np.float64]
# A transaction group is written every five seconds (zfs_txg_timeout): shorter pieces of a curve tell its rhythm.
GROUP_MS = 5000


def curves(
    recorded: Iterable[Recorded],
    source: Observer,
    what: What,
    direction: Direction | None = None,
    detail: str | None = None,
) -> tuple[TimeCurve, ...]:
    """Return the curves of an observer that tell ``what``, in the order of the files."""
    return tuple(
        curve
        for one in recorded
        for curve in one.curves
        if curve.source is source
        and curve.what is what
        and (direction is None or curve.direction is direction)
        and (detail is None or curve.detail == detail)
    )


def beside(repeat: Repeat) -> tuple[Recorded, ...]:
    """Return all that a repeat recorded: the application's own curves, and what was sampled beside it."""
    return (*(() if repeat.application is None else (repeat.application,)), *repeat.watched)


def mean_of(curve: TimeCurve, *, since_ms: float = 0.0) -> float | None:
    """Return the mean of the known values from a moment on; None where there is none."""
    values = curve.values[(curve.ms >= since_ms) & np.isfinite(curve.values)]
    return float(values.mean()) if values.size else None


def blocks(curve: TimeCurve, *, block_ms: int = GROUP_MS, since_ms: float = 0.0) -> Numbers:
    """Return the means over blocks of time from ``since_ms`` on, NaN where nothing is known; the last cut one is left.

    ``since_ms`` passes over what a test needs to get going.
    """
    keep = (curve.ms >= since_ms) & np.isfinite(curve.values)
    at, values = curve.ms[keep] - since_ms, curve.values[keep]
    count = int(at[-1] + 1) // block_ms if at.size else 0
    if count == 0:
        return np.empty(0)
    number = (at // block_ms).astype(np.int64)
    inside = number < count
    sums = np.bincount(number[inside], weights=values[inside], minlength=count)
    counted = np.bincount(number[inside], minlength=count)
    with np.errstate(invalid="ignore"):
        return np.where(counted > 0, sums / np.maximum(counted, 1), np.nan)


def pool_rate(
    recorded: Iterable[Recorded], pool: str | None, direction: Direction, *, since_ms: float = 0.0
) -> float | None:
    """Return the bytes/s that a pool moved, as the first tool tells that knows; None where none does.

    Tools beside each other tell the same bytes, so they never add up.
    """
    for one in recorded:
        found = curves((one,), Observer.POOL, What.RATE, direction, "")
        named = tuple(curve for curve in found if curve.name == pool) or found
        total = total_mean(named, since_ms=since_ms)
        if total is not None:
            return total
    return None


def by_name(found: Iterable[TimeCurve]) -> dict[str, list[TimeCurve]]:
    named: dict[str, list[TimeCurve]] = {}
    for curve in found:
        named.setdefault(curve.name, []).append(curve)
    return named


def total_mean(found: Iterable[TimeCurve], *, since_ms: float = 0.0) -> float | None:
    """Return the sum of the means of several curves; None where none is known."""
    known = list(_means(found, since_ms))
    return sum(known) if known else None


def _means(found: Iterable[TimeCurve], since_ms: float) -> Iterator[float]:
    for curve in found:
        value = mean_of(curve, since_ms=since_ms)
        if value is not None:
            yield value
