"""What each wish of a budget costs: the best layout with it beside the best without it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.request import Request
from poolwright.design.wishes import PREDICTED
from poolwright.domain.errors import PoolwrightError

WISHES = ("least_usable_bytes", "survive", "spares", "money", "bays")
_SAME_SHARE = 0.001  # of the space: what two layouts may differ by and hold the same for people


@dataclass(frozen=True, slots=True, kw_only=True)
class WishCost:
    """What the best layout has by a wish and would not have without it.

    ``usable_bytes`` is the difference, 0 where nobody would see it, ``loss`` how many times as often the pool is lost;
    both are None where no layout keeps to all wishes. ``fit`` is how many layouts there are without this one.
    """

    wish: str
    usable_bytes: int | None = None
    loss: float | None = None
    fit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WishesWeighed:
    """How many layouts ``fit`` of ``every`` one without any limit (None: not yet known), and what each wish costs.

    ``largest_bytes`` and ``safest`` (probability a year) are of those that fit; ``refused`` says why none does.
    """

    fit: int
    every: int | None = None
    largest_bytes: int | None = None
    safest: float | None = None
    refused: str = ""
    costs: tuple[WishCost, ...] = ()


def weigh_wishes(
    request: Request, rank: Callable[[Request], Recommendation], look: Callable[[WishesWeighed], None]
) -> WishesWeighed:
    """Return what the wishes of a request cost; ``look`` is given what is known so far.

    ``rank`` is asked once a wish, and takes about a second each time.
    """
    budget, best = request.budget, None
    try:
        found = rank(request)
    except PoolwrightError as error:
        known = WishesWeighed(fit=0, refused=error.text)
    else:
        best = found.best
        rows = [one for one in found.candidates if not one.below] or found.candidates
        known = WishesWeighed(
            fit=found.feasible,
            largest_bytes=max(one.usable_bytes for one in rows),
            safest=min(one.yearly_loss for one in rows),
        )
    look(known)
    for wish in WISHES:
        if getattr(budget, wish) is not None:
            known = replace(known, costs=(*known.costs, _cost(wish, best, _without(request, (wish,), rank))))
            look(known)
    every = _without(request, (*WISHES, *PREDICTED), rank)
    return replace(known, every=every.feasible if every is not None else None)


def _without(
    request: Request, wishes: Sequence[str], rank: Callable[[Request], Recommendation]
) -> Recommendation | None:
    free: dict[str, Any] = dict.fromkeys(wishes)
    try:
        return rank(replace(request, budget=replace(request.budget, **free)))
    except PoolwrightError:
        return None


def _cost(wish: str, best: Candidate | None, without: Recommendation | None) -> WishCost:
    if best is None or without is None:
        return WishCost(wish=wish, fit=without.feasible if without is not None else 0)
    free = without.best
    difference = best.usable_bytes - free.usable_bytes
    return WishCost(
        wish=wish,
        usable_bytes=difference if abs(difference) > _SAME_SHARE * free.usable_bytes else 0,
        loss=best.yearly_loss / free.yearly_loss if free.yearly_loss else 1.0,
        fit=without.feasible,
    )
