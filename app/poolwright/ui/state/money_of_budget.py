"""What a budget says of money as texts that are kept, and how a currency that is named later is taken."""

from collections.abc import Iterable
from dataclasses import replace

from poolwright.domain.currency import parse_currency
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.money import ExchangeRate, Money, rate_between
from poolwright.domain.money_text import money_typed, parse_money, parse_rate_of_exchange
from poolwright.domain.workload import Budget
from poolwright.texts import tell
from poolwright.ui.parts.form import Remark
from poolwright.ui.parts.theme import Tone

BETWEEN_RATES = "; "


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
    """Return what stands for a currency that nobody named."""
    return tell("currency not said")


def rates_text(rates: tuple[ExchangeRate, ...]) -> str:
    """Return rates as they are typed: ``1 USD = 0.92 EUR; 1 GBP = 1.17 EUR``."""
    return BETWEEN_RATES.join(rate.equation() for rate in rates)


def parse_rates(
    text: str, known: tuple[ExchangeRate, ...], *, today: str, asked: tuple[str, str] | None = None
) -> tuple[ExchangeRate, ...]:
    """Return the rates that ``text`` names, apart by semicolons. One that is in ``known`` keeps its day.

    ``asked`` are the two currencies between which a rate is lacking: a bare number is then what one of the first is
    worth in the second. Raises UserError.
    """
    found = []
    for part in text.split(BETWEEN_RATES.strip()):
        if not part.strip():
            continue
        told = part
        if asked is not None and "=" not in part:
            bare = not any(c.isalpha() or c in "€$£" for c in part)
            told = f"1 {asked[0]} = {part.strip()}{f' {asked[1]}' if bare else ''}"
        rate = parse_rate_of_exchange(told, on=today)
        found.append(next((old for old in known if old.equation() == rate.equation()), rate))
    return tuple(found)


def lacking_rate(budget: Budget, amounts: Iterable[Money | None]) -> tuple[str, str] | None:
    """Return the currencies, that of an amount and that of sums, between which a rate is lacking; None for none."""
    wanted = budget.reckoned_in
    for amount in (budget.money, budget.price_per_disk, *amounts):
        source = None if amount is None else amount.currency
        if source is None or wanted is None or source == wanted:
            continue
        if rate_between(source, wanted, budget.rates) is None:
            return source, wanted
    return None


def rates_remark(budget: Budget, lacking: tuple[str, str] | None) -> Remark:
    """Return what stands beside the field of the rates: what is asked for, else the rates with their days."""
    if lacking is not None:
        text = tell("Prices in {one}, sums in {other}: type what 1 {one} is worth, such as 0.9 {other}.")
        return Remark(text=text.format(one=lacking[0], other=lacking[1]), tone=Tone.WARN)
    if budget.rates:
        return Remark(text=BETWEEN_RATES.join(str(rate) for rate in budget.rates))
    return Remark(text=tell("Only where prices have another currency, such as 1 USD = 0.92 EUR."))


def money_kept(budget: Budget) -> dict[str, str]:
    """Return what a budget says of money as texts by name; `money_read` reads them."""
    return {
        "currency": budget.currency or "",
        "money": "" if budget.money is None else money_typed(budget.money),
        "price": "" if budget.price_per_disk is None else money_typed(budget.price_per_disk),
        "price_on": budget.price_on,
        "rates": BETWEEN_RATES.join(f"{rate.equation()} on {rate.on}" for rate in budget.rates),
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
            rates=parse_rates(texts.get("rates", ""), (), today=""),
        )
    except PoolwrightError:  # a file edited by hand
        return budget
