"""Fields picked out of what tools print: what is absent, no number, or out of every measure becomes None."""

import math
from collections.abc import Mapping, Sequence

_MOST = 1e18  # more than any count of bytes or ns that was measured; also keeps numbers within int64
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def text_of(data: bytes) -> str:
    """Return what a tool printed as text; PowerShell's UTF-16 too, and what is no text with signs in its place."""
    return data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8", "replace")


def number(value: object) -> float | None:
    """Return a number, also one that stands as text; None where it is none, not finite, or 10^18 and more."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) and abs(found) < _MOST else None


def whole(value: object) -> int | None:
    """Return a whole number, rounded; None as `number`. An int within 10^18 stays exact."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MOST:
        return value
    found = number(value)
    return None if found is None else round(found)


def mapping(value: object) -> Mapping[str, object]:
    """Return an object of a JSON document, empty where it is none."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> Sequence[object]:
    """Return a list of a JSON document, empty where it is none."""
    return value if isinstance(value, list) else ()
