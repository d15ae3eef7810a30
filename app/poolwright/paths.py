"""Where the program's own data and the user's files lie."""

import sys
from functools import cache
from pathlib import Path
from typing import Literal

from poolwright.domain.errors import EnvironmentFailure
from poolwright.texts import _

LIBRARY_NAME = "library.sqlite"


@cache
def _data_root() -> Path:
    frozen = getattr(sys, "_MEIPASS", None)
    if frozen:
        return Path(frozen) / "poolwright" / "_data"
    installed = Path(__file__).with_name("_data")
    return installed if installed.is_dir() else Path(__file__).parents[2]


def rules_folder() -> Path:
    return _data_root() / "rules"


def resources_folder() -> Path:
    """Return the folder of icons, styles, translations and example machines."""
    return _data_root() / "resources"


def shipped_text(path: Path) -> str:
    """Return the text of a file that ships with the program; EnvironmentFailure where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EnvironmentFailure(
            _("The file cannot be read: {why}", why=getattr(error, "strerror", error)),
            where=str(path),
            todo=_("Install Poolwright again."),
        ) from error


def library_file() -> Path:
    """Return the file of the user's library; not created here. Raises as `user_folder`."""
    return user_folder("data") / LIBRARY_NAME


def home() -> Path | None:
    """Return the user's home folder; None for a user without a passwd entry and without HOME."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def user_folder(what: Literal["data", "config"]) -> Path:
    """Return the folder of the user's library (data), or of their own rules and settings (config); not created here.

    Raises EnvironmentFailure for a user without a home.
    """
    import platformdirs  # noqa: PLC0415 - 20 of the 70 ms of `capacity`, which needs none

    folders = platformdirs.PlatformDirs("poolwright", appauthor=False)
    try:
        return Path(folders.user_data_dir if what == "data" else folders.user_config_dir)
    except RuntimeError as error:
        raise EnvironmentFailure(
            _("This user has no home folder that the system knows"),
            todo=_("Set HOME, or {variable}, to a folder.", variable=f"XDG_{what.upper()}_HOME"),
        ) from error
