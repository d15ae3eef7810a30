"""In which currency purchases from a catalogue are compared, and what one disk costs in it."""

from fractions import Fraction

from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.errors import UserError
from poolwright.domain.money import MixedCurrenciesError, asked_rate, exact_in, rate_between
from poolwright.domain.workload import Budget
from poolwright.texts import listed, tell


def reckoned_in(budget: Budget, catalogue: Catalogue) -> str | None:
    """Return the currency in which purchases are compared: the budget's, else the one that all prices have.

    Raises UserError, with the rate that is asked for, where prices have another currency without one.
    """
    prices = [product.price for product in catalogue.products if product.price is not None]
    found = sorted({price.currency or "" for price in prices})
    if budget.reckoned_in is None and budget.money is None:
        if len(found) > 1:
            told = listed([code or tell("no currency") for code in found])
            raise UserError(
                tell("The catalogue has prices in {told}, and nobody said in which to reckon", told=told),
                todo=tell("Choose the currency of the budget, and say what one of the other is worth in it."),
            )
        return (found[0] or None) if found else None
    wanted = budget.reckoned_in
    lacking = [code for code in found if (code or None) != wanted and rate_between(code, wanted, budget.rates) is None]
    if lacking:
        told = listed([code or tell("no currency") for code in lacking])
        raise MixedCurrenciesError(
            tell("The budget is in {wanted}, the catalogue has prices in {told}", wanted=wanted, told=told)
            if wanted is not None
            else tell("The budget is without a currency, the catalogue has prices in {told}", told=told),
            todo=asked_rate(lacking[0] or None, wanted),
        )
    if budget.money is not None:
        exact_in(budget.money, wanted, budget.rates)  # refuses money of a third currency
    return wanted


def price_in(product: Product, currency: str | None, budget: Budget) -> Fraction:
    """Return the price of one disk in ``currency``, exactly."""
    return Fraction(0) if product.price is None else exact_in(product.price, currency, budget.rates)
