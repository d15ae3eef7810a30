"""Sizes and rates: parsed from what people type, kept as ``int`` bytes, formatted last."""

import re
from decimal import Decimal, InvalidOperation

from poolwright.domain.errors import UserError

KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40
KB, MB, GB, TB = 10**3, 10**6, 10**9, 10**12

_BINARY = {"": 1, "K": KIB, "M": MIB, "G": GIB, "T": TIB, "P": 1 << 50, "E": 1 << 60}
_DECIMAL = {"": 1, "K": KB, "M": MB, "G": GB, "T": TB, "P": 10**15, "E": 10**18}
_SIZE = re.compile(r"^\s*([0-9]+(?:[.,][0-9]+)?)\s*([KMGTPE]?)(i?B|)\s*$", re.IGNORECASE)
_LARGEST = 1 << 63
PLAN_FILL_PERCENT = 80


def parse_size(text: str, *, what: str = "size") -> int:
    """Return the bytes that ``text`` names.

    ``6TB`` counts in thousands as drive makers do, ``5.5TiB`` and the bare letter of the ZFS tools (``128K``)
    in 1024s; no unit means bytes. Raises UserError when the text is no size or the size is not a whole number
    of bytes between 1 and 2^63 - 1.
    """
    match = _SIZE.match(text)
    if match is None:
        raise UserError(f"“{text}” is not a {what}", todo="Write bytes or a number with a unit: 6TB, 5.5TiB, 128K.")
    number, prefix, suffix = match.group(1).replace(",", "."), match.group(2).upper(), match.group(3)
    factor = (_DECIMAL if suffix.upper() == "B" and prefix else _BINARY)[prefix]
    try:
        value = Decimal(number) * factor
    except InvalidOperation as error:  # pragma: no cover - the pattern admits only numbers
        raise UserError(f"“{text}” is not a {what}") from error
    size = int(value)
    if not 0 < size < _LARGEST:
        raise UserError(f"The {what} “{text}” is out of range", todo="Give a size between 1 byte and 8 EiB.")
    return size


def parse_record_size(text: str) -> int:
    """Return the bytes of a recordsize; raises UserError when OpenZFS would not take it."""
    size = parse_size(text, what="recordsize")
    if size & (size - 1) or not 512 <= size <= 16 * MIB:
        raise UserError(f"recordsize {text} is not possible", todo="OpenZFS takes powers of two from 512 to 16M.")
    return size


def _short(value: float) -> str:
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}"


def binary(size: int | None) -> str:
    """Return ``size`` bytes for people, in KiB to PiB; “unknown” for None."""
    return _scaled(size, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB"))


def decimal(size: int | None) -> str:
    """Return ``size`` bytes as drive makers print them, in kB to PB; “unknown” for None."""
    return _scaled(size, 1000, ("B", "kB", "MB", "GB", "TB", "PB"))


def _scaled(size: int | None, base: int, names: tuple[str, ...]) -> str:
    if size is None:
        return "unknown"
    value, index = float(size), 0
    while abs(value) >= base and index < len(names) - 1:
        value, index = value / base, index + 1
    return f"{size} B" if index == 0 else f"{_short(value)} {names[index]}"


def drive_size(size: int | None) -> str:
    """Return the size printed on a drive's label: 6 TB for 6001175126016 bytes; “unknown” for None."""
    if size is None:
        return "unknown"
    for unit, name in ((10**15, "PB"), (TB, "TB"), (GB, "GB"), (MB, "MB")):
        if size >= unit * 0.995:
            value = size / unit
            rounded = round(value) if abs(value - round(value)) < 0.02 * max(value, 1) / 4 else round(value, 1)
            return f"{rounded:g} {name}"
    return f"{size} B"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun in the right form: 1 failure, 2 failures."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
