"""What is said, wherever they are shown, of disks that stand in a plan and that no tool has seen: one text."""

from collections.abc import Iterable

from poolwright.domain.disk import Disk
from poolwright.texts import marked, tell

_BADGE = marked("plan only: bind before script")
_SHORT = marked("plan only")


def plan_only(disks: Iterable[Disk], *, short: bool = False) -> str:
    """Return the badge where one of these disks is planned; empty where all are real. ``short`` for little room."""
    if not any(disk.planned for disk in disks):
        return ""
    return tell(_SHORT) if short else tell(_BADGE)


def how_to_bind() -> str:
    """Return in a sentence how planned disks become real ones, on the command line and in the window."""
    return tell(
        "Bind the planned disks to real ones first: poolwright bind DESIGN --from CAPTURE -o BOUND, or “Bind disks…” "
        "in the window."
    )
