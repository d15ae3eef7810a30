"""What snapshots keep and for how long, the space they hold beside the data, and the time a copy takes on a line."""

import re
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import expm1, inf

from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.units import MB, not_understood, number_of, out_of_range, parse_size, written_bytes
from poolwright.texts import N_, _

_DAYS = {"hourly": 1 / 24, "daily": 1.0, "weekly": 7.0, "monthly": 365.25 / 12, "yearly": 365.25}
_PART = re.compile(r"([0-9]{1,4})\s*([hdwmy])[\s,]*", re.IGNORECASE)
_BUSY_SHARE = 0.1  # of the data, which all changes may fall in
_HELD = N_(
    "for each snapshot D(1 - exp(-c t / D)): D bytes of data, c of them written over a day at random, t days to "
    "the next newer one; low: all in a tenth of D; high: no block twice"
)
# TCP leaves 94 % of Ethernet; what one stream of ssh gets through depends on processors and latency.
_LINE_SHARES, _SSH_RATES = (0.94, 0.85, 0.6), (600 * MB, 300 * MB, 200 * MB)
_SENT = N_(
    "85 % of the line (60 to 94 %), a stream of ssh 300 MB/s at most (200 to 600); blocks are sent as they lie on disk "
    "(-w), and the disks keep up"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyChange:
    """What is written over or deleted in a day: bytes, or ``percent`` of the data."""

    amount: float
    percent: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.amount < inf:
            raise out_of_range(self.amount)

    def __str__(self) -> str:
        return f"{self.amount:g} %" if self.percent else written_bytes(round(self.amount))

    def of(self, data_bytes: int) -> float:
        return data_bytes * self.amount / 100 if self.percent else self.amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How many snapshots of each period are kept, as sanoid counts them."""

    hourly: int = 0
    daily: int = 0
    weekly: int = 0
    monthly: int = 0
    yearly: int = 0

    def __post_init__(self) -> None:
        if not all(0 <= count <= 9999 for count in asdict(self).values()):
            raise out_of_range(self, 0, 9999)

    def __str__(self) -> str:
        return " ".join(f"{count}{name[0]}" for name, count in asdict(self).items() if count)

    def held(self, data_bytes: int, change: DailyChange) -> Estimate:
        """Return the space of all snapshots beside ``data_bytes``, at its most: when the oldest are about to go.

        A snapshot holds for itself the blocks that were written over before the next newer one was taken.
        """
        counts, changed = asdict(self), change.of(data_bytes)
        ages = sorted({round(n * days, 6) for name, days in _DAYS.items() for n in range(counts[name] + 1)})
        gaps = [older - newer for newer, older in pairwise(ages)]
        busy, typical = (
            sum(-part * expm1(-changed * gap / part) for gap in gaps) if part else 0.0
            for part in (_BUSY_SHARE * data_bytes, data_bytes)
        )
        once = sum(min(changed * gap, data_bytes) for gap in gaps)
        origin = Origin(kind=OriginKind.PREDICTED, source=_HELD)
        return Estimate(low=busy, typical=typical, high=once, limit="", origin=origin)


USUAL_RETENTION = Retention(hourly=24, daily=14, monthly=6)  # as the advice on snapshots has it


def parse_retention(text: str) -> Retention:
    """Return what ``24h 30d 12m`` keeps; raises UserError."""
    found = {unit.lower(): int(number) for number, unit in _PART.findall(text)}
    if not any(found.values()) or _PART.sub("", text).strip():
        raise not_understood(text, _("Write {example}.", example="24h 30d 8w 12m 2y"))
    return Retention(**{name: found.get(name[0], 0) for name in _DAYS})


def parse_change(text: str) -> DailyChange:
    """Return what ``1 %`` or ``200GB`` a day is; raises UserError."""
    percent = text.rstrip().endswith("%")
    return DailyChange(amount=float(number_of(text.strip(" %")) if percent else parse_size(text)), percent=percent)


def transfer_hours(size_bytes: float, line_bytes_per_second: int) -> Estimate:
    """Return how long `zfs send` through ssh takes for so much on a line of this rate."""
    rates = [min(share * line_bytes_per_second, ssh) for share, ssh in zip(_LINE_SHARES, _SSH_RATES, strict=True)]
    fast, typical, slow = (size_bytes / rate / 3600 for rate in rates)
    origin = Origin(kind=OriginKind.ASSUMED, source=_SENT)
    return Estimate(low=fast, typical=typical, high=slow, limit="", origin=origin)
