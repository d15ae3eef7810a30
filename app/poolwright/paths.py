"""Where the program's own data and the user's files lie."""

import sys
from pathlib import Path

from poolwright.domain.errors import EnvironmentFailure
from poolwright.texts import tell


def _data_root() -> Path:
    frozen = getattr(sys, "_MEIPASS", None)
    if frozen:
        return Path(frozen) / "poolwright" / "_data"
    installed = Path(__file__).with_name("_data")
    return installed if installed.is_dir() else Path(__file__).parents[2]


def rules_folder() -> Path:
    """Return the folder of the rules and tables that ship with the program."""
    return _data_root() / "rules"


def resources_folder() -> Path:
    """Return the folder of icons, styles, translations and example machines."""
    return _data_root() / "resources"


def user_data_folder() -> Path:
    """Return the folder of the user's library; not created here. EnvironmentFailure for a user without a home."""
    import platformdirs  # noqa: PLC0415 - the command line starts faster without it

    try:
        return Path(platformdirs.user_data_dir("poolwright", appauthor=False))
    except RuntimeError as error:
        raise _homeless("XDG_DATA_HOME") from error


def user_config_folder() -> Path:
    """Return the folder of the user's own rules and settings; not created here. Raises as `user_data_folder`."""
    import platformdirs  # noqa: PLC0415

    try:
        return Path(platformdirs.user_config_dir("poolwright", appauthor=False))
    except RuntimeError as error:
        raise _homeless("XDG_CONFIG_HOME") from error


def home() -> Path | None:
    """Return the user's home folder; None for a user without a passwd entry and without HOME."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def _homeless(variable: str) -> EnvironmentFailure:
    return EnvironmentFailure(
        tell("This user has no home folder that the system knows"),
        todo=tell("Set HOME, or {variable}, to a folder.", variable=variable),
    )
