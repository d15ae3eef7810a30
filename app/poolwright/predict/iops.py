"""Random operations a second: which disks one operation takes, how clients fill the queues, what writes become.

Reads: every side of a mirror serves reads of its own. A raidz vdev serves one read at a time only where a record spans
all its data disks (OpenZFS documentation, RAIDZ); smaller records touch fewer. Writes: transaction groups turn random
writes of whole records into mostly sequential ones.
"""

from dataclasses import dataclass

from poolwright.domain.disk import Media
from poolwright.domain.vdev import VdevKind
from poolwright.predict.coefficients import BYTES_PER_CLIENT, RANDOM_WRITE_SHARE, RECORDS_PER_CLIENT
from poolwright.predict.groups import Groups, VdevGroup, members_of, vdevs_of
from poolwright.predict.media import DiskRates
from poolwright.predict.throughput import SECTOR_BYTES, meet
from poolwright.texts import tell

# Requests that a disk sorts at once, and the power by which its rate grows with them: hard disks from the thesis (7.2:
# 170 MiB/s with 10 jobs, 1200 with 250, flat after), flash from data sheets (a depth of 32 gives 8 times one of 1).
QUEUES = {Media.HDD: (6.0, 0.25), Media.SSD: (32.0, 0.6), Media.NVME: (32.0, 0.6)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """Operations a second and what limits them."""

    per_second: float
    limit: str


def single_queue(disks: DiskRates) -> float:
    """Return the operations a second of one disk that gets one request at a time."""
    depth, power = QUEUES[disks.media]
    return float(disks.iops / depth**power)


def filled(clients: int | None, members: int, media: Media) -> float:
    """Return which share of their operations ``members`` disks reach with ``clients``, 1 where there are plenty (None).

    A closed queueing network of equal disks with one request per client, and disks that sort what waits for them.
    """
    if clients is None:
        return 1.0
    depth, power = QUEUES[media]
    queued = min(depth, max(1.0, clients / members))
    return clients / (members + clients - 1) * float((queued / depth) ** power)


def reads_at_once(group: VdevGroup, record_bytes: int) -> float:
    """Return how many disks' operations a vdev gives to reads of whole records."""
    if group.kind in (VdevKind.MIRROR, VdevKind.STRIPE):
        return float(group.members)
    data, width = group.stripe_data, group.stripe_width
    touched = min(data, max(1, -(-record_bytes // SECTOR_BYTES)))
    # Full records: one read at a time. One sector: every disk on its own. Straight between the two.
    spread = (touched - 1) / (data - 1) if data > 1 else 0.0
    return group.members / touched * (1.0 - (1.0 - data / width) * spread)


def random_reads(
    groups: Groups,
    disks: DiskRates,
    *,
    record_bytes: int,
    clients: int | None,
    sequential: float,
    records_each: int = 1,
) -> Operations:
    """Return the random reads a second that each touch ``records_each`` whole records.

    ``sequential`` is the pool's read rate in bytes/s. A read of 4K takes its whole record from the disks: the checksum
    is over all of it.
    """
    at_once = sum([g.count * reads_at_once(g, record_bytes) for g in groups])
    seeks = disks.iops * at_once * filled(clients, members_of(groups), disks.media)
    stream = sequential / record_bytes
    if seeks >= stream:
        limit = tell("sequential rate")
    elif clients is not None and clients < members_of(groups):
        limit = tell("too few clients for the disks")
    else:
        limit = tell("disk operations")
    return Operations(per_second=meet(seeks, stream) / records_each, limit=limit)


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
    limit = tell("transaction groups at the sequential rate")
    if changed is not None and changed < gathered:
        limit = tell("too few clients to fill transaction groups")
    return Operations(per_second=meet(gathered, changed) / records_each, limit=limit)


def unbatched_writes(groups: Groups, disks: DiskRates) -> float:
    """Return the writes a second when none can be gathered, one at a time for each vdev: an aged, full pool."""
    return vdevs_of(groups) * disks.iops
