"""Options for the currency that is reckoned in and the rates by which others are converted."""

import argparse
from dataclasses import replace
from datetime import datetime

from poolwright.domain.currency import parse_currency
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.money import ExchangeRate, Money
from poolwright.domain.money_text import parse_money, parse_rate_of_exchange
from poolwright.texts import tell


def add_currency_options(parser: argparse._ActionsContainer) -> None:
    """Add ``--currency`` and ``--rate``."""
    parser.add_argument(
        "--currency", metavar="CODE", help=tell("currency of amounts without one, and of sums: EUR, USD…")
    )
    parser.add_argument(
        "--rate",
        metavar="RATE",
        action="append",
        default=[],
        dest="exchange_rates",
        help=tell(
            "what a currency is worth in another: “1 USD = 0.92 EUR”, “… on 2026-11-20” (default today); repeatable"
        ),
    )


def currency_of(args: argparse.Namespace) -> str | None:
    """Return the currency that was named; raises UserError for what is none."""
    if args.currency is None:
        return None
    found = parse_currency(args.currency)
    if found is None:
        raise UserError(tell("--currency names none"), todo=tell("Write the code of a currency, such as EUR or USD."))
    return found


def rates_of(args: argparse.Namespace) -> tuple[ExchangeRate, ...]:
    """Return the rates that were given; one without a day is of today. Raises UserError."""
    return tuple(parse_rate_of_exchange(text, on=day_of_today()) for text in args.exchange_rates)


def with_currency(design: Design, args: argparse.Namespace) -> Design:
    """Return the design with its sums in the currency that was named, by its own rates and those given."""
    budget = design.budget
    currency = currency_of(args) or budget.currency
    return replace(design, budget=replace(budget, currency=currency, rates=(*budget.rates, *rates_of(args))))


def day_of_today() -> str:
    """Return the date of today where the user is, in ISO form."""
    return datetime.now().astimezone().date().isoformat()


def amount_of(text: str | None, currency: str | None, *, what: str, positive: bool = False) -> Money | None:
    """Return the amount of an option; None where it was not given. Raises UserError."""
    return None if text is None else parse_money(text, currency=currency, what=what, positive=positive)


def money_document(amount: Money | None) -> dict[str, str | None] | None:
    """Return an amount as a JSON object: its digits as text, which no reader rounds, and its currency."""
    return None if amount is None else {"amount": amount.plain(), "currency": amount.currency}


def rates_document(rates: tuple[ExchangeRate, ...]) -> list[dict[str, str]]:
    return [
        {"from": rate.base, "to": rate.quote, "rate": f"{rate.rate:f}", "on": rate.on, "origin": rate.origin}
        for rate in rates
    ]
