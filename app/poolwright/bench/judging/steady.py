"""Whether a rate drifted while it was measured: a test of our own over transaction groups of all repeats at once.

fio's ``ss=`` is not used: it ends the job when it believes the rate to be steady, and with a sample a second it may
never believe so, because a pool writes in groups of five seconds. The repeats begin alike, so that their signs are
added as those of seasons are (Hirsch, Slack, Smith 1982): three runs of a minute show a drift by a third nearly always,
where one shows it one time in six.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, erfc, sqrt

import numpy as np

from poolwright.bench.judging.signals import GROUP_MS, Numbers, beside, blocks, curves
from poolwright.bench.judging.spread import direction_of, whole
from poolwright.bench.record import Repeat, TestRun
from poolwright.domain.measurement import Direction, Observer, What

# Of each repeat, and of all together.
_FEWEST, LEAST_BLOCKS = 4, 8
_MOST_BLOCKS = 24
# A change that small tells nothing about the pool; a rarer chance than this is none.
LEAST_CHANGE, RARE = 0.10, 0.003
# A drift that large has to be seen in nine of ten runs; where it would not be, steadiness cannot be told.
MOST_UNSEEN = 0.50
_RARE_DEVIATIONS, _NINE_OF_TEN = 2.97, 1.28  # of the normal distribution
_MAD = 1.4826  # makes the median deviation of a normal distribution its standard deviation


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """By how much a rate changed from the first to the last block, as a share of its mean, negative where it fell.

    ``chance`` is how likely a steady rate looks like that: two-sided Mann-Kendall test (Mann 1945, Kendall 1975) of the
    block means; the change is Sen's slope (1968) over the length of the run, which no single stall moves. ``unseen`` is
    the largest change that could have gone unseen in one of ten such runs, given how the blocks differ.
    """

    change: float
    chance: float
    blocks: int
    unseen: float

    @property
    def steady(self) -> bool:
        """Tell whether nothing more than chance and small changes is seen."""
        return abs(self.change) < LEAST_CHANGE or self.chance > RARE

    @property
    def blind(self) -> bool:
        """Tell whether blocks are too few or too unlike to see a drift that matters."""
        return self.steady and self.unseen > MOST_UNSEEN


def drift(*repeats: Numbers) -> Drift | None:
    """Return the drift of the block means of one or several repeats; None where they are too few, or all zero."""
    known = [means[np.isfinite(means)] for means in repeats]
    known = [means for means in known if means.size >= _FEWEST and means.any()]
    count = sum(means.size for means in known)
    if count < LEAST_BLOCKS:
        return None
    scores, variances, slopes, noises = zip(*(_one(means) for means in known), strict=True)
    score, variance = sum(scores), sum(variances)
    shifted = abs(score) - 1
    chance = erfc(shifted / sqrt(2 * variance)) if variance > 0 and shifted > 0 else 1.0
    return Drift(
        change=float(np.median(np.concatenate(slopes))),
        chance=chance,
        blocks=count,
        unseen=_unseen([means.size for means in known], float(np.median(noises)), variance),
    )


def _one(means: Numbers) -> tuple[int, float, Numbers, float]:
    """Return Kendall's score with its variance, the slopes of all pairs over the whole run, and the blocks' spread.

    Slopes and spread are shares of the mean; the spread is what is left beside the slope.
    """
    count = means.size
    first, second = np.triu_indices(count, 1)
    rises = means[second] - means[first]
    _, ties = np.unique(means, return_counts=True)
    variance = (count * (count - 1) * (2 * count + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    slopes = rises / (second - first) * (count - 1) / means.mean()
    left = means / means.mean() - float(np.median(slopes)) * np.arange(count) / (count - 1)
    noise = _MAD * float(np.median(np.abs(left - np.median(left))))
    return int(np.sign(rises).sum()), variance, slopes, noise


def _unseen(counts: Sequence[int], noise: float, variance: float) -> float:
    """Return the change whose expected score just passes the test in nine of ten runs, for normal noise; infinite where
    no change does.
    """
    needed = (_RARE_DEVIATIONS + _NINE_OF_TEN) * sqrt(variance) + 1
    if sum(count * (count - 1) / 2 for count in counts) < needed:
        return float("inf")
    low, high = 0.0, 64.0
    for _ in range(24):
        change = (low + high) / 2
        enough = sum(_score_of(count, change, noise) for count in counts) >= needed
        low, high = (low, change) if enough else (change, high)
    return high


def _score_of(count: int, change: float, noise: float) -> float:
    """Return the expected score of blocks with a linear change: a pair that lies ``lag`` apart rises with Phi."""
    steps = (change * lag / (count - 1) / max(2 * noise, 1e-9) for lag in range(1, count))
    return sum((count - lag) * erf(step) for lag, step in enumerate(steps, start=1))


def drift_of(run: TestRun) -> Drift | None:
    """Return how the rate that the application saw drifted in the whole repeats; None where no curve tells."""
    direction = direction_of(run.test)
    found = [means for repeat in whole(run) if (means := _means(repeat, direction)) is not None]
    return drift(*found) if found else None


def _means(repeat: Repeat, direction: Direction | None) -> Numbers | None:
    """Return the block means of all jobs together: jobs run side by side and each has a curve."""
    seen = beside(repeat)
    found = curves(seen, Observer.APPLICATION, What.RATE, direction)
    found = found or curves(seen, Observer.APPLICATION, What.IOPS, direction)
    if not found:
        return None
    last = max((float(curve.ms[-1]) for curve in found if curve.ms.size), default=0.0)
    size = max(1, round(last / GROUP_MS / _MOST_BLOCKS)) * GROUP_MS
    each = [blocks(curve, block_ms=size) for curve in found]
    count = min(len(one) for one in each)
    return np.sum([one[:count] for one in each], axis=0) if count else None
