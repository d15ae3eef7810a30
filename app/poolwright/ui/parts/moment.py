"""A moment as people read it."""

from datetime import datetime


def when(moment: datetime) -> str:
    return moment.astimezone().isoformat(" ", "minutes")[:16]  # several times as fast as strftime
