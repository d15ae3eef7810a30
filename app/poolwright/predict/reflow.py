"""How long a raidz expansion takes: everything in use is read from the old disks and written over the wider vdev.

Both directions on the same disks, one after the other, at the share of their rate that the thesis' scrub reached
(`rebuild.SEQUENTIAL_SHARE`). Of the three complete expansions that people reported with layout and disks (table
expansion_reports) two of three disks took 0.8 of that, at 246 and 266 MiB/s; one of seven disks went at 85 MiB/s. So no
pool is taken to copy faster than the fastest of them, and the band reaches to the slowest.
"""

from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.steps import Estimate
from poolwright.domain.units import MIB
from poolwright.predict.rebuild import SEQUENTIAL_SHARE, SMR_FACTOR, RebuildConditions
from poolwright.texts import marked, tell

FASTEST_COPY = 266.0 * MIB  # bytes/s
LOW_FACTOR, HIGH_FACTOR = 0.6, 4.0

_ORIGIN = Origin(
    kind=OriginKind.PREDICTED,
    source=marked(
        "bytes in use read from the old and written to all disks, at the share of their rate that the thesis' scrub "
        "reached, and no faster than the fastest of three expansions that people reported; the slowest took "
        "three times "
        "as long, so 0.6 to 4 times the time"
    ),
)


def expansion_hours(*, old_width: int, disk_bytes: int, allocated_bytes: float, how: RebuildConditions) -> Estimate:
    """Return the hours to widen a raidz of ``old_width`` by one disk, with ``allocated_bytes`` raw bytes in use."""
    read, write = how.rates(disk_bytes)
    reading = allocated_bytes / old_width / (read * SEQUENTIAL_SHARE)
    writing = allocated_bytes / (old_width + 1) / (write * SEQUENTIAL_SHARE)
    seconds = max(reading + writing, allocated_bytes / FASTEST_COPY)
    typical = seconds / how.free_share / 3600 * (SMR_FACTOR if how.smr else 1)
    return Estimate(
        low=typical * LOW_FACTOR,
        typical=typical,
        high=typical * HIGH_FACTOR,
        limit=tell("the disks of the vdev")
        if reading + writing >= seconds
        else tell("the copying of one piece at a time"),
        origin=_ORIGIN,
    )
