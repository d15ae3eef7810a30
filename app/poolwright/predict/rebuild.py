"""How long a rebuild (resilver) of one failed disk takes, a raidz expansion, and a scrub.

A healing resilver of raidz or a mirror copies only what is in use, record by record. Each record leaves a piece on
every disk: the record over the data disks of a raidz, the whole record on a mirror. One piece costs its transfer at the
disk's write rate and a fixed time to find it. That time is fitted: with it a full raidz2 of eight 6 TB disks takes the
30 hours of the thesis (chapter 6.3; ZFS on Linux 0.6, no other load).

Since OpenZFS 0.8 (openzfs/zfs#6256) a resilver sorts what it reads. What is left of the finding is a second fitted
number, from resilvers that people reported since (table resilver_reports): the share with the least sum of absolute
errors. Most of them are mirrors, which say little about it.

A distributed spare of dRAID is rebuilt in the order of the disks, by all disks of the vdev for all."""

from dataclasses import dataclass
from math import ceil

from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.units import DEFAULT_RECORD_BYTES, MIB, PLAN_FILL_PERCENT, TIB, out_of_range
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.predict.groups import banded
from poolwright.predict.media import disk_rates, sized_rates
from poolwright.texts import N_, _, ngettext, numeral

THESIS_DISK_BYTES = 6001175126016
THESIS_RAIDZ2_FULL_HOURS = 30.0
THESIS_RAIDZ2_EMPTY_SECONDS = 2.0
THESIS_RAID6_HOURS = 18.0
# The thesis' own disk is the default of its class.
THESIS_DISK = disk_rates(media=Media.HDD)
DEFAULT_ASHIFT = 12
_THESIS_PIECE = DEFAULT_RECORD_BYTES / 6
_THESIS_RATE = THESIS_DISK_BYTES / (THESIS_RAIDZ2_FULL_HOURS * 3600)
# Seconds to find one piece; flash needs no head, so a tenth is assumed for it.
FIND_SECONDS = {Media.HDD: _THESIS_PIECE / _THESIS_RATE - _THESIS_PIECE / THESIS_DISK.write_bytes_per_second}
FIND_SECONDS |= {Media.SSD: FIND_SECONDS[Media.HDD] / 10, Media.NVME: FIND_SECONDS[Media.HDD] / 10}
SORTED_SINCE = ZfsVersion(0, 8, 0)
# What is left of the finding where the scan is sorted; tests/predict/test_resilver_reports.py fits it anew.
SORTED_FIND_SHARE = 0.35
# The fastest resilver reported took 0.72 of the typical time: newer disks, and data that lie in order.
SORTED_LOW_FACTOR = 0.7
# 100 TiB on 44 disks were scrubbed in about five hours (thesis, chapter 5.2): all disks reading in order.
THESIS_SCRUB_BYTES = 100 * TIB
THESIS_SCRUB_DISKS = 44
THESIS_SCRUB_HOURS = 5.0
_SCRUB_RATE = THESIS_SCRUB_BYTES / (THESIS_SCRUB_HOURS * 3600) / THESIS_SCRUB_DISKS
SEQUENTIAL_SHARE = _SCRUB_RATE / THESIS_DISK.read_bytes_per_second
# More than nine days instead of sixteen hours for a drive-managed SMR disk in a raidz1 (ServeTheHome 2020). The whole
# records of a mirror lie in longer runs: 14.2 and 15.6 hours for 1.49 TiB (table resilver_reports) are 4.3 times the
# typical time. A distributed spare is written in pieces all over each disk, as a raidz member is.
SMR_FACTOR = 14.0
SMR_MIRROR_FACTOR = 4.3
# Load of users and scattered free space: up to twice the time.
HIGH_FACTOR = 2.0
MOST_LOAD_PERCENT = 95

_FITTED = N_("one piece of each record at a time, fitted to a measured resilver (30 h for a full raidz2 of 8 × 6 TB)")
_FITTED_SORTED = N_(
    "one piece of each record at a time in the order of the disks, fitted to 11 resilvers reported since OpenZFS "
    "0.8 on hard disks (median error 15 %); pools at work took 3 to 7 times as long: say the load"
)
_SHINGLED = N_("shingled recording (SMR)")
_WRITING, _FINDING = N_("the write rate of the new disk"), N_("finding the pieces of every record")
_OF_ALL, _START = N_("{helpers} disks that read and write for all"), N_("the start alone: nothing is in use")
_SEQUENTIAL = N_("all disks read and write in order, at the share of their rate that a measured scrub reached")


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildConditions:
    """What a rebuild depends on beside the layout. Rates are bytes/s of one disk; None is the media's default.

    ``fill_percent`` is how full the pool is, ``load_percent`` the share of the disks' time that users take.
    ``record_bytes`` is the recordsize (or volblocksize) of most of the data. ``sorted_scan`` tells whether the resilver
    sorts what it reads, as OpenZFS does since 0.8.
    """

    media: Media = Media.HDD
    read_bytes_per_second: float | None = None
    write_bytes_per_second: float | None = None
    fill_percent: float = PLAN_FILL_PERCENT
    load_percent: float = 0.0
    record_bytes: int = DEFAULT_RECORD_BYTES
    ashift: int = DEFAULT_ASHIFT
    smr: bool | None = None
    sorted_scan: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.fill_percent <= 100:
            raise out_of_range(numeral(self.fill_percent, "g", "%"), 0, 100, of="fill_percent")
        if not 0 <= self.load_percent <= MOST_LOAD_PERCENT:
            raise out_of_range(numeral(self.load_percent, "g", "%"), 0, MOST_LOAD_PERCENT, of="load_percent")

    @property
    def free_share(self) -> float:
        return 1 - self.load_percent / 100

    def rates(self, disk_bytes: int | None = None) -> tuple[float, float]:
        """Return told rates, else those of the class, of hard disks half-way (in logarithms) to those of their size.

        Larger disks have denser tracks, but a resilver does not reach all that they stream: of the reported resilvers
        each left out is missed by a factor of 1.27 with one rate for all sizes, of 1.26 with the usual ones, of 1.18
        half-way.
        """
        read, write = self.read_bytes_per_second, self.write_bytes_per_second
        found = disk_rates(media=self.media, read_bytes_per_second=read, write_bytes_per_second=write)
        if self.media is not Media.HDD or not disk_bytes or read is not None or write is not None:
            return found.read_bytes_per_second, found.write_bytes_per_second
        sized = sized_rates(disk_bytes)
        return (found.read_bytes_per_second * sized[0]) ** 0.5, (found.write_bytes_per_second * sized[1]) ** 0.5


# The share of the disk's write rate at which md rebuilt the thesis' RAID 6, full or empty.
MD_SHARE = THESIS_DISK_BYTES / (THESIS_RAID6_HOURS * 3600) / RebuildConditions().rates(THESIS_DISK_BYTES)[1]


def piece_bytes(spec: VdevSpec, how: RebuildConditions) -> float:
    sectors = ceil(how.record_bytes / (1 << how.ashift))
    pieces = 1 if spec.kind in (VdevKind.MIRROR, VdevKind.STRIPE) else min(max(1, spec.data_disks), sectors)
    return sectors / pieces * (1 << how.ashift)


def used_on_disk_bytes(spec: VdevSpec, how: RebuildConditions) -> float:
    """Return the bytes in use on one member: the smallest sets what each member can hold."""
    usable = min(spec.sizes)
    if spec.kind is VdevKind.DRAID:
        usable = usable * (spec.width - spec.draid_spares) // spec.width
    return usable * how.fill_percent / 100


def rebuild_hours(spec: VdevSpec, how: RebuildConditions, *, onto_spare: bool = False) -> Estimate | None:
    """Return the hours from the start of a rebuild to full redundancy; None where nothing can be rebuilt from.

    ``onto_spare`` means the distributed spare of a dRAID; elsewhere a spare is a disk like any other.
    """
    if spec.kind is VdevKind.STRIPE or spec.failures_survived < 1:
        return None
    used, whole = used_on_disk_bytes(spec, how), spec.disk_bytes or min(spec.sizes)
    read, write = how.rates(whole)
    distributed = onto_spare and spec.kind is VdevKind.DRAID
    if distributed:
        # Every block of the failed disk is computed from the data disks of its group and written to spare space
        # elsewhere. vdev_rebuild.c goes through the metaslabs in order and copies what is allocated, without checksums.
        reading, writing = used * spec.group_data / (spec.width - 1) / read, used / (spec.width - 1) / write
        low = (reading + writing) / how.free_share
        typical, limit, slower, source = low / SEQUENTIAL_SHARE, _OF_ALL, SMR_FACTOR, _SEQUENTIAL
    else:
        # Writing the new disk is the bottleneck: the others read the same bytes side by side.
        transfer = used / write
        finding = (
            used / piece_bytes(spec, how) * FIND_SECONDS[how.media] * (SORTED_FIND_SHARE if how.sorted_scan else 1)
        )
        low, typical = transfer / how.free_share, (transfer + finding) / how.free_share
        if how.sorted_scan:
            low = min(low, typical * SORTED_LOW_FACTOR)
        limit = _WRITING if transfer >= finding else _FINDING
        slower = SMR_MIRROR_FACTOR if spec.kind is VdevKind.MIRROR else SMR_FACTOR
        source = _FITTED_SORTED if how.sorted_scan else _FITTED
    high = typical * HIGH_FACTOR
    if how.smr:
        typical, high, limit = typical * slower, high * slower, _SHINGLED
    hours = [(THESIS_RAIDZ2_EMPTY_SECONDS + seconds) / 3600 for seconds in (low, typical, high)]
    measured = distributed or how.media is Media.HDD
    origin = Origin(kind=OriginKind.PREDICTED if measured else OriginKind.ASSUMED, source=_(source))
    return banded(hours, _(limit if low else _START, helpers=spec.width - 1), origin)


def md_rebuild_hours(size_bytes: int, how: RebuildConditions) -> Estimate:
    """Return the hours in which md creates or rebuilds a RAID 6 of disks of ``size_bytes``: the same, full or empty."""
    # md knows no files: it writes the whole disk, empty or not.
    typical = size_bytes / (how.rates(size_bytes)[1] * MD_SHARE) / how.free_share / 3600
    origin = Origin(
        kind=OriginKind.PREDICTED, source=_("fitted to a measured rebuild (18 h for a RAID 6 of 6 TB disks)")
    )
    limit = _("the whole disk is written, used or not")
    return banded((typical * MD_SHARE, typical, typical * HIGH_FACTOR), limit, origin)


# How long a raidz expansion takes: everything in use is read from the old disks and written over the wider vdev.

FASTEST_COPY = 266.0 * MIB  # bytes/s
EXPANSION_BAND = (0.6, 4.0)

_EXPANSION = Origin(
    kind=OriginKind.PREDICTED,
    source=N_(
        "bytes in use read from the old and written to all disks, at the share of their rate that a measured "
        "scrub reached, no faster than the fastest of three reported expansions: 0.6 to 4 times the time"
    ),
)


def expansion_hours(*, old_width: int, disk_bytes: int, allocated_bytes: float, how: RebuildConditions) -> Estimate:
    """Return the hours to widen a raidz of ``old_width`` by one disk, with ``allocated_bytes`` raw bytes in use."""
    read, write = how.rates(disk_bytes)
    reading = allocated_bytes / old_width / (read * SEQUENTIAL_SHARE)
    writing = allocated_bytes / (old_width + 1) / (write * SEQUENTIAL_SHARE)
    # raidz_reflow moves one chunk at a time under a range lock, so faster disks stop helping at some rate.
    seconds = max(reading + writing, allocated_bytes / FASTEST_COPY)
    typical = seconds / how.free_share / 3600 * (SMR_FACTOR if how.smr else 1)
    of_disks = reading + writing >= seconds
    limit = _("the disks of the vdev") if of_disks else _("the copying of one piece at a time")
    return banded((typical * EXPANSION_BAND[0], typical, typical * EXPANSION_BAND[1]), limit, _EXPANSION)


# How long a scrub takes: every disk reads what is in use on it, parity included.

_SCRUB = Origin(kind=OriginKind.PREDICTED, source=N_("fitted to a measured scrub (100 TiB on 44 disks in 5 h)"))


def scrub_hours(*, allocated_bytes: int, disks: int, how: RebuildConditions, disk_bytes: int | None = None) -> Estimate:
    """Return the hours to read ``allocated_bytes`` (ALLOC; a mirror: all sides) from ``disks`` of ``disk_bytes``."""
    # A scrub reads parity and all sides too, in the order of the disks since 0.8 (dsl_scan.c).
    best = allocated_bytes / (disks * how.rates(disk_bytes)[0]) / how.free_share / 3600
    typical = best / SEQUENTIAL_SHARE
    limit = ngettext("the read rate of {count} disk", "the read rate of {count} disks", disks)
    return banded((best, typical, HIGH_FACTOR * typical), limit, _SCRUB)


def layout_scrub_hours(layout: Layout, how: RebuildConditions) -> Estimate:
    """Return the hours to scrub a pool filled as ``how`` says: its slowest data vdev."""
    # Vdevs are read at the same time and filled evenly, so the largest disk that is read to the end decides.
    data = [spec for spec in layout if spec.vdev_class is VdevClass.DATA]
    disks = sum(spec.width for spec in data)
    deepest, whole = max(
        (most, spec.disk_bytes or most)
        for spec in data
        for most in (max(spec.sizes) if spec.kind is VdevKind.STRIPE else min(spec.sizes),)
    )
    on_each = round(deepest * how.fill_percent / 100)
    return scrub_hours(allocated_bytes=on_each * disks, disks=disks, how=how, disk_bytes=whole)
