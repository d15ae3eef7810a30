"""The environment child processes get."""

import os
import sys
from collections.abc import Mapping

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


def python_module(name: str, *words: str) -> tuple[str, ...]:
    """Return the words that run a module of this program in a Python of its own.

    Without -P the folder that somebody works in comes first in the search path: a ``poolwright`` that lies there
    would be run, with the password that is asked for. Not -I: it hides what ``pip install --user`` installed.
    """
    return (sys.executable, "-P", "-m", name, *words)
