"""Predictions on several pools of one design taken together."""

from collections.abc import Sequence
from math import expm1, fsum, log1p

from poolwright.domain.estimate import Estimate
from poolwright.domain.origin import Origin, OriginKind


def any_of(estimates: Sequence[Estimate]) -> Estimate:
    """Return the probability that something happens to any of the pools, from that of each.

    Exact for pools of different disks, else at most that.
    """
    if len(estimates) == 1:
        return estimates[0]
    cases = zip(*((e.low, e.typical, e.high) for e in estimates), strict=True)
    low, typical, high = (-expm1(fsum(log1p(-chance) for chance in case)) for case in cases)
    source = f"any of {len(estimates)} pools, taken as independent; {estimates[0].origin.source}"
    origin = Origin(kind=OriginKind.PREDICTED, source=source)
    return Estimate(low=low, typical=typical, high=high, limit=estimates[0].limit, origin=origin)


def longest(estimates: Sequence[Estimate], *, shared: bool) -> Estimate:
    """Return the longest time; pools on the same disks (``shared``) are read one after the other."""
    if len(estimates) == 1:
        return estimates[0]
    if not shared:
        return max(estimates, key=lambda e: e.typical)
    first = estimates[0]
    origin = Origin(kind=first.origin.kind, source=f"pools on the same disks, one after the other; {first.origin}")
    return Estimate(
        low=sum(e.low for e in estimates),
        typical=sum(e.typical for e in estimates),
        high=sum(e.high for e in estimates),
        limit=first.limit,
        origin=origin,
    )
