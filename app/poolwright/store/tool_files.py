"""Files that hold what tools printed: found below folders, read whole and not without end, unpacked."""

import gzip
import lzma
import os
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from poolwright.domain.errors import UserError
from poolwright.texts import N_, _

MOST_DEPTH = 8


@dataclass(frozen=True, slots=True)
class FileLimits:
    """How much is read: bytes of one file, files of one folder, and what to do instead of reading a larger file."""

    bytes: int
    files: int
    todo: str


CAPTURES = FileLimits(bytes=64 << 20, files=5000, todo=N_("Save only what the tool prints."))
# A log of 30 million samples; a packed file may not become larger either.
RESULTS = FileLimits(bytes=1 << 30, files=20_000, todo=N_("Let the tool average over an interval, or cut the file."))
_PACKED = (".gz", ".xz")
_SLICE = 1 << 22


def files_below(path: Path, limits: FileLimits) -> Iterator[Path]:
    """Yield a file, or in order what a folder holds: nothing hidden, no folders behind links, no devices.

    Raises UserError where there is nothing at ``path``, where a folder cannot be read, and where it holds too much.
    """
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise _unreadable(error, str(path)) from None
    except ValueError:
        raise UserError(_("This is not a path"), where=repr(str(path)), todo=_("Check the path.")) from None
    if not is_folder:
        yield path
        return
    for count, file in enumerate(_in_folder(path)):
        if count == limits.files:
            raise UserError(
                _("There are more than {most_files} files", most_files=limits.files),
                where=str(path),
                todo=_("Name a smaller folder."),
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
            raise UserError(_("This is not an ordinary file"), where=where, todo=_("Name another file."))
        if facts.st_size > limits.bytes:
            raise too_large(where, limits)
        with path.open("rb") as file:
            # One more byte than may be there, for a file that grows meanwhile.
            data = file.read(limits.bytes + 1)
    except OSError as error:
        raise _unreadable(error, where) from None
    if len(data) > limits.bytes:
        raise too_large(where, limits)
    return data


def text_of(path: Path, limits: FileLimits = CAPTURES) -> str:
    """Return what a file of text holds; raises UserError as `bytes_of`, and where it is no UTF-8."""
    try:
        return bytes_of(path, limits).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(_("The file is not UTF-8 text"), where=str(path), todo=_("Name another file.")) from None


def too_large(where: str, limits: FileLimits) -> UserError:
    return UserError(_("The file is larger than {most} MiB", most=limits.bytes >> 20), where=where, todo=_(limits.todo))


def _unreadable(error: OSError, where: str) -> UserError:
    if isinstance(error, FileNotFoundError):
        return UserError(_("There is no such file or folder"), where=where, todo=_("Check the path."))
    why = error.strerror or type(error).__name__
    return UserError(_("The file cannot be read: {why}", why=why), where=where, todo=_("Check its permissions."))


def _in_folder(top: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        if error.filename == str(top):
            raise _unreadable(error, str(top)) from None

    for folder, folders, names in os.walk(top, onerror=refuse):
        depth = len(Path(folder).relative_to(top).parts)
        folders[:] = sorted(name for name in folders if not name.startswith(".")) if depth < MOST_DEPTH else []
        for name in sorted(names):
            file = Path(folder, name)
            if not name.startswith(".") and file.is_file():
                yield file


def unpacked_bytes_of(path: Path) -> tuple[bytes, bool]:
    """Return what an ordinary file with results holds, unpacked by its suffix (.gz, .xz), and whether that is all.

    Raises UserError where it is none, cannot be read, is packed wrongly or holds too much.
    """
    return unpacked(bytes_of(path, RESULTS), str(path))


def unpacked(data: bytes, where: str) -> tuple[bytes, bool]:
    """Return ``data`` unpacked where ``where`` ends in .gz or .xz, else as it is; and whether that is all.

    What was packed whole before the end of a cut file is kept. Raises UserError where nothing of it can be unpacked.
    """
    if not where.endswith(_PACKED):
        return data, True
    parts: list[bytes] = []
    size = 0
    with closing(gzip.open(BytesIO(data)) if where.endswith(".gz") else lzma.open(BytesIO(data))) as file:
        try:
            while part := file.read1(_SLICE):  # `read` would drop what stands before the cut
                parts.append(part)
                size += len(part)
                if size > RESULTS.bytes:
                    raise too_large(where, RESULTS)
        except (EOFError, OSError, lzma.LZMAError, zlib.error):
            if not parts:
                raise UserError(
                    _("It cannot be unpacked"), where=where, todo=_("Copy it again, or take .gz or .xz off.")
                ) from None
            return b"".join(parts), False
    return b"".join(parts), True


def plain_name(where: str) -> str:
    return next((where.removesuffix(end) for end in _PACKED if where.endswith(end)), where)


def nothing_read(where: str, failures: Sequence[UserError], todo: str) -> UserError:
    """Return why nothing could be read of several files: the one reason, or the first of many."""
    if len(failures) == 1:
        return failures[0]
    if not failures:
        return UserError(_("There is no file to read"), where=where, todo=todo)
    first = failures[0]
    words = {"count": len(failures), "name": first.where, "what": first.what}
    return UserError(
        _("None of the {count} files can be read; the first, {name}: {what}", **words), where=where, todo=todo
    )
