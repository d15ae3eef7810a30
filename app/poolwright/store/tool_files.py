"""Files that hold what tools printed: found below folders, read whole and not without end."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from poolwright.domain.errors import UserError
from poolwright.texts import tell

MOST_DEPTH = 8


@dataclass(frozen=True, slots=True)
class FileLimits:
    """How much is read: bytes of one file, files of one folder, and what to do instead of reading a larger file."""

    bytes: int
    files: int
    todo: str


def files_below(path: Path, limits: FileLimits) -> Iterator[Path]:
    """Yield a file, or in order what a folder holds: nothing hidden, no folders behind links, no devices.

    Raises UserError where there is nothing at ``path``, where a folder cannot be read, and where it holds too much.
    """
    if not _is_folder(path):
        yield path
        return
    for count, file in enumerate(_in_folder(path)):
        if count == limits.files:
            raise UserError(
                tell("There are more than {most_files} files", most_files=limits.files),
                where=str(path),
                todo=tell("Name a smaller folder."),
            )
        yield file


def bytes_of(path: Path, limits: FileLimits) -> bytes:
    """Return what an ordinary file holds.

    Raises UserError where it is none (a FIFO is not waited for), where it cannot be read, and where it is too large:
    that before it is read.
    """
    where = str(path)
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            raise UserError(tell("This is not an ordinary file"), where=where, todo=tell("Choose another file."))
        if facts.st_size > limits.bytes:
            raise too_large(facts.st_size, where, limits)
        with path.open("rb") as file:
            # One more byte than may be there, for a file that grows meanwhile.
            data = file.read(limits.bytes + 1)
    except PermissionError:
        raise UserError(
            tell("You have no permission to read this file"),
            where=where,
            todo=tell("Change its permissions, or copy it."),
        ) from None
    except OSError as error:
        raise UserError(
            tell("It cannot be read: {strerror}", strerror=error.strerror or type(error).__name__),
            where=where,
            todo=tell("Check the file."),
        ) from None
    if len(data) > limits.bytes:
        raise too_large(len(data), where, limits)
    return data


def too_large(size: int, where: str, limits: FileLimits) -> UserError:
    """Return the refusal of a file of ``size`` bytes, or of at least so many."""
    return UserError(
        tell(
            "The file is too large: {size:.0f} MiB, at most {most_file_bytes} MiB are read",
            size=size / (1 << 20),
            most_file_bytes=limits.bytes >> 20,
        ),
        where=where,
        todo=limits.todo,
    )


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except FileNotFoundError:
        raise UserError(
            tell("There is no such file or folder"), where=str(path), todo=tell("Check the path.")
        ) from None
    except OSError as error:
        raise UserError(
            tell("It cannot be opened: {strerror}", strerror=error.strerror),
            where=str(path),
            todo=tell("Check its permissions."),
        ) from None
    except ValueError:
        raise UserError(tell("This is not a path"), where=repr(str(path)), todo=tell("Check the path.")) from None


def _in_folder(top: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        if error.filename == str(top):
            raise UserError(
                tell("The folder cannot be read: {strerror}", strerror=error.strerror),
                where=str(top),
                todo=tell("Check its permissions."),
            ) from None

    for folder, folders, names in os.walk(top, onerror=refuse):
        depth = len(Path(folder).relative_to(top).parts)
        folders[:] = sorted(name for name in folders if not name.startswith(".")) if depth < MOST_DEPTH else []
        for name in sorted(names):
            file = Path(folder, name)
            if not name.startswith(".") and file.is_file():
                yield file
