"""What is said of a purchase: what was wished, and what was not tried."""

from collections.abc import Sequence

from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.units import binary
from poolwright.domain.workload import Budget, Goal
from poolwright.texts import tell, tell_counted


def left_out_of_buying(
    budget: Budget, catalogue: Catalogue, most: Sequence[tuple[Product, int]], *, limit: int, unsold: int
) -> tuple[str, ...]:
    """Return in sentences which purchases were not tried.

    ``most`` are the models that were tried with the most disks of each, ``limit`` is how many are tried at most, and
    ``unsold`` counts the models that are no longer sold.
    """
    told = [tell("One model was bought at a time: purchases of two models together were not tried.")]
    unpriced = sum(1 for product in catalogue.products if product.price is None)
    if unpriced:
        told.append(
            tell_counted(
                "{count} model of the catalogue without a price.",
                "{count} models of the catalogue without a price.",
                unpriced,
            )
        )
    tried = {product.key for product, _ in most}
    other = [p for p in catalogue.products if p.price is not None and p.key not in tried]
    if other:
        told.append(
            tell_counted(
                "{count} model that money or bays do not admit, or that cost more for no more.",
                "{count} models that money or bays do not admit, or that cost more for no more.",
                len(other),
            )
        )
    if any(count == limit for _, count in most):
        told.append(
            tell("More than {limit} disks of one model.", limit=limit)
            if budget.bays is not None
            else tell(
                "More than {limit} disks of one model: say how many bays there are to have more tried.", limit=limit
            )
        )
    told += _days_words(sorted({product.priced_on for product, _ in most if product.priced_on}))
    if budget.money is None and budget.least_usable_bytes is not None:
        told.append(tell("Far more disks than the capacity asked for needs."))
    if unsold:
        told.append(
            tell_counted(
                "{count} model of the catalogue no longer sold.",
                "{count} models of the catalogue no longer sold.",
                unsold,
            )
        )
    return tuple(told)


def _days_words(days: Sequence[str]) -> list[str]:
    if not days:
        return []
    if len(days) == 1:
        return [tell("Prices that changed since they were entered ({day}).", day=days[0])]
    return [tell("Prices that changed since they were entered ({first} to {last}).", first=days[0], last=days[-1])]


def wishes_words(goal: Goal, budget: Budget) -> str:
    """Return goal and limits of a purchase in a line."""
    told = [tell("goal {goal}", goal=tell(goal.value))]
    if budget.money is not None:
        told.append(tell("money {money}", money=budget.money))
    if budget.bays is not None:
        told.append(tell_counted("{count} bay", "{count} bays", budget.bays))
    if budget.least_usable_bytes is not None:
        told.append(tell("at least {size}", size=binary(budget.least_usable_bytes)))
    return ", ".join(told)
