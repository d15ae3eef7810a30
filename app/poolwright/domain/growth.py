"""Steps by which a pool grows after it was made, and how people write them."""

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from poolwright.domain.money import Money
from poolwright.domain.units import drive_word, not_understood, out_of_range, parse_drive_size, parse_size, shortened
from poolwright.domain.vdev import VdevSpec, parse_spec
from poolwright.texts import N_, _


class GrowthKind(StrEnum):
    ADD = "add"  # a vdev is added
    ATTACH = "attach"  # a disk joins a mirror, a single disk (making it a mirror) or a raidz
    REPLACE = "replace"  # every member of a vdev gives way to another disk, one after the other
    EXPAND = "expand"  # a vdev takes the room its members have: zpool online -e
    DETACH = "detach"  # a side of a mirror leaves
    REMOVE = "remove"  # a vdev leaves, its data move to the others


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthStep:
    """One step of a plan.

    ``vdev`` is what `add` adds. ``size_bytes`` is the size of each disk that `attach` and `replace` bring. ``top`` is
    the number of the top-level vdev it is done to, from 0 in the order of `zpool status` (cache and spares are not
    counted). When: ``on`` is a date (ISO), ``at_percent`` a fill level; neither means as soon as the step before it
    is done. ``disk_keys`` are disks of the design that are used; what they do not cover is bought for
    ``price_per_disk``, said on ``price_on`` (ISO date; empty where nobody knows).
    """

    kind: GrowthKind
    vdev: VdevSpec | None = None
    size_bytes: int | None = None
    top: int | None = None
    on: str | None = None
    at_percent: int | None = None
    disk_keys: tuple[str, ...] = ()
    price_per_disk: Money | None = None
    price_on: str = ""
    note: str = ""

    def __str__(self) -> str:
        size = f":{drive_word(self.size_bytes)}" if self.size_bytes else ""
        what = size if self.vdev is None else f":{self.vdev.written(drive_word)}"
        when = f" at {self.at_percent}%" if self.at_percent is not None else f" on {self.on}" if self.on else ""
        return f"{self.kind.value}{what}" + (f"@{self.top + 1}" if self.top is not None else "") + when


MOST_PERCENT = 100
_DAY = re.compile(r"([0-9]{4}-[0-9]{2})(-[0-9]{2})?\Z")
_PERCENT = re.compile(r"([0-9]{1,3})%?\Z")
_KIND = re.compile(r"[a-z]+", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,6}\Z")
_HELP = N_("Write add:raidz2:8x6TB, attach:6TB, replace:12TB, expand, detach or remove, with @2 for the second vdev.")
_WITH_SIZE = (GrowthKind.ATTACH, GrowthKind.REPLACE)


def parse_growth_step(text: str, *, exact: bool = False) -> GrowthStep:
    """Return the step that ``text`` names: ``add:SPEC``, ``attach:SIZE``, ``replace:SIZE``, ``remove@2``, ….

    ``@N`` is the N-th top-level vdev, counted from 1. `` at 80%`` or `` on 2028-03`` behind it says when. Sizes are
    those of disks, ``6TB`` is the drive sold as 6 TB; with ``exact`` they are those of files. Raises UserError with
    what is wrong and how to write it.
    """
    words = text.split()
    if len(words) > 2 and words[-1] == "%":
        words[-2:] = [words[-2] + "%"]
    when = words[-2].lower() if len(words) > 2 else ""
    if when == "at" and (level := _PERCENT.match(words[-1])) is not None:
        percent = int(level.group(1))
        if not 0 < percent <= MOST_PERCENT:
            raise out_of_range(f"{percent} %", 1, MOST_PERCENT)
        return replace(_step(" ".join(words[:-2]), exact), at_percent=percent)
    if when == "on" and parse_day(words[-1]):
        return replace(_step(" ".join(words[:-2]), exact), on=words[-1])
    return _step(" ".join(words), exact)


def parse_day(text: str) -> date | None:
    """Return the day ``2028-03-15``, or the first of ``2028-03``; None where it is neither."""
    day = _DAY.match(text)
    with suppress(ValueError):
        return date.fromisoformat(day[1] + (day[2] or "-01")) if day is not None else None
    return None


def _step(text: str, exact: bool) -> GrowthStep:
    named = _KIND.match(text)
    try:
        kind = GrowthKind(named.group().lower() if named else "")
    except ValueError:
        raise not_understood(text, _(_HELP)) from None
    argument, at, number = text[len(kind.value) :].partition("@")
    argument = argument.strip().removeprefix(":").strip()
    if at and not _NUMBER.match(number.strip()):
        raise not_understood(text, _(_HELP))
    top = int(number) - 1 if at else None
    if top is not None and top < 0:
        raise out_of_range("@0", 1, of=shortened(text))
    if kind is GrowthKind.ADD:
        if top is not None:
            raise not_understood(text, _(_HELP))
        return GrowthStep(kind=kind, vdev=parse_spec(argument, exact=exact))
    if kind in _WITH_SIZE:
        parse = parse_size if exact else parse_drive_size
        return GrowthStep(kind=kind, size_bytes=parse(argument), top=top)
    if argument:
        raise not_understood(argument, _(_HELP), where=shortened(text))
    return GrowthStep(kind=kind, top=top)
