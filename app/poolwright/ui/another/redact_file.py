"""A capture written again without serial numbers and names; done by a process of its own, so it knows no window."""

from pathlib import Path

from poolwright.domain.errors import UserError
from poolwright.machine.redacting import redacted
from poolwright.store.capture_files import text_of
from poolwright.store.files import write_text
from poolwright.texts import tell


def redact_file(source: Path, target: Path) -> Path:
    """Write what ``source`` tells to ``target``, redacted; return the target. Raises UserError, EnvironmentFailure."""
    if source.resolve() == target.resolve():
        raise UserError(
            tell("The capture would be written over"), where=str(target), todo=tell("Save it under another name.")
        )
    write_text(target, redacted(text_of(source)))
    return target
