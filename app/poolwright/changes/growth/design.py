"""A design and its pool's space, taken through steps of growth together.

The design says which disks there are (so that every model and every rule can be asked of the grown pool), the space
follows OpenZFS's own history of the vdevs (`capacity.expansion`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.expansion import (
    GrownPool,
    add_vdev,
    attach_disk,
    detach_disk,
    expand_vdev,
    new_pool,
    remove_vdev,
    replace_disks,
    target,
)
from poolwright.capacity.pool import PoolCapacity, VdevDevices
from poolwright.domain.as_built import as_built, left_beside
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.texts import marked, tell

_NOT_TOP = (VdevClass.CACHE, VdevClass.SPARE)
# `zpool create` numbers vdevs as the script writes them: by class, bare disks before groups.
_DEFAULT_SECTOR = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class GrownDesign:
    """A pool at a point of its life.

    ``tops`` are the top-level vdevs by number, None where one was removed; ``others`` cache and spares. ``pool`` is
    their space, ``bought`` the disks this state needs beyond those of the design it began with.
    """

    origin: Design
    pool: GrownPool
    tops: tuple[Vdev | None, ...]
    others: tuple[Vdev, ...] = ()
    bought: tuple[Disk, ...] = ()

    @property
    def design(self) -> Design:
        """Return the pool of now as a design, with the bought disks among its disks."""
        vdevs = tuple(vdev for vdev in self.tops if vdev is not None)
        return replace(
            self.origin,
            vdevs=(*vdevs, *self.others),
            disks=(*self.origin.disks, *self.bought),
            further_pools=(),
            growth=(),
        )

    def disk(self, key: str) -> Disk:
        return next((disk for disk in self.bought if disk.key == key), None) or self.origin.disk(key)


def born(design: Design, *, autoexpand: bool = True) -> GrownDesign:
    """Return the design's main pool as its script creates it; raises Refusal where OpenZFS would refuse it."""
    design = as_built(design)
    tops: list[Vdev] = []
    others: list[Vdev] = []
    for vdev in sorted(design.vdevs, key=lambda v: v.rank):
        if vdev.vdev_class in _NOT_TOP:
            others.append(vdev)
        else:
            tops.extend(_apart(vdev))
    devices = [_devices(design, vdev) for vdev in (*tops, *others)]
    pool = new_pool(devices, ashift=design.ashift, version=design.version, autoexpand=autoexpand)
    return GrownDesign(origin=design, pool=pool, tops=tuple(tops), others=tuple(others))


def grow(state: GrownDesign, step: GrowthStep, number: int) -> GrownDesign:
    """Return the pool after a step; ``number`` (from 1) names the disks that are bought for it.

    Raises Refusal with the reasons where OpenZFS would refuse, UserError where the step is not complete.
    """
    if step.kind is GrowthKind.ADD:
        return _added(state, step, number)
    at = target(state.pool, step)
    vdev = state.tops[at]
    if vdev is None:
        raise UserError(tell("The pool has no vdev number {at} any more", at=at + 1))
    if step.kind is GrowthKind.ATTACH:
        return _attached(state, step, number, at, vdev)
    if step.kind is GrowthKind.REPLACE:
        return _replaced(state, step, number, at, vdev)
    if step.kind is GrowthKind.EXPAND:
        return replace(state, pool=expand_vdev(state.pool, at))
    if step.kind is GrowthKind.DETACH:
        pool = detach_disk(state.pool, at)
        kind = VdevKind.MIRROR if len(vdev.members) > 2 else VdevKind.STRIPE
        return _put(state, pool, at, replace(vdev, kind=kind, members=vdev.members[:-1]))
    return _put(state, remove_vdev(state.pool, at), at, None)


def filled(state: GrownDesign, before: PoolCapacity) -> Design:
    """Return the pool as a design, as full as the data make it that were in use in a pool of the space ``before``."""
    full, room = state.origin.in_use_percent, state.pool.capacity().available_bytes
    if not full or not room:
        return state.design
    return replace(state.design, in_use_percent=max(1, round(full * before.available_bytes / room)))


def new_disks(state: GrownDesign, after: GrownDesign) -> tuple[Disk, ...]:
    """Return the disks that are members after a step and were not before, in the order of their vdevs."""
    before = {m.disk_key for vdev in (*state.tops, *state.others) if vdev for m in vdev.members}
    found = dict.fromkeys(
        m.disk_key for vdev in (*after.tops, *after.others) if vdev for m in vdev.members if m.disk_key not in before
    )
    return tuple(after.disk(key) for key in found)


def _added(state: GrownDesign, step: GrowthStep, number: int) -> GrownDesign:
    spec = step.vdev
    if spec is None:
        raise UserError(tell("A step that adds a vdev has to say which"), where=tell("step {number}", number=number))
    state, disks = _disks_for(state, step, spec.sizes, number, _model(state, None))
    members, sizes, devices = _placed(state, disks, data=spec.vdev_class is VdevClass.DATA)
    made = Vdev(
        kind=spec.kind,
        members=members,
        parity=spec.parity,
        vdev_class=spec.vdev_class,
        draid_data=spec.draid_data,
        draid_spares=spec.draid_spares,
    )
    pool = add_vdev(state.pool, VdevDevices(spec=replace(spec, sizes=sizes), devices=devices))
    if spec.vdev_class in _NOT_TOP:
        return replace(state, pool=pool, others=(*state.others, made))
    # A hole that a removed log left is filled first: the pool's numbers say where each new vdev went.
    parts = iter(_apart(made))
    tops: list[Vdev | None] = []
    for at, top in enumerate(pool.tops):
        old = state.tops[at] if at < len(state.tops) else None
        tops.append(old if old is not None or top.removed else next(parts))
    return replace(state, pool=pool, tops=tuple(tops))


def _attached(state: GrownDesign, step: GrowthStep, number: int, at: int, vdev: Vdev) -> GrownDesign:
    state, disks = _disks_for(state, step, (_size(step, state, 1),), number, _model(state, vdev))
    members, (size,), (device,) = _placed(state, disks, data=vdev.vdev_class is VdevClass.DATA)
    pool = attach_disk(state.pool, at, size=size, device=device)
    kind = VdevKind.MIRROR if vdev.kind is VdevKind.STRIPE else vdev.kind
    return _put(state, pool, at, replace(vdev, kind=kind, members=(*vdev.members, *members)))


def _replaced(state: GrownDesign, step: GrowthStep, number: int, at: int, vdev: Vdev) -> GrownDesign:
    width = len(vdev.members)
    state, disks = _disks_for(state, step, (_size(step, state, width),) * width, number, _model(state, vdev))
    members, sizes, devices = _placed(state, disks, data=vdev.vdev_class is VdevClass.DATA)
    pool = replace_disks(state.pool, at, sizes=sizes, devices=devices)
    return _put(state, pool, at, replace(vdev, members=members))


def _put(state: GrownDesign, pool: GrownPool, at: int, vdev: Vdev | None) -> GrownDesign:
    return replace(state, pool=pool, tops=(*state.tops[:at], vdev, *state.tops[at + 1 :]))


def _apart(vdev: Vdev) -> tuple[Vdev, ...]:
    """Return the top-level vdevs that a vdev of a design stands for."""
    if vdev.kind is not VdevKind.STRIPE:
        return (vdev,)
    return tuple(replace(vdev, members=(member,)) for member in vdev.members)


def _size(step: GrowthStep, state: GrownDesign, count: int) -> int:
    if step.size_bytes is not None:
        return step.size_bytes
    sizes = [state.disk(key).size_bytes for key in step.disk_keys[:count]]
    if not sizes or sizes[0] is None:
        raise UserError(
            tell("“{kind}” has to say how large the disk is", kind=step.kind.value),
            todo=tell("Write for example attach:6TB."),
        )
    return sizes[0]


def _disks_for(
    state: GrownDesign, step: GrowthStep, sizes: Sequence[int], number: int, like: Disk | None
) -> tuple[GrownDesign, tuple[Disk, ...]]:
    """Return the disks of a step: those it names first, for the rest planned ones like a member of the vdev."""
    placed = {m.disk_key for vdev in (*state.tops, *state.others) if vdev for m in vdev.members}
    known = {disk.key for disk in state.origin.disks}
    keys = [key for key in step.disk_keys if key in known]
    taken = [key for key in keys if key in placed]
    if taken:
        label = state.origin.disk(taken[0]).label
        raise Refusal(
            tell("A disk of the step has a place already"),
            where=label,
            reasons=(tell("{label} is a member already", label=label),),
        )
    named = [state.origin.disk(key) for key in keys[: len(sizes)]]
    priced = Origin(kind=OriginKind.TYPED, source=marked("price entered"), when=step.price_on or None)
    made = tuple(
        Disk(
            key=f"step {number} disk {index + 1}",  # for machines
            model=like.model if like is not None and like.size_bytes == size else None,
            size_bytes=size,
            media=like.media if like is not None else None,
            logical_sector_bytes=like.logical_sector_bytes if like is not None else None,
            physical_sector_bytes=like.physical_sector_bytes if like is not None else None,
            planned=True,
            price=step.price_per_disk,
            origins=() if step.price_per_disk is None else (("price", priced),),
        )
        for index, size in enumerate(sizes)
        if index >= len(named)
    )
    return replace(state, bought=(*state.bought, *made)), (*named, *made)


def _model(state: GrownDesign, vdev: Vdev | None) -> Disk | None:
    """Return a disk that new ones are taken to be like: of the vdev, or of the first vdev there is."""
    found = vdev or next((top for top in state.tops if top is not None), None)
    return state.disk(found.members[0].disk_key) if found is not None and found.members else None


def _placed(
    state: GrownDesign, disks: Sequence[Disk], *, data: bool
) -> tuple[tuple[Member, ...], tuple[int, ...], tuple[int, ...]]:
    """Return what new disks are in a vdev, with their bytes as bought and those that OpenZFS opens of each.

    Of a data disk that is what is left of it where room is reserved on all of them.
    """
    reserved = tuple(p for p in state.origin.reserve if data and not p.disk_keys)
    members, devices = [], []
    for disk in disks:
        _check_sectors(state, disk)
        left = left_beside(disk, reserved) if reserved else None
        part = None if left is None else 1 + sum(not p.at_end for p in reserved)
        members.append(Member(disk_key=disk.key, slice_bytes=left, part=part))
        devices.append(left if left is not None else _opened(state, disk))
    return tuple(members), tuple(disk.size_bytes or 0 for disk in disks), tuple(devices)


def _opened(state: GrownDesign, disk: Disk) -> int:
    if disk.size_bytes is None:
        raise UserError(
            tell("The size of {label} is unknown", label=disk.label), todo=tell("Enter it on the disks page.")
        )
    sector = disk.logical_sector_bytes or _DEFAULT_SECTOR
    return device_bytes(disk.size_bytes, MemberKind.DISK, sector, state.pool.version)


def _check_sectors(state: GrownDesign, disk: Disk) -> None:
    if (disk.logical_sector_bytes or 0) > 1 << state.pool.ashift:
        words = {"label": disk.label, "sector": disk.logical_sector_bytes, "ashift": state.pool.ashift}
        reason = tell("{label} has logical sectors of {sector} bytes, too large for ashift {ashift}", **words)
        raise Refusal(tell("OpenZFS does not take this disk"), where=reason, reasons=(reason,))


def _devices(design: Design, vdev: Vdev) -> VdevDevices:
    spec: VdevSpec = design.spec(vdev)
    devices = []
    for member, size in zip(vdev.members, spec.sizes, strict=True):
        sector = design.disk(member.disk_key).logical_sector_bytes or _DEFAULT_SECTOR
        whole = member.slice_bytes is None
        devices.append(device_bytes(size, MemberKind.DISK, sector, design.version) if whole else size)
    return VdevDevices(spec=spec, devices=tuple(devices))
