"""Files of measurements: found in folders, read as bytes, unpacked where their name says that they are packed."""

import gzip
import lzma
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

from poolwright.domain.errors import UserError
from poolwright.texts import tell

MOST_BYTES = 1 << 30  # a log of 30 million samples; a packed file may not become larger either
MOST_FILES = 20_000
MOST_DEPTH = 8
_PACKED = (".gz", ".xz")
_SLICE = 1 << 22


def files_below(path: Path) -> Iterator[Path]:
    """Yield a file, or in order what a folder holds: nothing hidden, no links, no devices.

    Raises UserError where there is nothing at ``path``, where a folder cannot be read, and where it holds too much.
    """
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise UserError(
            tell("It cannot be opened: {strerror}", strerror=error.strerror),
            where=str(path),
            todo=tell("Check the path and its permissions."),
        ) from None
    except ValueError:
        raise UserError(tell("This is not a path"), where=repr(str(path)), todo=tell("Check the path.")) from None
    if not is_folder:
        yield path
        return
    for count, file in enumerate(_in_folder(path)):
        if count == MOST_FILES:
            raise UserError(
                tell("There are more than {most_files} files", most_files=MOST_FILES),
                where=str(path),
                todo=tell("Name a smaller folder."),
            )
        yield file


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


def bytes_of(path: Path) -> bytes:
    """Return what an ordinary file holds, unpacked by its suffix (.gz, .xz).

    Raises UserError where it is none, cannot be read, is packed wrongly or holds more than `MOST_BYTES`.
    """
    where = str(path)
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            raise UserError(tell("This is not an ordinary file"), where=where, todo=tell("Choose another file."))
        if facts.st_size > MOST_BYTES:
            raise _too_large(where)
        data = path.read_bytes()
    except OSError as error:
        raise UserError(
            tell("It cannot be read: {strerror}", strerror=error.strerror or type(error).__name__),
            where=where,
            todo=tell("Check the file and its permissions."),
        ) from None
    return unpacked(data, where)


def unpacked(data: bytes, where: str) -> bytes:
    """Return ``data`` unpacked where ``where`` ends in .gz or .xz, else as it is.

    What was packed whole before the end of a cut file is kept. Raises UserError where nothing of it can be unpacked.
    """
    if not where.endswith(_PACKED):
        return data
    parts: list[bytes] = []
    size = 0
    with closing(gzip.open(BytesIO(data)) if where.endswith(".gz") else lzma.open(BytesIO(data))) as file:
        try:
            while part := file.read(_SLICE):
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    raise _too_large(where)
        except (EOFError, OSError, lzma.LZMAError, zlib.error):
            if not parts:
                raise UserError(
                    tell("It cannot be unpacked"),
                    where=where,
                    todo=tell("Copy the file again, or give it without .gz or .xz where it is not packed."),
                ) from None
    return b"".join(parts)


def plain_name(where: str) -> str:
    """Return ``where`` without the suffix of a packed file."""
    return next((where.removesuffix(end) for end in _PACKED if where.endswith(end)), where)


def _too_large(where: str) -> UserError:
    return UserError(
        tell("It holds more than {most_bytes} MiB", most_bytes=MOST_BYTES >> 20),
        where=where,
        todo=tell("Let the tool average over an interval, or cut the file."),
    )
