"""Writes files so that a reader sees the old one or the new one, never half of either."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.texts import tell

# Of new files; the user's umask takes its part away, as from every file that a program makes.
PLAIN_MODE = 0o666
# Readable and runnable for everybody: a script holds no secret, and does nothing before root has typed the pool's name.
SCRIPT_MODE = 0o777


def write_bytes(path: Path, content: bytes, *, mode: int = PLAIN_MODE, only_new: bool = False) -> None:
    """Write ``content`` to ``path``, whole or not at all; pipes and devices are written to.

    A file that is there keeps its permissions, its owner and its group; a script is made runnable for who may read it.
    Raises EnvironmentFailure, and UserError for a file that is there where it has to be ``only_new``; then nothing has
    changed.
    """
    part: Path | None = None
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        before = path.stat() if path.exists() else None
        part = path.with_name(f".{path.name[:40]}.{uuid4().hex}")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if before else mode)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if before is not None:
                _keep(file.fileno(), before, runnable=mode == SCRIPT_MODE)
            os.fsync(file.fileno())
        _put(part, path, only_new=only_new)
    except OSError as error:
        if part is not None:
            part.unlink(missing_ok=True)
        raise EnvironmentFailure(
            tell("The file cannot be written: {strerror}", strerror=error.strerror or error),
            where=str(path),
            todo=tell("Choose another file or folder, or make room there."),
        ) from error


def _keep(handle: int, before: os.stat_result, *, runnable: bool) -> None:
    """Give a new file the owner and the permissions of the one it replaces."""
    with suppress(PermissionError):  # only root gives files away; the group may be one of ours
        os.fchown(handle, -1, before.st_gid)
        os.fchown(handle, before.st_uid, -1)
    kept = stat.S_IMODE(before.st_mode)
    os.fchmod(handle, kept | (kept & 0o444) >> 2 if runnable else kept)


def _put(part: Path, path: Path, *, only_new: bool) -> None:
    """Give the finished file its name; where it has to be new, in one step with the look whether the name is free."""
    if not only_new:
        part.replace(path)
        return
    try:
        path.hardlink_to(part)
    except FileExistsError:
        part.unlink()
        raise UserError(tell("The file is there already"), where=str(path), todo=tell("Choose another name.")) from None
    except OSError:
        if path.exists():
            raise
        part.replace(path)  # a file system without hard links
    else:
        part.unlink()


def write_text(path: Path, text: str, *, mode: int = PLAIN_MODE) -> None:
    """Write a text as UTF-8, as `write_bytes` does."""
    write_bytes(path, text.encode(), mode=mode)


# The guarded script on disk, with the advice for its host in a file beside it.


def advice_path(script: Path) -> Path:
    """Return where the advice of a script is written: ``create-tank.sh`` has ``create-tank.advice.txt``."""
    return script.with_suffix(".advice.txt")


def write_script(script: Path, text: str, advice: str | None) -> Path | None:
    """Write a script, and its advice beside it; return the path of the advice, None where there is none.

    Raises as `write_text`.
    """
    write_text(script, text, mode=SCRIPT_MODE)
    if advice is None:
        return None
    write_text(advice_path(script), advice, mode=PLAIN_MODE)
    return advice_path(script)
