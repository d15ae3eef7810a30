"""Plays years of pools by events: an independent check of the Markov chain under the same assumptions. Needs numpy."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from poolwright.domain.units import HOURS_PER_YEAR
from poolwright.predict.reliability import VdevHazard

# Vdev-years played at once: enough for numpy to be fast, little enough for the memory.
_CHUNK = 1 << 18
Z_95 = 1.959964

_Floats = npt.NDArray[np.float64]
_Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    hits: int
    trials: int

    @property
    def probability(self) -> float:
        return self.hits / self.trials

    def interval(self, z: float = Z_95) -> tuple[float, float]:
        """Return the score interval of the probability (Wilson 1927); ``z`` of 1.96 gives 95 % confidence."""
        n, p = self.trials, self.probability
        centre = p + z * z / (2 * n)
        half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        whole = 1 + z * z / n
        # At the ends rounding must not exclude what was seen.
        low = 0.0 if self.hits == 0 else (centre - half) / whole
        high = 1.0 if self.hits == n else (centre + half) / whole
        return low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """The result of ``pool_years`` years, each beginning with a healthy pool.

    ``lost`` counts pools that lost a vdev; ``damaged`` those that lost any data, lost pools included.
    """

    pool_years: int
    seed: int
    lost: Share
    damaged: Share


def simulate(vdevs: tuple[tuple[VdevHazard, int], ...], *, pool_years: int, seed: int) -> Simulation:
    """Play ``pool_years`` years of a pool of ``vdevs`` (each with its number) and count what is lost."""
    # The same seed gives the same result. Vdevs fail independently of each other.
    generator = np.random.Generator(np.random.SFC64(seed))
    # Years are independent, so chunks of them bound the memory.
    most = max(1, _CHUNK // max(count for _, count in vdevs))
    lost = damaged = 0
    for start in range(0, pool_years, most):
        pools = min(most, pool_years - start)
        gone, hurt = np.zeros(pools, dtype=bool), np.zeros(pools, dtype=bool)
        for hazard, count in vdevs:
            _play(generator, hazard, count, gone, hurt)
        lost += int(np.count_nonzero(gone))
        damaged += int(np.count_nonzero(gone | hurt))
    return Simulation(
        pool_years=pool_years,
        seed=seed,
        lost=Share(hits=lost, trials=pool_years),
        damaged=Share(hits=damaged, trials=pool_years),
    )


def _play(
    generator: np.random.Generator,
    hazard: VdevHazard,
    count: int,
    gone: npt.NDArray[np.bool_],
    hurt: npt.NDArray[np.bool_],
) -> None:
    pools, vdev_years = len(gone), len(gone) * count
    if not hazard.tolerated and hazard.unreadable_per_hour > 0:
        found, _ = _first_events(generator, vdev_years, hazard.unreadable_per_hour)
        hurt[found % pools] = True
    if hazard.failures_per_hour <= 0:
        return
    which, clock = _first_events(generator, vdev_years, hazard.failing(0))
    if not hazard.tolerated:
        gone[which % pools] = True
        return
    _play_degraded(generator, hazard, which % pools, clock, gone, hurt)


def _first_events(generator: np.random.Generator, vdevs: int, rate: float) -> tuple[_Indices, _Floats]:
    clock = generator.standard_exponential(vdevs)
    which = np.flatnonzero(clock < rate * HOURS_PER_YEAR)
    return which, clock[which] / rate


def _play_degraded(
    generator: np.random.Generator,
    hazard: VdevHazard,
    pool: _Indices,
    clock: _Floats,
    gone: npt.NDArray[np.bool_],
    hurt: npt.NDArray[np.bool_],
) -> None:
    """Go on from the first failure of each vdev: at every step either the next member fails or a rebuild ends."""
    levels = range(1, hazard.tolerated + 1)
    mean_to_failure = np.array([0.0, *(1 / hazard.failing(u) for u in levels)])
    mean_to_repair = np.array([0.0, *(1 / hazard.repairs_per_hour[u - 1] for u in levels)])
    healthy = 1 / hazard.failing(0)
    failed = np.ones(len(pool), dtype=np.intp)
    while len(pool):
        to_failure = generator.standard_exponential(len(pool)) * mean_to_failure[failed]
        to_repair = generator.standard_exponential(len(pool)) * mean_to_repair[failed]
        # Exponential times: what comes first is drawn anew at each step without remembering the wait.
        failure = to_failure < to_repair
        clock = clock + np.minimum(to_failure, to_repair)
        in_time = clock < HOURS_PER_YEAR
        last = failed == hazard.tolerated
        gone[pool[in_time & failure & last]] = True
        if hazard.unreadable > 0:
            critical = pool[in_time & ~failure & last]
            hurt[critical[generator.random(len(critical)) < hazard.unreadable]] = True
        failed = failed + np.where(failure, 1, -1)
        whole = np.flatnonzero(failed == 0)
        clock[whole] += generator.standard_exponential(len(whole)) * healthy
        failed[whole] = 1
        keep = np.flatnonzero((clock < HOURS_PER_YEAR) & (failed <= hazard.tolerated))
        pool, clock, failed = pool[keep], clock[keep], failed[keep]
