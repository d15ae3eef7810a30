"""Money: an exact decimal amount that knows its currency.

Amounts are added, compared and divided exactly. Nothing is converted, and nothing without a currency is taken as
having one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, Inexact, localcontext
from fractions import Fraction
from functools import total_ordering

from poolwright.domain.currency import CURRENCIES, decimal_places
from poolwright.domain.errors import UserError
from poolwright.texts import tell

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
            raise UserError(tell("“{amount}” is not an amount of money", amount=self.amount))
        if self.currency is not None and self.currency not in CURRENCIES:
            raise UserError(
                tell("“{currency}” is no currency", currency=self.currency),
                todo=tell("Write its code, such as EUR, USD or GBP."),
            )

    def __str__(self) -> str:
        return f"{self.number()} {self.currency}" if self.currency is not None else self.number()

    def number(self) -> str:
        exponent = self.amount.normalize(_EXACT).as_tuple().exponent
        assert isinstance(exponent, int)
        return f"{self.amount:,.{max(decimal_places(self.currency), -exponent)}f}"

    def plain(self) -> str:
        """Return the amount as JSON and CSV have it, without separators of thousands: ``1234.50``."""
        return self.number().replace(",", "")

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
            raise MixedCurrenciesError(
                _mixed((self.currency, currency)), todo=ask_one_currency(self.currency, currency)
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
    """Return what a person has to do so that amounts of both go together."""
    if one is None or other is None:
        known = one or other or "EUR"
        return tell("Say in which currency the amount without one is, such as 100 {known}.", known=known)
    return tell("Nothing is converted: use one currency.")


def _mixed(codes: Iterable[str | None]) -> str:
    told = sorted(dict.fromkeys(code or "" for code in codes))
    words = [code or tell("an amount without a currency") for code in reversed(told)]
    return tell(
        "Amounts of different currencies do not add up: {words} and {words2}",
        words=", ".join(words[:-1]),
        words2=words[-1],
    )
