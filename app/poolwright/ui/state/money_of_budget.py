"""What a budget says of money as texts that are kept, and how a currency that is named later is taken."""

from collections.abc import Iterable
from dataclasses import replace

from poolwright.domain.currency import parse_currency
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.money import Money
from poolwright.domain.money_text import money_typed, parse_money
from poolwright.domain.workload import Budget
from poolwright.texts import tell
from poolwright.ui.parts.form import Remark
from poolwright.ui.parts.theme import Tone


def reckoned(budget: Budget, currency: str | None) -> Budget:
    """Return the budget with sums in ``currency``; amounts that had no currency get it, others keep theirs."""

    def named(amount: Money | None) -> Money | None:
        if amount is None or currency is None or amount.currency is not None:
            return amount
        return replace(amount, currency=currency)

    return replace(budget, currency=currency, money=named(budget.money), price_per_disk=named(budget.price_per_disk))


def with_money_of(design: Design | None, budget: Budget) -> Design | None:
    """Return the design with what ``budget`` says of money."""
    return None if design is None else replace(design, budget=design.budget.with_money_of(budget))


def money_words(amount: Money) -> str:
    """Return an amount with its currency; says so where nobody named it."""
    return str(amount) if amount.currency is not None else f"{amount} ({no_currency()})"


def no_currency() -> str:
    return tell("currency not said")


def currency_remark(budget: Budget, prices: Iterable[Money | None]) -> Remark:
    """Return what stands beside the currency of a budget: a warning where an amount has another."""
    for amount in (budget.money, budget.price_per_disk, *prices):
        source = None if amount is None else amount.currency
        if source is not None and source != (budget.reckoned_in or source):
            text = tell("Prices in {one}, sums in {other}: nothing is converted, so use one currency.")
            return Remark(text=text.format(one=source, other=budget.reckoned_in), tone=Tone.WARN)
    return Remark(text=tell("Of sums and bare amounts. Nothing is converted."))


def money_kept(budget: Budget) -> dict[str, str]:
    """Return what a budget says of money as texts by name; `money_read` reads them."""
    return {
        "currency": budget.currency or "",
        "money": "" if budget.money is None else money_typed(budget.money),
        "price": "" if budget.price_per_disk is None else money_typed(budget.price_per_disk),
        "price_on": budget.price_on,
    }


def money_read(budget: Budget, texts: dict[str, str]) -> Budget:
    """Return ``budget`` with the money that `money_kept` wrote; what cannot be read any more is left out."""
    try:
        price = texts.get("price", "")
        return replace(
            budget,
            currency=parse_currency(texts.get("currency", "")),
            money=parse_money(texts["money"]) if texts.get("money") else None,
            price_per_disk=parse_money(price) if price else None,
            price_on=texts.get("price_on", ""),
        )
    except PoolwrightError:  # a file edited by hand
        return budget
