"""A child in a session of its own: begun, and ended with everything that it started."""

import errno
import os
import signal
import subprocess
from contextlib import suppress

from poolwright.domain.command import Command, Completed, Ending
from poolwright.process.environment import child_environment

Child = subprocess.Popen[bytes]
_left_behind: list[Child] = []  # what the kernel held when it was to end; collected once it is let go


def begin(command: Command) -> Child | Completed:
    """Start the program with locale C and without a terminal; where there is none to start, return that ending."""
    _left_behind[:] = [child for child in _left_behind if child.poll() is None]
    try:
        return subprocess.Popen(
            command.argv,
            stdin=subprocess.PIPE if command.stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(extra=command.environment),
            start_new_session=True,
            bufsize=0,
        )
    except (FileNotFoundError, NotADirectoryError):
        return Completed(command=command, ending=Ending.NOT_FOUND)
    except OSError as error:
        if error.errno in {errno.EACCES, errno.EPERM, errno.ENOEXEC}:
            return Completed(command=command, ending=Ending.NOT_PERMITTED, stderr=str(error).encode())
        raise


def signal_session(child: Child, number: signal.Signals) -> None:
    """Send a signal to everything the child started: the session's group is its process id."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def close_streams(child: Child) -> None:
    """Let go of the pipes to and from the child."""
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()


def leave_behind(child: Child) -> None:
    """Forget a child that was killed, also one that is held in the kernel by a dead disk and does not even die."""
    if child.poll() is None:
        _left_behind.append(child)
