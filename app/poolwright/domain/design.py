"""A design: which disks form which vdevs with which properties. Immutable; an edit makes a new one."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from poolwright.domain.disk import Disk, Use, UseKind
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.finding import Source
from poolwright.domain.growth import GrowthStep
from poolwright.domain.host import Host, planned_host
from poolwright.domain.reserve import ReservedPartition
from poolwright.domain.units import TIB, drive_size
from poolwright.domain.vdev import CLASS_ORDER, Layout, VdevClass, VdevKind, VdevSpec, tolerance
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion, known_system
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.texts import N_, _

# Where a design stood in the ranking that it was taken from, kept with it so that a report can tell it later.

STAND_IN_BYTES = TIB  # for the shape alone, where no size is known


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTerm:
    """One part of a score: ``points`` of at most ``weight``, or a deduction (negative points, weight 0).

    ``value`` is the share of the points, 0 to 1; ``why`` says it in numbers.
    """

    name: str
    title: str
    points: float
    weight: float = 0.0
    value: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotChosen:
    """A family of layouts, or the first choice where another was taken, and why it was not chosen."""

    family: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The rank of a layout for a goal, what its score is made of, and what was not chosen.

    ``examined`` is how many were ranked: those that keep to the wishes. ``layout`` are the vdevs as they were ranked
    (`Design.layout_words`), so that a later edit is seen.
    """

    goal: Goal
    rank: int
    examined: int
    score: float
    terms: tuple[ScoreTerm, ...] = ()
    not_chosen: tuple[NotChosen, ...] = ()
    layout: tuple[str, ...] = ()


# 2: money is a decimal text with its currency; 3: partitions reserved beside the data; 4: pools with data of their own,
# and the ranking a design came from
DESIGN_SCHEMA = 4
SHARED_SPARE = N_(
    "is a hot spare of two pools: neither can be exported while the other uses it. Give each pool a spare of its own"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A disk's part in a vdev: the whole disk, or its partition number ``part`` (from 1) of ``slice_bytes``.

    A disk is either used whole or in partitions; partitions lie on it in the order of their numbers. ``path`` is how
    the pool names it where there is one: zpool knows a member by no other name.
    """

    disk_key: str
    slice_bytes: int | None = None
    part: int | None = None
    path: str | None = field(default=None, compare=False)

    @property
    def identity(self) -> tuple[str, int]:
        """Return disk and partition; of a whole disk zpool makes partition 1 itself."""
        return self.disk_key, self.part or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Vdev:
    """A top-level vdev with its disks. A bare disk is a stripe of one; ``spare`` and ``cache`` vdevs are stripes."""

    kind: VdevKind
    members: tuple[Member, ...]
    parity: int = 0
    vdev_class: VdevClass = VdevClass.DATA
    draid_data: int | None = None
    draid_spares: int = 0

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(member.disk_key for member in self.members)

    @property
    def zpool_word(self) -> str | None:
        """Return zpool's word before the members; None for bare disks."""
        bare = self.kind is VdevKind.STRIPE or (self.kind is VdevKind.MIRROR and len(self.members) == 1)
        return None if bare else self.sizeless().exact_word

    @property
    def failures_survived(self) -> int:
        return tolerance(self.kind, len(self.members), self.parity)

    @property
    def rank(self) -> tuple[int, bool]:
        """Return its place on a command line: by class, bare disks first, which would join a group before them."""
        return CLASS_ORDER.index(self.vdev_class), self.kind is not VdevKind.STRIPE

    def sizeless(self) -> VdevSpec:
        """Return kind, width and class with sizes of 0: the shape, whatever is known of the disks."""
        return self.sized((0,) * len(self.members))

    def sized(self, sizes: tuple[int, ...], disk_bytes: int | None = None) -> VdevSpec:
        return VdevSpec(
            kind=self.kind,
            sizes=sizes,
            parity=self.parity,
            vdev_class=self.vdev_class,
            draid_data=self.draid_data,
            draid_spares=self.draid_spares,
            disk_bytes=disk_bytes,
        )


def vdev_of(spec: VdevSpec, members: Iterable[Member]) -> Vdev:
    return Vdev(
        kind=spec.kind,
        members=tuple(members),
        parity=spec.parity,
        vdev_class=spec.vdev_class,
        draid_data=spec.draid_data,
        draid_spares=spec.draid_spares,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A property with its value and why it is set, in English where it has no figures; ``rule_id`` proposed it."""

    name: str
    value: str
    reason: str = ""
    rule_id: str | None = None

    @property
    def why(self) -> str:
        return self.reason and _(self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostAdvice:
    """Advice for the machine around the pool: ``kind`` is setting, timer, command, note, or choice (made at creation).

    ``command`` is for a person to run; None where there is nothing to run. Text that is no command stands in
    ``content``, and ``file`` tells where it belongs.
    """

    kind: str
    title: str
    command: str | None = None
    file: str = ""
    content: str = ""
    reason: str = ""
    why: str = ""
    rule_id: str | None = None
    sources: tuple[Source, ...] = ()

    @property
    def choice(self) -> bool:
        """Tell whether it is decided when the pool is created, once and for all."""
        return self.kind == "choice"  # for machines


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A filesystem, or a zvol when ``volume_bytes`` is given; ``name`` is relative to the pool, '' is the root.

    ``logical_bytes`` is how much data will lie in it as programs count it (before compression); ``workload`` is its
    own where it differs from the pool's.
    """

    name: str
    settings: tuple[Setting, ...] = ()
    volume_bytes: int | None = None
    logical_bytes: int | None = None
    workload: Workload | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherPool:
    """Another pool of the same design, of the same disks' left-over slices or of other disks; ``purpose`` says why.

    ``workload`` is that of its own data, None where it holds the same as the main pool.
    """

    pool_name: str
    vdevs: tuple[Vdev, ...]
    ashift: int = 12
    pool_settings: tuple[Setting, ...] = ()
    datasets: tuple[Dataset, ...] = ()
    purpose: str = ""
    workload: Workload | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A whole pool on paper, with the disks and the host it was made for.

    ``key`` identifies it in the library. ``disks`` are all disks of the inventory it came from, so that a design
    opens anywhere; members refer to them by key. ``version`` is the OpenZFS it is computed for. ``further_pools`` are
    built beside it by the same script; what asks about one pool is asked of each of `pools`. ``growth`` are the steps
    planned for the main pool after it was made, in order. ``reserve`` is the room beside the data on its disks, of all
    pools; vdevs name such a disk as whole, `domain.as_built` tells how it is cut. ``workload`` is what was asked for;
    where the pools hold data of unlike kinds, ``main_workload`` is that of the main pool. ``in_use_percent`` is how
    full the main pool was read, ``in_use_bytes`` what it held; None for one that is to be made. ``ashift_read`` is
    False where nobody read that of a pool that exists: ``ashift`` is then assumed for figures, and no finding tells it.
    """

    key: str
    name: str
    pool_name: str
    workload: Workload = field(default_factory=lambda: Workload(goal=Goal.SAFETY))
    budget: Budget = field(default_factory=Budget)
    host: Host = field(default_factory=Host)
    disks: tuple[Disk, ...] = ()
    vdevs: tuple[Vdev, ...] = ()
    ashift: int = 12
    version: ZfsVersion = DEFAULT_VERSION
    pool_settings: tuple[Setting, ...] = ()
    datasets: tuple[Dataset, ...] = ()
    inventory_name: str = ""
    inventory_origin: Origin | None = None
    further_pools: tuple[FurtherPool, ...] = ()
    growth: tuple[GrowthStep, ...] = ()
    reserve: tuple[ReservedPartition, ...] = ()
    main_workload: Workload | None = None
    ranking: Ranking | None = None
    in_use_percent: int | None = None
    in_use_bytes: int | None = None
    ashift_read: bool = True
    # Made when first asked for; no part of what a design is. Thousands of members ask for their disks.
    _by_key: dict[str, Disk] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def exists(self) -> bool:
        """Tell whether the main pool was read of a machine: disks of it are in use, by a pool of its name."""
        own = Use(kind=UseKind.POOL, detail=self.pool_name)
        return any(own in self.disk(key).uses for vdev in self.vdevs for key in vdev.keys)

    @property
    def known_ashift(self) -> int | None:
        return self.ashift if self.ashift_read else None

    @property
    def machine(self) -> Host:
        return planned_host(self.host, self.budget)

    @property
    def made_for(self) -> str:
        """Return the OpenZFS that it is computed for, with the system where one is meant."""
        system = known_system(self.budget.system)
        return f"{self.version} ({system.name})" if system else str(self.version)

    def disk(self, key: str) -> Disk:
        if not self._by_key:
            self._by_key.update({disk.key: disk for disk in reversed(self.disks)})
        found = self._by_key.get(key)
        if found is not None:
            return found
        raise UserError(
            _("The design “{name}” refers to a disk “{key}” that it does not describe", name=self.name, key=key)
        )

    def spec(self, vdev: Vdev) -> VdevSpec:
        sizes: list[int] = []
        disks: list[int] = []
        for member in vdev.members:
            disk = self.disk(member.disk_key)
            size = member.slice_bytes if member.slice_bytes is not None else disk.size_bytes
            if size is None:
                raise UserError(
                    _("The size of {disk} is unknown", disk=disk.label), todo=_("Enter it on the disks page.")
                )
            sizes.append(size)
            disks.append(disk.size_bytes or size)
        sliced = any(member.slice_bytes is not None for member in vdev.members)
        return vdev.sized(tuple(sizes), min(disks) if sliced else None)

    def layout(self) -> Layout:
        return tuple(self.spec(vdev) for vdev in self.vdevs)

    def pools(self) -> tuple["Design", ...]:
        if not self.further_pools:
            return (self,)
        main = replace(self, further_pools=(), workload=self.main_workload or self.workload, main_workload=None)
        others = (
            replace(
                main,
                workload=pool.workload or main.workload,
                pool_name=pool.pool_name,
                vdevs=pool.vdevs,
                ashift=pool.ashift,
                pool_settings=pool.pool_settings,
                datasets=pool.datasets,
                in_use_percent=None,
                in_use_bytes=None,
                ashift_read=True,
            )
            for pool in self.further_pools
        )
        return (main, *others)

    def with_pool(self, number: int, **changes: Any) -> "Design":
        """Return the design with these fields of its pool of this number changed, 0 for the main one."""
        if number == 0:
            return replace(self, **changes)
        pools = list(self.further_pools)
        pools[number - 1] = replace(pools[number - 1], **changes)
        return replace(self, further_pools=tuple(pools))

    def layout_words(self) -> tuple[str, ...]:
        """Return the vdevs of each pool by kind, width and nominal sizes, sorted: alike when bound to other disks."""
        vdevs = (Counter(map(self._vdev_words, pool.vdevs)) for pool in self.pools())
        return tuple(" ".join(f"{count}*{words}" for words, count in sorted(found.items())) for found in vdevs)

    def _vdev_words(self, vdev: Vdev) -> str:
        sizes = Counter(drive_size(m.slice_bytes or self.disk(m.disk_key).size_bytes) for m in vdev.members)
        members = "+".join(f"{count}x{size.replace(' ', '')}" for size, count in sorted(sizes.items()))
        return f"{vdev.vdev_class.value}/{vdev.sizeless().word}:{members}"

    @property
    def ranked(self) -> Ranking | None:
        """Return its ranking while layout and goal are the ranked ones; None once they were edited."""
        found = self.ranking
        if found is None or found.goal is not self.workload.goal or found.layout != self.layout_words():
            return None
        return found

    def all_vdevs(self) -> tuple[Vdev, ...]:
        return (*self.vdevs, *(vdev for pool in self.further_pools for vdev in pool.vdevs))

    def members(self) -> Iterator[Member]:
        return (member for vdev in self.all_vdevs() for member in vdev.members)

    def used_keys(self) -> frozenset[str]:
        return frozenset([member.disk_key for vdev in self.all_vdevs() for member in vdev.members])

    def used_disks(self) -> tuple[Disk, ...]:
        return tuple(self.disk(key) for key in dict.fromkeys(member.disk_key for member in self.members()))

    def data_rooms(self) -> Iterator[list[int]]:
        """Yield what the members of each data vdev have room for, each by itself."""
        data = (vdev for vdev in self.vdevs if vdev.vdev_class is VdevClass.DATA)
        yield from ([m.slice_bytes or self.disk(m.disk_key).size_bytes or 0 for m in vdev.members] for vdev in data)

    def stranded_bytes(self) -> int:
        """Return what no data vdev uses of its members, each of which counts as the smallest."""
        return sum(sum(room) - min(room) * len(room) for room in self.data_rooms())

    def assumed_sizes(self, *classes: VdevClass) -> frozenset[int | None]:
        """Return the sizes of its disks that nobody read, with ``classes`` of such vdevs alone."""
        vdevs = (vdev for vdev in self.all_vdevs() if not classes or vdev.vdev_class in classes)
        disks = (self.disk(key) for key in {member.disk_key for vdev in vdevs for member in vdev.members})
        found = ((disk.size_bytes, disk.origin_of("size_bytes")) for disk in disks)
        return frozenset(size for size, origin in found if origin is not None and origin.kind is OriginKind.ASSUMED)

    @property
    def sizes_invented(self) -> bool:
        """Tell whether disks of data vdevs stand in for some of which nobody knows the size."""
        return STAND_IN_BYTES in self.assumed_sizes(VdevClass.DATA)

    def full_name(self, dataset: str) -> str:
        """Return the name of a dataset of the main pool as commands have it: with the pool before it."""
        return f"{self.pool_name}/{dataset}".rstrip("/")

    def shared_spare(self) -> str | None:
        """Return the key of a disk that is a hot spare of two of the pools; None where there is none.

        OpenZFS allows it, but then neither pool can be exported while the spare is in use, and a label on it does not
        say whose it is: here each pool has spares of its own.
        """
        seen: set[str] = set()
        for pool in self.pools():
            keys = {m.disk_key for v in pool.vdevs if v.vdev_class is VdevClass.SPARE for m in v.members}
            for key in sorted(keys & seen):
                return key
            seen |= keys
        return None

    def renamed(self, *, name: str | None = None, pool_name: str | None = None) -> "Design":
        return replace(self, name=name or self.name, pool_name=pool_name or self.pool_name)
