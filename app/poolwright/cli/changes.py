"""What would change the first choice, as lines and as a JSON object."""

from poolwright.cli.output import print_line
from poolwright.design.changes import Change
from poolwright.domain import units
from poolwright.texts import tell


def changes_document(found: tuple[Change, ...]) -> list[dict[str, object]]:
    """Return each change with the first choice that it leads to; None where nothing nearer than looked for does."""
    return [
        {
            "input": change.input.value,
            "said": change.said,
            "description": None if change.choice is None else change.choice.words,
            "usable_bytes": None if change.choice is None else change.choice.usable_bytes,
            "failures_survived": None if change.choice is None else change.choice.failures_survived,
        }
        for change in found
    ]


def print_changes(found: tuple[Change, ...]) -> None:
    print_line()
    print_line(tell("What would change the first choice:"))
    for change in found:
        print_line(f"  {change_words(change)}")
    if not found:
        print_line("  " + tell("none of the changes that were tried: disks, space, failures, clients, price"))


def change_words(change: Change) -> str:
    """Return a change and where it leads in a line."""
    if change.choice is None:
        return change.said
    return f"{change.said}: {change.choice.words}, {units.binary(change.choice.usable_bytes)}"
