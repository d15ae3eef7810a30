"""Asking for a password at the terminal, for OpenSSH and sudo: `poolwright --askpass terminal TTY QUESTION`.

The child that asks has a session of its own, so the terminal is named; several that ask at once wait for each other.
"""

import fcntl
import os
import sys
import termios
from contextlib import suppress

from poolwright.domain.shown import shown_lines
from poolwright.process.ssh.arriving import own_program
from poolwright.process.ssh.failures import TERMINAL, Asker
from poolwright.process.ssh.visiting import is_confirmation

_MOST_BYTES = 1024


def terminal_asker() -> Asker | None:
    for stream in (sys.stdin, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            if stream.isatty():
                return Asker(argv=(*own_program(), TERMINAL, os.ttyname(stream.fileno())))
    return None


def ask_at_terminal(terminal: str, question: str) -> int:
    """Ask, without showing what is typed; print the answer. Status 1 where nobody can be asked."""
    if is_confirmation(question):
        return 1  # a host key is never accepted here
    try:
        device = os.open(terminal, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return 1
    try:
        fcntl.flock(device, fcntl.LOCK_EX)
        answer = _typed(device, question)
    except (OSError, termios.error):
        return 1
    finally:
        os.close(device)
    sys.stdout.buffer.write(answer + b"\n")
    sys.stdout.flush()
    return 0


def _typed(device: int, question: str) -> bytes:
    before = termios.tcgetattr(device)
    quiet = termios.tcgetattr(device)
    quiet[3] &= ~termios.ECHO
    try:
        termios.tcsetattr(device, termios.TCSAFLUSH, quiet)
        os.write(device, (shown_lines(question).rstrip() + " ").encode("utf-8", "replace"))
        line = os.read(device, _MOST_BYTES)
    finally:
        termios.tcsetattr(device, termios.TCSAFLUSH, before)
        os.write(device, b"\r\n")
    return line.rstrip(b"\r\n")
