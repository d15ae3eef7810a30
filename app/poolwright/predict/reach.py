"""Where a pool lies outside of what was measured: the reasons in words, and how much wider the bands are for it."""

import math
from dataclasses import dataclass
from functools import lru_cache

from poolwright.domain.disk import Media
from poolwright.domain.vdev import VdevKind
from poolwright.predict.groups import Groups, data_disks_of, members_of
from poolwright.predict.media import DiskRates
from poolwright.predict.runs import Calibration
from poolwright.predict.throughput import BASE_RECORD_BYTES
from poolwright.texts import tell

# The widest of what the tables hold: 44 disks, raidz of 26, mirrors of 2.
MOST_DISKS, WIDEST_RAIDZ, WIDEST_MIRROR = 44, 26, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Extrapolation:
    """Why the prediction reaches beyond the tables, and the standard deviation of the logarithm it adds."""

    reasons: tuple[str, ...]
    error: float


def extrapolation(groups: Groups, disks: DiskRates, record_bytes: int, calibration: Calibration) -> Extrapolation:
    """Return where ``groups`` on ``disks`` lie outside of the measured tables and of the runs on the host."""
    reasons: list[str] = []
    total = 0.0
    for reason, error in _beyond(groups, disks, record_bytes, calibration):
        reasons.append(reason)
        total = math.hypot(total, error)
    return Extrapolation(reasons=tuple(reasons), error=total)


def _beyond(groups: Groups, disks: DiskRates, record_bytes: int, calibration: Calibration) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    members = members_of(groups)
    if members > MOST_DISKS:
        found.append(
            (
                tell("{members} disks; at most {most_disks} were measured", members=members, most_disks=MOST_DISKS),
                0.1 * math.log2(members / MOST_DISKS),
            )
        )
    for group in groups:
        if group.kind is VdevKind.DRAID:
            found.append((tell("dRAID was not measured; its groups are taken as raidz"), 0.25))
        elif group.kind is VdevKind.RAIDZ and group.members > WIDEST_RAIDZ:
            over = 0.3 * math.log2(group.members / WIDEST_RAIDZ)
            found.append(
                (
                    tell(
                        "raidz of {members}; at most {widest_raidz} were measured",
                        members=group.members,
                        widest_raidz=WIDEST_RAIDZ,
                    ),
                    over,
                )
            )
        elif group.kind is VdevKind.MIRROR and group.members > WIDEST_MIRROR:
            found.append((tell("mirrors of {members}; only pairs were measured", members=group.members), 0.15))
    if disks.media is not Media.HDD:
        found.append((tell("{media} members; only hard disks were measured", media=disks.media.value), 0.25))
    if record_bytes != BASE_RECORD_BYTES:
        steps = abs(math.log2(record_bytes / BASE_RECORD_BYTES))
        found.append((tell("records of another size than 128K"), 0.08 * steps))
    widest = _widest_run(calibration)
    if widest and data_disks_of(groups) > 2.0 * widest:
        ratio = data_disks_of(groups) / widest
        found.append(
            (
                tell("{ratio:.1f} times the data disks of the largest run on the host", ratio=ratio),
                0.05 * math.log2(ratio),
            )
        )
    return found


@lru_cache(maxsize=64)
def _widest_run(calibration: Calibration) -> float:
    return max((data_disks_of(run.groups) for run in calibration.sequential), default=0.0)
