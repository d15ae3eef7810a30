"""A child in a session of its own: begun, and ended with everything that it started."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import IO

from poolwright.domain.command import Command, Completed, Ending

Child = subprocess.Popen[bytes]
_left_behind: list[Child] = []  # what the kernel held when it was to end; collected once it is let go


def begin(command: Command, stderr: int | IO[bytes] = subprocess.PIPE) -> Child | Completed:
    """Start the program with locale C and without a terminal; where there is none to start, return that ending."""
    _left_behind[:] = [child for child in _left_behind if child.poll() is None]
    try:
        return subprocess.Popen(
            command.argv,
            stdin=subprocess.PIPE if command.stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
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
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()


def leave_behind(child: Child) -> None:
    """Forget a child that was killed, also one that is held in the kernel by a dead disk and does not even die."""
    if child.poll() is None:
        _left_behind.append(child)


# The environment child processes get.

_SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin")
# What PyInstaller's boot loader changes for itself and saves under NAME_ORIG.
_LOADER_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH")
_FOREIGN = ("PYTHONPATH", "PYTHONHOME", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "LANGUAGE")


def child_environment(own: Mapping[str, str] | None = None, extra: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
    """Return the environment for a child: locale C, the system's own libraries, sbin in the search path.

    ``own`` is our environment (default: the process's). ``extra`` wins over everything. Administration tools live
    in sbin, which an ordinary user's PATH leaves out on Debian.
    """
    environment = dict(os.environ if own is None else own)
    for name in _LOADER_VARIABLES:
        saved = environment.pop(f"{name}_ORIG", None)
        if saved is not None:
            environment[name] = saved
    for name in [n for n in environment if n.startswith("LC_") or n in _FOREIGN]:
        del environment[name]
    environment["LC_ALL"] = "C"
    environment["LANG"] = "C"
    # A relative one would run what lies in the folder that somebody works in.
    folders = [f for f in environment.get("PATH", "").split(os.pathsep) if f.startswith("/")]
    environment["PATH"] = os.pathsep.join([*folders, *(f for f in _SBIN if f not in folders)])
    environment.update(extra)
    return environment


def own_program(word: str) -> tuple[str, ...]:
    """Return the words that start this program again, also as PyInstaller packs it, for what ``word`` says.

    Without -P the folder that somebody works in comes first in the search path: a ``poolwright`` that lies there
    would be run, with the password that is asked for. Not -I: it hides what ``pip install --user`` installed.
    """
    return (sys.executable, *(() if getattr(sys, "frozen", False) else ("-P", "-m", "poolwright")), word)
