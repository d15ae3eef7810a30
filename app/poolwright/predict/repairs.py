"""How a vdev gets a failed member back, and how long that takes."""

from dataclasses import dataclass
from functools import lru_cache
from math import exp, factorial, fsum

from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.steps import Estimate
from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.predict.rebuild import rebuild_hours
from poolwright.predict.risk_conditions import RiskConditions
from poolwright.texts import tell

# The number of disks that share hot spares is told by sixteens, beyond so many disks by this number itself: thousands
# of layouts then meet the same vdev again, and the risk errs by a ten-thousandth.
_MOST_IN_STEPS, _STEP = 64, 16


def shared_by(disks: int) -> int:
    """Return the number of disks that share the hot spares, rounded up: every place rounds alike."""
    step = _STEP if disks <= _MOST_IN_STEPS else _MOST_IN_STEPS
    return -(-disks // step) * step


@dataclass(frozen=True, slots=True, kw_only=True)
class Repairs:
    """How a vdev gets a failed member back.

    ``onto_disk`` and ``onto_spare`` are the hours of a rebuild onto a whole disk and onto a spare, None where there is
    nothing to rebuild from. ``distributed`` spares serve this vdev of ``width`` members, ``hot`` spares all
    ``served_disks`` of the pool. A spare is free again when the failed disk has been replaced.
    """

    onto_disk: Estimate | None
    onto_spare: Estimate | None
    spare_wait_hours: float
    wait_hours: float
    distributed: int
    width: int
    hot: int
    served_disks: int

    def taken(self, failed: int, rate: float) -> tuple[float, float]:
        """Return the probabilities that no distributed and no hot spare is free for the failure number ``failed``.

        ``rate`` is the failures of one disk per hour; the disks that wait for replacement are taken as Poisson.
        """
        distributed = _poisson_tail(self.width * rate * self.wait_hours, self.distributed - (failed - 1))
        before = max(0, failed - 1 - self.distributed)
        return distributed, _poisson_tail(self.served_disks * rate * self.wait_hours, self.hot - before)

    def hours(self, failed: int, rate: float, case: int) -> float:
        """Return the mean hours until one of ``failed`` members is whole again; ``case`` is low, typical or high."""
        assert self.onto_disk is not None
        assert self.onto_spare is not None
        distributed, hot = self.taken(failed, rate)
        disk, spare = _pick(self.onto_disk, case), _pick(self.onto_spare, case)
        onto_disk = (1 - hot) * (self.spare_wait_hours + disk) + hot * (self.wait_hours + disk)
        return (1 - distributed) * (self.spare_wait_hours + spare) + distributed * onto_disk


def _pick(estimate: Estimate, case: int) -> float:
    return (estimate.low, estimate.typical, estimate.high)[case]


def repairs_of(spec: VdevSpec, conditions: RiskConditions, spares: int, served: int) -> Repairs:
    """Return how a vdev is repaired whose pool has ``spares`` hot spares for ``served`` disks."""
    how = conditions.rebuild_of(spec)
    distributed = spec.draid_spares if spec.kind is VdevKind.DRAID else 0
    onto_disk = rebuild_hours(spec, how)
    onto_spare = rebuild_hours(spec, how, onto_spare=True) if distributed else onto_disk
    typed = conditions.rebuild_hours
    if typed is not None and onto_disk is not None:
        origin = Origin(kind=OriginKind.TYPED, source=tell("{typed:g} hours entered", typed=typed))
        onto_disk = onto_spare = Estimate(low=typed, typical=typed, high=typed, limit="entered", origin=origin)
    return Repairs(
        onto_disk=onto_disk,
        onto_spare=onto_spare,
        spare_wait_hours=conditions.spare_wait_hours,
        wait_hours=conditions.wait_hours,
        distributed=distributed,
        width=spec.width,
        hot=spares,
        served_disks=served,
    )


@lru_cache(maxsize=1 << 11)
def _poisson_tail(mean: float, least: int) -> float:
    """Return the probability that a Poisson variable is at least ``least``."""
    if least <= 0:
        return 1.0
    if mean <= 0:
        return 0.0
    return max(0.0, 1 - exp(-mean) * fsum([mean**k / factorial(k) for k in range(min(least, 150))]))
