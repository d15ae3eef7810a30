"""What is said of offers beside their numbers: what each is, and which comes closest to what was wished."""

from collections import Counter
from collections.abc import Iterable

from poolwright.design.buying import Offer
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import describe
from poolwright.domain.workload import Budget


def offer_words(offer: Offer) -> str:
    """Return what an offer is: its disks by size, those at hand included, and the layout they make."""
    sizes = Counter(disk.size_bytes for disk in offer.request.disks)
    disks = ", ".join(f"{count} × {drive_size(size)}" for size, count in sorted(sizes.items(), key=lambda s: -s[1]))
    return f"{disks}, {describe(offer.candidate.layout)}"


def closest_to(budget: Budget, offers: Iterable[Offer]) -> Offer | None:
    """Return the offer closest to what was wished: to the space, or without such a wish to the money that may be spent.

    None where neither was said, or without offers. Of two that are as close the cheaper one.
    """
    if budget.least_usable_bytes is None and budget.money is None:
        return None
    return min(offers, key=lambda offer: (_distance(budget, offer), offer.cost.amount), default=None)


def _distance(budget: Budget, offer: Offer) -> float:
    wanted = budget.least_usable_bytes
    if wanted is not None:
        return abs(offer.usable_bytes - wanted)
    return 0.0 if budget.money is None else float(abs(offer.cost.amount - budget.money.amount))
