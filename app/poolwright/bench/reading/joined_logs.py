"""The logs of all jobs of a test as the curves of one application."""

from collections.abc import Iterable

import numpy as np

from poolwright.bench.result import Direction, Observer, Recorded, TimeCurve, What


def together(recorded: Iterable[Recorded], step_ms: int) -> tuple[TimeCurve, ...]:
    """Return the curves of the logs of all jobs as those of one application, on steps of ``step_ms``.

    Rates and operations are summed, latencies averaged; of latencies the whole one (lat) counts where it is there.
    """
    curves = [curve for one in recorded for curve in one.curves]
    found = []
    for what in (What.RATE, What.IOPS, What.LATENCY):
        for direction in Direction:
            mine = [curve for curve in curves if curve.what is what and curve.direction is direction]
            whole = [curve for curve in mine if curve.detail == "lat"]
            if mine:
                found.append(_one(whole or mine, what, direction, step_ms))
    return tuple(found)


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
