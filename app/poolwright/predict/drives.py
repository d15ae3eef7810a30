"""Failure rates and old street prices by drive model, from the tables of drive statistics."""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cache, lru_cache
from itertools import accumulate
from math import exp, expm1, lgamma, log, log1p, sqrt

from poolwright.domain.disk import Disk
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.money import Money
from poolwright.domain.units import out_of_range
from poolwright.texts import N_, _, numeral, per_language

# What loses pools beside disks that fail one by one: the numbers of the table of other causes.

CAUSE_TABLE = "loss_causes.csv"
# The chance of losing a whole pool in a year, whatever its layout, where the table was not read: that of the table.
ASSUMED_FLOOR = 5e-5
PERCENT = "percent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One number of the table: ``low`` where the risk is low, ``high`` where it is high; shares are 0 to 1.

    ``unit`` is “percent” for shares, “h” for hours, “times” for factors; ``basis`` says measured, documented or
    assumed, ``means`` what the number says, ``source`` where it is from.
    """

    name: str
    low: float
    typical: float
    high: float
    unit: str
    basis: str
    means: str
    source: str

    def at(self, case: int) -> float:
        return (self.low, self.typical, self.high)[case]


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherCauses:
    """The numbers of all other causes.

    ``correlation`` multiplies the failure rate of a vdev's other disks while one is down. A share ``burst_share`` of
    failures is the first of a burst, whose cause takes each other disk of the vdev with the probability
    ``burst_reach``, after times spread exponentially with the mean ``burst_hours``. In a share ``wrong_disk`` of
    replacements another disk is pulled, of which ``past_mending`` cannot be put back; ``with_spare`` of that is left
    where a spare has taken over. ``controller``, ``software`` and ``operator`` are yearly chances of losing the whole
    pool, whatever its layout; ``controller`` counts once more for each shelf or controller that takes the pool with it.
    """

    correlation: Cause
    burst_share: Cause
    burst_reach: Cause
    burst_hours: Cause
    wrong_disk: Cause
    past_mending: Cause
    with_spare: Cause
    controller: Cause
    software: Cause
    operator: Cause

    @property
    def all(self) -> tuple[Cause, ...]:
        return tuple(getattr(self, name) for name in NAMES)

    def log_spared(self, case: int, units: int = 0) -> float:
        """Return the logarithm of the probability that nothing which takes all disks at once happens in a year.

        ``units`` are the shelves and controllers of several that take the pool with them.
        """
        machine = sum([log1p(-min(cause.at(case), 0.99)) for cause in (self.controller, self.software, self.operator)])
        return machine + units * self.log_unit(case)

    def log_unit(self, case: int) -> float:
        """Return the same for one shelf or controller of several that takes the pool with it, as the first one does.

        Interconnects and shelves are behind 27 to 68 % of the failures of storage subsystems, and groups of disks that
        span shelves see fewer of them (Jiang, Hu, Zhou and Kanevsky 2008, Are disks the dominant contributor for
        storage failures?); the loss for good of one is taken to be as likely as ``controller``.
        """
        return log1p(-min(self.controller.at(case), 0.99))

    def floor(self, case: int) -> float:
        return -expm1(self.log_spared(case))


NAMES = tuple(field.name for field in fields(OtherCauses))
CAUSES_ORIGIN = Origin(
    kind=OriginKind.PREDICTED,
    source=N_(
        "disk failures as a Markov chain per vdev, and common causes, wrong disks pulled, controller, software "
        "and operator: table “Other causes of loss” (Schroeder and Gibson 2007, IEC 61508-6, Kishani and Asadi "
        "2018, RAIDShield 2015), several assumed"
    ),
)


# Where the table was not read only the floor is known.
_KNOWN = {"correlation": (1.0, "times"), "burst_hours": (1.0, "h"), "controller": (ASSUMED_FLOOR, PERCENT)}
_GIVEN = {name: _KNOWN.get(name, (0.0, PERCENT)) for name in NAMES}
NO_TABLE = OtherCauses(**{
    name: Cause(
        name=name, low=value, typical=value, high=value, unit=unit, basis="assumed", means=name,
        source=N_("no table read"),
    )
    for name, (value, unit) in _GIVEN.items()
})  # fmt: skip


def read_causes(text: str) -> OtherCauses:
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        scale, source = 100.0 if row["unit"] == PERCENT else 1.0, f"{row['document']}, {row['place']}"
        found[row["cause"]] = Cause(
            name=row["cause"],
            low=float(row["low"]) / scale,
            typical=float(row["typical"]) / scale,
            high=float(row["high"]) / scale,
            unit=row["unit"],
            basis=row["basis"],
            means=row["means"],
            source=f"{source}: {row['note']}" if row.get("note") else source,
        )
    return OtherCauses(**found)


def floor_of(causes: OtherCauses) -> Estimate:
    low, typical, high = (causes.floor(case) for case in range(3))
    return Estimate(low=low, typical=typical, high=high, limit=_("the whole machine"), origin=CAUSES_ORIGIN)


DRIVE_TABLE = "drive_afr.csv"
FLEET_TABLE = "fleet_afr.csv"
PRICE_COLUMN = "price_usd_2024_09"
PRICE_MONTH = "2024-09"
DEFAULT_AFR_PERCENT = 1.5
# With fewer failures than this a model's own rate is mixed with the fleet's.
FEW_FAILURES = 5
_DAYS_PER_YEAR = 365.25
_TAIL = 0.025
_EXACT = 1e-14  # as near as the sums below are, relative
_SHORTEST_MODEL = 6
_SEPARATORS = re.compile(r"[\s_/]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRate:
    """Failures per hundred drive years (AFR, a rate): typical, and a 95 % interval; ``origin`` says whose."""

    low: float
    typical: float
    high: float
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveRecord:
    """A model: failures in ``drive_days``, label in TB, street price if known; ``number`` is without its maker."""

    model: str
    number: str
    drive_days: int
    failures: int
    price: Money | None
    source: str
    terabytes: int | None = None


def typed_rate(percent: float) -> FailureRate:
    if not percent >= 0:
        raise out_of_range(numeral(percent, "g", "%"), 0, of="afr")
    origin = Origin(kind=OriginKind.TYPED, source=_("{percent:g} % entered", percent=percent))
    return FailureRate(low=percent, typical=percent, high=percent, origin=origin)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveBook:
    """The drive statistics: models, the fleet's rate for others, and ``causes`` of loss beside failing disks."""

    records: tuple[DriveRecord, ...] = ()
    fleet: FailureRate
    causes: OtherCauses = NO_TABLE

    def find(self, model: str | None) -> DriveRecord | None:
        wanted = spellings(model or "")
        return next((record for record in self.records if record.number in wanted), None)

    def rate(self, model: str | None, afr_percent: float | None = None) -> FailureRate:
        """Return the rate of a model, unless ``afr_percent`` was said of the disk."""
        if afr_percent is not None:
            return typed_rate(afr_percent)
        record = self.find(model)
        return self.fleet if record is None else model_rate(record, self.fleet)


@per_language
@cache
def model_rate(record: DriveRecord, fleet: FailureRate) -> FailureRate:
    # Failures are taken as Poisson. From 5 failures on: failures over drive years, with the exact interval (Garwood
    # 1936). Below that: the mean and interval of a gamma distribution whose prior is the fleet's rate, worth one
    # failure.
    years = record.drive_days / _DAYS_PER_YEAR
    when = _(
        "{failures} failures in {years:,.0f} drive years of {model}",
        failures=record.failures,
        years=years,
        model=record.model,
    )
    if record.failures >= FEW_FAILURES:
        low = gamma_quantile(record.failures, _TAIL) / years
        high = gamma_quantile(record.failures + 1, 1 - _TAIL) / years
        typical = record.failures / years
        kind = OriginKind.MEASURED
        source = f"{when}, {record.source}"
    else:
        # Gamma prior worth one failure of the fleet: conjugate to Poisson counts, so the posterior is a gamma too.
        shape, weight = record.failures + 1, years + 100 / max(fleet.typical, 1e-9)
        low, high = gamma_quantile(shape, _TAIL) / weight, gamma_quantile(shape, 1 - _TAIL) / weight
        typical = shape / weight
        kind = OriginKind.PREDICTED
        source = _(
            "{when}: too few to stand alone, mixed with the fleet’s {typical:.2f} %; {source}",
            when=when,
            typical=fleet.typical,
            source=record.source,
        )
    return FailureRate(low=100 * low, typical=100 * typical, high=100 * high, origin=Origin(kind=kind, source=source))


def read_drive_book(tables: Mapping[str, str]) -> DriveBook:
    """Return the statistics from the shipped tables by file name; without them the default rate and floor alone."""
    found = [
        DriveRecord(
            model=row["model"],
            number=_SEPARATORS.split(row["model"].upper().strip())[-1],
            drive_days=int(row["drive_days"]),
            failures=int(row["failures"]),
            price=Money(amount=Decimal(row[PRICE_COLUMN]), currency="USD") if row.get(PRICE_COLUMN) else None,
            source=(row.get("source") or _("drive statistics")).split(";")[0],
            terabytes=int(row["capacity_tb"]) if row.get("capacity_tb") else None,
        )
        for row in csv.DictReader(io.StringIO(tables.get(DRIVE_TABLE, "")))
    ]
    # The best-known of two spellings of a model comes first.
    records = tuple(sorted(found, key=lambda r: -r.drive_days))
    causes = read_causes(tables[CAUSE_TABLE]) if CAUSE_TABLE in tables else NO_TABLE
    return DriveBook(records=records, fleet=_fleet(tables.get(FLEET_TABLE), records), causes=causes)


def _fleet(text: str | None, records: tuple[DriveRecord, ...]) -> FailureRate:
    """Return the rate of a disk of unknown model: the fleet's last whole year; models differ by the band."""
    rows = list(csv.DictReader(io.StringIO(text or "")))
    if not rows:
        usual, source = DEFAULT_AFR_PERCENT, _("no rate is known: {percent} % assumed", percent=DEFAULT_AFR_PERCENT)
        origin = Origin(kind=OriginKind.ASSUMED, source=source)
        return FailureRate(low=usual / 2, typical=usual, high=usual * 2, origin=origin)
    last = next((row for row in reversed(rows) if row["period"].startswith("year")), rows[-1])
    typical, every = float(last["afr_percent"]), [float(row["afr_percent"]) for row in rows]
    # The fleet's rate says nothing of one model: the band is what models differ by.
    low, high = min(every), max(every)
    if records:  # nine of ten drive years of the table's models lie between
        ranked = sorted(
            (100 * r.failures / r.drive_days * _DAYS_PER_YEAR, r.drive_days) for r in records if r.drive_days
        )
        passed = list(accumulate(days for __, days in ranked))
        low, high = (
            next(rate for (rate, __), days in zip(ranked, passed, strict=True) if days >= share * passed[-1])
            for share in (0.05, 0.95)
        )
    origin = Origin(
        kind=OriginKind.MEASURED,
        source=_(
            "the rate of a whole fleet, {period} (the model is not in the table); {source}",
            period=last["period"],
            source=last["source"],
        ),
    )
    return FailureRate(low=min(low, typical), typical=typical, high=max(high, typical), origin=origin)


@lru_cache(maxsize=1 << 11)
def spellings(model: str) -> frozenset[str]:
    """Return the forms in which the number of a model may stand in a table: its words, without what follows a dash."""
    words = _SEPARATORS.split(model.upper().strip())
    forms = {form for word in words for form in (word, word.split("-")[0])}
    return frozenset(form for form in forms if len(form) >= _SHORTEST_MODEL)


@lru_cache(maxsize=1 << 11)
def gamma_quantile(shape: float, share: float) -> float:
    low, high, value = 0.0, shape + 10 * sqrt(shape) + 20, shape
    for __ in range(80):
        over = _gamma_share(shape, value) - share
        if over < 0:
            low = value
        else:
            high = value
        slope = exp((shape - 1) * log(value) - value - lgamma(shape))
        # Newton's step, where it stays between what is known; it takes a tenth of the steps of halving.
        better = value - over / slope if slope else low
        if not low < better < high:
            better = (low + high) / 2
        if abs(better - value) <= _EXACT * value or better in (low, high):
            return better
        value = better
    return value


def _gamma_share(shape: float, x: float) -> float:
    """Return the regularised lower incomplete gamma function (DLMF 8.11.4 below the mean, 8.9.2 above)."""
    if x <= 0:
        return 0.0
    front = exp(shape * log(x) - x - lgamma(shape))
    if x < shape + 1:
        term = total = 1 / shape
        step = shape
        while term > total * 1e-15:
            step += 1
            term *= x / step
            total += term
        return front * total
    # Lentz's method for the continued fraction of the upper function.
    b = x + 1 - shape
    c, d = 1e300, 1 / b
    fraction = d
    for i in range(1, 1000):
        a = -i * (i - shape)
        b += 2
        d = 1 / (a * d + b)
        c = b + a / c
        delta = c * d
        fraction *= delta
        if abs(delta - 1) < 1e-14:
            break
    return 1 - front * fraction


# What people measured of single disks, for a group of disks of which one speed counts.


def measured_rates(disks: Iterable[Disk]) -> tuple[float | None, float | None]:
    """Return the sequential read and write rate in bytes/s that were told of ``disks``: of several the slowest."""
    known = tuple(disks)
    reads = [disk.read_bytes_per_second for disk in known if disk.read_bytes_per_second is not None]
    writes = [disk.write_bytes_per_second for disk in known if disk.write_bytes_per_second is not None]
    return (float(min(reads)) if reads else None, float(min(writes)) if writes else None)
