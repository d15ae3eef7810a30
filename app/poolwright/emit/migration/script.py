"""The script of a migration: every step with its checks, its question and its commands, taken one at a time."""

from collections.abc import Iterator

from poolwright.changes.migration.values import MigrationPlan
from poolwright.changes.migration.words import step_title, survival_words
from poolwright.domain.errors import Refusal
from poolwright.emit.migration.lines import MoveLine, MoveLineKind
from poolwright.emit.migration.steps import lines_of
from poolwright.emit.names import comment, comment_line, commented, quote
from poolwright.emit.script_tables import Roots, assemble, disk_line, root_constants
from poolwright.emit.stamp import Stamp
from poolwright.texts import tell, tell_counted


def migration_script(
    plan: MigrationPlan, *, generated_at: str, program_version: str, roots: Roots | None = None
) -> str:
    """Return the bash script (4.2 or newer) that takes one step of the plan at a time.

    Raises Refusal where a disk has no name that a script can use, UserError for names that cannot be written.
    """
    _check_there(plan)
    steps = lines_of(plan)
    return assemble(
        "migration",
        head=_head(plan, Stamp(generated_at=generated_at, program_version=program_version)),
        constants=root_constants(roots or Roots()),
        design=tuple(_design_lines(plan, steps)),
    )


def _check_there(plan: MigrationPlan) -> None:
    """Raise Refusal where a disk is planned: there is no design that it could be bound in, so that is not advised."""
    planned = tuple(disk for disk in map(plan.disk, disk_keys(plan)) if disk.planned)
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


def _design_lines(plan: MigrationPlan, steps: tuple[tuple[MoveLine, ...], ...]) -> Iterator[str]:
    yield f"pool_names=({quote(plan.old.name if plan.old.filesystem is None else plan.new_name)})"
    yield comment_line(tell("The disks: name, bytes, bytes of a logical sector, serial number"))
    for key in disk_keys(plan):
        yield disk_line(plan.disk(key))
    for step, lines in zip(plan.steps, steps, strict=True):
        yield ""
        yield f"step {quote(step_title(plan, step))} {quote(survival_words(step))}"
        for line in lines:
            yield _written(line)


def disk_keys(plan: MigrationPlan) -> tuple[str, ...]:
    """Return the keys of the disks that the steps name, each once."""
    found = dict.fromkeys(key for step in plan.steps for key in step.disk_keys)
    if plan.old.filesystem is not None:
        found |= dict.fromkeys(plan.old.vdevs[0].keys)
    return tuple(found)


def _written(line: MoveLine) -> str:
    words = (*line.words, *line.into)
    front = f"pipe {len(line.words)}" if line.kind is MoveLineKind.PIPE else line.kind.value
    return f"{front} {' '.join(quote(word) for word in words)}"
