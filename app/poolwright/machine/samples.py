"""Numbers with their moments, as tools tell them one after the other, and the curves and averages that they make."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

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
            facts.append(
                (f"{of}{curve.name} {curve.detail or curve.what.value}", float(curve.values[-1]))
            )  # for machines
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
    groups: dict[tuple[str, Direction], list[TimeCurve]] = {}
    for curve in curves:
        if curve.direction is not None and curve.source not in (Observer.ARC, Observer.CPU):
            groups.setdefault((curve.name, curve.direction), []).append(curve)
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
