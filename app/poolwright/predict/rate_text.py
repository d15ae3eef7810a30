"""Rates and record sizes as people type them."""

import math
import re

from poolwright.domain.errors import UserError
from poolwright.domain.units import KB, parse_size

_BITS = re.compile(r"^\s*([0-9]+(?:[.,][0-9]+)?)\s*([kMGT])(?:bit|b)(?:/s|ps)?\s*$")
_BIT_UNITS = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
# No disk and no network of a pool is slower; a smaller number lacks its unit.
SLOWEST = 100 * KB
LARGEST = 1e15


def parse_rate(text: str, *, what: str = "rate") -> float:
    """Return the bytes/s that ``text`` names: ``180MB/s``, ``1.2GiB/s``, ``10Gbit/s``, or plain bytes/s.

    Raises UserError when it is no rate, or one that only a forgotten unit explains.
    """
    bits = _BITS.match(text)
    if bits is not None:
        rate = float(bits.group(1).replace(",", ".")) * _BIT_UNITS[bits.group(2)] / 8.0
    else:
        bare = text.strip().removesuffix("/s").strip()
        try:
            rate = float(bare)
        except ValueError:
            rate = float(parse_size(bare, what=what))
    if not SLOWEST <= rate <= LARGEST:
        raise UserError(f"The {what} “{text}” is out of range", todo="Give bytes/s, or a number with a unit: 180MB/s.")
    return rate


def parse_number(text: str, *, what: str) -> float:
    """Return the positive number in ``text``; raises UserError."""
    try:
        value = float(text)
    except ValueError:
        raise UserError(f"The {what} “{text}” is not a number") from None
    if not (math.isfinite(value) and 0 < value < LARGEST):
        raise UserError(f"The {what} “{text}” is out of range", todo="Give a number above 0.")
    return value
