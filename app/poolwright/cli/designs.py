"""Reads design files for commands that take them, and evaluates them as the window does."""

import sys
from datetime import UTC, date, datetime
from pathlib import Path

from poolwright import __version__
from poolwright.advise.evaluate import Evaluation, evaluate, unassigned_of
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.drive_library import load_drive_book
from poolwright.rule_library import load_shipped
from poolwright.rules.model import RuleBook
from poolwright.store.design_file import from_json

LARGEST_FILE_BYTES = 16 << 20


def read_design(name: str) -> Design:
    """Return the design in a file, or on standard input for “-”; raises UserError with what is wrong."""
    return from_json(_text(name), where="standard input" if name == "-" else name)


def today() -> date:
    """Return the date of today where the user is."""
    return datetime.now().astimezone().date()


def made_words() -> str:
    """Return program, version and time, for the foot of a report."""
    now = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"Poolwright {__version__}, {now}. Predictions are models with an error; the band says how large."


def evaluated(design: Design, *, rules: RuleBook | None = None) -> Evaluation:
    """Return everything known of a design, judged by the shipped rules and the user's own.

    Disks that may be used and have no place count as left over.
    """
    free = [disk.key for disk in design.disks if not disk.refusals()]
    return evaluate(
        design,
        drives=load_drive_book(),
        today=today(),
        rules=load_shipped() if rules is None else rules,
        unassigned_disks=unassigned_of(design, free),
    )


def _text(name: str) -> str:
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(LARGEST_FILE_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise UserError(f"Cannot read the design: {error.strerror}", where=name, todo="Check the path.") from None
    if len(raw) > LARGEST_FILE_BYTES:
        raise UserError(f"The file is larger than {LARGEST_FILE_BYTES >> 20} MiB: not a design", where=name)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise UserError("The file is not UTF-8 text: not a design", where=name) from None
