"""Money: an exact decimal amount that knows its currency, and the rates by which a person converts it.

Amounts are added, compared and divided exactly. Nothing is converted without an `ExchangeRate` that a person gave, and
nothing without a currency is taken as having one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, Inexact, localcontext
from fractions import Fraction

from poolwright.domain.currency import CURRENCIES, decimal_places
from poolwright.domain.errors import UserError
from poolwright.texts import marked, tell

# More digits than any sum of ours can have; a result that did not fit would be an error, not a rounded number.
_EXACT = Context(prec=120, traps=[Inexact])
TYPED = marked("typed by you")


class MixedCurrenciesError(UserError):
    """Amounts of several currencies where one is needed, and no rate between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An amount in a currency (ISO 4217 code). None: nobody ever said which; it goes together only with its like.

    Raises UserError for an amount that is no finite number and for an unknown currency.
    """

    amount: Decimal
    currency: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be an amount."""
        if not isinstance(self.amount, Decimal) or not self.amount.is_finite():
            raise UserError(tell("“{amount}” is not an amount of money", amount=self.amount))
        if self.currency is not None and self.currency not in CURRENCIES:
            raise UserError(
                tell("“{currency}” is no currency", currency=self.currency),
                todo=tell("Write its code, such as EUR, USD or GBP."),
            )

    def __str__(self) -> str:
        """Return the amount for people: ``1,234.50 EUR``; every digit that it has is shown."""
        return f"{self.number()} {self.currency}" if self.currency is not None else self.number()

    def number(self) -> str:
        """Return the amount without its currency: ``1,234.50``."""
        exponent = self.amount.normalize(_EXACT).as_tuple().exponent
        assert isinstance(exponent, int)
        return f"{self.amount:,.{max(decimal_places(self.currency), -exponent)}f}"

    def plain(self) -> str:
        """Return the amount as JSON and CSV have it, without separators of thousands: ``1234.50``."""
        return self.number().replace(",", "")

    def __add__(self, other: "Money") -> "Money":
        """Return the sum; raises MixedCurrenciesError."""
        return Money(amount=_EXACT.add(self.amount, self._alike(other)), currency=self.currency)

    def __sub__(self, other: "Money") -> "Money":
        """Return the difference; raises MixedCurrenciesError."""
        return Money(amount=_EXACT.subtract(self.amount, self._alike(other)), currency=self.currency)

    def __mul__(self, factor: int | Decimal) -> "Money":
        """Return this many times the amount, exactly."""
        return Money(amount=_EXACT.multiply(self.amount, Decimal(factor)), currency=self.currency)

    def __lt__(self, other: "Money") -> bool:
        """Tell whether it is less; raises MixedCurrenciesError."""
        return self.amount < self._alike(other)

    def __le__(self, other: "Money") -> bool:
        """Tell whether it is no more; raises MixedCurrenciesError."""
        return self.amount <= self._alike(other)

    def __gt__(self, other: "Money") -> bool:
        """Tell whether it is more; raises MixedCurrenciesError."""
        return self.amount > self._alike(other)

    def __ge__(self, other: "Money") -> bool:
        """Tell whether it is no less; raises MixedCurrenciesError."""
        return self.amount >= self._alike(other)

    def _alike(self, other: "Money") -> Decimal:
        if self.currency != other.currency:
            raise MixedCurrenciesError(_mixed((self.currency, other.currency)), todo=_ASK)
        return other.amount


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeRate:
    """What a person said one unit of ``base`` is worth: ``rate`` units of ``quote``, on the day ``on`` (ISO date).

    It is used in both directions. Raises UserError for a rate that is not above 0, and between a currency and itself.
    """

    base: str
    quote: str
    rate: Decimal
    on: str = ""
    origin: str = TYPED

    def __post_init__(self) -> None:
        """Refuse what cannot be a rate."""
        for code in (self.base, self.quote):
            if code not in CURRENCIES:
                raise UserError(
                    tell("“{code}” is no currency", code=code), todo=tell("Write its code, such as EUR, USD or GBP.")
                )
        if self.base == self.quote:
            raise UserError(
                tell("A rate from {base} to itself says nothing", base=self.base), todo=tell("Name two currencies.")
            )
        if not self.rate.is_finite() or self.rate <= 0:
            raise UserError(
                tell("A rate is more than 0"), where=str(self.rate), todo=tell("Write it as 1 USD = 0.92 EUR.")
            )

    def __str__(self) -> str:
        """Return the rate in words: ``1 USD = 0.92 EUR, typed by you on 2026-11-20``."""
        day = f" on {self.on}" if self.on else ""
        return f"{self.equation()}, {self.origin}{day}"

    def equation(self) -> str:
        """Return the rate as people type it: ``1 USD = 0.92 EUR``."""
        return f"1 {self.base} = {self.rate:f} {self.quote}"

    def joins(self, one: str | None, other: str | None) -> bool:
        return {one, other} == {self.base, self.quote}

    def factor(self, source: str) -> Fraction:
        """Return by what an amount in ``source``, one of the two currencies, is multiplied; exact."""
        rate = Fraction(self.rate)
        return rate if source == self.base else 1 / rate


Rates = Sequence[ExchangeRate]
_ASK = marked("Give a rate between them, or enter all amounts in one currency.")


def money(amount: str | int | Decimal, currency: str | None = None) -> Money:
    """Return money; ``amount`` is never a float."""
    return Money(amount=Decimal(amount), currency=currency)


def rate_between(one: str | None, other: str | None, rates: Rates) -> ExchangeRate | None:
    """Return the rate between two currencies, the one given last; None where there is none."""
    return next((rate for rate in reversed(rates) if rate.joins(one, other)), None)


def exact_in(amount: Money, currency: str | None, rates: Rates = ()) -> Fraction:
    """Return an amount in another currency without any rounding; raises MixedCurrenciesError without a rate."""
    if amount.currency == currency:
        return Fraction(amount.amount)
    rate = rate_between(amount.currency, currency, rates)
    if rate is None or amount.currency is None:
        raise MixedCurrenciesError(_mixed((amount.currency, currency)), todo=asked_rate(amount.currency, currency))
    return Fraction(amount.amount) * rate.factor(amount.currency)


def converted(amount: Money, currency: str | None, rates: Rates = ()) -> Money:
    """Return an amount in another currency, rounded to its cents where a rate was needed, exact otherwise."""
    if amount.currency == currency:
        return amount
    return rounded(exact_in(amount, currency, rates), currency)


def rounded(amount: Fraction, currency: str | None) -> Money:
    """Return an amount rounded half up to the smallest coin of its currency."""
    unit = Decimal(1).scaleb(-decimal_places(currency))
    with localcontext(Context(prec=120)):
        value = (Decimal(amount.numerator) / Decimal(amount.denominator)).quantize(unit, rounding=ROUND_HALF_UP)
    return Money(amount=value, currency=currency)


def total(amounts: Iterable[Money], currency: str | None = None, rates: Rates = ()) -> Money:
    """Return the sum of amounts, in ``currency`` where one is named.

    Without a named one the amounts must be of one currency, which is then the sum's. What has another currency is
    converted as a sum, not one by one, and rounded once. Raises MixedCurrenciesError where a rate is missing.
    """
    sums: dict[str | None, Money] = {}
    for amount in amounts:
        known = sums.get(amount.currency)
        sums[amount.currency] = amount if known is None else known + amount
    if currency is None:
        if len(sums) > 1:
            raise MixedCurrenciesError(_mixed(sums), todo=tell(_ASK))
        return next(iter(sums.values()), Money(amount=Decimal(0)))
    if all(code == currency for code in sums):
        return sums.get(currency, Money(amount=Decimal(0), currency=currency))
    return rounded(sum((exact_in(part, currency, rates) for part in sums.values()), Fraction(0)), currency)


def how_many(purse: Money, price: Money, rates: Rates = ()) -> int | None:
    """Return how many at ``price`` each the purse buys, exactly; None where they cost nothing. Raises UserError."""
    each = exact_in(price, purse.currency, rates)
    if each <= 0:
        return None
    return max(0, Fraction(purse.amount) // each)


def how_many_of(purse: Money, prices: Iterable[Money], rates: Rates = ()) -> int:
    """Return how many things of these prices the purse buys, the cheapest first. Raises MixedCurrenciesError."""
    left, bought = Fraction(purse.amount), 0
    for price in sorted(exact_in(price, purse.currency, rates) for price in prices):
        left -= price
        if left < 0:
            break
        bought += 1
    return bought


def rates_used(amounts: Iterable[Money], currency: str | None, rates: Rates) -> tuple[ExchangeRate, ...]:
    """Return the rates that a sum of these amounts in ``currency`` needs, to be shown beside it."""
    others = {amount.currency for amount in amounts} - {currency}
    found = (rate_between(other, currency, rates) for other in sorted(other or "" for other in others))
    return tuple(dict.fromkeys(rate for rate in found if rate is not None))


def asked_rate(source: str | None, target: str | None) -> str:
    """Return what a person has to say so that amounts of ``source`` and ``target`` go together."""
    if source is None or target is None:
        known = source or target or "EUR"
        return tell("Say in which currency the amount without one is, such as 100 {known}.", known=known)
    return tell(
        "Say what 1 {source} is worth in {target}, such as “1 {source} = 0.9 {target}”, or use one currency.",
        source=source,
        target=target,
    )


def _mixed(codes: Iterable[str | None]) -> str:
    told = sorted(dict.fromkeys(code or "" for code in codes))
    words = [code or tell("an amount without a currency") for code in reversed(told)]
    return tell(
        "Amounts of different currencies do not add up: {words} and {words2}",
        words=", ".join(words[:-1]),
        words2=words[-1],
    )
