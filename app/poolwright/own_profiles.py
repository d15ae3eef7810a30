"""The profiles that the user keeps: files in the folder of settings, for window and command line."""

import re
from contextlib import suppress
from pathlib import Path

from poolwright import paths
from poolwright.bench.profiles.own import OwnProfile, own_text, read_own
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.store.files import PLAIN_MODE, write_bytes
from poolwright.texts import tell

_MOST_BYTES = 1 << 20


def profiles_folder() -> Path:
    """Return the folder of the user's own profiles; not created here. Raises as `paths.user_config_folder`."""
    return paths.user_config_folder() / "profiles"


def open_own(path: Path) -> OwnProfile:
    """Return the profile in a file. Raises UserError where it is none, EnvironmentFailure where it cannot be read."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UserError(tell("This is too long for a profile"), where=str(path))
        return read_own(path.read_text(encoding="utf-8"), where=str(path))
    except UnicodeDecodeError:
        raise UserError(tell("It is not UTF-8 text"), where=str(path)) from None
    except FileNotFoundError:
        raise UserError(tell("There is no such file"), where=str(path)) from None
    except OSError as error:
        raise EnvironmentFailure(
            tell("The profile cannot be read: {reason}", reason=error.strerror), where=str(path)
        ) from error


def kept_profiles() -> tuple[OwnProfile, ...]:
    """Return the user's profiles by name; one that cannot be read any more is left out."""
    found = []
    with suppress(EnvironmentFailure):
        for path in sorted(profiles_folder().glob("*.toml")):
            with suppress(UserError, EnvironmentFailure):
                found.append(open_own(path))
    return tuple(found)


def keep(profile: OwnProfile, *, over: bool = False) -> Path:
    """Keep a profile under its name and return its file; raises UserError where there is one and not ``over``."""
    path = _path_of(profile.name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFailure(
            tell("The folder cannot be made: {reason}", reason=error.strerror), where=str(path.parent)
        ) from error
    write_bytes(path, own_text(profile).encode(), mode=PLAIN_MODE, only_new=not over)
    return path


def forget(name: str) -> None:
    """Remove a profile that is kept; nothing happens where there is none."""
    _path_of(name).unlink(missing_ok=True)


def _path_of(name: str) -> Path:
    return profiles_folder() / (re.sub(r"[^A-Za-z0-9_.-]", "-", name) + ".toml")
