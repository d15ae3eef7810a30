"""A pool as it grows: what `zpool list` and `zfs list` print after each step.

A vdev that grows keeps the size of its metaslabs and gets more of them, and it keeps the deflate ratio it was created
with: a raidz that got a further disk is counted as if its blocks still had the old share of parity.

Sources: OpenZFS `module/zfs/spa.c:spa_vdev_attach, spa_vdev_add`, `vdev.c:vdev_open, vdev_metaslab_init,
vdev_set_deflate_ratio, vdev_get_min_asize`, `vdev_raidz.c:vdev_raidz_open, vdev_raidz_get_logical_width`,
`vdev_removal.c:spa_vdev_remove_top_check`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from poolwright.capacity.device import MemberKind, device_bytes, device_for, leaf_bytes
from poolwright.capacity.pool import PlacedVdev, PoolCapacity, VdevDevices, pool_capacity, predict_devices
from poolwright.capacity.vdev import (
    MOST_CHILDREN,
    TopCapacity,
    TopVdev,
    asize_bytes,
    deflate_ratio,
    metaslab_shift,
    slabbed_capacity,
)
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.units import TIB
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.texts import marked, tell, tell_counted

RAIDZ_EXPANSION_SINCE = ZfsVersion(2, 3, 0)
_NOT_TOP = (VdevClass.CACHE, VdevClass.SPARE)
_WITH_PARITY = (VdevKind.RAIDZ, VdevKind.DRAID)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrownTop:
    """A top-level vdev with its history.

    ``sizes`` are its members as bought, ``devices`` the bytes OpenZFS opens of each. ``born_width`` gives the deflate
    ratio, ``shift`` is log2 of the metaslab size, ``asize`` the bytes in use, which stay behind larger members while
    autoexpand is off. ``removed`` marks a vdev that left: its number stays taken.
    """

    kind: VdevKind
    parity: int
    vdev_class: VdevClass
    group_data: int
    spares: int
    sizes: tuple[int, ...]
    devices: tuple[int, ...]
    born_width: int
    shift: int
    asize: int
    removed: bool = False

    @property
    def width(self) -> int:
        return len(self.devices)

    @property
    def spec(self) -> VdevSpec:
        return VdevSpec(
            kind=self.kind,
            sizes=self.sizes,
            parity=self.parity,
            vdev_class=self.vdev_class,
            draid_data=self.group_data if self.kind is VdevKind.DRAID else None,
            draid_spares=self.spares,
        )

    @property
    def offered(self) -> int:
        return asize_bytes(self.shape)

    @property
    def shape(self) -> TopVdev:
        return TopVdev(
            kind=self.kind,
            width=self.width,
            least_leaf_bytes=min(leaf_bytes(device) for device in set(self.devices)),
            parity=self.parity,
            vdev_class=self.vdev_class,
            group_data=self.group_data,
            spares=self.spares,
        )

    @property
    def least_replacement_leaf(self) -> int:
        """Return the least bytes behind the labels that a new member needs (`vdev_get_min_asize`)."""
        # Until the pool is imported for the first time after its creation OpenZFS has not rounded it down to whole
        # metaslabs yet, and takes no smaller disk at all (seen on 2.3.2).
        return least_leaf(self.kind, self.width, self.spares, asize=self.asize, shift=self.shift)


def least_leaf(kind: VdevKind, width: int, spares: int, *, asize: int, shift: int) -> int:
    """Return the least bytes behind the labels that a new member of a vdev needs, as `vdev_get_min_asize`."""
    whole = asize >> shift << shift
    if kind is VdevKind.RAIDZ:
        return -(-whole // width)
    return (32 << 20) + -(-whole // (width - spares)) if kind is VdevKind.DRAID else whole


@dataclass(frozen=True, slots=True, kw_only=True)
class GrownPool:
    """A pool at a point of its life: its top-level vdevs by number, and the devices without data.

    ``autoexpand`` is the pool's property: whether a vdev takes the room of larger members by itself.
    """

    ashift: int
    version: ZfsVersion
    members: MemberKind
    autoexpand: bool
    tops: tuple[GrownTop, ...] = ()
    others: tuple[VdevSpec, ...] = ()

    def top(self, number: int) -> GrownTop:
        """Return the vdev of this number; raises UserError where there is none."""
        if not 0 <= number < len(self.tops) or self.tops[number].removed:
            raise UserError(
                tell("The pool has no vdev number {number}", number=number + 1),
                todo=tell("It has {count}, from 1.", count=len(self.tops)),
            )
        return self.tops[number]

    def name(self, number: int) -> str:
        """Return what `zpool status` calls a vdev; “disk” with its number for a single disk."""
        top = self.tops[number]
        if top.kind is VdevKind.RAIDZ:
            return f"raidz{top.parity}-{number}"
        if top.kind is VdevKind.DRAID:
            return f"draid{top.parity}:{top.group_data}d:{top.width}c:{top.spares}s-{number}"
        return f"mirror-{number}" if top.kind is VdevKind.MIRROR else f"disk {number + 1}"

    def capacity(self) -> PoolCapacity:
        placed = []
        for number, top in enumerate(self.tops):
            if top.removed:
                continue
            placed.append(
                PlacedVdev(
                    index=number,
                    top=top.shape,
                    count=1,
                    device_sum=sum(top.devices),
                    leaf_sum=sum(leaf_bytes(device) for device in top.devices),
                    capacity=self._space(top),
                )
            )
        layout = (*(top.spec for top in self.tops if not top.removed), *self.others)
        return pool_capacity(layout, placed, ashift=self.ashift, version=self.version, members=self.members)

    def _space(self, top: GrownTop) -> TopCapacity:
        ratio = deflate_ratio(top.kind, top.born_width, top.parity, top.group_data, self.ashift)
        return slabbed_capacity(top.shape, self.ashift, self.version, asize=top.asize, shift=top.shift, ratio=ratio)


def new_pool(
    vdevs: Sequence[VdevDevices],
    *,
    ashift: int,
    version: ZfsVersion,
    members: MemberKind = MemberKind.DISK,
    autoexpand: bool = True,
) -> GrownPool:
    """Return a pool as `zpool create` makes it; errors as `capacity.pool.predict_devices`."""
    predict_devices(tuple(vdevs), ashift=ashift, version=version, members=members)
    pool = GrownPool(ashift=ashift, version=version, members=members, autoexpand=autoexpand)
    for vdev in vdevs:
        for _ in range(vdev.count):
            pool = _with(pool, vdev)
    return pool


def add_vdev(pool: GrownPool, vdev: VdevDevices) -> GrownPool:
    """Return the pool with one vdev more; a stripe of N adds N. Raises Refusal where `zpool add -f` would refuse."""
    if vdev.spec.kind in _WITH_PARITY and any(top.removed and _leaves_a_trace(top) for top in pool.tops):
        raise _refused(tell("{word} cannot be added to a pool from which a vdev was removed", word=vdev.spec.word))
    # spa_vdev_add refuses raidz and dRAID where indirect vdevs are: a removed one can only be mapped to others.
    # Checks shape, class and sizes; a data vdev beside it because support vdevs alone make no pool.
    beside = VdevDevices(spec=VdevSpec(kind=VdevKind.STRIPE, sizes=(TIB,)), devices=(TIB,))
    predict_devices((beside, vdev), ashift=pool.ashift, version=pool.version, members=pool.members)
    return _with(pool, vdev)


def attach_disk(pool: GrownPool, number: int, *, size: int, device: int) -> GrownPool:
    """Return the pool with one disk more in the vdev of this number, once the resilver or the expansion has ended.

    Raises Refusal with the reason where `zpool attach` would refuse.
    """
    # A single disk becomes a mirror.
    top = pool.top(number)
    name = pool.name(number)
    if top.kind is VdevKind.DRAID:
        raise _refused(tell("{name}: a dRAID vdev cannot be widened", name=name))
    if top.kind is VdevKind.RAIDZ and pool.version < RAIDZ_EXPANSION_SINCE:
        raise _refused(
            tell("{name}: raidz expansion needs OpenZFS 2.3, this is {version}", name=name, version=pool.version)
        )
    if top.kind is VdevKind.RAIDZ and top.width >= MOST_CHILDREN:
        raise _refused(tell("{name}: raidz takes at most {most} members", name=name, most=MOST_CHILDREN))
    _check_size(name, top, device)
    widened = replace(
        top,
        kind=VdevKind.RAIDZ if top.kind is VdevKind.RAIDZ else VdevKind.MIRROR,
        sizes=(*top.sizes, size),
        devices=(*top.devices, device),
    )
    if top.kind is VdevKind.RAIDZ:
        # The wider vdev is opened anew: it takes all the room its members have, autoexpand or not.
        widened = replace(widened, asize=widened.offered)
    return _put(pool, number, _reopened(pool, widened))


def replace_disks(pool: GrownPool, number: int, *, sizes: Sequence[int], devices: Sequence[int]) -> GrownPool:
    """Return the pool after every member of a vdev was replaced, in order, each resilver awaited.

    Raises Refusal where a disk is too small.
    """
    # The vdev grows at the last one where autoexpand is on; else at `expand_vdev`.
    top = pool.top(number)
    if len(sizes) != top.width or len(devices) != top.width:
        raise UserError(
            tell(
                "{number} has {width}, not {count}",
                number=pool.name(number),
                width=tell_counted("{count} member", "{count} members", top.width),
                count=len(sizes),
            )
        )
    for device in devices:
        _check_size(pool.name(number), top, device)
    renewed = replace(top, sizes=tuple(sizes), devices=tuple(devices))
    return _put(pool, number, _reopened(pool, renewed))


def expand_vdev(pool: GrownPool, number: int) -> GrownPool:
    top = pool.top(number)
    return _put(pool, number, replace(top, asize=top.offered))


def detach_disk(pool: GrownPool, number: int) -> GrownPool:
    """Return the pool with the last side of a mirror gone; a mirror of one side is a single disk."""
    top = pool.top(number)
    if top.kind is not VdevKind.MIRROR:
        raise _refused(tell("{number}: only a side of a mirror can be detached", number=pool.name(number)))
    left = replace(
        top, kind=VdevKind.MIRROR if top.width > 2 else VdevKind.STRIPE, sizes=top.sizes[:-1], devices=top.devices[:-1]
    )
    return _put(pool, number, _reopened(pool, left))


def remove_vdev(pool: GrownPool, number: int) -> GrownPool:
    """Return the pool without a vdev. Raises Refusal where `zpool remove` would refuse, with every reason."""
    top = pool.top(number)
    name = pool.name(number)
    if top.vdev_class is not VdevClass.LOG:
        # spa_vdev_remove_top_check: mapping copies block by block, which needs every vdev without parity columns.
        words = [other.spec.word for other in pool.tops if not other.removed and other.kind in _WITH_PARITY]
        reasons = [
            tell("{name} cannot be removed from a pool that has a {word} vdev", name=name, word=word)
            for word in words[:1]
        ]
        data = [t for t in pool.tops if not t.removed and t.vdev_class is VdevClass.DATA]
        if top.vdev_class is VdevClass.DATA and len(data) == 1:
            reasons.append(tell("{name} is the only data vdev", name=name))
        if reasons:
            raise Refusal(tell("OpenZFS does not remove this vdev"), where=reasons[0], reasons=tuple(reasons))
    return _put(pool, number, replace(top, removed=True))


def _with(pool: GrownPool, vdev: VdevDevices) -> GrownPool:
    spec = vdev.spec
    if spec.vdev_class in _NOT_TOP:
        return replace(pool, others=(*pool.others, spec))
    if spec.kind is VdevKind.STRIPE:
        made = [
            _born(spec, (size,), (device,), pool.version) for size, device in zip(spec.sizes, vdev.devices, strict=True)
        ]
    else:
        made = [_born(spec, spec.sizes, vdev.devices, pool.version)]
    tops = list(pool.tops)
    for top in made:
        # A log that was removed leaves a hole, which the next vdev fills; other vdevs leave their map behind.
        hole = next((n for n, old in enumerate(tops) if old.removed and not _leaves_a_trace(old)), None)
        if hole is None:
            tops.append(top)
        else:
            tops[hole] = top
    return replace(pool, tops=tuple(tops))


def _born(spec: VdevSpec, sizes: tuple[int, ...], devices: tuple[int, ...], version: ZfsVersion) -> GrownTop:
    top = GrownTop(
        kind=spec.kind,
        parity=spec.parity,
        vdev_class=spec.vdev_class,
        group_data=spec.group_data if spec.kind is VdevKind.DRAID else 0,
        spares=spec.draid_spares,
        sizes=sizes,
        devices=devices,
        born_width=len(devices),
        shift=0,
        asize=0,
    )
    asize = top.offered
    return replace(top, asize=asize, shift=metaslab_shift(asize, version))


def _leaves_a_trace(top: GrownTop) -> bool:
    return top.vdev_class is not VdevClass.LOG


def _reopened(pool: GrownPool, top: GrownTop) -> GrownTop:
    """Return the vdev with the room it uses: more only with autoexpand, less whenever a member is smaller."""
    offered = top.offered
    return replace(top, asize=offered if pool.autoexpand else min(offered, top.asize))


def _put(pool: GrownPool, number: int, top: GrownTop) -> GrownPool:
    return replace(pool, tops=(*pool.tops[:number], top, *pool.tops[number + 1 :]))


def _check_size(name: str, top: GrownTop, device: int) -> None:
    least = top.least_replacement_leaf
    if leaf_bytes(device) < least:
        needed = device_for(least)
        text = marked("{name}: device is too small, {device} bytes where {needed} are needed")
        reason = tell(text, name=name, device=device, needed=needed)
        raise Refusal(
            tell("OpenZFS does not take this step"),
            where=reason,
            todo=tell("Disks of one trade size differ by some MB: give the size in bytes where it is close."),
            reasons=(reason,),
        )


def _refused(reason: str) -> Refusal:
    return Refusal(tell("OpenZFS does not take this step"), where=reason, reasons=(reason,))


# Steps of growth, as people plan them, done to a pool's space one after the other.


class Grown(NamedTuple):
    step: GrowthStep
    pool: GrownPool
    capacity: PoolCapacity


def take_step(pool: GrownPool, step: GrowthStep, *, logical_sector_bytes: int = 512) -> GrownPool:
    """Return the pool after one step.

    Raises Refusal where OpenZFS would refuse, UserError where the step is not complete or does not say which vdev.
    """
    # Where the step names no vdev, it is the only one that fits.

    def device(size: int) -> int:
        return device_bytes(size, pool.members, logical_sector_bytes, pool.version)

    if step.kind is GrowthKind.ADD:
        if step.vdev is None:
            raise UserError(tell("A step that adds a vdev has to say which"), where=str(step))
        return add_vdev(pool, VdevDevices(spec=step.vdev, devices=tuple(device(size) for size in step.vdev.sizes)))
    number = target(pool, step)
    if step.kind is GrowthKind.ATTACH:
        size = _size(step)
        return attach_disk(pool, number, size=size, device=device(size))
    if step.kind is GrowthKind.REPLACE:
        size, width = _size(step), pool.top(number).width
        return replace_disks(pool, number, sizes=(size,) * width, devices=(device(size),) * width)
    if step.kind is GrowthKind.EXPAND:
        return expand_vdev(pool, number)
    return detach_disk(pool, number) if step.kind is GrowthKind.DETACH else remove_vdev(pool, number)


def take_steps(pool: GrownPool, steps: Sequence[GrowthStep], *, logical_sector_bytes: int = 512) -> tuple[Grown, ...]:
    """Return the pool after each step; errors as `take_step`."""
    found: list[Grown] = []
    for step in steps:
        pool = take_step(pool, step, logical_sector_bytes=logical_sector_bytes)
        found.append(Grown(step, pool, pool.capacity()))
    return tuple(found)


def target(pool: GrownPool, step: GrowthStep) -> int:
    """Return the number of the vdev a step is done to; raises UserError where it is open which."""
    if step.top is not None:
        pool.top(step.top)
        return step.top
    fitting = [number for number, top in enumerate(pool.tops) if not top.removed]
    if step.kind is GrowthKind.DETACH:
        fitting = [number for number in fitting if pool.tops[number].kind is VdevKind.MIRROR]
    if len(fitting) != 1:
        raise UserError(
            tell("It is open which of {count} vdevs “{step}” is done to", count=len(fitting), step=step),
            todo=tell("Name it with @1, @2, …."),
        )
    return fitting[0]


def _size(step: GrowthStep) -> int:
    if step.size_bytes is None:
        raise UserError(
            tell("“{step}” has to say how large the disk is", step=step), todo=tell("Write for example attach:6TB.")
        )
    return step.size_bytes
