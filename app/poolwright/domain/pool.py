"""An existing pool as `zpool status` shows it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from poolwright.domain.disk import Disk, names_of_wwn, parts_by_name, short_name, without_partition
from poolwright.domain.estimate import Origin
from poolwright.texts import N_, _, ngettext

_NO_ERRORS = "No known data errors"  # for machines
_COUNTED = re.compile(r"\b[1-9]\d* data errors")
_NO_IMPORT = ("cannot be imported", "must be exported from")  # for machines
# In these states the data of a pool can be read and written.
USABLE = frozenset({"ONLINE", "DEGRADED"})
# A device in these states works, and a spare waits or stands in; a DEGRADED one serves on, with too many errors.
WELL = frozenset({"ONLINE", "AVAIL", "INUSE"})
SERVING = WELL | {"DEGRADED"}
# Groups within a vdev, of a device and of the one that takes its place.
STANDING_IN = frozenset({"spare", "replacing"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolNode:
    """One line of the config tree: a top-level vdev, a member, or a spare in use.

    ``kind`` is the vdev word without its number (``disk``, ``file``, ``mirror``, ``raidz2``, ``draid1:…``, ``spare``,
    ``replacing``); ``section`` is ``data``, ``special``, ``dedup``, ``logs``, ``cache`` or ``spares``.
    Error counts are None where the tool printed none.
    """

    name: str
    kind: str
    section: str
    state: str | None = None
    read_errors: int | None = None
    write_errors: int | None = None
    checksum_errors: int | None = None
    note: str | None = None
    path: str | None = None
    children: tuple["PoolNode", ...] = ()

    @property
    def label(self) -> str:
        return short_name(self.name)

    @property
    def device(self) -> str:
        return self.path or self.name

    def walk(self) -> Iterator["PoolNode"]:
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> tuple["PoolNode", ...]:
        if not self.children:
            return (self,)
        return tuple(leaf for child in self.children for leaf in child.leaves())


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A pool: name, state, texts of `status`, `action`, `scan` and `errors`, and its top-level vdevs.

    ``operations`` are the texts of `remove`, `expand` and `checkpoint`, each with its key in front. ``status_read``
    False: `zpool status` told nothing of this pool. What counts errors, scans and remarks is unknown then, and so are
    the vdevs, but for those that `zpool list -v` named. ``message`` is the id behind `see`, such as ZFS-8000-HC;
    ``damaged_files`` are those that -v named.
    """

    name: str
    state: str | None = None
    guid: str | None = None
    status: str | None = None
    action: str | None = None
    scans: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    errors: str | None = None
    message: str | None = None
    damaged_files: tuple[str, ...] = ()
    importable: bool = False
    status_read: bool = True
    vdevs: tuple[PoolNode, ...] = ()

    @property
    def destroyed(self) -> bool:
        return "DESTROYED" in (self.state or "")

    @property
    def cannot_be_imported(self) -> bool:
        """Tell whether `zpool import` said that it will not come, whatever the state of single devices."""
        return any(words in (self.action or "") for words in _NO_IMPORT)

    @property
    def suspended_by_multihost(self) -> bool:
        """Tell whether it lost its claim against other hosts: `zpool clear` does not bring such a pool back."""
        return self.message == "ZFS-8000-MM" or "multihost writes failed" in (self.status or "")

    @property
    def log_unread(self) -> bool:
        """Tell whether the pool waits for its log device, or for the word to do without what only that holds."""
        return self.message == "ZFS-8000-K4" or "intent log record" in (self.status or "")

    @property
    def damaged(self) -> bool | None:
        """Tell whether files are damaged; None where that was not printed, or a pool without its disks cannot tell."""
        if self.errors is None or ("unavailable" in self.errors and _COUNTED.search(self.errors) is None):
            return None
        return _NO_ERRORS not in self.errors

    def leaves(self) -> tuple[PoolNode, ...]:
        return tuple(leaf for vdev in self.vdevs for leaf in vdev.leaves())


# What is wrong with a pool at a glance, wherever it is named: a state ONLINE says little of it.


def pool_troubles(pool: Pool) -> tuple[str, ...]:
    """Return in a few words each what `zpool status` shows that a person must know; empty for a pool that is well.

    Only the tree and its texts are asked; what the rules say of the pool is the matter of the audit. Pure.
    """
    leaves = pool.leaves()
    faulty = sum(1 for leaf in leaves if leaf.state is not None and leaf.state not in SERVING)
    erring = sum(any((leaf.read_errors, leaf.write_errors, leaf.checksum_errors)) for leaf in leaves)
    worn = sum(1 for leaf in leaves if leaf.state == "DEGRADED")
    spares = sum(1 for leaf in leaves if leaf.section == "spares" and leaf.state == "INUSE")
    lone = [node for node in pool.vdevs if node.section in {"special", "dedup"} and not node.children]
    grouped = any(node.children for node in pool.vdevs if node.section == "data")
    found = (
        ngettext("{count} device not online", "{count} devices not online", faulty) if faulty else "",
        ngettext("{count} device DEGRADED", "{count} devices DEGRADED", worn) if worn else "",
        ngettext("{count} device with errors", "{count} devices with errors", erring) if erring else "",
        _("damaged files") if pool.damaged else "",
        ngettext("{count} spare in use", "{count} spares in use", spares) if spares else "",
        _("a {section} device without redundancy", section=lone[0].section) if lone and grouped else "",
        _("resilver running") if any("resilver" in scan and "in progress" in scan for scan in pool.scans) else "",
    )
    return tuple(text for text in found if text)


def import_words(pool: Pool) -> str:
    """Return what `zpool import` said of a pool in its list: not everything there can be imported."""
    if pool.destroyed and pool.cannot_be_imported:
        return _("destroyed, cannot be imported")
    if pool.destroyed:
        return _("destroyed, comes back with zpool import -D")
    if "readonly=on" in (pool.action or ""):
        return _("can only be imported with -o readonly=on")
    return _("cannot be imported") if pool.cannot_be_imported else _("can be imported")


# What the tools tell of an existing pool beside `zpool status`: its sizes, properties, scans and datasets.


class ScanKind(StrEnum):
    SCRUB = "scrub"
    RESILVER = "resilver"
    REMOVAL = "remove"
    EXPANSION = "expand"

    @property
    def words(self) -> str:
        return {"resilver": N_("resilver"), "remove": N_("removal"), "expand": N_("expansion")}.get(self, self.value)


class ScanState(StrEnum):
    RUNNING = "in progress"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "canceled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """One scrub, resilver, removal or expansion. Times are as the machine printed them, without a zone; of one that
    has ended the beginning follows from how long it took.

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
    def root(self) -> ExistingDataset | None:
        return next((dataset for dataset in self.datasets or () if dataset.name == self.name), None)

    @property
    def used_bytes(self) -> int | None:
        return self.root.number("used") if self.root is not None else None

    @property
    def fill_percent(self) -> int | None:
        """Return how full it is: what it prints, which lags behind, or what it has allocated of its size."""
        fill, used, size = self.number("capacity"), self.number("allocated"), self.number("size")
        return max(fill, used * 100 // size) if fill is not None and used is not None and size else fill

    def vdev(self, name: str) -> VdevSizes | None:
        return next((vdev for vdev in self.vdevs if vdev.name == name), None)

    def ashift_of(self, vdev: str) -> int | None:
        return next((sizes.ashift for sizes in self.vdevs if sizes.name == vdev), None)

    def runs(self, *kinds: ScanKind) -> bool:
        return any(scan.kind in kinds and scan.state is ScanState.RUNNING for scan in self.scans)


# Which disk a device of a pool lies on, by the names that the tools print.


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMember:
    """The disk a device lies on (None: none of those there are), and the number of its partition where it is one."""

    disk: Disk | None
    part: int | None


_NO_NAMES: Mapping[str, str] = {}
Link = Callable[[str], str | None]  # the kernel name of the disk behind a name, by a listing of /dev/disk


class MemberFinder:
    """Finds the disks behind the names that zpool prints; ``kernel_names`` maps a disk's key to ``sda``."""

    def __init__(
        self, disks: Sequence[Disk], kernel_names: Mapping[str, str] = _NO_NAMES, links: Sequence[Link] = ()
    ) -> None:
        self._links = links
        self._by_name: dict[str, Disk] = {}
        self._parts = parts_by_name(disks)
        for disk in disks:
            path = short_name(disk.path or "")
            names = (path, path.rpartition("/")[2], kernel_names.get(disk.key), disk.serial, *disk.by_id)
            for name in (disk.key, *names, *names_of_wwn(disk.wwn)):
                if name:
                    self._by_name.setdefault(name, disk)
        # A serial number ends the names that udev makes of model and serial.
        self._serials = [(d.serial.replace(" ", "_"), d) for d in disks if d.serial and len(d.serial) >= 4]

    def of(self, leaf: PoolNode, path: str | None = None) -> FoundMember:
        for printed in (path, leaf.path, leaf.name):
            name = short_name(printed or "")
            if not name:
                continue
            if (disk := self._by_name.get(name)) is not None:
                return FoundMember(disk=disk, part=None)
            if name in self._parts:
                disk, named = self._parts[name]
                return FoundMember(disk=disk, part=named.number)
            of_whole, part = without_partition(printed or "")
            whole = short_name(of_whole)
            if (disk := self._by_name.get(whole) or self._of_link(name) or self._of_serial(whole)) is not None:
                return FoundMember(disk=disk, part=part)
        return FoundMember(disk=None, part=None)

    def _of_link(self, name: str) -> Disk | None:
        kernels = (kernel for link in self._links if (kernel := link(name)) is not None)
        found = (self._by_name.get(kernel) or self._by_name.get(without_partition(kernel)[0]) for kernel in kernels)
        return next((disk for disk in found if disk is not None), None)

    def _of_serial(self, name: str) -> Disk | None:
        owners = {disk.key: disk for serial, disk in self._serials if name.endswith((f"_{serial}", f"_{serial}_1"))}
        return owners.popitem()[1] if len(owners) == 1 else None
