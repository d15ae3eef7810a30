"""Money: an exact decimal amount that knows its currency.

Amounts are added, compared and divided exactly. Nothing is converted, and nothing without a currency is taken as
having one."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, Inexact, localcontext
from fractions import Fraction
from functools import total_ordering

from poolwright.domain.errors import UserError
from poolwright.domain.units import not_understood, number_of, out_of_range, shortened, two_readings
from poolwright.shipped import shipped
from poolwright.texts import N_, _, either, marked, numeral

CURRENCY_HELP = N_("Write the code of a currency, such as EUR, USD or GBP, or its sign.")
# More digits than any sum of ours can have; a result that did not fit would be an error, not a rounded number.
_EXACT = Context(prec=120, traps=[Inexact])


class MixedCurrenciesError(UserError):
    """Amounts of several currencies where one is needed."""


@total_ordering
@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An amount in a currency (ISO 4217 code). None: nobody ever said which; it goes together only with its like.

    Raises UserError for an amount that is no finite number and for an unknown currency.
    """

    amount: Decimal
    currency: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.amount, Decimal) or not self.amount.is_finite():
            raise not_understood(str(self.amount), "")
        if self.currency is not None and self.currency not in shipped("currencies")["places"]:
            raise not_understood(self.currency, _(CURRENCY_HELP))

    def __str__(self) -> str:
        return f"{self.number()} {self.currency}" if self.currency is not None else self.number()

    def number(self) -> str:
        exponent = self.amount.normalize(_EXACT).as_tuple().exponent
        assert isinstance(exponent, int)
        return numeral(self.amount, f",.{max(decimal_places(self.currency), -exponent)}f")

    def plain(self) -> str:
        """Return the amount as JSON and CSV have it, without separators of thousands: ``1234.50``."""
        return marked(self.number()).replace(",", "")

    def __add__(self, other: "Money") -> "Money":
        return Money(amount=_EXACT.add(self.amount, other.in_currency(self.currency)), currency=self.currency)

    def __sub__(self, other: "Money") -> "Money":
        return Money(amount=_EXACT.subtract(self.amount, other.in_currency(self.currency)), currency=self.currency)

    def __mul__(self, factor: int | Decimal) -> "Money":
        return Money(amount=_EXACT.multiply(self.amount, Decimal(factor)), currency=self.currency)

    def __lt__(self, other: "Money") -> bool:
        return self.amount < other.in_currency(self.currency)

    def in_currency(self, currency: str | None) -> Decimal:
        """Return the amount where this is its currency; raises MixedCurrenciesError."""
        if self.currency != currency:
            nameless, codes = _("an amount without a currency"), (self.currency or "", currency or "")
            one, other = (code or nameless for code in sorted(codes, reverse=True))
            raise MixedCurrenciesError(
                _("Amounts of different currencies do not add up: {words} and {words2}", words=one, words2=other),
                todo=ask_one_currency(self.currency, currency),
            )
        return self.amount


def money(amount: str | int | Decimal, currency: str | None = None) -> Money:
    """Return money; ``amount`` is never a float."""
    return Money(amount=Decimal(amount), currency=currency)


def rounded(amount: Fraction, currency: str | None) -> Money:
    """Return an amount rounded half up to the smallest coin of its currency."""
    unit = Decimal(1).scaleb(-decimal_places(currency))
    with localcontext(Context(prec=120)):
        value = (Decimal(amount.numerator) / Decimal(amount.denominator)).quantize(unit, rounding=ROUND_HALF_UP)
    return Money(amount=value, currency=currency)


def total(amounts: Iterable[Money], currency: str | None = None) -> Money:
    """Return the sum of amounts of one currency, ``currency`` where one is named. Raises MixedCurrenciesError."""
    found = list(amounts)
    start = Money(amount=Decimal(0), currency=currency or (found[0].currency if found else None))
    return sum(found, start)


def how_many(purse: Money, price: Money) -> int | None:
    """Return how many at ``price`` each the purse buys, exactly; None where they cost nothing. Raises UserError."""
    if price.in_currency(purse.currency) <= 0:
        return None
    return max(0, Fraction(purse.amount) // Fraction(price.amount))


def how_many_of(purse: Money, prices: Iterable[Money]) -> int:
    """Return how many things of these prices the purse buys, the cheapest first. Raises MixedCurrenciesError."""
    left, bought = Fraction(purse.amount), 0
    for price in sorted(Fraction(price.in_currency(purse.currency)) for price in prices):
        left -= price
        if left < 0:
            break
        bought += 1
    return bought


def ask_one_currency(one: str | None, other: str | None) -> str:
    if one is None or other is None:
        known = one or other or "EUR"
        return _("Say in which currency the amount without one is, such as 100 {known}.", known=known)
    return _("Nothing is converted: use one currency.")


# Currencies by their ISO 4217 codes, and the signs and words that people write for them.


def parse_currency(text: str, *, among: str | None = None) -> str | None:
    """Return the ISO 4217 code that ``text`` names (``EUR``, ``eur``, ``€``); None for an empty text.

    ``among`` is the currency that is reckoned in: it decides what a sign means that several share. Raises UserError
    for what is no currency, and for a sign that may mean several.
    """
    word = text.strip()
    if not word:
        return None
    code = word.upper()
    known = shipped("currencies")
    if code in known["places"]:
        return code
    sign = word.lower()
    likely = known["equally_likely"].get(sign.removesuffix("."), "").split()
    if likely:
        if among in likely:
            return among
        raise UserError(_("“{word}” may mean {likely}", word=word, likely=either(likely)), todo=_(CURRENCY_HELP))
    meant = known["signs"].get(sign, "").split()
    if not meant:
        raise not_understood(word, _(CURRENCY_HELP))
    return among if among in meant else meant[0]


def decimal_places(currency: str | None) -> int:
    """Return how many digits an amount has behind the decimal point: 2 for most, none for JPY, 3 for KWD."""
    places: dict[str | None, int] = shipped("currencies")["places"]
    return places.get(currency, 2)


# What people type for money: ``1.200,50``, ``€ 1200``, ``USD 50``.

MOST_DIGITS = 15
MOST_PLACES = 6
LONGEST_TEXT = 80
_SPACES = "\u00a0\u2009\u202f"
_APART = re.compile(r"((?:[^\W\d_]+\.|[^0-9.,'’+-])*)([0-9.,'’+ –-]*)((?:[^0-9.,'’]|(?<=[^\W\d_])\.)*)")
# Three digits behind one sign are thousands, as nobody writes tenths of a cent; asked about where a coin is that small.
_THOUSANDS = re.compile(r"([1-9][0-9]{0,2})[.,]([0-9]{3})")


def parse_money(text: str, *, currency: str | None = None, positive: bool = False) -> Money:
    """Return the amount that ``text`` names; ``currency`` is that of an amount typed without one (None: nobody said).

    A decimal point and a decimal comma are understood, thousands apart by point, comma, blank or apostrophe, and the
    currency before or behind, as code, sign or word. ``positive`` refuses zero. Raises UserError, with the likely
    meanings where there are two.
    """
    plain = _plain(text)
    match = _APART.fullmatch(plain)
    if match is None:
        raise not_understood(text, _help(None))
    before, digits, behind = (part.strip() for part in match.groups())
    if not any(c.isdigit() for c in digits):
        raise not_understood(text, _help(None))
    if before and behind:
        raise not_understood(plain, _help(currency))
    if digits.startswith(("-", "+")) or before in {"-", "–", "−"}:
        raise out_of_range(plain, 0)
    code = currency
    if word := before or behind:
        _refuse_thousand(word, digits, plain)
        code = parse_currency(word, among=currency)
    amount = _number(digits, plain, code)
    if positive and amount <= 0:
        raise out_of_range(plain)
    return Money(amount=amount, currency=code)


def money_typed(amount: Money) -> str:
    """Return an amount as a person would type it; `parse_money` reads the same from it: ``1200 EUR``, ``50.10``."""
    number = number_typed(amount)
    head, __, places = marked(number).partition(".")
    short = head if places and not places.strip("0") else number
    return short if amount.currency is None else f"{short} {amount.currency}"


def number_typed(amount: Money) -> str:
    """Return the amount without its currency, such that `parse_money` reads the same number: ``1200.00``."""
    number = amount.plain()
    head, __, places = number.partition(".")
    # Three digits behind a point might be thousands.
    return marked(f"{number}0" if len(places) == 3 and len(head) <= 3 and head.lstrip("0") else number)


def _plain(text: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise not_understood(text, _help(None))
    for odd in _SPACES:
        text = text.replace(odd, " ")
    return " ".join(text.split())


def _number(digits: str, text: str, currency: str | None) -> Decimal:
    bare = re.sub(r"[.,][-–]{1,2}\Z", "", digits)  # 1200,- has no cents
    if (thousands := _THOUSANDS.fullmatch(bare)) is not None:
        if decimal_places(currency) > 2:
            raise _either(thousands[1], thousands[2], text, currency)
        bare = "".join(thousands.groups())
    try:
        number = number_of(f"0{bare}" if bare.startswith((".", ",")) else bare)
    except UserError:
        raise not_understood(text, _help(None)) from None
    if number >= 10**MOST_DIGITS or number != round(number, MOST_PLACES):
        raise UserError(_("{text} has too many digits", text=shortened(text)), todo=_help(None))
    return number


def _either(whole: str, places: str, text: str, currency: str | None) -> UserError:
    unit = f" {currency}" if currency else ""
    return UserError(
        two_readings(text, whole, f"{places}{unit}").what,
        todo=_("Write {whole}{places}, or {whole}.{places}0 with another digit.", whole=whole, places=places),
    )


def _refuse_thousand(word: str, digits: str, text: str) -> None:
    if word.lower() in {"k", "tsd", "tsd.", "t", "m"} and digits.isdigit():
        noughts = "000000" if word.lower() == "m" else "000"
        raise not_understood(text, _("Write {digits}{noughts} if that is meant.", digits=digits, noughts=noughts))


def _help(currency: str | None) -> str:
    return _("Write a number such as 4500 or 289.90, with its currency: 4500 {currency}.", currency=currency or "EUR")


def money_words(amount: Money) -> str:
    return str(amount) if amount.currency is not None else f"{amount} ({no_currency()})"


def no_currency() -> str:
    return _("currency not said")
