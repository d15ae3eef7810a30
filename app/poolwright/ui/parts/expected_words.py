"""Predicted numbers in the words of the user's language, and the words behind each; see `predict.number_words`."""

import math
from collections.abc import Callable, Collection

from poolwright.domain.estimate import Estimate
from poolwright.predict import number_words, risk_words
from poolwright.texts import tell


def hours_text(hours: float) -> str:
    """Return a time: 2 s, 45 min, 24 h, 9.5 days."""
    return number_words.hours_text(hours, _translated)


def odds_text(probability: float) -> str:
    """Return a probability as odds: 1 in 29 million; as a percentage where it is large."""
    return number_words.odds_text(probability, _translated)


def loss_text(loss: float, disk_loss: float) -> str:
    """Return the yearly probability of losing a pool by whatever cause, and beside it that by disks alone."""
    return risk_words.loss_words(loss, disk_loss, _translated)


def loss_advice(disk_loss: float) -> str:
    """Return what helps against the rest where failing disks are the least of it; empty elsewhere."""
    return risk_words.advice_on(disk_loss, _translated)


def units_advice(units: Collection[str]) -> str:
    """Return which shelves and controllers take the pool with them; empty where none does."""
    return risk_words.units_words(units, _translated)


def percent_text(probability: float) -> str:
    """Return a probability in per cent, however small."""
    return f"{100 * probability:.2g} %"


def band_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    """Return low and high end of an estimate; the value alone where there is no band."""
    low, high = text(estimate.low), text(estimate.high)
    return low if low == high else tell("{low} to {high}", low=low, high=high)


def speed_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    """Return the typical value of a speed; that nobody can tell, with the band, where that is too wide."""
    if estimate.cannot_tell:
        return tell("cannot tell ({band})", band=band_text(estimate, text))
    return text(estimate.typical)


def banded_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    """Return a speed with its band where that is wide, and send to the benchmark where it tells nothing."""
    band = band_text(estimate, text)
    if estimate.cannot_tell:
        return tell("cannot tell, run the benchmark ({band})", band=band)
    return (
        tell("{value} ({band})", value=text(estimate.typical), band=band) if estimate.wide else text(estimate.typical)
    )


def odds_band_text(estimate: Estimate) -> str:
    """Return the band of a probability, the rarer end first."""
    return band_text(estimate, odds_text)


def sentence(text: str) -> str:
    """Return ``text`` with a capital and a full stop."""
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}" if text else ""


def origin_text(estimate: Estimate, text: Callable[[float], str], *more: str) -> str:
    """Return what stands behind an estimate, a line each: its band, what limits it, the model with its error."""
    lines = [
        tell("Between {band}.", band=band_text(estimate, text).replace(f" {tell('to')} ", f" {tell('and')} ", 1)),
        tell("Limited by: {limit}.", limit=estimate.limit),
        *(sentence(part) for part in str(estimate.origin).split("; ")),
        *(sentence(part) for part in more if part),
    ]
    return "\n".join(lines)


def axis_odds(exponent: int) -> str:
    """Return a power of ten of a probability for an axis: 1 in 1 million for -6."""
    return odds_text(math.pow(10, exponent)) if exponent < 0 else "100 %"
