"""A guard against a fault of PySide6 6.12 on Python before 3.12.

Its wheels are built against headers in which None, True and False are immortal, so each call that returns one of them
drops a reference that Python 3.10 and 3.11 still count. After a few hundred signals the interpreter would abort with
"bool_dealloc". Python 3.12 and later make these objects immortal themselves; here we do the same.
"""

import ctypes
import sys

_NEVER_REACHED = 1 << 40  # more references than a program can drop


def keep_singletons() -> None:
    """Give the singletons so many references that none can be freed; does nothing where Python does it itself."""
    if sys.version_info >= (3, 12) or sys.implementation.name != "cpython":
        return
    for singleton in (None, True, False, NotImplemented, ...):
        count = ctypes.c_ssize_t.from_address(id(singleton))  # ob_refcnt is the first field of every object
        if count.value < _NEVER_REACHED >> 1:
            count.value += _NEVER_REACHED
