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
_NEGLIGIBLE = 1e-17


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
    rates = sorted(_eigenvalues(list(births), list(deaths)))
    for index in range(1, len(rates)):
        rates[index] = max(rates[index], rates[index - 1] * (1 + _LEAST_GAP))
    return Absorption(rates=tuple(rates))


def _eigenvalues(q: list[float], e: list[float]) -> list[float]:
    """Return the eigenvalues of the chain with births ``q`` and deaths ``e``, smallest first or nearly so."""
    # The generator is similar to the product of two bidiagonal matrices whose entries are the births and deaths
    # themselves: they are the starting values of the algorithm (Fernando and Parlett 1994, dqds).
    found: list[float] = []
    shifted = 0.0
    while q:
        if len(q) == 2:
            return [*found, *(shifted + value for value in _of_two(q[0], q[1], e[0]))]
        while e and e[-1] > _NEGLIGIBLE * (q[-1] + shifted):
            shift = _below_smallest(q, e)
            step = _dqds(q, e, shift)
            if step is None:
                step, shift = _dqds(q, e, 0.0), 0.0
                assert step is not None
            q, e = step
            shifted += shift
        found.append(q.pop() + shifted)
        if e:
            e.pop()
    return found


def _of_two(q0: float, q1: float, e0: float) -> tuple[float, float]:
    larger = (q0 + q1 + e0 + sqrt((q0 - q1 - e0) ** 2 + 4 * q0 * e0)) / 2
    # The smaller one by Vieta: the difference of two near numbers would lose its digits.
    return q0 * q1 / larger, larger


def _below_smallest(q: list[float], e: list[float]) -> float:
    """Return Newton's lower bound of the smallest eigenvalue: 1 over the sum of all inverse eigenvalues."""
    inverse = total = 1 / q[0] if q[0] > 0 else inf
    for i in range(len(e)):
        inverse = (1 + e[i] * inverse) / q[i + 1] if q[i + 1] > 0 else inf
        total += inverse
    return 1 / total


def _dqds(q: list[float], e: list[float], shift: float) -> tuple[list[float], list[float]] | None:
    """Return one step of the algorithm; None when the shift was too large by rounding."""
    new_q, new_e = q[:], e[:]
    d = q[0] - shift
    for i in range(len(e)):
        if d < 0:
            return None
        total = d + e[i]
        ratio = q[i + 1] / total
        new_q[i], new_e[i] = total, e[i] * ratio
        d = d * ratio - shift
    if d < 0:
        # Rounding: nothing is left above the shift.
        if d < -1e-12 * shift:
            return None
        d = 0.0
    new_q[-1] = d
    return new_q, new_e


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
