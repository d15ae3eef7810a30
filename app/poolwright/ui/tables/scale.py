"""Where things stand in a plot of a table: ranges that leave room for labels, ticks, labels that keep apart.

Plain arithmetic on numbers and pixels.
"""

from collections.abc import Sequence
from math import ceil, floor, log10

_ROUNDS = 6
_EDGE = 0.06  # of a power of ten beyond the last tick, so that it and its text are in sight


def range_with_labels(
    values: Sequence[float], widths: Sequence[float], room: float, *, least: float, most: float
) -> tuple[float, float]:
    """Return the range that holds zero and each value with a label of ``widths`` pixels beyond it.

    ``room`` is the width of the plot in pixels; ``least`` to ``most`` is within the range at any rate. Labels may take
    half of the room at most.
    """
    low, high = min(0.0, least, *values), max(0.0, most, *values)
    if low == high:
        high = low + 1.0
    start_low, start_high = low, high
    labelled = [(value, min(width, room / 2)) for value, width in zip(values, widths, strict=True)]
    for _ in range(_ROUNDS):
        pixel = (high - low) / max(room, 1.0)
        high = max([start_high, *(value + width * pixel for value, width in labelled if value >= 0)])
        low = min([start_low, *(value - width * pixel for value, width in labelled if value < 0)])
    return low, high


def kept_apart(wanted: Sequence[float], distance: float) -> list[float]:
    """Return positions near ``wanted``, in the same order, no two nearer than ``distance``."""
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    placed = [wanted[number] for number in order]
    for number in range(1, len(placed)):
        placed[number] = max(placed[number], placed[number - 1] + distance)
    # Shift what was pushed back by half, so that a pair moves apart to both sides.
    shift = sum(p - wanted[n] for p, n in zip(placed, order, strict=True)) / max(len(placed), 1)
    result = [0.0] * len(wanted)
    for place, number in zip(placed, order, strict=True):
        result[number] = place - shift
    return result


def decades(values: Sequence[float]) -> tuple[float, float]:
    """Return the range of logarithms, a little beyond whole powers of ten, that holds ``values``, all above zero."""
    return floor(log10(min(values))) - _EDGE, ceil(log10(max(values))) + _EDGE


def decade_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return a tick for each power of ten."""
    return [(float(power), f"{10.0**power:,.10g}") for power in range(ceil(low), floor(high) + 1)]
