"""The steps of a migration in words: a title for each, and what holds while it lasts."""

from poolwright.changes.migration.values import MigrationPlan, MigrationStep, Move
from poolwright.domain.vdev import describe
from poolwright.texts import first_of, marked, tell, tell_counted

_FEW = 2


# Of a pool that is copied, of files that are, and of a pool that stays: the first table that has the step tells it.
_TITLES = {
    Move.LOOK: marked("Scrub {old}: whatever cannot be read must be known now"),
    Move.REMOVE: marked("Take {disks} out of {old}: no data lie there"),
    Move.EVACUATE: marked("Let {old} move the data of one vdev onto the others, which frees {disks}"),
    Move.DETACH: marked("Detach {disks} from its mirror in {old}"),
    Move.OFFLINE: marked("Take {disks} offline in {old}: it is missing there from now on"),
    Move.COPY: marked("Copy everything to {new} while {old} stays in use"),
    Move.STOP: marked("Stop all that uses {old}, and import it unmounted"),
    Move.COPY_REST: marked("Copy what was written meanwhile, and compare the two pools"),
    Move.VERIFY: marked("Scrub {new}: what was copied must read back"),
    Move.DESTROY: marked("Give up {old}, whose disks the new pool needs"),
    Move.RENAME: marked("Give {new} the name {old}, and use it from now on"),
    Move.ATTACH: marked("Attach {disks} as a further side, and wait for the resilver"),
    Move.EXPAND: marked("Make the raidz wider by {disks}, and wait for the expansion"),
    Move.FINISH: marked("Scrub once more, and clear away snapshots and placeholders"),
}
_OF_FILES = {
    Move.LOOK: marked("Look whether {old} can be read"),
    Move.STOP: marked("Stop all that uses {old}, and mount it read-only"),
    Move.COPY_REST: marked("Copy what was written meanwhile"),
    Move.VERIFY: marked("Compare all files of {old} and {new}, and scrub {new}"),
    Move.RENAME: marked("Use {new} from now on"),
}
_IN_PLACE = {Move.FINISH: marked("Scrub once more")}
_AT_THE_END = marked("When everybody is content: give up what {old} was")


def step_title(plan: MigrationPlan, step: MigrationStep) -> str:
    disks = first_of([plan.disk(key).label for key in step.disk_keys], _FEW)
    match step.move:
        case Move.CREATE:
            return _created(plan, step)
        case Move.FILL:
            return tell_counted(
                "Put {disks} into the new pool, and wait for the resilver",
                "Put {disks} into the new pool, and wait for the resilver of all of them",
                len(step.disk_keys),
                disks=disks,
            )
        case Move.ADD:
            layout = describe(tuple(plan.target.spec(plan.target.vdevs[n]) for n in step.vdevs))
            return tell("Add {layout}", layout=layout)
    if step.move is Move.REPLACE:
        old, new = (plan.disk(key).label for key in step.disk_keys)
        return tell("Let {new} take the place of {old}, and wait for the resilver", old=old, new=new)
    own = _IN_PLACE if plan.in_place else _OF_FILES if plan.old.filesystem is not None else {}
    at_the_end = step.move is Move.DESTROY and step is plan.steps[-1]
    text = _AT_THE_END if at_the_end else own.get(step.move, _TITLES[step.move])
    return tell(text, old=plan.old.name, new=plan.new_name, disks=disks)


def _created(plan: MigrationPlan, step: MigrationStep) -> str:
    design = plan.target
    layout = describe(tuple(design.spec(design.vdevs[n]) for n in step.vdevs))
    missing = sum(len(design.vdevs[n].members) for n in step.vdevs) - len(step.places)
    if not missing:
        return tell("Create {new}: {layout}", new=plan.new_name, layout=layout)
    return tell_counted(
        "Create {new}: {layout}, of which {count} disk is missing",
        "Create {new}: {layout}, of which {count} disks are missing",
        missing,
        new=plan.new_name,
        layout=layout,
    )


def survival_words(step: MigrationStep) -> str:
    """Return what the data survive while a step lasts."""
    if step.survives < 1:
        return tell("no redundancy: the next disk that fails takes the data with it")
    told = tell_counted("any {count} disk may fail", "any {count} disks may fail", step.survives)
    if step.copies > 1:
        return tell("{told}, with two copies", told=told)
    return told
