"""Times of a run in words."""

from poolwright.texts import tell


def time_words(seconds: float) -> str:
    """Return a time as people say it: seconds below two minutes, minutes below two hours, hours above."""
    if seconds < 120:
        return tell("{seconds:.0f} s", seconds=seconds)
    if seconds < 7200:
        return tell("{minutes:.0f} min", minutes=seconds / 60)
    return tell("{hours:.0f} h", hours=seconds / 3600)
