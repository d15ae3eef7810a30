"""The layout that the data go to: which disks can take which places, and which of them are still in the old pool."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from poolwright.changes.migration.old_data import freed
from poolwright.changes.migration.values import SUPPORT, NewPlace, OldData, OldVdev
from poolwright.design.assign import Identity
from poolwright.design.own_layout import own_design
from poolwright.design.request import Request
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.inventory import Inventory
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import Layout, VdevClass, describe
from poolwright.domain.workload import Goal, Workload
from poolwright.texts import tell

_KEY, _POOL = "migration", "tank"  # for machines


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLayout:
    """The new layout on named disks. ``movable``: disks that are alike may change places, since nobody chose them."""

    design: Design
    movable: bool

    def places(self) -> dict[NewPlace, str]:
        """Return the key of the disk of each place, in order."""
        return {
            NewPlace(vdev, member): part.disk_key
            for vdev, own in enumerate(self.design.vdevs)
            for member, part in enumerate(own.members)
        }


def target_of_layout(layout: Layout, inventory: Inventory, old: OldData, *, ashift: int | None = None) -> NewLayout:
    """Return the layout on free disks first, and on as few of the old pool as it takes.

    Raises Refusal where all of them together are not enough.
    """
    request = Request(
        disks=(), workload=Workload(goal=Goal.SAFETY), version=old.design.version, ashift=ashift, host=inventory.host
    )
    identity = Identity(key=_KEY, name=describe(layout), pool_name=old.name if old.filesystem is None else _POOL)
    machine = replace(inventory, disks=tuple(freed(disk, old) for disk in inventory.disks))
    free = [disk for disk in inventory.disks if not disk.refusals()]
    ours = [machine.disk(key) for key in release_order(old)]
    extra = [disk for disk in ours if disk is not None and not disk.refusals()]
    for taken in range(len(extra) + 1):
        offered = replace(request, disks=(*free, *extra[:taken]))
        try:
            made = own_design(layout, offered, identity, machine)
        except Refusal:
            if taken == len(extra):
                raise
            continue
        # No properties: those of the data come with them.
        return NewLayout(design=replace(made, datasets=()), movable=True)
    raise AssertionError  # the last turn returns or raises


def target_of_design(design: Design, old: OldData, inventory: Inventory) -> NewLayout:
    """Return a design as the new layout; its disks are those of the machine as it was read now.

    Raises Refusal where it cuts disks into partitions, has several pools, or a disk of it serves something else.
    """
    reasons = []
    if design.further_pools:
        reasons.append(tell("it has several pools"))
    if any(member.part is not None for vdev in design.vdevs for member in vdev.members):
        reasons.append(tell("it cuts disks into partitions"))
    known = {name: disk for disk in inventory.disks for name in names_of(disk)}
    keys = {}
    for key in sorted(design.used_keys()):
        disk = design.disk(key)
        found = next((known[name] for name in names_of(disk) if name in known), None)
        if found is None:
            reasons.append(tell("{disk} is not in {machine}", disk=disk.label, machine=inventory.name))
            continue
        keys[key] = found.key
        if freed(found, old).uses:
            uses = "; ".join(str(use) for use in found.uses)
            reasons.append(tell("{disk} is in use: {uses}", disk=found.label, uses=uses))
    if reasons:
        raise Refusal(
            tell("The design “{design}” is no target for these disks", design=design.name),
            reasons=tuple(reasons),
            todo=tell("Bind it to this machine (`poolwright bind`), or name a layout: --layout raidz2:4x6TB."),
        )
    vdevs = tuple(
        replace(vdev, members=tuple(replace(m, disk_key=keys[m.disk_key]) for m in vdev.members))
        for vdev in design.vdevs
    )
    made = replace(
        design, vdevs=vdevs, disks=tuple(freed(d, old) for d in inventory.disks), host=inventory.host, growth=()
    )
    return NewLayout(design=made, movable=False)


def names_of(disk: Disk) -> Iterator[str]:
    """Yield the names by which a disk is known again, the surest first."""
    yield from (f"{kind} {name}" for kind, name in (("serial", disk.telling_serial), ("wwn", disk.wwn)) if name)
    yield from (f"id {name}" for name in disk.by_id)
    yield f"key {disk.key}"


def release_order(old: OldData) -> list[str]:
    """Return the disks of the old data in the order in which their leaving costs least redundancy.

    First what holds no data, then each time one of the vdev that has most redundancy left.
    """
    order = [key for vdev in old.vdevs if not vdev.holds for key in vdev.keys if key not in vdev.tied]
    left = {vdev.name: vdev.survives for vdev in old.vdevs if vdev.holds}
    waiting = {vdev.name: [key for key in vdev.keys if key not in vdev.tied] for vdev in old.vdevs if vdev.holds}
    while any(waiting.values()):
        name = max((name for name in waiting if waiting[name]), key=lambda n: left[n])
        order.append(waiting[name].pop())
        left[name] -= 1
    return order


def dealings(target: NewLayout, old: OldData) -> tuple[Design, ...]:
    """Return the ways in which alike disks can be dealt that matter for a migration: as they are, those still in the
    old pool spread over all vdevs, and all of them in the last vdevs, which are made later.
    """
    if not target.movable:
        return (target.design,)
    found = [target.design]
    for spread in (True, False):
        made = _dealt(target.design, old, spread=spread)
        if made not in found:
            found.append(made)
    return tuple(found)


def _dealt(design: Design, old: OldData, *, spread: bool) -> Design:
    kinds: dict[object, list[NewPlace]] = defaultdict(list)
    for number, vdev in enumerate(design.vdevs):
        for member, part in enumerate(vdev.members):
            disk = design.disk(part.disk_key)
            support = vdev.vdev_class in SUPPORT
            kinds[(disk.media, drive_size(disk.size_bytes), support)].append(NewPlace(number, member))
    keys = {NewPlace(n, m): part.disk_key for n, vdev in enumerate(design.vdevs) for m, part in enumerate(vdev.members)}
    chosen: dict[NewPlace, str] = {}
    for places in kinds.values():
        ordered = sorted(places, key=lambda p: (p.member, p.vdev)) if spread else sorted(places)
        # Those that nothing uses come first.
        dealt = sorted((keys[place] for place in places), key=lambda key: key in old.keys)
        chosen |= dict(zip(ordered, dealt, strict=True))
    vdevs = tuple(
        replace(vdev, members=tuple(replace(m, disk_key=chosen[NewPlace(n, i)]) for i, m in enumerate(vdev.members)))
        for n, vdev in enumerate(design.vdevs)
    )
    return replace(design, vdevs=vdevs)


def kept_in_place(target: NewLayout, old: OldData) -> Design | None:
    """Return the target with the disks of the old pool where they are already; None where the shapes do not allow it.

    Each vdev of the old pool must be in one of the new layout: as it is, as some sides of a mirror, or as a narrower
    raidz of the same parity.
    """
    if not target.movable:
        return target.design
    design, vdevs = target.design, list(target.design.vdevs)
    free = [key for key in sorted(design.used_keys()) if key not in old.keys]
    homes: dict[int, OldVdev] = {}
    for vdev in sorted(old.vdevs, key=lambda v: (v.vdev.vdev_class is not VdevClass.DATA, -len(v.keys))):
        if vdev.vdev.vdev_class in (VdevClass.SPARE, VdevClass.CACHE):
            continue
        home = next((n for n, new in enumerate(vdevs) if n not in homes and _can_become(vdev, new, design)), None)
        if home is None:
            return None
        homes[home] = vdev
    made = []
    for number, new in enumerate(vdevs):
        kept = list(homes[number].vdev.members) if number in homes else []
        taken = [key for key in free if _alike(design, key, new)][: len(new.members) - len(kept)]
        if len(kept) + len(taken) != len(new.members):
            return None
        free = [key for key in free if key not in taken]
        members = (*kept, *(replace(new.members[0], disk_key=key) for key in taken))
        made.append(replace(new, members=tuple(members)))
    return replace(design, vdevs=tuple(made))


def _can_become(old: OldVdev, new: Vdev, design: Design) -> bool:
    return grows_into(old.vdev, new) and all(_alike(design, key, new) for key in old.keys)


def _alike(design: Design, key: str, vdev: Vdev) -> bool:
    sizes = {drive_size(design.disk(member.disk_key).size_bytes) for member in vdev.members}
    known = {disk.key for disk in design.disks}
    return key in known and drive_size(design.disk(key).size_bytes) in sizes


def grows_into(old: Vdev, new: Vdev) -> bool:
    """Tell whether a vdev can become the other while it is in use: unchanged, more sides, or a wider raidz."""
    if old.vdev_class is not new.vdev_class or len(old.members) > len(new.members):
        return False
    same = old.kind is new.kind and old.parity == new.parity
    if len(old.members) == len(new.members):
        return same and (old.draid_data, old.draid_spares) == (new.draid_data, new.draid_spares)
    one_side = old.kind.value in ("stripe", "mirror") and new.kind.value == "mirror"
    return one_side or (same and old.kind.value == "raidz")


def all_keys(vdevs: Sequence[Vdev]) -> frozenset[str]:
    return frozenset(member.disk_key for vdev in vdevs for member in vdev.members)
