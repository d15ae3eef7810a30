"""What threatens one vdev: the assumptions that the Markov chain solves and the simulation plays."""

from dataclasses import dataclass

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
        """Return how many of the members left are lost per hour when ``failed`` members are down."""
        if not failed:
            return self.disks * self.failures_per_hour
        taken = self.mistakes[failed - 1] * self.repairs_per_hour[failed - 1] if self.mistakes else 0.0
        return (self.disks - failed) * self.failures_per_hour * self.correlation + taken
