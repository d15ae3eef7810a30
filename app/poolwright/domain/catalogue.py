"""Disks one can buy, with what is known of each and when it was known."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.money import MixedCurrenciesError, Money, ask_one_currency, rounded
from poolwright.domain.workload import Budget
from poolwright.texts import _, listed

# The facts that a planned disk copies from its product.
_FACTS = (
    "size_bytes", "logical_sector_bytes", "physical_sector_bytes", "media", "rotation_rpm", "smr", "transport",
    "power_loss_protection", "price", "watts", "afr_percent",
)  # fmt: skip
_SECTORS = {"logical_sector_bytes": 512, "physical_sector_bytes": 4096}
_FRESH_MONTHS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A disk of the catalogue.

    ``price`` is for one disk, seen on ``priced_on`` (ISO date); ``afr_percent`` is failures a year, ``watts`` the power
    under load; ``source`` says where price and facts come from. ``key`` is unique in a catalogue. ``sold`` tells
    whether the maker still sells it (None: nobody said).
    """

    key: str
    vendor: str = ""
    model: str
    media: Media
    size_bytes: int
    logical_sector_bytes: int | None = None
    physical_sector_bytes: int | None = None
    rotation_rpm: int | None = None
    smr: bool | None = None
    transport: str | None = None
    power_loss_protection: bool | None = None
    price: Money | None = None
    priced_on: str = ""
    afr_percent: float | None = None
    watts: float | None = None
    source: str = ""
    sold: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    products: tuple[Product, ...] = ()

    def product(self, key: str) -> Product | None:
        return next((product for product in self.products if product.key == key), None)


def planned_disks(product: Product, count: int, *, first: int = 1) -> tuple[Disk, ...]:
    """Return ``count`` disks of ``product`` that are yet to be bought; keys are numbered from ``first``."""
    when = product.priced_on or None
    origin = Origin(kind=OriginKind.TYPED, source=f"catalogue: {product.source or product.model}", when=when)
    facts: dict[str, Any] = {name: getattr(product, name) for name in _FACTS}
    origins = {name: origin for name, value in facts.items() if value is not None}
    for name, usual in _SECTORS.items():  # as of typed disks
        if facts[name] is None:
            facts[name], origins[name] = usual, Origin(kind=OriginKind.ASSUMED, source="512e")
    return tuple(
        Disk(
            key=f"buy-{product.key}-{number:02d}",
            vendor=product.vendor or None,
            model=product.model,
            planned=True,
            origins=tuple(origins.items()),
            **facts,
        )
        for number in range(first, first + count)
    )


def stale_prices(products: Iterable[Product | None], today: date) -> str:
    """Return how old the newest of these prices is; empty where it is fresh, or of no day."""
    when = max((product.priced_on for product in products if product and product.price is not None), default="")
    year, month = (int(part) for part in when.split("-")[:2]) if when else (today.year, today.month)
    months = 12 * (today.year - year) + today.month - month
    return _("Prices of {when} are {count} months old.", when=when, count=months) if months > _FRESH_MONTHS else ""


def converted(catalogue: Catalogue, rate: Decimal, currency: str) -> Catalogue:
    """Return the catalogue with its prices in ``currency``, at a ``rate`` that somebody gave; sources say so."""

    def one(product: Product) -> Product:
        price = product.price
        if price is None:
            return product
        source = f"{product.source} ({price} × {rate})".strip()
        return replace(product, price=rounded(Fraction(price.amount) * Fraction(rate), currency), source=source)

    return Catalogue(products=tuple(map(one, catalogue.products)))


def purchase_currency(budget: Budget, catalogue: Catalogue) -> str | None:
    """Return the currency in which purchases are compared: the budget's, else the one that all prices have.

    Raises UserError where prices are in several, or not in the budget's.
    """
    wanted = budget.reckoned_in
    found = sorted({product.price.currency or "" for product in catalogue.products if product.price is not None})
    if wanted is None and budget.money is None:
        if len(found) > 1:
            raise UserError(
                _("The catalogue has prices in {told}, and no currency is chosen", told=_codes(found)),
                todo=_("Choose the currency of the budget, and a catalogue with prices in it alone."),
            )
        return (found[0] or None) if found else None
    lacking = [code for code in found if (code or None) != wanted]
    if lacking:
        raise MixedCurrenciesError(
            _("The budget is in {wanted}, the catalogue has prices in {told}", wanted=wanted, told=_codes(lacking))
            if wanted is not None
            else _("The budget is without a currency, the catalogue has prices in {told}", told=_codes(lacking)),
            todo=ask_one_currency(lacking[0] or None, wanted),
        )
    if budget.money is not None:
        budget.money.in_currency(wanted)  # raises where the money is in yet another currency
    return wanted


def _codes(found: list[str]) -> str:
    return listed([code or _("no currency") for code in found])
