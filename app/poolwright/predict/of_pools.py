"""Predictions on several pools of one design taken together."""

from collections.abc import Sequence
from math import expm1, log1p

from poolwright.domain.estimate import Estimate
from poolwright.domain.origin import Origin
from poolwright.texts import tell


def any_loss(losses: Sequence[float], floor: float = 0.0) -> float:
    """Return the probability that any of the pools is lost, from that of each.

    Each has ``floor`` in it, which threatens all of them at once and counts once; the rest is taken as independent.
    """
    if max(losses) >= 1:
        return 1.0
    spared = log1p(-floor)
    return -expm1(sum([log1p(-loss) - spared for loss in losses]) + spared)


def longest(estimates: Sequence[Estimate], *, shared: bool) -> Estimate:
    """Return the longest time; pools on the same disks (``shared``) are read one after the other."""
    if len(estimates) == 1:
        return estimates[0]
    if not shared:
        return max(estimates, key=lambda e: e.typical)
    first = estimates[0]
    origin = Origin(
        kind=first.origin.kind,
        source=tell("pools on the same disks, one after the other; {origin}", origin=first.origin),
    )
    return Estimate(
        low=sum(e.low for e in estimates),
        typical=sum(e.typical for e in estimates),
        high=sum(e.high for e in estimates),
        limit=first.limit,
        origin=origin,
    )
