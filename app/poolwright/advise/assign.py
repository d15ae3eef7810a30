"""From a candidate to a design: which disk goes where."""

from dataclasses import dataclass

from poolwright.advise.candidate import Candidate
from poolwright.advise.recommend import Request
from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.host import Host
from poolwright.domain.inventory import Inventory
from poolwright.domain.vdev import VdevClass


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


def design_of(
    candidate: Candidate,
    request: Request,
    identity: Identity,
    *,
    inventory: Inventory | None = None,
    properties: Properties | None = None,
) -> Design:
    """Return the design of the candidate's first pool, with every disk of the inventory described in it.

    Disks are assigned in the candidate's order, data vdevs first, so that suspect disks end up as spares or unassigned.
    """
    settings = properties or Properties()
    return Design(
        key=identity.key,
        name=identity.name,
        pool_name=identity.pool_name,
        workload=request.workload,
        budget=request.budget,
        host=inventory.host if inventory else Host(),
        disks=inventory.disks if inventory else request.disks,
        vdevs=assigned_vdevs(candidate),
        ashift=candidate.ashift,
        version=request.version,
        pool_settings=settings.pool,
        datasets=(Dataset(name="", settings=settings.root), *settings.datasets),
        inventory_name=inventory.name if inventory else "",
        inventory_origin=inventory.origin if inventory else None,
    )


def assigned_vdevs(candidate: Candidate) -> tuple[Vdev, ...]:
    """Return the candidate's vdevs with their disks."""
    data = [spec for spec in candidate.layout if spec.vdev_class is VdevClass.DATA]
    others = [spec for spec in candidate.layout if spec.vdev_class is not VdevClass.DATA]
    free = iter(candidate.disks)
    return tuple(
        Vdev(
            kind=spec.kind,
            members=tuple(Member(disk_key=next(free).key) for _ in spec.sizes),
            parity=spec.parity,
            vdev_class=spec.vdev_class,
            draid_data=spec.draid_data,
            draid_spares=spec.draid_spares,
        )
        for spec in (*data, *others)
    )


def unassigned_disks(design: Design) -> tuple[Disk, ...]:
    """Return the disks of the design's inventory that have no place in it."""
    used = design.used_keys()
    return tuple(disk for disk in design.disks if disk.key not in used)
