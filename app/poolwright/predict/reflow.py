"""How long a raidz expansion takes: everything in use is read from the old disks and written over the wider vdev.

No measurement is behind it but the one of scrubs and dRAID rebuilds (`rebuild.SEQUENTIAL_SHARE`): both directions on
the same disks, one after the other. OpenZFS copies in pieces and leaves time to users, so the band is wide.
"""

from poolwright.domain.estimate import Estimate
from poolwright.domain.origin import Origin, OriginKind
from poolwright.predict.rebuild import HIGH_FACTOR, SEQUENTIAL_SHARE, SMR_FACTOR, RebuildConditions

_ORIGIN = Origin(
    kind=OriginKind.PREDICTED,
    source="bytes in use read from the old and written to all disks, at the share of their rate that the thesis' scrub "
    "reached; no expansion was measured, so half to twice the time, more under load",
)


def expansion_hours(*, old_width: int, allocated_bytes: float, how: RebuildConditions) -> Estimate:
    """Return the hours to widen a raidz of ``old_width`` by one disk, with ``allocated_bytes`` raw bytes in use."""
    reading = allocated_bytes / old_width / (how.read_rate * SEQUENTIAL_SHARE)
    writing = allocated_bytes / (old_width + 1) / (how.write_rate * SEQUENTIAL_SHARE)
    typical = (reading + writing) / how.free_share / 3600 * (SMR_FACTOR if how.smr else 1)
    return Estimate(
        low=typical / HIGH_FACTOR,
        typical=typical,
        high=typical * HIGH_FACTOR,
        limit="the disks of the vdev",
        origin=_ORIGIN,
    )
