"""`--host`: machines that are read over SSH, several side by side, and the question for a password at the terminal.

OpenSSH and sudo ask by `poolwright --askpass terminal TTY QUESTION`: the child that asks has a session of its own, so
the terminal is named; several that ask at once wait for each other.
"""

import fcntl
import os
import sys
import termios
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.host import Inventory
from poolwright.domain.shown import shown_lines
from poolwright.process.blocking import drive
from poolwright.process.on_host import SshHost
from poolwright.process.piped import own_program
from poolwright.process.ssh import ASKPASS, TERMINAL, Asker, is_confirmation, read_host
from poolwright.texts import _

_MOST_BYTES = 1024
MOST_HOSTS_AT_ONCE = 16


def read_over_ssh(names: Sequence[str]) -> Inventory:
    if len(names) != 1:
        raise UserError(
            _("One machine is asked about, and several are named"),
            where="--host",
            todo=_("Name one; inventory takes several."),
        )
    return drive(read_host(SshHost(name=names[0]), terminal_asker()))


def read_side_by_side(names: Sequence[str]) -> tuple[Inventory | PoolwrightError, ...]:
    """Return what became of each host, in their order; one that fails or hangs does not hold up the others."""
    if len(set(names)) != len(names):
        raise UserError(_("A host is named twice"), where="--host", todo=_("Name each once."))
    asker = terminal_asker()

    def read(name: str) -> Inventory | PoolwrightError:
        try:
            return drive(read_host(SshHost(name=name), asker))
        except PoolwrightError as error:
            return error

    pool = ThreadPoolExecutor(max_workers=max(1, min(MOST_HOSTS_AT_ONCE, len(names))))
    try:
        return tuple(pool.map(read, names))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def terminal_asker() -> Asker | None:
    for stream in (sys.stdin, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            if stream.isatty():
                return Asker(argv=(*own_program(ASKPASS), TERMINAL, os.ttyname(stream.fileno())))
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
        answer = _read_answer(device, question)
    except (OSError, termios.error):
        return 1
    finally:
        os.close(device)
    sys.stdout.buffer.write(answer + b"\n")
    sys.stdout.flush()
    return 0


def _read_answer(device: int, question: str) -> bytes:
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
