"""A plan as people read it: what it costs, what stays, and each step with its checks and commands."""

from collections.abc import Iterator

from poolwright.changes.growth.design import exchange_words
from poolwright.changes.migration.values import (
    MigrationAnswer,
    MigrationPlan,
    MigrationStep,
    Move,
    OldData,
    step_title,
    survival_words,
)
from poolwright.domain.action import Ask, Guard, Line
from poolwright.domain.errors import Refusal
from poolwright.domain.estimate import Estimate, OriginKind
from poolwright.domain.units import binary, decimal
from poolwright.domain.vdev import describe
from poolwright.emit.commands import lines as shell_lines
from poolwright.emit.migration.steps import lines_of
from poolwright.emit.names import BY_ID, comment, comment_line, commented
from poolwright.emit.script_tables import Roots, ScriptStep, plan_script
from poolwright.emit.stamp import Stamp
from poolwright.predict.number_words import band_text, hours_text
from poolwright.texts import marked, tell, tell_counted


def migration_text(migration: MigrationAnswer) -> str:
    """Return the whole answer as plain text; disks without a name that can be written stand as ``<disk>``."""
    plan = migration.plan
    lines = [headline(plan), *summary_lines(plan), ""]
    lines += [f"- {text}" for text in (*plan.warnings, *kept_words(plan))]
    for other in migration.others:
        lines += ["", tell("Another way: {headline}", headline=headline(other)), *summary_lines(other)]
    for number, (step, own) in enumerate(zip(plan.steps, lines_of(plan, preview=True), strict=True), 1):
        lines += ["", f"{number}. {step_title(plan, step)}", f"   {step_facts(step)}"]
        lines += [f"   {text}" for text in step_notes(plan, step)]
        lines += [f"     {told}" for told in told_lines(plan, own)]
    return "\n".join(lines) + "\n"


def headline(plan: MigrationPlan) -> str:
    """Return from what to what, how, and how long, in one line."""
    layout = describe(plan.target.layout())
    hours = time_words(plan.hours)
    count = len(plan.steps)
    words = {"old": plan.old.name, "layout": layout, "hours": hours, "count": count}
    if plan.in_place:  # a look at the beginning and the end: there is no plan of one step
        return tell("{old} becomes {layout} as it is: nothing is copied, {count} steps, {hours}", **words)
    return tell("{old} to {layout}: {count} steps, {hours}", **words)


def time_words(hours: Estimate | None) -> str:
    """Return a time with its band; that it is unknown where it is."""
    if hours is None:
        return tell("time unknown")
    return tell("about {band}", band=band_text(hours, hours_text))


def summary_lines(plan: MigrationPlan) -> list[str]:
    """Return the least redundancy, the point of no return, the time without service, and the room."""
    worst = min(plan.steps, key=lambda step: step.survives)
    number = plan.steps.index(worst) + 1
    words = {"number": number, "survival": survival_words(worst)}
    found = [
        tell("At every moment {survival}.", **words)
        if worst.survives
        else tell("At the least moment (from step {number} on) there is {survival}.", **words)
    ]
    if plan.final_step is not None:
        found.append(tell("From step {number} on there is no way back.", number=plan.final_step + 1))
    if any(step.down for step in plan.steps):
        found.append(tell("Nothing can use the data for {hours}.", hours=time_words(plan.down_hours)))
    else:
        found.append(tell("The data stay in use all the time."))
    if plan.first_bytes is not None and plan.needed_bytes is not None:
        found.append(
            tell(
                "The data take {needed}; the new pool begins with {room} ({percent} % full) and ends with {final}.",
                needed=binary(plan.needed_bytes),
                room=binary(plan.first_bytes),
                percent=round(100 * plan.needed_bytes / max(1, plan.first_bytes)),
                final=binary(plan.final_bytes),
            )
        )
    if plan.final_size_bytes is not None and plan.final_bytes is not None:
        sizes = {"size": binary(plan.final_size_bytes), "room": binary(plan.final_bytes)}
        found.append(
            tell(
                "A vdev grows with its last new disk. At the end `zpool list` shows SIZE {size}, `zfs list` USED and "
                "AVAIL of {room} ({decimal}) together.",
                decimal=decimal(plan.final_bytes),
                **sizes,
            )
        )
    if plan.old.used_origin is not None:
        found.append(tell("How much is stored: {origin}.", origin=plan.old.used_origin))
    return found


def kept_words(plan: MigrationPlan) -> Iterator[str]:
    """Yield what stays as it is and what changes."""
    old: OldData = plan.old
    if plan.in_place:
        yield tell("Pool, datasets, mount points and shares stay as they are; what is stored already is not rewritten.")
        if any(step.move is Move.EXPAND for step in plan.steps):
            yield tell("What is stored keeps its old share of parity until it is written anew (`poolwright growth`).")
        return
    yield tell(
        "Datasets, snapshots, clones, volumes and their properties come along, mount points too: the new pool takes "
        "the old name. Blocks stay as they are: recordsize and compression of old data do not change."
    )
    yield tell("What knows the pool by its name finds it again, by its guid not. Holds and bookmarks are not sent.")
    yield tell(
        "Until it is renamed the new pool is not imported by itself after a restart: `zpool import -N {new}`.",
        new=plan.new_name,
    )
    if old.volumes:
        yield tell("Volumes ({count}): what uses them (virtual machines, iSCSI) stops too.", count=old.volumes)
    if any(step.files for step in plan.steps):
        yield tell(
            "A disk that comes later is stood for by a sparse file that is taken offline and deleted at once "
            "(openzfs/zfs#16367)."
        )


def step_facts(step: MigrationStep) -> str:
    """Return time, bytes and redundancy of a step in one line."""
    parts = [
        tell("time unknown: {why}", why=step.why_no_time)
        if step.hours is None
        else tell("commands that answer at once")
        if step.hours.origin.kind is OriginKind.ASSUMED and not step.bytes_moved
        else time_words(step.hours)
    ]
    if step.bytes_moved:
        parts.append(f"{binary(step.bytes_moved)} ({decimal(step.bytes_moved)})")
    parts.append(survival_words(step))
    return "; ".join(parts)


def step_notes(plan: MigrationPlan, step: MigrationStep) -> Iterator[str]:
    """Yield what a person must know while a step lasts."""
    if step.copies > 1:
        yield tell("Old copy: {old} further failures; new copy: {new}.", old=step.old, new=step.new)
    if plan.final_step is not None and step is plan.steps[plan.final_step]:
        yield tell("From here on there is no way back.")
    if step.move is Move.REPLACE:
        first = next(each for each in plan.steps if each.move is Move.REPLACE)
        yield exchange_words(step.survives, first=step is first)
    if step.move is Move.COPY:
        yield tell(
            "If it breaks off: destroy all snapshots and datasets in {new} (not the pool), and {old}@migration-1 with "
            "-r; then take this step again.",
            new=plan.new_name,
            old=plan.old.name,
        )
    if step.move is Move.STOP:
        yield tell("Shares, virtual machines and services stay stopped until the new pool has the old name.")


def told_lines(plan: MigrationPlan, lines: tuple[Line, ...]) -> Iterator[str]:
    """Yield the lines of a step for people: checks and questions in words, commands as they are typed."""
    for line in lines:
        match line:
            case Guard():
                yield tell("check: {what}", what=guard_words(line))
            case Ask():
                yield tell("the script asks to type “{words}”", words=line.words)
            case _:
                yield from (f"$ {text}" for text in shell_lines(line, version=plan.target.version))


_GUARDS = {
    "absent": marked("No pool {a} is there."),
    "pool": marked("{a} is the pool that was read (same guid)."),
    "empty_pool": marked("Nothing was received into {a} yet."),
    "names": marked("The names of {a} fit {b}, and nothing bears those that this move needs."),
    "empty": marked("{a} is that very disk (size, sectors, serial number), empty, and nothing uses it."),
    "freed": marked("{a} is that very disk (size, sectors, serial number), has left {b}, and holds nothing else."),
    "member": marked("{c} is a member of {a}, and lies on that very disk."),
    "same": marked("Every snapshot of {a} is in {b}{d} (same guid), and nothing was written to {a} since @{c}."),
}


def guard_words(guard: Guard) -> str:
    """Return what a check looks at, in a sentence."""
    kind, first, *rest = guard.words
    if kind in _GUARDS:
        words = dict(zip("abcd", (first.removeprefix(BY_ID), *rest), strict=False))
        return tell(_GUARDS[kind], **words)
    if rest == ["0"]:
        return tell("{pool} lacks no member, counts no errors, and nothing runs on it.", pool=first)
    return tell_counted(
        "{pool} lacks the {count} member that is to come and no other, counts no errors, and nothing runs on it.",
        "{pool} lacks the {count} members that are to come and no others, counts no errors, and nothing runs on it.",
        int(rest[0]),
        pool=first,
    )


# The script of a migration: every step with its checks, its question and its commands, taken one at a time.


def migration_script(
    plan: MigrationPlan, *, generated_at: str, program_version: str, roots: Roots | None = None
) -> str:
    """Return the bash script (4.2 or newer) that takes one step of the plan at a time.

    Raises Refusal where a disk has no name that a script can use, UserError for names that cannot be written.
    """
    _check_there(plan)
    steps = zip(plan.steps, lines_of(plan), strict=True)
    return plan_script(
        "migration",
        head=_head(plan, Stamp(generated_at=generated_at, program_version=program_version)),
        pool=plan.old.name,
        disks=map(plan.disk, _disk_keys(plan)),
        steps=(ScriptStep(step_title(plan, step), survival_words(step), lines) for step, lines in steps),
        version=plan.target.version,
        roots=roots,
    )


def _check_there(plan: MigrationPlan) -> None:
    """Raise Refusal where a disk is planned: there is no design that it could be bound in, so that is not advised."""
    planned = tuple(disk for disk in map(plan.disk, _disk_keys(plan)) if disk.planned)
    if planned:
        raise Refusal(
            tell_counted(
                "{count} disk of this move is planned, so no script can name it",
                "{count} disks of this move are planned, so no script can name them",
                len(planned),
            ),
            todo=tell("Once all are in the machine, read it again and plan the move without disks to come."),
        )


def _head(plan: MigrationPlan, stamp: Stamp) -> tuple[str, ...]:
    title = tell("Migration of {old} in {count} steps.", old=comment(plan.old.name), count=len(plan.steps))
    course = tell(
        "Without an option it lists the steps. With --step NUMBER it takes one: it looks whether the machine is as "
        "that step wants it, asks for some words to be typed before anything is taken away or overwritten, runs the "
        "commands of that step in the function “design” and no others, and looks again. It remembers nothing: a step "
        "that cannot come next is refused."
    )
    return (comment_line(title), *commented(stamp.words), "#", *commented(course))


def _disk_keys(plan: MigrationPlan) -> tuple[str, ...]:
    """Return the keys of the disks that the steps name, each once."""
    return tuple(dict.fromkeys(key for step in plan.steps for key in step.disk_keys))
