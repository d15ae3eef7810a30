"""Whether a rate drifted while it was measured: a test of our own over whole transaction groups.

fio's ``ss=`` is not used: it ends the job when it believes the rate to be steady, and with a sample a second it may
never believe so, because a pool writes in groups of five seconds.
"""

from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np

from poolwright.bench.judging.signals import GROUP_MS, Numbers, beside, blocks, curves
from poolwright.bench.judging.spread import direction_of
from poolwright.bench.profiles.profile import BenchTest
from poolwright.bench.record import Repeat
from poolwright.bench.result import Observer, TimeCurve, What

LEAST_BLOCKS = 8
_MOST_BLOCKS = 24
# A change that small tells nothing about the pool; a rarer chance than this is none.
LEAST_CHANGE, RARE = 0.10, 0.003


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """By how much a rate changed from the first to the last block, as a share of its mean, negative where it fell.

    ``chance`` is how likely a steady rate looks like that: two-sided Mann-Kendall test (Mann 1945, Kendall 1975) of the
    block means; the change is Sen's slope (1968) over the length of the run, which no single stall moves.
    """

    change: float
    chance: float
    blocks: int

    @property
    def steady(self) -> bool:
        """Tell whether nothing more than chance and small changes is seen."""
        return abs(self.change) < LEAST_CHANGE or self.chance > RARE


def drift(means: Numbers) -> Drift | None:
    """Return the drift of block means; None where they are too few to tell, or all zero."""
    known = means[np.isfinite(means)]
    count = int(known.size)
    if count < LEAST_BLOCKS or not known.any():
        return None
    first, second = np.triu_indices(count, 1)
    rises = known[second] - known[first]
    score = int(np.sign(rises).sum())
    _, ties = np.unique(known, return_counts=True)
    variance = (count * (count - 1) * (2 * count + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    shifted = abs(score) - 1
    chance = erfc(shifted / sqrt(2 * variance)) if variance > 0 and shifted > 0 else 1.0
    slope = float(np.median(rises / (second - first)))
    return Drift(change=slope * (count - 1) / float(known.mean()), chance=chance, blocks=count)


def drift_of_curve(curve: TimeCurve, *, since_ms: float = 0.0) -> Drift | None:
    """Return the drift of a curve over blocks of whole transaction groups; None where it is too short."""
    length = float(curve.ms[-1]) - since_ms if curve.ms.size else 0.0
    groups = max(1, round(length / GROUP_MS / _MOST_BLOCKS))
    return drift(blocks(curve, block_ms=groups * GROUP_MS, since_ms=since_ms))


def drift_of(test: BenchTest, repeat: Repeat) -> Drift | None:
    """Return how the rate that the application saw drifted in a repeat; None where no curve tells."""
    direction = direction_of(test)
    found = curves(beside(repeat), Observer.APPLICATION, What.RATE, direction)
    found = found or curves(beside(repeat), Observer.APPLICATION, What.IOPS, direction)
    summed = _summed(found)
    return None if summed is None else drift(summed)


def _summed(found: tuple[TimeCurve, ...]) -> Numbers | None:
    """Return the block means of all jobs together: jobs run side by side and each has a curve."""
    if not found:
        return None
    last = max((float(curve.ms[-1]) for curve in found if curve.ms.size), default=0.0)
    size = max(1, round(last / GROUP_MS / _MOST_BLOCKS)) * GROUP_MS
    each = [blocks(curve, block_ms=size) for curve in found]
    count = min(len(one) for one in each)
    return np.sum([one[:count] for one in each], axis=0) if count else None
