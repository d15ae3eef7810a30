"""The commands behind a column of a comparison, as lines that can be compared."""

from collections.abc import Generator

from poolwright.design.compare import DiffLine, lines_diff_in_steps
from poolwright.design.compared import ComparedDesign
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.steps import at_once
from poolwright.emit.actions import plan_actions
from poolwright.emit.commands import ScriptCommand, commands
from poolwright.emit.md_raid import md_commands
from poolwright.emit.names import comment_line
from poolwright.texts import tell


def design_commands(design: Design) -> tuple[ScriptCommand, ...]:
    """Return the commands that make partitions and pools of ``design``, with placeholders for disks without a name.

    Raises Refusal with the reasons where a pool cannot be made.
    """
    return commands(plan_actions(design, placeholders=True))


def column_commands(column: ComparedDesign) -> tuple[str, ...]:
    """Return the lines of all commands of a column; a comment with the reason where there are none."""
    try:
        if column.raid is not None:
            found = md_commands(column.raid)
        elif column.evaluation is not None:
            found = design_commands(column.evaluation.design)
        else:
            found = ()
    except PoolwrightError as error:
        reasons = getattr(error, "reasons", ()) or (error.what,)
        return tuple(comment_line(reason) for reason in (tell("There are no commands:"), *reasons))
    return tuple(line for command in found for line in command.text.splitlines())


def commands_diff(first: ComparedDesign, second: ComparedDesign) -> tuple[DiffLine, ...]:
    """Return the difference of the commands of two columns."""
    return at_once(commands_diff_in_steps(first, second))


def commands_diff_in_steps(
    first: ComparedDesign, second: ComparedDesign
) -> Generator[None, None, tuple[DiffLine, ...]]:
    """Do the same as `commands_diff`, yielding every few milliseconds where there are thousands of disks."""
    lines = column_commands(first)
    yield
    others = column_commands(second)
    yield
    return (yield from lines_diff_in_steps(lines, others))
