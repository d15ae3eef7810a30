"""Numbers as people read them, no finer than they are known: one text for command line, reports and window."""

from collections.abc import Callable, Collection
from enum import StrEnum
from typing import TYPE_CHECKING

from poolwright.domain.estimate import Estimate
from poolwright.domain.rates import rate_text
from poolwright.domain.units import PLAN_FILL_PERCENT, binary, decimal
from poolwright.texts import N_, _, either, ngettext, numeral

if TYPE_CHECKING:
    from poolwright.domain.vdev import VdevSpec
    from poolwright.predict.drives import Cause
    from poolwright.predict.reliability import VdevRisk

_HOURS_PER_DAY = 24.0
_LARGE = ((1e12, N_("1 in {count} trillion")), (1e9, N_("1 in {count} billion")), (1e6, N_("1 in {count} million")))
_RARER_THAN = 1e15
# A yearly probability of loss by failures of disks below which other causes than failing disks are said to dominate.
_OTHERS_DOMINATE_BELOW = 1e-5
UNKNOWN, CANNOT_TELL = N_("unknown"), N_("unpredictable")
# What a short text says in the place of `CANNOT_TELL`.
RUN_THE_BENCHMARK = N_("unpredictable, run the benchmark")


class Unit(StrEnum):
    BYTES = "bytes"
    RATE = "bytes/s"
    OPERATIONS = "operations/s"
    HOURS = "hours"
    PROBABILITY = "probability"
    SHARE = "share"
    COUNT = "count"
    FEW = "expected count"
    MONEY = "money"
    ENERGY = "kWh"
    TEXT = "text"

    def text(self, value: float) -> str:
        return _FORMS.get(self, operations_text)(value)


def band_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    low, high = text(estimate.low), text(estimate.high)
    return low if low == high else _("{low} to {high}", low=low, high=high)


def has_band(estimate: Estimate, text: Callable[[float], str]) -> bool:
    return text(estimate.low) != text(estimate.high)


def between_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    return _("Between {low} and {high}.", low=text(estimate.low), high=text(estimate.high))


def speed_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    """Return the typical value of a speed; where its band spans a factor of ten, that or the values that it may be."""
    if not estimate.told_as_band:
        return text(estimate.typical)
    return untold_text(estimate, text, f"{text(estimate.low)}–{text(estimate.high)}")


def untold_text(estimate: Estimate, text: Callable[[float], str], otherwise: str) -> str:
    """Return what is said in the place of a typical value that would mislead: both values that it may be, if known."""
    if not estimate.cases:
        return _(otherwise)
    return ", ".join(f"{text(case.value)} {case.when}" for case in estimate.cases)


def banded_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    """Return a speed with its band where that is wide: 1.05 GB/s (444 MB/s to 1.61 GB/s); else the value alone."""
    value = untold_text(estimate, text, RUN_THE_BENCHMARK) if estimate.cannot_tell else text(estimate.typical)
    return _("{what} ({why})", what=value, why=band_text(estimate, text)) if estimate.wide else value


def with_band(typical: str, low: str, high: str) -> str:
    return _("{typical} ({low} to {high})", typical=typical, low=low, high=high)


def rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def operations_text(per_second: float) -> str:
    """Return operations a second, or an expected count, with the two digits that are worth anything: 6,300."""
    two = rounded(per_second, 2)
    return numeral(two, ",.0f") if two >= 10 else numeral(two, "g")


def block_text(size: int) -> str:
    """Return the size of a block as properties have it: 128K, 1M."""
    return f"{size >> 20}M" if size >= 1 << 20 else f"{size / 1024:g}K"


def money_text(amount: float) -> str:
    return numeral(amount, ",.0f") if abs(amount) >= 100 else numeral(amount, ",.2f")


def hours_text(hours: float) -> str:
    if (seconds := round(hours * 3600)) < 60:
        return f"{seconds} s" if seconds else "< 1 s"
    if (minutes := round(hours * 60)) < 60:
        return f"{minutes} min"
    if hours < 4 * _HOURS_PER_DAY:
        return numeral(rounded(max(1.0, hours), 2), "g", "h")
    return _("{count} days", count=numeral(rounded(hours / _HOURS_PER_DAY, 2), ",g"))


def overfull_words(used: int, size: int) -> str:
    """Return that a pool of ``size`` usable bytes cannot hold ``used``, with by how much and what would be advised."""
    most = binary(size * PLAN_FILL_PERCENT // 100)
    return _(
        "Does not fit: {used} need {percent:.0f} % of {size} ({over} too much); {most} is 80 %.", used=binary(used),
        percent=100 * used / max(1, size), size=binary(size), most=most, over=binary(used - size),
    )  # fmt: skip


def share_text(share: float, *, signed: bool = False) -> str:
    return f"{100 * share:+.0f} %" if signed else f"{100 * share:.0f} %"


def odds_text(probability: float) -> str:
    """Return a probability as odds: 1 in 29 million; as a percentage where it is large."""
    if probability <= 0:
        return _("never")
    if probability >= 0.1:
        return f"{100 * probability:.0f} %" if probability < 0.995 else numeral(100 * probability, ".3g", "%")
    one_in = 1 / probability
    if one_in > _RARER_THAN:
        return _("less than 1 in 1000 trillion")
    number = rounded(one_in, 2)
    for size, words in _LARGE:
        if number >= size:
            return _(words, count=numeral(number / size, ",g"))
    return _("1 in {count}", count=numeral(number, ",.0f"))


_FORMS: dict[Unit, Callable[[float], str]] = {
    Unit.BYTES: lambda value: f"{binary(round(value))} ({decimal(round(value))})",
    Unit.RATE: rate_text,
    Unit.HOURS: hours_text,
    Unit.PROBABILITY: odds_text,
    Unit.SHARE: lambda value: numeral(100 * value, f".{0 if value == round(value, 2) else 1}f", "%"),
    Unit.COUNT: lambda value: numeral(value, ",.0f"),
    Unit.MONEY: money_text,
    Unit.ENERGY: lambda value: numeral(rounded(value, 2), ",.0f", "kWh"),
}


def within(vdev: "VdevRisk") -> str:
    """Return within which time a second failure counts, and how likely so many follow that the pool is lost."""
    if vdev.lost_meanwhile is None:
        return until_repaired(vdev)
    odds = odds_text(vdev.lost_meanwhile.typical)
    return _("{until}; pool lost by disks alone: {odds}", until=until_repaired(vdev), odds=odds)


def until_repaired(vdev: "VdevRisk") -> str:
    if vdev.repair is None:
        return _("nothing to rebuild from")
    return _("until noticed and resilvered, {hours}", hours=hours_text(vdev.repair.typical))


# The two numbers of a risk in words: they stand together wherever the smaller one is shown.


def loss_words(loss: float, disk_loss: float) -> str:
    """Return the yearly probability of losing a pool by whatever cause, and beside it that by disks alone."""
    return _("{odds} per year (disk failures alone {disks})", odds=odds_text(loss), disks=odds_text(disk_loss))


def advice_on(disk_loss: float) -> str:
    """Return what helps against the rest where disks that fail are rarely what loses the pool; empty elsewhere."""
    if disk_loss >= _OTHERS_DOMINATE_BELOW:
        return ""
    return _(
        "Other causes than failing disks dominate (a wrong disk pulled, a controller, a bad batch, a wrong "
        "command). More redundancy hardly helps against them; a backup does."
    )


def vdev_words(spec: "VdevSpec") -> str:
    """Return a kind of vdev in words: raidz2 of 8, special mirror of 2, single disk."""
    front = "" if spec.vdev_class.value == "data" else f"{spec.vdev_class.value} "
    single = spec.kind.value == "stripe"
    return front + (_("single disk") if single else _("{word} of {width}", word=spec.word, width=spec.width))


def units_words(units: Collection[str]) -> str:
    if not units:
        return ""
    return ngettext(
        "The loss of {units} takes the pool (in the risk). No more members of a vdev in each than it tolerates "
        "avoids that.",
        "The loss of any of {units} takes the pool (in the risk). No more members of a vdev in each than it "
        "tolerates avoids that.",
        len(units),
        units=", ".join(sorted(units)),
    )


def cause_words(cause: "Cause") -> str:
    scale, unit = (100, " %") if cause.unit == "percent" else (1, " h" if cause.unit == "h" else "")
    low, typical, high = (numeral(scale * value, "g") for value in (cause.low, cause.typical, cause.high))
    if low == high:
        return f"{typical}{unit}"
    return with_band(f"{typical}{unit}", low, high)


# What the speeds of a pool are called, by their names in `Metric` and `SpeedPrediction`, wherever they stand.
SPEED_TITLES = {
    "seq_read": N_("Sequential read"),
    "seq_write": N_("Sequential write"),
    "rand_read_iops": N_("Random reads"),
    "rand_write_iops": N_("Random writes"),
    "sync_write_iops": N_("Synchronous writes"),
}


# Speeds as people read them on the command line: no bare number where the band says that it is worth little.

# What a narrow column says in the place of `CANNOT_TELL`.
UNTOLD = "?"


def cell_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    """Return a speed in a narrow column: both values where one question decides, a mark where nobody can tell."""
    if not estimate.cannot_tell:
        return text(estimate.typical)
    return either([text(case.value) for case in estimate.cases]) or UNTOLD
