"""What snapshots keep and for how long, the space they hold beside the data, and the time a copy takes on a line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import expm1

from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.units import MB, not_understood, number_of, out_of_range, parse_size, written_bytes
from poolwright.texts import N_, _

_DAYS = {"hourly": 1 / 24, "daily": 1.0, "weekly": 7.0, "monthly": 365.25 / 12, "yearly": 365.25}
_MOST_KEPT = 10_000
_PART = re.compile(r"([0-9]{1,5})\s*([hdwmy])", re.IGNORECASE)
_HELP = N_("Write how many hours, days, weeks, months and years: 24h 30d 8w 12m 2y.")
# Where changes fall is not known. They may all fall in a small part of the data, or nowhere twice.
_BUSY_SHARE = 0.1
_HELD = Origin(
    kind=OriginKind.PREDICTED,
    source=N_(
        "for each snapshot D(1 - exp(-c t / D)): D bytes of data, c written over a day at random, t days to the next "
        "newer one; low: all in a tenth of D; high: no block twice; growth and metadata not counted"
    ),
)
# TCP leaves 94 % of Ethernet; what one stream of ssh gets through depends on processors and latency.
_LINE_SHARES, _SSH_RATES = (0.94, 0.85, 0.6), (600 * MB, 300 * MB, 200 * MB)
_SENT = Origin(
    kind=OriginKind.ASSUMED,
    source=N_(
        "85 % of the line (60 to 94 %, what TCP leaves), one ssh stream of 300 MB/s at most (200 to 600); blocks are "
        "sent as they lie on disk (-w), and the disks keep up"
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How many snapshots of each period are kept, as sanoid counts them."""

    hourly: int = 0
    daily: int = 0
    weekly: int = 0
    monthly: int = 0
    yearly: int = 0

    def __post_init__(self) -> None:
        counts = self.counts().values()
        if not any(counts) or not all(0 <= count <= _MOST_KEPT for count in counts):
            raise out_of_range(" ".join(map(str, counts)), 1, _MOST_KEPT, of="snapshots")

    def __str__(self) -> str:
        return " ".join(f"{count}{name[0]}" for name, count in self.counts().items() if count)

    def counts(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in _DAYS}

    def gaps(self) -> Iterator[float]:
        """Yield the days from each snapshot to the next newer one, the newest to now, when the oldest is to go."""
        ages = {round(number * _DAYS[name], 6) for name, count in self.counts().items() for number in range(count + 1)}
        return (older - newer for newer, older in pairwise(sorted(ages)))

    def held(self, data_bytes: int, change: "DailyChange") -> Estimate:
        """Return the space of all snapshots beside ``data_bytes``: what they hold and the data no longer have.

        The copy that a snapshot has of a block is its own where the block was written before the next newer one.
        """
        changed, gaps = change.of(data_bytes), tuple(self.gaps())

        def at_random(part: float) -> float:
            return sum(-part * expm1(-changed * gap / part) for gap in gaps) if part else 0.0

        once = sum(min(changed * gap, data_bytes) for gap in gaps)
        values = at_random(_BUSY_SHARE * data_bytes), at_random(data_bytes), once
        return Estimate(
            low=values[0], typical=values[1], high=values[2], limit=_("where the changes fall"), origin=_HELD
        )


USUAL_RETENTION = Retention(hourly=24, daily=14, monthly=6)  # as the advice on snapshots has it


def parse_retention(text: str) -> Retention:
    """Return what ``24h 30d 12m`` keeps; raises UserError."""
    found = {unit.lower(): int(number) for number, unit in _PART.findall(text)}
    if not found or _PART.sub("", text).strip(" ,") or len(found) != len(_PART.findall(text)):
        raise not_understood(text, _(_HELP))
    return Retention(**{name: found.get(name[0], 0) for name in _DAYS})


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyChange:
    """What is written over or deleted in a day: per cent of the data, or bytes; one of the two."""

    percent: float | None = None
    size_bytes: int | None = None

    def __post_init__(self) -> None:
        if (self.percent is None) == (self.size_bytes is None):
            raise UserError(_("A change is either a percentage or bytes a day"), todo=_("Give one of the two."))
        if not 0 <= (self.percent or 0) <= 100 or (self.size_bytes or 0) < 0:
            raise out_of_range(f"{self}", 0, 100, of="%")

    def __str__(self) -> str:
        return f"{self.percent:g} %" if self.percent is not None else written_bytes(self.size_bytes or 0)

    def of(self, data_bytes: int) -> float:
        return float(self.size_bytes or 0) if self.percent is None else data_bytes * self.percent / 100


def parse_change(text: str) -> DailyChange:
    """Return what ``1 %`` or ``200GB`` a day is; raises UserError."""
    number, sign, rest = text.strip().partition("%")
    if sign and not rest:
        return DailyChange(percent=float(number_of(number.strip())))
    return DailyChange(size_bytes=parse_size(text))


def transfer_hours(size_bytes: float, line_bytes_per_second: int) -> Estimate:
    """Return how long `zfs send` through ssh takes for so much on a line of this rate."""
    rates = [min(share * line_bytes_per_second, ssh) for share, ssh in zip(_LINE_SHARES, _SSH_RATES, strict=True)]
    fast, typical, slow = (size_bytes / rate / 3600 for rate in rates)
    limit = _("ssh") if rates[1] == _SSH_RATES[1] else _("the line")
    return Estimate(low=fast, typical=typical, high=slow, limit=limit, origin=_SENT)
