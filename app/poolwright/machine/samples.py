"""Numbers with their moments as tools tell them, what curves and averages they make, on a clock that nobody sets."""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from poolwright.domain.grouping import grouped
from poolwright.domain.measurement import (
    BenchTool,
    Direction,
    Latency,
    Measurement,
    Observer,
    Recorded,
    TimeCurve,
    What,
)

UNKNOWN = float("nan")
# The wait that an operation saw from its issue to its end, by the tool's word: OpenZFS and the kernel.
_WHOLE_WAITS = ("total_wait", "await")  # for machines


@dataclass(frozen=True, slots=True)
class CurveKey:
    """Of what a number tells: the fields of `TimeCurve` that are no numbers."""

    name: str
    source: Observer
    what: What
    direction: Direction | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """One number at one moment. ``ms`` is since 1970 where the tool told the time, else since it began; NaN unknown."""

    ms: int
    key: CurveKey
    value: float


@dataclass(frozen=True, slots=True)
class Column:
    """What a column of a tool tells, and what one of its units is in ours; ``detail`` where several are of one kind."""

    what: What
    direction: Direction | None = None
    detail: str = ""
    factor: float = 1.0

    def key(self, name: str, source: Observer) -> CurveKey:
        return CurveKey(name, source, self.what, self.direction, self.detail)


def column_of(entry: Mapping[str, Any]) -> Column:
    way = Direction(entry["direction"]) if "direction" in entry else None
    return Column(What(entry["what"]), way, entry.get("detail", ""), entry.get("factor", 1.0))


class CurveMaker:
    """Gathers samples, which may come mixed and out of order, into curves."""

    def __init__(self) -> None:
        self._found: dict[CurveKey, tuple[array[int], array[float]]] = {}

    def add(self, ms: int, key: CurveKey, value: float) -> None:
        moments, values = self._found.setdefault(key, (array("q"), array("d")))
        moments.append(ms)
        values.append(value)

    def take(self, samples: Iterable[Sample]) -> Self:
        for sample in samples:
            self.add(sample.ms, sample.key, sample.value)
        return self

    def moments(self) -> int:
        return len({ms for moments, _ in self._found.values() for ms in moments})

    def began(self) -> int | None:
        return min((min(moments) for moments, _ in self._found.values()), default=None)

    def curves(self, began: int | None = None) -> tuple[TimeCurve, ...]:
        """Return the curves, in ms since ``began``, else since the first moment of all of them."""
        start = self.began() if began is None else began
        return tuple(_curve(key, moments, values, start or 0) for key, (moments, values) in self._found.items())


def _curve(key: CurveKey, moments: "array[int]", values: "array[float]", start: int) -> TimeCurve:
    ms = np.array(moments, dtype=np.int64) - start
    numbers = np.array(values, dtype=np.float64)
    if len(ms) > 1 and not bool(np.all(np.diff(ms) > 0)):
        # Of several numbers for one moment the last holds.
        ms, last = np.unique(ms[::-1], return_index=True)
        numbers = numbers[::-1][last]
    return TimeCurve(
        name=key.name,
        source=key.source,
        what=key.what,
        direction=key.direction,
        detail=key.detail,
        ms=ms,
        values=numbers,
    )


def sampled(
    maker: CurveMaker,
    *,
    tool: BenchTool,
    where: str,
    host: str | None = None,
    started: datetime | None = None,
    notes: Sequence[str] = (),
) -> Recorded:
    """Return what was sampled, with its averages. Numbers of one moment only are no curves: they are facts."""
    curves = maker.curves()
    several = maker.moments() > 1
    facts = []
    for curve in curves if not several else ():
        if curve.direction is None and np.isfinite(curve.values[-1]):
            of = "cpu " if curve.source is Observer.CPU else ""  # a core's name is only its number
            name = f"{of}{curve.name} {curve.detail or curve.what.value}"  # for machines
            facts.append((name, float(curve.values[-1])))
    return Recorded(
        tool=tool,
        where=where,
        host=host,
        started=started,
        measured=averages(curves),
        curves=curves if several else (),
        facts=tuple(facts),
        notes=tuple(notes),
    )


def averages(curves: Sequence[TimeCurve]) -> tuple[Measurement, ...]:
    """Return the mean rate, operations and wait of each pool, vdev, disk and network over the whole time.

    A mean wait is weighted with the operations of each moment where both are known.
    """
    groups = grouped(
        ((curve.name, curve.direction), curve)
        for curve in curves
        if curve.direction is not None and curve.source not in (Observer.ARC, Observer.CPU)
    )
    made = (_average(name, direction, mine) for (name, direction), mine in groups.items())
    return tuple(found for found in made if found is not None)


def _average(name: str, direction: Direction, curves: Sequence[TimeCurve]) -> Measurement | None:
    rate = next((c for c in curves if c.what is What.RATE and not c.detail), None)
    iops = next((c for c in curves if c.what is What.IOPS and not c.detail), None)
    wait = next((c for c in curves if c.what is What.LATENCY and c.detail in _WHOLE_WAITS), None)
    if rate is None and iops is None:
        return None
    mean = None
    if wait is not None:
        known = iops is not None and len(iops.values) == len(wait.values)
        mean = _mean(wait.values, iops.values if iops is not None and known else None)
    return Measurement(
        name=name,
        direction=direction,
        rate=None if rate is None else _mean(rate.values),
        iops=None if iops is None else _mean(iops.values),
        total=None if mean is None else Latency(mean_ns=mean),
    )


def _mean(values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> float | None:
    known = np.isfinite(values)
    if weights is not None:
        known &= np.isfinite(weights)
        if float(np.sum(weights[known])) > 0:
            return float(np.average(values[known], weights=weights[known]))
    return float(np.mean(values[known])) if bool(known.any()) else None


# A clock that somebody sets while it is read: moments as it would have told them had nobody touched it.

_SLEWED_SECONDS = 0.5  # clocks are slewed by parts of a second, and reading two of them takes a moment


@dataclass(frozen=True, slots=True)
class ClockStep:
    """From ``moment`` on (s since 1970, had nobody set it) a clock was ahead by ``ahead`` s of where it began."""

    moment: float
    ahead: float


def told_at_once(moment: float, steps: Sequence[ClockStep]) -> float:
    """Return when something was that a clock told at that moment, by the steps that it made.

    A clock that is set back tells some moments twice: the first of them is meant, since tests begin early.
    """
    ahead, begin = 0.0, -math.inf
    for step in steps:
        if begin <= moment - ahead < step.moment:
            break
        ahead, begin = step.ahead, step.moment
    return moment - ahead


@dataclass(slots=True)
class SteadyClock:
    """Takes moments in the order in which they were told, and returns them on a clock that nobody sets.

    A reading without a second clock is believed while it moves on by 0 to ``longest`` s; else it came ``usual`` s after
    the one before. ``known`` are the steps that another reader has seen: with them nothing is guessed.
    """

    usual: float = 1.0
    longest: float = math.inf
    known: Sequence[ClockStep] = ()
    steps: list[ClockStep] = field(default_factory=list)
    _ahead: float = 0.0
    _before: float | None = None
    _lead: float | None = None  # of the told time before a clock that counts from the start of the machine

    def moment(self, clock: float, counted: float | None = None) -> float:
        """Return the moment; ``counted`` is the same by a clock that nobody can set."""
        if self._before is not None and self.known:
            self._follow(clock)
        elif self._before is not None and counted is not None and self._lead is not None:
            by = clock - counted - self._lead
            self._set(by if abs(by) > _SLEWED_SECONDS else 0.0)
        elif self._before is not None:
            gone = clock - self._ahead - self._before
            self._set(0.0 if -_SLEWED_SECONDS < gone < self.longest else gone - self.usual)
        self._lead = None if counted is None else clock - counted
        self._before = max(clock - self._ahead, self._before or -math.inf)
        return self._before

    def _set(self, by: float) -> None:
        if by and self._before is not None:
            self._ahead += by
            self.steps.append(ClockStep(self._before, self._ahead))

    def _follow(self, clock: float) -> None:
        """Go on to the known step by which this moment follows best on the one before."""
        assert self._before is not None
        follows = self._before + self.usual
        left = [step.ahead for step in self.known[len(self.steps) :]]
        ahead = [self._ahead, *left]
        best = min(range(len(ahead)), key=lambda at: abs(clock - ahead[at] - follows))
        self._ahead = ahead[best]
        self.steps += self.known[len(self.steps) : len(self.steps) + best]
