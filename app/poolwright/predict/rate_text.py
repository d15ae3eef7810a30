"""Numbers that programs and people hand over with a name."""

import math

from poolwright.domain.errors import UserError
from poolwright.domain.number import shortened
from poolwright.texts import tell

LARGEST = 1e15


def parse_number(text: str, *, what: str) -> float:
    """Return the positive number in ``text``; raises UserError."""
    try:
        value = float(text)
    except ValueError:
        raise UserError(
            tell("The {what} {text} is not a number", what=what, text=shortened(text)),
            todo=tell("Give a number above 0, such as 150."),
        ) from None
    if not (math.isfinite(value) and 0 < value < LARGEST):
        raise UserError(
            tell("The {what} {text} is out of range", what=what, text=shortened(text)),
            todo=tell("Give a number above 0."),
        )
    return value
