"""What a pool costs: purchase, power and replacements over some years. Every default is dated and can be changed."""

from dataclasses import dataclass, field

from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import TB
from poolwright.predict.drives import FailureRate

DEFAULTS_OF = "2026-11"
HOURS_PER_YEAR = 365.25 * 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A value that is not known well: low, typical, high."""

    low: float
    typical: float
    high: float

    def __post_init__(self) -> None:
        """Refuse what cannot be; raises UserError."""
        if not 0 <= self.low <= self.typical <= self.high:
            raise UserError(f"{self.low:g}, {self.typical:g}, {self.high:g} do not rise from 0")


def exactly(value: float) -> Band:
    """Return a value that a person gave."""
    return Band(low=value, typical=value, high=value)


# Watts of one disk, idle to busy. Nothing reliable was found: assumptions, to be replaced by the data sheet's.
ASSUMED_WATTS = {
    Media.HDD: Band(low=4.0, typical=7.0, high=10.0),
    Media.SSD: Band(low=1.0, typical=2.5, high=5.0),
    Media.NVME: Band(low=2.0, typical=6.0, high=12.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CostDefaults:
    """What is assumed unless somebody says otherwise, as of ``date`` (year and month).

    ``watts`` is per disk; None takes the assumption for its media. ``kwh_price`` is in the currency of the disks.
    ``cooling_factor`` multiplies the power of the disks for cooling and losses; 1 counts the disks alone.
    """

    date: str = DEFAULTS_OF
    years: float = 5.0
    kwh_price: Band = field(default_factory=lambda: Band(low=0.15, typical=0.30, high=0.45))
    watts: Band | None = None
    cooling_factor: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what cannot be; raises UserError."""
        if self.years <= 0 or self.cooling_factor < 1:
            raise UserError("Costs need more than 0 years and a cooling factor of at least 1")


DEFAULTS = CostDefaults()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskGroupCost:
    """``count`` equal disks: price of one (None: unknown, with ``price_origin`` otherwise), media, failure rate.

    ``watts`` of one disk are those of its catalogue; None takes the entered ones or those assumed for its media.
    """

    count: int
    media: Media
    drive: FailureRate
    price: float | None = None
    price_origin: Origin | None = None
    watts: Band | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of a pool in the currency of its prices; what depends on an unknown price is None.

    ``energy_kwh``, ``power``, ``replacements`` (disks) and ``replacement`` (money) are over ``years``.
    """

    years: float
    purchase: float | None
    purchase_origin: Origin | None
    per_usable_tb: float | None
    energy_kwh: Estimate
    power: Estimate
    replacements: Estimate
    replacement: Estimate | None
    total: Estimate | None


def pool_cost(groups: tuple[DiskGroupCost, ...], *, usable_bytes: int, defaults: CostDefaults = DEFAULTS) -> Cost:
    """Return what a pool of these disks costs.

    ``usable_bytes`` is what the purchase is divided by, in decimal TB. Hot spares are powered and fail like the rest;
    disks on a shelf should not be in ``groups``.
    """
    energy = _energy(groups, defaults)
    power = _product(energy, defaults.kwh_price, limit="power price and watts")
    failures = [0.0, 0.0, 0.0]
    for group in groups:
        rate = group.drive
        for case, percent in enumerate((rate.low, rate.typical, rate.high)):
            failures[case] += group.count * percent / 100 * defaults.years
    rates = "; ".join(dict.fromkeys(str(g.drive.origin) for g in groups))
    origin = Origin(kind=OriginKind.PREDICTED, source=f"disks x failure rate x {defaults.years:g} years; {rates}")
    replacements = _estimate(failures, "failure rate", origin)
    purchase = _purchase(groups)
    replacement = _replacement(groups, defaults.years)
    total = None
    if purchase is not None and replacement is not None:
        parts = [purchase + a + b for a, b in zip(_cases(power), _cases(replacement), strict=True)]
        total = _estimate(parts, "purchase, power and replacements", power.origin)
    return Cost(
        years=defaults.years,
        purchase=purchase,
        purchase_origin=next((g.price_origin for g in groups if g.price_origin), None),
        per_usable_tb=None if purchase is None or usable_bytes <= 0 else purchase / (usable_bytes / TB),
        energy_kwh=energy,
        power=power,
        replacements=replacements,
        replacement=replacement,
        total=total,
    )


def _energy(groups: tuple[DiskGroupCost, ...], defaults: CostDefaults) -> Estimate:
    kilowatts = [0.0, 0.0, 0.0]
    for group in groups:
        watts = defaults.watts or group.watts or ASSUMED_WATTS[group.media]
        for case, value in enumerate((watts.low, watts.typical, watts.high)):
            kilowatts[case] += group.count * value * defaults.cooling_factor / 1000
    if defaults.watts:
        kind, source = OriginKind.TYPED, f"watts entered, {defaults.date}"
    elif groups and all(group.watts for group in groups):
        kind, source = OriginKind.TYPED, "watts of the catalogue"
    else:
        kind, source = OriginKind.ASSUMED, f"watts of the media class assumed, {defaults.date}"
    hours = defaults.years * HOURS_PER_YEAR
    return _estimate([k * hours for k in kilowatts], "watts per disk", Origin(kind=kind, source=source))


def _purchase(groups: tuple[DiskGroupCost, ...]) -> float | None:
    prices = [group.price for group in groups if group.count]
    if any(price is None for price in prices):
        return None
    return sum(group.count * group.price for group in groups if group.price is not None)


def _replacement(groups: tuple[DiskGroupCost, ...], years: float) -> Estimate | None:
    """Return the money for failed disks at today's price; a warranty is not counted on."""
    money = [0.0, 0.0, 0.0]
    for group in groups:
        if group.price is None:
            if group.count:
                return None
            continue
        rate = group.drive
        for case, percent in enumerate((rate.low, rate.typical, rate.high)):
            money[case] += group.count * percent / 100 * years * group.price
    return _estimate(
        money, "failure rate", Origin(kind=OriginKind.PREDICTED, source="expected failures x price of a disk")
    )


def _product(estimate: Estimate, band: Band, *, limit: str) -> Estimate:
    factors = (band.low, band.typical, band.high)
    values = [value * factor for value, factor in zip(_cases(estimate), factors, strict=True)]
    return _estimate(values, limit, estimate.origin)


def _cases(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.low, estimate.typical, estimate.high


def _estimate(values: list[float], limit: str, origin: Origin) -> Estimate:
    return Estimate(low=values[0], typical=values[1], high=values[2], limit=limit, origin=origin)
