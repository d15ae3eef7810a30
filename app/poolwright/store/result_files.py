"""Files of measurements: found in folders, read as bytes, unpacked where their name says that they are packed."""

import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

from poolwright.domain.errors import UserError
from poolwright.store.tool_files import FileLimits, too_large
from poolwright.store.tool_files import bytes_of as packed_bytes_of
from poolwright.store.tool_files import files_below as any_files_below
from poolwright.texts import tell

MOST_BYTES = 1 << 30  # a log of 30 million samples; a packed file may not become larger either
MOST_FILES = 20_000
_PACKED = (".gz", ".xz")
_SLICE = 1 << 22


def files_below(path: Path) -> Iterator[Path]:
    """Yield a file, or in order what a folder holds; raises UserError as `tool_files.files_below` does."""
    return any_files_below(path, _limits())


def bytes_of(path: Path) -> bytes:
    """Return what an ordinary file holds, unpacked by its suffix (.gz, .xz).

    Raises UserError where it is none, cannot be read, is packed wrongly or holds more than `MOST_BYTES`.
    """
    return unpacked(packed_bytes_of(path, _limits()), str(path))


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
                    raise too_large(size, where, _limits())
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


def _limits() -> FileLimits:
    todo = tell("Let the tool average over an interval, or cut the file.")
    return FileLimits(bytes=MOST_BYTES, files=MOST_FILES, todo=todo)
