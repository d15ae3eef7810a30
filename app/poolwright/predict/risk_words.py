"""The two numbers of a risk in words: they stand together wherever the smaller one is shown."""

from collections.abc import Callable, Collection

from poolwright.domain.rates import rate_text
from poolwright.domain.steps import Estimate
from poolwright.predict.drives import OTHERS_DOMINATE_BELOW, PERCENT, Cause
from poolwright.predict.number_words import banded_text, odds_text, operations_text, rounded, with_band
from poolwright.predict.speed import SpeedPrediction
from poolwright.texts import either, marked, tell, tell_counted


def loss_words(loss: float, disk_loss: float) -> str:
    """Return the yearly probability of losing a pool by whatever cause, and beside it that by disks alone."""
    return tell("{loss} (from disk failures alone {disks})", loss=odds_text(loss), disks=odds_text(disk_loss))


def advice_on(disk_loss: float) -> str:
    """Return what helps against the rest where disks that fail are rarely what loses the pool; empty elsewhere."""
    if disk_loss >= OTHERS_DOMINATE_BELOW:
        return ""
    return tell(
        "Disks that fail are the least of it: other causes dominate (a wrong disk pulled, a controller, a bad batch, a "
        "wrong command). More redundancy hardly helps against them; a backup does."
    )


def units_words(units: Collection[str]) -> str:
    """Return that shelves or controllers take the pool with them; empty where none does."""
    if not units:
        return ""
    return tell_counted(
        "The loss of {units} takes the pool, which is in the risk. No more members of a vdev in each than it tolerates "
        "would avoid that.",
        "The loss of any of {units} takes the pool, which is in the risk. No more members of a vdev in each than it "
        "tolerates would avoid that.",
        len(units),
        units=", ".join(sorted(units)),
    )


def short_advice_on(disk_loss: float) -> str:
    if disk_loss >= OTHERS_DOMINATE_BELOW:
        return ""
    return tell("other causes than failing disks dominate: a backup helps")


def cause_words(cause: Cause) -> str:
    """Return a number of the table of other causes with its ends: 3 % (1 to 10), 168 h (720 to 72)."""
    scale, unit = (100, " %") if cause.unit == PERCENT else (1, " h" if cause.unit == "h" else "")
    low, typical, high = (f"{scale * value:g}" for value in (cause.low, cause.typical, cause.high))
    if low == high:
        return f"{typical}{unit}"
    return with_band(f"{typical}{unit}", low, high)


# Speeds as people read them on the command line: no bare number where the band says that it is worth little.

# What a narrow column says in the place of `CANNOT_TELL`.
UNTOLD = "?"
TABLE_HEADER = (marked("reads GB/s"), marked("writes GB/s"), marked("random reads/s"), marked("random writes/s"))
_GB = 1e9


def speed_lines(speed: SpeedPrediction) -> tuple[str, str]:
    reads, writes = (banded_text(rate, rate_text) for rate in (speed.seq_read, speed.seq_write))
    some, more = (banded_text(rate, operations_text) for rate in (speed.rand_read_iops, speed.rand_write_iops))
    return tell("sequential: reads {reads}, writes {writes}", reads=reads, writes=writes), tell(
        "random, a second: reads {some}, writes {more}", some=some, more=more
    )


def table_cells(speed: SpeedPrediction) -> tuple[str, str, str, str]:
    """Return the speeds for the columns of `TABLE_HEADER`: the typical value, the band behind it where it is wide."""
    read, write = (_cell(rate, gigabytes_text) for rate in (speed.seq_read, speed.seq_write))
    some, more = (_cell(rate, operations_text) for rate in (speed.rand_read_iops, speed.rand_write_iops))
    return read, write, some, more


def cell_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    """Return a speed in a narrow column: both values where one question decides, a mark where nobody can tell."""
    if not estimate.cannot_tell:
        return text(estimate.typical)
    return either([text(case.value) for case in estimate.cases]) or UNTOLD


def _cell(estimate: Estimate, text: Callable[[float], str]) -> str:
    value = cell_text(estimate, text)
    return f"{value} ({text(estimate.low)}-{text(estimate.high)})" if estimate.wide else value


def gigabytes_text(rate: float) -> str:
    return f"{rounded(rate / _GB, 2):g}"
