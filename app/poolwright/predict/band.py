"""How far a sequential rate may lie from its typical value."""

import math
from functools import lru_cache

from poolwright.domain.vdev import VdevKind
from poolwright.predict import coefficients as fitted
from poolwright.predict.belief import (
    READ_LIMIT,
    WRITE_LIMIT,
    Belief,
    Numbers,
    Rate,
    RateSetting,
    numbers,
    read_rate,
    variance,
    write_rate,
)
from poolwright.predict.groups import Groups
from poolwright.predict.runs import Calibration


def sequential_band(
    groups: Groups, belief: Belief, rate: Rate, setting: RateSetting, *, reading: bool, familiar: bool, stretched: float
) -> tuple[float, float]:
    """Return how far the logarithm of a rate may lie below and above.

    ``familiar`` tells that such vdevs were measured on the host; ``stretched`` is the error of reaching beyond the
    tables. The host's limit bends the rate too much for slopes alone: the ends of its range are calculated.
    """
    predict = read_rate if reading else write_rate
    index = READ_LIMIT if reading else WRITE_LIMIT
    low, high = _shifted(belief, index)
    below = math.log(rate.bytes_per_second / predict(groups, low, setting).bytes_per_second)
    above = math.log(predict(groups, high, setting).bytes_per_second / rate.bytes_per_second)
    row = belief.covariance[index]
    along = sum([slope * row[i] for i, slope in rate.slopes]) / math.sqrt(row[index])
    error = fitted.READ_ERROR if reading else fitted.WRITE_ERROR
    transfer = fitted.FAMILIAR_ERROR if familiar else fitted.TRANSFER_ERROR
    rest = max(0.0, variance(belief, rate) - along**2) + error**2 + transfer**2 + stretched**2
    rest *= fitted.BAND**2
    return math.sqrt(below**2 + rest), math.sqrt(above**2 + rest)


@lru_cache(maxsize=512)
def _shifted(belief: Belief, index: int) -> tuple[Numbers, Numbers]:
    """Return the means when the number ``index`` is as low and as high as the band goes, the others following it."""
    column = belief.covariance[index]
    shifts = [fitted.BAND * value / math.sqrt(column[index]) for value in column]
    low = numbers([m - s for m, s in zip(belief.mean, shifts, strict=True)])
    return low, numbers([m + s for m, s in zip(belief.mean, shifts, strict=True)])


def is_familiar(groups: Groups, calibration: Calibration) -> bool:
    """Tell whether vdevs of each kind in the pool were measured on the host."""
    return {group.kind for group in groups} <= _measured_kinds(calibration)


@lru_cache(maxsize=64)
def _measured_kinds(calibration: Calibration) -> frozenset[VdevKind]:
    return frozenset(group.kind for run in calibration.sequential for group in run.groups)
