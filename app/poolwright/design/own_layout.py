"""A layout that a person names, on real disks: which disk goes into which vdev."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poolwright.design.assign import Identity
from poolwright.design.groups import assignment_order, safe_ashift
from poolwright.design.places import vdev_of
from poolwright.design.request import Request
from poolwright.design.spread.found import spread_design
from poolwright.domain.design import Dataset, Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import Refusal
from poolwright.domain.inventory import Inventory
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, describe
from poolwright.texts import tell, tell_counted

# Sizes of one class differ by some bytes from maker to maker; 6 TB and 6.4 TB are two classes.
ALIKE = 0.02
_FLASH = (Media.NVME, Media.SSD)
# Data vdevs take their disks first, spares what is left.
_ORDER = (
    VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP, VdevClass.LOG, VdevClass.CACHE, VdevClass.SPARE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Free:
    disks: tuple[Disk, ...]

    def alike(self, size_bytes: int) -> tuple[Disk, ...]:
        slack = ALIKE * size_bytes
        return tuple(d for d in self.disks if d.size_bytes is not None and abs(d.size_bytes - size_bytes) <= slack)

    def without(self, taken: Sequence[Disk]) -> "_Free":
        keys = {disk.key for disk in taken}
        return _Free(tuple(disk for disk in self.disks if disk.key not in keys))


def own_design(layout: Layout, request: Request, identity: Identity, inventory: Inventory) -> Design:
    """Return the design that has ``layout`` on the disks of ``request``, dealt over shelves and controllers.

    A member gets a disk of its size class, a vdev disks of one medium where there are enough, support vdevs flash
    first. Raises Refusal, with a reason for each vdev, where there are too few disks.
    """
    fit = tuple(disk for disk in request.disks if not disk.refusals())
    free, problems = _Free(assignment_order(fit)), []
    vdevs: dict[int, tuple[Vdev, ...]] = {}
    for number in sorted(range(len(layout)), key=lambda n: (_ORDER.index(layout[n].vdev_class), n)):
        spec = layout[number]
        taken = _members(spec, free)
        if isinstance(taken, str):
            problems.append(taken)
            continue
        free = free.without(taken)
        vdevs[number] = _vdevs(spec, taken)
    if problems:
        raise Refusal(
            tell_counted(
                "The disks are not enough for this layout: {count} can be used",
                "The disks are not enough for this layout: {count} can be used",
                len(fit),
            ),
            where=inventory.name,
            todo=tell("Name the sizes as the inventory shows them, fewer disks, or smaller vdevs."),
            reasons=tuple(problems),
        )
    made = Design(
        key=identity.key,
        name=identity.name,
        pool_name=identity.pool_name,
        workload=request.workload,
        budget=request.budget,
        host=request.host,
        disks=inventory.disks,
        vdevs=tuple(vdev for number in range(len(layout)) for vdev in vdevs[number]),
        version=request.version,
        datasets=(Dataset(name=""),),
        inventory_name=inventory.name,
        inventory_origin=inventory.origin,
    )
    keys = made.used_keys()
    used = [disk for disk in inventory.disks if disk.key in keys]
    ashift = request.ashift if request.ashift is not None else safe_ashift(used)
    return spread_design(replace(made, ashift=ashift))


def _members(spec: VdevSpec, free: _Free) -> tuple[Disk, ...] | str:
    """Return the disks of one vdev, or why there are not enough."""
    taken: list[Disk] = []
    for size in dict.fromkeys(spec.sizes):
        wanted = spec.sizes.count(size)
        alike = free.without(taken).alike(size)
        if len(alike) < wanted:
            needs = tell_counted(
                "{spec} needs {count} disk of {size}",
                "{spec} needs {count} disks of {size}",
                wanted,
                spec=describe((spec,)),
                size=drive_size(size),
            )
            return tell_counted(
                "{needs}; {count} is without a place", "{needs}; {count} are without a place", len(alike), needs=needs
            )
        taken.extend(_of_one_medium(alike, wanted, support=spec.vdev_class not in (VdevClass.DATA, VdevClass.SPARE)))
    return tuple(taken)


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
