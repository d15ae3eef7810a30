"""Predicted numbers in the words of the user's language, and the words behind each; see `predict.number_words`."""

import math
from collections.abc import Callable

from poolwright.domain.estimate import Estimate
from poolwright.predict.number_words import odds_text
from poolwright.texts import tell


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
