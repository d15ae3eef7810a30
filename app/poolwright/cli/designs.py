"""Evaluates the designs of commands that take them, as the window does."""

from datetime import UTC, date, datetime

from poolwright import __version__
from poolwright.design.evaluate import Evaluation, evaluate, unassigned_of
from poolwright.domain.design import Design
from poolwright.drive_library import load_drive_book
from poolwright.rule_library import load_shipped
from poolwright.rules.model import RuleBook
from poolwright.texts import tell


def today() -> date:
    return datetime.now().astimezone().date()


def made_words() -> str:
    """Return program, version and time, for the foot of a report."""
    now = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    return tell(
        "Poolwright {version}, {now}. Predictions are models with an error; the band says how large.",
        version=__version__,
        now=now,
    )


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
