"""Linux software RAID 6 on paper: what a ZFS design is compared with. Poolwright does not design it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.number import shortened
from poolwright.domain.units import KIB, written_bytes
from poolwright.domain.vdev import MOST_MEMBERS, Layout, VdevClass, VdevKind, VdevSpec, parse_spec
from poolwright.texts import tell, tell_counted

LEAST_RAID6_DISKS = 4  # mdadm takes no fewer
RAID6_PARITY = 2
DEFAULT_CHUNK_BYTES = 512 * KIB  # mdadm's default since 3.1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class MdRaid6:
    """One or several RAID 6 arrays of whole disks, striped into one device where there are several.

    ``device_name`` is the name under /dev/md, ``spares`` are shared by all arrays. Every disk has a known size.
    """

    name: str
    device_name: str
    arrays: tuple[tuple[Disk, ...], ...]
    spares: tuple[Disk, ...] = ()
    chunk_bytes: int = DEFAULT_CHUNK_BYTES

    @property
    def disks(self) -> tuple[Disk, ...]:
        return (*(disk for array in self.arrays for disk in array), *self.spares)

    def twin_layout(self) -> Layout:
        """Return the raidz2 layout of the same disks, whose predictions are scaled for this one."""
        vdevs = tuple(
            VdevSpec(kind=VdevKind.RAIDZ, parity=RAID6_PARITY, sizes=tuple(disk.size_bytes or 0 for disk in array))
            for array in self.arrays
        )
        if not self.spares:
            return vdevs
        sizes = tuple(disk.size_bytes or 0 for disk in self.spares)
        return (*vdevs, VdevSpec(kind=VdevKind.STRIPE, vdev_class=VdevClass.SPARE, sizes=sizes))

    @property
    def words(self) -> str:
        """Return the layout in a few words: 5 × RAID 6 of 8, striped, 4 spares."""
        widths = [len(array) for array in self.arrays]
        sizes = "/".join(str(width) for width in sorted(set(widths), reverse=True))
        text = (
            tell("{count} × RAID 6 of {sizes}, striped", count=len(widths), sizes=sizes)
            if len(widths) > 1
            else tell("RAID 6 of {sizes}", sizes=sizes)
        )
        if not self.spares:
            return text
        return f"{text}, {tell_counted('{count} spare', '{count} spares', len(self.spares))}"


# Whole layouts as people and this program write them: ``4*raidz2:8x6TB`` and “4 × raidz2 of 8, 1 spare”.

SizeOf = Callable[[VdevClass], int]

_MOST_DIGITS = 9
# What the words become, so that each vdev is one piece without blanks: ``2*raidz2:@6``.
_WORDS = (
    (re.compile(r"single disk\b"), "stripe:@1"),
    (re.compile(r"([0-9])\s*[x×*]\s*(?=[a-z])"), r"\1*"),
    (re.compile(r"(?<=[a-z0-9]) of (?=[0-9])"), ":@"),
    # As zpool names such a vdev: it says how many children there are.
    (re.compile(r"\b(draid[123]?(?::[0-9]+[ds])*:([0-9]+)c(?::[0-9]+[ds])*)(?:-[0-9]+)?(?=[\s;+,]|$)"), r"\1:@\2"),
    (re.compile(r"\b([0-9]+) spares?\b"), r"spare/stripe:@\1"),
    (re.compile(r"\b(special|dedup|log|cache) ([0-9]+\*)"), r"\2\1/"),
    (re.compile(r"\b(special|dedup|log|cache) (?=[a-z])"), r"\1/"),
)
# Between vdevs, where a new one begins: blanks and commas also stand between and within the sizes of members.
_BETWEEN = re.compile(r"(?<![\s;+,])[\s;+,]++(?=(?:[0-9]+\*)?[a-z]+[0-9]?[:/])")
_ASKED = re.compile(r":@([0-9]{1,6})$")


def parse_layout(words: Iterable[str], *, size_of: SizeOf | None = None, exact: bool = False) -> Layout:
    """Return the vdevs that the words describe, joined by blanks, ; + or commas.

    ``N*SPEC`` is N equal vdevs. ``TYPE of WIDTH`` and ``N spares`` take the size of their members from ``size_of``.
    ``exact`` as in `parse_spec`. Raises UserError with what is wrong and how to write it.
    """
    told = tuple(words)
    text = " ".join(" ".join(told).split())
    if not all(word.strip() for word in told or ("",)):
        raise UserError(tell("No vdev is named"), where=shortened(text), todo=tell("Write such as raidz2:8x6TB."))
    if "(" in text:
        raise UserError(
            tell("A layout with sizes in brackets is not understood"),
            where=shortened(text),
            todo=tell("Write the sizes of the members: raidz2:8TB,8TB,6TB,6TB."),
        )
    for pattern, piece in _WORDS:
        text = pattern.sub(piece, text)
    found: list[VdevSpec] = []
    for part in _BETWEEN.split(text):
        found.extend(_vdevs(part, size_of, exact=exact) if part else ())
        if len(found) > MOST_MEMBERS:
            raise UserError(tell("More than {most_members} vdevs are not a possible number", most_members=MOST_MEMBERS))
    return tuple(found)


def _vdevs(part: str, size_of: SizeOf | None, *, exact: bool) -> list[VdevSpec]:
    count, star, spec = part.partition("*")
    if not (star and count.isdecimal()):
        count, spec = "1", part
    if len(count) > _MOST_DIGITS or int(count) > MOST_MEMBERS:
        raise UserError(tell("{count} vdevs are not a possible number", count=shortened(count)))
    return [_vdev(spec, size_of, exact=exact)] * int(count)


def _vdev(spec: str, size_of: SizeOf | None, *, exact: bool) -> VdevSpec:
    asked = _ASKED.search(spec)
    if asked is None:
        return parse_spec(spec, exact=exact)
    front = spec[: asked.start()]
    if size_of is None:
        raise UserError(
            tell("The size of the disks is not told"),
            where=f"{shortened(front)} of {asked[1]}",
            todo=tell("Write it, such as raidz2:8x6TB."),
        )
    word, slash, _ = front.partition("/")
    known = slash and word in set(VdevClass)
    size = size_of(VdevClass(word) if known else VdevClass.DATA)
    return parse_spec(f"{front}:{asked[1]}x{written_bytes(size)}", exact=exact)
