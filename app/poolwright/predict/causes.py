"""What loses pools beside disks that fail one by one: the numbers of the table of other causes.

The studies are named in the table itself (`rules/tables/loss_causes.csv`); `common_cause` reckons with the numbers.
"""

import csv
import io
from dataclasses import dataclass
from math import expm1, isfinite, log1p

from poolwright.domain.errors import UserError
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.steps import Estimate
from poolwright.texts import marked, tell

CAUSE_TABLE = "loss_causes.csv"
# A yearly probability of loss by failures of disks below which other causes than failing disks are said to dominate.
OTHERS_DOMINATE_BELOW = 1e-5
# The chance of losing a whole pool in a year, whatever its layout, where the table was not read: that of the table.
ASSUMED_FLOOR = 5e-5
PERCENT, _WHOLE = "percent", 100.0


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
        """Return the number for the low (0), typical (1) or high (2) case of the risk."""
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

    def __post_init__(self) -> None:
        """Refuse what would let the risk fall to nothing, or cannot be; raises UserError."""
        if self.correlation.low < 1 or min(self.burst_hours.at(case) for case in range(3)) <= 0:
            raise UserError(tell("Other causes cannot make disks safer"), where=CAUSE_TABLE)
        if self.floor(1) <= 0:
            raise UserError(tell("Some chance of losing a pool is always left"), where=CAUSE_TABLE)

    @property
    def all(self) -> tuple[Cause, ...]:
        """Return the numbers in the order of the table."""
        return tuple(getattr(self, name) for name in NAMES)

    def log_spared(self, case: int) -> float:
        """Return the logarithm of the probability that no cause of the whole machine takes the pool in a year."""
        return sum([log1p(-min(cause.at(case), 0.99)) for cause in (self.controller, self.software, self.operator)])

    def log_unit(self, case: int) -> float:
        """Return the same for one shelf or controller of several that takes the pool with it, as the first one does.

        Interconnects and shelves are behind 27 to 68 % of the failures of storage subsystems, and groups of disks that
        span shelves see fewer of them (Jiang, Hu, Zhou and Kanevsky 2008, Are disks the dominant contributor for
        storage failures?); the loss for good of one is taken to be as likely as ``controller``.
        """
        return log1p(-min(self.controller.at(case), 0.99))

    def floor(self, case: int) -> float:
        """Return the yearly probability of loss that no layout can fall below."""
        return -expm1(self.log_spared(case))

    @property
    def origin(self) -> Origin:
        """Return what the risk with other causes rests on."""
        return _ORIGIN


NAMES = (
    "correlation", "burst_share", "burst_reach", "burst_hours", "wrong_disk", "past_mending", "with_spare",
    "controller", "software", "operator",
)  # fmt: skip
_ORIGIN = Origin(
    kind=OriginKind.PREDICTED,
    source=marked(
        "disk failures as a Markov chain per vdev, and what else happens: common causes (beta factor), the wrong "
        "disk pulled, controller, software and operator; numbers of the table “Other causes of loss” "
        "(Schroeder and Gibson "
        "2007, IEC 61508-6, Kishani and Asadi 2018, RAIDShield 2015), several of them assumed"
    ),
)


def _plain(name: str, value: float, unit: str = PERCENT) -> Cause:
    return Cause(
        name=name,
        low=value,
        typical=value,
        high=value,
        unit=unit,
        basis="assumed",
        means=name,
        source=tell("no table read"),
    )


# Where the table was not read only the floor is known.
NO_TABLE = OtherCauses(
    correlation=_plain("correlation", 1.0, "times"),
    burst_share=_plain("burst_share", 0.0),
    burst_reach=_plain("burst_reach", 0.0),
    burst_hours=_plain("burst_hours", 1.0, "h"),
    wrong_disk=_plain("wrong_disk", 0.0),
    past_mending=_plain("past_mending", 0.0),
    with_spare=_plain("with_spare", 0.0),
    controller=_plain("controller", ASSUMED_FLOOR),
    software=_plain("software", 0.0),
    operator=_plain("operator", 0.0),
)


def read_causes(text: str) -> OtherCauses:
    """Return the numbers from the text of the table; raises UserError for a row that is missing or makes no sense."""
    found: dict[str, Cause] = {}
    for number, row in enumerate(csv.DictReader(io.StringIO(text)), start=2):
        try:
            cause = _cause(row)
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(
                tell("A row of the table of other causes cannot be read: {error}", error=error),
                where=f"{CAUSE_TABLE}:{number}",
            ) from None
        if cause.name not in NAMES or cause.name in found:
            raise UserError(tell("“{name}” is not expected here", name=cause.name), where=f"{CAUSE_TABLE}:{number}")
        found[cause.name] = cause
    missing = [name for name in NAMES if name not in found]
    if missing:
        raise UserError(
            tell("The table of other causes lacks {missing}", missing=", ".join(missing)), where=CAUSE_TABLE
        )
    return OtherCauses(**found)


def floor_of(causes: OtherCauses) -> Estimate:
    """Return the yearly probability of losing a pool that no layout can fall below, with its band."""
    low, typical, high = (causes.floor(case) for case in range(3))
    return Estimate(low=low, typical=typical, high=high, limit=tell("the whole machine"), origin=causes.origin)


def _cause(row: dict[str, str]) -> Cause:
    unit = row["unit"]
    scale = _WHOLE if unit == PERCENT else 1.0
    low, typical, high = (float(row[end]) / scale for end in ("low", "typical", "high"))
    if not all(isfinite(value) and value >= 0 for value in (low, typical, high)):
        raise ValueError(tell("a number is below 0 or none at all"))
    if unit == PERCENT and max(low, typical, high) > 1:
        raise ValueError(tell("a share is over 100 percent"))
    if not (low <= typical <= high or low >= typical >= high):
        raise ValueError(tell("typical does not lie between low and high"))
    source = f"{row['document']}, {row['place']}"
    return Cause(
        name=row["cause"],
        low=low,
        typical=typical,
        high=high,
        unit=unit,
        basis=row["basis"],
        means=row["means"],
        source=f"{source}: {row['note']}" if row.get("note") else source,
    )
