"""vdevs without their disks: kind, parity, member sizes, and the SPEC notation of the command line."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise
from operator import itemgetter

from poolwright.domain import units
from poolwright.domain.errors import UserError, not_there
from poolwright.domain.version import DRAID_SINCE, ZfsVersion
from poolwright.texts import N_, _, comma, listed, ngettext


class VdevKind(StrEnum):
    STRIPE = "stripe"  # every member is a top-level vdev of its own
    MIRROR = "mirror"
    RAIDZ = "raidz"
    DRAID = "draid"


class VdevClass(StrEnum):
    """What a vdev is for, in the words of `zpool create`, which takes data vdevs without one."""

    DATA = "data"
    SPECIAL = "special"
    DEDUP = "dedup"
    LOG = "log"
    CACHE = "cache"
    SPARE = "spare"


ALLOCATION_CLASSES = (VdevClass.SPECIAL, VdevClass.DEDUP)
# A pool without one of these is gone. A log can be done without, cache and spares hold nothing.
HOLDS_THE_POOL = (VdevClass.DATA, *ALLOCATION_CLASSES)
# As `zpool create` gets them. Data first: it compares neighbours, and what it says depends on order (openzfs#17086).
CLASS_ORDER = (*HOLDS_THE_POOL, VdevClass.LOG, VdevClass.SPARE, VdevClass.CACHE)


def tolerance(kind: VdevKind, width: int, parity: int) -> int:
    """Return how many members of a top-level vdev may be missing: sides of a mirror but one, parity, or none."""
    return max(0, width - 1) if kind is VdevKind.MIRROR else parity


_DRAID = re.compile(r"^draid([123])((?::[0-9]{1,9}[dcs])*)$")
_COUNTED = re.compile(r"^([0-9]{1,9})\s*[xX]\s*(.+)$")
_PLAIN_WORDS = {
    "stripe": (VdevKind.STRIPE, 0),
    "mirror": (VdevKind.MIRROR, 0),
    "raidz": (VdevKind.RAIDZ, 1),
    "raidz1": (VdevKind.RAIDZ, 1),
    "raidz2": (VdevKind.RAIDZ, 2),
    "raidz3": (VdevKind.RAIDZ, 3),
}
_HELP = N_("Write TYPE:NxSIZE or TYPE:SIZE,SIZE,… such as raidz2:8x6TB, mirror:2x960GB, draid2:8d:2s:24x6TB.")
# What those vdevs are called of which only pull requests tell.
UNRELEASED = re.compile(r"any(?:mirror|raidz)")
NOT_RELEASED = N_("AnyRAID is in no OpenZFS release")
_TIMES = str.maketrans("×*", "xx")
MOST_MEMBERS = 100_000
_FEW_VDEVS = 4  # of unlike width, up to which each is named


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevSpec:
    """A vdev by kind, parity and the sizes of its members in bytes.

    ``parity`` is 1-3 for raidz and draid, 0 otherwise. A stripe of N stands for N top-level vdevs of one member
    each. For dRAID, ``draid_data`` is the number of data disks in a redundancy group (None: the default of
    `zpool create`) and ``draid_spares`` the distributed spares. ``disk_bytes`` is the size of the smallest disk on
    which members lie that are slices; None: members are whole disks.
    """

    kind: VdevKind
    sizes: tuple[int, ...] = ()
    parity: int = 0
    vdev_class: VdevClass = VdevClass.DATA
    draid_data: int | None = None
    draid_spares: int = 0
    disk_bytes: int | None = None

    @property
    def width(self) -> int:
        return len(self.sizes)

    @property
    def word(self) -> str:
        """Return the kind as SPEC and people write it: ``raidz2``, ``mirror``, ``draid2:8d:2s``."""
        if self.kind is VdevKind.DRAID:
            data = f":{self.draid_data}d" if self.draid_data is not None else ""
            spares = f":{self.draid_spares}s" if self.draid_spares else ""
            return f"draid{self.parity}{data}{spares}"
        return f"raidz{self.parity}" if self.kind is VdevKind.RAIDZ else self.kind.value

    @property
    def exact_word(self) -> str:
        """Return the kind as zpool calls it, dRAID in full: no default of another version can change its layout."""
        if self.kind is VdevKind.DRAID:
            return f"draid{self.parity}:{self.group_data}d:{self.width}c:{self.draid_spares}s"
        return self.word

    @property
    def failures_survived(self) -> int:
        return tolerance(self.kind, self.width, self.parity)

    @property
    def data_disks(self) -> int:
        """Return how many members' worth of data one full stripe carries (dRAID: per redundancy group)."""
        if self.kind is VdevKind.MIRROR:
            return 1
        if self.kind is VdevKind.DRAID:
            return self.group_data
        return self.width - self.parity

    @property
    def group_data(self) -> int:
        """Return the data disks of a dRAID redundancy group, with the default of `zpool create` filled in."""
        if self.draid_data is not None:
            return self.draid_data
        return max(0, min(self.width - self.draid_spares - self.parity, 8))

    def __str__(self) -> str:
        return self.written(units.written_bytes)

    def written(self, size_text: Callable[[int], str]) -> str:
        front = "" if self.vdev_class is VdevClass.DATA else f"{self.vdev_class.value}/"
        if len(set(self.sizes)) == 1:
            return f"{front}{self.word}:{self.width}x{size_text(self.sizes[0])}"
        return f"{front}{self.word}:{','.join(map(size_text, self.sizes))}"


Layout = tuple[VdevSpec, ...]


def parse_spec(text: str, *, exact: bool = False) -> VdevSpec:
    """Return the vdev that a SPEC describes.

    Members are disks: ``6TB`` is the drive that is sold as 6 TB. With ``exact`` they are files, whose ``6TB`` are
    6,000,000,000,000 bytes. Raises UserError with what is wrong and how to write it.
    """
    front, slash, rest = text.strip().partition("/")
    vdev_class = VdevClass.DATA
    if slash:
        try:
            vdev_class = VdevClass(front.strip().lower())
        except ValueError:
            raise not_there(front, VdevClass, where=units.shortened(text)) from None
    else:
        rest = front
    word, colon, sizes_text = rest.rpartition(":")
    word = word.strip().lower()
    if not colon or not word:
        raise units.not_understood(text, _(_HELP))
    kind, parity, data, spares = _parse_word(word, text)
    sizes = _parse_sizes(sizes_text, text, units.parse_size if exact else units.parse_drive_size)
    declared = re.findall(r":([0-9]+)c", word) if kind is VdevKind.DRAID else ()
    if declared and len(sizes) == 1 and int(declared[-1]) <= MOST_MEMBERS:
        sizes *= int(declared[-1])
    if declared and int(declared[-1]) != len(sizes):
        raise UserError(
            _(
                "{word} declares {declared} children but lists {count}",
                word=word[:40],
                declared=declared[-1],
                count=len(sizes),
            ),
            where=units.shortened(text),
        )
    return VdevSpec(kind=kind, sizes=sizes, parity=parity, vdev_class=vdev_class, draid_data=data, draid_spares=spares)


def _parse_word(word: str, text: str) -> tuple[VdevKind, int, int | None, int]:
    if word in _PLAIN_WORDS:
        kind, parity = _PLAIN_WORDS[word]
        return kind, parity, None, 0
    match = _DRAID.match("draid1" + word[5:] if word == "draid" or word.startswith("draid:") else word)
    if UNRELEASED.match(word):
        raise UserError(_(NOT_RELEASED), where=units.shortened(text), todo=_(_HELP))
    if match is None:
        raise units.not_understood(word, _(_HELP), where=units.shortened(text))
    options = dict(reversed(o) for o in re.findall(r":([0-9]+)([dcs])", match.group(2)))
    data = int(options["d"]) if "d" in options else None
    return VdevKind.DRAID, int(match.group(1)), data, int(options.get("s", 0))


def _parse_sizes(text: str, spec: str, parse: Callable[..., int]) -> tuple[int, ...]:
    sizes: list[int] = []
    for part in text.translate(_TIMES).split(","):
        match = _COUNTED.match(part.strip())
        count, size_text = (int(match.group(1)), match.group(2)) if match else (1, part)
        if not 0 < count <= MOST_MEMBERS or len(sizes) + count > MOST_MEMBERS:
            raise units.out_of_range(count, 1, MOST_MEMBERS, of=units.shortened(spec))
        sizes.extend([parse(size_text)] * count)
    return tuple(sizes)


def shares_of(spec: VdevSpec) -> tuple[float, float]:
    """Return which share of a vdev holds data, and which its distributed spares; the rest is redundancy."""
    if spec.kind is VdevKind.STRIPE or not spec.width:
        return 1.0, 0.0
    spares = spec.draid_spares / spec.width
    group = spec.data_disks + spec.parity if spec.kind is VdevKind.DRAID else spec.width
    return spec.data_disks / group * (1 - spares), spares


def describe(layout: Layout) -> str:
    """Return a layout in a few words: ``5 × raidz2 of 8, 4 spares``."""
    parts: list[str] = []
    # Equal vdevs are mostly one object, which is told apart much faster than by its words.
    runs = [(spec, len(tuple(run))) for spec, run in groupby(layout)]
    # What neighbours share that are told together: a stripe of two is two single disks.
    shared = [(one.vdev_class, one.word, None if one.kind is VdevKind.STRIPE else one.width) for one, __ in runs]
    for (vdev_class, word, width), alike in groupby(zip(shared, runs, strict=True), key=itemgetter(0)):
        counts = [(spec.width, count) for __, (spec, count) in alike]
        disks, count = sum([each * times for each, times in counts]), sum([times for __, times in counts])
        front = "" if vdev_class is VdevClass.DATA else f"{vdev_class.value} "
        if vdev_class is VdevClass.SPARE:
            parts.append(ngettext("{count} spare", "{count} spares", disks))
        elif width is None:
            parts.append(front + (_("single disk") if disks == 1 else _("stripe of {count}", count=disks)))
        else:
            front += f"{count} × " if count > 1 else ""
            parts.append(front + _("{word} of {width}", word=word, width=width))
    return comma().join(parts)


def short_words(layout: Layout) -> str:
    """Return the same in fewer words where vdevs differ only in width: ``raidz2 of 8, 8 and 7, 1 spare``."""
    parts: list[str] = []
    for (vdev_class, word), alike in groupby(layout, key=lambda spec: (spec.vdev_class, spec.word)):
        specs = tuple(alike)
        runs = [(width, len(tuple(run))) for width, run in groupby(spec.width for spec in specs)]
        if len(runs) == 1 or specs[0].kind is VdevKind.STRIPE:
            parts.append(describe(specs))
            continue
        front = word if vdev_class is VdevClass.DATA else f"{vdev_class.value} {word}"
        if len(specs) <= _FEW_VDEVS:
            widths = listed([str(spec.width) for spec in specs])
        else:
            front = f"{runs[0][1]} × {front}"
            others = (_("{count} of {width}", count=count, width=width) for width, count in runs[1:])
            widths = listed([str(runs[0][0]), *others])
        parts.append(_("{word} of {width}", word=front, width=widths))
    return comma().join(parts)


def disks_and_kind(layout: Layout) -> str:
    """Return how a person calls a design, by its disks and what they make: ``24 × 16 TB, raidz2``."""
    specs = [spec for spec in layout if spec.vdev_class in (VdevClass.DATA, VdevClass.SPARE)]
    if any(spec.disk_bytes is not None for spec in specs):  # of slices: how many disks there are is not told
        return short_words(layout)
    counts = Counter(units.drive_size(size) for spec in specs for size in spec.sizes)
    disks = " + ".join(f"{count} × {size}" for size, count in counts.items())
    kinds = dict.fromkeys(s.word.partition(":")[0] for s in specs if s.vdev_class is VdevClass.DATA)
    return ", ".join(filter(None, (disks, " + ".join(kinds))))


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
_ASKED = re.compile(r":@?([0-9]{1,4})$")


def parse_layout(words: Iterable[str], *, size_of: SizeOf | None = None, exact: bool = False) -> Layout:
    """Return the vdevs that the words describe, joined by blanks, ; + or commas.

    ``N*SPEC`` is N equal vdevs. ``TYPE of WIDTH`` and ``N spares`` take the size of their members from ``size_of``.
    ``exact`` as in `parse_spec`. Raises UserError with what is wrong and how to write it.
    """
    given = tuple(words)
    text = " ".join(" ".join(given).split())
    if not all(word.strip() for word in given or ("",)):
        raise UserError(_("No vdev is named"), where=units.shortened(text), todo=_("Write such as raidz2:8x6TB."))
    if "(" in text:
        raise units.not_understood(text, _("Write the sizes of the members: raidz2:8TB,8TB,6TB,6TB."))
    for pattern, piece in _WORDS:
        text = pattern.sub(piece, text)
    found: list[VdevSpec] = []
    for part in _BETWEEN.split(text):
        found.extend(_vdevs(part, size_of, exact=exact) if part else ())
        if len(found) > MOST_MEMBERS:
            raise units.out_of_range(len(found), 1, MOST_MEMBERS)
    return tuple(found)


def _vdevs(part: str, size_of: SizeOf | None, *, exact: bool) -> list[VdevSpec]:
    count, star, spec = part.partition("*")
    if not (star and count.isdecimal()):
        count, spec = "1", part
    if len(count) > _MOST_DIGITS or int(count) > MOST_MEMBERS:
        raise units.out_of_range(count, 1, MOST_MEMBERS)
    return [_vdev(spec, size_of, exact=exact)] * int(count)


def _vdev(spec: str, size_of: SizeOf | None, *, exact: bool) -> VdevSpec:
    asked = _ASKED.search(spec)
    if asked is None:
        return parse_spec(spec, exact=exact)
    front = spec[: asked.start()]
    if size_of is None:
        raise UserError(
            _("The size of the disks is not told"),
            where=f"{units.shortened(front)} of {asked[1]}",
            todo=_("Write such as raidz2:8x6TB."),
        )
    word, slash, __ = front.partition("/")
    known = slash and word in set(VdevClass)
    size = size_of(VdevClass(word) if known else VdevClass.DATA)
    return parse_spec(f"{front}:{asked[1]}x{units.written_bytes(size)}", exact=exact)


# Which vdevs `zpool` takes beside each other, and which only with -f.

# Members of one vdev may differ by this much from their neighbour (ZPOOL_FUZZ).
SIZE_SLACK_BYTES = 16 * units.MIB
# Classes that are not compared.
NOT_COMPARED = (VdevClass.LOG, VdevClass.CACHE, VdevClass.SPARE)
_WITH_PARITY = (VdevKind.RAIDZ, VdevKind.DRAID)
_MIRROR_BESIDE_PARITY_SINCE = ZfsVersion(0, 7, 0)
_ADDED_BY_PARITY_SINCE = ZfsVersion(2, 4, 0)


def created_alike(
    left: VdevSpec, right: VdevSpec, version: ZfsVersion, *, by_parity_since: ZfsVersion = DRAID_SINCE
) -> bool:
    """Tell whether one command of ``version`` takes both without -f: raidz and dRAID by their parity since 2.1."""
    parities = (left.kind in _WITH_PARITY) + (right.kind in _WITH_PARITY)
    if parities == 2 and version >= by_parity_since:
        return left.parity == right.parity
    mirror_beside = parities == 1 and VdevKind.MIRROR in (left.kind, right.kind)
    if mirror_beside and version >= _MIRROR_BESIDE_PARITY_SINCE:
        return left.failures_survived == right.failures_survived
    if left.kind is not right.kind or left.parity != right.parity:
        return False
    return left.kind is VdevKind.STRIPE or left.width == right.width


def added_alike(old: VdevSpec, new: VdevSpec, version: ZfsVersion) -> bool:
    """Tell whether `zpool add` of ``version`` takes the new vdev beside the pool's last one without -f."""
    return created_alike(old, new, version, by_parity_since=_ADDED_BY_PARITY_SINCE)


def mixed(specs: Iterable[VdevSpec], version: ZfsVersion) -> bool:
    """Tell whether vdevs differ from the one before them so that one command with all of them wants -f."""
    return any(not created_alike(one, other, version) for one, other in pairwise(compared(specs)))


def sizes_alike(spec: VdevSpec) -> bool:
    neighbours = pairwise(spec.sizes)
    return spec.kind is VdevKind.STRIPE or all(abs(a - b) <= SIZE_SLACK_BYTES for a, b in neighbours)


def add_wants_force(pool: Iterable[VdevSpec], new: VdevSpec, version: ZfsVersion) -> bool:
    """Tell whether `zpool add` of ``version`` wants -f for a new vdev.

    It is held against the last vdev, and against none where those of the pool differ already: check_replication
    returns where get_replication finds no common level.
    """
    old = compared(pool)
    if new.vdev_class in NOT_COMPARED or not old or mixed(old, version) or not all(map(sizes_alike, old)):
        return False
    return not added_alike(old[-1], new, version)


def compared(specs: Iterable[VdevSpec]) -> list[VdevSpec]:
    return [spec for spec in specs if spec.vdev_class not in NOT_COMPARED]
