"""By how much a model will be off at one load, from how much it was off at others.

A Gaussian process over the logarithms of what describes a load: what was seen nearby counts whole, what was seen far
away counts little, and where nothing was seen the error of the model itself is left (Rasmussen and Williams 2006,
equations 2.25 and 2.26, with the exponential kernel).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.predict.linear import solve

Where = tuple[float, ...]
# At a thousand times as many clients, as far as the thesis goes (7.2), half of what was learned still holds.
REACH = math.log(1000.0) / math.log(2.0)
# More than the steps of any sweep; what lies farther away tells nothing that the nearer ones do not.
MOST_SEEN = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """The mean logarithm of measured over modelled under one load, and the variance of that mean."""

    where: Where
    mean: float
    variance: float


def together(where: Where, off: Sequence[tuple[float, float]]) -> Miss:
    """Return what runs under one load say, each with its variance: their mean, weighed by how sure they are."""
    weight = sum(1.0 / variance for _, variance in off)
    return Miss(where=where, mean=sum(mean / variance for mean, variance in off) / weight, variance=1.0 / weight)


def foreseen(where: Where, seen: Sequence[Miss], *, spread: float) -> tuple[float, float]:
    """Return the logarithm to expect at ``where``, and its standard deviation.

    ``spread`` is the standard deviation of the model before anything was seen.
    """

    def kernel(one: Where, other: Where) -> float:
        return spread**2 * math.exp(-_distance(one, other) / REACH)

    near = sorted(seen, key=lambda point: _distance(point.where, where))[:MOST_SEEN]
    matrix = [[kernel(row.where, column.where) for column in near] for row in near]
    for number, point in enumerate(near):
        matrix[number][number] += point.variance
    towards = [kernel(point.where, where) for point in near]
    weights = solve(matrix, towards)
    mean = sum(weight * point.mean for weight, point in zip(weights, near, strict=True))
    explained = sum(weight * value for weight, value in zip(weights, towards, strict=True))
    return mean, math.sqrt(max(0.0, spread**2 - explained))


def _distance(one: Where, other: Where) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))
