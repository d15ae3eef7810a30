"""What a budget says of money as texts that are kept, and how a currency that is named later is taken."""

from collections.abc import Iterable
from dataclasses import replace

from poolwright.domain.design import Design
from poolwright.domain.money import Money
from poolwright.domain.workload import Budget
from poolwright.texts import _
from poolwright.ui.parts.form import Remark
from poolwright.ui.parts.theme import Tone


def reckoned(budget: Budget, currency: str | None) -> Budget:
    def named(amount: Money | None) -> Money | None:
        if amount is None or currency is None or amount.currency is not None:
            return amount
        return replace(amount, currency=currency)

    return replace(budget, currency=currency, money=named(budget.money), price_per_disk=named(budget.price_per_disk))


def with_money_of(design: Design | None, budget: Budget) -> Design | None:
    return None if design is None else replace(design, budget=design.budget.with_money_of(budget))


def money_words(amount: Money) -> str:
    return str(amount) if amount.currency is not None else f"{amount} ({no_currency()})"


def no_currency() -> str:
    return _("currency not said")


def currency_remark(budget: Budget, prices: Iterable[Money | None]) -> Remark:
    """Return what stands beside the currency of a budget: a warning where an amount has another."""
    for amount in (budget.money, budget.price_per_disk, *prices):
        source = None if amount is None else amount.currency
        if source is not None and source != (budget.reckoned_in or source):
            text = _("Prices in {one}, sums in {other}: nothing is converted, so use one currency.")
            return Remark(text=text.format(one=source, other=budget.reckoned_in), tone=Tone.WARN)
    return Remark(text=_("Of sums and bare amounts. Nothing is converted."))
