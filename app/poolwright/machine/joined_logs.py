"""The logs of all jobs of a test as the curves of one application."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from poolwright.domain.measurement import Direction, Measurement, Observer, Recorded, TimeCurve, What
from poolwright.machine.fio.words import seconds_in


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
