"""What threatens one vdev: the assumptions that the Markov chain solves and the simulation plays."""

from dataclasses import dataclass
from math import exp, expm1, fsum, inf, log1p, prod, sqrt

HOURS_PER_YEAR = 365.25 * 24
# A wider mirror counts as one of nine: the chance of more failures at once is nil, and the figure stays an upper bound.
MOST_TOLERATED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevHazard:
    """A top-level vdev of ``disks`` equal members that survives ``tolerated`` failures at a time.

    All waiting times are exponential. With ``u`` members failed, one of the others fails at the rate `failing(u)`; one
    rebuild at a time ends at ``repairs_per_hour[u - 1]``. One failure more than tolerated loses the vdev, and with it
    the pool. ``correlation`` multiplies the failure rate of the members left while at least one has failed.

    ``mistakes[u - 1]`` is the probability that somebody who comes for one of ``u`` failed members takes away
    another for good: one more is then failed, and nothing was repaired.

    ``unreadable`` is the probability that a rebuild with no redundancy left meets a block that cannot be read;
    ``unreadable_per_hour`` the rate of such blocks where there is no redundancy at all.
    """

    disks: int
    tolerated: int
    failures_per_hour: float
    correlation: float = 1.0
    repairs_per_hour: tuple[float, ...] = ()
    mistakes: tuple[float, ...] = ()
    unreadable: float = 0.0
    unreadable_per_hour: float = 0.0

    def failing(self, failed: int) -> float:
        if not failed:
            return self.disks * self.failures_per_hour
        taken = self.mistakes[failed - 1] * self.repairs_per_hour[failed - 1] if self.mistakes else 0.0
        return (self.disks - failed) * self.failures_per_hour * self.correlation + taken


# The continuous-time Markov chain of a vdev, solved exactly.

# Eigenvalues nearer to each other than this share are set apart: their sum formula divides by the difference.
_LEAST_GAP = 1e-5
_NEWTON_STEPS, _EXACT = 50, 4e-16


@dataclass(frozen=True, slots=True)
class Absorption:
    """The distribution of the hours until absorption: a sum of exponentials with these ``rates``, slowest first."""

    rates: tuple[float, ...]

    @property
    def mean_hours(self) -> float:
        """Return the mean time to absorption; infinite when it cannot happen."""
        return fsum(1 / rate for rate in self.rates) if self.rates[0] > 0 else inf

    @property
    def slow_rate(self) -> float:
        return self.rates[0]

    @property
    def log_amplitude(self) -> float:
        """Return the logarithm of the slow exponential's share; a little above 0."""
        slow = self.rates[0]
        return -fsum(log1p(-slow / rate) for rate in self.rates[1:]) if slow > 0 else 0.0

    def probability(self, hours: float) -> float:
        slow = self.rates[0]
        if slow <= 0:
            return 0.0
        result = -expm1(self.log_amplitude - slow * hours)
        for index, rate in enumerate(self.rates[1:], start=1):
            late = exp(-rate * hours)
            if late > 0.0:
                others = self.rates[:index] + self.rates[index + 1 :]
                result -= prod([other / (other - rate) for other in others]) * late
        return min(1.0, max(0.0, result))


def absorption(births: tuple[float, ...], deaths: tuple[float, ...]) -> Absorption:
    """Return when a birth-death chain from state 0 leaves its last state upwards.

    ``births[i]`` leads from state i to i + 1 and ``deaths[i]`` from i + 1 back to i, both per hour; the birth of the
    last state absorbs.
    """
    # A birth rate of 0 means never.
    if min(births) <= 0:
        return Absorption(rates=(0.0,))
    # The time to the last state has a transform whose denominator is the product of (1 + s / rate) over all rates. Its
    # coefficients come from state to state as sums of what is positive: nothing cancels, however rare the loss.
    product, step = [1.0], [0.0]
    for birth, death in zip(births, (0.0, *deaths), strict=True):
        step = [(p + death * s) / birth for p, s in zip([0.0, *product], [*step, 0.0], strict=True)]
        product = [p + s for p, s in zip([*product, 0.0], step, strict=True)]
    rates: list[float] = []
    while len(product) > 3:
        rates.append(_smallest_root(product))
        # Divided by its factor from the highest power down, where little cancels as the smallest root goes first.
        left = [0.0]
        for coefficient in product[:0:-1]:
            left.append((coefficient - left[-1]) * rates[-1])
        product = left[:0:-1]
    rates += _last_roots(product)
    for index in range(1, len(rates)):
        rates[index] = max(rates[index], rates[index - 1] * (1 + _LEAST_GAP))
    return Absorption(rates=tuple(rates))


def _smallest_root(product: list[float]) -> float:
    """Return the least rate of a product of (1 + s / rate), by Newton's steps from below it: none goes beyond."""
    rate = 1 / product[1]
    for _ in range(_NEWTON_STEPS):
        value = slope = 0.0
        for coefficient in reversed(product):
            slope = slope * -rate + value
            value = value * -rate + coefficient
        change = value / slope
        rate += change
        if abs(change) <= _EXACT * rate:
            break
    return rate


def _last_roots(product: list[float]) -> list[float]:
    if len(product) == 2:
        return [1 / product[1]]
    _, total, pair = product
    larger = (total + sqrt(max(0.0, total * total - 4 * pair))) / (2 * pair)
    # The smaller one by Vieta: the difference of two near numbers would lose its digits.
    return [1 / (pair * larger), larger]


def time_to_loss(hazard: VdevHazard) -> Absorption:
    """Return when a new, healthy vdev is lost: more members failed at a time than it tolerates."""
    # Births are failures, deaths are rebuilds: one at a time, as resilver_defer lets only one run.
    births = tuple([hazard.failing(u) for u in range(hazard.tolerated + 1)])
    return absorption(births, hazard.repairs_per_hour)


def time_to_damage(hazard: VdevHazard) -> Absorption:
    """Return when a vdev first loses data: lost as a whole, or a block unreadable while there is no redundancy."""
    births = [hazard.failing(u) for u in range(hazard.tolerated + 1)]
    if not hazard.tolerated:
        return absorption((births[0] + hazard.unreadable_per_hour,), ())
    last = hazard.repairs_per_hour[-1]
    births[-1] += last * hazard.unreadable
    return absorption(tuple(births), (*hazard.repairs_per_hour[:-1], last * (1 - hazard.unreadable)))
