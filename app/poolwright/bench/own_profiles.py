"""The profiles that the user keeps: files in the folder of settings, for window and command line."""

import re
from contextlib import suppress
from pathlib import Path

from poolwright import paths
from poolwright.bench.profiles.own import OwnProfile, is_toml, own_text, read_own
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.domain.shown import first_bad_line, whole_text
from poolwright.store.files import PLAIN_MODE, write_bytes
from poolwright.texts import tell

_MOST_BYTES = 1 << 20
_ENDINGS = (".toml", ".fio")


def profiles_folder() -> Path:
    """Return the folder of the user's own profiles; not created here. Raises as `paths.user_config_folder`."""
    return paths.user_config_folder() / "profiles"


def open_own(path: Path) -> OwnProfile:
    """Return the profile in a file. Raises UserError where it is none, EnvironmentFailure where it cannot be read."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UserError(tell("This is too long for a profile"), where=str(path))
        return read_own(path.read_text(encoding="utf-8"), where=str(path))
    except UnicodeDecodeError as error:
        raise UserError(tell("The file is not UTF-8 text"), where=f"{path}:{first_bad_line(error)}") from None
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
        for path in sorted(path for path in profiles_folder().glob("*") if path.suffix in _ENDINGS):
            with suppress(UserError, EnvironmentFailure):
                found.append(open_own(path))
    return tuple(found)


def keep(profile: OwnProfile, *, over: bool = False) -> Path:
    """Keep a profile under its name and return its file; raises UserError where there is one and not ``over``."""
    path = _paths_of(profile.name)[0]
    _write(path, own_text(profile), only_new=not over)
    return path


def keep_text(text: str, name: str) -> OwnProfile:
    """Keep a profile as it was written, with its remarks, in the place of one of the same name; return it.

    A fio job file does not say its name: it gets ``name``. Raises UserError where the text is no profile.
    """
    text, name = whole_text(text), whole_text(name)
    own = read_own(text, where=f"{name}.fio")
    toml, fio = _paths_of(own.name)
    as_toml = is_toml(text)
    _write(toml if as_toml else fio, text, only_new=False)
    (fio if as_toml else toml).unlink(missing_ok=True)
    return own


def text_of(name: str) -> str:
    """Return the text of a profile that is kept. Raises UserError where there is none."""
    path = next((path for path in _paths_of(name) if path.exists()), None)
    if path is None:
        raise UserError(tell("There is no profile “{name}”", name=name))
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EnvironmentFailure(tell("The profile cannot be read: {reason}", reason=error), where=str(path)) from error


def forget(name: str) -> None:
    """Remove a profile that is kept; nothing happens where there is none."""
    for path in _paths_of(name):
        path.unlink(missing_ok=True)


def _write(path: Path, text: str, *, only_new: bool) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFailure(
            tell("The folder cannot be made: {reason}", reason=error.strerror), where=str(path.parent)
        ) from error
    write_bytes(path, text.encode(), mode=PLAIN_MODE, only_new=only_new)


def _paths_of(name: str) -> tuple[Path, ...]:
    stem = re.sub(r"[^A-Za-z0-9_.-]", "-", name)
    return tuple(profiles_folder() / f"{stem}{ending}" for ending in _ENDINGS)
