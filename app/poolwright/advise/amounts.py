"""What people type into the fields of workload and budget: shares, counts, factors, rates, money.

Sizes are parsed by `domain.units.parse_size`. Every error says what is wrong and how to write it.
"""

import re
from decimal import Decimal

from poolwright.domain.errors import UserError

_RATE = re.compile(r"^\s*([0-9]+(?:[.,][0-9]+)?)\s*([KMGT]?)(i?)(bits?|b|B)(?:/s|ps)\s*$", re.IGNORECASE)
_ETHERNET = re.compile(r"^\s*([0-9]+(?:[.,][0-9]+)?)\s*GbE\s*$", re.IGNORECASE)
_DECIMAL = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
# A comma with three digits behind it may be a separator of thousands, so that it is not taken as a decimal sign.
_NUMBER = re.compile(r"^\s*([0-9]{1,15}(?:\.[0-9]{1,6}|,[0-9]{1,2})?)\s*$")
_RATE_HELP = "Write a rate with its unit: 10 Gbit/s, 25GbE, 110 MB/s."
MOST_COUNT = 1_000_000
MOST_RATE_BYTES = 10**15


def parse_percent(text: str, *, what: str = "share") -> int:
    """Return a whole number of per cent, 0 to 100; a trailing ``%`` may be there. Raises UserError."""
    number = text.strip().removesuffix("%").strip()
    if not number.isascii() or not number.isdigit() or int(number) > 100:
        raise UserError(f"“{text.strip()}” is not a {what} in per cent", todo="Write a whole number from 0 to 100.")
    return int(number)


def parse_growth(text: str) -> int:
    """Return growth in whole per cent a year, 0 to 1000. Raises UserError."""
    number = text.strip().removesuffix("%").strip()
    if not number.isascii() or not number.isdigit() or int(number[:9]) > 1000:
        raise UserError(f"“{text.strip()}” is not a growth in per cent a year", todo="Write a whole number, 0 to 1000.")
    return int(number)


def parse_count(text: str, *, what: str = "number", least: int = 0) -> int:
    """Return a whole number from ``least`` to a million. Raises UserError."""
    number = text.strip()
    if not number.isascii() or not number.isdigit():
        raise UserError(f"“{number}” is not a {what}", todo=f"Write a whole number, {least} or more.")
    count = int(number[:9])
    if not least <= count <= MOST_COUNT:
        raise UserError(f"{number} is no possible {what}", todo=f"Write a whole number from {least} to {MOST_COUNT:,}.")
    return count


def parse_factor(text: str) -> float:
    """Return how often the same block is stored on average, 1 or more. Raises UserError."""
    value = _number(text, "a factor", "Write 1 for no duplicates, 1.5 where every third block is a copy.")
    if not 1 <= value <= 10_000:
        raise UserError(f"“{text.strip()}” is not a possible factor", todo="Write 1 for no duplicates, or more.")
    return value


def parse_money(text: str, *, what: str = "amount of money", positive: bool = False) -> float:
    """Return an amount in whatever currency; ``positive`` refuses zero. Raises UserError."""
    value = _number(text, f"an {what}" if what[0] in "aeiou" else f"a {what}", "Write a number such as 4500 or 289.90.")
    if positive and value <= 0:
        raise UserError(f"The {what} must be more than 0", where=text.strip())
    return value


def parse_rate(text: str) -> int:
    """Return bytes a second: ``10 Gbit/s`` and ``10GbE`` count bits, ``110 MB/s`` and ``100 MiB/s`` bytes.

    A small b means bits, a capital B bytes. Raises UserError.
    """
    ethernet = _ETHERNET.match(text)
    if ethernet is not None:
        rate = Decimal(ethernet.group(1).replace(",", ".")) * 10**9 / 8
    else:
        match = _RATE.match(text)
        if match is None:
            raise UserError(f"“{text.strip()}” is not a rate", todo=_RATE_HELP)
        number, prefix, binary, unit = match.groups()
        factor = (_BINARY if binary else _DECIMAL)[prefix.upper()]
        rate = Decimal(number.replace(",", ".")) * factor / (1 if unit == "B" else 8)
    if not 1 <= rate <= MOST_RATE_BYTES:
        raise UserError(f"The rate “{text.strip()}” is out of range", todo=_RATE_HELP)
    return int(rate)


def parse_risk(text: str) -> float:
    """Return a yearly probability, above 0 and up to 1, from per cent: ``0.01`` and ``0.01 %``. Raises UserError."""
    return _positive(text.strip().removesuffix("%"), 100, "a risk in per cent a year", "0.01 is 1 in 10,000") / 100


def risk_text(probability: float) -> str:
    """Return a yearly probability in per cent; `parse_risk` reads it back."""
    return f"{100 * probability:.6g} %"


def parse_hours(text: str) -> float:
    """Return a positive number of hours, up to ten years of them. Raises UserError."""
    return _positive(text.strip().removesuffix("h"), 87_660, "a number of hours", "write 24 or 36")


def _positive(text: str, most: float, what: str, help_: str) -> float:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        value = 0.0
    if not 0 < value <= most:
        raise UserError(f"“{text.strip()}” is not {what}", todo=f"Write a number above 0, {most:,g} at most: {help_}.")
    return value


def rate_text(bytes_per_second: int) -> str:
    """Return a network's rate as people name it, in bits: ``10 Gbit/s``; `parse_rate` reads it back."""
    bits = bytes_per_second * 8
    for factor, unit in ((10**9, "Gbit/s"), (10**6, "Mbit/s"), (10**3, "kbit/s")):
        if bits % factor == 0:
            return f"{bits // factor} {unit}"
        if factor < bits < factor * 1000 and bits * 1000 % factor == 0:
            return f"{bits / factor:g} {unit}"
    return f"{bits} bit/s"


def size_text(size_bytes: int) -> str:
    """Return a size so that `parse_size` reads the same bytes back: ``128 KiB``, ``16 TB``, or plain bytes."""
    for factor, unit in (
        (1 << 50, "PiB"), (1 << 40, "TiB"), (10**12, "TB"), (1 << 30, "GiB"), (10**9, "GB"),
        (1 << 20, "MiB"), (10**6, "MB"), (1 << 10, "KiB"), (10**3, "kB"),
    ):  # fmt: skip
        if size_bytes >= factor and size_bytes * 100 % factor == 0:
            return f"{size_bytes / factor:g} {unit}" if size_bytes < factor * 10_000 else f"{size_bytes} B"
    return f"{size_bytes} B"


def _number(text: str, what: str, todo: str) -> float:
    match = _NUMBER.match(text)
    if match is None:
        raise UserError(f"“{text.strip()}” is not {what}", todo=todo)
    return float(match.group(1).replace(",", "."))
