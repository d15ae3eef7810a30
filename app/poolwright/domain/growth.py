"""Steps by which a pool grows after it was made, and how people write them."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.domain.errors import UserError
from poolwright.domain.units import parse_size
from poolwright.domain.vdev import VdevSpec, parse_spec


class GrowthKind(StrEnum):
    """What is done to the pool."""

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
    ``price_per_disk`` in the user's currency.
    """

    kind: GrowthKind
    vdev: VdevSpec | None = None
    size_bytes: int | None = None
    top: int | None = None
    on: str | None = None
    at_percent: int | None = None
    disk_keys: tuple[str, ...] = ()
    price_per_disk: float | None = None
    note: str = ""

    def __str__(self) -> str:
        what = f":{self.vdev}" if self.vdev is not None else f":{self.size_bytes}" if self.size_bytes else ""
        when = f" at {self.at_percent}%" if self.at_percent is not None else f" on {self.on}" if self.on else ""
        return f"{self.kind.value}{what}" + (f"@{self.top + 1}" if self.top is not None else "") + when


MOST_PERCENT = 100
_WHEN = re.compile(r"^(.*?)\s+(?:at\s+([0-9]{1,3})\s*%|on\s+([0-9]{4}-[0-9]{2}(?:-[0-9]{2})?))\s*$", re.IGNORECASE)
_STEP = re.compile(r"^\s*([a-z]+)(?:[:\s]\s*([^@]*?))?\s*(?:@\s*([0-9]{1,6}))?\s*$", re.IGNORECASE)
_HELP = "Write add:raidz2:8x6TB, attach:6TB, replace:12TB, expand, detach or remove, with @2 for the second vdev."
_WITH_SIZE = (GrowthKind.ATTACH, GrowthKind.REPLACE)


def parse_growth_step(text: str) -> GrowthStep:
    """Return the step that ``text`` names: ``add:SPEC``, ``attach:SIZE``, ``replace:SIZE``, ``remove@2``, ….

    ``@N`` is the N-th top-level vdev, counted from 1. `` at 80%`` or `` on 2028-03`` behind it says when. Raises
    UserError with what is wrong and how to write it.
    """
    when = _WHEN.match(text)
    if when is not None:
        step = parse_growth_step(when.group(1))
        percent = int(when.group(2)) if when.group(2) is not None else None
        if percent is not None and not 0 < percent <= MOST_PERCENT:
            raise UserError(f"A pool cannot be {percent} % full", where=text)
        return replace(step, at_percent=percent, on=when.group(3))
    match = _STEP.match(text)
    try:
        kind = GrowthKind(match.group(1).lower()) if match else None
    except ValueError:
        kind = None
    if match is None or kind is None:
        raise UserError(f"“{text}” is not a step of growth", todo=_HELP)
    argument, number = match.group(2) or "", match.group(3)
    top = int(number) - 1 if number is not None else None
    if top is not None and top < 0:
        raise UserError("vdevs are counted from 1", where=text)
    if kind is GrowthKind.ADD:
        if top is not None:
            raise UserError("A vdev that is added has no number yet", where=text, todo=_HELP)
        return GrowthStep(kind=kind, vdev=parse_spec(argument))
    if kind in _WITH_SIZE:
        return GrowthStep(kind=kind, size_bytes=parse_size(argument, what="disk size"), top=top)
    if argument:
        raise UserError(f"{kind.value} takes no “{argument}”", where=text, todo=_HELP)
    return GrowthStep(kind=kind, top=top)
