"""Numbers on the command line: each option says what it takes, and refuses the rest in words that help."""

import argparse
import math
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from poolwright.domain.currency import parse_currency
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money
from poolwright.domain.money_text import parse_money
from poolwright.texts import tell

_MOST_SHOWN = 40
# A comma with three digits behind it may be a separator of thousands, so that it is not taken as a decimal sign.
_COMMA = re.compile(r"^([0-9]+),([0-9]{1,2})$")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}\Z")


def whole_number(option: str, *, least: int = 0, most: int = 1_000_000) -> Callable[[str], int]:
    """Return what reads a whole number from ``least`` to ``most`` for ``option``; raises UserError."""

    def read(text: str) -> int:
        number = int(text) if _WHOLE.match(text.strip()) else None
        if number is None or not least <= number <= most:
            raise UserError(
                tell("“{text}” does not fit {option}", text=shown(text), option=option),
                todo=tell("Write a whole number from {least} to {most:,}.", least=least, most=most),
            )
        return number

    return read


def real_number(
    option: str, *, least: float = 0.0, most: float = 1e12, above: bool = False, unit: str = ""
) -> Callable[[str], float]:
    """Return what reads a number from ``least`` to ``most`` for ``option``; ``above``: greater than ``least``.

    A unit may stand behind the number; NaN and infinity are refused. Raises UserError.
    """

    def read(text: str) -> float:
        try:
            found = float(_COMMA.sub(r"\1.\2", text.strip().removesuffix(unit or " ").strip()))
        except ValueError:
            found = math.nan
        if not (math.isfinite(found) and least <= found <= most and not (above and found == least)):
            todo = (
                tell("Write a number above {least:g}, {most:,.15g} at most", least=least, most=most)
                if above
                else tell("Write a number from {least:g} to {most:,.15g}", least=least, most=most)
            )

            raise UserError(
                tell("“{text}” does not fit {option}", text=shown(text), option=option),
                todo=tell("{todo}, in {unit}.", todo=todo, unit=unit) if unit else f"{todo}.",
            )
        return found

    return read


def shown(text: str) -> str:
    """Return a text that was typed so that it fits into a message."""
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…"


def add_currency_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--currency``."""
    parser.add_argument(
        "--currency", metavar="CODE", help=tell("currency of amounts without one, and of sums: EUR, USD…")
    )


def currency_of(args: argparse.Namespace) -> str | None:
    """Return the currency that was named; raises UserError for what is none."""
    if args.currency is None:
        return None
    found = parse_currency(args.currency)
    if found is None:
        raise UserError(tell("--currency names none"), todo=tell("Write the code of a currency, such as EUR or USD."))
    return found


def with_currency(design: Design, args: argparse.Namespace) -> Design:
    """Return the design with its sums in the currency that was named."""
    return replace(design, budget=replace(design.budget, currency=currency_of(args) or design.budget.currency))


def day_of_today() -> str:
    """Return the date of today where the user is, in ISO form."""
    return datetime.now().astimezone().date().isoformat()


def amount_of(text: str | None, currency: str | None, *, what: str, positive: bool = False) -> Money | None:
    """Return the amount of an option; None where it was not given. Raises UserError."""
    return None if text is None else parse_money(text, currency=currency, what=what, positive=positive)


def money_document(amount: Money | None) -> dict[str, str | None] | None:
    """Return an amount as a JSON object: its digits as text, which no reader rounds, and its currency."""
    return None if amount is None else {"amount": amount.plain(), "currency": amount.currency}
