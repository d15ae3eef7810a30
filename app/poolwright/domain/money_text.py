"""What people type for money: ``1.200,50``, ``€ 1200``, ``USD 50``.

A text that may mean two amounts is refused with both of them.
"""

import re
from decimal import Decimal

from poolwright.domain.currency import parse_currency
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money
from poolwright.domain.number import number_of, with_article
from poolwright.texts import marked, tell

MOST_DIGITS = 15
MOST_PLACES = 6
LONGEST_TEXT = 80
_SPACES = "\u00a0\u2009\u202f"
_APART = re.compile(r"((?:[^\W\d_]+\.|[^0-9.,'’+-])*)([0-9.,'’+ –-]*)((?:[^0-9.,'’]|(?<=[^\W\d_])\.)*)")
# Of an amount 1.200 is more likely twelve hundred than of a size: three digits behind one sign are always asked about.
_THOUSANDS = re.compile(r"([1-9][0-9]{0,2})[.,]([0-9]{3})")


def parse_money(
    text: str, *, currency: str | None = None, what: str = marked("amount of money"), positive: bool = False
) -> Money:
    """Return the amount that ``text`` names; ``currency`` is that of an amount typed without one (None: nobody said).

    A decimal point and a decimal comma are understood, thousands apart by point, comma, blank or apostrophe, and the
    currency before or behind, as code, sign or word. ``positive`` refuses zero. Raises UserError, with the likely
    meanings where there are two.
    """
    what = tell(what)
    told = _plain(text, what)
    match = _APART.fullmatch(told)
    if match is None:
        raise _no_amount(text, what)
    before, digits, behind = (part.strip() for part in match.groups())
    if not any(c.isdigit() for c in digits):
        raise _no_amount(text, what)
    if before and behind:
        raise UserError(tell("“{told}” names two currencies or holds other words", told=told), todo=_help(currency))
    if digits.startswith(("-", "+")) or before in {"-", "–", "−"}:
        raise UserError(
            tell("The {what} “{told}” has a sign", what=what, told=told),
            todo=tell("Write it without plus or minus: 0 or more."),
        )
    code = currency
    if word := before or behind:
        _refuse_thousand(word, digits, told)
        code = parse_currency(word, among=currency)
    amount = _number(digits, told, code, what)
    if positive and amount <= 0:
        raise UserError(tell("The {what} must be more than 0", what=what), where=told, todo=_help(currency))
    return Money(amount=amount, currency=code)


def money_typed(amount: Money) -> str:
    """Return an amount as a person would type it; `parse_money` reads the same from it: ``1200 EUR``, ``50.10``."""
    number = number_typed(amount)
    head, _, places = number.partition(".")
    short = head if places and not places.strip("0") else number
    return short if amount.currency is None else f"{short} {amount.currency}"


def number_typed(amount: Money) -> str:
    """Return the amount without its currency, such that `parse_money` reads the same number: ``1200.00``."""
    number = amount.plain()
    head, _, places = number.partition(".")
    # Three digits behind a point might be thousands.
    return f"{number}0" if len(places) == 3 and len(head) <= 3 and head.lstrip("0") else number


def _plain(text: str, what: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise UserError(
            tell("“{text}…” is too long for {what}", text=text[:20], what=with_article(what)), todo=_help(None)
        )
    for odd in _SPACES:
        text = text.replace(odd, " ")
    return " ".join(text.split())


def _number(digits: str, told: str, currency: str | None, what: str) -> Decimal:
    bare = re.sub(r"[.,][-–]{1,2}\Z", "", digits)  # 1200,- has no cents
    if (thousands := _THOUSANDS.fullmatch(bare)) is not None:
        raise _either(thousands[1], thousands[2], told, currency)
    try:
        number = number_of(f"0{bare}" if bare.startswith((".", ",")) else bare)
    except UserError:
        raise _no_amount(told, what) from None
    if number >= 10**MOST_DIGITS or number != round(number, MOST_PLACES):
        raise UserError(
            tell("“{told}” has too many digits for {what}", told=told, what=with_article(what)), todo=_help(None)
        )
    return number


def _either(whole: str, places: str, told: str, currency: str | None) -> UserError:
    unit = f" {currency}" if currency else ""
    return UserError(
        tell(
            "“{told}” may be {whole}{places}{unit} or {whole}.{places}{unit}",
            told=told,
            whole=whole,
            places=places,
            unit=unit,
        ),
        todo=tell("Write {whole}{places}, or {whole}.{places}0 with another digit.", whole=whole, places=places),
    )


def _refuse_thousand(word: str, digits: str, told: str) -> None:
    if word.lower() in {"k", "tsd", "tsd.", "t", "m"} and digits.isdigit():
        noughts = "000000" if word.lower() == "m" else "000"
        raise UserError(
            tell("“{told}” may be {digits}{noughts}", told=told, digits=digits, noughts=noughts),
            todo=tell("Write {digits}{noughts} if that is meant.", digits=digits, noughts=noughts),
        )


def _no_amount(text: str, what: str) -> UserError:
    return UserError(tell("“{text}” is not {what}", text=text.strip()[:40], what=with_article(what)), todo=_help(None))


def _help(currency: str | None) -> str:
    return tell(
        "Write a number such as 4500 or 289.90, with its currency: 4500 {currency}.", currency=currency or "EUR"
    )
