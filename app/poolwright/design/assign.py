"""From a candidate, or a layout that a person names, to a design: which disk goes where."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from poolwright.design.candidate import Candidate
from poolwright.design.groups import assignment_order, safe_ashift
from poolwright.design.plan import Purpose
from poolwright.design.request import Request
from poolwright.design.slots import placed_vdevs
from poolwright.design.spread import spread_design
from poolwright.domain.design import Dataset, Design, FurtherPool, Member, Vdev, vdev_of
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import Refusal
from poolwright.domain.host import Host, Inventory, planned_host
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, describe, disks_and_kind
from poolwright.rules.propose import Proposals
from poolwright.texts import _, ngettext


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """How a new design is called: its key in the library, its title (empty: by disks and kind), and the pool's name."""

    key: str
    name: str = ""
    pool_name: str = "tank"


# What files say of a pool, in the words of every language.
_PURPOSES = {
    Purpose.MAIN: "",
    Purpose.PEER: "disks of another size",
    Purpose.DATA: "data of another kind",
    Purpose.REST: "what is left over of the larger disks",
}  # for machines


def design_of(
    candidate: Candidate,
    request: Request,
    identity: Identity,
    *,
    inventory: Inventory | None = None,
    properties: Sequence[Proposals] = (),
) -> Design:
    """Return the design of the candidate's pools, equal ones all of them, with every disk of the inventory in it.

    Disks are assigned in the candidate's order, data vdevs first, so that suspect disks end up as spares or unassigned;
    then equal ones are dealt anew over shelves, controllers and deliveries where these are known.
    ``properties`` are those of each pool that differs, the main one first; equal pools have the same. Further pools are
    named after the main one and numbered, without the names that pools of the machine have. What the budget reserves
    beside the data is reserved on each data disk; raises UserError where it cannot be.
    """
    vdevs = placed_vdevs(candidate.pools)
    of_each = (*properties, *(Proposals(),) * len(vdevs))
    settings = of_each[0]
    taken = {pool.name for pool in inventory.pools} if inventory else set()
    names = _further_names(identity.pool_name, taken, bulk=bool(candidate.of_data))
    made = replace(
        _bare(candidate.main.layout, request, identity, inventory),
        host=planned_host(inventory.host, request.budget) if inventory else Host(),
        vdevs=vdevs[0],
        ashift=candidate.main.medium.ashift,
        pool_settings=settings.pool,
        datasets=(Dataset(name="", settings=settings.root), *settings.datasets),
        further_pools=_further_pools(candidate, vdevs[1:], of_each, names),
        main_workload=candidate.of_data[0].workload if candidate.of_data else None,
    )
    spread = spread_design(made)
    if not request.budget.reserve:
        return spread
    from poolwright.design.edits.reserve import with_reserve  # noqa: PLC0415 - few reserve anything

    return with_reserve(spread, request.budget.reserve)


def _bare(layout: Layout, request: Request, identity: Identity, inventory: Inventory | None) -> Design:
    return Design(
        key=identity.key,
        name=identity.name or disks_and_kind(layout),
        pool_name=identity.pool_name,
        workload=request.workload,
        budget=request.budget,
        host=request.host,
        disks=inventory.disks if inventory else request.disks,
        version=request.version,
        datasets=(Dataset(name=""),),
        inventory_name=inventory.name if inventory else "",
        inventory_origin=inventory.origin if inventory else None,
    )


def _further_pools(
    candidate: Candidate, vdevs: Sequence[tuple[Vdev, ...]], of_each: Sequence[Proposals], names: Iterator[str]
) -> tuple[FurtherPool, ...]:
    """Return the pools beside the main one, its equals first; ``of_each`` are the properties of pools that differ."""
    copies = candidate.main.copies - 1
    equal = f"one of {candidate.main.copies} equal pools"  # for machines
    purposes = (*(equal,) * copies, *(_PURPOSES[pool.plan.purpose] for pool in candidate.further))
    parts = (*(None,) * (len(vdevs) - len(candidate.of_data[1:])), *candidate.of_data[1:])
    return tuple(
        FurtherPool(
            pool_name=next(names),
            vdevs=own,
            ashift=part.candidate.main.medium.ashift if part else candidate.main.medium.ashift,
            pool_settings=said.pool,
            datasets=(Dataset(name="", settings=said.root), *said.datasets),
            purpose=purpose,
            workload=part.workload if part else None,
        )
        for purpose, own, said, part in zip(
            purposes, vdevs, (*(of_each[0],) * copies, *of_each[1:]), parts, strict=False
        )
    )


def _further_names(pool_name: str, taken: Collection[str], *, bulk: bool) -> Iterator[str]:
    """Yield tank2, tank3 … after tank, and tank5 after tank4; tank-bulk before them where it holds the ``bulk``."""
    if bulk and (name := f"{pool_name}-bulk") not in taken:
        yield name
    stem = pool_name.rstrip("0123456789") or pool_name
    first = int(pool_name[len(stem) :] or 1) + 1
    yield from (name for number in count(first) if (name := f"{stem}{number}") not in taken)


# A layout that a person names, on real disks: which disk goes into which vdev.

# Sizes of one class differ by some bytes from maker to maker; 6 TB and 6.4 TB are two classes.
ALIKE = 0.02
_FLASH = (Media.NVME, Media.SSD)
# Data vdevs take their disks first, spares what is left.
_ORDER = (
    VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP, VdevClass.LOG, VdevClass.CACHE, VdevClass.SPARE,
)  # fmt: skip


def _without(disks: Sequence[Disk], taken: Sequence[Disk]) -> tuple[Disk, ...]:
    keys = {disk.key for disk in taken}
    return tuple(disk for disk in disks if disk.key not in keys)


def own_design(layout: Layout, request: Request, identity: Identity, inventory: Inventory) -> Design:
    """Return the design that has ``layout`` on the disks of ``request``, dealt over shelves and controllers.

    A member gets a disk of its size class, a vdev disks of one medium where there are enough, support vdevs flash
    first. Raises Refusal, with a reason for each vdev, where there are too few disks.
    """
    fit = tuple(disk for disk in request.disks if not disk.refusals())
    free, problems = assignment_order(fit), []
    vdevs: dict[int, tuple[Vdev, ...]] = {}
    for number in sorted(range(len(layout)), key=lambda n: (_ORDER.index(layout[n].vdev_class), n)):
        spec = layout[number]
        taken = _members(spec, free)
        if isinstance(taken, str):
            problems.append(taken)
            continue
        free = _without(free, taken)
        vdevs[number] = _vdevs(spec, taken)
    if problems:
        what = ngettext(
            "The disks are not enough for this layout: {count} can be used",
            "The disks are not enough for this layout: {count} can be used",
            len(fit),
        )
        todo = _("Name the sizes as the inventory shows them, fewer disks, or smaller vdevs.")
        raise Refusal(what, where=inventory.name, todo=todo, reasons=tuple(problems))
    bare = _bare(layout, request, identity, inventory)
    made = replace(bare, vdevs=tuple(vdev for number in range(len(layout)) for vdev in vdevs[number]))
    ashift = request.ashift if request.ashift is not None else safe_ashift(made.used_disks())
    return spread_design(replace(made, ashift=ashift))


def _members(spec: VdevSpec, free: Sequence[Disk]) -> tuple[Disk, ...] | str:
    taken: list[Disk] = []
    for size in dict.fromkeys(spec.sizes):
        wanted = spec.sizes.count(size)
        left = _without(free, taken)
        alike = tuple(disk for disk in left if is_about(disk, size))
        if len(alike) < wanted:
            needs = ngettext(
                "{spec} needs {count} disk of {size}",
                "{spec} needs {count} disks of {size}",
                wanted,
                spec=describe((spec,)),
                size=drive_size(size),
            )
            return ngettext("{needs}; {count} is left", "{needs}; {count} are left", len(alike), needs=needs)
        taken.extend(_of_one_medium(alike, wanted, support=spec.vdev_class not in (VdevClass.DATA, VdevClass.SPARE)))
    return tuple(taken)


def is_about(disk: Disk, size: int) -> bool:
    """Tell whether a disk is of this size, or of the one that people call so."""
    own = disk.size_bytes
    return own is not None and (abs(own - size) <= ALIKE * size or drive_size(own) == drive_size(size))


def _of_one_medium(disks: tuple[Disk, ...], wanted: int, *, support: bool) -> tuple[Disk, ...]:
    """Return ``wanted`` of the disks, all of one medium where any has enough: flash first for support vdevs."""
    media = list(dict.fromkeys(disk.media for disk in disks))
    by_media = {medium: tuple(disk for disk in disks if disk.media is medium) for medium in media}

    def rank(medium: Media | None) -> tuple[bool, int, int]:
        own = by_media[medium]
        flash = _FLASH.index(medium) if medium in _FLASH else len(_FLASH)
        return (len(own) < wanted, flash if support else 0, -len(own))

    chosen = by_media[min(media, key=rank)]
    return chosen[:wanted] if len(chosen) >= wanted else disks[:wanted]


def _vdevs(spec: VdevSpec, disks: tuple[Disk, ...]) -> tuple[Vdev, ...]:
    """Return the vdev with its members; a stripe of several data disks is as many vdevs of one disk."""
    members = tuple(Member(disk_key=disk.key) for disk in disks)
    if spec.kind is VdevKind.STRIPE and spec.vdev_class not in (VdevClass.SPARE, VdevClass.CACHE):
        return tuple(vdev_of(spec, (member,)) for member in members)
    return (vdev_of(spec, members),)
