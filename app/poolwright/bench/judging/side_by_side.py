"""Runs side by side, test by test: each in per cent of the first one, and what disturbed them: the noise floor."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf

import numpy as np

from poolwright.bench.judging import limiting, verdicts
from poolwright.bench.judging.verdicts import MOST_SPREAD, Spread, direction_of, shortest_seconds, spread, spread_of
from poolwright.bench.record import BenchTarget, BenchTest, Repeat, RunRecord, TestRun
from poolwright.domain.errors import UserError
from poolwright.domain.measurement import Direction, Measurement, Observer, Recorded, TimeCurve, What
from poolwright.domain.rates import rate_text
from poolwright.domain.units import MB, binary
from poolwright.machine.fio.log import begins_ms
from poolwright.predict.measured_runs import Metric
from poolwright.predict.number_words import share_text
from poolwright.texts import _

# The noise floor: what machine and pool do before anything of ours runs.


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFloor:
    """What others do: share of all processor time, bytes/s read from and written to the pool; None where not looked."""

    cpu: float | None = None
    pool_read: float | None = None
    pool_write: float | None = None


def noise_floor(idle: Sequence[Recorded], pool: str | None = None) -> NoiseFloor:
    busy = limiting.cores_of(idle)
    return NoiseFloor(
        cpu=None if busy is None else float(np.nanmean(busy)),
        pool_read=limiting.pool_rate(idle, pool, Direction.READ),
        pool_write=limiting.pool_rate(idle, pool, Direction.WRITE),
    )


def noise_words(floor: NoiseFloor) -> str:
    parts = []
    if floor.cpu is not None:
        parts.append(_("processor {share}", share=share_text(floor.cpu)))
    if floor.pool_read is not None or floor.pool_write is not None:
        rates = (floor.pool_read, floor.pool_write)
        read, written = (_("unknown") if rate is None else rate_text(rate) for rate in rates)
        parts.append(_("the pool read {read}, wrote {written}", read=read, written=written))
    return ", ".join(parts) or _("not known, so that other load cannot be ruled out")


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


def disturbances(run: TestRun, place: BenchTarget, floor: NoiseFloor) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*_before(run, place, floor), *_during(run, place)]))


def _before(run: TestRun, place: BenchTarget, floor: NoiseFloor) -> Iterator[str]:
    asked = max((repeat.rate(way) or 0.0 for repeat in run.whole for way in Direction), default=0.0)
    most = max(SMALL_RATE, MOST_POOL_SHARE * asked)
    busy = (floor.cpu or 0.0) > MOST_CPU_BEFORE or max(floor.pool_write or 0.0, floor.pool_read or 0.0) > most
    what = (place.activity or "", noise_words(floor) if busy else "")
    yield from (_("Not at rest before the run: {what}.", what=one) for one in what if one)


def _during(run: TestRun, place: BenchTarget) -> Iterator[str]:
    direction = direction_of(run.test)
    for repeat in run.whole:
        activity = _maintenance(repeat.watched, place)
        if activity:
            yield _("A {activity} of the pool ran while repeat {number} did.", activity=activity, number=repeat.number)
        shrunk = _shrunk(repeat.watched) if place.pool is not None else None
        if shrunk is not None and shrunk > MOST_SHRINK:
            yield verdicts.why_of("shrunk", share=share_text(shrunk), number=repeat.number)
        asked = None if direction is None else repeat.rate(direction)
        elsewhere = _elsewhere(repeat.watched, place)
        if asked and elsewhere > max(asked, SMALL_RATE):
            yield verdicts.why_of("elsewhere", rate=rate_text(elsewhere), number=repeat.number)
        written = _written_beside(repeat, place, direction, asked)
        if written:
            yield verdicts.why_of("written-beside", rate=rate_text(written), number=repeat.number)


def _maintenance(recorded: tuple[Recorded, ...], place: BenchTarget) -> str | None:
    """Return which upkeep had operations waiting, which `zpool iostat -l` prints only while it runs.

    A pool that trims as it goes was designed to: what that takes belongs to what it gives.
    """
    kinds = (What.LATENCY, What.QUEUE)
    for curve in (found for what in kinds for found in limiting.curves(recorded, Observer.POOL, what)):
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
    for curve in limiting.curves(recorded, Observer.ARC, What.BYTES, detail="c"):
        known = curve.values[np.isfinite(curve.values)]
        if known.size > 1 and known[0] > 0:
            return float(np.max(1.0 - known / np.maximum.accumulate(known)))
    return None


def _elsewhere(recorded: tuple[Recorded, ...], place: BenchTarget) -> float:
    """Return the bytes/s of whole disks that the pool does not lie on; 0 where its own disks are not known."""
    own = {name for disk in place.disks for name in (disk.name, disk.kernel_name) if name}
    if not place.disks or any(disk.kernel_name is None for disk in place.disks):
        return 0.0
    others = [
        curve
        for curve in limiting.curves_of_disks(recorded)
        if curve.what is What.RATE
        and curve.name not in own
        and not _NO_DISK.match(curve.name)
        and not _PARTITION.fullmatch(curve.name)
    ]
    return limiting.total_mean(others) or 0.0


def _written_beside(
    repeat: Repeat, place: BenchTarget, direction: Direction | None, asked: float | None
) -> float | None:
    if direction is not Direction.READ or not asked or repeat.rate(Direction.WRITE):
        return None
    written = limiting.pool_rate(repeat.watched, place.pool, Direction.WRITE)
    return written if written is not None and written > max(SMALL_RATE, _MOST_COUNTER_SHARE * asked) else None


# How much of what an application read never came from the disks of the pool.

# Below this share the ARC (or dirty data not yet written) makes no difference that a band would not swallow.
SMALL_SHARE = 0.10
_UNCACHED = frozenset(("none", "metadata"))


def memory_share(run: TestRun, place: BenchTarget) -> float | None:
    """Return which share (0 to 1) of the application's bytes the pool's disks did not move; None where unknown.

    Reads: what the ARC answered. Writes: what was still in memory at the end. It is the largest of the whole repeats.
    """
    found = [_of_repeat(run.test, repeat, place) for repeat in run.whole]
    known = [share for share in found if share is not None]
    return max(known) if known and len(known) == len(found) else None


def _of_repeat(test: BenchTest, repeat: Repeat, place: BenchTarget) -> float | None:
    direction = direction_of(test)
    if direction is None:
        return None
    asked, moved = repeat.rate(direction), limiting.pool_rate(repeat.watched, place.pool, direction)
    if direction is Direction.WRITE and test.sync:
        # What the log took is safe, whether the tool counts it with the pool or apart.
        logged = limiting.log_rate(repeat, place)
        moved = moved if logged is None else logged + (moved or 0.0)
    if asked and moved is not None:
        # What compresses is moved in fewer bytes than were asked for.
        return min(1.0, max(0.0, 1.0 - moved / (asked * (1 - test.compress_percent / 100))))
    if direction is Direction.WRITE:
        return None
    if place.property("primarycache") in _UNCACHED:
        return 0.0
    return None if place.pool is None else _hits(test, repeat)  # of another filesystem the ARC tells nothing


def _hits(test: BenchTest, repeat: Repeat) -> float | None:
    """Return the share of demand reads of data that the ARC answered.

    Of a sequential stream it tells nothing: what was read ahead from the disks is counted as a hit.
    """
    if test.metric is Metric.SEQ_READ:
        return None
    for detail in ("demand_data_hits", "hits"):
        found = limiting.curves(repeat.watched, Observer.ARC, What.SHARE, detail=detail)
        known = [value for curve in found if (value := limiting.mean_of(curve)) is not None]
        if known:
            return max(known)
    return None


# With two repeats each, one pair in three of equal pools lies apart by chance; shorter ones tell of the moment.
LEAST_REPEATS, LEAST_SECONDS = 3, 5.0
MOST_RUNS = 6  # whose bars can be told apart; over time there may be any number


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTest:
    """A test of several runs; ``found`` has what each measured in the unit of its metric, None where it did not.

    ``lasted`` is for how long their shortest repeats measured, s; None where that is not known; ``disturbed`` what
    disturbed each, in a sentence, empty where nothing was seen.
    """

    name: str
    title: str
    metric: Metric | None
    found: tuple[Spread | None, ...]
    lasted: tuple[float | None, ...]
    disturbed: tuple[str, ...]

    def percent(self, number: int) -> float | None:
        first, other = self.found[0], self.found[number]
        return None if first is None or other is None else 100 * (other.median / first.median - 1)

    def told(self, number: int) -> bool:
        first, other = self.found[0], self.found[number]
        if first is None or other is None or self.doubt(number):
            return False
        apart = max(other.least - first.most, first.least - other.most)
        return apart > 0 and abs(other.median - first.median) > max(first.most - first.least, other.most - other.least)

    def doubt(self, number: int) -> str:
        """Return why no difference between that run and the first can be told, whatever it is; empty where it can."""
        first, other = self.found[0], self.found[number]
        if first is None or other is None:
            return ""
        if min(len(first.values), len(other.values)) < LEAST_REPEATS:
            return _("cannot be judged: fewer than {count} repeats", count=LEAST_REPEATS)
        lasted = [seconds for seconds in (self.lasted[0], self.lasted[number]) if seconds is not None]
        if lasted and min(lasted) < LEAST_SECONDS:
            return _("cannot be judged: repeats of {seconds:.1f} s only", seconds=min(lasted))
        widest = max(first.spread, other.spread)
        if widest > MOST_SPREAD:
            return _("cannot be judged: repeats differ by {spread}", spread=share_text(widest))
        # A run that is marked is not judged: nor does it tell what a change brought.
        why = self.disturbed[0] or self.disturbed[number]
        return _("cannot tell: disturbed. {why}", why=why) if why else ""


def side_by_side(runs: Sequence[RunRecord]) -> tuple[ComparedTest, ...]:
    """Return the tests of runs by their names, those of the first in its order. Raises UserError for what is no two.

    More than 6 runs are looked at over time only, which those of one profile can be.
    """
    if len(runs) < 2 or (len(runs) > MOST_RUNS and not alike(runs)):
        raise UserError(
            _("From 2 to {most} runs can stand side by side", most=MOST_RUNS),
            todo=_("Over time stands any number of runs of one profile."),
        )
    by_name = [{run.test.name: run for run in record.tests} for record in runs]
    floors = [noise_floor(record.idle, record.place.pool) for record in runs]
    names = dict.fromkeys(name for each in by_name for name in each)
    found = []
    for name in names:
        known = next(each[name] for each in by_name if name in each)
        tests = [each.get(name, replace(known, repeats=())) for each in by_name]
        marks = (
            disturbances(while_measured(run), record.place, floor)
            for run, record, floor in zip(tests, runs, floors, strict=True)
        )
        found.append(
            ComparedTest(
                name=name,
                title=known.test.title,
                metric=known.test.metric,
                found=tuple(map(spread_of, tests)),
                lasted=tuple(map(shortest_seconds, tests)),
                disturbed=tuple(next(iter(each), "") for each in marks),
            )
        )
    return tuple(found)


def results_side_by_side(before: Sequence[Recorded], after: Sequence[Recorded]) -> tuple[ComparedTest, ...]:
    """Return what two results of other programs measured alike: the same job, direction, pattern and block size.

    Of several files of one side each is a repeat. A rate is compared where there is one, else operations.
    """
    sides = [_by_kind(before), _by_kind(after)]
    found = []
    for kind in dict.fromkeys((*sides[0], *sides[1])):
        alike = [side.get(kind, []) for side in sides]
        rated = all(one.rate is not None for one in (*alike[0], *alike[1]))
        values = [[number for one in each if (number := one.rate if rated else one.iops)] for each in alike]
        lasted = [min((one.seconds for one in each if one.seconds is not None), default=None) for each in alike]
        name, *further = kind
        said = " ".join(dict.fromkeys(filter(None, further)))  # "write" is a direction and a pattern
        found.append(
            ComparedTest(
                name=" ".join(filter(None, kind)),
                title=f"{name}, {said}",
                metric=Metric.SEQ_READ if rated else Metric.RAND_READ,  # by which the unit is known
                found=tuple(spread(each) for each in values),
                lasted=tuple(lasted),
                disturbed=("", ""),
            )
        )
    return tuple(found)


def _by_kind(results: Sequence[Recorded]) -> dict[tuple[str, ...], list[Measurement]]:
    found: dict[tuple[str, ...], list[Measurement]] = {}
    for one in (measured for recorded in results for measured in recorded.measured):
        if not one.error and (one.rate or one.iops):
            block = "" if one.block_bytes is None else binary(one.block_bytes)
            found.setdefault((one.name, one.direction.value, one.pattern or "", block), []).append(one)
    return found


def alike(runs: Sequence[RunRecord]) -> bool:
    return len({record.profile.name for record in runs}) == 1


def in_order(runs: Sequence[RunRecord]) -> tuple[RunRecord, ...]:
    return tuple(sorted(runs, key=lambda record: record.started.isoformat()))


# The part of a repeat that counts: before, its files are laid out and it gets going; after, they are removed.


def while_measured(run: TestRun) -> TestRun:
    """Return a test with what was watched while it measured, without its ramp.

    Where no clock tells when that was, all that was watched after so long is kept.
    """
    return replace(run, repeats=tuple(_cut(repeat, 1000 * run.test.ramp_seconds) for repeat in run.repeats))


def _cut(repeat: Repeat, ramp_ms: float) -> Repeat:
    begins = begins_ms(repeat.measured)
    lasted = max((begins[one.name] + 1000 * one.seconds for one in repeat.measured if one.seconds), default=0.0)
    began = None if repeat.application is None or not lasted else repeat.application.started
    return replace(repeat, watched=tuple(_part(one, began, ramp_ms, lasted) for one in repeat.watched))


def _part(watched: Recorded, began: datetime | None, ramp_ms: float, lasted: float) -> Recorded:
    if began is not None and watched.started is not None:
        since = ramp_ms + round((began - watched.started).total_seconds() * 1000)
        curves = tuple(_between(curve, since, since + lasted) for curve in watched.curves)
        # A clock that was set meanwhile shows nothing at all.
        if any(curve.ms.size for curve in curves):
            return replace(watched, curves=curves)
    return replace(watched, curves=tuple(_between(curve, ramp_ms, inf) for curve in watched.curves))


def _between(curve: TimeCurve, since: float, until: float) -> TimeCurve:
    keep = (curve.ms >= since) & (curve.ms < until)
    return replace(curve, ms=curve.ms[keep], values=curve.values[keep])
