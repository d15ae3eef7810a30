"""A moment as people read it."""

from datetime import datetime


def when(moment: datetime) -> str:
    """Return a moment in the user's own time."""
    return moment.astimezone().isoformat(" ", "minutes")[:16]  # several times as fast as strftime
