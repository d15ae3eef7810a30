"""A pool as it grows: what `zpool list` and `zfs list` print after each step.

A vdev that grows keeps the size of its metaslabs and gets more of them, and it keeps the deflate ratio it was created
with: a raidz that got a further disk is counted as if its blocks still had the old share of parity.

Sources: OpenZFS `module/zfs/spa.c:spa_vdev_attach, spa_vdev_add`, `vdev.c:vdev_open, vdev_metaslab_init,
vdev_set_deflate_ratio, vdev_get_min_asize`, `vdev_raidz.c:vdev_raidz_open, vdev_raidz_get_logical_width`,
`vdev_removal.c:spa_vdev_remove_top_check`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from poolwright.capacity import vdev as arithmetic
from poolwright.capacity.device import MemberKind, device_bytes, device_for, leaf_bytes
from poolwright.capacity.pool import EqualTopVdevs, PoolCapacity, VdevDevices, pool_capacity, predict_devices
from poolwright.domain.design import Member, Vdev, vdev_of
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.units import DEFAULT_LOGICAL_SECTOR_BYTES, TIB, out_of_range
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind, VdevSpec
from poolwright.domain.version import ALLOCATION_CLASSES_SINCE, DRAID_SINCE, ZfsVersion
from poolwright.texts import N_, _, ngettext

REMOVAL_SINCE = ZfsVersion(0, 8, 0)
# Features that a step may need, each with the version that brought it.
_SINCE = {
    "raidz_expansion": ZfsVersion(2, 3, 0),
    "draid": DRAID_SINCE,
    "allocation_classes": ALLOCATION_CLASSES_SINCE,
    "device_removal": REMOVAL_SINCE,
}
_NOT_TOP = (VdevClass.CACHE, VdevClass.SPARE)


class Disks(NamedTuple):
    """Disks as bought, the bytes that OpenZFS opens of each, and who they are where somebody named them."""

    sizes: tuple[int, ...]
    devices: tuple[int, ...]
    members: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GrownTop:
    """A top-level vdev with its history.

    ``spec`` has its members as bought, ``devices`` are the bytes OpenZFS opens of each, ``members`` their disks where
    somebody named them. ``born_width`` gives the deflate ratio, ``shift`` is log2 of the metaslab size, ``asize`` the
    bytes in use, which stay behind larger members while autoexpand is off. ``removed`` marks a vdev that left: its
    number stays taken. ``called`` is what a pool that was read calls it.
    """

    spec: VdevSpec
    devices: tuple[int, ...]
    members: tuple[Member, ...]
    born_width: int
    shift: int = 0
    asize: int = 0
    removed: bool = False
    called: str = ""

    @property
    def width(self) -> int:
        return len(self.devices)

    @property
    def exact(self) -> VdevSpec:
        """Return the vdev with the data disks of a dRAID group that zpool takes by itself."""
        return replace(self.spec, draid_data=self.spec.group_data) if self.spec.kind is VdevKind.DRAID else self.spec

    @property
    def vdev(self) -> Vdev:
        return vdev_of(self.spec, self.members)

    @property
    def offered(self) -> int:
        return arithmetic.asize_bytes(self.shape)

    @property
    def shape(self) -> arithmetic.TopVdev:
        return arithmetic.top_of(self.spec, min(leaf_bytes(device) for device in set(self.devices)))

    def space(self, ashift: int, version: ZfsVersion, *, width: int | None = None) -> arithmetic.TopCapacity:
        """Return its space; with ``width`` as if it had been made so wide."""
        shape = self.shape
        ratio = arithmetic.deflate_ratio(shape.kind, width or self.born_width, shape.parity, shape.group_data, ashift)
        return arithmetic.slabbed_capacity(shape, ashift, version, asize=self.asize, shift=self.shift, ratio=ratio)

    @property
    def leaf_sum(self) -> int:
        return sum(map(leaf_bytes, self.devices))

    @property
    def least_replacement_leaf(self) -> int:
        """Return the least bytes behind the labels that a new member needs (`vdev_get_min_asize`)."""
        # Until the pool is imported for the first time after its creation OpenZFS has not rounded it down to whole
        # metaslabs yet, and takes no smaller disk at all (seen on 2.3.2).
        whole = self.asize >> self.shift << self.shift
        if self.spec.kind is VdevKind.RAIDZ:
            return -(-whole // self.width)
        if self.spec.kind is VdevKind.DRAID:
            return (32 << 20) + -(-whole // (self.width - self.spec.draid_spares))
        return whole

    def changed(self, kind: VdevKind, disks: Disks) -> "GrownTop":
        spec = replace(self.spec, kind=kind, sizes=disks.sizes)
        return replace(self, spec=spec, devices=disks.devices, members=disks.members)

    @property
    def disks(self) -> Disks:
        return Disks(self.spec.sizes, self.devices, self.members)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrownPool:
    """A pool at a point of its life: its top-level vdevs by number, and the devices without data.

    ``autoexpand`` is the pool's property: whether a vdev takes the room of larger members by itself.
    """

    ashift: int
    version: ZfsVersion
    members: MemberKind = MemberKind.DISK
    autoexpand: bool = True
    tops: tuple[GrownTop, ...] = ()
    others: tuple[VdevDevices, ...] = ()

    def top(self, number: int) -> GrownTop:
        """Return the vdev of this number; raises UserError where there is none."""
        if not 0 <= number < len(self.tops) or self.tops[number].removed:
            raise out_of_range(number + 1, 1, len(self.tops), of=f"@{number + 1}")
        return self.tops[number]

    def name(self, number: int) -> str:
        """Return what `zpool status` calls a vdev; “disk” with its number for a single disk."""
        top = self.tops[number]
        own = f"disk {number + 1}" if top.spec.kind is VdevKind.STRIPE else f"{top.spec.exact_word}-{number}"
        return top.called or own

    def capacity(self) -> PoolCapacity:
        placed = []
        for number, top in enumerate(self.tops):
            if top.removed:
                continue
            placed.append(
                EqualTopVdevs(
                    index=number,
                    top=top.shape,
                    count=1,
                    device_sum=sum(top.devices),
                    leaf_sum=top.leaf_sum,
                    capacity=top.space(self.ashift, self.version),
                )
            )
        layout = (*(top.exact for top in self.tops if not top.removed), *(one.spec for one in self.others))
        return pool_capacity(layout, placed, ashift=self.ashift, version=self.version, members=self.members)


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
        for __ in range(vdev.count):
            pool = _with(pool, vdev)
    return pool


def add_vdev(pool: GrownPool, vdev: VdevDevices) -> GrownPool:
    """Return the pool with one vdev more; a stripe of N adds N. Raises Refusal where `zpool add -f` would refuse."""
    _check(why_not_added(pool, vdev.spec))
    # Checks shape, class and sizes; a data vdev beside it because support vdevs alone make no pool.
    beside = VdevDevices(spec=VdevSpec(kind=VdevKind.STRIPE, sizes=(TIB,)), devices=(TIB,))
    predict_devices((beside, vdev), ashift=pool.ashift, version=pool.version, members=pool.members)
    return _with(pool, vdev)


def attach_disk(pool: GrownPool, number: int, disk: Disks) -> GrownPool:
    """Return the pool with one disk more in the vdev of this number, once the resilver or the expansion has ended.

    Raises Refusal with the reason where `zpool attach` would refuse.
    """
    top = pool.top(number)
    kind, now = top.spec.kind, top.disks
    _check(why_not_attached(top, pool.version))
    _check_size(top, disk)
    wider = Disks(now.sizes + disk.sizes, now.devices + disk.devices, now.members + disk.members)
    widened = top.changed(kind if kind is VdevKind.RAIDZ else VdevKind.MIRROR, wider)  # a single disk becomes a mirror
    if kind is VdevKind.RAIDZ:
        # The wider vdev is opened anew: it takes all the room its members have, autoexpand or not.
        widened = replace(widened, asize=widened.offered)
    return _put(pool, number, _reopened(pool, widened))


def replace_disks(pool: GrownPool, number: int, disks: Disks) -> GrownPool:
    """Return the pool after every member of a vdev was replaced in order. Raises Refusal where a disk is too small."""
    # The vdev grows at the last one where autoexpand is on; else at a step of `expand`.
    top = pool.top(number)
    if len(disks.sizes) != top.width or len(disks.devices) != top.width:
        raise UserError(
            _(
                "{number} has {width}, not {count}",
                number=pool.name(number),
                width=ngettext("{count} member", "{count} members", top.width),
                count=len(disks.sizes),
            )
        )
    _check_size(top, disks)
    return _put(pool, number, _reopened(pool, top.changed(top.spec.kind, disks)))


def detach_disk(pool: GrownPool, number: int) -> GrownPool:
    """Return the pool with the last side of a mirror gone; a mirror of one side is a single disk."""
    top = pool.top(number)
    _check(why_not_detached(top))
    kind = VdevKind.MIRROR if top.width > 2 else VdevKind.STRIPE
    now = top.disks
    left = top.changed(kind, Disks(now.sizes[:-1], now.devices[:-1], now.members[:-1]))
    return _put(pool, number, _reopened(pool, left))


def remove_vdev(pool: GrownPool, number: int) -> GrownPool:
    """Return the pool without a vdev. Raises Refusal where `zpool remove` would refuse, with every reason."""
    top = pool.top(number)
    _check(why_not_removed(pool, number))
    return _put(pool, number, replace(top, removed=True))


def _with(pool: GrownPool, vdev: VdevDevices) -> GrownPool:
    spec = replace(vdev.spec, disk_bytes=None)
    if spec.vdev_class in _NOT_TOP:
        return replace(pool, others=(*pool.others, replace(vdev, spec=spec, count=1)))
    made = [born_top(spec, vdev.devices, vdev.members, pool.version)]
    if spec.kind is VdevKind.STRIPE:
        made = [
            born_top(replace(spec, sizes=(size,)), (vdev.devices[n],), vdev.members[n : n + 1], pool.version)
            for n, size in enumerate(spec.sizes)
        ]
    tops = list(pool.tops)
    for top in made:
        # A log that was removed leaves a hole, which the next vdev fills; other vdevs leave their map behind.
        hole = next((n for n, old in enumerate(tops) if old.removed and not _leaves_a_trace(old)), None)
        if hole is None:
            tops.append(top)
        else:
            tops[hole] = top
    return replace(pool, tops=tuple(tops))


def born_top(spec: VdevSpec, devices: tuple[int, ...], members: tuple[Member, ...], version: ZfsVersion) -> GrownTop:
    top = GrownTop(spec=spec, devices=devices, members=members, born_width=len(devices))
    return replace(top, asize=top.offered, shift=arithmetic.metaslab_shift(top.offered, version))


def _leaves_a_trace(top: GrownTop) -> bool:
    return top.spec.vdev_class in HOLDS_THE_POOL


def _reopened(pool: GrownPool, top: GrownTop) -> GrownTop:
    """Return the vdev with the room it uses: more only with autoexpand, less whenever a member is smaller."""
    offered = top.offered
    return replace(top, asize=offered if pool.autoexpand else min(offered, top.asize))


def _put(pool: GrownPool, number: int, top: GrownTop) -> GrownPool:
    return replace(pool, tops=(*pool.tops[:number], top, *pool.tops[number + 1 :]))


# What OpenZFS refuses, each with its reason: asked of a pool as planned and of one that was read alike.

_ANEW = N_("A new vdev or a new pool, zfs send and receive, and the old one destroyed is the only way.")
LAST_DATA_VDEV = N_("It would be the last data vdev: a pool cannot be emptied.")


def why_not_added(pool: GrownPool, spec: VdevSpec) -> Iterator[str]:
    # spa_vdev_add refuses raidz and dRAID where indirect vdevs are: a removed one can only be mapped to others.
    if spec.parity and any(top.removed and _leaves_a_trace(top) for top in pool.tops):
        yield _("A vdev was removed from this pool before: it takes no raidz or dRAID any more.")


def why_not_attached(top: GrownTop, version: ZfsVersion) -> Iterator[str]:
    if top.spec.kind is VdevKind.DRAID:
        yield why_never(draid=True)
    if top.spec.kind is VdevKind.RAIDZ:
        yield from why_too_old("raidz_expansion", version)
        if top.width >= arithmetic.MOST_CHILDREN:
            yield _("A raidz vdev takes at most {most} members.", most=arithmetic.MOST_CHILDREN)


def why_not_detached(top: GrownTop) -> Iterator[str]:
    if top.spec.parity:
        yield _("No OpenZFS takes a disk out of a raidz vdev: it only gets wider, since 2.3. {anew}", anew=_(_ANEW))
    elif top.spec.kind is not VdevKind.MIRROR:
        yield _("Only a side of a mirror can be detached.")


def why_never(*, draid: bool) -> str:
    """Return why no vdev becomes one of another kind, or no dRAID another one."""
    text = N_("No OpenZFS changes the level of a vdev: its blocks are laid out by it. {anew}")
    other = N_("No OpenZFS changes width, data disks or distributed spares of a dRAID vdev. {anew}")
    return _(other if draid else text, anew=_(_ANEW))


def why_not_removed(pool: GrownPool, number: int) -> Iterator[str]:
    if not _leaves_a_trace(pool.top(number)):
        return
    there = [n for n, top in enumerate(pool.tops) if not top.removed]
    # spa_vdev_remove_top_check: mapping copies block by block, which needs every vdev without parity columns.
    words = [pool.name(n) for n in there if pool.tops[n].spec.parity]
    if words:
        text = N_("zpool remove takes no vdev out of a pool that has raidz or dRAID, here {vdev}: only spares, caches "
                  "and logs leave it.")  # fmt: skip
        yield _(text, vdev=words[0])
    if [n for n in there if pool.tops[n].spec.vdev_class is VdevClass.DATA] == [number]:
        yield _(LAST_DATA_VDEV)


def why_too_small(top: GrownTop, devices: Iterable[int]) -> Iterator[str]:
    """Yield why the vdev takes no disks of which OpenZFS opens so many bytes."""
    least = top.least_replacement_leaf
    device = next((device for device in devices if device < device_for(least)), None)
    if device is not None:
        text = N_("A disk is too small for the vdev's places: {device} bytes where {needed} are needed. OpenZFS makes "
                  "no vdev smaller.")  # fmt: skip
        yield _(text, device=device, needed=device_for(least))


def why_too_old(feature: str, version: ZfsVersion) -> Iterator[str]:
    since = _SINCE[feature]
    if version < since:
        words = {"since": f"{since.major}.{since.minor}", "feature": feature, "version": version}
        yield _("It needs OpenZFS {since} and the feature {feature}; this is {version}.", **words)


def _check(reasons: Iterable[str], todo: str = "") -> None:
    every = tuple(reasons)
    if every:
        raise Refusal(every[0], reasons=every, todo=todo)


def _check_size(top: GrownTop, disks: Disks) -> None:
    todo = _("Disks of one trade size differ by some MB: give the size in bytes where it is close.")
    _check(why_too_small(top, disks.devices), todo)


# Steps of growth, as people plan them, done to a pool's space one after the other.


class Grown(NamedTuple):
    step: GrowthStep
    pool: GrownPool
    capacity: PoolCapacity


# Returns the disks that come: their sizes, the class of their vdev, and the vdev that they join.
Bring = Callable[[tuple[int, ...], VdevClass, GrownTop | None], Disks]


def take_step(pool: GrownPool, step: GrowthStep, bring: Bring) -> GrownPool:
    """Return the pool after one step; Refusal where OpenZFS would refuse, UserError where it is open which vdev."""
    # Where the step names no vdev, it is the only one that fits.
    if step.kind is GrowthKind.ADD:
        spec = step.vdev
        if spec is None:
            raise UserError(_("A step that adds a vdev has to say which"), where=str(step))
        come = bring(spec.sizes, spec.vdev_class, None)
        made = VdevDevices(spec=replace(spec, sizes=come.sizes), devices=come.devices, members=come.members)
        return add_vdev(pool, made)
    number = target(pool, step)
    top = pool.top(number)
    if step.kind is GrowthKind.ATTACH:
        return attach_disk(pool, number, bring((_size(step),), top.spec.vdev_class, top))
    if step.kind is GrowthKind.REPLACE:
        return replace_disks(pool, number, bring((_size(step),) * top.width, top.spec.vdev_class, top))
    if step.kind is GrowthKind.EXPAND:
        return _put(pool, number, replace(top, asize=top.offered))
    return detach_disk(pool, number) if step.kind is GrowthKind.DETACH else remove_vdev(pool, number)


def take_steps(
    pool: GrownPool, steps: Sequence[GrowthStep], *, logical_sector_bytes: int = DEFAULT_LOGICAL_SECTOR_BYTES
) -> tuple[Grown, ...]:
    """Return the pool after each step, of disks that nobody named; errors as `take_step`."""

    def bring(sizes: tuple[int, ...], *__: object) -> Disks:
        devices = (device_bytes(size, pool.members, logical_sector_bytes, pool.version) for size in sizes)
        return Disks(sizes, tuple(devices))

    found: list[Grown] = []
    for step in steps:
        pool = take_step(pool, step, bring)
        found.append(Grown(step, pool, pool.capacity()))
    return tuple(found)


def target(pool: GrownPool, step: GrowthStep) -> int:
    """Return the number of the vdev a step is done to; raises UserError where it is open which."""
    if step.top is not None:
        pool.top(step.top)
        return step.top
    fitting = [number for number, top in enumerate(pool.tops) if not top.removed]
    if step.kind is GrowthKind.DETACH:
        fitting = [number for number in fitting if pool.tops[number].spec.kind is VdevKind.MIRROR]
    if len(fitting) != 1:
        raise UserError(
            _("“{step}” does not say which of {count} vdevs", count=len(fitting), step=step),
            todo=_("Name it with @1, @2 and so on."),
        )
    return fitting[0]


def _size(step: GrowthStep) -> int:
    if step.size_bytes is None:
        raise UserError(
            _("“{step}” has to say how large the disk is", step=step), todo=_("Write for example attach:6TB.")
        )
    return step.size_bytes
