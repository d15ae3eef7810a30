"""What is said of plans: why none may be followed, and what a person must know of the one that may."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from poolwright.changes.migration.values import MigrationPlan, MigrationStep, Move, OldData
from poolwright.changes.migration.words import step_title
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal
from poolwright.domain.units import PLAN_FILL_PERCENT, binary
from poolwright.domain.vdev import VdevClass
from poolwright.texts import tell, tell_counted


def nowhere(old: OldData, design: Design, room: int | None, needed: int | None) -> Refusal:
    """Return why no course can be taken; ``room`` is what the largest new pool offers that could begin, if any."""
    if room is not None and needed is not None:
        return Refusal(
            tell("The data of {name} do not fit into the new pool as it is at first", name=old.name),
            reasons=(
                tell("it takes {needed}, the new pool has room for {room}", needed=binary(needed), room=binary(room)),
            ),
            todo=tell("Delete snapshots or data, take more or larger disks, or a layout with more room."),
        )
    free = [m.disk_key for v in design.vdevs for m in v.members if m.disk_key not in old.keys]
    reasons = [
        tell_counted("{count} disk of the layout is free now", "{count} disks of the layout are free now", len(free))
    ]
    tied = sorted(
        {key for vdev in old.vdevs for key in vdev.tied} & {m.disk_key for v in design.vdevs for m in v.members}
    )
    reasons += [
        tell("{disk} also serves something else, so that it cannot leave", disk=old.design.disk(key).label)
        for key in tied
    ]
    return Refusal(
        tell("With these disks the new pool cannot even begin while the old one holds the data"),
        reasons=tuple(reasons),
        todo=tell(
            "Borrow disks, or take a layout that can begin with fewer: a raidz without its parity disks, a mirror "
            "with one side. Otherwise copy all to a backup, prove that it can be read, make the pool anew, and "
            "restore it."
        ),
    )


def bare(plan: MigrationPlan) -> Refusal:
    """Return why a plan is not allowed that leaves nothing at some moment, while nobody says that a backup exists."""
    return Refusal(
        tell(
            "Every way from {name} to this layout leaves the data for a while without any redundancy",
            name=plan.old.name,
        ),
        reasons=tuple(_bare_words(plan)),
        todo=tell(
            "Make a backup, prove that it can be read, and say that it exists (--backup-exists, in the window a box); "
            "or borrow a disk more until it is done."
        ),
    )


def _bare_words(plan: MigrationPlan) -> Iterator[str]:
    """Yield which steps have nothing left, those in a row together."""
    bare = [number for number, step in enumerate(plan.steps) if step in plan.bare]
    runs = groupby(enumerate(bare), key=lambda each: each[1] - each[0])
    for _, run in runs:
        numbers = [number for _, number in run]
        words = {"number": numbers[0] + 1, "last": numbers[-1] + 1, "title": step_title(plan, plan.steps[numbers[0]])}
        if len(numbers) == 1:
            yield tell("step {number}, “{title}”: the next disk that fails takes the data with it", **words)
        else:
            yield tell(
                "steps {number} to {last}, from “{title}” on: the next disk that fails takes the data with it", **words
            )


# What OpenZFS refuses while the pool lacks the feature, as pools do that were made by an older release.
_FEATURE_OF = {Move.EVACUATE: "device_removal", Move.EXPAND: "raidz_expansion"}


def feature_warnings(old: OldData, steps: Iterable[MigrationStep]) -> Iterator[str]:
    """Yield which feature has to be enabled before the plan begins, and what that costs."""
    needed = {_FEATURE_OF[step.move] for step in steps if step.move in _FEATURE_OF}
    for feature in sorted(needed & old.disabled):
        yield tell(
            "{pool} lacks the feature {feature}, which the plan needs: `zpool set feature@{feature}=enabled {pool}` "
            "first. That is for good: an older OpenZFS, or a boot loader, may not read the pool any more.",
            pool=old.name,
            feature=feature,
        )


def plan_warnings(plan: MigrationPlan) -> Iterator[str]:
    """Yield what a person must know of this plan beside its steps."""
    yield from feature_warnings(plan.old, plan.steps)
    if over_advised(plan):
        yield tell(
            "The new pool begins {percent} % full; more than {plan} % slows it down.",
            percent=round(100 * (plan.needed_bytes or 0) / max(1, plan.first_bytes or 0)),
            plan=PLAN_FILL_PERCENT,
        )
    if any(step.move is Move.ADD and _adds_data(plan, step) for step in plan.steps):
        yield tell(
            "Vdevs that are added at the end begin empty: the data stay on the first ones until they are written anew "
            "(`zfs rewrite` since OpenZFS 2.3.4, or another copy)."
        )
    if plan.old.root_encrypted:
        yield tell(
            "The root dataset is encrypted: a raw stream cannot replace the root of a new pool, so all datasets come "
            "to lie below {new}/{old}. Names and inherited mount points change.",
            new=plan.old.name,
            old=plan.old.name,
        )
    if plan.old.encrypted:
        yield tell("Encrypted data are sent raw and need their keys again afterwards: `zfs load-key -r {pool}`.",
                   pool=plan.old.name)  # fmt: skip
    if plan.bare:
        yield tell("At some steps nothing but your backup protects the data. Prove first that it can be read.")


def over_advised(plan: MigrationPlan) -> bool:
    """Tell whether the data fill the new pool beyond what is advised when they come."""
    if plan.first_bytes is None or plan.needed_bytes is None:
        return False
    return plan.needed_bytes * 100 > plan.first_bytes * PLAN_FILL_PERCENT


def _adds_data(plan: MigrationPlan, step: MigrationStep) -> bool:
    return any(plan.target.vdevs[n].vdev_class is VdevClass.DATA for n in step.vdevs)
