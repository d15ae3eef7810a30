"""From a candidate to a design: which disk goes where."""

from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.advise.candidate import Candidate
from poolwright.advise.places import placed_vdevs
from poolwright.advise.plan import Purpose
from poolwright.advise.request import Request
from poolwright.advise.spread_design import spread_design
from poolwright.domain.design import Dataset, Design, FurtherPool, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.host import Host
from poolwright.domain.inventory import Inventory


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """How a new design is called: its key in the library, its title, and the pool's name."""

    key: str
    name: str
    pool_name: str = "tank"


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """Proposed settings: of the pool (`-o`), of the root dataset (`-O`), and further datasets."""

    pool: tuple[Setting, ...] = ()
    root: tuple[Setting, ...] = ()
    datasets: tuple[Dataset, ...] = ()


_PURPOSES = {
    Purpose.MAIN: "",
    Purpose.PEER: "disks of another size",
    Purpose.REST: "what is left over of the larger disks",
}


def design_of(
    candidate: Candidate,
    request: Request,
    identity: Identity,
    *,
    inventory: Inventory | None = None,
    properties: Sequence[Properties] = (),
) -> Design:
    """Return the design of the candidate's pools (of copies the first), with every disk of the inventory in it.

    Disks are assigned in the candidate's order, data vdevs first, so that suspect disks end up as spares or unassigned;
    then equal ones are dealt anew over shelves, controllers and deliveries where these are known.
    ``properties`` are those of each pool, the main one first; further pools are named after it, numbered from 2.
    """
    vdevs = placed_vdevs(candidate.pools)
    of_each = (*properties, *(Properties(),) * len(vdevs))
    settings = of_each[0]
    further = tuple(
        FurtherPool(
            pool_name=f"{identity.pool_name}{number}",
            vdevs=own,
            ashift=candidate.ashift,
            pool_settings=said.pool,
            datasets=(Dataset(name="", settings=said.root), *said.datasets),
            purpose=_PURPOSES[pool.purpose],
        )
        for number, pool, own, said in zip(
            range(2, len(vdevs) + 1), candidate.further, vdevs[1:], of_each[1:], strict=False
        )
    )
    made = Design(
        key=identity.key,
        name=identity.name,
        pool_name=identity.pool_name,
        workload=request.workload,
        budget=request.budget,
        host=inventory.host if inventory else Host(),
        disks=inventory.disks if inventory else request.disks,
        vdevs=vdevs[0],
        ashift=candidate.ashift,
        version=request.version,
        pool_settings=settings.pool,
        datasets=(Dataset(name="", settings=settings.root), *settings.datasets),
        inventory_name=inventory.name if inventory else "",
        inventory_origin=inventory.origin if inventory else None,
        further_pools=further,
    )
    return spread_design(made)


def assigned_vdevs(candidate: Candidate) -> tuple[Vdev, ...]:
    """Return the vdevs of the candidate's main pool with their disks."""
    return placed_vdevs(candidate.pools)[0]


def unassigned_disks(design: Design) -> tuple[Disk, ...]:
    """Return the disks of the design's inventory that have no place in it."""
    used = design.used_keys()
    return tuple(disk for disk in design.disks if disk.key not in used)
