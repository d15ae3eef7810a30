"""How a pool stands failures: exact counting, no failure rate assumed."""

from functools import lru_cache
from math import comb

from poolwright.advise.enumerate import Shape
from poolwright.domain.vdev import VdevKind

MOST_FAILURES = 4


def guaranteed(shape: Shape) -> int:
    """Return how many disks of a pool may fail, whichever they are, without loss of data."""
    if shape.kind is VdevKind.MIRROR:
        return shape.width - 1
    return shape.parity


def survival_shares(shape: Shape) -> tuple[float, ...]:
    """Return, for 1 to 4 disks failing at once, the share of all combinations that the pool survives.

    Counted over the data members of one pool (spares hold no data). Failing more disks than there are counts as loss.
    """
    tolerance = guaranteed(shape)
    if shape.kind is VdevKind.STRIPE:
        return (0.0,) * MOST_FAILURES
    return _shares(shape.width, shape.narrow, shape.wide, tolerance)


@lru_cache(maxsize=1 << 14)
def _shares(width: int, narrow: int, wide: int, tolerance: int) -> tuple[float, ...]:
    # Coefficient k of the product of each vdev's generating function counts the survivable sets of k disks.
    ways = _product(_power(_survivable(width, tolerance), narrow), _power(_survivable(width + 1, tolerance), wide))
    disks = width * narrow + (width + 1) * wide
    shares = []
    for failures in range(1, MOST_FAILURES + 1):
        total = comb(disks, failures)
        shares.append(ways[failures] / total if total else 0.0)
    return tuple(shares)


def _survivable(width: int, tolerance: int) -> tuple[int, ...]:
    return tuple(comb(width, k) if k <= tolerance else 0 for k in range(MOST_FAILURES + 1))


def _product(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(MOST_FAILURES + 1))


@lru_cache(maxsize=1 << 14)
def _power(base: tuple[int, ...], exponent: int) -> tuple[int, ...]:
    result = (1,) + (0,) * MOST_FAILURES
    square = base
    while exponent:
        if exponent & 1:
            result = _product(result, square)
        square, exponent = _product(square, square), exponent >> 1
    return result
