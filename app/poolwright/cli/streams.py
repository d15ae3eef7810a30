"""Standard input and output as they come: closed, full, gone, or of another encoding."""

import contextlib
import io
import os
import sys
from typing import IO

from poolwright.domain.errors import EnvironmentFailure
from poolwright.domain.shown import shown_lines
from poolwright.texts import tell


def prepare_streams(*, as_json: bool) -> None:
    """Make the three streams fit to be used; raises EnvironmentFailure where standard output is closed.

    JSON is UTF-8 whatever the locale. What an encoding cannot express is written as an escape, which is JSON's own
    where UTF-8 fails: a lone half of a surrogate pair, as it comes from arguments that are not text.
    """
    if sys.stdin is None:
        sys.stdin = _nothing("r")
    if sys.stderr is None:
        sys.stderr = _nothing("w")
    if sys.stdout is None:
        sys.stdout = _nothing("w")
        raise EnvironmentFailure(tell("Standard output is closed"), todo=tell("Send it to a file or a terminal."))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if stream is sys.stdin else "backslashreplace")
    if as_json and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def _nothing(mode: str) -> IO[str]:
    return open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123 - lives as long as the process


def flush_output() -> None:
    """Write out what is buffered; raises OSError where standard output does not take it."""
    sys.stdout.flush()


def abandon_output() -> None:
    """Give up standard output, so that the flush at the end of the process does not fail again."""
    _abandon(sys.stdout)


def say(text: str) -> None:
    """Write a line for people on standard error, if anybody listens."""
    try:
        sys.stderr.write(shown_lines(text) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        _abandon(sys.stderr)


def _abandon(stream: IO[str]) -> None:
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
