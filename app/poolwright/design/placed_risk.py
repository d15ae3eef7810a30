"""The risk of a candidate whose disks have places: each vdev with the disks that it has there."""

from collections.abc import Sequence
from dataclasses import replace

from poolwright.design.candidate import Candidate
from poolwright.design.places import placed_vdevs
from poolwright.design.plan import CandidatePool, EqualPool, PackedPool
from poolwright.domain.design import Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.groups import any_loss


def with_places(candidate: Candidate) -> Candidate:
    """Return a candidate, of one pool of each kind, with the risk that its disks have in their places.

    Shelves and controllers that take a pool with them are not in it.
    """
    vdevs = placed_vdevs(candidate.pools)
    pools = [_placed(pool, own) for pool, own in zip(candidate.pools, vdevs, strict=True)]
    risks = [pool.predictions.risk for pool in pools]
    measures = replace(
        candidate.measures,
        any_loss=any_loss([risk.probability for risk in risks], candidate.measures.forecast.floor),
        any_disk_loss=any_loss([risk.disk_probability for risk in risks]),
        dealt=True,
    )
    return replace(candidate, main=pools[0], further=tuple(pools[1:]), measures=measures)


def _placed(pool: CandidatePool, vdevs: Sequence[Vdev]) -> CandidatePool:
    """Return a pool whose vdevs have the disks of ``vdevs``."""
    disks = {disk.key: disk for disk in pool.disks}
    rows = [[disks[m.disk_key] for m in vdev.members] for vdev in vdevs if vdev.vdev_class is VdevClass.DATA]
    if isinstance(pool, EqualPool):
        kinds = [pool.shape.kind] * len(rows)
        return replace(pool, outlook=pool.dealing.placed(pool.outlook, _tops(rows, kinds)))
    assert isinstance(pool, PackedPool)
    left, outlooks = iter(rows), []
    for part, outlook in zip(pool.plan.segments, pool.outlooks, strict=True):
        kinds = [made.spec.kind for made, count in part for _ in range(count)]
        outlooks.append(pool.dealing.placed(outlook, _tops([next(left) for _ in kinds], kinds)))
    return replace(pool, outlooks=tuple(outlooks))


def _tops(rows: Sequence[Sequence[Disk]], kinds: Sequence[VdevKind]) -> list[Sequence[Disk]]:
    """Return the disks of each top-level vdev: each member of a stripe is one."""
    return [
        top
        for row, kind in zip(rows, kinds, strict=True)
        for top in ([[disk] for disk in row] if kind is VdevKind.STRIPE else [row])
    ]
