"""Curves from fio's reports: each one counts from the beginning, so the curve is what lies between neighbours."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolwright.domain.measurement import Direction, Observer, TimeCurve, What
from poolwright.machine.fields import mapping, number, whole
from poolwright.machine.fio.jobs import FioJob, io_bytes, latency_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a direction of a job had done ``ms`` after its beginning. ``waited_ns`` is the sum of all completions."""

    ms: float
    bytes: int
    operations: int | None = None
    waited_ns: float | None = None


def counted(fields: Mapping[str, object], latency: str = "clat") -> Counted | None:
    """Return the counts of a direction in one report, None where it had not begun; ``latency`` is fio's name of it."""
    ms, moved, operations = number(fields.get("runtime")), io_bytes(fields), whole(fields.get("total_ios"))
    if not ms or moved is None:
        return None
    took = latency_of(fields, latency, operations)
    known = took is not None and took.mean_ns is not None and took.count is not None
    waited = took.mean_ns * took.count if known and took and took.mean_ns and took.count else None
    return Counted(ms=ms, bytes=moved, operations=operations, waited_ns=waited)


def between(before: Counted | None, after: Counted) -> tuple[float, float, float]:
    """Return bytes/s, operations/s and mean latency in ns between two reports; NaN where it is not known."""
    start = before or Counted(ms=0.0, bytes=0, operations=0, waited_ns=0.0)
    seconds = (after.ms - start.ms) / 1000
    rate = (after.bytes - start.bytes) / seconds
    if after.operations is None or start.operations is None:
        return rate, np.nan, np.nan
    done = after.operations - start.operations
    if done <= 0 or after.waited_ns is None or start.waited_ns is None:
        return rate, done / seconds, np.nan
    return rate, done / seconds, (after.waited_ns - start.waited_ns) / done


def curves_of(reports: Sequence[Sequence[FioJob]]) -> tuple[TimeCurve, ...]:
    """Return rate, operations and mean latency of each job and direction over time, from all reports of a run."""
    names = numbered([job.name for job in reports[-1]])
    return tuple(
        curve
        for place, name in enumerate(names)
        for direction in Direction
        for curve in _curves(name, direction, [jobs[place] for jobs in reports if place < len(jobs)])
    )


def numbered(names: Sequence[str]) -> list[str]:
    """Return names that differ: jobs of one name get numbers."""
    several = {name for name, count in Counter(names).items() if count > 1}
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} {seen[name]}" if name in several else name)
    return found


def _curves(name: str, direction: Direction, jobs: Sequence[FioJob]) -> Iterator[TimeCurve]:
    steps = _rising(counted(mapping(job.fields.get(direction.value))) for job in jobs)
    if not steps:
        return
    ms = np.array([round(after.ms) for _, after in steps], np.int64)
    values = np.array([between(before, after) for before, after in steps], np.float64)
    for column, what in enumerate((What.RATE, What.IOPS, What.LATENCY)):
        if not np.isnan(values[:, column]).all():
            yield _curve(name, direction, what, ms, values[:, column])


def _rising(found: Iterator[Counted | None]) -> list[tuple[Counted | None, Counted]]:
    """Return neighbours between which time went on; a job that has ended is reported again and again."""
    steps: list[tuple[Counted | None, Counted]] = []
    before: Counted | None = None
    for after in found:
        if after is not None and (before is None or after.ms > before.ms):
            steps.append((before, after))
            before = after
    return steps


def _curve(
    name: str, direction: Direction, what: What, ms: NDArray[np.int64], values: NDArray[np.float64]
) -> TimeCurve:
    return TimeCurve(
        name=name,
        source=Observer.APPLICATION,
        what=what,
        ms=ms,
        values=np.ascontiguousarray(values),
        direction=direction,
        detail="clat" if what is What.LATENCY else "",
    )
