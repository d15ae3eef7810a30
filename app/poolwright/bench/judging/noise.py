"""The noise floor: what machine and pool do before anything of ours runs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from poolwright.bench.judging.limiting import cores_of, curves_of_disks, log_rate
from poolwright.bench.judging.reasons import beside, curves, mean_of, pool_rate
from poolwright.bench.judging.verdicts import direction_of, rate_of_repeat, whole
from poolwright.bench.record import BenchPlace, BenchTest, Repeat, TestRun
from poolwright.domain.measurement import Direction, Observer, Recorded, What
from poolwright.domain.rates import rate_text
from poolwright.domain.units import MB
from poolwright.predict.number_words import share_text
from poolwright.predict.runs import Metric
from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFloor:
    """What others do: share of all processor time, bytes/s read from and written to the pool; None where not looked."""

    cpu: float | None = None
    pool_read: float | None = None
    pool_write: float | None = None


def noise_floor(idle: Sequence[Recorded], pool: str | None = None) -> NoiseFloor:
    """Return the floor from what was recorded while nothing of ours ran."""
    busy = cores_of(idle)
    return NoiseFloor(
        cpu=None if busy is None else float(np.nanmean(busy)),
        pool_read=pool_rate(idle, pool, Direction.READ),
        pool_write=pool_rate(idle, pool, Direction.WRITE),
    )


def noise_words(floor: NoiseFloor) -> str:
    """Return the floor in words; that nobody looked where nothing is known."""
    parts = []
    if floor.cpu is not None:
        parts.append(tell("processor {share}", share=share_text(floor.cpu)))
    if floor.pool_read is not None and floor.pool_write is not None:
        read, written = rate_text(floor.pool_read), rate_text(floor.pool_write)
        parts.append(tell("the pool read {read}, wrote {written}", read=read, written=written))
    return ", ".join(parts) or tell("not known, so that other load cannot be ruled out")


# Whether something else used machine or pool while it was measured: such a run is marked and not judged.

MOST_CPU_BEFORE = 0.20
# Of the rate that was measured, and bytes/s below which nobody's work is disturbed.
MOST_POOL_SHARE, SMALL_RATE = 0.05, 2.0 * MB
MOST_SHRINK = 0.30
# While only reads are measured, a pool that writes so much serves somebody else.
_MOST_COUNTER_SHARE = 0.10
_MAINTENANCE = ("scrub", "resilver", "rebuild", "trim")
_NO_DISK = re.compile(r"loop|ram|zram|zd|md|dm-|sr|fd")
_PARTITION = re.compile(r"(?:[shv]d[a-z]+|xvd[a-z]+)\d+|(?:nvme\d+n\d+|mmcblk\d+)p\d+")


def disturbances(run: TestRun, place: BenchPlace, floor: NoiseFloor) -> tuple[str, ...]:
    """Return what disturbed a test, in sentences; empty where nothing was seen."""
    return tuple(dict.fromkeys([*_before(run, place, floor), *_during(run, place)]))


def _before(run: TestRun, place: BenchPlace, floor: NoiseFloor) -> Iterator[str]:
    if place.activity:
        yield tell("The pool was busy with this before the run began: {activity}.", activity=place.activity)
    if floor.cpu is not None and floor.cpu > MOST_CPU_BEFORE:
        yield tell("Other programs used {share} of the processor before the run began.", share=share_text(floor.cpu))
    asked = [rate for repeat in whole(run) for way in Direction if (rate := rate_of_repeat(repeat, way))]
    most = max(SMALL_RATE, MOST_POOL_SHARE * max(asked, default=0.0))
    if floor.pool_write is not None and floor.pool_write > most:
        yield tell("Others wrote {rate} to the pool before the run began.", rate=rate_text(floor.pool_write))
    if floor.pool_read is not None and floor.pool_read > most:
        yield tell("Others read {rate} from the pool before the run began.", rate=rate_text(floor.pool_read))


def _during(run: TestRun, place: BenchPlace) -> Iterator[str]:
    direction = direction_of(run.test)
    for repeat in whole(run):
        recorded = beside(repeat)
        activity = _maintenance(recorded, place)
        if activity:
            yield tell(
                "A {activity} of the pool ran while repeat {number} did.", activity=activity, number=repeat.number
            )
        shrunk = _shrunk(recorded)
        if shrunk is not None and shrunk > MOST_SHRINK:
            yield tell(
                "The ARC shrank by {share} during repeat {number}: something else took memory.",
                share=share_text(shrunk),
                number=repeat.number,
            )
        asked = None if direction is None else rate_of_repeat(repeat, direction)
        elsewhere = _elsewhere(recorded, place)
        if asked and elsewhere > max(asked, SMALL_RATE):
            yield tell(
                "Disks outside the pool moved {rate} during repeat {number}, more than the test.",
                rate=rate_text(elsewhere),
                number=repeat.number,
            )
        written = _written_beside(repeat, place, direction, asked, since_ms=1000 * run.test.ramp_seconds)
        if written:
            yield tell(
                "The pool wrote {rate} in repeat {number}, which reads.", rate=rate_text(written), number=repeat.number
            )


def _maintenance(recorded: tuple[Recorded, ...], place: BenchPlace) -> str | None:
    """Return which upkeep had operations waiting, which `zpool iostat -l` prints only while it runs.

    A pool that trims as it goes was designed to: what that takes belongs to what it gives.
    """
    waits = (*curves(recorded, Observer.POOL, What.LATENCY), *curves(recorded, Observer.POOL, What.QUEUE))
    for curve in waits:
        name = next((word for word in _MAINTENANCE if curve.detail.startswith(word)), None)
        if name == "trim" and place.autotrim:
            continue
        if name is not None and np.nansum(curve.values) > 0:
            return name
    return None


def _shrunk(recorded: tuple[Recorded, ...]) -> float | None:
    """Return by which share the ARC's target became smaller than it had been before in the run.

    Its size falls whenever files are removed, and on a dataset of which it keeps only metadata with each group of
    writes; its target falls only where the kernel wants memory back.
    """
    for curve in curves(recorded, Observer.ARC, What.BYTES, detail="c"):
        known = curve.values[np.isfinite(curve.values)]
        if known.size > 1 and known[0] > 0:
            return float(np.max(1.0 - known / np.maximum.accumulate(known)))
    return None


def _elsewhere(recorded: tuple[Recorded, ...], place: BenchPlace) -> float:
    """Return the bytes/s of whole disks that the pool does not lie on; 0 where its own disks are not known."""
    own = {name for disk in place.disks for name in (disk.name, disk.kernel_name) if name}
    if not place.disks or any(disk.kernel_name is None for disk in place.disks):
        return 0.0
    others = [
        curve
        for curve in curves_of_disks(recorded)
        if curve.what is What.RATE
        and curve.name not in own
        and not _NO_DISK.match(curve.name)
        and not _PARTITION.fullmatch(curve.name)
    ]
    return sum(value for curve in others if (value := mean_of(curve)) is not None)


def _written_beside(
    repeat: Repeat, place: BenchPlace, direction: Direction | None, asked: float | None, *, since_ms: float
) -> float | None:
    if direction is not Direction.READ or not asked or rate_of_repeat(repeat, Direction.WRITE):
        return None
    written = pool_rate(beside(repeat), place.pool, Direction.WRITE, since_ms=since_ms)
    return written if written is not None and written > max(SMALL_RATE, _MOST_COUNTER_SHARE * asked) else None


# How much of what an application read never came from the disks of the pool.

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
