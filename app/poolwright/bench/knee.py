"""Where a sweep gains no more: the knee of a curve of rates over how much is done at once."""

from collections.abc import Sequence

LEAST_GAIN = 1.05  # a step that gains less than this over all before it gains next to nothing


def is_flat(rates: Sequence[float]) -> bool:
    """Tell whether the last two steps both gained next to nothing over the best before them."""
    return len(rates) > 2 and all(rates[-n] < LEAST_GAIN * max(rates[:-n]) for n in (1, 2))


def knee_of(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the x from which on no further step gains anything, of points (x, rate) with rising x.

    None where the last step still gains, or where there are too few steps to see it.
    """
    for number, (x, rate) in enumerate(points[:-2]):
        if all(later < LEAST_GAIN * rate for _, later in points[number + 1 :]):
            return x
    return None
