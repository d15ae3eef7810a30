"""A plan as people read it: what it costs, what stays, and each step with its checks and commands."""

from collections.abc import Iterator

from poolwright.changes.migration.values import MigrationAnswer, MigrationPlan, MigrationStep, Move, OldData
from poolwright.changes.migration.words import step_title, survival_words
from poolwright.domain.estimate import Estimate
from poolwright.domain.origin import OriginKind
from poolwright.domain.units import PLAN_FILL_PERCENT, binary, decimal
from poolwright.domain.vdev import describe
from poolwright.emit.migration.guard_words import guard_words
from poolwright.emit.migration.lines import MoveLine, MoveLineKind
from poolwright.emit.migration.steps import lines_of
from poolwright.predict.number_words import band_text, hours_text
from poolwright.texts import tell, tell_counted


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
        lines += [f"     {told}" for told in told_lines(own)]
    return "\n".join(lines) + "\n"


def headline(plan: MigrationPlan) -> str:
    """Return from what to what, how, and how long, in one line."""
    layout = describe(plan.target.layout())
    hours = time_words(plan.hours)
    count = len(plan.steps)
    words = {"old": plan.old.name, "layout": layout, "hours": hours}
    if plan.in_place:
        return tell_counted(
            "{old} becomes {layout} as it is: nothing is copied, {count} step, {hours}",
            "{old} becomes {layout} as it is: nothing is copied, {count} steps, {hours}",
            count,
            **words,
        )
    return tell_counted(
        "{old} to {layout}: {count} step, {hours}", "{old} to {layout}: {count} steps, {hours}", count, **words
    )


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
                "The data take {needed}; the new pool begins with room for {room} ({percent} % full; {plan} % are "
                "advised) and has {final} at the end.",
                needed=binary(plan.needed_bytes),
                room=binary(plan.first_bytes),
                percent=round(100 * plan.needed_bytes / max(1, plan.first_bytes)),
                plan=PLAN_FILL_PERCENT,
                final=binary(plan.final_bytes),
            )
        )
    if plan.final_size_bytes is not None and plan.final_bytes is not None:
        found.append(
            tell(
                "A vdev grows with its last new disk. At the end `zpool list` shows SIZE {size}, `zfs list` USED and "
                "AVAIL of {room} ({decimal}) together.",
                size=binary(plan.final_size_bytes),
                room=binary(plan.final_bytes),
                decimal=decimal(plan.final_bytes),
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
            yield tell(
                "An expanded raidz keeps its parity, and what is stored keeps its old share of it until it is written "
                "anew: `poolwright growth` tells the sizes."
            )
        return
    if old.filesystem is not None:
        yield tell("Mount points change: what uses {path} must be told where the files are now.", path=old.filesystem)
        return
    yield tell(
        "Datasets, snapshots, clones, volumes and their properties come along, mount points too: the new pool takes "
        "the old name. Blocks stay as they are: recordsize and compression of old data do not change."
    )
    yield tell(
        "Shares, containers and backups that hold on to the pool by its name find it again; what holds on to it by its "
        "guid does not. Holds and bookmarks are not sent."
    )
    yield tell(
        "Until it is renamed the new pool is not imported by itself after a restart: `zpool import -N {new}`.",
        new=plan.new_name,
    )
    if old.volumes:
        yield tell_counted(
            "{count} volume: whatever uses it (a virtual machine, iSCSI) must be stopped too, which an export shows.",
            "{count} volumes: whatever uses them (virtual machines, iSCSI) must be stopped too, which an export shows.",
            old.volumes,
        )
    if any(step.placeholders for step in plan.steps):
        yield tell(
            "A disk that comes later is stood for by a sparse file that is taken offline and deleted at once: the way "
            "that OpenZFS's developers name for a pool that begins with disks missing (openzfs/zfs#16367)."
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
        yield from _exchange_notes(plan, step)
    if step.move is Move.COPY and plan.old.filesystem is None:
        yield tell(
            "If it breaks off: destroy all snapshots and datasets in {new} (not the pool), and {old}@migration-1 with "
            "-r; then take this step again.",
            new=plan.new_name,
            old=plan.old.name,
        )
    if step.move is Move.STOP and plan.old.filesystem is None:
        yield tell("Shares, virtual machines and services stay stopped until the new pool has the old name.")


def _exchange_notes(plan: MigrationPlan, step: MigrationStep) -> Iterator[str]:
    first = next(each for each in plan.steps if each.move is Move.REPLACE)
    if step is not first:
        yield tell("As with the one before: the old disk stays attached until the new one is whole.")
    elif step.survives > 1:
        yield tell(
            "The old disk stays attached until the new one is whole, which takes a free bay or a dock. Without one "
            "take the old disk offline, exchange it, and replace it by the new one: one failure less is survived "
            "meanwhile."
        )
    else:
        yield tell(
            "The old disk stays attached until the new one is whole, which takes a free bay or a dock. Do not pull it "
            "first: nothing would protect the data meanwhile."
        )


def told_lines(lines: tuple[MoveLine, ...]) -> Iterator[str]:
    """Yield the lines of a step for people: checks and questions in words, commands as they are typed."""
    for line in lines:
        if line.kind is MoveLineKind.GUARD:
            yield tell("check: {what}", what=guard_words(line))
        elif line.kind is MoveLineKind.ASK:
            yield tell("the script asks to type “{words}”", words=line.words[0])
        else:
            yield f"$ {line.text}"
