"""Which of the ticked disks count as equal, in which order they are assigned, and what is packed of them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations, pairwise

from poolwright.capacity.device import MOST_ASHIFT, SAFE_ASHIFT, whole_disk_for
from poolwright.domain.as_built import left_beside
from poolwright.domain.disk import Disk, Health, Media
from poolwright.domain.errors import UserError
from poolwright.domain.reserve import ReservedPartition, sliceable_bytes, whole_slice
from poolwright.domain.units import GB, drive_size
from poolwright.domain.vdev import SIZE_SLACK_BYTES
from poolwright.domain.version import ZfsVersion
from poolwright.texts import _

_NUMBERS = re.compile(r"[0-9]+")
# Where a disk stands, by numbers: its enclosure, its controller, its delivery, `UNKNOWN` where nobody told.
Label = tuple[int, ...]
UNKNOWN = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskKind:
    """Disks of one media class whose sizes OpenZFS takes as equal; ``least_bytes`` is the smallest of them.

    ``beside`` tells that the disks of another medium have more bytes.
    """

    disks: tuple[Disk, ...]
    media: Media | None
    least_bytes: int
    beside: bool = False

    @property
    def raw_bytes(self) -> int:
        """Return the bytes of all of them, each taken for the smallest."""
        return self.least_bytes * len(self.disks)

    @property
    def shingled(self) -> bool:
        return bool(self.disks[0].smr)

    @property
    def words(self) -> str:
        """Return which disks they are, as packed layouts name them: 16 TB, 8 TB SMR, 1 TB NVMe beside larger ones."""
        return self.full_words if self.beside else f"{drive_size(self.least_bytes)}{' SMR' if self.shingled else ''}"

    @property
    def full_words(self) -> str:
        """Return the same with the medium always."""
        words = (drive_size(self.least_bytes), "SMR" if self.shingled else "", self.media.words if self.media else "")
        return " ".join(word for word in words if word)


def equal_groups(disks: Iterable[Disk]) -> tuple[DiskKind, ...]:
    """Return the disks in groups of equal size and media, shingled ones apart, the group with most raw bytes first.

    Disks of unknown size are left out: nothing can be computed for them.
    """
    groups: list[list[Disk]] = []
    raw: Counter[Media | None] = Counter()
    for disk in sorted(disks, key=lambda d: (str(d.media), bool(d.smr), d.size_bytes or 0)):
        if disk.size_bytes is None:
            continue
        raw[disk.media] += disk.size_bytes
        first = groups[-1][0] if groups else None
        alike = first and first.media is disk.media and bool(first.smr) == bool(disk.smr)
        if first and alike and disk.size_bytes - (first.size_bytes or 0) <= SIZE_SLACK_BYTES:
            groups[-1].append(disk)
        else:
            groups.append([disk])
    main = max(raw, key=lambda media: raw[media], default=None)
    made = [
        DiskKind(
            disks=assignment_order(group),
            media=group[0].media,
            least_bytes=min(d.size_bytes or 0 for d in group),
            beside=group[0].media is not main,
        )
        for group in groups
    ]
    return tuple(sorted(made, key=lambda g: -g.raw_bytes))


def assignment_order(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """Return the disks in the order they get their places: like with like, suspect ones last (they become spares).

    The parts of one drive are kept as far from each other as can be: first one of every drive, then the second ones.
    Among equals the slot or SCSI address decides, where it is known: it follows the bays, which kernel names do not.
    """

    bodies: Counter[str] = Counter()
    turns: dict[str, int] = {}
    for disk in sorted(disks, key=lambda disk: disk.path or disk.key):
        if disk.body is not None:
            turns[disk.key] = bodies[disk.body]
            bodies[disk.body] += 1

    def key(disk: Disk) -> tuple[bool, int, int, int, str, tuple[int, ...], int, str]:
        path = disk.path or disk.key
        # sdb comes before sdaa: shorter names first.
        return (
            disk.health in (Health.SUSPECT, Health.FAILING),
            turns.get(disk.key, 0),
            disk.logical_sector_bytes or 0,
            disk.physical_sector_bytes or 0,
            disk.model or "",
            tuple(int(number[:9]) for number in _NUMBERS.findall(disk.slot or "")),
            len(path),
            path,
        )

    return tuple(sorted(disks, key=key))


def safe_ashift(disks: Iterable[Disk]) -> int:
    """Return the ashift for these disks: that of the largest sector, at least 12, at most 16.

    12 also for 512-byte disks and where the sector size is unknown: ashift cannot be changed later, and a vdev of
    ashift 9 takes no replacement disk of 4096-byte sectors.
    """
    largest = max((max(d.physical_sector_bytes or 0, d.logical_sector_bytes or 0) for d in disks), default=0)
    return min(MOST_ASHIFT, max(SAFE_ASHIFT, largest.bit_length() - 1))


# Disks as a ranking sees them where room is reserved on each: smaller by it, to the byte that OpenZFS sees.

_SECTOR = 512


def offered_beside(
    disks: Sequence[Disk], reserve: Sequence[ReservedPartition], version: ZfsVersion
) -> tuple[Disk, ...]:
    """Return the disks with the sizes of which `zpool create` would make the partitions that are left to it.

    Of disks with sectors of 4096 bytes up to 8 MiB less are told: it cuts whole ones in larger steps. Raises UserError
    where nothing is left of a disk.
    """
    partitions = tuple(reserve)
    if not partitions:
        return tuple(disks)
    sizes = [_left(disk, partitions, version) for disk in disks]
    if 0 in sizes:
        label = disks[sizes.index(0)].label
        raise UserError(_("What is to be reserved leaves nothing of {disk}", disk=label), todo=_("Reserve less."))
    return tuple(replace(disk, size_bytes=size) for disk, size in zip(disks, sizes, strict=True))


def sizes_beside(disks: Sequence[Disk], reserve: Sequence[ReservedPartition], version: ZfsVersion) -> list[int]:
    """Return the sizes that are left of the disks whose size is known; 0 of one of which nothing is."""
    partitions = tuple(reserve)
    sizes = (_left(disk, partitions, version) if partitions else disk.size_bytes for disk in disks)
    return [size for size in sizes if size is not None]


def _left(disk: Disk, partitions: tuple[ReservedPartition, ...], version: ZfsVersion) -> int | None:
    left = left_beside(disk, partitions)
    return whole_disk_for(left, disk.logical_sector_bytes or _SECTOR, version) if left else left


# What layouts of unequal disks are made of: pieces of several kinds of disks that are taken as equal.

# A left-over slice below this is not worth a vdev of its own: names, quotas and a further head movement for nothing.
LEAST_SLICE_BYTES = 50 * GB
# More kinds of disks are not combined in every way: each further one doubles the ways.
MOST_KINDS_CUT = 5

DiskCounts = tuple[tuple[int, int], ...]  # (kind of disk, how many of it), largest disks first


class Packing(StrEnum):
    EQUAL = "equal"  # disks of one kind
    GROUPED = "grouped"  # one pool, each vdev of disks of one kind
    CUT = "cut"  # whole disks of several kinds in a vdev, which uses of each what the smallest has
    SEPARATE = "separate"  # a pool for each kind, or for neighbouring kinds
    LAYERED = "layered"  # partitions of equal size; what is left over of the larger disks is a further pool
    STACKED = "stacked"  # partitions of equal size; what is left over makes further vdevs of the same pool


@dataclass(frozen=True, slots=True)
class Stock:
    """``counts`` pieces of each of the kinds ``groups``, the largest first. ``layer`` is 0 for whole disks.

    Slices of layer 1, 2, … have ``slice_bytes`` and lie one behind the other on their disks.
    """

    groups: tuple[int, ...]
    counts: tuple[int, ...]
    layer: int = 0
    slice_bytes: int | None = None

    @property
    def total(self) -> int:
        return sum(self.counts)

    def without(self, group: int, count: int) -> "Stock":
        counts = tuple(n - count if g == group else n for g, n in zip(self.groups, self.counts, strict=True))
        return Stock(self.groups, counts, self.layer, self.slice_bytes)

    def dealt(
        self, widths: Sequence[tuple[int, int]], spares: int = 0
    ) -> tuple[DiskCounts, list[tuple[DiskCounts, int]]]:
        """Return the spares and the vdevs of these widths with their numbers, dealt from the largest piece on.

        Sorted pieces give the largest sum of the smallest members. Spares come first: they must replace any member.
        """
        left, at, dealt = list(self.counts), 0, []
        for width, count in ((spares, 1), *widths):
            waiting = count if width else 0
            while waiting:
                # As many as one kind has enough pieces for, else one of several kinds.
                number = min(waiting, left[at] // width) or 1
                taken, missing = [], width
                while missing:
                    piece = min(missing, left[at])
                    if piece:
                        taken.append((self.groups[at], piece))
                        left[at] -= piece * number
                        missing -= piece
                    if missing:
                        at += 1
                dealt.append((tuple(taken), number))
                waiting -= number
        return (dealt[0][0], dealt[1:]) if spares else ((), dealt)


def blocks(counts: Sequence[int]) -> Iterator[tuple[Stock, ...]]:
    """Yield every way to divide kinds with these numbers of whole disks into runs of neighbouring kinds.

    The first is all kinds together, the last each kind by itself. Of more than five kinds only those two.
    """
    kinds = len(counts)
    inner = range(1, kinds)
    sizes = range(kinds) if kinds <= MOST_KINDS_CUT else (0, kinds - 1)
    for number in sizes:
        for cuts in combinations(inner, number):
            ends = (0, *cuts, kinds)
            yield tuple(Stock(tuple(range(a, b)), tuple(counts[a:b])) for a, b in pairwise(ends))


def layerings(sizes: Sequence[int], counts: Sequence[int]) -> Iterator[tuple[Stock, ...]]:
    """Yield every way to cut disks of these sizes, the largest first, in two or more layers.

    The first layer is as deep as the smallest disk, each further one ends at the size of a larger kind.
    Slices under 50 GB are not made. Of more than five kinds: all layers, and two.
    """
    kinds = len(sizes)
    larger = range(kinds - 2, -1, -1)  # from the second smallest to the largest
    depths = range(1, kinds) if kinds <= MOST_KINDS_CUT else (1, kinds - 1)
    for number in depths:
        for ends in combinations(larger, number):
            layers = _layers(sizes, counts, (kinds - 1, *ends))
            if layers is not None:
                yield layers


def _layers(sizes: Sequence[int], counts: Sequence[int], ends: Sequence[int]) -> tuple[Stock, ...] | None:
    below, layers = 0, []
    for layer, end in enumerate(ends, start=1):
        depth = whole_slice(sliceable_bytes(sizes[end]) - below)
        if depth < LEAST_SLICE_BYTES:
            return None
        layers.append(Stock(tuple(range(end + 1)), tuple(counts[: end + 1]), layer, depth))
        below += depth
    return tuple(layers)
