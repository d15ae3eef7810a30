"""What a pool costs: purchase, power and replacements over some years. Every default is dated and can be changed.

What is paid for disks is exact money. Power and replacements are predictions with a band, and floats like all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from poolwright.domain.disk import Disk, Media
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.money import MixedCurrenciesError, Money, ask_one_currency, rounded, total
from poolwright.domain.units import HOURS_PER_YEAR, TB, out_of_range
from poolwright.predict.assumptions import NOTHING_SAID, Assumptions
from poolwright.predict.drives import PRICE_MONTH, DriveBook, FailureRate
from poolwright.predict.groups import band_of, banded, sums_of
from poolwright.texts import _, ngettext, numeral

DEFAULTS_OF = "2026-11"


Span = tuple[float, float, float]  # low, typical, high

# Watts of one disk, idle to busy. Nothing reliable was found: assumptions, to be replaced by the data sheet's.
ASSUMED_WATTS: dict[Media, Span] = {
    Media.HDD: (4.0, 7.0, 10.0),
    Media.SSD: (1.0, 2.5, 5.0),
    Media.NVME: (2.0, 6.0, 12.0),
}
# What is assumed unless somebody says otherwise; a cooling factor of 1 counts the disks alone.
YEARS, COOLING_FACTOR = 5.0, 1.0
KWH_PRICE: Span = (0.15, 0.30, 0.45)
# In these a kWh costs about as many units; None: nobody said which, and then the number is all there is.
ASSUMED_CURRENCIES = (None, "EUR", "USD", "GBP", "CHF")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskGroupCost:
    """``count`` equal disks: price of one (None: unknown, with ``price_origin`` otherwise), media, failure rate.

    ``at_hand`` disks are there already and not paid for again. ``watts`` of one disk are those of its catalogue; None
    takes the entered ones or those assumed for its media.
    """

    count: int
    media: Media
    drive: FailureRate
    model: str | None = None
    size_bytes: int | None = None
    price: Money | None = None
    price_origin: Origin | None = None
    at_hand: bool = False
    watts: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a pool costs; what depends on an unknown price is None, with the reason in ``problem``.

    ``purchase`` and what it is divided into carry their currency; ``power`` is in ``power_currency``, ``replacement``
    and ``total`` in that of the purchase. ``energy_kwh``,
    ``power``, ``replacements`` (disks) and ``replacement`` (money) are over ``years``. ``groups`` are the disks with
    their prices.
    """

    years: float
    purchase: Money | None
    per_usable_tb: Money | None
    energy_kwh: Estimate
    power: Estimate | None
    replacements: Estimate
    replacement: Estimate | None
    total: Estimate | None
    power_currency: str | None = None
    groups: tuple[DiskGroupCost, ...] = ()
    problem: str = ""

    @property
    def purchase_origin(self) -> Origin | None:
        found = list(dict.fromkeys(g.price_origin for g in self.groups if g.price_origin is not None and not g.at_hand))
        if len(found) < 2:
            return found[0] if found else None
        return Origin(kind=found[0].kind, source="; ".join(str(origin) for origin in found))

    @property
    def priced(self) -> bool:
        """Tell whether the price of every disk is known, so that only their currencies keep them apart."""
        return all(group.price is not None for group in self.groups)


def cost_groups(
    disks: Sequence[Disk], book: DriveBook, *, price_per_disk: Money | None = None, price_on: str = ""
) -> tuple[DiskGroupCost, ...]:
    """Return disks grouped by model for `pool_cost`.

    A price of the disk itself (from a catalogue) comes first, then ``price_per_disk``, which a person said on
    ``price_on`` one disk costs; otherwise the table's old street price in USD counts where it knows the model, and the
    price is unknown where it does not.
    """
    groups: dict[tuple[object, ...], list[Disk]] = {}
    for disk in disks:
        origin = disk.origin_of("price")
        key = (disk.model, disk.size_bytes, disk.media, disk.price, origin, disk.planned, disk.watts, disk.afr_percent)
        groups.setdefault(key, []).append(disk)
    # Beside disks that are to be bought from a catalogue those that are there already cost nothing.
    buying = any(disk.planned and disk.price is not None for disk in disks)
    found = []
    for alike in groups.values():
        first = alike[0]
        price, origin = first.price, first.origin_of("price")
        if price is not None:
            origin = origin or Origin(kind=OriginKind.TYPED, source=_("price of the catalogue"))
        elif price_per_disk is not None:
            price = price_per_disk
            origin = Origin(kind=OriginKind.TYPED, source=_("price entered"), when=price_on or None)
        elif (record := book.find(first.model)) is not None and record.price is not None:
            source = _("old street price of {model}", model=first.model)
            price, origin = record.price, Origin(kind=OriginKind.MEASURED, source=source, when=PRICE_MONTH)
        else:
            origin = None
        found.append(
            DiskGroupCost(
                count=len(alike),
                model=first.model,
                size_bytes=first.size_bytes,
                media=first.media or Media.HDD,
                drive=book.rate(first.model, first.afr_percent),
                price=price,
                price_origin=origin,
                at_hand=buying and not first.planned and first.price is None,
                watts=None if first.watts is None else (first.watts,) * 3,
            )
        )
    return tuple(found)


def pool_cost(
    groups: tuple[DiskGroupCost, ...],
    *,
    usable_bytes: int,
    assumed: Assumptions = NOTHING_SAID,
    currency: str | None = None,
) -> Cost:
    """Return what a pool of these disks costs, in the currency of its prices; ``currency`` is the budget's.

    ``usable_bytes`` is what the purchase is divided by, in decimal TB. Hot spares are powered and fail like the rest;
    disks on a shelf should not be in ``groups``.
    """
    years = YEARS if assumed.years is None else assumed.years
    energy = _energy(groups, assumed, years)
    failures = sums_of([group.count * percent / 100 * years for percent in band_of(group.drive)] for group in groups)
    origins = "; ".join(dict.fromkeys(str(g.drive.origin) for g in groups))
    source = _("disks x failure rate x {years:g} years; {told}", years=years, told=origins)
    origin = Origin(kind=OriginKind.PREDICTED, source=source)
    purchase, problem = _purchase(groups, currency)
    unit, kwh = currency if purchase is None else purchase.currency, assumed.kwh_price
    power, power_currency = None, None
    if kwh is not None or unit in ASSUMED_CURRENCIES:
        prices = KWH_PRICE if kwh is None else (float(kwh.amount),) * 3
        costs = [each * price for each, price in zip(band_of(energy), prices, strict=True)]
        power = banded(costs, _("power price and watts"), energy.origin)
        power_currency = unit if kwh is None else kwh.currency
    replacement = None if purchase is None else _replacement(groups, years, unit)
    # Adding needs one currency: a kWh price in another leaves the sum unknown rather than wrong.
    whole = None
    if purchase is not None and replacement is not None and power is not None and power_currency == unit:
        paid = float(purchase.amount)
        parts = [paid + a + b for a, b in zip(band_of(power), band_of(replacement), strict=True)]
        whole = banded(parts, _("purchase, power and replacements"), power.origin)
    bought = Fraction(0 if purchase is None else purchase.amount)
    return Cost(
        years=years,
        purchase=purchase,
        per_usable_tb=rounded(bought * TB / usable_bytes, unit) if purchase and unit and usable_bytes > 0 else None,
        energy_kwh=energy,
        power=power,
        replacements=banded(failures, _("failure rate"), origin),
        replacement=replacement,
        total=whole,
        power_currency=power_currency,
        groups=groups,
        problem=problem or _problem(purchase, currency, unit, power, power_currency, replacement),
    )


def price_of_reads(cost: Cost, reads: Estimate | None) -> Estimate | None:
    """Return what the disks cost for each 1,000 of ``reads`` a second, in their currency."""
    if cost.purchase is None or reads is None:
        return None
    paid = 1000 * float(cost.purchase.amount)
    return banded([paid / rate for rate in (reads.high, reads.typical, reads.low)], reads.limit, reads.origin)


def _problem(
    purchase: Money | None,
    currency: str | None,
    unit: str | None,
    power: Estimate | None,
    power_currency: str | None,
    replaced: Estimate | None,
) -> str:
    """Return in a sentence why the prices do not add up to one sum in the budget's currency; empty where they do."""
    if purchase is not None and currency is not None and purchase.currency != currency:
        return _(
            "The prices are in {unit}, the budget in {currency}. {todo}",
            unit=purchase.currency or _("no currency that was named"),
            currency=currency,
            todo=ask_one_currency(purchase.currency, currency),
        )
    if power is None:
        return _("The price of a kWh in {unit} is unknown: enter it.", unit=unit)
    if power_currency != unit:
        return _(
            "The price of a kWh and those of the disks do not add up. {todo}",
            todo=ask_one_currency(power_currency, unit),
        )
    return "" if replaced is not None else _("What a disk at hand would cost anew is unknown.")


def _energy(groups: tuple[DiskGroupCost, ...], assumed: Assumptions, years: float) -> Estimate:
    cooling = COOLING_FACTOR if assumed.cooling_factor is None else assumed.cooling_factor
    if years <= 0:
        raise out_of_range(numeral(years, "g"), of="years")
    if cooling < 1:
        raise out_of_range(numeral(cooling, "g"), 1, of="cooling_factor")
    typed = None if assumed.watts is None else (assumed.watts,) * 3
    each = [(group.count, typed or group.watts or ASSUMED_WATTS[group.media]) for group in groups]
    # Disks of a pool never sleep: watts count for every hour of the years.
    kilowatts = sums_of([n * value * cooling / 1000 for value in watts] for n, watts in each)
    entered = any(v is not None for v in (assumed.watts, assumed.kwh_price, assumed.years, assumed.cooling_factor))
    date = assumed.cost_date if entered and assumed.cost_date else DEFAULTS_OF
    if typed:
        kind, source = OriginKind.TYPED, _("watts entered, {date}", date=date)
    elif groups and all(group.watts for group in groups):
        kind, source = OriginKind.TYPED, _("watts of the catalogue")
    else:
        kind, source = OriginKind.ASSUMED, _("watts of the media class assumed, {date}", date=date)
    hours = years * HOURS_PER_YEAR
    return banded([k * hours for k in kilowatts], _("watts per disk"), Origin(kind=kind, source=source))


def _purchase(groups: tuple[DiskGroupCost, ...], currency: str | None) -> tuple[Money | None, str]:
    bought = [group for group in groups if group.count and not group.at_hand]
    unpriced = sum(group.count for group in bought if group.price is None)
    if unpriced:
        return None, ngettext(
            "The price of {count} disk is unknown.", "The price of {count} disks is unknown.", unpriced
        )
    sums = [group.price * group.count for group in bought if group.price is not None]
    try:
        return total(sums, currency), ""
    except MixedCurrenciesError as error:
        # Prices that share a currency are told in it rather than not at all.
        if len({amount.currency for amount in sums}) > 1:
            return None, error.text
        return total(sums), ""


def _replacement(groups: tuple[DiskGroupCost, ...], years: float, currency: str | None) -> Estimate | None:
    lost = []
    for group in groups:
        if not group.count:
            continue
        if group.price is None or group.price.currency != currency:
            return None
        each = float(group.price.amount)
        lost.append([group.count * percent / 100 * years * each for percent in band_of(group.drive)])
    return banded(
        sums_of(lost),
        _("failure rate"),
        Origin(kind=OriginKind.PREDICTED, source=_("expected failures x price of a disk")),
    )
