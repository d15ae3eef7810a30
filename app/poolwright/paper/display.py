"""Whether a window can be opened here, found out before Qt is asked: Qt ends the program when it cannot.

This module imports no Qt.
"""

import builtins
import ctypes
import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from poolwright.domain.errors import EnvironmentFailure
from poolwright.shipped import shipped
from poolwright.texts import _

_PLUGINS = {"xcb": "libqxcb.so", "wayland": "libqwayland.so"}


def no_display(environment: Mapping[str, str] | None = None) -> str | None:
    """Return why there is no display to open a window on, for people; None when there is one."""
    environment = os.environ if environment is None else environment
    if sys.platform in {"win32", "darwin"}:
        return None
    wanted = _wanted_platforms(environment)
    if any(platform not in _PLUGINS for platform in wanted):
        return None  # offscreen, vnc, eglfs and the like need none
    problems = [_reach(platform, environment) for platform in wanted]
    if not problems:
        return _("There is no display here: neither DISPLAY nor WAYLAND_DISPLAY is set")
    return None if None in problems else "; ".join(p for p in problems if p)


def check_libraries(environment: Mapping[str, str] | None = None) -> None:
    """Raise EnvironmentFailure, naming the packages, where Qt would end the program for want of a library."""
    environment = os.environ if environment is None else environment
    if sys.platform in {"win32", "darwin"}:
        return
    plugins = [_PLUGINS[p] for p in _wanted_platforms(environment) if p in _PLUGINS]
    folder = _qt_folder() / "plugins" / "platforms"
    paths = [folder / name for name in plugins if (folder / name).exists()]
    try:
        import PySide6.QtGui  # noqa: F401 - a missing libEGL shows here
    except ImportError as error:
        raise _missing(str(error)) from None
    complaints = [complaint for path in paths if (complaint := _load(str(path)))]
    if paths and len(complaints) == len(paths):
        raise _missing(complaints[-1])


def import_plainly() -> None:
    """Take PySide's hook out of ``import``, once it is imported.

    For its ``__feature__``, which nothing here uses, the hook reads the source of every module that is imported after
    it, and keeps it: an eighth of the time to the first page, and 7 MiB.
    """
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


def _wanted_platforms(environment: Mapping[str, str]) -> list[str]:
    explicit = [p.partition(":")[0] for p in environment.get("QT_QPA_PLATFORM", "").split(";") if p]
    if explicit:
        return ["wayland" if p.startswith("wayland") else p for p in explicit]
    pairs = (("WAYLAND_DISPLAY", "wayland"), ("DISPLAY", "xcb"))
    return [platform for variable, platform in pairs if environment.get(variable)]


def _reach(platform: str, environment: Mapping[str, str]) -> str | None:
    """Return why the display server does not answer; None when it does or when only Qt can tell."""
    if platform == "wayland":
        name = environment.get("WAYLAND_DISPLAY", "wayland-0")
        socket = Path(environment.get("XDG_RUNTIME_DIR", "/run")) / name
        return None if socket.exists() else _("There is no Wayland display at {socket}", socket=socket)
    display = environment.get("DISPLAY", "")
    if not display:
        return _("There is no display here: DISPLAY is not set")
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return None  # the check of the libraries says it better
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(display.encode(), None)
    failed = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return _("The display {display} does not answer", display=display) if failed else None


def _qt_folder() -> Path:
    spec = find_spec("PySide6")
    if spec is None or spec.origin is None:
        raise EnvironmentFailure(_("PySide6 is not installed"), todo=_("Run make setup."))
    return Path(spec.origin).parent / "Qt"


def _load(library: str) -> str:
    """Return why a library cannot be loaded; empty when it can."""
    try:
        ctypes.CDLL(library)
    except OSError as error:
        return str(error)
    return ""


def _missing(complaint: str) -> EnvironmentFailure:
    packages = sorted({package for library, package in shipped("qt_libraries").items() if _load(library)})
    if not packages:
        return EnvironmentFailure(_("Qt cannot open a window: {complaint}", complaint=complaint))
    return EnvironmentFailure(
        _("Qt needs system libraries that are not installed: {packages}", packages=", ".join(packages)),
        where=complaint,
        todo=_("Install them, on Debian and Ubuntu with: apt-get install -y {packages}", packages=" ".join(packages)),
    )
