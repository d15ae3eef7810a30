"""Several pools in one design, the ashift of each, and disks that came to the machine later."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from poolwright.capacity.device import LEAST_ASHIFT, MOST_ASHIFT
from poolwright.design.edits.places import (
    MAIN_POOL,
    VdevPlace,
    ashift_of,
    pool_count,
    pool_name_of,
    tidied,
    vdev_at,
    vdevs_of,
    with_vdevs,
)
from poolwright.domain.design import Design, FurtherPool
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.names import check_pool_name
from poolwright.texts import tell


def free_name(design: Design, taken: Iterable[str] = ()) -> str:
    """Return a name for a further pool that neither the design nor ``taken`` has."""
    names = {*taken, *(pool_name_of(design, pool) for pool in range(pool_count(design)))}
    stem = design.pool_name.rstrip("0123456789") or design.pool_name
    return next(name for number in range(2, len(names) + 3) if (name := f"{stem}{number}") not in names)


def move_vdevs(design: Design, places: Sequence[VdevPlace], pool: int) -> Design:
    """Return the design with these vdevs in another of its pools, behind those it has.

    Raises UserError where there is no such pool. A further pool that loses its last vdev is gone.
    """
    wanted = [place for place in sorted(set(places)) if place.pool != pool]
    coming = [vdev_at(design, place) for place in wanted]
    made = design
    for place in wanted:
        vdevs = list(vdevs_of(made, place.pool))
        vdevs[place.vdev] = replace(vdevs[place.vdev], members=())
        made = with_vdevs(made, place.pool, vdevs)
    made = with_vdevs(made, pool, (*vdevs_of(made, pool), *coming))
    return tidied(made)


def with_pool(design: Design, places: Sequence[VdevPlace], name: str, purpose: str = "") -> Design:
    """Return the design with these vdevs as a further pool.

    It begins with the properties of the pool that the first of them came from, and with those of its root dataset.
    Raises Refusal without a vdev and for a name that is taken.
    """
    if not places:
        raise Refusal(tell("A pool needs a vdev"), todo=tell("Select one first, or make one."))
    if name in {pool_name_of(design, pool) for pool in range(pool_count(design))}:
        raise Refusal(tell("There is a pool “{name}” already", name=name), todo=tell("Choose another name."))
    first = min(places)
    like = design.pools()[first.pool]
    fresh = FurtherPool(
        pool_name=name,
        vdevs=(),
        ashift=like.ashift,
        pool_settings=like.pool_settings,
        datasets=tuple(replace(d, logical_bytes=None, workload=None) for d in like.datasets if d.name == ""),
        purpose=purpose,
    )
    grown = replace(design, further_pools=(*design.further_pools, fresh))
    return move_vdevs(grown, places, pool_count(grown) - 1)


def rename_pool(design: Design, pool: int, name: str) -> Design:
    """Return the design with another name for one of its pools.

    Raises UserError for a bad name, Refusal for one that another of its pools has.
    """
    check_pool_name(name, design.version)
    if name in {pool_name_of(design, other) for other in range(pool_count(design)) if other != pool}:
        raise Refusal(tell("There is a pool “{name}” already", name=name), todo=tell("Choose another name."))
    if pool == MAIN_POOL:
        return design.renamed(pool_name=name)
    others = list(design.further_pools)
    others[pool - 1] = replace(others[pool - 1], pool_name=name)
    return replace(design, further_pools=tuple(others))


def set_ashift(design: Design, pool: int, ashift: int) -> Design:
    """Return the design with another ashift for one of its pools; raises UserError outside 9 to 16.

    Raises Refusal where a disk of the pool has larger sectors.
    """
    if not LEAST_ASHIFT <= ashift <= MOST_ASHIFT:
        raise UserError(tell("ashift {ashift} does not exist", ashift=ashift), todo=tell("OpenZFS takes 9 to 16."))
    for vdev in vdevs_of(design, pool):
        for member in vdev.members:
            disk = design.disk(member.disk_key)
            if (disk.logical_sector_bytes or 0) > 1 << ashift:
                raise Refusal(
                    tell(
                        "{label} has sectors of {sector} bytes: ashift {ashift} is too small",
                        label=disk.label,
                        sector=disk.logical_sector_bytes,
                        ashift=ashift,
                    )
                )
    if ashift == ashift_of(design, pool):
        return design
    if pool == MAIN_POOL:
        return replace(design, ashift=ashift)
    others = list(design.further_pools)
    others[pool - 1] = replace(others[pool - 1], ashift=ashift)
    return replace(design, further_pools=tuple(others))


def with_disks(design: Design, disks: Iterable[Disk]) -> Design:
    """Return the design with these disks described in it as well; those it knows stay as they are."""
    known = {disk.key for disk in design.disks}
    new = tuple(disk for disk in disks if disk.key not in known)
    return replace(design, disks=(*design.disks, *new)) if new else design
