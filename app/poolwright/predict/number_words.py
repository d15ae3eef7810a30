"""Numbers as people read them, no finer than they are known: one text for command line, reports and window."""

from enum import StrEnum

from poolwright.domain.estimate import Estimate
from poolwright.domain.units import binary, decimal

_HOURS_PER_DAY, _SHORT = 24.0, 1 / 60
_LARGE = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_RARER_THAN = 1e15
UNKNOWN = "unknown"


class Unit(StrEnum):
    """What a number counts; the value stands in CSV and JSON."""

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


def number_text(value: float, unit: Unit) -> str:
    """Return ``value`` with its unit for people."""
    if unit is Unit.BYTES:
        return f"{binary(round(value))} ({decimal(round(value))})"
    if unit is Unit.RATE:
        return f"{decimal(round(value))}/s"
    if unit is Unit.HOURS:
        return _hours(value)
    if unit is Unit.PROBABILITY:
        return _odds(value)
    if unit is Unit.SHARE:
        return f"{100 * value:.1f} %" if 0 < value < 1 else f"{100 * value:.0f} %"
    if unit is Unit.COUNT:
        return f"{value:,.0f}"
    if unit is Unit.MONEY:
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.2f}"
    two = float(f"{value:.2g}")
    if unit is Unit.ENERGY:
        return f"{two:,.0f} kWh"
    return f"{two:,.0f}" if two >= 10 else f"{two:g}"


def band_text(estimate: Estimate, unit: Unit) -> str:
    """Return low and high end of an estimate; empty where there is no band."""
    low, high = number_text(estimate.low, unit), number_text(estimate.high, unit)
    return "" if low == high else f"{low} to {high}"


def _hours(hours: float) -> str:
    if hours < _SHORT:
        return f"{hours * 3600:.0f} s"
    if hours < 1:
        return f"{hours * 60:.0f} min"
    if hours < 4 * _HOURS_PER_DAY:
        return f"{float(f'{hours:.2g}'):g} h"
    days = float(f"{hours / _HOURS_PER_DAY:.2g}")
    return f"{days:,g} days"


def _odds(probability: float) -> str:
    if probability <= 0:
        return "never"
    if probability >= 0.1:
        return f"{100 * probability:.0f} %" if probability < 0.995 else f"{100 * probability:.3g} %"
    one_in = 1 / probability
    if one_in > _RARER_THAN:
        return "less than 1 in 1000 trillion"
    rounded = float(f"{one_in:.2g}")
    for size, name in _LARGE:
        if rounded >= size:
            return f"1 in {rounded / size:,g} {name}"
    return f"1 in {rounded:,.0f}"
