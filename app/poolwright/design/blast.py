"""Blast radius: what becomes of each pool of a design when disks, a shelf or a controller are gone at one moment.

Everything is counted from the members (`domain/outage.py`); nothing is rebuilt in between. What hot and distributed
spares make good afterwards is told apart (`spares_left`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.domain.design import Design, Vdev
from poolwright.domain.errors import UserError
from poolwright.domain.grouping import grouped
from poolwright.domain.outage import FailureUnit, numbered, top_vdevs, units_of
from poolwright.domain.vdev import ALLOCATION_CLASSES, HOLDS_THE_POOL, VdevClass, VdevKind
from poolwright.texts import N_, _, first_of, ngettext


class State(StrEnum):
    """What is left. ``degraded``: the data are there with less redundancy; ``lost``: they are gone.

    ``suspended``: too many disks are away at once, none of them broken; the pool stands still until they are back.
    """

    ONLINE = N_("online")
    DEGRADED = N_("degraded")
    SUSPENDED = N_("suspended")
    LOST = N_("lost")


_GRAVITY = tuple(State)
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevBlast:
    """One top-level vdev after the loss.

    ``index`` is its place in the vdevs of its pool (the disks of a stripe share one), ``name`` what `zpool status`
    calls it. ``bears_more`` further failures, whichever they are, leave it working; None for cache and spares, which
    hold nothing, and for a vdev that is lost.
    """

    index: int
    name: str
    vdev_class: VdevClass
    state: State
    members: int
    missing: int
    bears_more: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolBlast:
    """One pool after the loss; ``datasets`` are the full names of all that lies in it.

    ``state`` is what `zpool status` says of a pool in use (a lost one is SUSPENDED, or cannot be imported).
    ``bears_more`` is how many further disks may fail, whichever they are; None where the pool is lost.
    ``spares_left`` are the hot spares that are still there. ``notes`` say what a person must know beyond the state.
    """

    pool_name: str
    state: State
    vdevs: tuple[VdevBlast, ...]
    bears_more: int | None
    spares_left: int
    datasets: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        if self.state is State.LOST:
            dead = [v.name for v in self.vdevs if v.state is State.LOST and v.vdev_class in HOLDS_THE_POOL]
            return ngettext(
                "{pool} is lost with {dead}: {count} dataset",
                "{pool} is lost with {dead}: {count} datasets",
                len(self.datasets),
                pool=self.pool_name,
                dead=first_of(dead, _MOST_NAMED),
            )
        more, pool = self.bears_more or 0, self.pool_name
        if self.state is State.SUSPENDED:
            return _("{pool} is suspended until its disks are back; no data are lost", pool=pool)
        if self.state is State.DEGRADED:
            if not more:
                return _("{pool} survives, degraded; no further disk may fail", pool=pool)
            return ngettext(
                "{pool} survives, degraded; {count} further disk may fail",
                "{pool} survives, degraded; {count} further disks may fail",
                more,
                pool=pool,
            )
        if not more:
            return _("{pool} is whole; no further disk may fail", pool=pool)
        return ngettext(
            "{pool} is whole; {count} further disk may fail",
            "{pool} is whole; {count} further disks may fail",
            more,
            pool=pool,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Blast:
    """What the loss of ``lost_keys`` does to every pool of a design."""

    lost_keys: frozenset[str]
    pools: tuple[PoolBlast, ...]

    @property
    def state(self) -> State:
        return max((pool.state for pool in self.pools), key=_GRAVITY.index, default=State.ONLINE)

    @property
    def sentence(self) -> str:
        """Return the outcome of all pools, the gravest first."""
        order = sorted(self.pools, key=lambda pool: -_GRAVITY.index(pool.state))
        return "; ".join(pool.sentence for pool in order) + "."


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitBlast:
    unit: FailureUnit
    blast: Blast


def pool_outcome(design: Design, lost_keys: Iterable[str]) -> Blast:
    """Return what becomes of every pool of ``design`` when the disks of these keys are gone at one moment.

    A disk that serves several vdevs by its partitions takes a member from each. Keys without a place change nothing.
    """
    return Losses(design).of(lost_keys)


def unit_outcomes(design: Design) -> tuple[UnitBlast, ...]:
    """Return the blast of every enclosure and controller that is known, enclosures first."""
    losses = Losses(design)
    return tuple(UnitBlast(unit=u, blast=away(losses.of(u.disk_keys))) for u in units_of(design.disks))


def away(blast: Blast) -> Blast:
    """Return the blast of disks that are only out of reach: a pool without too many is suspended and loses nothing."""
    return replace(blast, pools=tuple(map(_suspended, blast.pools)))


def _suspended(pool: PoolBlast) -> PoolBlast:
    if pool.state is not State.LOST:
        return pool
    vdevs = tuple(replace(v, state=State.SUSPENDED) if v.state is State.LOST else v for v in pool.vdevs)
    return replace(pool, state=State.SUSPENDED, vdevs=vdevs, notes=())


class Losses:
    """Answers as `pool_outcome` for many losses of one design: only the vdevs that lose a disk are counted anew."""

    def __init__(self, design: Design) -> None:
        self._pools = [_Whole(pool) for pool in design.pools()]

    def of(self, lost_keys: Iterable[str]) -> Blast:
        """Return what becomes of every pool when the disks of these keys are gone at one moment."""
        lost = frozenset(lost_keys)
        return Blast(lost_keys=lost, pools=tuple(_pool(pool, lost) for pool in self._pools))


class _Whole:
    """A pool before any loss: its top-level vdevs in the order of `zpool status`, and where each disk is a member."""

    __slots__ = ("blasts", "design", "of_disk", "parts")

    def __init__(self, design: Design) -> None:
        self.design = design
        self.parts = list(_named_tops(design))
        self.of_disk = grouped((key, at) for at, (*__, keys) in enumerate(self.parts) for key in keys)
        self.blasts = tuple(_vdev(*part, frozenset()) for part in self.parts)

    def without(self, lost: frozenset[str]) -> list[VdevBlast]:
        made = list(self.blasts)
        for at in {at for key in lost for at in self.of_disk.get(key, ())}:
            made[at] = _vdev(*self.parts[at], lost)
        return made


def vdev_names(design: Design) -> dict[int, str]:
    """Return what `zpool status` will call each vdev of the main pool; a stripe has the name of its first disk."""
    names: dict[int, str] = {}
    for top in _named_tops(design):
        names.setdefault(top[1], top[2])
    return names


def _named_tops(design: Design) -> Iterator[tuple[Vdev, int, str, tuple[str, ...]]]:
    for index, vdev, number in numbered(design):
        for keys in top_vdevs(vdev):
            yield vdev, index, _name(design, vdev, number, keys), keys


def _pool(whole: _Whole, lost: frozenset[str]) -> PoolBlast:
    design, made = whole.design, whole.without(lost)
    holding = [blast for blast in made if blast.vdev_class in HOLDS_THE_POOL]
    bears = [blast.bears_more for blast in holding if blast.bears_more is not None]
    gone = any(blast.state is State.LOST for blast in holding)
    hurt = any(b.state is not State.ONLINE for b in made if b.vdev_class not in (VdevClass.CACHE, VdevClass.SPARE))
    state = State.LOST if gone else State.DEGRADED if hurt else State.ONLINE
    spares = [blast for blast in made if blast.vdev_class is VdevClass.SPARE]
    return PoolBlast(
        pool_name=design.pool_name,
        state=state,
        vdevs=tuple(made),
        bears_more=None if gone else min(bears, default=0),
        spares_left=sum(1 for spare in spares if not spare.missing),
        datasets=tuple(f"{design.pool_name}/{d.name}" if d.name else design.pool_name for d in design.datasets)
        or (design.pool_name,),
        notes=tuple(_notes(design, made, state)),
    )


def _vdev(vdev: Vdev, index: int, name: str, keys: tuple[str, ...], lost: frozenset[str]) -> VdevBlast:
    missing = sum(1 for key in keys if key in lost)
    spare_room = vdev.failures_survived - missing
    state = State.LOST if spare_room < 0 else State.DEGRADED if missing else State.ONLINE
    bears = None
    if spare_room >= 0 and vdev.vdev_class not in (VdevClass.CACHE, VdevClass.SPARE):
        bears = _bears(keys, lost, spare_room)
    return VdevBlast(
        index=index,
        name=name,
        vdev_class=vdev.vdev_class,
        state=state,
        members=len(keys),
        missing=missing,
        bears_more=bears,
    )


def _bears(keys: tuple[str, ...], lost: frozenset[str], spare_room: int) -> int:
    """Return how many more disks may fail, whichever they are: one with several partitions here costs several."""
    left = sorted(Counter(key for key in keys if key not in lost).values(), reverse=True)
    used = 0
    for failures, members in enumerate(left):
        used += members
        if used > spare_room:
            return failures
    return len(left)


def _name(design: Design, vdev: Vdev, number: int, keys: tuple[str, ...]) -> str:
    if vdev.kind is VdevKind.STRIPE:
        try:
            return design.disk(keys[0]).label
        except UserError:
            return keys[0]
    return f"{vdev.sizeless().exact_word}-{number}"


def _notes(design: Design, vdevs: list[VdevBlast], state: State) -> Iterator[str]:
    for role in ALLOCATION_CLASSES:
        dead = [v.name for v in vdevs if v.vdev_class is role and v.state is State.LOST]
        if dead:
            words = {"role": _(role.value), "dead": first_of(dead, _MOST_NAMED)}
            yield _("The {role} vdev {dead} is gone, and with it what only it held: the whole pool.", **words)
    logs = [v.name for v in vdevs if v.vdev_class is VdevClass.LOG and v.state is State.LOST]
    if logs and state is not State.LOST:
        yield _(
            "The log {logs} is gone: a running pool goes on with the log inside its data vdevs. "
            "If the power fails at the same moment, synchronous writes of the last seconds are "
            "lost and `zpool import -m` is needed.",
            logs=first_of(logs, _MOST_NAMED),
        )
    if any(v.vdev_class is VdevClass.CACHE and v.missing for v in vdevs):
        yield _("Cache devices hold copies only: nothing is lost, reads get slower.")
    yield from _spare_notes(design, vdevs, state)


def _spare_notes(design: Design, vdevs: list[VdevBlast], state: State) -> Iterator[str]:
    """Return what hot and distributed spares are left, and what they do."""
    spares = [v for v in vdevs if v.vdev_class is VdevClass.SPARE]
    gone = sum(1 for spare in spares if spare.missing)
    if gone:
        yield ngettext(
            "{gone} of {count} hot spare gone.", "{gone} of {count} hot spares gone.", len(spares), gone=gone
        )
    degraded = any(v.state is State.DEGRADED and v.vdev_class in HOLDS_THE_POOL for v in vdevs)
    left = len(spares) - gone
    if state is not State.LOST and degraded and left:
        yield ngettext(
            "{count} hot spare left, of which each takes the place of one disk once it is rebuilt.",
            "{count} hot spares left, of which each takes the place of one disk once it is rebuilt.",
            left,
        )
    hurt = {v.index for v in vdevs if v.missing}
    distributed = sum(vdev.draid_spares for index, vdev in enumerate(design.vdevs) if index in hurt)
    if state is not State.LOST and distributed:
        yield ngettext(
            "Distributed spare space for {count} disk; it counts after the rebuild.",
            "Distributed spare space for {count} disks; it counts after the rebuild.",
            distributed,
        )
