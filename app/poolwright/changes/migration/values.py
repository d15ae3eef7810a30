"""What a migration is: the data as they lie now, the steps to the new layout, and what each leaves of redundancy."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.changes.as_design import PoolVdev
from poolwright.changes.live_difference.values import StepEffect, total_hours
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Use, UseKind
from poolwright.domain.errors import Refusal
from poolwright.domain.estimate import Estimate, Origin
from poolwright.domain.host import Inventory
from poolwright.domain.pool import ExistingPool, Pool, PoolNode
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, describe
from poolwright.texts import N_, _, first_of, ngettext


class Move(StrEnum):
    """What a step does; the values are words for programs."""

    LOOK = "look"  # scrub what is there, and see that all is as it was read
    CHECK = "check"  # see that alone
    REMOVE = "remove"  # spares, cache and log devices of the old pool that the new one needs
    EVACUATE = "evacuate"  # the old pool moves the data of a top-level vdev onto the others
    DETACH = "detach"  # a side of an old mirror
    OFFLINE = "offline"  # a disk of an old raidz or dRAID, which is missing there from then on
    CREATE = "create"  # the new pool, with what is there
    COPY = "copy"  # everything, while the old pool is in use
    STOP = "stop"  # nothing may write any more
    COPY_REST = "copy-rest"  # what was written meanwhile
    VERIFY = "verify"  # scrub the new pool, compare the snapshots
    DESTROY = "destroy"  # the old pool
    RENAME = "rename"  # the new pool takes the name of the old one, and is used
    FILL = "fill"  # disks take their places in the new pool: resilver
    ADD = "add"  # vdevs that could not be there from the beginning
    ATTACH = "attach"  # in place: a further side of a mirror
    REPLACE = "replace"  # in place: a disk takes the place of another one, which stays attached until that is whole
    EXPAND = "expand"  # in place: a raidz gets wider by a disk
    FINISH = "finish"  # a last scrub
    CLEAN_UP = "clean-up"  # snapshots and placeholders of the move go


# What can be added to a pool and taken from it at any time without a loss.
SUPPORT = frozenset({VdevClass.SPARE, VdevClass.CACHE, VdevClass.LOG})
# Whoever does one of these takes something away from the data as they were.
TAKING = frozenset({Move.EVACUATE, Move.DETACH, Move.OFFLINE, Move.DESTROY})


@dataclass(frozen=True, slots=True, kw_only=True)
class OldData:
    """The pool that the data are in, ``design`` as a design.

    ``used_bytes`` is what must find room elsewhere, None where unknown. ``encrypted`` None: not known. ``sizes_known``
    False: the sizes of the old disks were not read. ``disabled`` are features that its OpenZFS knows and it lacks.
    ``guid`` is that of the pool, None where it was not read. ``scrub_hours`` is how long the last scrub took.
    """

    name: str
    known: ExistingPool
    design: Design
    vdevs: tuple[PoolVdev, ...]
    used_bytes: int | None
    used_origin: Origin | None = None
    encrypted: bool | None = False
    root_encrypted: bool = False
    sizes_known: bool = True
    warnings: tuple[str, ...] = ()
    disabled: frozenset[str] = frozenset()
    guid: str | None = None
    scrub_hours: float | None = None

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(key for vdev in self.vdevs for key in vdev.keys)


@dataclass(frozen=True, slots=True, order=True)
class NewPlace:
    """A place of the new pool: number of its vdev in the design, and of the member in the vdev."""

    vdev: int
    member: int


def places_of(design: Design) -> dict[NewPlace, str]:
    return {NewPlace(n, m): part.disk_key for n, vdev in enumerate(design.vdevs) for m, part in enumerate(vdev.members)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationStep(StepEffect):
    """One step, as the planner takes it.

    ``disk_keys`` are those it moves (of a replacement the old one and the new one), ``places`` where they go, ``vdevs``
    the vdevs of the new design it makes, ``files`` the places for which sparse files stand, with their sizes.
    """

    move: Move
    disk_keys: tuple[str, ...] = ()
    places: tuple[NewPlace, ...] = ()
    vdevs: tuple[int, ...] = ()
    files: tuple[tuple[NewPlace, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationPlan:
    """The steps from the old data to ``target``, whose disks all have their places at the end.

    ``in_place``: the pool stays, nothing is copied. ``new_name`` is what the new pool is called until it takes the old
    name, ``parked_name`` what the old one is called from the moment nothing uses it. ``first_bytes`` is the room of
    the new pool when the data come (None in place), ``final_bytes`` at the end, ``needed_bytes`` what the data take.
    ``final_size_bytes`` is SIZE of `zpool list` at the end, where disks of the pool itself are replaced.
    """

    old: OldData
    target: Design
    steps: tuple[MigrationStep, ...]
    new_name: str
    parked_name: str
    in_place: bool = False
    first_bytes: int | None = None
    final_bytes: int | None = None
    final_size_bytes: int | None = None
    needed_bytes: int | None = None
    warnings: tuple[str, ...] = ()

    @property
    def least(self) -> int:
        return min(step.survives for step in self.steps)

    @property
    def unprotected(self) -> tuple[MigrationStep, ...]:
        """Return the steps that leave no redundancy, from the first on that takes something away from the data.

        What lies on a lone disk has none before anybody does anything; copying it takes nothing away.
        """
        begin = next((number for number, step in enumerate(self.steps) if step.move in TAKING), len(self.steps))
        return tuple(step for step in self.steps[begin:] if step.survives < 1)

    @property
    def first_percent(self) -> float | None:
        """Return how full the data make the new pool when they come."""
        if self.first_bytes is None or self.needed_bytes is None:
            return None
        return 100 * self.needed_bytes / max(1, self.first_bytes)

    @property
    def hours(self) -> Estimate | None:
        return total_hours(self.steps)

    @property
    def down_hours(self) -> Estimate | None:
        return total_hours(tuple(step for step in self.steps if step.down))

    @property
    def final_step(self) -> int | None:
        """Return the number (from 0) of the first step from which there is no way back; None where there is none."""
        return next((number for number, step in enumerate(self.steps) if step.final), None)

    def disk(self, key: str) -> Disk:
        known = {disk.key for disk in self.target.disks}
        return self.target.disk(key) if key in known else self.old.design.disk(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationAnswer:
    plan: MigrationPlan
    others: tuple[MigrationPlan, ...] = ()


# A pool that is told by its layout alone, so that a move can be planned away from the machine.

_SECTIONS = {VdevClass.DATA: "data", VdevClass.LOG: "logs", VdevClass.SPARE: "spares"}  # the others are called alike


def told_pool(inventory: Inventory, layout: Layout, name: str) -> Inventory:
    """Return the inventory with a healthy pool of ``layout`` on its planned disks. Raises Refusal where they lack."""
    free = [disk for disk in inventory.disks if disk.planned and not disk.uses]
    nodes: list[PoolNode] = []
    used: dict[str, Disk] = {}
    for spec in layout:
        taken = []
        for size in spec.sizes:
            disk = next((d for d in free if d.size_bytes == size and d.key not in used), None)
            if disk is None:
                raise Refusal(_("There is no disk of {size} for the pool as given", size=drive_size(size)))
            used[disk.key] = replace(disk, uses=(Use(kind=UseKind.POOL, detail=name),))
            taken.append(disk)
        nodes.extend(_nodes(spec, taken, sum(bool(node.children) for node in nodes)))
    disks = tuple(used.get(disk.key, disk) for disk in inventory.disks)
    pool = Pool(name=name, state="ONLINE", vdevs=tuple(nodes))
    return replace(inventory, disks=disks, pools=(*inventory.pools, pool))


def _nodes(spec: VdevSpec, disks: list[Disk], number: int) -> Iterator[PoolNode]:
    section = _SECTIONS.get(spec.vdev_class, spec.vdev_class.value)
    leaves = tuple(
        PoolNode(name=disk.key, path=f"/dev/disk/by-id/<{disk.key}>", kind="disk", section=section) for disk in disks
    )
    if spec.kind is VdevKind.STRIPE:
        yield from leaves
        return
    word = spec.exact_word
    yield PoolNode(name=f"{word}-{number}", kind=word, section=section, children=leaves)


# The steps of a migration in words: a title for each, and what holds while it lasts.

_TITLES = {
    Move.LOOK: N_("Scrub {old}: whatever cannot be read must be known now"),
    Move.CHECK: N_("Check {old}, without a scrub: devices are lost already, and the copy reads as much"),
    Move.REMOVE: N_("Take {disks} out of {old}: no data lie there"),
    Move.EVACUATE: N_("Let {old} move the data of one vdev onto the others, which frees {disks}"),
    Move.DETACH: N_("Detach {disks} from its mirror in {old}"),
    Move.OFFLINE: N_("Take {disks} offline in {old}: it is missing there from now on"),
    Move.COPY: N_("Copy everything to {new} while {old} stays in use"),
    Move.STOP: N_("Stop all that uses {old}, and import it unmounted"),
    Move.COPY_REST: N_("Copy what was written meanwhile, and compare the two pools"),
    Move.VERIFY: N_("Scrub {new}: what was copied must read back"),
    Move.DESTROY: N_("Destroy {old}: the new pool needs its disks"),
    Move.RENAME: N_("Rename {new} to {old}, and use it from now on"),
    Move.FILL: N_("Resilver {disks} into {new}"),
    Move.ADD: N_("Add {layout}"),
    Move.ATTACH: N_("Attach {disks} as a further side: resilver"),
    Move.EXPAND: N_("Widen the raidz by {disks}: expansion"),
    Move.FINISH: N_("Scrub once more"),
    Move.CLEAN_UP: N_("Clear away snapshots and placeholders"),
}
_AT_THE_END = N_("Destroy {old}: once the new pool has proved itself")


def step_title(plan: MigrationPlan, step: MigrationStep) -> str:
    disks = first_of([plan.disk(key).label for key in step.disk_keys], 2)
    layout = describe(tuple(plan.target.spec(plan.target.vdevs[n]) for n in step.vdevs))
    if step.move is Move.CREATE:
        return _created(plan, step, layout)
    if step.move is Move.REPLACE:
        old, new = (plan.disk(key).label for key in step.disk_keys)
        return _("Let {new} take the place of {old}: resilver", old=old, new=new)
    at_the_end = step.move is Move.DESTROY and step is plan.steps[-1]
    text = _AT_THE_END if at_the_end else _TITLES[step.move]
    old = plan.parked_name if step.move is Move.DESTROY else plan.old.name  # the new pool may have its name by then
    return _(text, old=old, new=plan.new_name, disks=disks, layout=layout)


def _created(plan: MigrationPlan, step: MigrationStep, layout: str) -> str:
    missing = sum(len(plan.target.vdevs[n].members) for n in step.vdevs) - len(step.places)
    if not missing:
        return _("Create {new}: {layout}", new=plan.new_name, layout=layout)
    return ngettext(
        "Create {new}: {layout}, of which {count} disk is missing",
        "Create {new}: {layout}, of which {count} disks are missing",
        missing,
        new=plan.new_name,
        layout=layout,
    )


NO_REDUNDANCY = N_("no redundancy: the next disk that fails takes the data with it")


def survival_words(step: StepEffect) -> str:
    if step.survives < 1:
        return _(NO_REDUNDANCY)
    text = ngettext("any {count} disk may fail", "any {count} disks may fail", step.survives)
    if step.copies > 1:
        return _("{told}, with two copies", told=text)
    return text
