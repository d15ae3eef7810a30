"""How long a scrub takes: every disk reads what is in use on it, parity included.

One parameter, the share of a disk's rate that is reached, from the thesis' scrub (chapter 5.1.2): 100 TiB on 44 disks
in about five hours, which is 139 MB/s from each disk.
"""

from poolwright.domain.estimate import Estimate
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.vdev import Layout, VdevClass, VdevKind
from poolwright.predict.rebuild import HIGH_FACTOR, SEQUENTIAL_SHARE, RebuildConditions
from poolwright.texts import marked, tell, tell_counted

_ORIGIN = Origin(
    kind=OriginKind.PREDICTED, source=marked("fitted to the thesis, chapter 5.2 (100 TiB on 44 disks in 5 h)")
)


def scrub_hours(
    *,
    allocated_bytes: int,
    disks: int,
    how: RebuildConditions,
    link_bytes_per_second: float | None = None,
    disk_bytes: int | None = None,
) -> Estimate:
    """Return the hours to read ``allocated_bytes`` (ALLOC of `zpool list`; a mirror: all its sides) from ``disks``.

    ``disk_bytes`` is the size of one of them, ``link_bytes_per_second`` the narrowest link between them and the host,
    where it is known.
    """
    ideal = disks * how.rates(disk_bytes)[0]
    typical_rate, limit = (
        ideal * SEQUENTIAL_SHARE,
        tell_counted("the read rate of {count} disk", "the read rate of {count} disks", disks),
    )
    if link_bytes_per_second is not None and link_bytes_per_second < typical_rate:
        typical_rate, limit = link_bytes_per_second, tell("the link between disks and host")
    best = ideal if link_bytes_per_second is None else min(ideal, link_bytes_per_second)
    seconds = allocated_bytes / typical_rate / how.free_share
    return Estimate(
        low=allocated_bytes / best / how.free_share / 3600,
        typical=seconds / 3600,
        high=HIGH_FACTOR * seconds / 3600,
        limit=limit,
        origin=_ORIGIN,
    )


def layout_scrub_hours(
    layout: Layout, how: RebuildConditions, *, link_bytes_per_second: float | None = None
) -> Estimate:
    """Return the hours to scrub a pool filled as ``how`` says: its slowest data vdev, or the link for all.

    Vdevs are read at the same time and filled evenly, so the largest disk that is read to the end decides.
    """
    data = [spec for spec in layout if spec.vdev_class is VdevClass.DATA]
    disks = sum(spec.width for spec in data)
    deepest, whole = max(
        (most, spec.disk_bytes or most)
        for spec in data
        for most in (max(spec.sizes) if spec.kind is VdevKind.STRIPE else min(spec.sizes),)
    )
    on_each = round(deepest * how.fill_percent / 100)
    return scrub_hours(
        allocated_bytes=on_each * disks,
        disks=disks,
        how=how,
        link_bytes_per_second=link_bytes_per_second,
        disk_bytes=whole,
    )
