"""Numbers that programs and people hand over with a name."""

import math

from poolwright.domain.errors import UserError
from poolwright.domain.number import shortened

LARGEST = 1e15


def parse_number(text: str, *, what: str) -> float:
    """Return the positive number in ``text``; raises UserError."""
    try:
        value = float(text)
    except ValueError:
        raise UserError(
            f"The {what} {shortened(text)} is not a number", todo="Give a number above 0, such as 150."
        ) from None
    if not (math.isfinite(value) and 0 < value < LARGEST):
        raise UserError(f"The {what} {shortened(text)} is out of range", todo="Give a number above 0.")
    return value
