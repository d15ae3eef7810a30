"""One way through a migration: which disks leave the old pool before the copy, which after it, which at the end."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from poolwright.capacity.pool import PoolCapacity
from poolwright.changes.against.difference import against_live
from poolwright.changes.against.values import OF_DISKS, LiveDifference, PoolVdev
from poolwright.changes.as_design import imported_pool
from poolwright.changes.growth.design import all_replaced, born
from poolwright.changes.improve.ground import grown_widths
from poolwright.changes.migration.standing import Between, placeholder_bytes
from poolwright.changes.migration.values import (
    NO_REDUNDANCY,
    SUPPORT,
    MigrationPlan,
    MigrationStep,
    Move,
    NewPlace,
    OldData,
    places_of,
    step_title,
)
from poolwright.domain.action import AddVdevs, Attach, Replace, coming
from poolwright.domain.design import Design, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.host import Inventory
from poolwright.domain.pool import ExistingPool
from poolwright.domain.units import PLAN_FILL_PERCENT, binary, drive_size
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind
from poolwright.texts import _, ngettext


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What is decided before the first step.

    ``emptied`` old vdevs give their data to the others; ``early`` disks leave the old pool before the copy, ``single``
    after it one by one, each rebuilt in the new pool before the next leaves. ``whole`` vdevs only: the new pool begins
    with the vdevs whose disks are all there, the others are added at the end.
    """

    emptied: tuple[str, ...] = ()
    early: int = 0
    single: int = 0
    whole: bool = False


def walk(old: OldData, target: Design, course: Course) -> tuple[MigrationStep, ...] | None:
    """Return the steps of a course; None where it cannot be taken: too few disks would be there at the beginning."""
    walker = _Walker(old, target)
    if not walker.prepare(course) or not walker.create(whole=course.whole):
        return None
    walker.copy()
    for __ in range(course.single):
        if not walker.move_one():
            return None
    walker.change()
    return tuple(walker.steps)


class _Walker:
    """Takes the steps one after the other and writes down what each leaves."""

    def __init__(self, old: OldData, target: Design) -> None:
        self.now = Between(old, target)
        self.steps: list[MigrationStep] = []

    def prepare(self, course: Course) -> bool:
        """Look, and take out of the old pool what is needed before the copy; False where it cannot be done."""
        now = self.now
        self._take(Move.LOOK)
        support = [
            key for v in now.old.vdevs if not v.holds for key in v.keys if key in now.place_of and key not in v.tied
        ]
        if support:
            self._take(Move.REMOVE, disk_keys=tuple(support))
        for vdev in now.old.vdevs:
            if vdev.name in course.emptied:
                self._take(Move.EVACUATE, disk_keys=vdev.keys)
        for __ in range(course.early):
            key = next(iter(now.releasable()), None)
            if key is None:
                return False
            self._release(key, down=False)
        return True

    def create(self, *, whole: bool) -> bool:
        """Create the new pool with what is there; False where no data vdev can be made of it."""
        now, vdevs = self.now, self.now.target.vdevs
        made = {n for n in range(len(vdevs)) if now.can_be_made(n)}
        full = {n for n in made if len(now.ready(n)) == len(vdevs[n].members)}
        made -= {n for n in made - full if vdevs[n].vdev_class in SUPPORT}
        data = {n for n in made if vdevs[n].vdev_class is VdevClass.DATA}
        if whole:
            if not data & full or data <= full:
                return False  # nothing to begin with, or the same course as without
            made -= data - full
        if not data:
            return False
        filled = {place for n in made for place in now.ready(n)}
        stand_ins = tuple(
            (place, placeholder_bytes(now.target, now.keys[place]))
            for n in sorted(made)
            if vdevs[n].kind in (VdevKind.RAIDZ, VdevKind.DRAID)
            for place in (NewPlace(n, m) for m in range(len(vdevs[n].members)))
            if place not in filled
        )
        self._take(Move.CREATE, places=tuple(sorted(filled)), vdevs=tuple(sorted(made)), files=stand_ins)
        return True

    def copy(self) -> None:
        self._take(Move.COPY)
        self._take(Move.VERIFY)
        self._take(Move.STOP, down=True)
        self._take(Move.COPY_REST, down=True)

    def move_one(self) -> bool:
        """Take one disk out of the old pool and rebuild it in the new one; False where none can leave."""
        now = self.now
        key = next((k for k in now.releasable() if now.place_of[k].vdev in now.made), None)
        if key is None:
            return False
        self._release(key, down=True)
        self._take(Move.FILL, places=(now.place_of[key],), down=True)
        return True

    def change(self) -> None:
        """Give up the old data, use the new pool, and put in what is left.

        Where no disk is waited for the old data stay until somebody is content: a copy that grows old.
        """
        now = self.now
        waiting = any(not now.available(key) for key in now.place_of)
        if waiting:
            self._take(Move.DESTROY, final=True, down=True)
        self._take(Move.RENAME, down=True)
        fill = tuple(sorted(place for n in now.made for place in now.missing(n)))
        if fill:
            self._take(Move.FILL, places=fill)
        rest = tuple(n for n in range(len(now.target.vdevs)) if n not in now.made)
        if rest:
            self._take(Move.ADD, vdevs=rest, places=tuple(place for n in rest for place in now.missing(n)))
        self._take(Move.FINISH)
        self._take(Move.CLEAN_UP)
        if not waiting:
            self._take(Move.DESTROY, final=True)

    def _release(self, key: str, *, down: bool) -> None:
        vdev = next(v for v in self.now.old.vdevs if key in v.keys)
        move = Move.DETACH if vdev.vdev.kind is VdevKind.MIRROR else Move.OFFLINE
        self._take(move, disk_keys=(key,), down=down)

    # Take a step: it is worth what the data survive at its worse end. Disks that come follow from ``places``.
    def _take(self, move: Move, **more: Any) -> None:
        now = self.now
        step = MigrationStep(move=move, **more)
        step = replace(step, disk_keys=step.disk_keys or tuple(now.keys[place] for place in step.places))
        before = now.standing()
        now.take(step)
        stands = (replace(step, old=old, new=new) for old, new in (before, now.standing()))
        self.steps.append(min(stands, key=lambda each: each.survives))


# The pool itself becomes the layout: what the difference between the two names, where nothing has to leave.

_MOVES = {AddVdevs: Move.ADD, Attach: Move.ATTACH, Replace: Move.REPLACE}
# What comes to one vdev in one step; a raidz takes one disk after the other.
_TOGETHER = (Move.ADD, Move.ATTACH)
# A vdev whose disks were replaced takes their room by itself, so that no difference is left for that.
_GROWING = (Setting(name="autoexpand", value="on"),)


def steps_in_place(old: OldData, target: Design, inventory: Inventory) -> tuple[MigrationStep, ...] | None:
    """Return the steps that turn the pool itself into ``target``: disks and vdevs come, or disks give way to others.

    None where that cannot be done: a vdev cannot become the other, or something would have to leave.
    """
    changes = _changes_in_place(old, target, inventory)
    if changes is None:
        return None
    place_of = {key: place for place, key in places_of(target).items()}
    survived = {vdev.name: vdev.survives for vdev in old.vdevs if vdev.holds}
    steps = [MigrationStep(move=Move.LOOK, old=min(survived.values()))]
    for one in sorted(changes, key=lambda one: isinstance(one.action, AddVdevs)):
        keys = tuple(member.disk_key for member in coming(one.action))
        places, before = tuple(place_of[key] for key in keys), min(survived.values())
        number, new = places[0].vdev, target.vdevs[places[0].vdev]
        move = Move.EXPAND if isinstance(one.action, Attach) and one.action.widens else _MOVES[type(one.action)]
        if move is Move.ATTACH and one.place in survived:
            survived[one.place] = new.failures_survived - vdev_with(old, new.keys[0]).lost
        elif move is Move.ADD and new.vdev_class in HOLDS_THE_POOL:
            survived[f"{number}"] = new.failures_survived
        last = steps[-1]
        if move in _TOGETHER and (last.move, last.vdevs) == (move, (number,)):
            steps[-1] = replace(last, disk_keys=(*last.disk_keys, *keys), places=(*last.places, *places))
            continue
        step = MigrationStep(move=move, old=min(before, *survived.values()), places=places, vdevs=(number,))
        keys = (*(key for key, __ in one.frees), *keys)
        steps.append(replace(step, disk_keys=keys, final=move in (Move.ADD, Move.EXPAND)))
    # A vdev grows with its last new disk: from then on no smaller one takes a place in it.
    for at in {step.vdevs: n for n, step in enumerate(steps) if step.move is Move.REPLACE}.values():
        grown, vdev = target.vdevs[steps[at].vdevs[0]], vdev_with(old, steps[at].disk_keys[0]).vdev
        steps[at] = replace(steps[at], final=_least(old.design, vdev) < _least(target, grown))
    return (*steps, MigrationStep(move=Move.FINISH, old=min(survived.values())))


# What comes and what gives way, the order of it being safe; None where that is not all, or where both would be.
def _changes_in_place(old: OldData, target: Design, inventory: Inventory) -> list[LiveDifference] | None:
    # Of a pool that was told all disks are planned; held against itself each of them is the very disk.
    there = replace(inventory, disks=_as_real(inventory.disks))
    wanted = replace(target, disks=_as_real(old.design.disks), pool_settings=_GROWING, datasets=())
    found = against_live(wanted, there, imported_pool(there, old.name), force=True)
    changes = [one for one in found.differences if one.name in OF_DISKS]
    kinds = {_MOVES.get(type(one.action)) for one in changes}
    exchanges = Move.REPLACE in kinds
    if None in kinds or (exchanges and (len(kinds) > 1 or old.design.ashift != target.ashift or not old.sizes_known)):
        return None
    # Of what gives way each disk is free for it, and its vdev is whole.
    holding = {vdev.name: vdev for vdev in old.vdevs if vdev.holds}
    free = (one.place in holding and one.frees[0][0] not in holding[one.place].tied for one in changes)
    if exchanges and (any(vdev.lost for vdev in holding.values()) or not all(free)):
        return None
    return changes


def _as_real(disks: Iterable[Disk]) -> tuple[Disk, ...]:
    return tuple(replace(disk, planned=False) for disk in disks)


def space_after(plan: MigrationPlan, known: ExistingPool | None) -> PoolCapacity | None:
    """Return the space of the pool when its disks have been replaced: the vdevs keep what they were made with.

    None where none is replaced, or no model can tell.
    """
    old, exchanged = plan.old, {s.vdevs[0]: s.disk_keys[0] for s in plan.steps if s.move is Move.REPLACE}
    try:
        state = born(old.design)
        state = grown_widths(state, {v.vdev.members: v.node for v in old.vdevs}, known) if known is not None else state
        for number, key in exchanged.items():
            state = all_replaced(state, vdev_with(old, key).keys, _least(plan.target, plan.target.vdevs[number]))
        return state.pool.capacity() if exchanged else None
    except PoolwrightError:
        return None


def vdev_with(old: OldData, key: str) -> PoolVdev:
    return next(vdev for vdev in old.vdevs if key in vdev.keys)


def _least(design: Design, vdev: Vdev) -> int:
    return min(design.spec(vdev).sizes)


def with_old_support(old: OldData, target: Design) -> Design:
    """Return the target with the spares, caches and logs that the pool has: nobody takes them out."""
    there = {key for vdev in target.vdevs for key in vdev.keys}
    kept = (v.vdev for v in old.vdevs if not v.holds and there.isdisjoint(v.keys))
    known = {disk.key for disk in target.disks}
    disks = (disk for disk in old.design.disks if disk.key not in known)
    return replace(target, vdevs=(*target.vdevs, *kept), disks=(*target.disks, *disks))


# What is said of plans: why none may be followed, and what a person must know of the one that may.


def nowhere(old: OldData, design: Design, room: int | None, needed: int | None) -> Refusal:
    """Return why no course can be taken; ``room`` is what the largest new pool offers that could begin, if any."""
    if room is not None and needed is not None:
        return Refusal(
            _("The data of {name} do not fit into the new pool as it is at first", name=old.name),
            reasons=(
                _("it takes {needed}, the new pool has room for {room}", needed=binary(needed), room=binary(room)),
            ),
            todo=_("Delete snapshots or data, take more or larger disks, or a layout with more room."),
        )
    keys = [m.disk_key for v in design.vdevs for m in v.members]
    free = sum(key not in old.keys for key in keys)
    reasons = [
        ngettext("{count} disk of the layout is free now", "{count} disks of the layout are free now", free)
        if free
        else _("every disk of the layout belongs to {name} itself", name=old.name)
    ]
    tied = sorted({key for vdev in old.vdevs for key in vdev.tied}.intersection(keys))
    labels = (old.design.disk(key).label for key in tied)
    reasons += [_("{disk} also serves something else, so that it cannot leave", disk=label) for label in labels]
    return Refusal(
        _("With these disks the new pool cannot even begin while the old one holds the data"),
        reasons=tuple(reasons),
        todo=_(
            "Name other disks (--buy “4 x 8TB”), or a smaller layout: a raidz can begin without its parity, a mirror "
            "with one side. Else back up all, prove that it can be read, make the pool anew, and restore it."
        ),
    )


def bare(plan: MigrationPlan) -> Refusal:
    """Return why a plan is not allowed that leaves nothing at some moment, while nobody says that a backup exists."""
    return Refusal(
        _(
            "Every way from {name} to this layout leaves the data for a while without any redundancy",
            name=plan.old.name,
        ),
        reasons=tuple(_bare_words(plan)),
        todo=_(
            "Make a backup, prove that it can be read, and say that it exists (--backup-exists); or borrow a disk "
            "more until it is done."
        ),
    )


def _bare_words(plan: MigrationPlan) -> Iterator[str]:
    bare = [number for number, step in enumerate(plan.steps) if step in plan.bare]
    runs = groupby(enumerate(bare), key=lambda each: each[1] - each[0])
    for __, run in runs:
        numbers = [number for __, number in run]
        words = {"number": numbers[0] + 1, "last": numbers[-1] + 1, "title": step_title(plan, plan.steps[numbers[0]])}
        which = _("step {number}, “{title}”", **words)
        if len(numbers) > 1:
            which = _("steps {number} to {last}, from “{title}” on", **words)
        yield f"{which}: {_(NO_REDUNDANCY)}"


# What OpenZFS refuses while the pool lacks the feature, as pools do that were made by an older release.
_FEATURE_OF = {Move.EVACUATE: "device_removal", Move.EXPAND: "raidz_expansion"}


def feature_warnings(old: OldData, steps: Iterable[MigrationStep]) -> Iterator[str]:
    """Yield which feature has to be enabled before the plan begins, and what that costs."""
    needed = {_FEATURE_OF[step.move] for step in steps if step.move in _FEATURE_OF}
    for feature in sorted(needed & old.disabled):
        yield _(
            "{pool} lacks the feature {feature}, which the plan needs: `zpool set feature@{feature}=enabled "
            "{pool}` first. For good: an older OpenZFS, or a boot loader, may not read the pool any more.",
            pool=old.name,
            feature=feature,
        )


def plan_warnings(plan: MigrationPlan) -> Iterator[str]:
    if plan.bare:
        yield _("At some steps nothing but your backup protects the data. Prove first that it can be read.")
    yield from feature_warnings(plan.old, plan.steps)
    spare = next((v.seats[0].disk for v in plan.old.vdevs if v.vdev.vdev_class is VdevClass.SPARE), None)
    if spare is not None and not any(vdev.vdev_class is VdevClass.SPARE for vdev in plan.target.vdevs):
        size = drive_size(spare.size_bytes).replace(" ", "")
        yield _(
            "The new pool has no hot spare, as {disk} was in {pool}: name one in the layout ({spec}), or add it at "
            "the end.",
            disk=spare.label, pool=plan.old.name, spec=f"spare/stripe:1x{size}",
        )  # fmt: skip
    if over_advised(plan):
        yield _(
            "The new pool begins {percent} % full; more than {plan} % slows it down.",
            percent=round(100 * (plan.needed_bytes or 0) / max(1, plan.first_bytes or 0)),
            plan=PLAN_FILL_PERCENT,
        )
    added = [plan.target.vdevs[n] for step in plan.steps if step.move is Move.ADD for n in step.vdevs]
    if any(vdev.vdev_class is VdevClass.DATA for vdev in added):
        yield _(
            "Vdevs that are added at the end begin empty, until the data are written anew (`zfs rewrite` since "
            "OpenZFS 2.3.4, or another copy)."
        )
    if plan.old.root_encrypted:
        yield _(
            "The root dataset is encrypted, so all datasets come to lie below {new}/{old}. Names and inherited "
            "mount points change.",
            new=plan.old.name,
            old=plan.old.name,
        )
    if plan.old.encrypted:
        yield _("Encrypted data are sent raw and need their keys again afterwards: `zfs load-key -r {pool}`.",
                   pool=plan.old.name)  # fmt: skip


def over_advised(plan: MigrationPlan) -> bool:
    """Tell whether the data fill the new pool beyond what is advised when they come."""
    if plan.first_bytes is None or plan.needed_bytes is None:
        return False
    return plan.needed_bytes * 100 > plan.first_bytes * PLAN_FILL_PERCENT
