"""The curves of a test, lanes one below the other over the same time: application, pool, ARC, the machine."""

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan
from statistics import median

import numpy as np
from numpy.typing import NDArray

from poolwright.bench.record import Repeat
from poolwright.domain.measurement import Direction, Observer, TimeCurve, What
from poolwright.domain.rates import RATE_UNITS, rate_text, rate_unit
from poolwright.domain.shown import csv_text
from poolwright.emit.drawing import SERIES, ShapeRole
from poolwright.machine.samples import CurveMaker, Sample
from poolwright.texts import _, numeral

MOST_CURVES = 6  # of a lane: more colours nobody tells apart
_PERCENT = 100.0
_LARGE = 1000.0  # told without a fraction
_ALL = "all"  # sar's and our own name of all cores together
_SCALES = {
    What.IOPS: (1.0, ""),
    What.LATENCY: (1e-6, "ms"),
    What.SHARE: (_PERCENT, "%"),
    What.BUSY: (_PERCENT, "%"),
    What.BYTES: (1 / (1 << 30), "GiB"),
    What.CELSIUS: (1.0, "°C"),
    What.QUEUE: (1.0, ""),
    What.COUNT: (1.0, ""),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaneCurve:
    """A curve as it is drawn: ``seconds`` rising, ``values`` in the unit of its lane, NaN where nothing is known."""

    name: str
    seconds: NDArray[np.float64]
    values: NDArray[np.float64]
    role: ShapeRole


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lane:
    """Curves of one unit in one place; ``key`` names it in files. It shows ``room`` seconds at least."""

    key: str
    title: str
    unit: str
    curves: tuple[LaneCurve, ...]
    room: float = 0.0
    ticks: tuple[tuple[float, str], ...] = ()
    live: bool = False

    def told(self, value: float) -> str:
        factor = RATE_UNITS.get(self.unit)
        if factor is not None:
            return rate_text(value * factor)
        return numeral(value, ",.0f" if value >= _LARGE else ".3g", self.unit)

    @property
    def seconds(self) -> float:
        return max((self.room, *(float(curve.seconds[-1]) for curve in self.curves if len(curve.seconds))))

    @property
    def value(self) -> str:
        """Return the last value in words while it is ``live``, else the median; empty where nothing is known."""
        known = [value for curve in self.curves for value in curve.values.tolist() if not isnan(value)]
        return self.told(known[-1] if self.live else median(known)) if known else ""

    @property
    def highest(self) -> float:
        tops = [float(np.nanmax(c.values)) for c in self.curves if len(c.values) and not np.all(np.isnan(c.values))]
        return max(tops, default=0.0)


def lanes_of(curves: Iterable[TimeCurve]) -> tuple[Lane, ...]:
    """Return the lanes in which the curves of a file are seen; a lane without a curve is left out."""
    known = tuple(curve for curve in curves if len(curve.ms))
    rates = [c for c in known if c.what is What.RATE]
    scales = _scales(rates)  # one unit for all lanes: they are compared
    wanted = (
        ("application", _("Application"), _of(rates, Observer.APPLICATION)),
        ("pool", _("Pool"), _of(rates, Observer.POOL)),
        ("arc", "ARC", _of(known, Observer.ARC, What.SHARE)),
        ("iops", "IOPS", _of(known, Observer.APPLICATION, What.IOPS)),
        ("latency", _("Latency"), _of(known, Observer.APPLICATION, What.LATENCY)),
        ("disks", _("Disks"), _of(known, Observer.DISK, What.LATENCY) or _of(known, Observer.DISK, What.BUSY)),
        ("cpu", _("Processor"), _of(known, Observer.CPU, What.BUSY, What.SHARE)),
        ("temperature", _("Temperature"), _of(known, Observer.TEMPERATURE, What.CELSIUS)),
    )
    roles: dict[str, ShapeRole] = {}
    lanes = []
    for key, title, found in wanted:
        if found:
            scale, unit = scales[found[0].what]
            alike = _foremost([curve for curve in found if scales[curve.what][1] == unit])
            drawn = []
            for curve in alike:
                name, at, values = curve_words(curve), curve.ms / 1000.0, curve.values * scale
                role = roles.setdefault(name, SERIES[len(roles) % len(SERIES)])
                drawn.append(LaneCurve(name=name, seconds=at, values=values, role=role))
            lanes.append(Lane(key=key, title=title, unit=unit, curves=tuple(drawn)))
    return tuple(lanes)


# A test as it is watched: six lanes that never move, its repeats one after the other, what is finished in grey.

_BETWEEN_REPEATS = 0.08  # of the longest


def watched_lanes(
    repeats: Sequence[Repeat], live: Sequence[TimeCurve] | None = None, *, most: int = 0, seconds: float = 0.0
) -> tuple[Lane, ...]:
    """Return the lanes of a test, with room for ``most`` repeats of ``seconds``; ``live`` is the one under way."""
    parts = [_curves_of(repeat) for repeat in repeats] + ([tuple(live)] if live is not None else [])
    lasted = max((curve.ms[-1] / 1000 for part in parts for curve in part if len(curve.ms)), default=0.0)
    step = max(lasted, seconds) * (1 + _BETWEEN_REPEATS)
    count = max(most, len(parts))
    room = count * step
    ticks = tuple(((n + 0.5) * step, _("repeat {number}", number=n + 1)) for n in range(count))
    scales = _scales([c for part in parts for c in part if c.what is What.RATE and c.source is Observer.APPLICATION])

    def lane(key: str, title: str, source: Observer, what: What, name: str = "") -> Lane:
        scale, unit = scales[what]
        curves: tuple[LaneCurve, ...] = ()
        for number, part in enumerate(parts):
            found = [c for c in _of(part, source, what) if len(c.ms) and (not name or name in (c.name, c.detail))]
            if found:
                ms, values = _as_one(found, add=what in (What.RATE, What.IOPS))
                grey = live is not None and number < len(repeats)
                role = ShapeRole.GREY if grey else ShapeRole.ACCENT
                label = _("repeat {number}", number=number + 1)
                at = ms / 1000 + number * step
                curves = (*curves, LaneCurve(name=label, seconds=at, values=values * scale, role=role))
        return Lane(key=key, title=title, unit=unit, curves=curves, room=room, ticks=ticks, live=live is not None)

    return (
        lane("throughput", _("Throughput"), Observer.APPLICATION, What.RATE),
        lane("iops", "IOPS", Observer.APPLICATION, What.IOPS),
        lane("latency", _("Latency"), Observer.APPLICATION, What.LATENCY),
        lane("disks", _("Disks busy"), Observer.DISK, What.BUSY),
        lane("cpu", _("Processor"), Observer.CPU, What.BUSY, _ALL),
        lane("arc", _("ARC hits"), Observer.ARC, What.SHARE, "hits"),
    )


def _as_one(curves: Sequence[TimeCurve], *, add: bool) -> tuple[NDArray[np.int64], "Numbers"]:
    """Return the sum or the mean of several curves, each going on with its last value until the next."""
    if len(curves) == 1:
        return curves[0].ms, curves[0].values
    ms = np.unique(np.concatenate([curve.ms for curve in curves]))
    rows = np.array([c.values[np.maximum(np.searchsorted(c.ms, ms, side="right") - 1, 0)] for c in curves])
    known = np.count_nonzero(~np.isnan(rows), axis=0)
    by = np.where(known > 0, 1.0 if add else known, np.nan)
    return ms, np.nansum(rows, axis=0) / by


def _scales(rates: Sequence[TimeCurve]) -> dict[What, tuple[float, str]]:
    factor, unit = rate_unit(max((float(np.fmax.reduce(curve.values, initial=0.0)) for curve in rates), default=0.0))
    return {**_SCALES, What.RATE: (1 / factor, unit)}


def _curves_of(repeat: Repeat) -> tuple[TimeCurve, ...]:
    """Return the curves of a repeat as it was watched, all over the time since its beginning.

    The application begins when its files have been laid out, which may be long after those beside it began.
    """
    seen = (*filter(None, (repeat.application,)), *repeat.watched)
    begun = min((one.started for one in repeat.watched if one.started is not None), default=None)
    found: list[TimeCurve] = []
    for one in seen:
        late = round((one.started - begun).total_seconds() * 1000) if begun and one.started else 0
        found += (replace(curve, ms=curve.ms + late) if late else curve for curve in one.curves)
    return tuple(found)


def lanes_csv(lanes: Sequence[Lane]) -> str:
    rows: list[list[str]] = [["lane", "curve", "unit", "seconds", "value"]]
    for lane in lanes:
        for curve in lane.curves:
            for second, value in zip(curve.seconds.tolist(), curve.values.tolist(), strict=True):
                text = "" if isnan(value) else f"{value:.10g}"
                rows.append([lane.key, curve.name, lane.unit, f"{second:.3f}", text])
    return csv_text(rows)


def _of(curves: Iterable[TimeCurve], source: Observer, *kinds: What) -> list[TimeCurve]:
    return [curve for curve in curves if curve.source is source and (not kinds or curve.what in kinds)]


def _foremost(curves: list[TimeCurve]) -> list[TimeCurve]:
    if len(curves) <= MOST_CURVES:
        return curves
    means = [float(np.nanmean(c.values)) if not np.all(np.isnan(c.values)) else 0.0 for c in curves]
    kept = sorted(range(len(curves)), key=means.__getitem__, reverse=True)[:MOST_CURVES]
    return [curves[number] for number in sorted(kept)]


def curve_words(curve: TimeCurve) -> str:
    if curve.source is Observer.CPU and curve.name == _ALL:
        return f"{_('all cores')} ({curve.detail})" if curve.detail else _("all cores")  # for machines
    which = {
        Direction.READ: _("{name} reads", name=curve.name),
        Direction.WRITE: _("{name} writes", name=curve.name),
        Direction.TRIM: _("{name} trims", name=curve.name),
        Direction.MIXED: _("{name} reads and writes", name=curve.name),
        None: curve.name,
    }[curve.direction]
    return f"{which} ({curve.detail})" if curve.detail else which


# What comes in while a test runs, as curves over its own time.

_SINCE_1970 = 10**11  # ms: a moment above it is one of the calendar, below it one since the tool began


class LiveCurves:
    """Gathers the samples of one repeat, all over one time, which begins with the first that has a time of day.

    What is counted from a begin of its own, as fio does when its files have been laid out, stands where it came in.
    """

    def __init__(self, test: str = "", number: int = 0) -> None:
        self.test, self.number = test, number
        self._dated, self._counted = CurveMaker(), CurveMaker()
        self._latest: int | None = None
        self._late: int | None = None  # ms from the begin of the repeat to that of what is counted

    def take(self, samples: Iterable[Sample]) -> None:
        for sample in samples:
            dated = sample.ms > _SINCE_1970
            if dated:
                self._latest = sample.ms
            elif self._late is None and self._latest is not None and sample.ms > 0:
                self._late = max(0, self._latest - (self._dated.began() or 0) - sample.ms)
            (self._dated if dated else self._counted).add(sample.ms, sample.key, sample.value)

    def curves(self) -> tuple[TimeCurve, ...]:
        return (*self._counted.curves(-(self._late or 0)), *self._dated.curves())


# Folds a long curve into what a screen can show: each pixel keeps the least and the most, so that no peak is lost.

Numbers = NDArray[np.float64]

_BLOCK = 128  # values of a curve that are looked at as one, where it is long
_LONG = 1 << 18  # from here on the blocks of a curve are kept: it is drawn many times a second while one moves it
_kept: dict[int, tuple["weakref.ref[Numbers]", Numbers, Numbers]] = {}


def reduced(xs: Numbers, ys: Numbers, pixels: int, left: float, right: float) -> tuple[Numbers, Numbers]:
    """Return the part of a curve from ``left`` to ``right`` in about two points a pixel.

    ``xs`` rises; one point beyond each side is kept, so that lines go on there. NaN is a gap and stays one where a
    pixel holds nothing else. Of each pixel the least and the most stand at its first and its last x. Neither array may
    be changed afterwards: what is known of a long one is kept.
    """
    first = max(0, int(np.searchsorted(xs, left, side="left")) - 1)
    last = min(len(xs), int(np.searchsorted(xs, right, side="right")) + 1)
    count, wanted = last - first, max(2, pixels)
    if count <= 2 * wanted:
        return xs[first:last], ys[first:last]
    if count > 2 * wanted * _BLOCK and len(ys) >= _LONG:
        return _of_blocks(xs, ys, first, last, wanted)
    begins = first + np.linspace(0, count, wanted, endpoint=False).astype(np.int64)
    ends = np.append(begins[1:], last) - 1
    part, at = ys[first:last], begins - first
    return _pairs(xs, begins, ends, np.fmin.reduceat(part, at), np.fmax.reduceat(part, at))


def alone(ys: Numbers) -> NDArray[np.bool_]:
    """Tell of each value whether it is known and none beside it is: no line reaches it."""
    known = np.concatenate(([False], ~np.isnan(ys), [False]))
    return known[1:-1] & ~known[:-2] & ~known[2:]


def _of_blocks(xs: Numbers, ys: Numbers, first: int, last: int, wanted: int) -> tuple[Numbers, Numbers]:
    """Reduce what is known of whole blocks; the part begins and ends with a block, which is less than a pixel more."""
    lows, highs = _blocks(ys)
    begin, end = first // _BLOCK, min(len(lows), -(-last // _BLOCK))
    at = np.linspace(0, end - begin, wanted, endpoint=False).astype(np.int64)
    begins = (begin + at) * _BLOCK
    ends = np.minimum(np.append(begins[1:], end * _BLOCK), len(ys)) - 1
    return _pairs(xs, begins, ends, np.fmin.reduceat(lows[begin:end], at), np.fmax.reduceat(highs[begin:end], at))


def _pairs(
    xs: Numbers, begins: NDArray[np.int64], ends: NDArray[np.int64], low: Numbers, high: Numbers
) -> tuple[Numbers, Numbers]:
    made = np.empty(2 * len(low)), np.empty(2 * len(low))
    made[0][::2], made[0][1::2] = xs[begins], xs[ends]
    made[1][::2], made[1][1::2] = low, high
    return made


def _blocks(ys: Numbers) -> tuple[Numbers, Numbers]:
    """Return the least and the most of each block of a curve, reckoned once for as long as the curve is there."""
    found = _kept.get(id(ys))
    if found is not None and found[0]() is ys:
        return found[1], found[2]
    key = id(ys)
    begins = np.arange(0, len(ys), _BLOCK)
    lows, highs = np.fmin.reduceat(ys, begins), np.fmax.reduceat(ys, begins)

    def forget(_gone: object) -> None:
        _kept.pop(key, None)

    _kept[key] = (weakref.ref(ys, forget), lows, highs)
    return lows, highs
