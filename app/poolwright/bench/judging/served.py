"""How much of what an application read never came from the disks of the pool."""

from poolwright.bench.judging.limiting import log_rate
from poolwright.bench.judging.reasons import beside, curves, mean_of, pool_rate
from poolwright.bench.judging.spread import direction_of, rate_of_repeat, whole
from poolwright.bench.profiles.profile import BenchTest
from poolwright.bench.record import Repeat, TestRun
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.latency import Direction, Observer, What
from poolwright.predict.runs import Metric

# Below this share the ARC (or dirty data not yet written) makes no difference that a band would not swallow.
SMALL_SHARE = 0.10
_UNCACHED = frozenset(("none", "metadata"))


def memory_share(run: TestRun, place: BenchPlace) -> float | None:
    """Return which share (0 to 1) of the application's bytes the pool's disks did not move; None where unknown.

    Reads: what the ARC answered. Writes: what was still in memory at the end. It is the largest of the whole repeats.
    """
    found = [_of_repeat(run.test, repeat, place) for repeat in whole(run)]
    known = [share for share in found if share is not None]
    return max(known) if known and len(known) == len(found) else None


def _of_repeat(test: BenchTest, repeat: Repeat, place: BenchPlace) -> float | None:
    direction = direction_of(test)
    if direction is None:
        return None
    asked = rate_of_repeat(repeat, direction)
    moved = pool_rate(beside(repeat), place.pool, direction, since_ms=1000 * test.ramp_seconds)
    if direction is Direction.WRITE and test.sync:
        # What the log took is safe, whether the tool counts it with the pool or apart.
        logged = log_rate(repeat, place, since_ms=1000 * test.ramp_seconds)
        moved = moved if logged is None else logged + (moved or 0.0)
    if asked and moved is not None:
        # What compresses is moved in fewer bytes than were asked for.
        return min(1.0, max(0.0, 1.0 - moved / (asked * (1 - test.compress_percent / 100))))
    if direction is Direction.WRITE:
        return None
    if place.property("primarycache") in _UNCACHED:
        return 0.0
    return _hits(test, repeat)


def _hits(test: BenchTest, repeat: Repeat) -> float | None:
    """Return the share of demand reads of data that the ARC answered.

    Of a sequential stream it tells nothing: what was read ahead from the disks is counted as a hit.
    """
    if test.metric is Metric.SEQ_READ:
        return None
    for detail in ("demand_data_hits", "hits"):
        found = curves(repeat.watched, Observer.ARC, What.SHARE, detail=detail)
        known = [value for curve in found if (value := mean_of(curve, since_ms=1000 * test.ramp_seconds)) is not None]
        if known:
            return max(known)
    return None
