"""What was understood of something typed, in other units than people are likely to have used."""

from math import log

from poolwright.domain.rates import rate_text
from poolwright.domain.units import GB, MIB, binary, decimal, drive_size
from poolwright.domain.vdev import Layout
from poolwright.texts import tell

_DAYS_FROM = 48
_SIZES_TOLD = 4
_SMALL_CHANCE = 0.1


def size_read(size: int) -> str:
    """Return an amount of data both ways: ``100 GB = 93.1 GiB``; a small one in bytes."""
    if size < MIB:
        told = tell("{size:,} bytes", size=size)
        return told if size < 1024 else f"{binary(size)} = {told}"
    return f"{decimal(size)} = {binary(size)}"


def drive_read(size: int) -> str:
    """Return what a disk's size stands for: the drive that is sold so, and its bytes."""
    return tell(
        "a disk of {size}: {size2:,} bytes, {size3}",
        size=drive_size(size) if size >= GB else decimal(size),
        size2=size,
        size3=binary(size),
    )


def members_read(layout: Layout) -> str:
    """Return of which disks a layout is, by the sizes of its members."""
    sizes = dict.fromkeys(size for spec in layout for size in spec.sizes)
    told = [f"{drive_size(size) if size >= GB else decimal(size)} ({size:,} bytes)" for size in sizes]
    shown = (
        told
        if len(told) <= _SIZES_TOLD
        else [*told[:_SIZES_TOLD], tell("{sizes_told} other sizes", sizes_told=len(told) - _SIZES_TOLD)]
    )
    return tell("members of {shown}", shown=", ".join(shown))


def link_read(bytes_per_second: float) -> str:
    """Return the rate of a network link in bits and bytes: ``10 Gbit/s = 1.25 GB/s``."""
    bits = bytes_per_second * 8
    factor, unit = next(((f, u) for f, u in ((1e9, "Gbit/s"), (1e6, "Mbit/s")) if bits >= f), (1e3, "kbit/s"))
    return f"{bits / factor:.4g} {unit} = {rate_text(bytes_per_second)}"


def rate_read(bytes_per_second: float) -> str:
    """Return the rate of a disk or a pool both ways: ``800 MB/s = 763 MiB/s``."""
    return f"{rate_text(bytes_per_second)} = {binary(round(bytes_per_second))}/s"


def growth_read(percent: float) -> str:
    """Return what a growth in per cent a year comes to."""
    if percent <= 0:
        return tell("no growth")
    return tell(
        "{percent:g} % a year: twice as much in {percent2:.1f} years",
        percent=percent,
        percent2=log(2) / log(1 + percent / 100),
    )


def chance_read(probability: float) -> str:
    """Return a yearly probability in per cent and as odds."""
    percent = tell("{percent:.4g} % a year", percent=100 * probability)
    return (
        tell("{percent}: 1 in {count:,.0f}", percent=percent, count=1 / probability)
        if 0 < probability < _SMALL_CHANCE
        else percent
    )


def hours_read(hours: float) -> str:
    """Return a time in hours, with days where it is long."""
    if hours < 1:
        return tell("{minutes:.3g} minutes", minutes=hours * 60)
    if hours < _DAYS_FROM:
        return tell("{hours:.4g} hours", hours=hours)
    return tell("{hours:.4g} hours = {days:.3g} days", hours=hours, days=hours / 24)
