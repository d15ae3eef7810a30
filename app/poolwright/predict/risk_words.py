"""The two numbers of a risk in words: they stand together wherever the smaller one is shown."""

from collections.abc import Collection

from poolwright.predict.causes import OTHERS_DOMINATE_BELOW, PERCENT, Cause
from poolwright.predict.number_words import odds_text, with_band
from poolwright.texts import tell, tell_counted


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
    """Return the same in the few words that a cell of a table has room for."""
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
