"""A layout as the predictions see it: equal data vdevs counted together, support vdevs named."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import expm1, log1p
from typing import TYPE_CHECKING

from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.estimate import Estimate, Origin
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.texts import _

if TYPE_CHECKING:
    from poolwright.predict.drives import FailureRate


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevGroup:
    """``count`` equal top-level data vdevs.

    ``stripe_data`` and ``stripe_width`` are the data and all columns of one full stripe (of a redundancy group for
    dRAID); ``data_share`` is how many disks' worth of data the vdev takes at once.
    """

    kind: VdevKind
    parity: int
    members: int
    count: int
    stripe_data: int
    stripe_width: int
    data_share: float


Groups = tuple[VdevGroup, ...]


def groups_of(layout: Layout) -> Groups:
    """Return the data vdevs in groups; raises UserError for none, Refusal for one without room for data."""
    counted: Counter[tuple[VdevKind, int, int, int, int]] = Counter()
    for spec in layout:
        if spec.vdev_class is VdevClass.DATA:
            times = spec.width if spec.kind is VdevKind.STRIPE else 1
            members = 1 if spec.kind is VdevKind.STRIPE else spec.width
            data = spec.group_data if spec.kind is VdevKind.DRAID else 0
            counted[spec.kind, spec.parity, members, data, spec.draid_spares] += times
    if not counted:
        raise UserError(_("A pool needs a data vdev"))
    return tuple(group_of(*key, count) for key, count in counted.items())


@lru_cache(maxsize=1 << 11)
def group_of(kind: VdevKind, parity: int, members: int, group_data: int, spares: int, count: int) -> VdevGroup:
    if kind is VdevKind.DRAID:
        data, width = group_data, group_data + parity
        share = (members - spares) * data / width if data > 0 and members >= width + spares else 0.0
    elif kind is VdevKind.RAIDZ:
        data, width, share = members - parity, members, float(members - parity)
    else:
        data, width, share = 1, 1, 1.0
    if data < 1 or share <= 0:
        raise Refusal(
            _("{kind}{parity} of {members} disks has no room for data", kind=kind.value, parity=parity, members=members)
        )
    return VdevGroup(
        kind=kind, parity=parity, members=members, count=count, stripe_data=data, stripe_width=width, data_share=share
    )


def members_of(groups: Groups) -> int:
    return sum([g.members * g.count for g in groups])


def data_disks_of(groups: Groups) -> float:
    return sum([g.data_share * g.count for g in groups])


def vdevs_of(groups: Groups) -> int:
    return sum([g.count for g in groups])


def log_vdevs(layout: Layout) -> tuple[VdevSpec, ...]:
    return tuple([spec for spec in layout if spec.vdev_class is VdevClass.LOG])


def band_of(value: "Estimate | FailureRate") -> tuple[float, float, float]:
    return value.low, value.typical, value.high


def sums_of(bands: Iterable[Iterable[float]]) -> list[float]:
    total = [0.0, 0.0, 0.0]
    for band in bands:
        total = [a + b for a, b in zip(total, band, strict=True)]
    return total


def banded(values: Sequence[float], limit: str, origin: Origin) -> Estimate:
    low, typical, high = values
    return Estimate(low=low, typical=typical, high=high, limit=limit, origin=origin)


def times(estimate: Estimate, factor: float) -> Estimate:
    low, typical, high = (value * factor for value in band_of(estimate))
    return replace(estimate, low=low, typical=typical, high=high)


def added(estimates: Sequence[Estimate]) -> Estimate:
    low, typical, high = sums_of(map(band_of, estimates))
    return replace(estimates[0], low=low, typical=typical, high=high)


# Predictions on several pools of one design taken together.


def any_loss(losses: Sequence[float], floor: float = 0.0) -> float:
    """Return the probability that any of the pools is lost, from that of each.

    Each has ``floor`` in it, which threatens all of them at once and counts once; the rest is taken as independent.
    """
    if max(losses) >= 1:
        return 1.0
    # In logarithms, as probabilities of 1e-12 vanish beside 1.
    spared = log1p(-floor)
    return -expm1(sum([log1p(-loss) - spared for loss in losses]) + spared)


def longest(estimates: Sequence[Estimate], *, shared: bool) -> Estimate:
    if len(estimates) == 1:
        return estimates[0]
    if not shared:
        return max(estimates, key=lambda e: e.typical)
    first = estimates[0]
    origin = Origin(
        kind=first.origin.kind, source=_("pools on the same disks, one after the other; {origin}", origin=first.origin)
    )
    return banded(sums_of(map(band_of, estimates)), first.limit, origin)
