"""All variants of a migration, ranked by the redundancy they leave, then by time; the rest is refused with a reason."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from poolwright.capacity.expansion import REMOVAL_SINCE
from poolwright.capacity.pool import room_of
from poolwright.capacity.vdev import allocated_bytes, deflate_ratio, deflated
from poolwright.changes.migration.by_copy import MigrationVariant, steps_of_variant
from poolwright.changes.migration.durations import with_durations
from poolwright.changes.migration.in_place import space_after, steps_in_place, with_old_support
from poolwright.changes.migration.target import (
    MOST_FILLED_PERCENT,
    NewLayout,
    first_room,
    room_without,
    seatings,
    too_small_later,
)
from poolwright.changes.migration.values import (
    NO_REDUNDANCY,
    MigrationAnswer,
    MigrationPlan,
    MigrationStep,
    Move,
    OldData,
    step_title,
)
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal
from poolwright.domain.host import Inventory
from poolwright.domain.names import LONGEST_POOL_NAME
from poolwright.domain.pool import ExistingDataset
from poolwright.domain.units import DEFAULT_RECORD_BYTES, PLAN_FILL_PERCENT, binary, drive_size, parse_block_size
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec
from poolwright.texts import _, ngettext

# More disks than these leave one by one only in machines where all could leave at once as well.
MOST_SINGLE = 12
_MOST_TIMED = 24
# A new pool that begins with more disks than it must is sometimes better; with many more it never was.
_MORE_EARLY = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    design: Design
    steps: tuple[MigrationStep, ...]
    room: int | None
    fits: bool


def plan_migration(
    old: OldData, target: NewLayout, inventory: Inventory, *, backup_exists: bool = False
) -> MigrationAnswer:
    """Return the best plan and others that differ; those that leave nothing at some moment need a backup.

    Raises Refusal where no variant can be done, where the data have no room, or where each leaves a moment without
    redundancy and nobody said that a backup exists; UserError where the data are moved to the layout they have.
    """
    in_place = _in_place(old, target, inventory)
    if in_place is not None:
        return MigrationAnswer(plan=in_place, others=_beside(old, target, inventory, backup_exists=backup_exists))
    if old.used_bytes is None:
        raise Refusal(
            _("How much {name} holds is not known, so whether it fits is not either", name=old.name),
            todo=_("Read the machine with the collector, or say how much (“Data stored”, or --stored SIZE)."),
        )
    return _allowed(_copied(old, target, inventory), backup_exists=backup_exists)


# A change in place leaves blocks as they were; a copy beside it shows what writing all anew would take.
def _beside(old: OldData, target: NewLayout, inventory: Inventory, *, backup_exists: bool) -> tuple[MigrationPlan, ...]:
    try:
        plans = _copied(old, target, inventory)
    except Refusal:
        return ()
    return tuple(plan for plan in plans if backup_exists or not plan.unprotected)[:1]


# The plan of the pool that becomes the layout as it is; None where that is no way.
def _in_place(old: OldData, target: NewLayout, inventory: Inventory) -> MigrationPlan | None:
    design = None if target.in_place is None else with_old_support(old, target.in_place)
    steps = None if design is None else steps_in_place(old, design, inventory)
    if design is None or steps is None:
        return None
    if len(steps) == 2:  # a look and a last scrub: nothing between them
        raise Refusal(
            _("{name} has this layout already", name=old.name),
            reasons=(_("every vdev of the layout is there with these disks"),),
            todo=_("Name another layout."),
        )
    plan = MigrationPlan(
        old=old,
        target=design,
        steps=with_durations(old, design, steps, old.used_bytes),
        new_name=old.name,
        parked_name=old.name,
        in_place=True,
        final_bytes=room_of(design),
        needed_bytes=old.used_bytes,
        warnings=(*old.warnings, *feature_warnings(old, steps)),
    )
    after = space_after(plan)
    if after is None:
        return plan
    return replace(plan, final_bytes=after.available_bytes, final_size_bytes=after.pool_size_bytes)


# A plan for each level of redundancy that can be had, the most redundant first, each the fastest of it. Raises Refusal
# where none can be taken.
def _copied(old: OldData, target: NewLayout, inventory: Inventory) -> list[MigrationPlan]:
    needed = needed_bytes(old, target.design)
    found = [each for design in seatings(target, old) for each in _found(old, design, needed)]
    fitting = [each for each in found if each.fits]
    if not fitting:
        raise no_variant_refusal(old, target.design, max((each.room or 0 for each in found), default=None), needed)
    names = frozenset(pool.name for pool in inventory.pools)
    best: dict[int, MigrationPlan] = {}
    fitting.sort(key=lambda each: (-_least(each.steps), len(each.steps)))
    for level in sorted({_least(each.steps) for each in fitting}, reverse=True):
        of_level = [each for each in fitting if _least(each.steps) == level][:_MOST_TIMED]
        best[level] = min((_plan(old, each, needed, names) for each in of_level), key=_cost)
    return list(best.values())


# What a lone disk risks before anybody does anything is not the fault of a variant.
def _least(steps: Sequence[MigrationStep]) -> int:
    begin = next((n for n, step in enumerate(steps) if step.move in {Move.DETACH, Move.OFFLINE, Move.DESTROY}), 0)
    return min(step.survives for step in steps[begin:])


# Hours at the least redundancy count twice: they are what a plan is chosen to have few of.
def _cost(plan: MigrationPlan) -> tuple[float, float, int]:
    weak = sum(s.hours.typical for s in plan.steps if s.hours is not None and s.survives == plan.least)
    return (float((plan.first_percent or 0) > PLAN_FILL_PERCENT), _hours(plan) + weak, len(plan.steps))


def _plan(old: OldData, found: _Found, needed: int | None, names: frozenset[str]) -> MigrationPlan:
    steps = with_durations(old, found.design, found.steps, needed)
    new_name = _free_name(old.name, "new", names)
    plan = MigrationPlan(
        old=old,
        target=found.design,
        steps=steps,
        new_name=new_name,
        parked_name=_free_name(old.name, "old", names),
        first_bytes=found.room,
        final_bytes=room_of(found.design),
        needed_bytes=needed,
    )
    return replace(plan, warnings=(*plan_warnings(plan), *old.warnings))


# Every variant that can be done, for one way to deal the disks. Emptying more old vdevs
# goes on as long as it helps, and so does every further disk that leaves early.
def _found(old: OldData, design: Design, needed: int | None) -> Iterator[_Found]:
    wanted = {m.disk_key for vdev in design.vdevs for m in vdev.members} & old.keys
    best = -1
    for evacuated in _evacuated(old, wanted):
        here: list[_Found] = []
        for complete_only in (False, True):
            beginning = MigrationVariant(evacuated=evacuated, complete_vdevs_only=complete_only)
            for each in _of_beginning(old, design, needed, beginning):
                here.append(each)
                yield each
        level = max((_least(each.steps) for each in here if each.fits), default=-1)
        if best >= 1 and level <= best:
            return
        best = max(best, level)


# The variants that begin alike but for how many disks leave early, which is tried from none on.
def _of_beginning(old: OldData, design: Design, needed: int | None, beginning: MigrationVariant) -> Iterator[_Found]:
    begun, releasable = 0, sum(vdev.survives for vdev in old.vdevs if vdev.holds)
    for early in range(len(old.keys)):
        variant = replace(beginning, disks_before_copy=early)
        first = steps_of_variant(old, design, variant)
        if first is None or too_small_later(design, _begun(first)):
            if begun or early >= releasable:
                return
            continue
        begun += 1
        room = first_room(design, _begun(first))
        fits = needed is None or needed <= room
        yield _Found(design=design, steps=first, room=room, fits=fits)
        for single in range(1, MOST_SINGLE + 1):
            steps = steps_of_variant(old, design, replace(variant, disks_one_by_one=single))
            if steps is None:
                break
            yield _Found(design=design, steps=steps, room=room, fits=fits)
        if begun > _MORE_EARLY:
            return


def _begun(steps: Sequence[MigrationStep]) -> MigrationStep:
    return next(step for step in steps if step.move is Move.CREATE)


# `zpool remove` knows only pools without parity; the vdevs with most disks that the new pool needs leave first.
def _evacuated(old: OldData, wanted: set[str]) -> Iterator[tuple[str, ...]]:
    yield ()
    data = [v for v in old.vdevs if v.vdev.vdev_class is VdevClass.DATA]
    plain = all(v.vdev.kind in (VdevKind.STRIPE, VdevKind.MIRROR) for v in old.vdevs if v.holds)
    if not plain or old.used_bytes is None or old.design.version < REMOVAL_SINCE:
        return
    useful = sorted((v for v in data if set(v.keys) & wanted), key=lambda v: -len(set(v.keys) & wanted))
    chosen: tuple[str, ...] = ()
    for vdev in useful[: len(data) - 1]:
        chosen = (*chosen, vdev.name)
        if old.used_bytes * 100 > room_without(old, chosen) * MOST_FILLED_PERCENT:
            return
        yield chosen


# Both pools stand beside all others of the machine for a while, so their names must be free.
def _free_name(stem: str, word: str, taken: frozenset[str]) -> str:
    stem = stem[: LONGEST_POOL_NAME - 8]
    numbered = (f"{stem}-{word}{number or ''}" for number in (0, *range(2, len(taken) + 3)))
    return next(name for name in numbered if name not in taken)


# The plans that may be followed; raises Refusal where each has a moment without redundancy.
def _allowed(plans: Sequence[MigrationPlan], *, backup_exists: bool) -> MigrationAnswer:
    allowed = [plan for plan in plans if backup_exists or not plan.unprotected]
    if allowed:
        first, *others = allowed
        faster = [plan for plan in others if _hours(plan) < _hours(first)]
        return MigrationAnswer(plan=first, others=tuple(faster))
    raise backup_refusal(plans[0])


def _hours(plan: MigrationPlan) -> float:
    return sum(step.hours.typical for step in plan.steps if step.hours is not None)


# How much room the data of a pool take in another layout: what raidz charges small blocks is not the same there.

_PARTS = ("usedbydataset", "usedbysnapshots", "usedbyrefreservation")


def needed_bytes(old: OldData, target: Design) -> int | None:
    """Return the bytes that the data will be charged with in ``target``; None where unknown.

    Where the datasets were read, each is charged by its block size in the worst vdev of the new pool against the
    mildest of the old one; files smaller than a record may take more. What was told for the migration is taken as it
    is.
    """
    known = old.known
    if old.used_bytes is None or not known.datasets or known.used_bytes != old.used_bytes:
        return old.used_bytes
    more = sum(_more(dataset, old.design, target) for dataset in known.datasets)
    return old.used_bytes + max(0, more)


# By how many bytes one dataset is charged more in the new layout than in the old.
def _more(dataset: ExistingDataset, old: Design, target: Design) -> int:
    held = sum(dataset.number(part) or 0 for part in _PARTS)
    block = _block(dataset)
    before = min(_charge(spec, old.ashift, block) for spec in _data(old))
    after = max(_charge(spec, target.ashift, block) for spec in _data(target))
    return round(held * (after / before - 1)) if before else 0


def _block(dataset: ExistingDataset) -> int:
    text = dataset.value("volblocksize" if dataset.kind == "volume" else "recordsize")
    if text is None:
        return DEFAULT_RECORD_BYTES
    return int(text) if text.isdecimal() else parse_block_size(text)


def _charge(spec: VdevSpec, ashift: int, block: int) -> float:
    shape = (spec.kind, spec.width, spec.parity, spec.group_data if spec.kind is VdevKind.DRAID else 1, ashift)
    return deflated(allocated_bytes(*shape, block), deflate_ratio(*shape)) / block


def _data(design: Design) -> Sequence[VdevSpec]:
    return [vdev.sizeless() for vdev in design.vdevs if vdev.vdev_class is VdevClass.DATA]


# Why no plan may be followed, and what a person must know of the one that may.


def no_variant_refusal(old: OldData, design: Design, room: int | None, needed: int | None) -> Refusal:
    """Return why no variant can be done; ``room`` is what the largest new pool offers that could begin, if any."""
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


def backup_refusal(plan: MigrationPlan) -> Refusal:
    """Return why a plan is not allowed that leaves nothing at some moment, while nobody says that a backup exists."""
    return Refusal(
        _(
            "Every way from {name} to this layout leaves the data for a while without any redundancy",
            name=plan.old.name,
        ),
        reasons=tuple(_unprotected_words(plan)),
        todo=_(
            "Make a backup, prove that it can be read, and say that it exists (--backup-exists); or borrow a disk "
            "more until it is done."
        ),
    )


def _unprotected_words(plan: MigrationPlan) -> Iterator[str]:
    unprotected = [number for number, step in enumerate(plan.steps) if step in plan.unprotected]
    runs = groupby(enumerate(unprotected), key=lambda each: each[1] - each[0])
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
    if plan.unprotected:
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
    if plan.first_percent is not None and plan.first_percent > PLAN_FILL_PERCENT:
        yield _(
            "The new pool begins {percent} % full; more than {plan} % slows it down.",
            percent=round(plan.first_percent),
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
            new=plan.old.name,  # the new pool has taken that name by then
            old=plan.old.name,
        )
    if plan.old.encrypted:
        yield _("Encrypted data are sent raw and need their keys again afterwards: `zfs load-key -r {pool}`.",
                   pool=plan.old.name)  # fmt: skip
