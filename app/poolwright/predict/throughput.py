"""Sequential rates: the disks of a pool in parallel, less what raidz and mirrors take, under the limits of the host.

The limits meet smoothly: 1/rate^e is the sum of 1/limit^e. Measured stripes of 1 to 40 disks follow that within 7 %.
A raidz vdev has a limit of its own besides, which falls with its parity: beyond it more disks in the vdev add nothing,
more vdevs do."""

import math
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.units import DEFAULT_RECORD_BYTES, KIB, MB, MIB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.predict.groups import Groups, VdevGroup, banded, data_disks_of, members_of, vdevs_of
from poolwright.predict.media import CHECKSUM_PER_CORE, DiskRates
from poolwright.texts import N_, _, per_language

if TYPE_CHECKING:
    from poolwright.predict.assumptions import PoolLoad, SpeedInputs

# The few numbers of the speed model, as they are found on the measured rows of the seeds: a test fits them anew and
# compares. The guide (Speed) tells how, and with which error.


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """What holds for every machine: three numbers for 44 measured rates.

    ``read_column_cost``: what each further data column takes from the read rate of a raidz disk that has a head to
    move, at 128K records. ``mirror_read_gain``: what each further side of a mirror adds to sequential reads at 128K
    records (1 would be all of it). ``parity_exponent``: the write limit of a lone raidz vdev falls with this power of
    its parity.
    """

    read_column_cost: float = 0.0165
    mirror_read_gain: float = 0.61
    parity_exponent: float = 0.463


FITTED = Coefficients()
# The same for parity in vector code, half-way to where further parities cost nothing (see RAIDZ_LIMIT below).
VECTORISED = replace(FITTED, parity_exponent=FITTED.parity_exponent / 2.0)

# A pool writes faster than its disks do alone, because transaction groups keep their queues full: on the thesis machine
# by 39 % (logarithm 0.33). One machine alone: half of it is expected of others, with an error as large.
WRITE_GAIN = 0.17
WRITE_GAIN_SPREAD = 0.17

# Limit of a host of which nothing is known: the factor times the square root of the sum of its disks' rates (all in
# bytes/s), as the processor pays for records and a host with twice the disks is not twice as fast; for few disks not
# below the floor. One standard error (for reads half of one: no published pool reads more than its band) below what
# makes nine hosts (six for reads) likeliest: `tests/predict/published.py` finds it anew.
HOST_READ_FACTOR = 38.0 * MIB**0.5
HOST_WRITE_FACTOR = 24.0 * MIB**0.5
HOST_READ_FLOOR = 1700.0 * MIB
HOST_WRITE_FLOOR = 1500.0 * MIB
# Standard deviation of the logarithm of that limit; read and write limit of one host go together.
HOST_SPREAD = 0.9
HOST_CORRELATION = 0.8
# What a lone raidz1 vdev passes of the host's write limit: what both hosts of the seeds showed, whose parity ran in
# plain code. Vector code (OpenZFS 0.7) works parity out 5, 11 and 12 times as fast (one, two, three parities;
# openzfs/zfs#5219). Had parity alone taken what raidz takes, 1.75 of the limit would be left for any parity, as eight
# NVMe drives of 2024 show; had it taken nothing of it, 0.66 as before. Half-way between (in logarithms) is expected.
RAIDZ_LIMIT = 0.66
RAIDZ_LIMIT_SPREAD = 0.3
RAIDZ_LIMIT_VECTOR = 1.07
RAIDZ_LIMIT_SPREAD_VECTOR = 0.5
# By which power of their number the sides of a mirror lower the host's write limit: each byte is handed over again,
# but summed and compressed once.
MIRROR_LIMIT_EXPONENT = 0.3
# How sharply limits meet: 1/rate^e is the sum of 1/limit^e. The host's read limit is felt from further away.
MEET_EXPONENT = 2.0
READ_MEET_EXPONENT = 1.5
# Bytes of a record at which the sides of a mirror give half of what they could add to one reader: a pair gave 1.04
# of a disk at 4K, 1.3 at 16K, 1.76 at 128K.
MIRROR_HALF_BYTES = 36 * KIB
MIRROR_BASE_SHARE = DEFAULT_RECORD_BYTES / (DEFAULT_RECORD_BYTES + MIRROR_HALF_BYTES)

# Overhead of a record in bytes: 512K and 1M read 20 % and write 15 % faster than 128K on 44 disks (thesis 5.1.2).
RECORD_OVERHEAD_BYTES = 45_000.0

# Errors of the leave-one-out test: standard deviation of the logarithm. They are those of the shape alone: the host's
# own numbers were fitted to its other rows.
READ_ERROR = 0.12
WRITE_ERROR = 0.11
# What people get: median and worst error in per cent where a machine's rows had no say in anything that is fitted,
# without a run on it and with one.
READ_MISSED_PERCENT = ((46.0, 61.0), (23.0, 81.0))
WRITE_MISSED_PERCENT = ((64.0, 133.0), (9.0, 117.0))
ROWS = 44
# What the shape of the model may be off by where no run of this kind of vdev on this host is known, and where one is.
TRANSFER_ERROR = 0.18
FAMILIAR_ERROR = 0.06
# The bands span this many standard deviations to each side: 87 % of cases if the errors were normal.
BAND = 1.5

# What a full pool of hard disks keeps of its rates where it was filled in order: the inner tracks are slower, steadily
# (table fill_level, thesis 5.7). Filled by random writes it keeps a quarter of that in reads and half in writes, from
# 87 % on; the thesis says that the loss shows at 80 % and collapses above, so it is taken to begin at 75 %.
FULL_SHARE = 0.5
AGED_READ_SHARE, AGED_WRITE_SHARE = 0.25, 0.5
AGED_FROM_PERCENT, AGED_AT_PERCENT = 75.0, 87.0

# Bytes/s of the slowest of three hosts on which one thread wrote to flash (0.9, 1.7 and 2.7 GB/s), whatever the pool:
# the low end reaches for it, as no limit of one writer fits all three.
SLOWEST_WRITER = 900.0 * MB
# Random operations. What of the sequential rate is left for random writes with many clients: 2600 of 3700 MiB/s (thesis
# 5.4, 7.2).
RANDOM_WRITE_SHARE = 0.70
# Bytes/s of records that one client changes at random, and the most records a second: on hard disks 1600 MiB/s by
# 10 jobs (thesis 7.2); on flash what one job changed on NVMe at 128K, and at 4K (table write_by_recordsize).
BYTES_PER_CLIENT = {Media.HDD: 205.0 * MIB, Media.SSD: 2240.0 * MIB, Media.NVME: 2240.0 * MIB}
RECORDS_PER_CLIENT = 40_000.0
# What OpenZFS itself adds to the flush of the device that holds the intent log: 5860 writes a second from one writer on
# an Optane that flushes 18,600 times (d-uzlov, 2023).
LOG_RECORD_SECONDS = 117e-6
# The host's time for each record: 76,000 and 56,600 writes a second from 32 writers on NVMe (smartos-live issue 847).
HOST_SYNC_SECONDS = 12.6e-6
# A synchronous write of 32 KiB and more without a log device waits for this many disk operations one after the other:
# its data and a flush, the log block and a flush. 25 MiB/s from 10 jobs on disks of 6.1 ms (thesis 5.6.2, 7.2). A
# smaller one lies in the log block: one, as 140 and 178 writes a second from one writer show (d-uzlov, 2023).
SYNC_WAITS, SYNC_WAITS_SMALL = 4, 1
SMALL_SYNC_BYTES = 32 * KIB
# A log device gives 90 % of its write rate: 332 of 367 MiB/s (thesis 5.6, 5.6.2); a third of that where commits above
# zil_slog_bulk wait behind all other writes: 412 of 1278 MiB/s (openzfs/zfs pull request 14378).
SLOG_EFFICIENCY = 0.905
SLOG_BULK_FACTOR = 0.323
# Standard deviations of the logarithm for the operations of a second, each from a single machine. The reads of other
# machines lie wider around the model than that machine's (0.25): 0.5 holds nine of ten.
RANDOM_READ_ERROR = 0.5
RANDOM_WRITE_ERROR = 0.4
SYNC_WRITE_ERROR = 0.5


# Random operations a second: which disks one operation takes, how clients fill the queues, what writes become.

# Requests that a hard disk sorts at once, and the power by which its rate grows with them (thesis 7.2: 170 MiB/s with
# 10 jobs, 1200 with 250, flat after).
QUEUE_DEPTH, QUEUE_POWER = 6.0, 0.25
# How many times as many operations a full queue gives as one request at a time.
QUEUE_GAIN = QUEUE_DEPTH**QUEUE_POWER
# Seconds of one 4K read that is alone on the drive. Data sheets: Intel P4510 and P4610 77 µs, Samsung PM983 85 µs; SATA
# drives are about 40 % slower (AnandTech's round-up of 2018), 10,000 a second of one request each (840 EVO).
READ_SECONDS = {Media.SSD: 110e-6, Media.NVME: 80e-6}
# What OpenZFS takes for a read beside the checksum, which goes over the whole record. With it four readers on eight
# NVMe drives (openzfs/zfs#16993: 13,100 a second, 303 µs each) are foretold 15,500.
HOST_READ_SECONDS = 20e-6


class Bound(Enum):
    CLIENTS = auto()
    DISKS = auto()
    LOG = auto()
    STREAM = auto()
    HOST = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    per_second: float
    limit: str
    bound: Bound


def pieces(group: VdevGroup, record_bytes: int) -> int:
    if group.kind in (VdevKind.MIRROR, VdevKind.STRIPE):
        return 1
    return min(group.stripe_data, max(1, -(-record_bytes // SECTOR_BYTES)))


def reads_at_once(group: VdevGroup, record_bytes: int) -> float:
    if group.kind in (VdevKind.MIRROR, VdevKind.STRIPE):
        return float(group.members)
    data, width, touched = group.stripe_data, group.stripe_width, pieces(group, record_bytes)
    # Full records: one read at a time. One sector: every disk on its own. Straight between the two.
    # Only whole records are checked: no column is read alone, so a raidz vdev does the reads of one disk (zfs FAQ).
    spread = (touched - 1) / (data - 1) if data > 1 else 0.0
    return group.members / touched * (1.0 - (1.0 - data / width) * spread)


def random_reads(groups: Groups, disks: DiskRates, load: "PoolLoad", sequential: float) -> Operations:
    """Return the random reads a second of whole records, all asked for at once, where ``sequential`` is in bytes/s."""
    record_bytes, records_each = load.record_bytes, load.records_each
    # A read of 4K takes its whole record from the disks: the checksum is over all of it.
    at_once = None if load.clients is None else load.clients * records_each
    hard, waits = disks.media is Media.HDD, None
    served = sum([g.count * reads_at_once(g, record_bytes) for g in groups])
    each = sum([g.count * pieces(g, record_bytes) for g in groups]) / vdevs_of(groups)
    seeks = disks.iops * served
    if hard and at_once is not None:
        # A closed queueing network with one record per client. All pieces of a record are sought at once, and the last
        # one counts: the heads move alike, but of n disks the slowest turns n / (n + 1) of a turn instead of a half,
        # and a turn takes about as long as a whole access. Disks sort the pieces that wait for them.
        # Each group of disks that a record touches is one server of the network.
        slowest = 1.0 + (each - 1.0) / (each + 1.0) / 2.0
        queued = min(QUEUE_DEPTH, max(1.0, at_once * each / members_of(groups)))
        share = at_once / (served * slowest + at_once - 1.0)
        seeks = share * served * (disks.iops / QUEUE_GAIN) * queued**QUEUE_POWER
    elif at_once is not None:
        # One client waits for one record: the drive, its share of the bytes, OpenZFS, the checksum.
        transfer = record_bytes / each / disks.read_bytes_per_second
        checksum = record_bytes / CHECKSUM_PER_CORE["fletcher4"]
        waits = at_once / (READ_SECONDS[disks.media] + transfer + HOST_READ_SECONDS + checksum)
    # No more can be read at random than in sequence: the checksum makes every read a whole record.
    stream = sequential / record_bytes
    idle = at_once is not None and at_once * max(pieces(g, record_bytes) for g in groups) < members_of(groups)
    limit, bound = _("disk operations"), Bound.DISKS
    if waits is not None and waits < min(seeks, stream):
        limit, bound = _("too few clients"), Bound.CLIENTS
    elif seeks >= stream:
        limit, bound = "", Bound.STREAM
    elif hard and idle:
        limit = _("too few clients")
    return Operations(per_second=combined_limit(seeks, waits, stream) / records_each, limit=limit, bound=bound)


def random_writes(disks: DiskRates, load: "PoolLoad", sequential: float) -> Operations:
    # A write of a part of a record writes all of it again; transaction groups write the records in order.
    # Copy on write: the allocator puts the records of a transaction group side by side, wherever they belong.
    gathered = RANDOM_WRITE_SHARE * sequential / load.record_bytes
    changed = None
    if load.clients is not None:
        changed = load.clients * min(RECORDS_PER_CLIENT, BYTES_PER_CLIENT[disks.media] / load.record_bytes)
    limit, bound = "", Bound.STREAM
    if changed is not None and changed < gathered:
        limit, bound = _("too few clients"), Bound.CLIENTS
    return Operations(per_second=combined_limit(gathered, changed) / load.records_each, limit=limit, bound=bound)


# How long a device takes until a small write is safe: what every synchronous write waits for.


_FLUSHES = Origin(kind=OriginKind.MEASURED, source="rules/tables/flush_latency.csv")
# 158 µs: Intel 710 (FreeBSD r321928, diskinfo -wS); 65 µs: data sheet of the Intel DC S3700; their mean by proportion.
_PROTECTED = N_("flash with power-loss protection")
SSD_PROTECTED = banded((50e-6, 100e-6, 200e-6), _PROTECTED, _FLUSHES)
# 54 µs: Optane M10 (fdatasync, d-uzlov); data sheets of drives for servers say 10 to 30.
NVME_PROTECTED = banded((15e-6, 40e-6, 80e-6), _PROTECTED, _FLUSHES)
# Seven drives for desktops, SATA and NVMe alike: 0.83 to 6.9 ms, mean by proportion 1.6 ms.
UNPROTECTED = banded((0.8e-3, 1.6e-3, 7e-3), N_("flash without power-loss protection"), _FLUSHES)


@per_language
@lru_cache(maxsize=256)
def flush_of(device: DiskRates) -> Estimate:
    """Return the seconds from a write of 4 KiB to the answer to the flush behind it; what decides is the limit."""
    if device.media is Media.HDD:
        typical = 1.0 / (device.iops / QUEUE_GAIN)
        source = _("one operation of a disk with one request at a time")
        origin = Origin(kind=OriginKind.PREDICTED, source=source)
        return banded((typical / 1.5, typical, typical * 1.5), _("hard disks"), origin)
    kept = SSD_PROTECTED if device.media is Media.SSD else NVME_PROTECTED
    if device.power_loss_protected is not None:
        return kept if device.power_loss_protected else UNPROTECTED
    # Where nobody knows whether flash has power-loss protection, it is anything between having and lacking it.
    typical = (kept.typical * UNPROTECTED.typical) ** 0.5
    limit = _("flash with or without power-loss protection")
    return banded((kept.low, typical, UNPROTECTED.high), limit, _FLUSHES)


# Synchronous writes a second: the one model of them, for forecasts, roles, comparisons, advice and reports.

# The standard job of the thesis; nobody said how many write at once.
DEFAULT_CLIENTS = 10
# Commits above this many bytes leave the fast lane of the log device (zil.c: zil_slog_bulk, 768 KiB from 0.7 on until
# 2.2 made it 64 MiB, pull request 14378), or the log device itself (zil_slog_limit, 1 MiB; issue 1012).
_BULK_BYTES = 768 * 1024
_LIMIT_BYTES = 1024 * 1024
BULK_SINCE, BULK_UNTIL = ZfsVersion(0, 7, 0), ZfsVersion(2, 2, 0)


def volumes_wait(design: Design) -> bool:
    """Tell whether ``design`` has volumes, planned or there already, that are written synchronously now and then."""
    has = design.workload.volumes or any(dataset.volume_bytes is not None for dataset in design.datasets)
    return bool(has and design.workload.sync_write_percent)


def passes_log_by(version: ZfsVersion, commit_bytes: int) -> bool:
    """Tell whether a commit this large is written to the pool although there is a log device (before OpenZFS 0.7)."""
    return version < BULK_SINCE and commit_bytes > _LIMIT_BYTES


def is_bulk(version: ZfsVersion, commit_bytes: int) -> bool:
    """Tell whether a commit this large waits behind all other writes on the log device (0.7 to 2.1)."""
    return BULK_SINCE <= version < BULK_UNTIL and commit_bytes > _BULK_BYTES


def special_as_log(version: ZfsVersion) -> str:
    """Return what to say of a log where there is a special vdev; nothing before OpenZFS 2.4."""
    return _("OpenZFS 2.4 puts the log on the special vdev by itself.") if version >= ZfsVersion(2, 4) else ""


def sync_writes(
    groups: Groups,
    disks: DiskRates,
    *,
    record_bytes: int,
    clients: int | None,
    sequential: float,
    log: DiskRates | None = None,
    log_devices: int = 0,
    version: ZfsVersion = DEFAULT_VERSION,
) -> Operations:
    """Return the synchronous writes of ``record_bytes`` a second; ``sequential`` is the pool's write rate in bytes/s.

    ``log`` are the rates of one device of ``log_devices`` log vdevs, which together take the intent log; None puts it
    into the pool, where small data are written twice.
    """
    count = clients or DEFAULT_CLIENTS
    commit_bytes = count * record_bytes
    # While one batch is written the next gathers (zil_commit): on average half of the writers are in each.
    at_once = count / 2.0 if count > 1 else 1.0
    if log is not None and log_devices > 0 and not passes_log_by(version, commit_bytes):
        bulk = is_bulk(version, commit_bytes)
        return _on_log(log, log_devices, record_bytes=record_bytes, at_once=at_once, sequential=sequential, bulk=bulk)
    # Without a log device, data from 32 KiB on are written to their place and the log points to them (zil.c:
    # zfs_immediate_write_sz): several waits of a hard disk, or two of flash.
    small, hard, flush = record_bytes < SMALL_SYNC_BYTES, disks.media is Media.HDD, flush_of(disks)
    waits = at_once / (LOG_RECORD_SECONDS + (SYNC_WAITS_SMALL if small else SYNC_WAITS if hard else 2) * flush.typical)
    # Small writes share log blocks; a larger one is a block of its own, and a piece of the log beside it.
    # Two operations each: the block in its place and the log block that points to it.
    seeks = math.inf if small else vdevs_of(groups) * disks.iops / 2.0
    pool = sequential / (2.0 if small else 1.0) / record_bytes
    slow = _("latency of the disks, no log device")
    if not hard:
        slow = _("latency of the pool's {words}", words=_(flush.limit))
    return _limited(
        (waits, slow, Bound.CLIENTS),
        (seeks, _("disk operations"), Bound.DISKS),
        (pool, _("data written twice") if small else _("the pool"), Bound.STREAM),
    )


def _on_log(
    log: DiskRates, log_devices: int, *, record_bytes: int, at_once: float, sequential: float, bulk: bool
) -> Operations:
    waits = at_once / (LOG_RECORD_SECONDS + flush_of(log).typical)
    share = SLOG_EFFICIENCY * (SLOG_BULK_FACTOR if bulk else 1.0)
    device = share * log.write_bytes_per_second * log_devices / record_bytes
    slow = _("zil_slog_bulk of the log device") if bulk else _("write rate of the log device")
    return _limited(
        (waits, _("latency of the log device ({words})", words=_(flush_of(log).limit)), Bound.CLIENTS),
        (device, slow, Bound.LOG),
        (sequential / record_bytes, _("the pool"), Bound.STREAM),
    )


def _limited(*limits: tuple[float, str, Bound]) -> Operations:
    """Return the synchronous writes that these limits and the host leave together; the narrowest is told."""
    host = (1.0 / HOST_SYNC_SECONDS, _("the host's time for each record of the log"), Bound.HOST)
    together = combined_limit(*(each for each, *__ in (*limits, host)))
    __, limit, bound = min(*limits, host, key=itemgetter(0))
    return Operations(per_second=together, limit=limit, bound=bound)


SECTOR_BYTES = 4 * KIB


class WriteCapability(NamedTuple):
    """``number`` equal vdevs (or groups of a dRAID) that each take ``share`` disks' worth of data at once.

    ``limit_share`` is what of the host's limit for one raidz1 vdev each of them passes (0: such a limit has no meaning,
    as for mirrors and single disks), ``raw_per_byte`` how many bytes go to disks for each byte written.
    """

    number: float
    share: float
    limit_share: float
    raw_per_byte: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """What the vdevs of a pool could move if nothing but the disks limited it, in single-disk rates.

    ``disks_read`` is before, ``read`` after the losses of raidz and the like; ``writers`` are
    the vdevs as writes see them. ``host_cost`` is by how much the pool's redundancy divides the host's write limit.
    """

    data_disks: float
    disks_read: float
    read: float
    writers: tuple[WriteCapability, ...]
    host_cost: float


def capability(groups: Groups, inputs: "SpeedInputs") -> Capability:
    """Return what vdevs can do under a load; told clients read at once, else one for each vdev."""
    record_bytes, clients = inputs.load.record_bytes, inputs.load.clients
    media, model = inputs.disks.media, inputs.model
    writers = tuple([_write_capability(group, record_bytes, model) for group in groups])
    at_once = 1.0 if clients is None else max(1.0, clients / vdevs_of(groups))
    write = sides = disks_read = read = 0.0
    for group, writer in zip(groups, writers, strict=True):
        write += writer.number * writer.share
        cost = float(group.members**MIRROR_LIMIT_EXPONENT) if group.kind is VdevKind.MIRROR else 1.0
        sides += writer.number * writer.share * cost
        before, after = _reads(group, record_bytes, media, at_once, model)
        disks_read += group.count * before
        read += group.count * after
    return Capability(
        data_disks=data_disks_of(groups), disks_read=disks_read, read=read, writers=writers, host_cost=sides / write
    )


def _reads(
    group: VdevGroup, record_bytes: int, media: Media, at_once: float, model: Coefficients
) -> tuple[float, float]:
    """Return the disks of a vdev that serve reads, and how many disks' worth they read together."""
    # A mirror reads ahead from its sides; a raidz disk reads smaller pieces the more columns share a record.
    if group.kind is VdevKind.MIRROR:
        asked = record_bytes * at_once
        gain = asked / (asked + MIRROR_HALF_BYTES)
        if media is Media.HDD:  # heads pass over what the other side reads
            gain *= model.mirror_read_gain / MIRROR_BASE_SHARE
        return float(group.members), 1.0 + gain * (group.members - 1)
    share = group.data_share
    if media is not Media.HDD:  # no head to move past parity
        share = share * group.stripe_width / group.stripe_data
    if media is not Media.HDD or group.kind is VdevKind.STRIPE:
        return share, share
    scale = record_bytes / DEFAULT_RECORD_BYTES
    return share, share / (1.0 + model.read_column_cost * (group.stripe_data - 1) / scale)


def _write_capability(group: VdevGroup, record_bytes: int, model: Coefficients) -> WriteCapability:
    """A raidz vdev writes as fast as its data disks, up to a limit of its own; a dRAID like as many raidz as groups."""
    if group.kind in (VdevKind.MIRROR, VdevKind.STRIPE):
        raw = float(group.members) if group.kind is VdevKind.MIRROR else 1.0
        return WriteCapability(group.count, group.data_share, 0.0, raw)
    share = group.data_share
    if record_bytes < DEFAULT_RECORD_BYTES:
        # Small records carry more parity and padding for each byte than those of 128K.
        base = sectors_per_sector(group, DEFAULT_RECORD_BYTES)
        share *= base / sectors_per_sector(group, record_bytes)
    parts = group.data_share / group.stripe_data
    # More parity means more bytes through the same pipeline; its power is fitted (see Coefficients).
    limit_share = float(max(1, group.parity) ** -model.parity_exponent)
    return WriteCapability(group.count * parts, share / parts, limit_share, group.stripe_width / group.stripe_data)


def sectors_per_sector(group: VdevGroup, record_bytes: int) -> float:
    data = max(1, -(-record_bytes // SECTOR_BYTES))
    # As vdev_raidz_asize counts: a parity sector for each row, padded so that no hole is too small to use.
    used = data + group.parity * -(-data // group.stripe_data)
    return float(used + -used % (group.parity + 1)) / data


def rate_shares_when_full(media: Media, fill_percent: float, *, aged: bool) -> tuple[float, float]:
    """Return what a filled pool keeps of its disks' read and write rates."""
    # Nobody measured flash: it has no tracks, and small pieces cost it little.
    if media is not Media.HDD:
        return 1.0, 1.0
    # Tracks get shorter towards the spindle, so a disk filled in order slows down steadily.
    inner = 1.0 - (1.0 - FULL_SHARE) * fill_percent / 100.0
    old = 0.0
    if aged:
        old = (fill_percent - AGED_FROM_PERCENT) / (AGED_AT_PERCENT - AGED_FROM_PERCENT)
    old = min(1.0, max(0.0, old))
    return inner * AGED_READ_SHARE**old, inner * AGED_WRITE_SHARE**old


def combined_limit(*limits: float | None, exponent: float = MEET_EXPONENT) -> float:
    # Not the least of them: a pool near two limits stays below both, as the measured stripes do.
    return float(sum([limit**-exponent for limit in limits if limit is not None]) ** (-1.0 / exponent))
