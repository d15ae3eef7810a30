"""In which currency purchases from a catalogue are compared."""

from poolwright.domain.catalogue import Catalogue
from poolwright.domain.errors import UserError
from poolwright.domain.money import MixedCurrenciesError, ask_one_currency
from poolwright.domain.workload import Budget
from poolwright.texts import listed, tell


def reckoned_in(budget: Budget, catalogue: Catalogue) -> str | None:
    """Return the currency in which purchases are compared: the budget's, else the one that all prices have.

    Raises UserError where prices have another.
    """
    prices = [product.price for product in catalogue.products if product.price is not None]
    found = sorted({price.currency or "" for price in prices})
    if budget.reckoned_in is None and budget.money is None:
        if len(found) > 1:
            told = listed([code or tell("no currency") for code in found])
            raise UserError(
                tell("The catalogue has prices in {told}, and nobody said in which to reckon", told=told),
                todo=tell("Choose the currency of the budget, and a catalogue with prices in it alone."),
            )
        return (found[0] or None) if found else None
    wanted = budget.reckoned_in
    lacking = [code for code in found if (code or None) != wanted]
    if lacking:
        told = listed([code or tell("no currency") for code in lacking])
        raise MixedCurrenciesError(
            tell("The budget is in {wanted}, the catalogue has prices in {told}", wanted=wanted, told=told)
            if wanted is not None
            else tell("The budget is without a currency, the catalogue has prices in {told}", told=told),
            todo=ask_one_currency(lacking[0] or None, wanted),
        )
    if budget.money is not None:
        budget.money.in_currency(wanted)  # refuses money of a third
    return wanted
