"""When a pool reaches 80 %: the date to plan for (thesis, chapter 5.7: random writes collapse above it)."""

from dataclasses import dataclass
from datetime import date, timedelta
from math import log

from poolwright.domain.errors import UserError
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.steps import Estimate
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.texts import tell

DAYS_PER_YEAR = 365.25
# Nobody knows the growth of the next years to better than a third either way: the band.
GROWTH_DOUBT = 1 / 3
LONGEST_YEARS = 200.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How the used bytes grow: ``percent`` a year of what is there, or ``bytes_per_year``; one of the two."""

    percent: float | None = None
    bytes_per_year: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be; raises UserError."""
        if (self.percent is None) == (self.bytes_per_year is None):
            raise UserError(tell("Growth is either a percentage or bytes a year"), todo=tell("Give one of the two."))
        if (self.percent or 0) < 0 or (self.bytes_per_year or 0) < 0:
            raise UserError(tell("Growth cannot be below 0"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FillForecast:
    """When the plan's level is reached: years from ``today``, and the dates (None: not within 200 years).

    ``earliest`` belongs to the fastest growth of the band. ``reached`` says that it already is.
    """

    today: date
    level_bytes: int
    reached: bool
    years: Estimate | None
    earliest: date | None
    typical: date | None
    latest: date | None


def forecast(
    *,
    used_bytes: int,
    available_bytes: int,
    growth: Growth,
    today: date,
    level_percent: float = PLAN_FILL_PERCENT,
    used_band: tuple[int, int] | None = None,
    fixed_bytes: int = 0,
) -> FillForecast:
    """Return when ``used_bytes`` grow to ``level_percent`` of ``available_bytes`` (USED + AVAIL of the empty pool).

    ``used_band`` is the least and the most that ``used_bytes`` may be, where it is predicted itself: the most with the
    fastest growth gives the earliest date. ``fixed_bytes`` of it, such as the reservation of a volume, do not grow.
    """
    least, most = used_band if used_band is not None else (used_bytes, used_bytes)
    if used_bytes < 0 or available_bytes <= 0 or not 0 < level_percent <= 100:
        raise UserError(tell("A forecast needs a pool with space, and a level of up to 100 %"))
    if not 0 <= fixed_bytes <= least <= used_bytes <= most:
        raise UserError(tell("The band of what is stored must hold the typical value and what does not grow"))
    level = int(available_bytes * level_percent // 100)
    if used_bytes >= level:
        return FillForecast(
            today=today, level_bytes=level, reached=True, years=None, earliest=today, typical=today, latest=today
        )
    fast, typical, slow = (
        0.0 if used >= level else _years(used - fixed_bytes, level - fixed_bytes, growth, 1 + doubt)
        for used, doubt in ((most, GROWTH_DOUBT), (used_bytes, 0), (least, -GROWTH_DOUBT))
    )
    origin = Origin(
        kind=OriginKind.PREDICTED,
        source=tell(
            "the stated growth, a third faster and slower; {level_percent:g} % of the available space",
            level_percent=level_percent,
        ),
    )
    years = None
    if typical is not None and fast is not None:
        high = LONGEST_YEARS if slow is None else slow
        years = Estimate(low=fast, typical=typical, high=high, limit=tell("the stated growth"), origin=origin)
    return FillForecast(
        today=today,
        level_bytes=level,
        reached=False,
        years=years,
        earliest=_date(today, fast),
        typical=_date(today, typical),
        latest=_date(today, slow),
    )


def _years(used: int, level: int, growth: Growth, factor: float) -> float | None:
    if growth.percent is not None:
        rate = growth.percent / 100 * factor
        # Nothing grows from nothing by a percentage.
        years = log(level / used) / log(1 + rate) if rate > 0 and used > 0 else LONGEST_YEARS + 1
    else:
        speed = (growth.bytes_per_year or 0) * factor
        years = (level - used) / speed if speed > 0 else LONGEST_YEARS + 1
    return years if years <= LONGEST_YEARS else None


def _date(today: date, years: float | None) -> date | None:
    if years is None:
        return None
    try:
        return today + timedelta(days=round(years * DAYS_PER_YEAR))
    except OverflowError:
        return None
