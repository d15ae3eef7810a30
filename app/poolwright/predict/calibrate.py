"""Adapts the prediction to one host from runs on it.

Runs and expectation are weighed by their errors (found in a few Newton steps); the band narrows with what the runs
tell, and no further. The expectation has heavy tails (Student's t): a host far from it is believed, and what is then
expected of it is less certain.
"""

import math
from dataclasses import replace
from functools import lru_cache

from poolwright.predict import coefficients as fitted
from poolwright.predict.belief import NUMBERS, Belief, Numbers, Rate, RateSetting, numbers, prior, read_rate, write_rate
from poolwright.predict.groups import members_of
from poolwright.predict.media import HostCaps
from poolwright.predict.runs import Calibration, Metric, Run
from poolwright.texts import told_once

STEPS = 60
TAIL_DEGREES = 2.0  # of freedom: what was measured lies in the band that it leaves, also where a pool is far too slow


@told_once
@lru_cache(maxsize=512)
def posterior(calibration: Calibration, host: HostCaps, setting: RateSetting, members: int) -> Belief:
    """Return the belief about a host with at least ``members`` disks after its sequential runs."""
    runs = calibration.sequential
    most = max([members, *(members_of(run.groups) for run in runs)])
    before = prior(host, setting.disks, most)
    if not runs:
        return before
    precision = inverse([list(row) for row in before.covariance])
    mean = list(before.mean)
    hessian = precision
    for _ in range(STEPS):
        offset = [m - b for m, b in zip(mean, before.mean, strict=True)]
        gradient = [sum([p * o for p, o in zip(row, offset, strict=True)]) for row in precision]
        weight = _weight(sum([g * o for g, o in zip(gradient, offset, strict=True)]))
        gradient = [weight * g for g in gradient]
        hessian = [[weight * p for p in row] for row in precision]
        for run in runs:
            _add(run, numbers(mean), setting, gradient, hessian)
        step = solve(hessian, gradient)
        # A long step would leave the range in which the slopes hold.
        shrink = min(1.0, 1.0 / max(1e-12, *(abs(s) for s in step)))
        mean = [m - shrink * s for m, s in zip(mean, step, strict=True)]
        if max(abs(s) for s in step) < 1e-7:
            break
    return Belief(mean=numbers(mean), covariance=tuple(numbers(row) for row in inverse(hessian)))


def _weight(distance: float) -> float:
    """Return the weight of the expectation at a squared distance of so many deviations: 1 for all that is ordinary.

    That of a multivariate t in the reweighted form of its maximum (Lange, Little and Taylor 1989), never above 1.
    """
    return min(1.0, (TAIL_DEGREES + NUMBERS) / (TAIL_DEGREES + distance))


def _add(run: Run, mean: Numbers, setting: RateSetting, gradient: list[float], hessian: list[list[float]]) -> None:
    reading = run.metric is Metric.SEQ_READ
    error = math.hypot(fitted.READ_ERROR if reading else fitted.WRITE_ERROR, run.error)
    setting = replace(setting, record_bytes=run.record_bytes, fill_percent=run.fill_percent, aged=run.fill_percent > 0)
    found: Rate = (read_rate if reading else write_rate)(run.groups, mean, setting)
    missed = math.log(found.bytes_per_second / run.value) / error**2
    for i, a in found.slopes:
        gradient[i] += a * missed
        for j, b in found.slopes:
            hessian[i][j] += a * b / error**2


# Small symmetric systems in plain Python: four unknowns do not pay for importing numpy.

Vector = list[float]
Matrix = list[list[float]]


def solve(matrix: Matrix, right: Vector) -> Vector:
    """Return x with ``matrix`` x = ``right`` by Gauss elimination with pivoting; the matrix must be regular."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda r: abs(rows[r][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for other in range(column + 1, size):
            factor = rows[other][column] / rows[column][column]
            for k in range(column, size + 1):
                rows[other][k] -= factor * rows[column][k]
    answer = [0.0] * size
    for row in reversed(range(size)):
        known = sum(rows[row][k] * answer[k] for k in range(row + 1, size))
        answer[row] = (rows[row][size] - known) / rows[row][row]
    return answer


def inverse(matrix: Matrix) -> Matrix:
    size = len(matrix)
    return [solve(matrix, [1.0 if i == j else 0.0 for i in range(size)]) for j in range(size)]
