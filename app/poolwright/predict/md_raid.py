"""What is expected of Linux software RAID 6 beside raidz2 of the same disks (thesis, chapters 6.2 and 6.3).

The thesis measured arrays of eight disks, one fio job. Speeds are those predicted for raidz2 of the same disks, divided
by what raidz2 gained over RAID 6; times are scaled by size and rate of the disk. What it did not measure is not told.
"""

import math
from dataclasses import dataclass, replace

from poolwright.capacity.md_raid import MdRaid6
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.predict.degraded import Losses
from poolwright.predict.groups import banded
from poolwright.predict.rebuild import THESIS_RAIDZ2_EMPTY_SECONDS, md_rebuild_hours
from poolwright.predict.reliability import yearly_loss
from poolwright.predict.risk_conditions import RiskConditions
from poolwright.predict.speed import SpeedPrediction
from poolwright.shipped import shipped
from poolwright.texts import N_, _

# Percent, rows of the tables raid6_comparison and rebuild.
RAIDZ2_READ_GAIN, RAIDZ2_WRITE_GAIN = 18.0, 62.0
# While it is rebuilt “only the read rate falls”: said in words, no row of its own.
RAID6_LOST = {"degraded_read": 26.0, "degraded_write": 0.0, "rebuild_read": 41.0, "rebuild_write": 0.0}
MEASURED_WIDTH = 8
# The gains are printed as “about” and come from one machine; beyond one array of eight disks nobody measured them.
_SPREAD, _SPREAD_BEYOND = math.log(1.1), math.log(1.5)
_SPEED = N_("one machine in 2016")


@dataclass(frozen=True, slots=True, kw_only=True)
class MdPrediction:
    """Rates in bytes/s, times in hours, ``loss`` the yearly probability of losing the arrays by
    whatever cause, ``disk_loss`` by failures of disks alone.

    ``itself_read`` and ``itself_write`` are the rates without the network.
    """

    creation: Estimate
    seq_read: Estimate
    seq_write: Estimate
    itself_read: Estimate
    itself_write: Estimate
    rebuild: Estimate
    degraded_losses: Losses
    loss: Estimate
    disk_loss: Estimate


def md_notes() -> tuple[tuple[str, str], ...]:
    """Return what is to be known beside the figures, each with its source."""
    return tuple((_(note["why"]), _(note["source"])) for note in shipped("md_notes")["note"])


def predict_md(raid: MdRaid6, twin: SpeedPrediction, conditions: RiskConditions, *, network: float) -> MdPrediction:
    """Return what is expected of ``raid``.

    ``twin`` is the speed predicted for `MdRaid6.as_raidz2` without a network, ``network`` what that lets through in
    bytes/s, ``conditions`` the failure rates and rebuild conditions of the disks.
    """
    beyond = len(raid.arrays) > 1 or any(len(array) != MEASURED_WIDTH for array in raid.arrays)
    largest = max(disk.size_bytes or 0 for array in raid.arrays for disk in array)
    rebuild = md_rebuild_hours(largest, conditions.rebuild)
    idle = replace(conditions.rebuild, load_percent=0.0)
    creation = Origin(kind=OriginKind.PREDICTED, source=_("scaled from a measured build (18 h for disks of 6 TB)"))
    return MdPrediction(
        # The first sync took as long as a rebuild (18 h both).
        creation=replace(md_rebuild_hours(largest, idle), origin=creation),
        seq_read=_slower(twin.seq_read, RAIDZ2_READ_GAIN, network, beyond=beyond),
        seq_write=_slower(twin.seq_write, RAIDZ2_WRITE_GAIN, network, beyond=beyond),
        itself_read=_slower(twin.seq_read, RAIDZ2_READ_GAIN, math.inf, beyond=beyond),
        itself_write=_slower(twin.seq_write, RAIDZ2_WRITE_GAIN, math.inf, beyond=beyond),
        rebuild=rebuild,
        degraded_losses={name: _lost(percent, beyond=beyond) for name, percent in RAID6_LOST.items()},
        loss=_loss(raid, conditions, rebuild, from_disks=False),
        disk_loss=_loss(raid, conditions, rebuild, from_disks=True),
    )


def zfs_creation() -> Estimate:
    hours = THESIS_RAIDZ2_EMPTY_SECONDS / 3600
    origin = Origin(kind=OriginKind.MEASURED, source=_("{speed} (about 2 s for raidz2 of 8 disks)", speed=_(_SPEED)))
    return banded((hours,) * 3, _("writing labels; parity comes with the data"), origin)


def _slower(twin: Estimate, gain_percent: float, network: float, *, beyond: bool) -> Estimate:
    factor = 1 + gain_percent / 100
    spread = _SPREAD_BEYOND if beyond else _SPREAD
    typical = twin.typical / factor
    # The gain is one more factor with an error of its own.
    below = math.hypot(math.log(twin.typical / twin.low), spread)
    above = math.hypot(math.log(twin.high / twin.typical), spread)
    source = _(
        "raidz2 of the same disks, predicted, less the {gain:g} % that it was faster ({speed})",
        gain=gain_percent,
        speed=_(_SPEED),
    )
    if beyond:
        source = f"{source}; {_('extrapolated from one array of {count} disks', count=MEASURED_WIDTH)}"
    return Estimate(
        low=min(typical * math.exp(-below), network),
        typical=min(typical, network),
        high=min(typical * math.exp(above), network),
        limit=_("the network") if typical > network else "md RAID 6",  # for machines
        origin=Origin(kind=OriginKind.PREDICTED, source=f"{source}; {twin.origin.source}"),
    )


def _lost(percent: float, *, beyond: bool) -> Estimate:
    share = percent / 100
    source = _("{place}, {count} disks", place=_(_SPEED), count=MEASURED_WIDTH)
    if beyond:
        source = _("{source}; taken as it is for another number of disks", source=source)
    kind = OriginKind.PREDICTED if beyond else OriginKind.MEASURED
    return banded((share,) * 3, _("a failed disk"), Origin(kind=kind, source=source))


def _loss(raid: MdRaid6, conditions: RiskConditions, rebuild: Estimate, *, from_disks: bool) -> Estimate:

    def within(hours: float) -> Estimate:
        own = replace(conditions, rebuild_hours=hours, replace_hours=conditions.wait_hours)
        risk = yearly_loss(raid.as_raidz2(), own)
        return risk.disk_loss if from_disks else risk.loss

    typical = within(rebuild.typical)
    return replace(typical, low=within(rebuild.low).low, high=within(rebuild.high).high)
