"""Figures as tools print them: with units, with the comma of some languages, or not known at all."""

import math
import re
from datetime import datetime

_NUMBER = r"[+-]?[0-9]{1,30}(?:[.,][0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?"
_PLAIN = re.compile(_NUMBER)
_SIZE = re.compile(rf"({_NUMBER})\s?([KMGTPEZkmgtpez]?)(?:i?[Bb])?")
_TIME = re.compile(rf"({_NUMBER})\s?(ns|us|ms|s|m|h|)")
_TIMES = {"": 1.0, "ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9}


def number(text: str) -> float | None:
    """Return the number that ``text`` is, with a point or a comma before its decimals; None where it is none."""
    return _value(text.strip()) if _PLAIN.fullmatch(text.strip()) else None


def size(text: str) -> float | None:
    """Return ``2.89T``, ``448K``, ``512B`` or ``12`` as bytes (or operations), each unit 1024 of the one below.

    OpenZFS rounds both in steps of 1024 (`zfs_nicenum`), to three digits.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    value = _value(match.group(1))
    return None if value is None else value * float(1024 ** " KMGTPEZ".find((match.group(2) or " ").upper()))


def nanoseconds(text: str) -> float | None:
    """Return ``336ns``, ``5ms``, ``2s`` or a number without a unit, which is ns already, in ns."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    value = _value(match.group(1))
    return None if value is None else value * _TIMES[match.group(2)]


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# As `zpool status` and `zpool iostat -T d` tell a moment: “Fri Nov 27 08:57:19 UTC 2026”, with or without the zone.
CTIME = r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d?:\d\d:\d\d)(?: ([A-Z]{1,5}))? (\d{4})"


def ctime(month: str, day: str, clock: str, year: str) -> datetime | None:
    """Return the moment that the groups of `CTIME` tell, without a zone; None where there is no such day."""
    try:
        hour, minute, second = map(int, clock.split(":"))
        return datetime(int(year), _MONTHS.index(month) + 1, int(day), hour, minute, second)  # noqa: DTZ001 - as printed
    except ValueError:
        return None


def _value(text: str) -> float | None:
    value = float(text.replace(",", "."))
    return value if math.isfinite(value) else None
