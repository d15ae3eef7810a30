"""Predicted numbers as people read them, no finer than they are known; and the words behind each."""

import math
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from poolwright.domain.estimate import Estimate
from poolwright.domain.units import decimal

_HOURS_PER_DAY, _SHORT = 24.0, 1 / 60
_LARGE = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_RARER_THAN = 1e15


def rate_text(bytes_per_second: float) -> str:
    """Return a rate: 1.18 GB/s."""
    return f"{decimal(round(bytes_per_second))}/s"


def operations_text(per_second: float) -> str:
    """Return operations a second with the two digits that are worth anything: 6,300."""
    return f"{rounded(per_second, 2):,.0f}" if per_second >= 1 else f"{per_second:.2g}"


def rounded(value: float, digits: int) -> float:
    """Return ``value`` with so many significant digits."""
    return float(f"{value:.{digits}g}")


def hours_text(hours: float) -> str:
    """Return a time: 2 s, 45 min, 24 h, 9.5 days."""
    if hours < _SHORT:
        return _tr("{count:.0f} s", count=hours * 3600)
    if hours < 1:
        return _tr("{count:.0f} min", count=hours * 60)
    if hours < 4 * _HOURS_PER_DAY:
        return _tr("{count} h", count=f"{rounded(hours, 2):g}")
    return _tr("{count} days", count=f"{rounded(hours / _HOURS_PER_DAY, 2):,g}")


def odds_text(probability: float) -> str:
    """Return a probability as odds: 1 in 29 million; as a percentage where it is large."""
    if probability <= 0:
        return _tr("never")
    if probability >= 0.1:
        return f"{100 * probability:.0f} %" if probability < 0.995 else f"{100 * probability:.3g} %"
    one_in = 1 / probability
    if one_in > _RARER_THAN:
        return _tr("less than 1 in 1000 trillion")
    return _tr("1 in {count}", count=_large(rounded(one_in, 2)))


def percent_text(probability: float) -> str:
    """Return a probability in per cent, however small."""
    return f"{100 * probability:.2g} %"


def _large(number: float) -> str:
    for size, name in _LARGE:
        if number >= size:
            return f"{number / size:,g} {_tr(name)}"
    return f"{number:,.0f}"


def band_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    """Return low and high end of an estimate; the value alone where there is no band."""
    low, high = text(estimate.low), text(estimate.high)
    return low if low == high else _tr("{low} to {high}", low=low, high=high)


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
        _tr("Between {band}.", band=band_text(estimate, text).replace(f" {_tr('to')} ", f" {_tr('and')} ", 1)),
        _tr("Limited by: {limit}.", limit=estimate.limit),
        *(sentence(part) for part in str(estimate.origin).split("; ")),
        *(sentence(part) for part in more if part),
    ]
    return "\n".join(lines)


def money_text(amount: float) -> str:
    """Return an amount without its currency, no finer than it is known."""
    return f"{amount:,.0f}" if amount >= 100 else f"{amount:,.2f}"


def axis_odds(exponent: int) -> str:
    """Return a power of ten of a probability for an axis: 1 in 1 million for -6."""
    return odds_text(math.pow(10, exponent)) if exponent < 0 else "100 %"


def _tr(text: str, **values: object) -> str:
    return QCoreApplication.translate("expected", text).format(**values)
