"""Rates as people type them, and as they are told.

A link of a network counts bits, ``10G`` is 10 Gbit/s; a disk or a pool counts bytes. Everywhere ``bit`` and a small b
behind a capital letter (``Gbit/s``, ``Gb/s``) are bits, a capital B (``MB/s``) is bytes. All letters small, ``mb/s``,
may be either and is refused, but for ``mbps`` and ``gbps`` of a network.
"""

import re
from decimal import Decimal
from math import log

from poolwright.domain.errors import UserError
from poolwright.domain.units import (
    GB,
    MB,
    MIB,
    binary,
    decimal,
    drive_size,
    number_and_unit,
    shortened,
    unit_missing,
    unit_unknown,
)
from poolwright.domain.vdev import Layout
from poolwright.texts import N_, _, ngettext, numeral

# No disk and no network of a pool is slower or faster; a smaller number lacks its unit.
SLOWEST = 100_000
FASTEST = 10**15
# Bare numbers are bytes a second only where kB/s, as iostat prints them, are out of the question.
RATE_UNITS = {"MB/s": MB, "GB/s": GB}
_LEAST_BARE = 10**7
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_PER_SECOND = ("/second", "/sec", "/s", "ps")
# What programs print of a large number; people do not write it.
_SCIENTIFIC = re.compile(r"[0-9]{1,17}(?:\.[0-9]{1,17})?e\+?[0-9]{1,2}\Z", re.IGNORECASE)
_LARGEST_GIGABIT = 400
_LONGEST_UNIT = 40
_LINK_HELP = N_("Write a rate with its unit: 10 Gbit/s, 25GbE, 1.2 GB/s.")
_DISK_HELP = N_("Write a rate with its unit: 180 MB/s, 1.2 GiB/s, 10 Gbit/s.")


def parse_link_rate(text: str) -> int:
    """Return the bytes/s of a network link: ``10G``, ``10GbE``, ``10 Gbit/s`` and ``1.25 GB/s`` are the same.

    Raises UserError for a number without a unit, and for what is no rate.
    """
    number, unit = _taken(text, _(_LINK_HELP))
    if not unit:
        raise unit_missing(text, ("Gbit/s", "GB/s") if number <= _LARGEST_GIGABIT else ("Mbit/s", "MB/s"), "B/s")
    factor = _ethernet(unit) or _factor(unit, text, link=True, help_=_(_LINK_HELP))
    return int(_in_range(number * factor, text, _(_LINK_HELP), 1))


def parse_disk_rate(text: str) -> float:
    """Return the bytes/s of a disk, of links to disks or of a pool: ``180 MB/s``, ``180MB``, ``1.2GiB/s``, ``180M``.

    The bare letter counts in 1024s as `zpool iostat` does. A bare number is bytes/s from ten million on. Raises
    UserError.
    """
    scientific = _SCIENTIFIC.match(text.strip())
    number, unit = (Decimal(scientific.group()), "") if scientific else _taken(text, _(_DISK_HELP))
    if not unit and number < _LEAST_BARE:
        raise unit_missing(text, ("MB/s", "MiB/s"), "B/s")
    factor = (Decimal(1) if not unit else _ethernet(unit)) or _factor(unit, text, link=False, help_=_(_DISK_HELP))
    return float(_in_range(number * factor, text, _(_DISK_HELP)))


def rate_text(bytes_per_second: float) -> str:
    return f"{decimal(round(bytes_per_second))}/s"


def rate_unit(largest: float) -> tuple[int, str]:
    """Return in what the rates of a chart up to ``largest`` bytes/s are counted, as `rate_text` tells them."""
    unit = "GB/s" if largest >= GB else "MB/s"
    return RATE_UNITS[unit], unit


def _taken(text: str, help_: str) -> tuple[Decimal, str]:
    number, unit = number_and_unit(text, help_)
    return number, "".join(unit[:_LONGEST_UNIT].split())


def _in_range(rate: Decimal, text: str, help_: str, least: int = SLOWEST) -> Decimal:
    if not least <= rate <= FASTEST:
        raise UserError(_("{text} is out of range", text=shortened(text)), todo=help_)
    return rate


def _ethernet(unit: str) -> Decimal | None:
    word = unit.casefold()
    for ending in ("be", "base-t", "baset", "ethernet"):
        if word.endswith(ending) and len(word) == len(ending) + 1 and word[0] in "mg":
            return Decimal(1000 ** _POWERS[word[0]]) / 8
    return None


def _factor(unit: str, text: str, *, link: bool, help_: str) -> Decimal:
    ending = next((e for e in _PER_SECOND if unit.casefold().endswith(e)), "")
    bare = unit[: len(unit) - len(ending)]
    prefix, rest = (bare[:1], bare[1:]) if bare[:1].casefold() in "kmgt" and bare else ("", bare)
    binary = rest[:2].casefold() == "ib"
    rest = rest[1:] if binary else rest
    power = _POWERS[prefix.casefold()]
    size = Decimal(1024**power if binary else 1000**power)
    word = rest.casefold()
    if word in ("bit", "bits"):
        return size / 8
    if word in ("byte", "bytes") or rest == "B":
        return size
    if rest == "b":
        if bare != bare.casefold() or (link and ending == "ps"):
            return size / 8
        big = prefix.upper() + ("i" if binary else "")
        raise UserError(
            _("{unit} in {text} can be bytes or bits", unit=shortened(unit), text=shortened(text)),
            todo=_("Write {big}B/s for bytes or {big}bit/s for bits.", big=big),
        )
    if not rest and prefix:
        return size / 8 if link else Decimal(1024**power)
    if not bare and not link:
        return Decimal(1)
    raise unit_unknown(unit, text, help_)


# What was understood of something typed, in other units than people are likely to have used.

_DAYS_FROM = 48
_SIZES_TOLD = 4
_SMALL_CHANCE = 0.1


def size_read(size: int) -> str:
    if size < MIB:
        exact = ngettext("{count} byte", "{count} bytes", size)
        return exact if size < 1024 else f"{binary(size)} = {exact}"
    return f"{decimal(size)} = {binary(size)}"


def drive_read(size: int) -> str:
    """Return what a disk's size stands for: the drive that is sold so, and its bytes."""
    return _(
        "a disk of {size}: {size2:,} bytes, {size3}",
        size=drive_size(size) if size >= GB else decimal(size),
        size2=size,
        size3=binary(size),
    )


def members_read(layout: Layout) -> str:
    sizes = dict.fromkeys(size for spec in layout for size in spec.sizes)
    words = [f"{drive_size(size) if size >= GB else decimal(size)} ({numeral(size)} {_('bytes')})" for size in sizes]
    if len(words) > _SIZES_TOLD:
        words[_SIZES_TOLD:] = [_("{more} other sizes", more=len(words) - _SIZES_TOLD)]
    return _("members of {shown}", shown=", ".join(words))


def link_read(bytes_per_second: float) -> str:
    bits = bytes_per_second * 8
    factor, unit = next(((f, u) for f, u in ((1e9, "Gbit/s"), (1e6, "Mbit/s")) if bits >= f), (1e3, "kbit/s"))
    return f"{numeral(bits / factor, '.4g', unit)} = {rate_text(bytes_per_second)}"


def rate_read(bytes_per_second: float) -> str:
    return f"{rate_text(bytes_per_second)} = {binary(round(bytes_per_second))}/s"


def growth_read(percent: float) -> str:
    if percent <= 0:
        return _("no growth")
    return _(
        "{percent:g} % a year: twice as much in {percent2:.1f} years",
        percent=percent,
        percent2=log(2) / log(1 + percent / 100),
    )


def chance_read(probability: float) -> str:
    percent = _("{percent:.4g} % a year", percent=100 * probability)
    if not 0 < probability < _SMALL_CHANCE:
        return percent
    return f"{percent}: {_('1 in {count}', count=numeral(1 / probability, ',.0f'))}"


def hours_read(hours: float) -> str:
    if hours < 1:
        return numeral(hours * 60, ".3g", "min")
    text = numeral(hours, ".4g", "h")
    return text if hours < _DAYS_FROM else f"{text} = {numeral(hours / 24, '.3g', 'd')}"
