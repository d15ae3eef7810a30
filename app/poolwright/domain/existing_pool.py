"""What the tools tell of an existing pool beside `zpool status`: its sizes, properties, scans and datasets."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from poolwright.domain.estimate import Origin


class ScanKind(StrEnum):
    """What reads or moves a pool's blocks: the words of `zpool status`."""

    SCRUB = "scrub"
    RESILVER = "resilver"
    REMOVAL = "remove"
    EXPANSION = "expand"


class ScanState(StrEnum):
    RUNNING = "in progress"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "canceled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """One scrub, resilver, removal or expansion. Times are as the machine printed them, without a zone.

    ``percent`` is how much is done of one that runs, ``errors`` what it could not repair, ``repaired_bytes`` what a
    scrub did repair, ``vdev`` what it works on where the tool names one.
    """

    kind: ScanKind
    state: ScanState
    began: datetime | None = None
    ended: datetime | None = None
    percent: float | None = None
    errors: int | None = None
    repaired_bytes: int | None = None
    vdev: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevSizes:
    """The sizes of one line of `zpool list -v`, in bytes; None where the tool printed a dash or nothing.

    ``name`` and ``path`` are those of the `PoolNode`; ``ashift`` comes from `zpool get` of the vdev (2.2 and newer) or
    `zdb -C`, which alone tells ``asize_bytes`` (what metaslabs are cut from), ``metaslab_shift``, ``whole_disk`` (zpool
    made the partition) and ``expansions``, the disks that were attached to a raidz vdev one by one since it was made:
    with ``expansions_at_least`` `zpool status` told of the last one, and nothing how many there were.
    ``expandable_bytes`` is what `zpool online -e` would add.
    """

    name: str
    path: str | None = None
    size_bytes: int | None = None
    allocated_bytes: int | None = None
    free_bytes: int | None = None
    expandable_bytes: int | None = None
    fragmentation_percent: int | None = None
    ashift: int | None = None
    asize_bytes: int | None = None
    metaslab_shift: int | None = None
    whole_disk: bool | None = None
    expansions: int | None = None
    expansions_at_least: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyValue:
    name: str
    value: str
    source: str = ""


_MOST_LENGTH = 24  # 2^63 has 19 digits
_PRINTED = re.compile(r"(\d+(?:[.,]\d+)?)([KMGTPE]?)(?:B|%|x)?")
_STEPS = " KMGTPE"
_MOST = 1 << 63


def printed_number(text: str | None) -> int | None:
    """Return a count as the tools print it: ``7340032``, ``7M`` in 1024s, ``80%``, ``1.00x``; None for anything else.

    With a unit it has three digits only: see `Origin.rounded`.
    """
    match = None if text is None or len(text) > _MOST_LENGTH or not text.isascii() else _PRINTED.fullmatch(text)
    if match is None:
        return None
    scale = 1 << 10 * _STEPS.find(match.group(2) or " ")
    whole = match.group(1).isdecimal()
    number = int(match.group(1)) * scale if whole else round(float(match.group(1).replace(",", ".")) * scale)
    # A difference that went below zero wraps around: EXPANDSZ is printed as 16.0E where there is nothing.
    return number if number < _MOST else None


class _WithProperties:
    __slots__ = ()
    properties: tuple[PropertyValue, ...]

    def value(self, name: str) -> str | None:
        found = next((p.value for p in self.properties if p.name == name), None)
        return None if found in (None, "-", "") else found

    def number(self, name: str) -> int | None:
        return printed_number(self.value(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingDataset(_WithProperties):
    """A filesystem, volume or snapshot that exists, with its properties; ``name`` begins with the pool."""

    name: str
    kind: str
    properties: tuple[PropertyValue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingPool(_WithProperties):
    """What is known of the pool ``name`` beside its tree (`domain.pool.Pool` of the same name in the inventory).

    ``read_at`` is the clock of the machine when it was asked, in the zone of the scans' times. ``datasets`` are None
    where nobody asked for them, and begin with the root; ``datasets_told`` is how many there were, where some were left
    out. ``checkpoint_bytes`` is what a checkpoint holds, None without one; ``mapping_bytes`` the memory that removed
    vdevs cost for good. ``origin`` is rounded where sizes were printed with three digits.
    """

    name: str
    origin: Origin
    properties: tuple[PropertyValue, ...] = ()
    vdevs: tuple[VdevSizes, ...] = ()
    scans: tuple[Scan, ...] = ()
    datasets: tuple[ExistingDataset, ...] | None = None
    datasets_told: int | None = None
    checkpoint_bytes: int | None = None
    mapping_bytes: int | None = None
    read_at: datetime | None = None

    @property
    def fill_percent(self) -> int | None:
        """Return how full it is: what it prints, which lags behind, or what it has allocated of its size."""
        fill, used, size = self.number("capacity"), self.number("allocated"), self.number("size")
        return max(fill, used * 100 // size) if fill is not None and used is not None and size else fill

    def vdev(self, name: str) -> VdevSizes | None:
        return next((vdev for vdev in self.vdevs if vdev.name == name), None)

    def runs(self, *kinds: ScanKind) -> bool:
        return any(scan.kind in kinds and scan.state is ScanState.RUNNING for scan in self.scans)
