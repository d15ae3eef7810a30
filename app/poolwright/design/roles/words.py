"""Numbers in the reasons of role judgements, in the same words everywhere."""

from dataclasses import replace

from poolwright.design.roles.model import Gain
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.rates import rate_text
from poolwright.domain.steps import Estimate
from poolwright.domain.units import binary
from poolwright.predict.number_words import with_band
from poolwright.texts import tell


def size(value: float) -> str:
    return binary(round(value))


def percent(share: float) -> str:
    """Return a share (0 to 1) in per cent, without claiming digits."""
    value = 100 * share
    if 0 < value < 0.1:
        return tell("under {percent} %", percent="0.1")
    return f"{value:.1f} %" if value < 10 else f"{value:.0f} %"


def estimate(values: tuple[float, float, float], *, limit: str, source: str) -> Estimate:
    """Return a predicted number with low, typical and high; ``source`` is the formula and where it comes from."""
    origin = Origin(kind=OriginKind.PREDICTED, source=source)
    return Estimate(low=values[0], typical=values[1], high=values[2], limit=limit, origin=origin)


def scaled(value: Estimate, factor: float) -> Estimate:
    """Return the estimate times ``factor``."""
    return Estimate(
        low=value.low * factor,
        typical=value.typical * factor,
        high=value.high * factor,
        limit=value.limit,
        origin=value.origin,
    )


def minus(whole: Estimate, part: Estimate) -> Estimate:
    """Return what is left of ``whole`` without ``part`` in whole bytes, never below 0."""
    left = sorted(
        max(0, round(a - b)) for a, b in ((whole.low, part.low), (whole.typical, part.typical), (whole.high, part.high))
    )
    return replace(whole, low=float(left[0]), typical=float(left[1]), high=float(left[2]))


def estimate_words(value: Estimate) -> str:
    """Return a size with its band for people."""
    return with_band(*(size(v) for v in (value.typical, value.low, value.high)))


def gain_words(gain: Gain) -> str:
    """Return what changes, with the band of each side."""
    return tell(
        "{what}: {before} before, {after} after",
        what=gain.what,
        before=_amount(gain.before, gain.unit),
        after=_amount(gain.after, gain.unit),
    )


def _amount(value: Estimate, unit: str) -> str:
    if unit == "bytes/s":
        return with_band(*(rate_text(v) for v in (value.typical, value.low, value.high)))
    low, typical, high = (f"{v:,.0f}" for v in (value.low, value.typical, value.high))
    return with_band(f"{typical} {unit}", low, high)
