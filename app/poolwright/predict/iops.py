"""Random operations a second: which disks one operation takes, how clients fill the queues, what writes become.

Reads: every side of a mirror serves reads of its own. A raidz vdev serves one read at a time only where a record spans
all its data disks (OpenZFS documentation, RAIDZ); smaller records touch fewer. Writes: transaction groups turn random
writes of whole records into mostly sequential ones.
"""

from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from poolwright.domain.disk import Media
from poolwright.domain.vdev import VdevKind
from poolwright.predict.coefficients import BYTES_PER_CLIENT, RANDOM_WRITE_SHARE, RECORDS_PER_CLIENT
from poolwright.predict.groups import Groups, VdevGroup, members_of, vdevs_of
from poolwright.predict.media import CHECKSUM_PER_CORE, DiskRates
from poolwright.predict.throughput import SECTOR_BYTES, meet
from poolwright.texts import marked, tell, told_once

# Requests that a hard disk sorts at once, and the power by which its rate grows with them (thesis 7.2: 170 MiB/s with
# 10 jobs, 1200 with 250, flat after).
QUEUE_DEPTH, QUEUE_POWER = 6.0, 0.25
# Seconds of one 4K read that is alone on the drive. Data sheets: Intel P4510 and P4610 77 µs, Samsung PM983 85 µs; SATA
# drives are about 40 % slower (AnandTech's round-up of 2018), 10,000 a second of one request each (840 EVO).
READ_SECONDS = {Media.SSD: 110e-6, Media.NVME: 80e-6}
# What OpenZFS takes for a read beside the checksum, which goes over the whole record. With it four readers on eight
# NVMe drives (openzfs/zfs#16993: 13,100 a second, 303 µs each) are foretold 15,500.
HOST_READ_SECONDS = 20e-6


class Bound(Enum):
    """What limits operations, as far as runs under one limit tell nothing of another."""

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


def single_queue(disks: DiskRates) -> float:
    """Return the operations a second of one hard disk that gets one request at a time."""
    return float(disks.iops / QUEUE_DEPTH**QUEUE_POWER)


def pieces(group: VdevGroup, record_bytes: int) -> int:
    """Return on how many disks of the vdev the data of one record lie."""
    if group.kind in (VdevKind.MIRROR, VdevKind.STRIPE):
        return 1
    return min(group.stripe_data, max(1, -(-record_bytes // SECTOR_BYTES)))


def reads_at_once(group: VdevGroup, record_bytes: int) -> float:
    """Return how many disks' operations a vdev gives to reads of whole records."""
    if group.kind in (VdevKind.MIRROR, VdevKind.STRIPE):
        return float(group.members)
    data, width, touched = group.stripe_data, group.stripe_width, pieces(group, record_bytes)
    # Full records: one read at a time. One sector: every disk on its own. Straight between the two.
    spread = (touched - 1) / (data - 1) if data > 1 else 0.0
    return group.members / touched * (1.0 - (1.0 - data / width) * spread)


def hard_disk_reads(groups: Groups, disks: DiskRates, record_bytes: int, clients: int | None) -> float:
    """Return the records a second that the heads of hard disks reach, ``clients`` being under way (None: plenty).

    A closed queueing network with one record per client. All pieces of a record are sought at once, and the last one
    counts: the heads move alike, but of n disks the slowest turns n / (n + 1) of a turn instead of a half, and a turn
    takes about as long as a whole access. Disks sort the pieces that wait for them.
    """
    at_once = sum([g.count * reads_at_once(g, record_bytes) for g in groups])
    if clients is None:
        return float(disks.iops * at_once)
    each = sum([g.count * pieces(g, record_bytes) for g in groups]) / vdevs_of(groups)
    slowest = 1.0 + (each - 1.0) / (each + 1.0) / 2.0
    queued = min(QUEUE_DEPTH, max(1.0, clients * each / members_of(groups)))
    share = clients / (at_once * slowest + clients - 1.0)
    return float(share * at_once * single_queue(disks) * queued**QUEUE_POWER)


def flash_read_seconds(groups: Groups, disks: DiskRates, record_bytes: int) -> float:
    """Return how long one client waits for one record: the drive, its share of the bytes, OpenZFS, the checksum."""
    each = sum([g.count * pieces(g, record_bytes) for g in groups]) / vdevs_of(groups)
    transfer = record_bytes / each / disks.read_bytes_per_second
    return READ_SECONDS[disks.media] + transfer + HOST_READ_SECONDS + record_bytes / CHECKSUM_PER_CORE["fletcher4"]


def random_reads(
    groups: Groups,
    disks: DiskRates,
    *,
    record_bytes: int,
    clients: int | None,
    sequential: float,
    records_each: int = 1,
) -> Operations:
    """Return the random reads a second that each touch ``records_each`` whole records, all of them asked for at once.

    ``sequential`` is the pool's read rate in bytes/s. A read of 4K takes its whole record from the disks: the checksum
    is over all of it.
    """
    at_once = None if clients is None else clients * records_each
    hard = disks.media is Media.HDD
    waits = None
    if hard:
        seeks = hard_disk_reads(groups, disks, record_bytes, at_once)
    else:
        seeks = disks.iops * sum([g.count * reads_at_once(g, record_bytes) for g in groups])
        waits = None if at_once is None else at_once / flash_read_seconds(groups, disks, record_bytes)
    stream = sequential / record_bytes
    idle = at_once is not None and at_once * max(pieces(g, record_bytes) for g in groups) < members_of(groups)
    limit, bound = tell("disk operations"), Bound.DISKS
    if waits is not None and waits < min(seeks, stream):
        limit, bound = tell("the time of one read: too few clients"), Bound.CLIENTS
    elif seeks >= stream:
        limit, bound = tell("sequential rate"), Bound.STREAM
    elif hard and idle:
        limit = tell("too few clients for the disks")
    return Operations(per_second=meet(seeks, waits, stream) / records_each, limit=limit, bound=bound)


def random_writes(
    disks: DiskRates, *, record_bytes: int, clients: int | None, sequential: float, records_each: int = 1
) -> Operations:
    """Return the random writes a second; ``sequential`` is the pool's write rate in bytes/s.

    A write of a part of a record writes all of it again; transaction groups write the records in order.
    """
    gathered = RANDOM_WRITE_SHARE * sequential / record_bytes
    changed = None
    if clients is not None:
        changed = clients * min(RECORDS_PER_CLIENT, BYTES_PER_CLIENT[disks.media] / record_bytes)
    limit, bound = tell("transaction groups at the sequential rate"), Bound.STREAM
    if changed is not None and changed < gathered:
        limit, bound = tell("too few clients to fill transaction groups"), Bound.CLIENTS
    return Operations(per_second=meet(gathered, changed) / records_each, limit=limit, bound=bound)


def unbatched_writes(groups: Groups, disks: DiskRates) -> float:
    """Return the writes a second when none can be gathered, one at a time for each vdev: an aged, full pool."""
    return vdevs_of(groups) * disks.iops


# How long a device takes until a small write is safe: what every synchronous write waits for.


@dataclass(frozen=True, slots=True, kw_only=True)
class Flush:
    """Seconds from a write of 4 KiB to the answer to the flush behind it: low, typical and high; ``source`` says whose.

    ``words`` name the device by what decides.
    """

    low: float
    typical: float
    high: float
    words: str
    source: str


_SOURCE = "rules/tables/flush_latency.csv"
# 158 µs: Intel 710 (FreeBSD r321928, diskinfo -wS); 65 µs: data sheet of the Intel DC S3700; their mean by proportion.
SSD_PROTECTED = Flush(
    low=50e-6, typical=100e-6, high=200e-6, words=marked("an SSD with power-loss protection"), source=_SOURCE
)
# 54 µs: Optane M10 (fdatasync, d-uzlov); data sheets of drives for servers say 10 to 30.
NVME_PROTECTED = Flush(
    low=15e-6, typical=40e-6, high=80e-6, words=marked("NVMe with power-loss protection"), source=_SOURCE
)
# Seven drives for desktops, SATA and NVMe alike: 0.83 to 6.9 ms, mean by proportion 1.6 ms.
UNPROTECTED = Flush(
    low=0.8e-3, typical=1.6e-3, high=7e-3, words=marked("flash without power-loss protection"), source=_SOURCE
)


@told_once
@lru_cache(maxsize=256)
def flush_of(device: DiskRates) -> Flush:
    """Return how long ``device`` takes to make a write safe.

    Where nobody knows whether flash has power-loss protection, it is anything between having and lacking it.
    """
    if device.media is Media.HDD:
        typical = 1.0 / single_queue(device)
        return Flush(
            low=typical / 1.5,
            typical=typical,
            high=typical * 1.5,
            words=tell("hard disks"),
            source=tell("one operation of a disk with one request at a time"),
        )
    kept = SSD_PROTECTED if device.media is Media.SSD else NVME_PROTECTED
    if device.power_loss_protected is not None:
        return kept if device.power_loss_protected else UNPROTECTED
    return Flush(
        low=kept.low,
        typical=(kept.typical * UNPROTECTED.typical) ** 0.5,
        high=UNPROTECTED.high,
        words=tell("flash of which nobody knows whether it has power-loss protection"),
        source=tell("{source}, between drives with and without power-loss protection", source=_SOURCE),
    )
