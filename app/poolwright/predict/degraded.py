"""What a pool loses of its rates while a disk is out, and while the disk in its place is resilvered.

Data lie evenly on all vdevs: whoever reads a lot waits for the one that lacks a disk; writes go where there is time.
raidz and dRAID read parity instead of the missing column: as many columns, from one disk less. Heads pass over parity
anyway, so sequential reads lose nothing. A resilver has requests of its own at each disk, which the scheduler limits.
"""

import math
from dataclasses import replace

from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.vdev import Layout, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.predict.assumptions import SpeedInputs
from poolwright.predict.belief import posterior, read_rate
from poolwright.predict.groups import Groups, VdevGroup, banded, groups_of, members_of, vdevs_of
from poolwright.predict.measured_runs import Metric
from poolwright.predict.rebuild import SORTED_SINCE
from poolwright.predict.throughput import TRANSFER_ERROR, capability, pieces, random_reads
from poolwright.texts import N_, _

# Shares (0 to 1) of the rates that are lost, by names such as degraded_read and rebuild_iops; none where nobody knows.
Losses = dict[str, Estimate]
OF = {"read": Metric.SEQ_READ, "write": Metric.SEQ_WRITE, "iops": Metric.RAND_READ}
LOSSES = tuple(f"{when}_{of}" for when in ("degraded", "rebuild") for of in OF)

# Requests at one disk: of users (zfs_vdev_sync_read_max_active), of one reader ahead (zfs_vdev_async_read_max_active),
# of a resilver (zfs_vdev_scrub_max_active; since 2.1 the least while users are at work, openzfs/zfs#11166).
MOST_ACTIVE, READ_AHEAD, SCAN_ACTIVE, SCAN_ACTIVE_BESIDE, YIELDS_SINCE = 10.0, 3.0, 2.0, 1.0, ZfsVersion(2, 1, 0)
# As how many requests of users one of a resilver counts: low, typical, high. Sorted ones are large, and disks prefer
# what lies in order: one reader beside a scrub of 0.8.3 kept 20 to 60 of 250 reads a second (openzfs/zfs#10253), which
# is 1.6 to 5.8. Before 0.8 they were as those of users are.
SORTED_WEIGHT, UNSORTED_WEIGHT = (1.5, 3.0, 6.0), (0.5, 1.0, 2.0)
_SOURCE = N_(
    "the pace of the vdev that lacks a disk, users beside the resilver (zfs_vdev_scrub_*_active, openzfs/zfs#10253); "
    "raidz2 of 8 lost 16 % of its writes in a resilver, else nothing (one machine, 2016)"
)


def degraded_losses(layout: Layout, inputs: SpeedInputs) -> Losses:
    """Return what one disk of a vdev costs the pool, of the kind that misses it most; none without redundancy."""
    groups, load, hard = groups_of(layout), inputs.load, inputs.disks.media is Media.HDD
    if any(group.kind is VdevKind.STRIPE for group in groups):
        return {}
    vdevs, clients = vdevs_of(groups), math.inf if load.clients is None else load.clients
    asked = clients * load.records_each * sum([g.count * pieces(g, load.record_bytes) for g in groups]) / vdevs
    healthy, out = (_reads(groups, now, inputs) for now in (groups, tuple([_lacking(g, hard=hard) for g in groups])))
    kept = (
        (out[0] / healthy[0], READ_AHEAD * clients),
        (1.0, math.inf),
        (out[1] / healthy[1], asked / members_of(groups)),
    )
    scans = SCAN_ACTIVE_BESIDE if load.version >= YIELDS_SINCE else SCAN_ACTIVE
    weights = SORTED_WEIGHT if load.version >= SORTED_SINCE else UNSORTED_WEIGHT
    origin = Origin(kind=OriginKind.PREDICTED if hard else OriginKind.ASSUMED, source=_(_SOURCE))
    found = {}
    for of, (left, queued) in zip(OF, kept, strict=True):
        users = min(MOST_ACTIVE, max(1.0, queued))
        best, typical, worst = (left * users / (users + scans * weight) for weight in weights)
        if of == "write":  # the other vdevs take what this one has no time for
            typical = 1.0 - (1.0 - typical) / vdevs
        # Little at a time seldom meets the slower vdev; and where the host limits a pool its disks have time to spare.
        found[f"degraded_{of}"] = _lost((1.0 - left) / vdevs, left, left * math.exp(-TRANSFER_ERROR), origin)
        found[f"rebuild_{of}"] = _lost((1.0 - best) / 2.0 / vdevs, typical, worst, origin)
    return found


def _lacking(group: VdevGroup, *, hard: bool) -> VdevGroup:
    left = group.members - 1
    if group.kind is VdevKind.RAIDZ:
        return replace(group, members=left, stripe_width=left)
    share = 1.0 if hard or group.kind is VdevKind.MIRROR else left / group.members
    return replace(group, members=left, data_share=group.data_share * share)


def _reads(healthy: Groups, groups: Groups, inputs: SpeedInputs) -> tuple[float, float]:
    belief = posterior(inputs, members_of(healthy))
    stream = read_rate(capability(groups, inputs), belief.mean, inputs).bytes_per_second
    return stream, random_reads(groups, inputs.disks, inputs.load, stream).per_second


def _lost(least: float, left: float, worst: float, origin: Origin) -> Estimate:
    low, typical, high = (round(max(0.0, lost), 2) for lost in (least, 1.0 - left, 1.0 - worst))
    return banded((min(low, typical), typical, max(typical, high)), _("a failed disk"), origin)
