"""What is said of migration plans: why none may be followed, and what a person must know of the one that may."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from poolwright.changes.migration.values import NO_REDUNDANCY, MigrationPlan, MigrationStep, Move, OldData, step_title
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal
from poolwright.domain.units import PLAN_FILL_PERCENT, binary, drive_size
from poolwright.domain.vdev import VdevClass
from poolwright.texts import _, ngettext


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
