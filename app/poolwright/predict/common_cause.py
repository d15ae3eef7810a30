"""What threatens one vdev beside disks that fail by themselves: common causes, and the wrong disk pulled.

A beta-factor model (IEC 61508-6, annex D) with bursts: a share of the failures is the first of several with one cause,
which takes each other disk of the vdev with some probability, not at once but spread over days (Schroeder and Gibson
2007 see bursts of weeks). A vdev is lost if as many follow as it tolerates before the first one is whole again, so a
short repair helps here too. Mistakes of people follow Kishani, Eftekhari and Asadi 2018: the disk that is pulled is not
always the failed one. A vdev without redundancy has nothing left to lose by either.
"""

from dataclasses import dataclass, replace
from math import comb, expm1, fsum

from poolwright.domain.vdev import VdevSpec
from poolwright.predict.causes import OtherCauses
from poolwright.predict.hazard import HOURS_PER_YEAR, VdevHazard
from poolwright.predict.repairs import Repairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Threat:
    """A vdev with what else happens to it: failures and mistakes as a chain, and bursts that lose it at once."""

    hazard: VdevHazard
    bursts_per_hour: float

    @property
    def bursts_per_year(self) -> float:
        """Return how often a year a burst of failures is expected to lose the vdev."""
        return self.bursts_per_hour * HOURS_PER_YEAR


def threat_to(spec: VdevSpec, hazard: VdevHazard, repairs: Repairs, causes: OtherCauses, case: int) -> Threat:
    """Return what threatens a vdev of ``spec`` for the low (0), typical (1) or high (2) case.

    ``hazard`` is the same case from disk failures alone.
    """
    if not hazard.tolerated:
        return Threat(hazard=hazard, bursts_per_hour=0.0)
    rate, others = hazard.failures_per_hour, spec.width - 1
    # Followers within the repair of the first, exponentially spread from its failure on.
    window = repairs.hours(1, rate, case) / causes.burst_hours.at(case)
    follows = causes.burst_reach.at(case) * -expm1(-window)
    first = spec.width * rate * causes.burst_share.at(case)
    mistake = causes.wrong_disk.at(case) * causes.past_mending.at(case)
    mistakes = []
    for failed in range(1, hazard.tolerated + 1):
        distributed, hot = repairs.taken(failed, rate)
        by_hand = distributed * hot
        mistakes.append(mistake * (by_hand + (1 - by_hand) * causes.with_spare.at(case)))
    wider = replace(hazard, correlation=max(hazard.correlation, causes.correlation.at(case)), mistakes=tuple(mistakes))
    return Threat(hazard=wider, bursts_per_hour=first * at_least(hazard.tolerated, others, follows))


def at_least(least: int, trials: int, chance: float) -> float:
    """Return the probability of at least ``least`` hits in ``trials`` with this ``chance`` each (binomial)."""
    if least > trials:
        return 0.0
    fewer = fsum([comb(trials, hits) * chance**hits * (1 - chance) ** (trials - hits) for hits in range(least)])
    return max(0.0, 1 - fewer)
