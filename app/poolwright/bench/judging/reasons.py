"""Why a test came out as it did, the likeliest reason first, and what to try next."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolwright.bench.judging.verdicts import Factor, Judgement, Limiting
from poolwright.bench.profiles.profile import BenchTest
from poolwright.bench.record import Repeat
from poolwright.bench.running.place import BenchPlace
from poolwright.domain.latency import Direction, Observer, Recorded, TimeCurve, What
from poolwright.domain.units import binary
from poolwright.predict.assumptions import PoolLoad
from poolwright.predict.number_words import share_text
from poolwright.predict.runs import Metric
from poolwright.texts import marked, tell

# The documents' and the guides' word on a full pool (thesis 5.7), and where free space is mostly small holes.
FULL_PERCENT, FRAGMENTED_PERCENT = 80, 50
_WRITES = frozenset((Metric.SEQ_WRITE, Metric.RAND_WRITE, Metric.SYNC_WRITE))
_DEAR_COMPRESSION = ("gzip",)
Advice = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstance:
    test: BenchTest
    place: BenchPlace
    load: PoolLoad
    limiting: Limiting | None
    memory: float | None


_FACTORS = {
    Factor.ONE_DISK: (
        marked("One disk is slower than its siblings, and the whole vdev waits for it."),
        marked("Look at that disk with smartctl -x; put it at another port; replace it if it stays slow."),
    ),
    Factor.CPU: (
        marked("The processor is the limit, not the disks."),
        marked("Compare with checksum=fletcher4 and compression=lz4, and without encryption."),
    ),
    Factor.ONE_CORE: (
        marked("One core is the limit: one thread does the work."),
        marked("Run it with more jobs side by side."),
    ),
    Factor.LOG: (
        marked("Synchronous writes wait for the log device."),
        marked("Compare with a log device that keeps writes in a power cut, or with fewer writers."),
    ),
    Factor.LINK: (
        marked("The links between host and disks are full."),
        marked("Look for a port with fewer lanes or a lower speed; spread the disks over more links."),
    ),
    Factor.NETWORK: (
        marked("The network between this machine and the pool is full."),
        marked("Measure on the machine that has the pool; clients cannot get more than the link carries."),
    ),
    Factor.JOB: (
        marked("The job did not ask for more: too few operations were under way."),
        marked("Run it with more jobs or a deeper queue."),
    ),
    Factor.DISKS: (
        marked("All disks are busy and give less than disks of their class do."),
        marked(
            "Measure each disk alone with the slowest-sibling profile, then calibrate the prediction with this run."
        ),
    ),
    Factor.ARC: (
        marked("Most of it came from memory."),
        marked("Use files of at least twice the ARC, or primarycache=metadata on the scratch dataset."),
    ),
}


def advise(judgement: Judgement, known: Circumstance) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the reasons of a judgement, the likeliest first, and the next steps in the same order."""
    found = list(_found(judgement, known))
    return tuple(dict.fromkeys(why for why, _ in found if why)), tuple(dict.fromkeys(todo for _, todo in found if todo))


def _found(judgement: Judgement, known: Circumstance) -> Iterator[Advice]:
    if judgement is Judgement.SLOWER:
        yield from _slower(known)
    elif judgement is Judgement.TOO_FAST:
        yield from _too_fast(known)


def _slower(known: Circumstance) -> Iterator[Advice]:
    limiting, place = known.limiting, known.place
    if limiting is not None and limiting.factor is Factor.ONE_DISK:
        yield _told(Factor.ONE_DISK)
    yield from _of_records(known)
    if limiting is not None and limiting.factor not in (Factor.ONE_DISK, Factor.DISKS):
        yield _told(limiting.factor)
    if place.pool_health not in (None, "ONLINE"):
        yield (
            tell(
                "The pool is {health}: what is missing is rebuilt from parity at each read.", health=place.pool_health
            ),
            tell("Mend the pool and measure again."),
        )
    yield from _of_pool(known)
    if limiting is not None and limiting.factor is Factor.DISKS:
        yield _told(Factor.DISKS)
    if limiting is None:
        yield (
            tell("Nothing that was watched tells what limited it."),
            tell("Measure each disk alone with the slowest-sibling profile."),
        )


def _told(factor: Factor) -> Advice:
    why, todo = _FACTORS[factor]
    return tell(why), tell(todo)


def _of_records(known: Circumstance) -> Iterator[Advice]:
    """Blocks that are no whole records: each takes its whole record (thesis 5.1.2)."""
    asked, record = known.load.asked_bytes, known.load.record_bytes
    if known.test.metric in (Metric.RAND_WRITE, Metric.RAND_READ) and asked < record:
        yield (
            tell(
                "Blocks of {asked} on records of {record}: each takes a whole record, and a write reads it first.",
                asked=binary(asked),
                record=binary(record),
            ),
            tell("Set recordsize={size} on a new dataset and measure again.", size=binary(asked).replace(" KiB", "K")),
        )


def _of_pool(known: Circumstance) -> Iterator[Advice]:
    place = known.place
    compression = place.property("compression") or ""
    if compression.startswith(_DEAR_COMPRESSION) and known.test.metric in _WRITES:
        yield (
            tell("compression={compression} takes a processor long before disks are full.", compression=compression),
            tell("Measure again with compression=lz4."),
        )
    if place.property("dedup") not in (None, "off"):
        yield (
            tell("The dataset is deduplicated: each write looks for its like first."),
            tell("Measure again with dedup=off on a new dataset."),
        )
    if place.fill_percent is not None and place.fill_percent >= FULL_PERCENT:
        yield (
            tell(
                "The pool is {fill} % full; from {most} % on it looks long for room.",
                fill=place.fill_percent,
                most=FULL_PERCENT,
            ),
            tell("Free space or add a vdev, then measure again."),
        )
    if place.fragmentation_percent is not None and place.fragmentation_percent >= FRAGMENTED_PERCENT:
        yield (
            tell("Its free space is fragmented ({share} %).", share=place.fragmentation_percent),
            tell("Compare with a pool that was filled anew from a backup."),
        )


def _too_fast(known: Circumstance) -> Iterator[Advice]:
    why, todo = _FACTORS[Factor.ARC]
    reading = known.test.metric not in _WRITES
    if reading:
        share = known.memory
        text = tell(why) if share is None else tell("{share} of it came from the ARC.", share=share_text(share))
        yield text, tell(todo)
        if known.place.arc_most_bytes and known.test.file_bytes:
            size = known.test.file_bytes * known.test.files
            if size < 2 * known.place.arc_most_bytes:
                yield (
                    tell(
                        "The files ({size}) are smaller than twice the ARC ({arc}).",
                        size=binary(size),
                        arc=binary(known.place.arc_most_bytes),
                    ),
                    "",
                )
        return
    if known.test.metric is Metric.SYNC_WRITE:
        yield (
            tell(
                "Something confirms writes before a disk of its class can have kept them: a cache, or flash that can."
            ),
            tell("Look at sync of the dataset, at zfs_nocacheflush and at the write cache of the disks (hdparm -W)."),
        )
        yield (
            tell("Flash with power-loss protection keeps what it confirms at once; without it a power cut loses it."),
            tell("Look up whether the drives have power-loss protection, and let the design say so."),
        )
        return
    yield (
        tell("What was written still lay in memory, or the data compress."),
        tell("Run it longer, with end_fsync=1, and with refill_buffers=1 and no compressible data."),
    )


# Curves of a repeat, found by what they tell, and put on one grid of time.

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
