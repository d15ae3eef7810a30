"""The command that tells the places of the disks of a machine."""

from functools import cache
from pathlib import Path

from poolwright.domain.command import Command


@cache
def looking_script() -> str:
    """Return the text of `look.sh`, which the collector runs as well."""
    return Path(__file__).with_name("look.sh").read_text(encoding="utf-8")


def places_command() -> Command:
    """Return the command; it needs no rights and nothing but a POSIX shell, BusyBox's too."""
    return Command(argv=("sh", "-c", looking_script(), "places"), timeout_seconds=60)
