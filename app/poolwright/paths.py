"""Where the program's own data and the user's files lie."""

import sys
from pathlib import Path


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
    """Return the folder of the user's library; not created here."""
    import platformdirs  # noqa: PLC0415 - the command line starts faster without it

    return Path(platformdirs.user_data_dir("poolwright", appauthor=False))


def user_config_folder() -> Path:
    """Return the folder of the user's own rules and settings; not created here."""
    import platformdirs  # noqa: PLC0415

    return Path(platformdirs.user_config_dir("poolwright", appauthor=False))
